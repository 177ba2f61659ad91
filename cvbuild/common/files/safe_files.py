"""Refuse links where a project has folders; read files, in bounds.

The author of a project could put a link where cvbuild makes a folder, so that it writes or deletes
elsewhere. Below a folder that the user chose, every level must be a real folder; else nothing is
done. ``safe_folders`` writes below a project.

    refuse_links(root, "ada", ".build/ada")   raises CvbuildError if a level is a link
    read(path, most)                          a regular file's bytes, never those of a pipe
    read_inside(path, most)                   the same of what people write in the working folder
    sibling(name, folder)                     a file that a file in the folder names
"""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader


#: The default output folder; it may have come with a clone.
OUT = "out"
_REPARSE = 0x400


class NotRegularError(OSError):
    """A folder, a pipe, a device, or a link where none may be."""


class TooLargeError(OSError):
    """A file of more bytes than are read."""


def refuse_links(root: str | os.PathLike[str], *below: str) -> None:
    """Raise CvbuildError if anything on the way from ``root`` to each of ``below`` is a link.

    ``below`` are relative, with "/" between names; what doesn't exist yet is no link. The root
    itself may be a link, unless it is the default ``out``.
    """
    top = os.fspath(root)
    paths = [top] if os.path.normpath(top) == OUT else []
    for names in below:
        path = "" if top == os.curdir else top
        for name in filter(None, names.split("/")):
            path = os.path.join(path, name)
            paths.append(path)
    for path in dict.fromkeys(paths):
        try:
            state = os.lstat(path)
        except (OSError, ValueError):
            continue
        # On Windows a junction is a kind of link, too.
        is_junction = getattr(state, "st_file_attributes", 0) & _REPARSE
        if not (is_junction or stat.S_ISLNK(state.st_mode)):
            continue
        from cvbuild.common.diagnostics import CvbuildError, Span, shown

        try:
            target = shown(os.readlink(path))
        except OSError:
            target = "another place"
        hint = "remove it: nothing is written or deleted through a link"
        if os.path.normpath(path) == OUT:
            hint += "; to build there, name the folder itself with -o"
        fact = f"it is a symbolic link to {target}"
        raise CvbuildError.because("link", fact, hint, Span(shown(path)))


def move(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Rename a file or folder, replacing a file; an OSError names the new path."""
    try:
        os.replace(old, new)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(new)) from None


def take(source: Path, path: str | os.PathLike[str]) -> None:
    """Move a regular file from another folder of the same disk; raises as ``regular``."""
    # What TeX leaves may be a link; nobody may read through it.
    regular(source, links=False).close()
    move(source, path)


def read(path: str | os.PathLike[str], most: int, *, links: bool = True) -> bytes:
    """Return the bytes of a regular file of at most ``most``; raises OSError as ``regular``."""
    with regular(path, links=links) as file:
        # The size is asked first, as ``most`` may be much; a file may also grow meanwhile.
        if os.fstat(file.fileno()).st_size <= most and len(data := file.read(most + 1)) <= most:
            return data
    raise TooLargeError(errno.EFBIG, "it is too large", os.fspath(path))


def regular(path: str | os.PathLike[str], *, links: bool = True) -> BufferedReader:
    """Open a regular file, a link or not; never waits for a pipe or a device.

    Raises OSError, NotRegularError for anything else.
    """
    try:
        mode = os.stat(path, follow_symlinks=links).st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
            raise NotRegularError(errno.EINVAL, f"it is {what}", os.fspath(path))
        return open(path, "rb")
    except ValueError:
        raise OSError(errno.EINVAL, "null character in the path") from None


# -- what people write: links may lead from place to place in the working folder -------------------

#: What to do about a link that leads out.
LINK_HINT = "put the file itself there: links may lead only to files in the working folder"


class OutsideError(OSError):
    """A link that leads out of the working folder."""


def read_inside(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file, if no link leads out; raises OSError as ``read``."""
    inside(path)
    return read(path, most)


def inside(path: str | os.PathLike[str]) -> tuple[str, ...] | None:
    """Return the names from the working folder to a file below it, without links.

    None for a file elsewhere; raises OutsideError if a link leads out, OSError for no file's name.
    """
    here = Path.cwd()
    try:
        if not Path(os.path.abspath(path)).is_relative_to(here):  # keeps links
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


def is_overlay(path: PurePath) -> bool:
    """Return whether a file is meant for private values, even if its name is not quite right."""
    name = path.name.lower()
    return name.endswith((".private.yaml", ".private.yml")) and not name.startswith(".")


# -- a file that a YAML file names: in that file's folder or below it ------------------------------


class SiblingFileError(Exception):
    """A file that may not or can't be read: a code, the fact with places for names, and a hint."""

    def describe(self, name: str, kind: str, most: str = "") -> tuple[str, ...]:
        """Return a code, a fact and perhaps a hint; ``most`` is the largest size allowed."""
        from cvbuild.common.diagnostics import quoted  # a run without changes has no message

        called = quoted(name, 100)
        what = called if kind == "file" else f"the {kind} {called}"
        code, fact, *hint = self.args
        return code, fact.format(called=called, what=what, kind=kind, most=most), *hint


def sibling(name: str, folder: Path) -> Path:
    """Return the regular file of that name, without links; raise SiblingFileError."""
    plain = PurePosixPath(os.path.normpath(name))
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        exists = path.is_file()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a loop of links
        reason = getattr(error, "strerror", None) or "not a file name"
        raise SiblingFileError("missing", f"can't read {{called}}: {reason}") from None
    # An absolute path may lead inside here, but elsewhere on another machine.
    if Path(name).is_absolute() or plain.parts[:1] == ("..",) or not path.is_relative_to(root):
        raise SiblingFileError("outside", "{what} lies outside the folder")
    if not exists:
        raise SiblingFileError("missing", "there is no {kind} {called}")
    if any(map(is_odd, plain.parts)):
        fact = "{called} has a character that no file's name should have"
        hint = "rename the file: letters, digits, hyphens and dots are safe"
        raise SiblingFileError("name", fact, hint)
    return path


def is_odd(part: str) -> bool:
    """Return whether a name has an invisible character or one that some systems don't allow."""
    return re.search(r"[\\:\x00-\x1f\x7f-\x9f\ud800-\udfff]", part) is not None


def read_sibling(path: Path, most: int) -> bytes:
    """Return the bytes of a file that was found; raise SiblingFileError for more than ``most``."""
    try:
        return read_inside(path, most)
    except TooLargeError:
        raise SiblingFileError("large", "{what} is over {most}", "make it smaller") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SiblingFileError("missing", f"can't read {{called}}: {reason}") from None
