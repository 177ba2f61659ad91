"""The user's cache folder: all that is kept between builds and can be run, or loaded as code.

That is formats of TeX's, LuaTeX's fonts, templates as Jinja compiled them. None of it lies in a
project: who clones one owns every file in it, whoever wrote it. What is kept in a project and
changes what a program does carries a code (``seals``) with the key that lies here.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from functools import cache
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic

#: Names another folder.
VARIABLE = "CVBUILD_CACHE"
_NAME = "cvbuild"
#: The file with the key, and how many bytes it has.
_KEY, _KEY_SIZE = "key", 32


def folder() -> Path:
    """Return the folder that CVBUILD_CACHE names, else the user's own; a private one if that can't be.

    What is in a private one is gone when this process ends.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    place, fault = _default()
    return _private() if place is None or fault else place


def resolved(given: Path | None) -> Path:
    """Return the given folder, else that of ``folder``, without links and dots."""
    return Path(os.path.realpath(given or folder()))


def note(used: Path) -> Diagnostic | None:
    """Why nothing is kept, if ``used`` is the private folder of this process."""
    if not _private.cache_info().currsize or used != resolved(_private()):
        return None
    place, fault = _default()
    message = f"nothing is kept for the next build: {place or 'a cache folder'}: {fault}"
    hint = f"make it a folder that only you can open (chmod 700), or name one in {VARIABLE}"
    return Diagnostic("note", "unkept-cache", message, hint=hint)


def key(used: Path) -> bytes:
    """Return the key of this user, made if need be; of this process where it can't be kept."""
    place = used / _KEY
    if (found := _read(place)) is None:
        with contextlib.suppress(OSError):
            _make(place)
        # Of two that made one at the same time, both take the last.
        found = _read(place)
    return _own() if found is None else found


def _default() -> tuple[Path | None, str]:
    """Return the user's cache folder, made if need be, and why it can't be used."""
    base = _base()
    if base is None:
        return None, "there is no home folder"
    place = base / _NAME
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = place.stat()
    except OSError as error:
        return place, error.strerror or str(error)
    if not stat.S_ISDIR(state.st_mode):
        return place, "it is no folder"
    # A folder that came with a clone is open to others; one that was made here is not.
    if not _is_own(state):
        return place, "others may open it, or it is another user's"
    writable = os.access(place, os.W_OK | os.X_OK)
    return place, "" if writable else "it can't be written"


def _base() -> Path | None:
    """Return the folder for all programs' caches; None where there is no home."""
    if sys.platform == "win32":
        named, below = os.environ.get("LOCALAPPDATA", ""), ("AppData", "Local")
    elif sys.platform == "darwin":
        named, below = "", ("Library", "Caches")
    else:
        named, below = os.environ.get("XDG_CACHE_HOME", ""), (".cache",)
    # As XDG has it, a relative one doesn't count: it would lie in the project.
    if (place := Path(named)).is_absolute():
        return place
    # Without HOME, it is the one that the system knows; an empty one is none.
    if os.environ.get("HOME") == "":
        return None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home.joinpath(*below) if home.is_absolute() and home.is_dir() else None


def _is_own(state: os.stat_result) -> bool:
    """Return whether it is this user's and nobody else may open it; where that isn't known, yes."""
    own = getattr(os, "geteuid", None)
    return own is None or (state.st_uid == own() and not state.st_mode & 0o077)


@cache
def _private() -> Path:
    """Return a folder of this process, gone at its end."""
    import atexit
    import shutil
    import tempfile

    made = Path(tempfile.mkdtemp(prefix="cvbuild-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def _own() -> bytes:
    return os.urandom(_KEY_SIZE)


def _read(place: Path) -> bytes | None:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(os.open(place, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode) or not _is_own(state):
                return None
            found = file.read(_KEY_SIZE + 1)
    except OSError:
        return None
    return found if len(found) == _KEY_SIZE else None


def _make(place: Path) -> None:
    """Write a key beside and rename it; raises OSError."""
    import tempfile

    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Only its owner may read or write a file of mkstemp.
    handle, beside = tempfile.mkstemp(dir=place.parent, prefix=f"{_KEY}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_KEY_SIZE))
        Path(beside).replace(place)
    except OSError:
        Path(beside).unlink(missing_ok=True)
        raise
