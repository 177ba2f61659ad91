"""Change what is in the folders of a project; a link that it has brought along is not followed.

    folder = real(out, "ada", make=True)       raises CvbuildError if a level is a link
    write(folder / "academic.txt", data)       as a whole; a link of that name is replaced
    folder = stored(keep)                      a folder below out/.build

Every level is looked at before something in a folder is changed. Whoever can swap one later is a
process of the same user, which could as well write by itself: that is not defended against.

Below: locks, which the system releases when a process dies; folders for one build alone; and
``events_of``, which waits until something is written in a folder.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time
from _thread import get_ident
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from cvbuild.common import interrupts
from cvbuild.common.files import file_state, safe_files

#: The folder below an output folder that has everything but documents.
BUILD = ".build"


def real(root: str | os.PathLike[str], *below: str, make: bool = False) -> Path:
    """Return the folder ``below`` a root; with ``make``, levels that don't exist are made.

    Raises CvbuildError if a level is a link; the root may be one, unless it is ``out``.
    """
    safe_files.refuse_links(root, "/".join(below))
    folder = Path(root, *below)
    if make:
        with suppress(FileExistsError):
            os.makedirs(folder)
        os.scandir(folder).close()  # a file in its place is told with this path
    return folder


def stored(folder: Path, *, make: bool = False) -> Path:
    """Return a folder below ``out/.build`` (or the caller's own), as ``real`` does."""
    parts = folder.parts
    if BUILD not in parts:
        return real(folder, make=make)
    top = parts.index(BUILD)
    return real(Path(*parts[:top]), *parts[top:], make=make)


def write(
    path: Path,
    data: bytes,
    mode: int | None = None,
    *,
    check: Callable[[], None] | None = None,
    shared: bool = False,
) -> None:
    """Replace a file by one with these bytes, or leave it as it was; raises OSError.

    It has one writer at a time, unless it is ``shared``. ``check``, of what people wrote, is called
    when it is on the disk, and may raise.
    """
    own = f".{os.getpid()}-{get_ident()}" if shared else ""
    new = path.with_name(f"{path.name}{own}.new")
    # A file that a killed process left, or a link that somebody put there.
    new.unlink(missing_ok=True)
    try:
        with open(new, "xb") as file:
            if mode is not None:
                os.chmod(new, mode)
            file.write(data)
            if check:
                file.flush()
                os.fsync(file.fileno())
        if check:
            check()
        safe_files.move(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def create(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a new file; raises FileExistsError if there is one, or a link."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    """Remove a file or a whole folder, as far as that is possible; of a link only the link."""
    import shutil  # takes as long as all other imports of a run without changes

    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


# -- documents that are folders: names below the folder, with the bytes of each file ---------------

Contents = Mapping[str, bytes]


def write_contents(folder: Path, contents: Contents) -> None:
    """Write a folder in place of what has its name. Raises OSError."""
    remove(folder)
    for path, data in contents.items():
        *parents, last = PurePosixPath(path).parts
        create(real(folder.parent, folder.name, *parents, make=True) / last, data)


def replace_contents(new: Path, place: Path) -> None:
    """Move a folder to its place instead of what is there, or leave that. Raises OSError."""
    old = new.with_name(f"{new.name}.old")
    remove(old)
    if not os.path.lexists(place):
        safe_files.move(new, place)
        return
    safe_files.move(place, old)
    try:
        safe_files.move(new, place)
    except OSError:
        safe_files.move(old, place)
        raise
    remove(old)


def hash_at(path: Path) -> str:
    """Return the hash of a folder's files, or of a file; empty if something is no regular file.

    It is that of ``file_state.hash_of`` for their bytes.
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
    return file_state.hash_of(json.dumps(sorted(digests.items())))


# -- locks -----------------------------------------------------------------------------------------

#: Seconds between two attempts at a lock that another process holds.
_PAUSE = 0.02


@contextmanager
def locked(path: Path, patience: float = math.inf) -> Iterator[bool | None]:
    """Hold the lock of a folder, or of a file that is there; yield whether that succeeded.

    False, if another has it for ``patience`` seconds; None, where there are no locks (on Windows).
    Raises OSError, and KeyboardInterrupt when all work must stop.
    """
    if sys.platform == "win32":
        yield None
        return
    import fcntl  # which Windows doesn't have

    # No pipe is waited for, and NFS locks only a file that may be written.
    access = os.O_RDONLY if path.is_dir() else os.O_RDWR
    handle = os.open(path, access | os.O_NONBLOCK)
    end, is_locked = time.monotonic() + patience, None
    try:
        with suppress(OSError):
            while not is_locked and time.monotonic() <= end:
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    is_locked = True
                except BlockingIOError:
                    is_locked = False
                    if interrupts.stop.is_set:
                        raise KeyboardInterrupt from None
                    time.sleep(_PAUSE)
        yield is_locked
    finally:
        os.close(handle)


# -- folders for one build alone -------------------------------------------------------------------

#: Where folders for one build are, below an output folder.
PLACE = (BUILD, "tmp")
_NAME = re.compile(r"cvbuild-[0-9a-f]{8}")
#: The folder in such a one in which a child works.
_INNER = "run"


@contextmanager
def folder(parent: Path) -> Iterator[Path]:
    """Make a new private folder and yield a folder in it; both are removed afterwards.

    What a child in the inner one must not write to can stand beside it. Nobody who puts a link into
    TeX's path knows the name beforehand.
    """
    outer = stored(parent, make=True) / f"cvbuild-{os.urandom(4).hex()}"
    outer.mkdir(0o700)
    try:
        (outer / _INNER).mkdir()
        yield (outer / _INNER).resolve()
    finally:
        remove(outer)


def sweep(parent: Path, before: float) -> None:
    """Remove what killed processes left in a folder before a time (Unix seconds)."""
    with suppress(OSError):
        for left in stored(parent).iterdir():
            with suppress(OSError):
                inner = left / _INNER
                state = (inner if os.path.lexists(inner) else left).lstat()
                if _NAME.fullmatch(left.name) and state.st_mtime < before:
                    remove(left)


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
    """Yield what waits for an event in these folders, from now on, for so many seconds at most.

    Where no folder can be watched, it only sleeps shortly. It raises KeyboardInterrupt.
    """
    with ExitStack() as stack:
        if sys.platform == "linux":
            # The process sleeps until Linux wakes it.
            import ctypes  # builds take locks, and watch nothing
            import select

            library = ctypes.CDLL(None, use_errno=True)
            handle = library.inotify_init1(os.O_CLOEXEC)
            if handle >= 0:
                stack.callback(os.close, handle)
            names = map(os.fsencode, folders)
            marks = [library.inotify_add_watch(handle, name, _EVENTS) for name in names]
            if min(handle, *marks) >= 0:
                yield (
                    lambda most: select.select([handle], [], [], most)[0] and os.read(handle, _MOST)
                )
                return
        else:
            from watchfiles._rust_notify import RustNotify

            events = None
            with suppress(OSError, RuntimeError):
                events = stack.enter_context(RustNotify([*folders], False, False, 0, False, True))
            if events:

                def wait(most: float) -> None:
                    if events.watch(_STEP, _STEP, int(most * 1000), None) == "signal":
                        raise KeyboardInterrupt

                yield wait
                return
        yield lambda _: time.sleep(_LOOK)
