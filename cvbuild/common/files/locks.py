"""Locks across threads and processes, which the system releases when a process dies.

There are none on Windows, and on file systems without locks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

#: Seconds between two attempts at a lock that another process holds.
_PAUSE = 0.02
#: Folders of this process alone, and the lock of its threads for each.
_own: dict[Path, AbstractContextManager[object]] = {}


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on the file ``path`` (on Windows: none); the file is made, and not removed.

    Raises OSError if the file can't be written or locked, KeyboardInterrupt when all work must
    stop.
    """
    # Opened to append: a link of that name must not empty the file that it leads to.
    with path.open("a") as file:
        if wait(file.fileno()) or sys.platform == "win32":
            yield
        elif threads := [lock for folder, lock in _own.items() if path.is_relative_to(folder)]:
            with threads[0]:
                yield
        else:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(path))


def belongs_to_this_process(folder: Path) -> None:
    """Let threads wait for one another in a folder that no other process uses, without locks."""
    import threading  # most runs need none of this

    _own[folder.resolve()] = threading.RLock()


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
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
