"""The user's cache folder: everything kept between builds that is run or loaded as code.

That is TeX's formats and templates compiled by Jinja. None of it is kept in a project, as the user
who clones a project owns every file in it, no matter who wrote it. Files in a project that change
what a program does have a code (``seal``) made with the key in this folder.

A ``Store`` is a folder in it with answers by name, some with files of their own.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
import stat
import sys
from _thread import RLock
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common import VERSION
from cvbuild.common.files import file_state, safe_files, safe_folders

if TYPE_CHECKING:
    from cvbuild.common.diagnostics import Diagnostic


#: The environment variable that names another folder.
VARIABLE = "CVBUILD_CACHE"
_NAME = "cvbuild"
#: The file with the key, and its size in bytes.
_KEY, _KEY_SIZE = "key", 32
_OF_PROCESS = os.urandom(_KEY_SIZE)


def resolved(cache: Path | None = None) -> Path:
    """Return the folder given, or that CVBUILD_CACHE names, or the user's, or this process's."""
    if cache is None:
        place, fault = _chosen()
        cache = private() if place is None or fault else place
    # Without links and dots.
    return Path(os.path.realpath(cache))


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
    for is_made in (False, True):
        with contextlib.suppress(OSError), safe_files.regular(place, links=False) as file:
            secret = file.read(_KEY_SIZE + 1)
            if len(secret) == _KEY_SIZE and _is_closed(os.fstat(file.fileno()), 0o077):
                return secret
        # If two processes make one at the same time, both use the last.
        with contextlib.suppress(OSError):
            if not is_made:
                used.mkdir(mode=0o700, parents=True, exist_ok=True)
                safe_folders.write(place, os.urandom(_KEY_SIZE), 0o600, shared=True)
    return _OF_PROCESS


def _chosen() -> tuple[Path | None, str]:
    """Return the folder to use, made if needed, and why it can't be used (empty: it can)."""
    named, place = os.environ.get(VARIABLE), None
    if named:
        place = Path(named)
    else:
        places = {"win32": ("LOCALAPPDATA", "AppData/Local"), "darwin": ("", "Library/Caches")}
        variable, below = places.get(sys.platform, ("XDG_CACHE_HOME", ".cache"))
        base = Path(os.environ.get(variable, ""))
        # XDG says to ignore a relative path: it would be in the project.
        if base.is_absolute():
            place = base / _NAME
        elif os.environ.get("HOME") != "":
            # Without HOME, the system's entry for the user is used; an empty HOME means none.
            with contextlib.suppress(RuntimeError):
                home = Path.home()
                if home.is_absolute() and home.is_dir():
                    place = home / below / _NAME
    if place is None:
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
    if not _is_closed(state, 0o077):
        return place, "it is open to others, or belongs to another user"
    writable = os.access(place, os.W_OK | os.X_OK)
    return place, "" if writable else "it is not writable"


def _is_closed(state: os.stat_result, others: int, *owners: int) -> bool:
    """Return whether it is the user's, or of these, and not open to others; True on Windows."""
    own = getattr(os, "geteuid", None)
    return own is None or (state.st_uid in (own(), *owners) and not state.st_mode & others)


# -- files kept between runs, which are not validated: undamaged, and our own ----------------------

#: How many bytes of a file are read.
_MOST = 64 << 20


def seal(text: str, key: bytes = b"") -> bytes:
    """Return the text after a line with its HMAC-SHA-256, which can't be made without the key."""
    data = text.encode("utf-8", "surrogatepass")
    return hmac.digest(key, data, "sha256").hex().encode() + b"\n" + data


def load(path: Path, key: bytes = b"") -> Any:
    """Return what a file of sealed JSON holds; raises OSError, ValueError if it isn't as sealed."""
    sealed = safe_files.read(path, _MOST, links=False)
    text = sealed.partition(b"\n")[2].decode("utf-8")
    if not hmac.compare_digest(seal(text, key), sealed):
        raise ValueError("damaged")
    return json.loads(text)


# -- answers by name -------------------------------------------------------------------------------

#: The most bytes of a store. A format of TeX has 18 MB, and a template needs up to eight: for each
#: TeX, with tags and without, with an attachment, for measuring.
LIMIT = 200 << 20
#: Seconds in which what was used is not removed: TeX may be about to load it.
SPARE = 600
#: What threads of this process wait for where files can't be locked.
_of_threads = RLock()
#: Changes whenever the entries do, or the way in which anything kept is made.
_VERSION = 7


def name_of(*question: object) -> str:
    """Return a name for the answer to a question: a hash of it."""
    return hashlib.sha256(repr(question).encode("utf-8", "surrogateescape")).hexdigest()[:24]


class Store:
    """A folder of entries, made when the first one is put into it.

    An entry is ``<name>.json``: an answer, and the states of the files that it depends on. It
    counts only if it is undamaged, of this version and key, written by nobody else, and these files
    are unchanged. Files of its own are written before it, so that no entry has an incomplete one.
    An entry is marked as used whenever it is read, so that others can go.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def usable(cls, cache: Path, name: str) -> Store:
        """Return the store of that name in the cache, or else this process's; raises OSError."""
        store = cls(Path(os.path.realpath(cache), name))
        with contextlib.suppress(OSError):
            store.require()
            if os.access(store.folder, os.W_OK):
                return store
        own = cls(private() / name)
        own.require()
        return own

    def require(self) -> None:
        """Make the folder; raises OSError, also if others may write there."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_closed(self.folder.stat(), 0o022, 0):
            raise PermissionError(errno.EPERM, "others may write there")

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold a lock while an answer is made; sixteen locks serve all names.

        Where there are none, only threads wait: two processes may do the same work, each whole.
        """
        place = self.folder / f"{name[0]}.lock"
        place.touch()
        with (
            safe_folders.locked(place) as is_locked,
            contextlib.nullcontext() if is_locked else _of_threads,
        ):
            yield

    def get(self, name: str, key: str = "") -> Any:
        """Return the answer; None if there is none that counts."""
        place = self.folder / f"{name}.json"
        try:
            if not all(_is_closed(s, 0o022, 0) for s in (self.folder.stat(), place.lstat())):
                return None
            data = load(place)
            if data["key"] != [VERSION, _VERSION, name, key]:
                return None
            # By the clock of the file system; it stays in the past where that can't be written.
            with contextlib.suppress(OSError):
                os.utime(place)
            now = place.stat().st_mtime_ns
            states = {path: [*state] for path, state in data["files"].items()}
            same = (file_state.same(str(self.folder / path), states[path], now) for path in states)
            if not all(same):
                return None
            if states != data["files"]:
                with contextlib.suppress(OSError):
                    data["files"] = states
                    safe_folders.write(place, seal(json.dumps(data)), 0o644, shared=True)
            return data["answer"]
        except (OSError, ValueError, TypeError, LookupError, AttributeError):
            return None

    def put(
        self,
        name: str,
        answer: object,
        key: str = "",
        *,
        own: Mapping[str, bytes | Path] | None = None,
        files: Iterable[Path] = (),
    ) -> None:
        """Keep an answer in place of the one of that name; raises OSError.

        It depends on ``files``. ``own`` has the entry's own by name: bytes, or a file to move here.
        """
        self.require()
        for file, content in (own or {}).items():
            if isinstance(content, Path):
                content.replace(self.folder / file)
            else:
                safe_folders.write(self.folder / file, content, shared=True)
        os.utime(self.folder)  # what its file system takes for the present
        now = self.folder.stat().st_mtime_ns
        paths = [*(own or {}), *map(str, files)]
        states = {path: file_state.look(str(self.folder / path), now) for path in paths}
        ours = {"key": [VERSION, _VERSION, name, key], "own": [*(own or {})]}
        data = seal(json.dumps({**ours, "files": states, "answer": answer}))
        safe_folders.write(self.folder / f"{name}.json", data, 0o644, shared=True)
        # If there is too much, what wasn't used lately goes, and what is no entry's.
        with contextlib.suppress(OSError):
            stats = {path: path.stat() for path in self.folder.iterdir() if path.suffix != ".lock"}
            if sum(state.st_size for state in stats.values()) <= LIMIT:
                return
            import shutil  # takes as long as all other imports of a run without changes

            young = {path for path in stats if stats[path].st_mtime >= now / 1e9 - SPARE}
            for entry in [path for path in young if path.suffix == ".json"]:
                # Its own files too, even if it doesn't count.
                with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
                    young |= {self.folder / Path(name).name for name in load(entry)["own"]}
            for path in stats.keys() - young:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
