"""A packet's folder: made next to the old one and renamed, so that it is always complete."""

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

#: The file with a packet's memory, in the folder for what is stored between builds.
MEMORY = "packet.json"


@dataclass(frozen=True, slots=True)
class Memory:
    """What is stored about a packet that is in place: its key, the hash of each file, its notes."""

    key: str
    files: Mapping[str, str]
    notes: tuple[Diagnostic, ...] = ()


def read(store: Path, cache: Path) -> Memory | None:
    """Return what is stored; None if that is nothing, unreadable, or not this user's.

    ``cache`` is the folder with the user's key.
    """
    try:
        sealed = (store / MEMORY).read_text(encoding="utf-8")
        plain = json.loads(seals.unseal(sealed, user_cache.key(cache)))
        notes = tuple(map(Diagnostic.from_json, plain["notes"]))
        return Memory(str(plain["key"]), dict(plain["files"]), notes)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def write(store: Path, memory: Memory, cache: Path) -> None:
    """Store a packet's memory; raises OSError."""
    plain = {
        "key": memory.key,
        "files": dict(memory.files),
        "notes": [note.as_json() for note in memory.notes],
    }
    sealed = seals.seal(json.dumps(plain), user_cache.key(cache))
    safe_files.replace(store / MEMORY, sealed.encode("utf-8"))


def is_there(place: Path, files: Mapping[str, str]) -> bool:
    """Return whether the folder holds these files, by their hashes, and nothing else."""
    try:
        names = {entry.name for entry in os.scandir(place)}
    except OSError:
        return False
    return names == set(files) and all(
        hashes.file_hash(place / name) == known for name, known in files.items()
    )


def put(place: Path, files: Mapping[str, bytes]) -> None:
    """Replace the folder by one with these files.

    The caller must hold the lock. Raises OSError, and then leaves the old folder as it was.
    """
    new, old = _hidden_sibling(place, "new"), _hidden_sibling(place, "old")
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
    """Undo what a killed process has left half done; raises OSError if that fails."""
    place.parent.mkdir(parents=True, exist_ok=True)
    old = _hidden_sibling(place, "old")
    if os.path.lexists(old) and not os.path.lexists(place):
        old.rename(place)
    _remove(old)
    _remove(_hidden_sibling(place, "new"))


def _hidden_sibling(place: Path, what: str) -> Path:
    # No slug has a full stop.
    return place.with_name(f".{place.name}.{what}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
