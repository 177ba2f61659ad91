"""Open folders of a project level by level, and change what is in them through their handles.

A name in an open folder means that folder whatever another process puts in its path meanwhile.
Windows has no such handles: there each change follows a look at the path.

    with opened(out, "ada", make=True) as folder:     raises CvbuildError if a level is a link
        folder.write("academic.txt", data)            as a whole; a link of that name is replaced
        folder.take("academic.pdf", path)
    with stored(keep) as folder: ...                  a folder below out/.build
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from io import BufferedReader, BufferedWriter, FileIO
from pathlib import Path

from cvbuild.common.files import safe_files

#: The folder below an output folder that has everything but documents.
BUILD = ".build"
_HAS_HANDLES = sys.platform != "win32"
_FOLDER = (
    os.O_RDONLY
    | getattr(os, "O_DIRECTORY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_NEW |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# Without O_NONBLOCK, opening a named pipe waits for its reader.
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND
_APPEND |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_APPEND |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Folder:
    """An open folder. ``path`` is for messages, and for Windows, which has no ``handle``.

    Names are those of single entries. All methods raise OSError with the whole path.
    """

    def __init__(self, path: str, handle: int | None) -> None:
        self.path, self.handle = path, handle

    def names(self) -> list[str]:
        """Return the names of all entries."""
        return os.listdir(self.path if self.handle is None else self.handle)

    def state(self, name: str) -> os.stat_result | None:
        """Return the state of an entry, of a link its own; None if there is none."""
        with contextlib.suppress(FileNotFoundError), self._placed(name) as place:
            return os.stat(place, dir_fd=self.handle, follow_symlinks=False)
        return None

    def write(
        self, name: str, data: bytes, temporary: str | None = None, mode: int | None = None
    ) -> None:
        """Replace a file by one with these bytes, or leave it as it was.

        It is written first as ``temporary``, by one writer at a time; ``mode`` are its permissions,
        if not those of a new file.
        """
        new = temporary or f"{name}.new"
        # A file that a killed process left, or a link that somebody put there.
        self.unlink(new)
        try:
            with self.new(new) as file:
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), mode)
                file.write(data)
            self.rename(new, name)
        except BaseException:
            with contextlib.suppress(OSError):
                self.unlink(new)
            raise

    def create(self, name: str, data: bytes, mode: int = 0o666) -> None:
        """Write a new file; raises FileExistsError if there is one, or a link."""
        with self.new(name, mode) as file:
            file.write(data)

    def new(self, name: str, mode: int = 0o666) -> BufferedWriter:
        """Open a new file to write it; raises FileExistsError if there is one, or a link."""
        with self._placed(name) as place:
            return os.fdopen(os.open(place, _NEW, mode, dir_fd=self.handle), "wb")

    def take(self, name: str, source: Path) -> None:
        """Move a regular file from another folder of the same disk to here."""
        with self._placed(name) as place:
            os.replace(source, place, dst_dir_fd=self.handle)
        state = self.state(name)
        if state is None or not stat.S_ISREG(state.st_mode):
            # What TeX leaves may be a link; nobody may read through it.
            self.unlink(name)
            raise safe_files.NotRegularError(errno.EINVAL, "it is no regular file", str(source))

    def rename(self, old: str, new: str, into: Folder | None = None) -> None:
        """Rename an entry, replacing a file; ``into`` is the folder of the new name."""
        target = into or self
        source = old if self.handle is not None else os.path.join(self.path, old)
        with target._placed(new) as place:  # noqa: SLF001 - of the same class
            os.replace(source, place, src_dir_fd=self.handle, dst_dir_fd=target.handle)

    def unlink(self, name: str) -> None:
        """Remove a file or a link, if there is one."""
        with contextlib.suppress(FileNotFoundError), self._placed(name) as place:
            os.unlink(place, dir_fd=self.handle)

    def remove(self, name: str) -> None:
        """Remove a file or a whole folder, as far as that is possible; of a link only the link."""
        import shutil  # takes as long as all other imports of a run without changes

        state = self.state(name)
        if state is not None and stat.S_ISDIR(state.st_mode):
            with self._placed(name) as place:
                shutil.rmtree(place, ignore_errors=True, dir_fd=self.handle)
        elif state is not None:
            with contextlib.suppress(OSError):
                self.unlink(name)

    def open(self, name: str) -> BufferedReader:
        """Open a regular file that is no link to read it; raises as ``safe_files.regular``."""
        with self._placed(name) as place:
            return safe_files.regular(place, links=False, folder=self.handle)

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of a regular file of at most ``most``; of no link."""
        with self.open(name) as file:
            return safe_files.bounded(file, os.path.join(self.path, name), most)

    def hash(self, name: str) -> str:
        """Return the SHA-256 of a regular file in hexadecimal."""
        import hashlib

        with self.open(name) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder; raises FileExistsError."""
        with self._placed(name) as place:
            os.mkdir(place, mode, dir_fd=self.handle)

    def rmdir(self, name: str) -> None:
        """Remove a folder that is empty; raises OSError for any other."""
        with self._placed(name) as place:
            os.rmdir(place, dir_fd=self.handle)

    def append(self, name: str) -> FileIO:
        """Open a file, made if needed and no link, to read it and to add to its end."""
        with self._placed(name) as place:
            return FileIO(os.open(place, _APPEND, 0o666, dir_fd=self.handle), "r+")

    def chmod(self, mode: Callable[[int], int]) -> None:
        """Change the folder's own permissions to what ``mode`` makes of them."""
        place: str | int = self.path if self.handle is None else self.handle
        os.chmod(place, mode(stat.S_IMODE(os.stat(place).st_mode)))

    @contextlib.contextmanager
    def inner(self, *names: str, make: bool = False) -> Iterator[Folder]:
        """Yield the folder below; with ``make``, levels that don't exist are made.

        Raises OSError if there is none, CvbuildError if a level is a link.
        """
        here = Folder(self.path, None if self.handle is None else os.dup(self.handle))
        try:
            for name in names:
                if make:
                    with contextlib.suppress(FileExistsError):
                        here.make(name)
                below = here._open(name)
                here.close()
                here = below
            yield here
        finally:
            here.close()

    def _open(self, name: str) -> Folder:
        path = os.path.join(self.path, name)
        safe_files.refuse_link(path)
        if not _HAS_HANDLES:
            return Folder(path, None)
        try:
            return Folder(path, os.open(name, _FOLDER, dir_fd=self.handle))
        except OSError as error:
            # Systems differ in the error that they give for a link, which may be gone again.
            state = self.state(name) if error.errno in _OF_LINKS else None
            if error.errno == errno.ELOOP or (state and stat.S_ISLNK(state.st_mode)):
                raise safe_files.linked(path) from None
            raise OSError(error.errno, error.strerror, path) from None

    def close(self) -> None:
        """Close the handle; the folder is of no more use."""
        # In this order: a signal in between must not have the same handle closed twice, which is
        # an OSError that would take the signal's place.
        handle, self.handle = self.handle, None
        if handle is not None:
            os.close(handle)

    @contextlib.contextmanager
    def _placed(self, name: str) -> Iterator[str]:
        """Yield what the system calls an entry; an error gets its whole path."""
        path = os.path.join(self.path, name)
        try:
            yield path if self.handle is None else name
        except OSError as error:
            if error.filename2 is None and error.filename == path:
                raise
            kind = safe_files.NotRegularError if _is_odd(error) else OSError
            raise kind(error.errno, error.strerror, path) from None


def _is_odd(error: OSError) -> bool:
    return isinstance(error, safe_files.NotRegularError)


#: The errors for opening a link, or a file, as a folder.
_OF_LINKS = (errno.ELOOP, errno.EMLINK, errno.ENOTDIR)


@contextlib.contextmanager
def opened(root: str | os.PathLike[str], *below: str, make: bool = False) -> Iterator[Folder]:
    """Yield the folder ``below`` a root, opened level by level; with ``make``, made if needed.

    The root may be a link, unless it is the default ``out``. Raises OSError if there is no such
    folder, CvbuildError if a level is a link.
    """
    path = os.fspath(root)
    safe_files.refuse_links(path, *(["/".join(below)] if below else []))
    if make:
        os.makedirs(path, exist_ok=True)
    if not _HAS_HANDLES:
        top = Folder(path, None)
    else:
        # The root may be a link that the user chose.
        chosen = os.path.normpath(path) != safe_files.OUT
        flags = _FOLDER & ~getattr(os, "O_NOFOLLOW", 0) if chosen else _FOLDER
        top = Folder(path, os.open(path, flags))
    try:
        with top.inner(*below, make=make) as folder:
            yield folder
    finally:
        top.close()


def stored(folder: Path, *, make: bool = False) -> contextlib.AbstractContextManager[Folder]:
    """Open a folder below ``out/.build``, whose levels from there on may not be links.

    A folder that isn't below one is the caller's own. Raises as ``opened``.
    """
    parts = folder.parts
    if BUILD not in parts:
        return opened(folder, make=make)
    at = parts.index(BUILD)
    return opened(Path(*parts[:at]), *parts[at:], make=make)
