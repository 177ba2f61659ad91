"""Folders for one build alone, by locks that the system releases when a process dies."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import locks, safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD, Folder

#: An unlocked folder older than this (seconds) was left by a killed build, not just made.
OLD = 60
#: Where these folders are, below an output folder.
PLACE = (BUILD, "tmp")
#: The beginning of their names, and the empty folder in each that marks it as cvbuild's.
_PREFIX, _MARK = "job-", ".cvbuild-job"
_INNER = "run"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Wait until no other build works in the folder, and lock it; yield whether that succeeded.

    Where folders can't be locked, two builds of one document may run at once. Raises
    KeyboardInterrupt when all work must stop, OSError if the folder can't be made, CvbuildError if
    a level below ``out/.build`` is a link.
    """
    with safe_folders.stored(folder, make=True) as opened:
        yield opened.handle is not None and locks.wait(opened.handle) is True


@contextlib.contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Make a new private folder and yield a folder in it; both are removed afterwards.

    What a child that works in the inner one must not write to can stand next to it. TeX needs its
    path. Whoever puts a link into that can't know the folder's name beforehand, so the path then
    leads nowhere.
    """
    with safe_folders.stored(parent, make=True) as opened:
        name = f"{_PREFIX}{os.urandom(4).hex()}"
        opened.make(name, 0o700)
        try:
            with opened.inner(name) as made:
                if made.handle is not None:
                    locks.take(made.handle)
                made.make(_MARK)
                made.make(_INNER)
                yield Path(made.path).resolve() / _INNER
        finally:
            opened.remove(name)


def begin(out: Path, names: Iterable[str], before: float) -> None:
    """Check and clean the output folder before documents of the people ``names`` are built.

    Raises CvbuildError if a folder to write to is a link; else as ``sweep``.
    """
    places = [place for name in names for place in (name, f"{BUILD}/{name}")]
    safe_files.refuse_links(out, "/".join(PLACE), *places)
    sweep(out, before)


def sweep(out: Path, before: float) -> None:
    """Remove the folders that killed builds have left in the output folder ``out``.

    Only those last written ``before`` (seconds since 1970) that no build has locked; none where
    folders can't be locked. Anything that may not be cvbuild's stays. Raises CvbuildError if a
    level is a link.
    """
    with contextlib.suppress(OSError), safe_folders.opened(out, *PLACE) as parent:
        for name in filter(_NAME.fullmatch, parent.names()):
            with contextlib.suppress(OSError, CvbuildError), parent.inner(name) as folder:
                if _is_left(folder, parent, before):
                    parent.remove(name)


def _is_left(folder: Folder, parent: Folder, before: float) -> bool:
    """Return whether a killed build left the folder; raises OSError."""
    if folder.handle is None or parent.handle is None:
        return False
    state, above = os.fstat(folder.handle), os.fstat(parent.handle)
    # cvbuild makes it for this user alone, on this disk. A clone's folders are open to others.
    own = (state.st_uid, state.st_dev) == (os.geteuid(), above.st_dev)
    if not own or state.st_mode & 0o077 or state.st_mtime >= before:
        return False
    if not locks.take(folder.handle):
        return False
    mark = folder.state(_MARK)
    # If it is empty, its build was killed before it was marked; else it stays.
    return stat.S_ISDIR(mark.st_mode) if mark else not folder.names()
