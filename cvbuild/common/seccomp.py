"""Refuse system calls to a thread, and what it starts: those that Landlock can't judge.

That is all networks, and changing the dates, owners and modes of files. A refused call fails with
EPERM. The program for the kernel is built here, for the machines whose numbers are known.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

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
