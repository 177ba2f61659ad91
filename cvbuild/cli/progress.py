"""Progress on a terminal."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from itertools import cycle
from types import TracebackType
from typing import Self

from cvbuild.cli import console
from cvbuild.cli.summary import HANDFUL, duration
from cvbuild.cli.table import cut

_TURNING = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_CLEAR = "\r\x1b[K"
#: Seconds between two looks of the line; a build that takes less shows none.
_STEP = 0.1
#: Documents and seconds after which the speed is known.
_ENOUGH, _SOON = 4, 1.0


class Expected:
    """How many documents there will be; as people's files are read, that becomes certain.

    ``counts`` are those of each person, None where the file must be read to know it. ``total`` is
    the number.
    """

    def __init__(self, counts: Mapping[str, int | None]) -> None:
        self._known = {name: count for name, count in counts.items() if count is not None}
        self._unread = set(counts) - set(self._known)
        self._read: dict[str, int] = {}
        self.total = self._total()

    def read(self, name: str, count: int) -> None:
        """Set how many documents a person has, whose file was read."""
        self._known[name] = count
        if name in self._unread:
            self._unread.remove(name)
            self._read[name] = count
        self.total = self._total()

    def _total(self) -> int:
        """Return the number; of those not read yet, as many for each as of those that were."""
        mean = sum(self._read.values()) / len(self._read) if self._read else 1
        return sum(self._known.values()) + round(mean * len(self._unread))


class Lines:
    """A line with the documents that are being built, on a terminal; elsewhere nothing.

    It stands below what is printed, and is gone at the end. For many documents it says how many
    are done, and how long the others will take.
    """

    def __init__(self, expected: Expected | None = None, *, enabled: bool) -> None:
        self._expected = expected or Expected({})
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
        now, total = time.monotonic(), self._expected.total
        if total > HANDFUL:
            left = _left(now - self._since, self._done, total)
            text = f"{mark} {self._done}/{total}{left}  {', '.join(self._begun)}"
        elif self._begun:
            seconds = now - min(self._begun.values())
            text = f"{mark} {seconds:.0f} s  {', '.join(self._begun)}"
        else:
            text = ""
        if text:
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
