"""Read the files that people write: links may lead from place to place in the working folder.

A project that somebody else wrote could have a link ``people/ada.jpg`` to the user's own files,
which would get into a document. A file elsewhere is one that the user named.
"""

from __future__ import annotations

import errno
import os
import re
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
    except ValueError:
        raise OSError(errno.EINVAL, "null character in the path") from None
    top = Path(os.path.realpath(here))
    if not real.is_relative_to(top):
        reason = "a link leads out of the working folder"
        raise OutsideError(errno.ELOOP, reason, os.fspath(path))
    return real.relative_to(top).parts


#: The names of Windows' devices, in lower case.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10)))
)


def is_reserved(name: str) -> bool:
    """Return whether Windows has no files of this name, whatever they end with."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


#: Folders of a workspace that people write in, and folders of an output folder.
_WRITTEN, _MADE = ("people", "applications", "templates"), ("applications", "site")
_LONGEST = 200
_NAME = re.compile(r"[^.~/\\:*?\"<>|\x00-\x1f\x7f][^/\\:*?\"<>|\x00-\x1f\x7f]{0,99}")


#: What commands read as something else than a part of a path: an option, a variable, a command.
_MISREAD = re.compile(r"(?:^|/)-|[$`]")


def is_misread(text: str) -> bool:
    """Return whether a folder of just this name would be a trap for commands such as rm."""
    return _MISREAD.search(text) is not None


def is_output_folder(text: str) -> bool:
    """Return whether the text is a relative path of a folder that documents may be put into.

    Between slashes there are only plain names, none of them hidden; the path leads neither out of
    the workspace nor into what people write.
    """
    first, *rest = text.split("/")
    return (
        len(text) <= _LONGEST
        and not is_misread(text)
        and all(_NAME.fullmatch(name) and not is_reserved(name) for name in (first, *rest))
        and not any(name.endswith((".", " ")) for name in (first, *rest))
        and first.casefold() not in _WRITTEN
        and not any(name.casefold() in _MADE for name in rest)
    )
