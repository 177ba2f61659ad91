"""The user's cache folder: everything kept between builds that is run or loaded as code.

That is TeX's formats and templates compiled by Jinja. None of it is kept in a project, as the user
who clones a project owns every file in it, no matter who wrote it. Files in a project that change
what a program does have a code (``seal``) made with the key in this folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common import safe_files

if TYPE_CHECKING:
    from cvbuild.common.diagnostics import Diagnostic


#: The environment variable that names another folder.
VARIABLE = "CVBUILD_CACHE"
_NAME = "cvbuild"
#: The file with the key, and its size in bytes.
_KEY, _KEY_SIZE = "key", 32


def folder() -> Path:
    """Return the folder named by CVBUILD_CACHE, else the user's own; if unusable, a private one.

    A private folder is removed when this process ends.
    """
    place, fault = _chosen()
    return private() if place is None or fault else place


def resolved(cache: Path | None) -> Path:
    """Return the given folder, else that of ``folder()``, with links and dots resolved."""
    return Path(os.path.realpath(cache or folder()))


@cache
def private() -> Path:
    """Return a folder of this process, which is removed at its end; raises OSError."""
    import atexit
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="cvbuild-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def note(used: Path) -> Diagnostic | None:
    """Return a note why nothing is kept, if ``used`` is the private folder of this process."""
    if not private.cache_info().currsize or used != resolved(private()):
        return None
    place, fault = _chosen()
    from cvbuild.common.diagnostics import Diagnostic

    message = f"nothing is kept for the next build: {place or 'a cache folder'}: {fault}"
    hint = f"make it a folder that only you can open (chmod 700), or name one in {VARIABLE}"
    return Diagnostic("note", "unkept-cache", message, hint=hint)


def key(used: Path) -> bytes:
    """Return the user's key, made if needed; if it can't be saved, a key of this process."""
    place = used / _KEY
    if (secret := _read(place)) is None:
        with contextlib.suppress(OSError):
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            safe_files.replace(place, os.urandom(_KEY_SIZE), mode=0o600)
        # If two processes make one at the same time, both use the last.
        secret = _read(place)
    return _own() if secret is None else secret


def _chosen() -> tuple[Path | None, str]:
    """Return the folder to use, made if needed, and why it can't be used (empty: it can)."""
    named, base = os.environ.get(VARIABLE), _base()
    if named:
        place = Path(named)
    elif base:
        place = base / _NAME
    else:
        return None, "there is no home folder"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = place.stat()
    except OSError as error:
        # What is wrong with a folder that the user names is told where it is used.
        return place, "" if named else error.strerror or str(error)
    if named:
        return place, ""
    if not stat.S_ISDIR(state.st_mode):
        return place, "it is not a folder"
    # A folder that came with a clone is open to others; one that cvbuild made is not.
    if not _is_own(state):
        return place, "it is open to others, or belongs to another user"
    writable = os.access(place, os.W_OK | os.X_OK)
    return place, "" if writable else "it is not writable"


def _base() -> Path | None:
    """Return the folder for all programs' caches; None where there is no home."""
    if sys.platform == "win32":
        named, below = os.environ.get("LOCALAPPDATA", ""), ("AppData", "Local")
    elif sys.platform == "darwin":
        named, below = "", ("Library", "Caches")
    else:
        named, below = os.environ.get("XDG_CACHE_HOME", ""), (".cache",)
    # XDG says to ignore a relative path: it would be in the project.
    if (place := Path(named)).is_absolute():
        return place
    # Without HOME, the system's entry for the user is used; an empty HOME means none.
    if os.environ.get("HOME") == "":
        return None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home.joinpath(*below) if home.is_absolute() and home.is_dir() else None


def _is_own(state: os.stat_result) -> bool:
    """Return whether it belongs to the user and is closed to others; True if that isn't known."""
    own = getattr(os, "geteuid", None)
    return own is None or (state.st_uid == own() and not state.st_mode & 0o077)


@cache
def _own() -> bytes:
    return os.urandom(_KEY_SIZE)


def _read(place: Path) -> bytes | None:
    try:
        with safe_files.regular(place, links=False) as file:
            is_own = _is_own(os.fstat(file.fileno()))
            secret = file.read(_KEY_SIZE + 1)
    except OSError:
        return None
    return secret if is_own and len(secret) == _KEY_SIZE else None


# -- files kept between runs, which are not validated: undamaged, and our own ----------------------

#: How many bytes of a file are read.
_MOST = 64 << 20


def seal(text: str, key: bytes | None = None) -> str:
    """Return the text after a line with its hash, or its code if there is a key."""
    return f"{_sum(text, key)}\n{text}"


def unseal(sealed: str, key: bytes | None = None) -> str:
    """Return the sealed text; raises ValueError if it was changed or the key is another."""
    total, _, text = sealed.partition("\n")
    if not hmac.compare_digest(total.encode("utf-8", "replace"), _sum(text, key).encode()):
        raise ValueError("damaged")
    return text


def load(path: Path, key: bytes | None = None) -> Any:
    """Return what a file of sealed JSON holds; raises OSError, or ValueError as ``unseal``."""
    text = safe_files.read(path, _MOST, links=False).decode("utf-8")
    return json.loads(unseal(text, key))


def code(data: bytes, key: bytes) -> str:
    """Return the HMAC-SHA-256 in hexadecimal: it can't be made without the key."""
    return hmac.new(key, data, hashlib.sha256).hexdigest()


def _sum(text: str, key: bytes | None) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest() if key is None else code(data, key)


def is_ours(state: os.stat_result) -> bool:
    """Return whether only this user and root can have written it; False if that isn't known."""
    own = getattr(os, "geteuid", None)
    others = stat.S_IWGRP | stat.S_IWOTH
    return own is not None and state.st_uid in (0, own()) and not state.st_mode & others
