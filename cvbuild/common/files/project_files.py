"""Read the files that people write: links may lead from place to place in the working folder.

A project that somebody else wrote could have a link ``people/ada.jpg`` to the user's own files,
which would get into a document. A file elsewhere is one that the user named.
"""

from __future__ import annotations

import errno
import os
from io import BufferedReader
from pathlib import Path

from cvbuild.common.files import safe_files

#: What to do about a link that leads out.
HINT = "put the file itself there: links may lead only to files in the working folder"


class OutsideError(OSError):
    """A link that leads out of the working folder."""


def read(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file of at most ``most``.

    Raises OSError, among them OutsideError, NotRegularError and TooLargeError.
    """
    inside(path)
    return safe_files.read(path, most)


def opened(path: Path) -> BufferedReader:
    """Open a regular file to read it; raises as ``read``."""
    inside(path)
    return safe_files.regular(path)


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
        reason = "a link leads out of the working folder"
        raise OutsideError(errno.ELOOP, reason, os.fspath(path))
    return real.relative_to(top).parts
