"""Restrict a thread, and what it starts, by Landlock: rules of the Linux kernel, without root.

A thread keeps its rules until it ends, so ``run`` makes one for a single call. Nothing runs between
fork and exec: a ``preexec_fn`` may deadlock in a process with threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import stat
import struct
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

# Refuse system calls to a thread, and what it starts: those that Landlock can't judge.
#
# That is all networks, and changing the dates, owners and modes of files. A refused call fails with
# EPERM. The program for the kernel is built here, for the machines whose numbers are known.

#: By machine: the kernel's number for it, and for its system calls: socket; utime, utimes,
#: futimesat, utimensat; chmod, fchmod, fchmodat; chown, fchown, lchown, fchownat; setxattr,
#: lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr; truncate; ptrace,
#: process_vm_readv, process_vm_writev; add_key, request_key, keyctl.
_MACHINES = {
    "x86_64": (
        0xC000003E,
        (
            *(41, 132, 235, 261, 280, 90, 91, 268, 92, 93, 94, 260, 188, 189, 190, 197, 198, 199),
            *(76, 101, 310, 311, 248, 249, 250),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (198, 88, 52, 53, 55, 54, 5, 6, 7, 14, 15, 16, 45, 117, 270, 271, 217, 218, 219),
    ),
}
#: io_uring_setup, pidfd_getfd, fchmodat2, setxattrat, removexattrat: the same on all machines.
_EVERYWHERE = (425, 438, 452, 463, 466)
#: From here on, x86_64 has the numbers of another interface (x32).
_X32 = 0x40000000
# From linux/bpf_common.h, linux/seccomp.h and linux/prctl.h.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT = 0, 4
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000 | errno.EPERM
_SET_SECCOMP, _FILTER = 22, 2


def is_known() -> bool:
    """Return whether the numbers of this machine's system calls are known."""
    return platform.machine() in _MACHINES


def restrict() -> None:
    """Restrict this thread for ever; it must have given up new privileges. Raises OSError."""
    program = _program(platform.machine())
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HP", len(program) // 8, ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_SECCOMP, _FILTER, head, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _program(machine: str) -> bytes:
    """Return the filter: each line has a code, two relative jumps, and a value."""
    known, numbers = _MACHINES[machine]
    refused = (*numbers, *_EVERYWHERE)
    fail = len(refused) + 1
    lines = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 0, fail + 2, known),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_AT_LEAST, fail, 0, _X32),
        *((_EQUAL, fail - 1 - index, 0, number) for index, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _FAIL),
    ]
    return b"".join(struct.pack("HBBI", *line) for line in lines)


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


@cache
def version() -> int:
    """Return the version of the kernel's interface; 0 where Landlock is missing or disabled."""
    return max(0, _call(_CREATE, None, 0, _VERSION_FLAG)) if sys.platform == "linux" else 0


def run(start: Callable[[], object], readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Call ``start`` in a thread that reaches only these files and folders, and wait for it.

    What ``start`` starts has the same limits for ever, and no TCP. The other threads of this
    process stay as they are. Paths that don't exist are left out. Raises OSError if the thread
    can't be restricted; then ``start`` is not called. Exceptions of ``start`` are raised here.
    """
    raised: list[BaseException] = []

    def restricted() -> None:
        try:
            _restrict(readable, writable)
            start()
        except BaseException as error:  # noqa: BLE001 - raised in the caller's thread
            raised.append(error)

    thread = threading.Thread(target=restricted)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def _restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    known = version()
    rights = (1 << _RIGHTS.get(known, _MOST_RIGHTS)) - 1
    fields = [rights]
    if known >= _WITH_NETWORK:
        fields.append(0b11)
    if known >= _WITH_SCOPES:
        fields.append(0b11)
    attributes = struct.pack(f"{len(fields)}Q", *fields)
    rules = _checked(_call(_CREATE, attributes, len(attributes), 0))
    try:
        for path in readable:
            _allow(rules, path, rights & (_EXECUTE | _READ | _LIST))
        for path in writable:
            _allow(rules, path, rights & ~_NEVER)
        # Without it the kernel refuses the next call. Programs with another user's rights are off.
        _checked(ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_call(_RESTRICT, rules, 0))
        if is_known():
            restrict()
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not stat.S_ISDIR(os.fstat(handle).st_mode):
                rights &= _OF_FILES
            rule = struct.pack("=Qi", rights, handle)
            _checked(_call(_ADD, rules, _PATH_RULE, rule, 0))
        finally:
            os.close(handle)


def _call(number: int, *arguments: int | bytes | None) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return int(library.syscall(ctypes.c_long(number), *arguments))


def _checked(result: int) -> int:
    """Return the result of a system call; raises OSError if it failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
