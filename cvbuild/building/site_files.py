"""Publish a folder of files that other files may be in: write what changed, remove what is stale.

A list of the files that were written, with their hashes, is stored below ``out/.build``, with a
code made with the user's key: only a file that is in it, and that nobody has changed, is removed.
Beside it are notes: texts by name, for whoever publishes next.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cvbuild.common import hashes, sealed, user_cache
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_folders import Folder

#: Bytes: the most of a file of the site, and of the list of its files.
_MOST = 256 << 20


@dataclass(frozen=True, slots=True)
class Changes:
    """How many files were written, and how many were removed."""

    written: int
    removed: int


@dataclass(frozen=True, slots=True)
class Published:
    """What was published last: the files with their hashes, and the notes."""

    files: Mapping[str, str]
    notes: Mapping[str, str]


def published(out: Path, name: str, cache: Path | None) -> Published:
    """Return what ``publish`` wrote last, without files that are gone; nothing if it isn't sure."""
    safe_files.refuse_links(out, name)
    try:
        with safe_folders.opened(out, safe_folders.BUILD) as stored:
            manifest = _read(stored, f"{name}.json", user_cache.key(user_cache.resolved(cache)))
    except OSError:
        return Published({}, {})
    there = {path: one for path, one in manifest.files.items() if (out / name / path).is_file()}
    return Published(there, manifest.notes)


def publish(
    out: Path,
    name: str,
    files: Mapping[str, bytes | Path],
    cache: Path | None,
    kept: Published | None = None,
) -> Changes:
    """Make ``out/name`` hold these files, bytes or copies; raises CvbuildError, OSError.

    ``cache`` is the folder with the user's key, by default the user's own. ``kept`` has further
    files, which stay as they were published, and the new notes.
    """
    kept = kept or Published({}, {})
    key = user_cache.key(user_cache.resolved(cache))
    safe_files.refuse_links(out, name)
    with safe_folders.opened(out, safe_folders.BUILD, make=True) as stored:
        before = _read(stored, f"{name}.json", key).files
        after = {**kept.files}
        stale = before.keys() - files.keys() - after.keys()
        folders = (PurePosixPath(name, path).parent for path in (*files, *sorted(stale)))
        safe_files.refuse_links(out, *map(str, folders))
        written = removed = 0
        for path, content in files.items():
            data = content
            if isinstance(data, Path):
                data = safe_files.read(data, _MOST, links=False)
            after[path] = hashes.digest(data)
            written += _write(out / name / path, data, after[path])
        for path in stale:
            removed += _remove(out / name, path, before[path])
        whole = {"files": after, "notes": {**kept.notes}}
        stored.write(f"{name}.json", sealed.seal(json.dumps(whole, sort_keys=True), key).encode())
    return Changes(written, removed)


def _read(folder: Folder, name: str, key: bytes) -> Published:
    try:
        manifest = json.loads(sealed.unseal(folder.read(name, _MOST).decode(), key))
        return Published(manifest["files"], manifest["notes"])
    except (OSError, ValueError, KeyError):
        return Published({}, {})


def _write(place: Path, data: bytes, digest: str) -> int:
    """Write a file unless it is there; return how many were written."""
    if hashes.file_hash(place) == digest:
        return 0
    place.parent.mkdir(parents=True, exist_ok=True)
    safe_files.replace(place, data, f"{place}.new")
    return 1


def _remove(top: Path, path: str, digest: str) -> int:
    """Remove a file that is as it was written, and the folders that are empty then."""
    place = top / path
    if hashes.file_hash(place) != digest:
        return 0
    with suppress(OSError):
        place.unlink()
        for folder in place.parents[: len(PurePosixPath(path).parts) - 1]:
            folder.rmdir()
    return int(not place.exists())
