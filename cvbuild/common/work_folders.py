"""Folders that one build has for itself: by a lock, which the system takes back from the dead."""

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

#: Seconds after which a folder that no build holds was left by a killed one, and not just made.
OLD = 60
#: Below an output folder: where these folders are.
PLACE = (".build", "tmp")
#: What their names begin with, and the empty folder in each that shows whose it is.
_PREFIX, _MARK = "job-", ".cvbuild-job"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Be the only build that works in the folder; waits for one that does. Whether that is sure.

    Where folders can't be locked, two builds of one document at once are not kept apart. Raises
    KeyboardInterrupt when all work is to stop, OSError where the folder can't be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _opened(folder) as handle:
        yield handle is not None and locks.wait(handle) is True


@contextlib.contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """A fresh folder that nobody else knows, gone afterwards."""
    parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)).resolve()
    try:
        with _opened(made) as handle:
            if handle is not None:
                locks.take(handle)
            (made / _MARK).mkdir()
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def begin(out: Path, names: Iterable[str], before: float) -> None:
    """Look at the output folder before anything is built of the people with these ``names``.

    Raises CvbuildError for a link in a place that would be written to; else as ``sweep``.
    """
    hidden = PLACE[0]
    places = [place for name in names for place in (name, f"{hidden}/{name}")]
    safe_files.refuse_links(out, "/".join(PLACE), *places)
    sweep(out, before)


def sweep(out: Path, before: float) -> None:
    """Remove the folders that killed builds have left in the output folder ``out``.

    Of those last written ``before`` (seconds since 1970), which no build holds; where folders can't
    be locked, none. What isn't surely ours stays. Raises CvbuildError if a level is a link.
    """
    with contextlib.suppress(OSError), safe_files.opened(out, *PLACE) as parent:
        if parent is None:
            return
        for name in filter(_NAME.fullmatch, os.listdir(parent)):  # noqa: PTH208 - of a handle
            with contextlib.suppress(OSError):
                _sweep(name, parent, before)


def _sweep(name: str, parent: int, before: float) -> None:
    with _opened(name, parent) as handle:
        if handle is None:
            return
        state, above = os.fstat(handle), os.fstat(parent)
        # As it was made: for this user alone, on this disk. A clone's folders are open to others.
        own = (state.st_uid, state.st_dev) == (os.geteuid(), above.st_dev)
        if not own or state.st_mode & 0o077 or state.st_mtime >= before or not locks.take(handle):
            return
        if _is_marked(handle):
            safe_files.remove(name, parent)
        else:
            # Killed before it was marked, if it is empty; else it stays.
            os.rmdir(name, dir_fd=parent)


def _is_marked(handle: int) -> bool:
    try:
        mode = os.stat(_MARK, dir_fd=handle, follow_symlinks=False).st_mode
    except OSError:
        return False
    return stat.S_ISDIR(mode)


@contextlib.contextmanager
def _opened(folder: Path | str, parent: int | None = None) -> Iterator[int | None]:
    """A handle of the folder itself, so that a lock leaves no file; None where there is none."""
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
