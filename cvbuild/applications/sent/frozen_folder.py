"""Folders that are written once: made under a hidden name, made read-only, then renamed.

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

from cvbuild.common.files import project_files, safe_files

#: The start of the names of folders that are being made.
NEW = ".new-"
_NEW_BY = re.compile(re.escape(NEW) + r"[0-9]+-[0-9]+")


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
    """Copy a regular file, making the folders above; the copy is read-only and flushed to disk.

    Raises OSError, also if it is not a regular file or the target exists.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with project_files.opened(source) as file, _new(target) as sink:
        shutil.copyfileobj(file, sink)
    return digest(target)


def write(path: Path, text: str) -> None:
    """Write a file that is read-only and flushed to disk; raises OSError."""
    with _new(path) as sink:
        sink.write(text.encode("utf-8"))


@contextlib.contextmanager
def _new(path: Path) -> Iterator[BinaryIO]:
    # Created read-only, so that it never is anything else; the handle can still write.
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o444)) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def put(folder: Path, target: Path) -> bool:
    """Make all folders read-only and rename the first; return whether ``target`` was free.

    What has the name is left alone, unless it is an empty folder. Raises OSError.
    """
    for inner, _, _ in os.walk(folder, topdown=False):
        Path(inner).chmod(stat.S_IMODE(Path(inner).stat().st_mode) & 0o555)
    try:
        safe_files.move(folder, target)
    except OSError:
        if os.path.lexists(target):
            return False
        raise
    return True


def sweep(parent: Path) -> None:
    """Remove what killed processes have left behind; the caller must hold the lock."""
    for path in list(parent.iterdir()):
        if _NEW_BY.fullmatch(path.name):
            remove(path)


def remove(folder: Path) -> None:
    """Remove a folder of read-only files and folders, if it exists and is no link."""
    if not folder.is_symlink():
        for inner, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                Path(inner).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def listing(folder: Path) -> dict[str, Path | None]:
    """Return everything in the folder by its name; None for what is not a regular file.

    A folder is listed if it is empty. Links are not followed. Raises OSError for a folder that
    can't be read.
    """

    def refuse(error: OSError) -> None:
        raise error

    entries: dict[str, Path | None] = {}
    for inner, folders, files in os.walk(folder, onerror=refuse):
        if not (folders or files) and Path(inner) != folder:
            entries[Path(inner).relative_to(folder).as_posix()] = None
        for name in (*folders, *files):
            path = Path(inner, name)
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode):
                entries[path.relative_to(folder).as_posix()] = path if stat.S_ISREG(mode) else None
    return entries


def digest(path: Path) -> Digest:
    """Return hash and size of a regular file that is no link; raises OSError."""
    with safe_files.regular(path, links=False) as file:
        return Digest(hashlib.file_digest(file, "sha256").hexdigest(), file.tell())
