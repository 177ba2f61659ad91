"""The sandbox of the operating system around a child: which there is, and how to start inside it.

On Linux that is Landlock, or bubblewrap (``bwrap``) where the kernel has no Landlock; on macOS
``sandbox-exec``. A child inside reads only the system's programs and what its ``Walls`` list,
writes only to their folders, and has no network. This module knows nothing of TeX.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cvbuild.common.errors import NoTexError, UsageError

#: The environment variable that chooses one: for administrators and tests.
VARIABLE = "CVBUILD_SANDBOX"
NONE = "none"
_AUTO, _LANDLOCK, _BWRAP, _MACOS = "auto", "landlock", "bwrap", "sandbox-exec"
CHOICES = (_AUTO, _LANDLOCK, _BWRAP, _MACOS, NONE)
#: What programs need of the system: themselves, libraries, and how the loader finds these.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld-musl-x86_64.path", "/etc/perl"),
    *("/dev/urandom", "/dev/random", "/dev/zero"),
)
_WRITABLE_DEVICES = ("/dev/null",)
_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Walls:
    """What a child may reach: files and folders to read, and folders to write to."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]


def in_force() -> str:
    """Return the sandbox that is used: "landlock", "bwrap", "sandbox-exec" or "none".

    Raises UsageError for an unknown name in CVBUILD_SANDBOX, NoTexError for one that doesn't work
    here.
    """
    choice = os.environ.get(VARIABLE) or _AUTO
    if choice not in CHOICES:
        message = f'{VARIABLE} names an unknown sandbox, "{choice}"'
        raise UsageError.because("sandbox", message, f"one of: {', '.join(CHOICES)}")
    if choice == NONE:
        return NONE
    for name, works in ((_LANDLOCK, _has_landlock), (_BWRAP, _bwrap), (_MACOS, _macos)):
        if choice in (_AUTO, name) and works():
            return name
    if choice == _AUTO:
        return NONE
    message = f"{VARIABLE} asks for {choice}, which doesn't work on this machine"
    raise NoTexError.because("sandbox", message, how_to_get())


def how_to_get() -> str:
    """Return a hint: what to install to have a sandbox."""
    hints = {
        "linux": "install bubblewrap (`apt-get install bubblewrap`) and allow it user namespaces, "
        "or use Linux 5.13 or newer with Landlock",
        "darwin": "/usr/bin/sandbox-exec of macOS must work",
    }
    return hints.get(sys.platform, "use Linux or macOS, such as WSL on Windows")


def start(walls: Walls, command: Sequence[str], popen: Callable[[Sequence[str]], None]) -> None:
    """Call ``popen`` with the command, changed if needed, so that its child is inside the walls.

    Raises as ``in_force``, and OSError if the walls can't be built. Without any sandbox the child
    starts as it is.
    """
    name = in_force()
    if name == _LANDLOCK:
        from cvbuild.common import landlock

        writable = (*walls.writable, *map(Path, _WRITABLE_DEVICES))
        landlock.run(lambda: popen(command), (*map(Path, _SYSTEM), *walls.readable), writable)
    elif name == _BWRAP:
        popen([_bwrap(), *_bwrap_options(walls), *command])
    elif name == _MACOS:
        popen([_macos(), "-p", profile(walls, Path.home()), *command])
    else:
        popen(command)


def profile(walls: Walls, home: Path) -> str:
    """Return the rules for ``sandbox-exec``; of rules that apply, the last counts.

    Everything that isn't the user's stays readable, because what macOS itself needs differs between
    its releases.
    """
    private = (home, *map(Path, ("/Users", "/Volumes", "/private/tmp", "/private/var/folders")))
    rules = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        "(deny file-write*)",
        f"(deny file-read-data {_subpaths(private)})",
        f"(allow file-read* {_subpaths((*walls.readable, *walls.writable))})",
        f"(allow file-write* {_subpaths((*walls.writable, *map(Path, _WRITABLE_DEVICES)))})",
    ]
    return "\n".join(rules)


def _subpaths(paths: Iterable[Path]) -> str:
    """Return a rule's filter; the system compares real paths, so links are resolved."""
    real = dict.fromkeys(os.path.realpath(path) for path in paths)
    quoted = (path.replace("\\", "\\\\").replace('"', '\\"') for path in real)
    return " ".join(f'(subpath "{path}")' for path in quoted)


def _bwrap_options(walls: Walls) -> list[str]:
    """Return the options of bwrap.

    Without --die-with-parent: the kernel takes a thread for the parent, and a thread of ours may
    end before its child. The child's group is killed all the same, and its CPU time is limited.
    """
    readable = (*(path for path in _SYSTEM if not path.startswith("/dev/")), *walls.readable)
    binds = [option for path in readable for option in ("--ro-bind-try", str(path), str(path))]
    own = [option for path in walls.writable for option in ("--bind", str(path), str(path))]
    # The folders above these are new ones, which nobody may write to either.
    return ["--unshare-all", "--dev", "/dev", *binds, *own, "--remount-ro", "/", "--"]


def _has_landlock() -> bool:
    from cvbuild.common import landlock

    return landlock.version() > 0


@cache
def _bwrap() -> str:
    """Return the path of a bwrap that works; empty if there is none. Some systems forbid it."""
    program = shutil.which("bwrap", path=os.defpath) if sys.platform == "linux" else None
    return program if program and _works([program, *_bwrap_options(Walls((), ()))]) else ""


@cache
def _macos() -> str:
    program = shutil.which("sandbox-exec", path="/usr/bin") if sys.platform == "darwin" else None
    works = program and _works([program, "-p", profile(Walls((), ()), Path.home())])
    return program if program and works else ""


def _works(prefix: list[str]) -> bool:
    """Return whether a program that does nothing runs inside."""
    try:
        done = subprocess.run(
            [*prefix, "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={},
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
