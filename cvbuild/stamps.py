"""Which state a file is in, as its folder tells it: the cheap half of "did it change?".

A stamp proves that a file is the same only where nobody could have written it within one tick of
its file system's clock; ``index`` says when it may be trusted.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

#: Time of the last write and of the last change of the entry in ns, size in bytes, inode.
Stamp = tuple[int, int, int, int]


def of(path: str | os.PathLike[str]) -> Stamp | None:
    """The stamp of the file or folder, of what a link leads to; None if there is none."""
    try:
        return of_state(os.stat(path))
    except (OSError, ValueError):
        return None


def of_state(state: os.stat_result) -> Stamp:
    """The stamp in what ``os.stat`` said."""
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


def digest(paths: Iterable[str | os.PathLike[str]]) -> str:
    """SHA-256 in hexadecimal over the paths and their stamps, in their order."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{os.fspath(path)}\0{of(path)}\0".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()
