"""The formats that are kept: ``<key>.fmt``, and ``<key>.json`` that says what it was made from.

Nothing here is trusted: an entry counts only if its JSON can be understood, all files that it was
made from are still the same, and the format has the bytes that were written. A file is the same by
its stamp, or else by its hash. Both files come by renaming, the JSON last, so that a format that
was not written whole has none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common import file_state

#: Bytes that all formats may take. One has 18 MB, and a template needs up to eight: for each TeX,
#: with tags and without, with an attachment, for measuring.
LIMIT = 512 << 20
#: Seconds in which a format that was used is not removed: TeX may be about to load it.
SPARE = 600
#: Changes whenever these files do, or the way in which formats are made.
VERSION = 3
#: A file's path, its stamp if that can be relied on, and its SHA-256.
_File = tuple[str, file_state.Stamp | None, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a key: the stamp of its format, or why there can be none."""

    stamp: file_state.Stamp | None = None
    failed: str | None = None


def find(folder: Path, key: str) -> Entry | None:
    """The entry, if it is whole and nothing that it was made from has changed; marks it as used."""
    place, form = _places(folder, key)
    try:
        data = json.loads(place.read_text(encoding="utf-8"))
        failed = data["failed"]
        files: list[_File] = [_file(*item) for item in data["files"]]
        made_here = failed is None and files[0][0] == form.name
        if data["version"] != VERSION or not (made_here or isinstance(failed, str)):
            return None
        whole = [(str(folder / path), stamp, digest) for path, stamp, digest in files]
        by_stamp = [stamp == file_state.of(path) for path, stamp, _ in whole]
        rest = [file for file, same in zip(whole, by_stamp, strict=True) if not same]
        if any(digest_of(Path(path)) != digest for path, _, digest in rest):
            return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    with contextlib.suppress(OSError):
        if rest:
            _write(folder, key, [(path, digest) for path, _, digest in files], failed, data["slot"])
        os.utime(place)
    return Entry(None if failed else file_state.of(form), failed)


def put(folder: Path, key: str, slot: str, made: Path | str, files: Iterable[Path]) -> Entry:
    """Keep a format, which is moved here, or why there is none; raises OSError.

    ``files`` is what it was made from. ``slot`` is the same for all that replace one another: of
    them only the newest is kept.
    """
    _, form = _places(folder, key)
    known = [(str(path), digest_of(path)) for path in files]
    if isinstance(made, Path):
        known.insert(0, (form.name, digest_of(made)))
        made.replace(form)
        _write(folder, key, known, None, slot)
        return Entry(file_state.of(form))
    _write(folder, key, known, made, slot)
    return Entry(failed=made)


def intact(folder: Path, key: str) -> bool:
    """Whether the format has the bytes that were written, by its hash."""
    place, form = _places(folder, key)
    try:
        return bool(json.loads(place.read_text(encoding="utf-8"))["files"][0][2] == digest_of(form))
    except (OSError, ValueError, TypeError, KeyError, LookupError, RecursionError):
        return False


def drop(folder: Path, key: str) -> None:
    """Remove an entry; raises OSError."""
    for path in _places(folder, key):
        path.unlink(missing_ok=True)


def tidy(folder: Path, key: str, slot: str) -> None:
    """Remove what ``key`` replaces, and then what was not used for longest, down to the limit."""
    with contextlib.suppress(OSError):
        now = folder.joinpath(f"{key}.json").stat().st_mtime
        for path in (*folder.glob("*.new"), *folder.glob("new-*")):
            if path.stat().st_mtime < now - SPARE:
                # A folder is of a dump that was killed, and of a head that was edited since.
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
        found = {path.stem for path in folder.iterdir() if path.suffix in (".fmt", ".json")}
        used = {name: _used(folder, name) for name in found}
        left = sum(size for _, size in used.values())
        for name in sorted(found - {key}, key=used.__getitem__):
            time, size = used[name]
            old = left > LIMIT and time < now - SPARE
            if old or _slot(folder, name) == slot:
                drop(folder, name)
                left -= size


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hexadecimal; empty if it can't be read."""
    with contextlib.suppress(OSError, ValueError), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
    return ""


def _places(folder: Path, key: str) -> tuple[Path, Path]:
    return folder / f"{key}.json", folder / f"{key}.fmt"


def _file(path: str, stamp: list[int] | None, digest: str) -> _File:
    """A file as it was in JSON, the stamp as ``stamps`` makes it; raises TypeError, ValueError."""
    if not isinstance(path, str) or not isinstance(digest, str) or not digest:
        raise TypeError(path)
    if stamp is None:
        return path, None, digest
    write, change, size, inode = stamp
    return path, (write, change, size, inode), digest


def _write(
    folder: Path, key: str, files: Iterable[tuple[str, str]], failed: str | None, slot: str
) -> None:
    place, form = _places(folder, key)
    beside = folder / f"{key}.{os.getpid()}-{threading.get_ident()}.new"
    try:
        beside.touch()
        now = beside.stat().st_mtime_ns
        rows = []
        for path, digest in files:
            stamp = file_state.of(folder / path)
            # The format itself was written by nobody else.
            safe = path == form.name or (stamp and max(stamp[:2]) < now - file_state.TICK)
            rows.append((path, stamp if safe else None, digest))
        data = {"version": VERSION, "slot": slot, "failed": failed, "files": rows}
        beside.write_text(json.dumps(data), encoding="utf-8")
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def _used(folder: Path, key: str) -> tuple[float, int]:
    """When an entry was used last, and how many bytes it has."""
    time, size = 0.0, 0
    for path in _places(folder, key):
        with contextlib.suppress(OSError):
            state = path.stat()
            time, size = max(time, state.st_mtime), size + state.st_size
    return time, size


def _slot(folder: Path, key: str) -> str | None:
    try:
        slot = json.loads(_places(folder, key)[0].read_text(encoding="utf-8"))["slot"]
        return slot if isinstance(slot, str) else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
