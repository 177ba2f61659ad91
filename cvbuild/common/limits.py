"""Limit our own work on data that somebody else wrote, and what a child may reach.

Time: an exception is raised in the thread that works, between two steps of Python, so one call of a
library can't be interrupted. Memory: the address space of this process, where Linux counts it.
``processes`` limits the time and the memory of children.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from msgspec import Struct

from cvbuild.common.diagnostics import CvbuildError, Span

#: Address space (bytes) that a limited piece of work may add to what there is.
MEMORY = 1 << 30
#: Seconds for what has no limit of its own on the command line.
SECONDS = 60.0
#: Seconds of sleep before the clock is read again, and before the exception is raised again.
_SOON, _AGAIN = 0.01, 5.0

_STATE = Path("/proc/self/statm")
#: The limits of this process's memory that threads found when they set theirs, the first one first.
_lock, _limits = threading.Lock(), list[tuple[int, int]]()


class TimeUpError(BaseException):
    """The time is up. Why no Exception: only the code that set the limit may catch it."""


@contextlib.contextmanager
def seconds(most: float) -> Iterator[None]:
    """Raise TimeUpError in the block once its own work took ``most`` seconds.

    Only the CPU time of this thread counts, not waiting; where that isn't known, the process's.
    """
    thread = threading.get_ident()
    clock: Callable[[], float] = time.process_time
    if hasattr(time, "pthread_getcpuclockid"):
        clock = partial(time.clock_gettime, time.pthread_getcpuclockid(thread))
    end = clock() + most
    lock, lifted = threading.Lock(), threading.Event()
    raised, throw = list[int](), ctypes.pythonapi.PyThreadState_SetAsyncExc

    def watch() -> None:
        """Wait, and raise; do it again if something swallowed it."""
        rest = most
        while not lifted.wait(max(rest, _AGAIN if raised else _SOON)):
            rest = end - clock()
            with lock:
                if rest <= 0 and not lifted.is_set():
                    raised.append(thread)
                    throw(ctypes.c_ulong(thread), ctypes.py_object(TimeUpError))

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        with lock:
            lifted.set()
            if raised:
                # Not even what is on its way.
                throw(ctypes.c_ulong(thread), None)


class LimitError(CvbuildError):
    """Work of ours took too long, or needs more memory than there is."""


@contextlib.contextmanager
def bounded(what: str, most: float = SECONDS, place: Span | None = None) -> Iterator[None]:
    """Raise LimitError that says ``what`` took over ``most`` seconds, or needs too much memory."""
    try:
        with seconds(most):
            yield
    except TimeUpError:
        code, fact = "time-limit", f"{what} took over {most:g} s"
    except MemoryError:
        code, fact = "memory", f"{what} needs more memory than there is"
    else:
        return
    hint = "is it the right file? a CV has a few pages, and takes less than a second"
    raise LimitError.because(code, fact, hint, place)


@contextlib.contextmanager
def memory(size: int = MEMORY) -> Iterator[None]:
    """Let the block raise MemoryError once this process takes ``size`` bytes more than now.

    It is the whole process's, and of children that begin meanwhile; without Linux there is none.
    """
    if sys.platform != "linux" or not _STATE.exists():
        yield
        return
    import resource

    with _lock:
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        _limits.append((soft, hard))
        if len(_limits) == 1:
            taken = int(_STATE.read_text("ascii").split()[0]) * resource.getpagesize()
            known = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
            resource.setrlimit(resource.RLIMIT_AS, (min([taken + size, *known]), hard))
    try:
        yield
    finally:
        with _lock:
            before, *_ = _limits
            _limits.pop()
            if not _limits:
                resource.setrlimit(resource.RLIMIT_AS, before)


# -- walls around a child: Landlock, rules of the Linux kernel that need no root -------------------

# The child reads only the system's programs and what its ``Walls`` list, writes only to their
# folders, and has no TCP. Where the kernel has no Landlock it starts as it is.
#
# A thread keeps its rules until it ends, so ``start_inside`` makes one for a single call. Nothing
# runs between fork and exec: a ``preexec_fn`` may deadlock in a process with threads.

# The same numbers on all machines, from linux/landlock.h and asm-generic/unistd.h.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG, _PATH_RULE, _NO_NEW_PRIVILEGES = 1, 1, 38
_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE, _DEVICE = 1, 2, 4, 8, 1 << 14, 1 << 15
#: How many rights about files each version of the kernel's interface knows.
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_MOST_RIGHTS = 16
#: What a writable folder doesn't allow: programs, and anything but files and folders. This process
#: reads what a child leaves, so there may be no links, devices, sockets or pipes.
_NEVER = _EXECUTE | 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12
#: Rights that a rule about a file, not a folder, may give.
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
#: The first versions that can refuse TCP, and signals and abstract sockets of other processes.
_WITH_NETWORK, _WITH_SCOPES = 4, 6
#: What programs need of the system: themselves, libraries, and how the loader finds these.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld-musl-x86_64.path", "/etc/perl"),
    *("/dev/urandom", "/dev/random", "/dev/zero"),
)
_WRITABLE_DEVICES = ("/dev/null",)


class Walls(Struct, frozen=True):
    """What a child may reach: files and folders to read, and folders to write to."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]


@cache
def landlock_version() -> int:
    """Return the version of the kernel's interface; 0 where Landlock is missing or disabled."""
    with contextlib.suppress(OSError):
        if sys.platform == "linux":
            return _call("syscall", _CREATE, None, 0, _VERSION_FLAG)
    return 0


def start_inside(walls: Walls, popen: Callable[[], object]) -> None:
    """Call ``popen`` so that what it starts is inside the walls for ever; other threads aren't.

    Paths that don't exist are left out. Raises OSError if the walls can't be built.
    """
    if not (known := landlock_version()):
        popen()
        return
    from concurrent.futures import ThreadPoolExecutor  # few templates are foreign

    rights = (1 << _RIGHTS.get(known, _MOST_RIGHTS)) - 1
    fields = [rights, *(0b11 for first in (_WITH_NETWORK, _WITH_SCOPES) if known >= first)]
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    rules = _call("syscall", _CREATE, attributes, len(attributes), 0)
    reads = dict.fromkeys((*map(Path, _SYSTEM), *walls.readable), _EXECUTE | _READ | _LIST)
    writes = dict.fromkeys((*map(Path, _WRITABLE_DEVICES), *walls.writable), ~_NEVER)
    try:
        for path, given in (*reads.items(), *writes.items()):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
                try:
                    is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
                    allowed = rights & given & (-1 if is_folder else _OF_FILES)
                    rule = struct.pack("=Qi", allowed, handle)
                    _call("syscall", _ADD, rules, _PATH_RULE, rule, 0)
                finally:
                    os.close(handle)
        with ThreadPoolExecutor(1) as pool:
            # Without the first call, which turns off programs with another user's rights, the
            # kernel refuses the second.
            pool.submit(_call, "prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0).result()
            pool.submit(_call, "syscall", _RESTRICT, rules, 0).result()
            pool.submit(popen).result()
    finally:
        os.close(rules)


def _call(name: str, *arguments: int | bytes | None) -> int:
    """Return the result of a function of the C library; raises OSError if it failed."""
    result: int = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
