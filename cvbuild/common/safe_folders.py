"""Change what is in the folders of a project; a link that it has brought along is not followed.

    with opened(out, "ada", make=True) as folder:     raises CvbuildError if a level is a link
        folder.write("academic.txt", data)            as a whole; a link of that name is replaced
        folder.take("academic.pdf", path)
    with stored(keep) as folder: ...                  a folder below out/.build

Every level is looked at when a folder is opened. Whoever can swap one later is a process of the
same user, which could as well write by itself: that is not defended against.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from io import FileIO
from pathlib import Path, PurePosixPath

from cvbuild.common import file_state, safe_files

#: The folder below an output folder that has everything but documents.
BUILD = ".build"
# Without O_NONBLOCK, opening a named pipe waits for its reader.
_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_APPEND |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Folder:
    """An open folder: its path, and a ``handle`` to lock and to flush it (on Windows, None).

    Names are those of single entries. All methods raise OSError with the whole path.
    """

    def __init__(self, path: str, handle: int | None) -> None:
        self.path, self.handle = path, handle

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def names(self) -> list[str]:
        """Return the names of all entries."""
        return os.listdir(self.path)

    def state(self, name: str) -> os.stat_result | None:
        """Return the state of an entry, of a link its own; None if there is none."""
        with contextlib.suppress(FileNotFoundError):
            return os.lstat(self._at(name))
        return None

    def write(
        self,
        name: str,
        data: bytes,
        temporary: str | None = None,
        mode: int | None = None,
        *,
        check: Callable[[], None] | None = None,
    ) -> None:
        """Replace a file by one with these bytes, or leave it as it was.

        It is written first as ``temporary``, by one writer at a time; ``mode`` are its permissions,
        if not those of a new file; ``check`` is that of safe_files.replace.
        """
        place = self._at(temporary or f"{name}.new")
        safe_files.replace(self._at(name), data, place, mode, check=check)

    def create(self, name: str, data: bytes, mode: int = 0o666) -> None:
        """Write a new file; raises FileExistsError if there is one, or a link."""
        with open(
            self._at(name), "xb", opener=lambda path, flags: os.open(path, flags, mode)
        ) as file:
            file.write(data)
            safe_files.synchronize(file)

    def take(self, name: str, source: Path) -> None:
        """Move a regular file from another folder of the same disk to here."""
        # What TeX leaves may be a link; nobody may read through it.
        safe_files.require_regular(source, links=False)
        safe_files.move(source, self._at(name))

    def rename(self, old: str, new: str, into: Folder | None = None) -> None:
        """Rename an entry, replacing a file; ``into`` is the folder of the new name."""
        safe_files.move(self._at(old), os.path.join((into or self).path, new))

    def unlink(self, name: str) -> None:
        """Remove a file or a link, if there is one."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file or a whole folder, as far as that is possible; of a link only the link."""
        import shutil  # takes as long as all other imports of a run without changes

        state = self.state(name)
        if state is not None and stat.S_ISDIR(state.st_mode):
            shutil.rmtree(self._at(name), ignore_errors=True)
        elif state is not None:
            with contextlib.suppress(OSError):
                self.unlink(name)

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of a regular file of at most ``most``; of no link."""
        return safe_files.read(self._at(name), most, links=False)

    def make(self, name: str, mode: int = 0o777) -> None:
        """Make a folder; raises FileExistsError."""
        os.mkdir(self._at(name), mode)

    def append(self, name: str) -> FileIO:
        """Open a file, made if needed and no link, to read it and to add to its end."""
        path = self._at(name)
        return FileIO(path, "r+", opener=lambda path, _: os.open(path, _APPEND, 0o666))

    def inner(self, *names: str, make: bool = False) -> AbstractContextManager[Folder]:
        """Open the folder below; raises as ``opened``."""
        return opened(self.path, *names, make=make)


@contextlib.contextmanager
def opened(root: str | os.PathLike[str], *below: str, make: bool = False) -> Iterator[Folder]:
    """Yield the folder ``below`` a root; with ``make``, levels that don't exist are made.

    The root may be a link, unless it is the default ``out``. Raises OSError if there is no such
    folder, CvbuildError if a level is a link.
    """
    safe_files.refuse_links(root, "/".join(below))
    path = os.path.join(root, *below)
    if make:
        with contextlib.suppress(FileExistsError):
            os.makedirs(path)
    if sys.platform == "win32":
        yield Folder(path, None)
        return
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield Folder(path, handle)
    finally:
        os.close(handle)


def stored(folder: Path, *, make: bool = False) -> AbstractContextManager[Folder]:
    """Open a folder below ``out/.build``, whose levels from there on may not be links.

    A folder that isn't below one is the caller's own. Raises as ``opened``.
    """
    parts = folder.parts
    if BUILD not in parts:
        return opened(folder, make=make)
    top = parts.index(BUILD)
    return opened(Path(*parts[:top]), *parts[top:], make=make)


# -- documents that are folders: names below the folder, with the bytes of each file ---------------

Contents = Mapping[str, bytes]


def write_contents(folder: Folder, name: str, contents: Contents) -> None:
    """Write a folder in an open one; what had its name is removed. Raises OSError."""
    folder.remove(name)
    for path, data in contents.items():
        *parents, last = PurePosixPath(path).parts
        with folder.inner(name, *parents, make=True) as below:
            below.create(last, data)


def replace_contents(folder: Folder, name: str, target: Folder, new: str) -> None:
    """Move a folder to ``new`` in another open one, in place of what is there, or leave that.

    Raises OSError.
    """
    old = f"{name}.old"
    folder.remove(old)
    if target.state(new) is None:
        folder.rename(name, new, into=target)
        return
    target.rename(new, old, into=folder)
    try:
        folder.rename(name, new, into=target)
    except OSError:
        folder.rename(old, new, into=target)
        raise
    folder.remove(old)


def hash_of(contents: Contents) -> str:
    """Return the hash of a folder with these files."""
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    return file_state.of_identities(dict(sorted(digests.items())))


def hash_at(path: Path) -> str:
    """Return the hash of a folder's files, or of a file.

    Empty if it can't be read, or has a link or anything else that is no regular file.
    """
    if path.is_symlink() or not path.is_dir():
        return file_state.file_hash(path)
    digests: dict[str, str] = {}
    for place in map(Path, file_state.below(path)[1:]):
        if place.is_dir() and not place.is_symlink():
            continue
        if not (known := file_state.file_hash(place)):
            return ""
        digests[place.relative_to(path).as_posix()] = known
    return file_state.of_identities(dict(sorted(digests.items())))
