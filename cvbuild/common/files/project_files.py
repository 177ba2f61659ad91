"""Read the files that people write: links may lead from place to place in the working folder.

A project that somebody else wrote could have a link ``people/ada.jpg`` to the user's own files,
which would get into a document. A file elsewhere is one that the user named.
"""

from __future__ import annotations

import errno
import os
from io import BufferedReader
from pathlib import Path

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files, safe_folders

#: What to do about a link that leads out.
HINT = "put the file itself there: links may lead only to files in the working folder"


class OutsideError(OSError):
    """A link that leads out of the working folder."""


def read(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file of at most ``most``.

    Raises OSError, among them OutsideError, NotRegularError and TooLargeError.
    """
    with opened(path) as file:
        return safe_files.bounded(file, path, most)


def opened(path: Path) -> BufferedReader:
    """Open a regular file to read it; raises as ``read``."""
    names = inside(path)
    if not names:
        return safe_files.regular(path)
    *above, name = names
    try:
        with safe_folders.opened(os.curdir, *above) as folder:
            return folder.open(name)
    except CvbuildError:
        # What was a folder a moment ago is a link.
        raise _outside(path) from None


def inside(path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Return the names from the working folder to a file below it, without links.

    None for a file elsewhere; raises OutsideError if a link leads out, OSError for no file's name.
    """
    here = Path.cwd()
    try:
        if not Path(os.path.abspath(path)).is_relative_to(here):  # noqa: PTH100 - keeps links
            return None
        real = Path(os.path.realpath(path, strict=True))
    except ValueError as error:  # NUL in the path
        raise OSError(errno.EINVAL, str(error)) from None
    top = Path(os.path.realpath(here))
    if not real.is_relative_to(top):
        raise _outside(path)
    return real.relative_to(top).parts


def _outside(path: str | os.PathLike[str]) -> OutsideError:
    return OutsideError(errno.ELOOP, "a link leads out of the working folder", os.fspath(path))
