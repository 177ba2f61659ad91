"""A packet's folder: made next to the old one and renamed, so that it is always complete."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cvbuild.common.files import safe_files
from cvbuild.common.files.safe_folders import Folder


def is_there(place: Path, files: Mapping[str, bytes]) -> bool:
    """Return whether the folder holds these files, and nothing else."""
    try:
        return {path.name for path in place.iterdir()} == set(files) and all(
            safe_files.read(place / name, len(content), links=False) == content
            for name, content in files.items()
        )
    except OSError:
        return False


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
