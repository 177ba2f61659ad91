"""Progress on a terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from itertools import cycle
from types import TracebackType
from typing import Self
from unicodedata import east_asian_width

from cvbuild.cli import console

_TURNING = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CLEAR = "\r\x1b[K"
#: Seconds between two looks of the line; a build that takes less shows none.
_STEP = 0.1


class Lines:
    """A line with the documents that are being built, on a terminal; elsewhere nothing.

    It stands below what is printed, and is gone at the end.
    """

    def __init__(self, *, enabled: bool) -> None:
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

    def end(self, name: str, line: str | None) -> None:
        """Print how a document ended; ``line`` is the text, if there is something to say."""
        with self._lock:
            self._begun.pop(name, None)
        if line is not None:
            console.say(line)

    def _turn(self) -> None:
        for mark in cycle(_TURNING):
            if self._ended.wait(_STEP):
                break
            with self._lock:
                self._draw(mark)
        with self._lock:
            _write(_CLEAR)

    def _draw(self, mark: str) -> None:
        if self._begun:
            seconds = time.monotonic() - min(self._begun.values())
            text = f"{mark} {seconds:.0f} s  {', '.join(self._begun)}"
            safe = console.CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
            _write(f"{_CLEAR}{_cut(safe, shutil.get_terminal_size().columns - 1)}")

    @contextlib.contextmanager
    def _hidden(self) -> Iterator[None]:
        """Remove the line while something is printed."""
        with self._lock:
            _write(_CLEAR)
            yield


def _cut(text: str, width: int) -> str:
    """Return the beginning of a text that fits into so many columns."""
    taken = 0
    for at, character in enumerate(text):
        taken += 2 if east_asian_width(character) in "FW" else 1
        if taken > width:
            return text[:at]
    return text


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
