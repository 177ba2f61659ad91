"""One at a time, across threads and processes: by locks that the system takes back from the dead.

Not on Windows, and not on a file system without locks.
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

#: Seconds between two looks at a lock that somebody else holds.
_PAUSE = 0.02


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on the file ``path`` (on Windows: none); it is made, and stays.

    Raises OSError if the file can't be written or locked, KeyboardInterrupt when all work is to
    stop.
    """
    # Not for writing anew: what a link of that name leads to is not ours to empty.
    with path.open("a") as file:
        if wait(file.fileno()) is None and sys.platform != "win32":
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK), str(path))
        yield


def wait(handle: int) -> bool | None:
    """Take the lock of an open file or folder, now or when it is free; None where there is none.

    It ends when the handle is closed. Raises KeyboardInterrupt when all work is to stop.
    """
    while (taken := take(handle)) is False:
        if processes.stopping():
            raise KeyboardInterrupt
        time.sleep(_PAUSE)
    return taken


def take(handle: int) -> bool | None:
    """Return whether the lock is ours now; None where there is none."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
