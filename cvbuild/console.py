"""Printing: diagnostics and progress to stderr, JSON to stdout."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from cvbuild.diagnostics import Diagnostic

#: What could move a terminal's cursor or change its colours.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def say(text: str) -> None:
    """A line for people."""
    safe = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
    encoding = sys.stderr.encoding or "utf-8"
    print(safe.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)  # noqa: T201


def print_json(value: object) -> None:
    """The one object on stdout."""
    text = json.dumps(value, ensure_ascii=True, indent=2)
    print(text, flush=True)  # noqa: T201


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics to stderr; on a terminal each with its line and a caret below the place."""
    for item in diagnostics:
        # Imported where it is needed: the cheap check prints, and mostly has nothing to show.
        from cvbuild.diagnostics import excerpt

        text = _text(item.span.file) if item.span and item.span.line and sys.stderr.isatty() else ""
        say(excerpt(item, text) if text else str(item))


def show_plain(diagnostics: Iterable[Mapping[str, Any]]) -> None:
    """The same for diagnostics as ``--json`` has them."""
    for item in diagnostics:
        from cvbuild.diagnostics import Diagnostic

        show([Diagnostic.from_json(item)])


def forget() -> None:
    """Read files anew for the next diagnostics: they were edited."""
    _text.cache_clear()


@cache
def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


class Lines:
    """A line for each document that is being built, on a terminal; nothing elsewhere."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._lines: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._enabled:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
            self._bar = Progress(
                *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.stop()

    def begin(self, name: str) -> None:
        """A document has begun; called from any thread."""
        if self._bar:
            self._lines[name] = self._bar.add_task(name, total=None)

    def end(self, name: str, line: str) -> None:
        """A document is done; ``line`` says how."""
        if self._bar:
            task = self._lines.pop(name, None)
            if task is not None:
                self._bar.remove_task(task)
            self._bar.console.print(
                _CONTROL.sub("\N{REPLACEMENT CHARACTER}", line),
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
        else:
            say(line)
