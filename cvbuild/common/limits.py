"""Limit the time and the memory of our own work on data that somebody else wrote.

Time: an exception is raised in the thread that works, between two steps of Python, so one call of a
library can't be interrupted. Memory: the address space of this process, where Linux counts it.
``processes`` limits children.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

#: Address space (bytes) that a limited piece of work may add to what there is.
MEMORY = 1 << 30
#: Seconds for what has no limit of its own on the command line.
SECONDS = 60.0
#: Seconds of sleep before the clock is read again, and before the exception is raised again.
_SOON, _AGAIN = 0.01, 5.0

_STATE = Path("/proc/self/statm")


class TimeUpError(BaseException):
    """The time is up. Why no Exception: only the code that set the limit may catch it."""


@contextlib.contextmanager
def seconds(most: float) -> Iterator[None]:
    """Raise TimeUpError in the block once its own work took ``most`` seconds.

    Only the CPU time of this thread counts, so waiting for a child, a lock or another thread costs
    nothing. Where that can't be measured, the CPU time of the process counts.
    """
    limit = _Limit(most)
    watch = threading.Thread(target=limit.watch, daemon=True)
    watch.start()
    try:
        yield
    finally:
        limit.lift()


class _Limit:
    """Raises TimeUpError in the thread that made it, once the time is up, until it is lifted."""

    def __init__(self, most: float) -> None:
        self._thread = threading.get_ident()
        self._clock = _clock(self._thread)
        self._end = self._clock() + most
        self._lock, self._lifted, self._raised = threading.Lock(), threading.Event(), False

    def watch(self) -> None:
        """Wait, and raise; do it again if something swallowed it."""
        rest = self._end - self._clock()
        while not self._lifted.wait(max(rest, _AGAIN if self._raised else _SOON)):
            rest = self._end - self._clock()
            with self._lock:
                if rest <= 0 and not self._lifted.is_set():
                    self._raised = True
                    _raise_in(self._thread, ctypes.py_object(TimeUpError))

    def lift(self) -> None:
        """Raise nothing from now on, not even what is on its way."""
        with self._lock:
            self._lifted.set()
            if self._raised:
                _raise_in(self._thread, None)


def _clock(thread: int) -> Callable[[], float]:
    """Return what measures the CPU time of a thread."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)


def _raise_in(thread: int, error: object) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


@contextlib.contextmanager
def memory(size: int = MEMORY) -> Iterator[None]:
    """Let the block raise MemoryError once this process takes ``size`` bytes more than now.

    The limit is that of the whole process, and of children that begin meanwhile; with several
    threads, the first one sets it. Without Linux there is none.
    """
    if sys.platform != "linux" or not _STATE.exists():
        yield
        return
    _address_space.limit(size)
    try:
        yield
    finally:
        _address_space.lift()


class _AddressSpace:
    """The limit of this process, and how many threads need it."""

    def __init__(self) -> None:
        self._lock, self._users, self._before = threading.Lock(), 0, (-1, -1)

    def limit(self, size: int) -> None:
        import resource

        with self._lock:
            self._users += 1
            if self._users > 1:
                return
            taken = int(_STATE.read_text("ascii").split()[0]) * resource.getpagesize()
            soft, hard = self._before = resource.getrlimit(resource.RLIMIT_AS)
            known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(resource.RLIMIT_AS, (min([taken + size, *known]), hard))

    def lift(self) -> None:
        import resource

        with self._lock:
            self._users -= 1
            if not self._users:
                resource.setrlimit(resource.RLIMIT_AS, self._before)


_address_space = _AddressSpace()
