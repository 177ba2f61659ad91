"""Refuse links where a project has folders; read and replace files, in bounds.

The author of a project could put a link where cvbuild makes a folder, so that it writes or deletes
elsewhere. Below a folder that the user chose, every level must be a real folder; else nothing is
done. ``safe_folders`` writes below a project, ``project_files`` reads what people write there.

    refuse_links(root, "ada", ".build/ada")   raises CvbuildError if a level is a link
    read(path, most)                          a regular file's bytes, never those of a pipe
    replace(path, data)                       a file as a whole, or not at all
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from _thread import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader, BufferedWriter

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
    if os.path.normpath(top) == OUT:
        _refuse_link(top)
    seen = set()
    for names in below:
        path = "" if top == os.curdir else top
        for name in filter(None, names.split("/")):
            path = os.path.join(path, name)
            if path not in seen:
                seen.add(path)
                _refuse_link(path)


def _refuse_link(path: str) -> None:
    """Raise CvbuildError if it is a link."""
    try:
        state = os.lstat(path)
    except (OSError, ValueError):
        return
    # On Windows a junction is a kind of link, too.
    if not (stat.S_ISLNK(state.st_mode) or getattr(state, "st_file_attributes", 0) & _REPARSE):
        return
    from cvbuild.common.diagnostics import Span, shown
    from cvbuild.common.errors import CvbuildError

    try:
        target = shown(os.readlink(path))
    except OSError:
        target = "another place"
    hint = "remove it: nothing is written or deleted through a link"
    if os.path.normpath(path) == OUT:
        hint += "; to build there, name the folder itself with -o"
    fact = f"it is a symbolic link to {target}"
    raise CvbuildError.because("link", fact, hint, Span(shown(path)))


def replace(
    path: str | os.PathLike[str],
    data: bytes,
    temporary: str | None = None,
    mode: int | None = None,
    *,
    check: Callable[[], None] | None = None,
) -> None:
    """Replace a file by one with these bytes, or leave it as it was; raises OSError.

    It is written first as ``temporary``, by default under a name of each writer's own in the same
    folder. ``mode`` are its permissions, if not those of a new file. ``check`` is for what people
    wrote: it is called when all but the renaming is done, and may raise; the bytes are on the disk
    then, also if the power fails.
    """
    new = temporary or f"{os.fspath(path)}.{os.getpid()}-{get_ident()}.new"
    with contextlib.suppress(FileNotFoundError):
        # A file that a killed process left, or a link that somebody put there.
        os.unlink(new)
    try:
        with open(new, "xb") as file:
            if mode is not None:
                os.chmod(new, mode)
            file.write(data)
            if check:
                synchronize(file)
        if check:
            check()
        move(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def synchronize(file: BufferedWriter) -> None:
    """Have a file's bytes on the disk before anybody is told that they are saved."""
    file.flush()
    os.fsync(file.fileno())


def move(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Rename a file or folder, replacing a file; an OSError names the new path."""
    try:
        os.replace(old, new)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(new)) from None


def read(path: str | os.PathLike[str], most: int, *, links: bool = True) -> bytes:
    """Return the bytes of a regular file of at most ``most``.

    Raises OSError, among them NotRegularError and TooLargeError; the others as ``regular``.
    """
    with regular(path, links=links) as file:
        return bounded(file, path, most)


def bounded(file: BufferedReader, path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of an open file of at most ``most``; raises TooLargeError."""
    # The size is asked first, as ``most`` may be much; a file may also grow meanwhile.
    if os.fstat(file.fileno()).st_size <= most and len(data := file.read(most + 1)) <= most:
        return data
    raise TooLargeError(errno.EFBIG, "it is too large", os.fspath(path))


def regular(path: str | os.PathLike[str], *, links: bool = True) -> BufferedReader:
    """Open a regular file to read it; never waits for a pipe or a device.

    ``links`` says whether the file may be a link. Raises OSError, among them NotRegularError.
    """
    try:
        require_regular(path, links=links)
        return open(path, "rb")
    except ValueError:
        raise OSError(errno.EINVAL, "null character in the path") from None


def require_regular(path: str | os.PathLike[str], *, links: bool = True) -> None:
    """Raise NotRegularError for what is no regular file; OSError if there is nothing."""
    mode = os.stat(path, follow_symlinks=links).st_mode
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise NotRegularError(errno.EINVAL, f"it is {what}", os.fspath(path))
