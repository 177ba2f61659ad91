"""What the arguments ask for: settings, documents, and how a signal ends it."""

from __future__ import annotations

import argparse
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from cvbuild.building.environment import known_locale, today, workspace_library
from cvbuild.building.wanted_documents import Wanted, no_variants, wanted_formats
from cvbuild.cli.report import asked_of
from cvbuild.common import user_cache
from cvbuild.common.errors import UsageError
from cvbuild.inputs import overrides
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings


class Terminated(KeyboardInterrupt):
    """Somebody asked this process to end; ``exit_code`` is what a shell makes of that signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def settings_of(given: argparse.Namespace) -> Settings:
    """How documents are built; raises UsageError for what doesn't exist."""
    return Settings(
        out=Path(given.out),
        library=workspace_library(given.template_path),
        today=today(),
        epoch=_epoch(os.environ.get("SOURCE_DATE_EPOCH")),
        engine=given.engine,
        driver=given.driver,
        tags=given.tags,
        force=given.force,
        timeout=given.timeout,
        cache=user_cache.folder(),
        locale=known_locale(given.locale),
        private=given.private,
        sets=tuple(given.set),
    )


def _epoch(text: str | None) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,11}", text):
        raise UsageError.because(
            "epoch", f'SOURCE_DATE_EPOCH is "{text}"', "it is a number of seconds since 1970"
        )
    return int(text)


def wanted_of(given: argparse.Namespace, library: Library) -> Wanted:
    """What is wanted of everybody; raises UsageError for an unknown template or key of --set."""
    overrides.read(given.set)
    asked, everybody = asked_of(given), not given.people
    formats = wanted_formats(asked.formats, cluster=bool(asked.cluster))
    if given.all_templates:
        return Wanted(library.names(), everybody=everybody, formats=formats)
    if asked.variants:
        return Wanted(asked.variants, variants=True, everybody=everybody, formats=formats)
    wanted = asked.templates
    no_variants(wanted, library.names())
    for name in wanted:
        library.require(name)
    return Wanted(wanted, everybody=everybody, formats=formats)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let the signals that end a process do so as Ctrl-C does: with all children, and tidily."""

    def end(number: int, _: FrameType | None) -> None:
        raise Terminated(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Whoever runs us under nohup wants no hang-up.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
