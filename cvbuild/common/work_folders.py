"""Folders for one build alone, by locks that the system releases when a process dies.

And what happens in a folder: ``events_of`` waits until something is written there.
"""

from __future__ import annotations

import os
import re
import sys
import time
from _thread import RLock
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from cvbuild.common import safe_folders
from cvbuild.common.safe_folders import BUILD

#: Seconds between two attempts at a lock that another process holds. There are no locks on Windows,
#: and on some file systems.
_PAUSE = 0.02
#: What threads of this process wait for where files can't be locked.
_of_threads = RLock()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on the file ``path``; the file is made, and not removed.

    Where there are none, only threads of this process wait for one another: two processes may do
    the same work, which is put in place as a whole. Raises OSError if the file can't be written,
    KeyboardInterrupt when all work must stop.
    """
    # Opened to append: a link of that name must not empty the file that it leads to.
    with path.open("a") as file:
        if wait(file.fileno()):
            yield
        else:
            with _of_threads:
                yield


def wait(handle: int) -> bool | None:
    """Wait for the lock of an open file or folder; return True, or None if there are no locks.

    The lock is released when the handle is closed. Raises KeyboardInterrupt when all work must
    stop.
    """
    while (locked := take(handle)) is False:
        from cvbuild.common import processes  # the cheap check tries a lock, too

        if processes.stopping():
            raise KeyboardInterrupt
        time.sleep(_PAUSE)
    return locked


def take(handle: int) -> bool | None:
    """Try to take the lock; return whether that succeeded, None if there are no locks."""
    if sys.platform == "win32":
        return None
    import fcntl  # which Windows doesn't have

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def wait_for(handle: int | None, seconds: float) -> bool:
    """Lock a folder until it is closed, where there are locks; False if another has it so long."""
    end = time.monotonic() + seconds
    while handle is not None and take(handle) is False:
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE / 2)
    return True


#: Where folders for one build are, below an output folder.
PLACE = (BUILD, "tmp")
_NAME = re.compile(r"cvbuild-[0-9a-f]{8}")
#: The folder in such a one in which a child works.
_INNER = "run"


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Wait until no other build works in the folder, and lock it; yield whether that succeeded.

    Where folders can't be locked, two builds of one document may run at once. Raises
    KeyboardInterrupt when all work must stop, OSError if the folder can't be made, CvbuildError if
    a level below ``out/.build`` is a link.
    """
    with safe_folders.stored(folder, make=True) as opened:
        yield opened.handle is not None and wait(opened.handle) is True


@contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Make a new private folder and yield a folder in it; both are removed afterwards.

    What a child that works in the inner one must not write to can stand next to it. TeX needs its
    path. Whoever puts a link into that can't know the folder's name beforehand, so the path then
    leads nowhere. ``sweep`` removes that of a process which was killed.
    """
    with safe_folders.stored(parent, make=True) as opened:
        name = f"cvbuild-{os.urandom(4).hex()}"
        opened.make(name, 0o700)
        try:
            with opened.inner(name, _INNER, make=True) as inner:
                yield Path(inner.path).resolve()
        finally:
            opened.remove(name)


def sweep(parent: Path, before: float) -> None:
    """Remove what processes that were killed have left in a folder before a time (Unix seconds).

    Raises CvbuildError if a level below ``out/.build`` is a link.
    """
    with suppress(OSError), safe_folders.stored(parent) as opened:
        for name in filter(_NAME.fullmatch, opened.names()):
            with suppress(OSError):
                state = opened.state(f"{name}/{_INNER}") or opened.state(name)
                if state and state.st_mtime < before:
                    opened.remove(name)


# -- wait until the system says that something was written in a folder -----------------------------

#: Seconds between two looks at the files where there are no events at all.
_LOOK = 0.2
#: ms between two polls where the system can't wake us: each takes processor time.
_STEP = 20
#: inotify's attributes changed, closed after writing, moved away, moved here, made, deleted. Not
#: each write: the file would be read half written.
_EVENTS = 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200
#: Bytes of events that are read at once; one takes 16, and the name.
_MOST = 1 << 16


@contextmanager
def events_of(folders: Sequence[str]) -> Iterator[Callable[[float], object]]:
    """Yield what waits for an event in these folders, for so many seconds at most.

    What happens from now on counts. Where no folder can be watched, or no more of them, it only
    sleeps shortly. It raises KeyboardInterrupt.
    """
    with ExitStack() as stack:
        try:
            wait = (_inotify if sys.platform == "linux" else _notify)(folders, stack)
        except (OSError, RuntimeError):
            yield lambda _: time.sleep(_LOOK)
        else:
            yield wait


def _inotify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Let the process sleep until Linux wakes it; raises OSError."""
    import ctypes  # builds take locks, and watch nothing
    import select

    library = ctypes.CDLL(None, use_errno=True)
    handle = library.inotify_init1(os.O_CLOEXEC)
    if handle >= 0:
        stack.callback(os.close, handle)
    marks = [library.inotify_add_watch(handle, os.fsencode(one), _EVENTS) for one in folders]
    if min(handle, *marks) < 0:
        raise OSError(ctypes.get_errno(), "no inotify")
    return lambda most: select.select([handle], [], [], most)[0] and os.read(handle, _MOST)


def _notify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Poll for the events of other systems; raises OSError or RuntimeError."""
    from watchfiles._rust_notify import RustNotify

    events = stack.enter_context(RustNotify([*folders], False, False, 0, False, True))

    def wait(most: float) -> None:
        if events.watch(_STEP, _STEP, int(most * 1000), None) == "signal":
            raise KeyboardInterrupt

    return wait
