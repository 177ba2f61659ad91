"""Run cvbuild as on a system without what only POSIX has.

Modules and functions that Windows lacks are hidden, and ``sys.platform`` says win32. Paths stay
those of this machine. The commands are the lines of standard input; the first that fails ends it.
With the argument ``import``, every module is imported instead, and their number printed.
"""

from __future__ import annotations

import importlib
import importlib.abc
import os
import pkgutil
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from types import SimpleNamespace

import cvbuild

_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
_OF_OS = (
    "fork", "geteuid", "getgid", "getpgid", "getuid", "killpg", "mkfifo", "setsid", "statvfs",
    "uname", "waitid", "pidfd_open", "fchmod", "fchown", "sched_getaffinity", "register_at_fork",
    "P_PID", "WEXITED", "WNOWAIT", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH",
)  # fmt: skip
_PACKAGES = ("fontTools.ttLib", "pikepdf", "PIL.Image", "pypdfium2")
_SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1")


class _Absent(importlib.abc.MetaPathFinder):
    """Finds no module that only POSIX has."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname in _MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _import_all() -> int:
    names = [found.name for found in pkgutil.walk_packages(cvbuild.__path__, "cvbuild.")]
    for name in names:
        if name != "cvbuild.__main__":
            importlib.import_module(name)
    return len(names)


def _hide_modules() -> None:
    for name in _MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Absent())


def _become_windows() -> None:
    """Other packages are imported first: they have files of their own for each system."""
    for name in ("concurrent.futures.thread", "multiprocessing", *_PACKAGES):
        importlib.import_module(name)
    _import_all()
    for name in [name for name in sys.modules if name.partition(".")[0] == "cvbuild"]:
        del sys.modules[name]
    sys.platform = "win32"
    for module, names in ((os, _OF_OS), (signal, _SIGNALS), (time, ("pthread_getcpuclockid",))):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    _hide_modules()
    if hasattr(shutil, "_winapi"):
        # From Python 3.12 on, which() asks Windows.
        shutil._winapi = SimpleNamespace(NeedCurrentDirectoryForExePath=lambda _: True)


def _run(lines: Iterable[str]) -> int:
    from cvbuild.cli.main import main

    for line in lines:
        if code := main(shlex.split(line)):
            sys.stderr.write(f"{line.strip()}: {code}\n")
            return code
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["import"]:
        _hide_modules()
        sys.stdout.write(f"{_import_all()}\n")
    else:
        _become_windows()
        sys.exit(_run(sys.stdin))
