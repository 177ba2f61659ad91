"""Folders that are written once: made under a hidden name, fsynced, read-only, then renamed.

A process that is killed meanwhile leaves a hidden folder, which the next one removes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cvbuild.common import safe_files

#: The start of the names of folders that are being made.
NEW = ".new-"
_NEW_BY = re.compile(re.escape(NEW) + r"[0-9]+-[0-9]+")
_CHUNK = 1 << 20
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Digest(NamedTuple):
    """The SHA-256 of a file in hexadecimal, and its size in bytes."""

    sha256: str
    size: int


@contextlib.contextmanager
def new_folder(parent: Path) -> Iterator[Path]:
    """Yield a new hidden folder in ``parent``; removed afterwards, unless it was renamed."""
    folder = parent / f"{NEW}{os.getpid()}-{threading.get_ident()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        remove(folder)


def copy(source: Path, target: Path) -> Digest:
    """Copy a regular file, making its folder; the copy is read-only and flushed to disk.

    Raises OSError, also if it is not a regular file or the target exists.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    whole, size = hashlib.sha256(), 0
    with _new(target) as sink:
        for chunk in _chunks(source, links=True):
            sink.write(chunk)
            whole.update(chunk)
            size += len(chunk)
    return Digest(whole.hexdigest(), size)


def write(target: Path, text: str) -> None:
    """Write a file that is read-only and flushed to disk; raises OSError."""
    with _new(target) as sink:
        sink.write(text.encode("utf-8"))


def put(folder: Path, place: Path) -> bool:
    """Make all folders read-only and rename it to ``place``; return whether that was free.

    What lies in ``place`` is left alone, unless it is an empty folder. Raises OSError.
    """
    for here, _, _ in os.walk(folder, topdown=False):
        made = Path(here)
        made.chmod(stat.S_IMODE(made.stat().st_mode) & 0o555)
        _sync(made)
    try:
        folder.rename(place)
    except OSError:
        if os.path.lexists(place):
            return False
        raise
    _sync(place.parent)
    return True


def sweep(parent: Path) -> None:
    """Remove what killed processes have left behind; the caller must hold the lock."""
    for folder in parent.iterdir():
        if _NEW_BY.fullmatch(folder.name):
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder of read-only files and folders, if it exists and is no link."""
    if folder.is_symlink():
        return
    for here, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(here).chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


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
    for chunk in _chunks(path, links=False):
        whole.update(chunk)
        size += len(chunk)
    return Digest(whole.hexdigest(), size)


def content(path: Path, most: int) -> bytes:
    """Return at most ``most`` bytes of a regular file that is no link; raises OSError."""
    with safe_files.regular(path, links=False) as file:
        return file.read(most)


def _chunks(path: Path, *, links: bool) -> Iterator[bytes]:
    with safe_files.regular(path, links=links) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def _new(target: Path) -> Iterator[BinaryIO]:
    # Created read-only, so that it never is anything else; the handle can still write.
    with os.fdopen(os.open(target, _CREATE, 0o444), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Flush the names in a folder to disk, where folders can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
