"""Change what is in the folders of a project; a link that it has brought along is not followed.

    with opened(out, "ada", make=True) as folder:     raises CvbuildError if a level is a link
        folder.write("academic.txt", data)            as a whole; a link of that name is replaced
        folder.take("academic.pdf", path)
    with stored(keep) as folder: ...                  a folder below out/.build

Every level is looked at when a folder is opened. Whoever can swap one later is a process of the
same user, which could as well write by itself: that is not defended against.

Below: locks, which the system releases when a process dies; folders for one build alone; and
``events_of``, which waits until something is written in a folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import time
from _thread import RLock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
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
        with suppress(FileNotFoundError):
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
        with suppress(FileNotFoundError):
            os.unlink(self._at(name))

    def remove(self, name: str) -> None:
        """Remove a file or a whole folder, as far as that is possible; of a link only the link."""
        import shutil  # takes as long as all other imports of a run without changes

        state = self.state(name)
        if state is not None and stat.S_ISDIR(state.st_mode):
            shutil.rmtree(self._at(name), ignore_errors=True)
        elif state is not None:
            with suppress(OSError):
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


@contextmanager
def opened(root: str | os.PathLike[str], *below: str, make: bool = False) -> Iterator[Folder]:
    """Yield the folder ``below`` a root; with ``make``, levels that don't exist are made.

    The root may be a link, unless it is the default ``out``. Raises OSError if there is no such
    folder, CvbuildError if a level is a link.
    """
    safe_files.refuse_links(root, "/".join(below))
    path = os.path.join(root, *below)
    if make:
        with suppress(FileExistsError):
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


# -- locks -----------------------------------------------------------------------------------------

#: Seconds between two attempts at a lock that another process holds. There are no locks on Windows,
#: and on some file systems.
_PAUSE = 0.02
#: What threads of this process wait for where files can't be locked.
_of_threads = RLock()


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a lock on the file ``path``; the file is made, and not removed.

    Where there are none, only threads of this process wait for one another: two processes may do
    the same work, which is put in place as a whole. Raises OSError if the file can't be written,
    KeyboardInterrupt when all work must stop.
    """
    # Opened to append: a link of that name must not empty the file that it leads to.
    with path.open("a") as file:
        if wait(file.fileno()):
            yield
        else:
            with _of_threads:
                yield


def wait(handle: int) -> bool | None:
    """Wait for the lock of an open file or folder; return True, or None if there are no locks.

    The lock is released when the handle is closed. Raises KeyboardInterrupt when all work must
    stop.
    """
    while (locked := take(handle)) is False:
        from cvbuild.common import processes  # the cheap check tries a lock, too

        if processes.stopping():
            raise KeyboardInterrupt
        time.sleep(_PAUSE)
    return locked


def take(handle: int) -> bool | None:
    """Try to take the lock; return whether that succeeded, None if there are no locks."""
    if sys.platform == "win32":
        return None
    import fcntl  # which Windows doesn't have

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def wait_for(handle: int | None, seconds: float) -> bool:
    """Lock a folder until it is closed, where there are locks; False if another has it so long."""
    end = time.monotonic() + seconds
    while handle is not None and take(handle) is False:
        if time.monotonic() > end:
            return False
        time.sleep(_PAUSE / 2)
    return True


# -- folders for one build alone -------------------------------------------------------------------

#: Where folders for one build are, below an output folder.
PLACE = (BUILD, "tmp")
_NAME = re.compile(r"cvbuild-[0-9a-f]{8}")
#: The folder in such a one in which a child works.
_INNER = "run"


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Wait until no other build works in the folder, and lock it; yield whether that succeeded.

    Where folders can't be locked, two builds of one document may run at once. Raises
    KeyboardInterrupt when all work must stop, OSError if the folder can't be made, CvbuildError if
    a level below ``out/.build`` is a link.
    """
    with stored(folder, make=True) as opened:
        yield opened.handle is not None and wait(opened.handle) is True


@contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Make a new private folder and yield a folder in it; both are removed afterwards.

    What a child that works in the inner one must not write to can stand next to it. TeX needs its
    path. Whoever puts a link into that can't know the folder's name beforehand, so the path then
    leads nowhere. ``sweep`` removes that of a process which was killed.
    """
    with stored(parent, make=True) as opened:
        name = f"cvbuild-{os.urandom(4).hex()}"
        opened.make(name, 0o700)
        try:
            with opened.inner(name, _INNER, make=True) as inner:
                yield Path(inner.path).resolve()
        finally:
            opened.remove(name)


def sweep(parent: Path, before: float) -> None:
    """Remove what processes that were killed have left in a folder before a time (Unix seconds).

    Raises CvbuildError if a level below ``out/.build`` is a link.
    """
    with suppress(OSError), stored(parent) as opened:
        for name in filter(_NAME.fullmatch, opened.names()):
            with suppress(OSError):
                state = opened.state(f"{name}/{_INNER}") or opened.state(name)
                if state and state.st_mtime < before:
                    opened.remove(name)


# -- wait until the system says that something was written in a folder -----------------------------

#: Seconds between two looks at the files where there are no events at all.
_LOOK = 0.2
#: ms between two polls where the system can't wake us: each takes processor time.
_STEP = 20
#: inotify's attributes changed, closed after writing, moved away, moved here, made, deleted. Not
#: each write: the file would be read half written.
_EVENTS = 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200
#: Bytes of events that are read at once; one takes 16, and the name.
_MOST = 1 << 16


@contextmanager
def events_of(folders: Sequence[str]) -> Iterator[Callable[[float], object]]:
    """Yield what waits for an event in these folders, for so many seconds at most.

    What happens from now on counts. Where no folder can be watched, or no more of them, it only
    sleeps shortly. It raises KeyboardInterrupt.
    """
    with ExitStack() as stack:
        try:
            wait = (_inotify if sys.platform == "linux" else _notify)(folders, stack)
        except (OSError, RuntimeError):
            yield lambda _: time.sleep(_LOOK)
        else:
            yield wait


def _inotify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Let the process sleep until Linux wakes it; raises OSError."""
    import ctypes  # builds take locks, and watch nothing
    import select

    library = ctypes.CDLL(None, use_errno=True)
    handle = library.inotify_init1(os.O_CLOEXEC)
    if handle >= 0:
        stack.callback(os.close, handle)
    marks = [library.inotify_add_watch(handle, os.fsencode(one), _EVENTS) for one in folders]
    if min(handle, *marks) < 0:
        raise OSError(ctypes.get_errno(), "no inotify")
    return lambda most: select.select([handle], [], [], most)[0] and os.read(handle, _MOST)


def _notify(folders: Sequence[str], stack: ExitStack) -> Callable[[float], object]:
    """Poll for the events of other systems; raises OSError or RuntimeError."""
    from watchfiles._rust_notify import RustNotify

    events = stack.enter_context(RustNotify([*folders], False, False, 0, False, True))

    def wait(most: float) -> None:
        if events.watch(_STEP, _STEP, int(most * 1000), None) == "signal":
            raise KeyboardInterrupt

    return wait
