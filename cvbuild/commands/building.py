"""What ``cvbuild build`` does where something is left to do."""

from __future__ import annotations

import argparse
import gc
import os
import re
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from cvbuild import batch, caches, console, overrides, people, progress, scratch
from cvbuild.api import known_locale, today, workspace_library
from cvbuild.batch import Checked
from cvbuild.commands.build import Report, asked_of
from cvbuild.errors import UsageError
from cvbuild.fresh import Rest
from cvbuild.index import Index
from cvbuild.outcome import Outcome
from cvbuild.remember import Memory
from cvbuild.standby import Standby
from cvbuild.task import Settings, Task
from cvbuild.templates import Library
from cvbuild.wanted import Wanted, no_variants, require

#: As many people leave less behind than looking for it costs.
_FEW = 8


class Terminated(KeyboardInterrupt):
    """Somebody asked this process to end; ``exit_code`` is what a shell makes of that signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def run(
    given: argparse.Namespace,
    known: Index,
    rest: list[Rest] | None,
    report: Report,
    standby: Standby | None = None,
) -> int:
    """Build the rest of what is asked for; everything, if nothing is known of it."""
    settings = replace(settings_of(given), standby=standby)
    wanted = wanted_of(given, settings.library)
    found = people.find(given.people)
    if not wanted.everybody:
        require(found, wanted)
    if rest is None:
        rest = [Rest(person) for person in found]
    names = [one.person.name for one in rest]
    scratch.begin(settings.out, names, time.time() - scratch.OLD)
    memory = Memory(known, settings.library, time.time_ns)
    worst = 0

    def heard(checked: Checked) -> None:
        nonlocal worst
        memory.read(checked)
        report.faults(item.as_json() for item in checked.diagnostics)
        worst = max(worst, int(checked.profile is None))

    if len(rest) > _FEW:
        # What a document leaves in rings is looked for often, and what stays (modules) never.
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
    try:
        with ended_by_signals(), progress.Lines(enabled=not given.json) as lines:
            opened = memory.opening(rest)
            todo = batch.read(opened, wanted, settings, heard)
            for outcome in _outcomes(todo, settings, given, lines):
                memory.finish(outcome)
                notes = [note.as_json() for note in outcome.notes]
                report.document(outcome.as_json(), notes, lines)
                worst = max(worst, outcome.exit_code)
    finally:
        memory.save()
    if report.lacks(wanted.names if wanted.variants else ()):
        require(found, wanted)
    report.close()
    return worst


def _outcomes(
    todo: Iterable[Task], settings: Settings, given: argparse.Namespace, lines: progress.Lines
) -> Iterator[Outcome]:
    if given.cluster is not None:
        from cvbuild.cluster import client

        return client.run(todo, settings, given.cluster, lambda note: console.show([note]))
    jobs = given.jobs or os.cpu_count() or 1
    return batch.run(todo, settings, jobs, lambda task: lines.begin(_name(task)))


def _name(task: Task) -> str:
    return f"{task.person.name} {task.name}"


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
        cache=caches.folder(),
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
    everybody = not given.people
    if given.all_templates:
        return Wanted(library.names(), everybody=everybody)
    if variants := asked_of(given).variants:
        return Wanted(variants, variants=True, everybody=everybody)
    wanted = asked_of(given).templates
    no_variants(wanted, library.names())
    for name in wanted:
        library.require(name)
    return Wanted(wanted, everybody=everybody)


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
