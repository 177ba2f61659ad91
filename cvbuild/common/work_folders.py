"""Folders for one build alone, by locks that the system releases when a process dies."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild.common import locks, safe_files

#: An unlocked folder older than this (seconds) was left by a killed build, not just made.
OLD = 60
#: Where these folders are, below an output folder.
PLACE = (".build", "tmp")
#: The beginning of their names, and the empty folder in each that marks it as cvbuild's.
_PREFIX, _MARK = "job-", ".cvbuild-job"
_INNER = "run"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Wait until no other build works in the folder, and lock it; yield whether that succeeded.

    Where folders can't be locked, two builds of one document may run at once. Raises
    KeyboardInterrupt when all work must stop, OSError if the folder can't be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _handle_of(folder) as handle:
        yield handle is not None and locks.wait(handle) is True


@contextlib.contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Make a new private folder and yield a folder in it; both are removed afterwards.

    What a child that works in the inner one must not write to can stand next to it.
    """
    parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)).resolve()
    try:
        with _handle_of(made) as handle:
            if handle is not None:
                locks.take(handle)
            (made / _MARK).mkdir()
            inner = made / _INNER
            inner.mkdir()
            yield inner
    finally:
        shutil.rmtree(made, ignore_errors=True)


def begin(out: Path, names: Iterable[str], before: float) -> None:
    """Check and clean the output folder before documents of the people ``names`` are built.

    Raises CvbuildError if a folder to write to is a link; else as ``sweep``.
    """
    hidden = PLACE[0]
    places = [place for name in names for place in (name, f"{hidden}/{name}")]
    safe_files.refuse_links(out, "/".join(PLACE), *places)
    sweep(out, before)


def sweep(out: Path, before: float) -> None:
    """Remove the folders that killed builds have left in the output folder ``out``.

    Only those last written ``before`` (seconds since 1970) that no build has locked; none where
    folders can't be locked. Anything that may not be cvbuild's stays. Raises CvbuildError if a
    level is a link.
    """
    with contextlib.suppress(OSError), safe_files.open_folder(out, *PLACE) as parent:
        if parent is None:
            return
        for name in filter(_NAME.fullmatch, os.listdir(parent)):  # noqa: PTH208 - of a handle
            with contextlib.suppress(OSError):
                _sweep(name, parent, before)


def _sweep(name: str, parent: int, before: float) -> None:
    with _handle_of(name, parent) as handle:
        if handle is None:
            return
        state, above = os.fstat(handle), os.fstat(parent)
        # cvbuild makes it for this user alone, on this disk. A clone's folders are open to others.
        own = (state.st_uid, state.st_dev) == (os.geteuid(), above.st_dev)
        if not own or state.st_mode & 0o077 or state.st_mtime >= before or not locks.take(handle):
            return
        if _is_marked(handle):
            safe_files.remove(name, parent)
        else:
            # If it is empty, its build was killed before it was marked; else it stays.
            os.rmdir(name, dir_fd=parent)


def _is_marked(handle: int) -> bool:
    try:
        mode = os.stat(_MARK, dir_fd=handle, follow_symlinks=False).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode)


@contextlib.contextmanager
def _handle_of(folder: Path | str, parent: int | None = None) -> Iterator[int | None]:
    """Yield a handle of the folder itself, so that a lock needs no file; None if unsupported."""
    handle = None
    if sys.platform != "win32":
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
        with contextlib.suppress(OSError):
            handle = os.open(folder, flags, dir_fd=parent)
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)
