"""What is kept between builds in the user's cache: answers by name, some with files of their own.

An entry is ``<name>.json``: an answer, and the state of every file that it depends on. It counts
only if it is undamaged, of this version, for the same key, written by nobody else, and all these
files are unchanged (``file_state``). Files of its own, which programs open by their path, are
written before it, so that no entry has an incomplete one. Whatever is wrong, the answer is made
again. An entry is marked as used whenever it is read, so that those not in use can go.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from cvbuild.common import VERSION, file_state, safe_files, user_cache, work_folders

#: The most bytes of a store. A format of TeX has 18 MB, and a template needs up to eight: for each
#: TeX, with tags and without, with an attachment, for measuring.
LIMIT = 200 << 20
#: Seconds in which what was used is not removed: TeX may be about to load it.
SPARE = 600
#: Changes whenever the entries do, or the way in which anything kept is made.
_VERSION = 6


def name_of(*question: object) -> str:
    """Return a name for the answer to a question: a hash of it."""
    return hashlib.sha256(repr(question).encode("utf-8", "surrogateescape")).hexdigest()[:24]


class Store:
    """A folder of entries, made when the first one is put into it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def usable(cls, cache: Path, name: str) -> Store:
        """Return the store of that name in the cache folder, or else one of this process.

        Raises OSError if there can be none.
        """
        store = cls(Path(os.path.realpath(cache), name))
        with contextlib.suppress(OSError):
            store.require()
            if os.access(store.folder, os.W_OK):
                return store
        own = cls(user_cache.private() / name)
        own.require()
        return own

    def require(self) -> None:
        """Make the folder; raises OSError, also if others may write there."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(self.folder.stat()):
            raise PermissionError(errno.EPERM, "others may write there")

    def lock(self, name: str) -> AbstractContextManager[None]:
        """Return the lock to hold while an answer is made; sixteen locks serve all names."""
        return work_folders.held(self.folder / f"{name[0]}.lock")

    def get(self, name: str, key: str = "") -> Any:
        """Return the answer; None if there is none that counts."""
        place = self._place(name)
        try:
            if not _is_ours(self.folder.stat()) or not _is_ours(place.lstat()):
                return None
            data = user_cache.load(place)
            if data["key"] != _key(name, key):
                return None
            # By the clock of the file system; it stays in the past where that can't be written.
            with contextlib.suppress(OSError):
                os.utime(place)
            now = place.stat().st_mtime_ns
            states = copy.deepcopy(data["files"])
            same = (file_state.same(str(self.folder / path), states[path], now) for path in states)
            if not all(same):
                return None
            if states != data["files"]:
                with contextlib.suppress(OSError):
                    self._write(place, {**data, "files": states})
            return data["answer"]
        except (OSError, ValueError, TypeError, LookupError):
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
                safe_files.replace(self.folder / file, content)
        # What its file system takes for the present.
        os.utime(self.folder)
        now = self.folder.stat().st_mtime_ns
        paths = [*(own or {}), *map(str, files)]
        states = {path: file_state.look(str(self.folder / path), now) for path in paths}
        data = {"key": _key(name, key), "own": [*(own or {})], "files": states, "answer": answer}
        self._write(self._place(name), data)
        with contextlib.suppress(OSError):
            self._tidy(now / 1e9 - SPARE)

    def drop(self, name: str) -> None:
        """Remove an entry; raises OSError."""
        place = self._place(name)
        for file in (*self._own(place), place.name):
            (self.folder / file).unlink(missing_ok=True)

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _write(self, place: Path, data: object) -> None:
        safe_files.replace(place, user_cache.seal(json.dumps(data)).encode(), mode=0o644)

    def _own(self, place: Path) -> set[str]:
        """Return the names of an entry's own files, even if it doesn't count."""
        try:
            return {Path(name).name for name in user_cache.load(place)["own"]}
        except (OSError, ValueError, TypeError, LookupError):
            return set()

    def _tidy(self, old: float) -> None:
        """Where there is too much, remove what wasn't used since ``old``, and what is no entry's.

        That was left by a process that was killed, or by an older version.
        """
        states = {path: path.stat() for path in self.folder.iterdir() if path.suffix != ".lock"}
        if sum(state.st_size for state in states.values()) <= LIMIT:
            return
        young = {path for path in states if states[path].st_mtime >= old}
        entries = [path for path in young if path.suffix == ".json"]
        young |= {self.folder / name for entry in entries for name in self._own(entry)}
        for path in states.keys() - young:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


def _key(name: str, key: str) -> list[object]:
    return [VERSION, _VERSION, name, key]


def _is_ours(state: os.stat_result) -> bool:
    """Return whether only this user and root can have written it; on Windows that isn't known."""
    return sys.platform == "win32" or user_cache.is_ours(state)
