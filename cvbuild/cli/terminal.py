"""A terminal: tables, the line with what is being built, pages that are opened."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from types import TracebackType
from typing import Self

from cvbuild.cli import console
from cvbuild.cli.report import HANDFUL, duration
from cvbuild.common.diagnostics import cells as cells  # noqa: PLC0414 - for the callers

_TURNING = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CLEAR = "\r\x1b[K"
#: Seconds between two looks of the line; a build that takes less shows none.
_STEP = 0.1
#: Documents and seconds after which the speed is known.
_ENOUGH, _SOON = 4, 1.0


class Lines:
    """A line with the documents that are being built, on a terminal; elsewhere nothing.

    It stands below what is printed, and is gone at the end. For many documents it says how many
    are done, and how long the others will take. ``expected`` are the numbers of each person's; who
    reads the files may correct them.
    """

    def __init__(self, expected: Mapping[str, int], *, enabled: bool) -> None:
        self._expected = expected
        self._done, self._since = 0, time.monotonic()
        encoding = (sys.stderr.encoding or "").lower()
        able = os.environ.get("TERM") not in (None, "dumb") and encoding.startswith("utf")
        self._enabled = enabled and able and sys.stderr.isatty()
        self._begun: dict[str, float] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._turn, daemon=True)

    def __enter__(self) -> Self:
        if self._enabled:
            console.around = self._hidden
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._enabled:
            self._ended.set()
            self._thread.join()
            console.around = contextlib.nullcontext

    def begin(self, name: str) -> None:
        """Add a document that has begun; called from any thread."""
        with self._lock:
            self._begun[name] = time.monotonic()

    def end(self, name: str) -> None:
        """Remove a document that has ended."""
        with self._lock:
            self._begun.pop(name, None)
            self._done += 1

    def _turn(self) -> None:
        for mark in cycle(_TURNING):
            if self._ended.wait(_STEP):
                break
            with self._lock:
                self._draw(mark)
        with self._lock:
            _write(_CLEAR)

    def _draw(self, mark: str) -> None:
        now, total = time.monotonic(), sum(self._expected.values())
        if total > HANDFUL:
            left = _left(now - self._since, self._done, total)
            text = f"{mark} {self._done}/{total}{left}  {', '.join(self._begun)}"
        elif self._begun:
            seconds = now - min(self._begun.values())
            text = f"{mark} {seconds:.0f} s  {', '.join(self._begun)}"
        else:
            text = ""
        if text:
            import shutil  # nothing is drawn in a run without changes

            safe = console.CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
            _write(f"{_CLEAR}{cut(safe, shutil.get_terminal_size().columns - 1)}")

    @contextlib.contextmanager
    def _hidden(self) -> Iterator[None]:
        """Remove the line while something is printed."""
        with self._lock:
            _write(_CLEAR)
            yield


def _left(seconds: float, done: int, total: int) -> str:
    """Return how long the others will take at the same speed, once that can be told."""
    if done < _ENOUGH or seconds < _SOON or done >= total:
        return ""
    return f", {duration(math.ceil(seconds / done * (total - done)), whole=True)} left"


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()


# -- tables ----------------------------------------------------------------------------------------


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines with aligned columns, without empty columns."""
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (size - cells(cell))
            for cell, size in zip(row, widths, strict=True)
            if size
        ).rstrip()
        for row in rows
    ]


def cut(text: str, columns: int) -> str:
    """Return the beginning of a text that fits into so many columns."""
    taken = 0
    for at, character in enumerate(text):
        taken += cells(character)
        if taken > columns:
            return text[:at]
    return text


def size_in_words(count: int) -> str:
    """Return a number of bytes for people: 41 kB, 1.2 MB."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1000))} kB"


# -- pages that are opened -------------------------------------------------------------------------


def has_screen() -> bool:
    """Return whether there is a screen, so that no text browser starts in the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def browse(address: str) -> None:
    """Open an address in the browser; whoever has none finds it in the terminal."""
    import contextlib
    import webbrowser

    # A variable BROWSER that names none, or can't be read.
    with contextlib.suppress(webbrowser.Error, OSError, ValueError):
        webbrowser.open(address)
