"""A packet's folder: made beside and renamed into place, so that nobody sees half of one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common import hashes, safe_files, user_cache
from cvbuild.common import sealed as seals
from cvbuild.common.diagnostics import Diagnostic

#: What is remembered of a packet, in the folder of what is kept between builds.
MEMORY = "packet.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """A packet that was put in place: its key, the hash of each file, what was said of it."""

    key: str
    files: Mapping[str, str]
    notes: tuple[Diagnostic, ...] = ()


def read(kept: Path, cache: Path) -> Memory | None:
    """What is remembered; None if that is nothing, can't be understood, or isn't this user's.

    ``cache`` is the folder with the user's key.
    """
    try:
        sealed = (kept / MEMORY).read_text(encoding="utf-8")
        plain = json.loads(seals.unseal(sealed, user_cache.key(cache)))
        notes = tuple(map(Diagnostic.from_json, plain["notes"]))
        return Memory(str(plain["key"]), dict(plain["files"]), notes)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def write(kept: Path, memory: Memory, cache: Path) -> None:
    """Remember a packet; raises OSError."""
    plain = {
        "key": memory.key,
        "files": dict(memory.files),
        "notes": [note.as_json() for note in memory.notes],
    }
    sealed = seals.seal(json.dumps(plain), user_cache.key(cache))
    safe_files.replace(kept / MEMORY, sealed.encode("utf-8"))


def is_there(place: Path, files: Mapping[str, str]) -> bool:
    """Whether the folder holds these files, by their hashes, and nothing else."""
    try:
        names = {entry.name for entry in os.scandir(place)}
    except OSError:
        return False
    return names == set(files) and all(
        hashes.file_hash(place / name) == known for name, known in files.items()
    )


def put(place: Path, files: Mapping[str, bytes]) -> None:
    """Have a folder with these files in the place, instead of what is there.

    For who is alone with it. Raises OSError, and leaves what was there as it was.
    """
    new, old = _beside(place, "new"), _beside(place, "old")
    recover(place)
    try:
        new.mkdir()
        for name, content in files.items():
            (new / name).write_bytes(content)
        if os.path.lexists(place):
            place.rename(old)
        try:
            new.rename(place)
        except OSError:
            old.rename(place)
            raise
    finally:
        _remove(new)
        _remove(old)


def recover(place: Path) -> None:
    """Undo what a killed process had begun; raises OSError where there can't be such a folder."""
    place.parent.mkdir(parents=True, exist_ok=True)
    old = _beside(place, "old")
    if os.path.lexists(old) and not os.path.lexists(place):
        old.rename(place)
    _remove(old)
    _remove(_beside(place, "new"))


def _beside(place: Path, what: str) -> Path:
    # No slug has a full stop.
    return place.with_name(f".{place.name}.{what}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
