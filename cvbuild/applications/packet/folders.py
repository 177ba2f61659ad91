"""A packet's folder: made next to the old one and renamed, so that it is always complete."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common import hashes, user_cache
from cvbuild.common import sealed as seals
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.files import safe_folders
from cvbuild.common.files.safe_folders import Folder

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
        plain = seals.load(store / MEMORY, user_cache.key(cache))
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
    with safe_folders.stored(store, make=True) as folder:
        folder.write(MEMORY, sealed.encode("utf-8"))


def is_there(place: Path, files: Mapping[str, str]) -> bool:
    """Return whether the folder holds these files, by their hashes, and nothing else."""
    try:
        names = {entry.name for entry in os.scandir(place)}
    except OSError:
        return False
    return names == set(files) and all(
        hashes.file_hash(place / name) == known for name, known in files.items()
    )


def put(parent: Folder, slug: str, files: Mapping[str, bytes]) -> None:
    """Replace the packet's folder in ``parent`` by one with these files.

    The caller must hold the lock. Raises OSError, and then leaves the old folder as it was.
    """
    new, old = _hidden(slug, "new"), _hidden(slug, "old")
    recover(parent, slug)
    try:
        with parent.inner(new, make=True) as folder:
            for name, content in files.items():
                folder.create(name, content)
        if parent.state(slug):
            parent.rename(slug, old)
        try:
            parent.rename(new, slug)
        except OSError:
            parent.rename(old, slug)
            raise
    finally:
        parent.remove(new)
        parent.remove(old)


def recover(parent: Folder, slug: str) -> None:
    """Undo what a killed process has left half done; raises OSError if that fails."""
    old = _hidden(slug, "old")
    if parent.state(old) and not parent.state(slug):
        parent.rename(old, slug)
    parent.remove(old)
    parent.remove(_hidden(slug, "new"))


def _hidden(slug: str, what: str) -> str:
    # No slug has a full stop.
    return f".{slug}.{what}"
