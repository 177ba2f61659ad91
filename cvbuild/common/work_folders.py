"""Folders that one build has for itself: by a lock, which the system takes back from the dead."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cvbuild.common import locks

#: Seconds after which a folder that no build holds was left by a killed one, and not just made.
OLD = 60


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
    made = Path(tempfile.mkdtemp(dir=parent)).resolve()
    try:
        with _opened(made) as handle:
            if handle is not None:
                locks.take(handle)
            yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def sweep(parent: Path, before: float) -> None:
    """Remove folders of ``folder`` that killed builds have left.

    Of those last written ``before`` (seconds since 1970), which no build holds; where folders can't
    be locked, none.
    """
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(parent)):
            old = entry.is_dir(follow_symlinks=False) and entry.stat().st_mtime < before
            if old:
                with _opened(Path(entry.path)) as handle:
                    if handle is not None and locks.take(handle):
                        shutil.rmtree(entry.path, ignore_errors=True)


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """A handle of the folder itself, so that a lock leaves no file; None where there is none."""
    handle = None
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)
