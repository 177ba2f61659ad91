"""One at a time, across threads and processes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on ``path`` against threads and processes (not on Windows: there, no lock).

    The file is made and stays; the lock ends with its holder, however that one ends. Raises
    OSError if the file can't be written.
    """
    # Not for writing anew: what a link of that name leads to is not ours to empty.
    with path.open("a") as file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield
