"""Progress on a terminal."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from cvbuild.cli.console import CONTROL, say
from cvbuild.common import processes

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Lines:
    """A line for each document that is being built, on a terminal; elsewhere nothing."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._lines: dict[str, TaskID | None] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        if self._enabled:
            # Loading rich takes as long as everything before TeX runs.
            processes.meanwhile(self._open)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._enabled = False
            if self._bar:
                self._bar.stop()

    def _open(self) -> None:
        """Show what has begun; called by a thread, once TeX is running."""
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
        bar = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        with self._lock:
            if self._enabled:
                self._bar = bar
                bar.start()
                self._lines = {name: bar.add_task(name, total=None) for name in self._lines}

    def begin(self, name: str) -> None:
        """Add the line of a document that has begun; called from any thread."""
        with self._lock:
            self._lines[name] = self._bar.add_task(name, total=None) if self._bar else None

    def end(self, name: str, line: str) -> None:
        """Print how a document ended; ``line`` is the text."""
        with self._lock:
            task = self._lines.pop(name, None)
            if self._bar and task is not None:
                self._bar.remove_task(task)
        if self._bar:
            self._bar.console.print(
                CONTROL.sub("\N{REPLACEMENT CHARACTER}", line),
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
        else:
            say(line)
