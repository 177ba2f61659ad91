"""Folders that are written once: made under a hidden name, fsynced, read-only, then renamed.

A process that is killed meanwhile leaves a hidden folder, which the next one removes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import project_files, safe_files
from cvbuild.common.files.safe_folders import Folder

#: The start of the names of folders that are being made.
NEW = ".new-"
_NEW_BY = re.compile(re.escape(NEW) + r"[0-9]+-[0-9]+")
_CHUNK = 1 << 20


class Digest(NamedTuple):
    """The SHA-256 of a file in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


@contextlib.contextmanager
def new_folder(parent: Folder) -> Iterator[Folder]:
    """Yield a new hidden folder in ``parent``; removed afterwards, unless it was renamed."""
    name = f"{NEW}{os.getpid()}-{threading.get_ident()}"
    parent.make(name)
    try:
        with parent.inner(name) as folder:
            yield folder
    finally:
        remove(parent, name)


def copy(source: Path, folder: Folder, name: str) -> Digest:
    """Copy a regular file to ``a/b/name``, making a/b; the copy is read-only and flushed to disk.

    Raises OSError, also if it is not a regular file or the target exists.
    """
    *above, last = PurePosixPath(name).parts
    whole, size = hashlib.sha256(), 0
    with (
        folder.inner(*above, make=True) as inner,
        project_files.opened(source) as given,
        _new(inner, last) as sink,
    ):
        while chunk := given.read(_CHUNK):
            sink.write(chunk)
            whole.update(chunk)
            size += len(chunk)
    return Digest(whole.hexdigest(), size)


def write(folder: Folder, name: str, text: str) -> None:
    """Write a file that is read-only and flushed to disk; raises OSError."""
    with _new(folder, name) as sink:
        sink.write(text.encode("utf-8"))


def put(parent: Folder, folder: Folder, name: str) -> bool:
    """Make all folders read-only and rename it to ``name``; return whether that was free.

    ``folder`` is in ``parent``. What has the name is left alone, unless it is an empty folder.
    Raises OSError.
    """
    _close(folder)
    try:
        parent.rename(Path(folder.path).name, name)
    except OSError:
        if parent.state(name):
            return False
        raise
    _sync(parent)
    return True


def _close(folder: Folder) -> None:
    """Make a folder and all below read-only, the lowest first, and flush their names to disk."""
    for name in folder.names():
        state = folder.state(name)
        if state and stat.S_ISDIR(state.st_mode):
            with folder.inner(name) as inner:
                _close(inner)
    folder.chmod(lambda mode: mode & 0o555)
    _sync(folder)


def sweep(parent: Folder) -> None:
    """Remove what killed processes have left behind; the caller must hold the lock."""
    for name in filter(_NEW_BY.fullmatch, parent.names()):
        remove(parent, name)


def remove(parent: Folder, name: str) -> None:
    """Remove a folder of read-only files and folders, if it exists and is no link."""
    with contextlib.suppress(OSError, CvbuildError):
        with parent.inner(name) as folder:
            _open(folder)
        parent.remove(name)


def _open(folder: Folder) -> None:
    """Make a folder and all below writable, so that they can be removed."""
    folder.chmod(lambda _: 0o700)
    for name in folder.names():
        state = folder.state(name)
        if state and stat.S_ISDIR(state.st_mode):
            with contextlib.suppress(OSError, CvbuildError), folder.inner(name) as inner:
                _open(inner)


def listing(folder: Path) -> dict[str, Path | None]:
    """Return everything in the folder by its name; None for what is not a regular file.

    A folder is listed if it is empty. Links are not followed. Raises OSError for a folder that
    can't be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    found: dict[str, Path | None] = {}
    for here, folders, files in os.walk(folder, onerror=refuse):
        if not (folders or files) and Path(here) != folder:
            found[Path(here).relative_to(folder).as_posix()] = None
        for name in (*folders, *files):
            path = Path(here, name)
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode):
                found[path.relative_to(folder).as_posix()] = path if stat.S_ISREG(mode) else None
    return found


def digest(path: Path) -> Digest:
    """Return hash and size of a regular file that is no link; raises OSError."""
    whole, size = hashlib.sha256(), 0
    with safe_files.regular(path, links=False) as file:
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
            size += len(chunk)
    return Digest(whole.hexdigest(), size)


def content(path: Path, most: int) -> bytes:
    """Return at most ``most`` bytes of a regular file that is no link; raises OSError."""
    with safe_files.regular(path, links=False) as file:
        return file.read(most)


@contextlib.contextmanager
def _new(folder: Folder, name: str) -> Iterator[BinaryIO]:
    # Created read-only, so that it never is anything else; the handle can still write.
    with folder.new(name, 0o444) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Folder) -> None:
    """Flush the names in a folder to disk, where folders can be synced."""
    if folder.handle is not None:
        with contextlib.suppress(OSError):
            os.fsync(folder.handle)
