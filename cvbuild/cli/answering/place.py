"""Where a command and what answers it meet, and what must be the same of both.

Only what Python has loaded anyway is imported: this is the first thing that a command does.
"""

from __future__ import annotations

import os
import stat
import sys

#: A child will run the command; the command waits for it.
ACCEPTED, GO = b"+", b"!"
#: Bytes of the length of a request, which stands before it.
LENGTH = 8
_FOLDER = "answering"
#: Lines of /proc/PID/status: rights and limits that a child has from its parent. What runs in a
#: sandbox of TeX differs from what doesn't in some of them.
_RIGHTS = (
    b"Uid:", b"Gid:", b"Groups:", b"Cap", b"NoNewPrivs:", b"Seccomp", b"Cpus_allowed:",
    b"Mems_allowed:", b"SigBlk:",
)  # fmt: skip
_LINKS = ("exe", "root", *(f"ns/{name}" for name in ("cgroup", "ipc", "mnt", "net", "pid", "user")))
#: Beginnings of the names of variables that Python and libraries read once.
_EARLY = ("PYTHON", "PYDANTIC_", "LC_", "LANG", "LD_", "MALLOC_", "GLIBC_")


def folder() -> str:
    """Return the folder for sockets, in the user's cache; raise OSError if there can be none."""
    cache = os.environ.get("CVBUILD_CACHE")
    if not cache:
        base, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
        cache = os.path.join(base if os.path.isabs(base) else f"{home}/.cache", "cvbuild")
    if not os.path.isabs(cache):
        raise FileNotFoundError
    return os.path.join(cache, _FOLDER)


def opened() -> int:
    """Return a handle of that folder; raise OSError if it isn't there, or not the user's alone."""
    handle = os.open(folder(), os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    state = os.fstat(handle)
    if state.st_uid != os.geteuid() or state.st_mode & 0o077:
        os.close(handle)
        raise PermissionError
    return handle


def make_folder() -> int:
    """Return the same; the folder is made if the cache is there."""
    try:
        os.mkdir(folder(), 0o700)
    except FileExistsError:
        return opened()
    return opened()


def name(workspace: str) -> str:
    """Return the name of the socket for the workspace with this folder at its top."""
    state = os.stat(workspace)
    return f"{state.st_dev:x}-{state.st_ino:x}"


def socket(handle: int, name: str) -> str:
    """Return the path of a socket, however long that of its folder is; raise OSError if odd."""
    state = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if not stat.S_ISSOCK(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o177:
        raise PermissionError
    return f"/proc/self/fd/{handle}/{name}"


def rights(process: int | str) -> object:
    """Return what a process may do, and the view that it has of the machine; raise OSError."""
    place = f"/proc/{process}"
    with open(f"{place}/status", "rb") as status, open(f"{place}/limits", "rb") as limits:
        lines = [line for line in status if line.startswith(_RIGHTS)]
        return lines, limits.read(), [os.readlink(f"{place}/{link}") for link in _LINKS]


def interpreter() -> str:
    """Return all that decides how this Python behaves, before anything has changed it."""
    return ascii(
        (
            (sys.version, sys.executable, tuple(sys.flags), sys.path, __file__),
            (sys.warnoptions, sys._xoptions),  # noqa: SLF001 - there is no other way to know
            [(one.encoding, one.errors) for one in (sys.stdin, sys.stdout, sys.stderr)],
            sorted(item for item in os.environ.items() if item[0].startswith(_EARLY)),
        )
    )
