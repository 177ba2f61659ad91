"""Open folders of a project and of its output without following links; read files in bounds.

The author of a project could put a link where cvbuild makes a folder, so that it writes or deletes
elsewhere. Below a folder that the user chose, every level must be a real folder; else nothing is
done.

    refuse_links(root, "ada", ".build/ada")   raises CvbuildError if a level is a link
    with open_folder(root, ".build", "tmp") as handle: ...
    remove(name, handle)                      a file or a whole folder in there, not through links
    replace(path, data)                       a file, as a whole; the target of a link is unchanged
    read(path, most)                          a regular file's bytes, never those of a pipe
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from _thread import get_ident
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import BinaryIO

    from cvbuild.common.errors import CvbuildError

#: The default output folder; it may have come with a clone.
OUT = "out"
_HAS_HANDLES = sys.platform != "win32"
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_NEW |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Without O_NONBLOCK, opening a named pipe waits for its writer.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_READ |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
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
        _refuse(top)
    seen = set()
    for names in below:
        path = "" if top == os.curdir else top
        for name in names.split("/"):
            path = os.path.join(path, name)
            if path not in seen:
                seen.add(path)
                _refuse(path)


@contextlib.contextmanager
def open_folder(root: str | os.PathLike[str], *below: str) -> Iterator[int | None]:
    """Yield a handle of the folder, opened level by level; None if the system has no such handles.

    Raises OSError if it doesn't exist, CvbuildError if a level is a link.
    """
    refuse_links(root, *(["/".join(below)] if below else []))
    if not _HAS_HANDLES:
        yield None
        return
    path = os.fspath(root)
    # The root may be a link that the user chose.
    handle = os.open(path, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
    try:
        for name in below:
            path = os.path.join(path, name)
            try:
                inner = os.open(name, _FOLDER, dir_fd=handle)
            except OSError as error:
                # Systems differ in the error that they give for a link.
                odd = error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)
                if odd and os.path.islink(path):
                    raise _linked(path) from None
                raise
            # In this order: a signal between the two must not have the same handle closed twice,
            # which is an OSError that would take the signal's place.
            outer, handle = handle, inner
            os.close(outer)
        yield handle
    finally:
        os.close(handle)


def remove(name: str, handle: int) -> None:
    """Remove a file or folder with this name in an open folder; of a link only the link."""
    import shutil  # takes as long as all other imports of a run without changes

    with contextlib.suppress(OSError):
        if stat.S_ISDIR(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
            shutil.rmtree(name, ignore_errors=True, dir_fd=handle)
        else:
            os.unlink(name, dir_fd=handle)


def replace(
    path: str | os.PathLike[str], data: bytes, temporary: str | None = None, *, shared: bool = False
) -> None:
    """Replace a file by one with these bytes, or leave it as it was; raises OSError.

    It is written first as ``temporary`` in the same folder, by one writer at a time; if ``shared``,
    under a name of each writer's own.
    """
    place = os.fspath(path)
    own = f".{os.getpid()}-{get_ident()}" if shared else ""
    name = temporary or f"{os.path.basename(place)}{own}.new"
    new = os.path.join(os.path.dirname(place), name)
    with contextlib.suppress(FileNotFoundError):
        # A file that a killed process left, or a link that somebody put there.
        os.unlink(new)
    try:
        with os.fdopen(os.open(new, _NEW, 0o666), "wb") as file:
            file.write(data)
        os.replace(new, place)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def read(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the bytes of a regular file of at most ``most``.

    Raises OSError, among them NotRegularError and TooLargeError.
    """
    with regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise TooLargeError(errno.EFBIG, "it is too large", os.fspath(path))
    return data


def regular(path: str | os.PathLike[str], *, links: bool = True) -> BinaryIO:
    """Open a regular file to read it; never waits for a pipe or a device.

    ``links`` says whether the file may be a link. Raises OSError, among them NotRegularError.
    """
    try:
        _require_regular(os.stat(path, follow_symlinks=links), path)
        handle = os.open(path, _READ if links else _READ | getattr(os, "O_NOFOLLOW", 0))
    except ValueError as error:  # NUL in the path
        raise OSError(errno.EINVAL, str(error)) from None
    try:
        # It may have become another file since.
        _require_regular(os.fstat(handle), path)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _require_regular(state: os.stat_result, path: str | os.PathLike[str]) -> None:
    if not stat.S_ISREG(state.st_mode):
        what = "a folder" if stat.S_ISDIR(state.st_mode) else "no regular file"
        raise NotRegularError(errno.EINVAL, f"it is {what}", os.fspath(path))


def _refuse(path: str) -> None:
    try:
        state = os.lstat(path)
    except (OSError, ValueError):
        return
    # On Windows a junction is a kind of link, too.
    if stat.S_ISLNK(state.st_mode) or getattr(state, "st_file_attributes", 0) & _REPARSE:
        raise _linked(path)


def _linked(path: str) -> CvbuildError:
    from cvbuild.common.diagnostics import Diagnostic, Span
    from cvbuild.common.errors import CvbuildError
    from cvbuild.common.positions import shown

    try:
        target = shown(os.readlink(path))
    except OSError:
        target = "another place"
    hint = "remove it: nothing is written or deleted through a link"
    if os.path.normpath(path) == OUT:
        hint += "; to build there, name the folder itself with -o"
    fact = f"it is a symbolic link to {target}"
    return CvbuildError([Diagnostic("error", "link", fact, Span(shown(path)), hint)])
