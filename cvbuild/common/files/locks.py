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
from pathlib import Path

from cvbuild.common import processes

if sys.platform != "win32":
    import fcntl

#: Seconds between two attempts at a lock that another process holds.
_PAUSE = 0.02


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on the file ``path`` (on Windows: none); the file is made, and not removed.

    Raises OSError if the file can't be written or locked, KeyboardInterrupt when all work must
    stop.
    """
    # Opened to append: a link of that name must not empty the file that it leads to.
    with path.open("a") as file:
        if wait(file.fileno()) is None and sys.platform != "win32":
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(path))
        yield


def wait(handle: int) -> bool | None:
    """Wait for the lock of an open file or folder; return True, or None if there are no locks.

    The lock is released when the handle is closed. Raises KeyboardInterrupt when all work must
    stop.
    """
    while (locked := take(handle)) is False:
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
