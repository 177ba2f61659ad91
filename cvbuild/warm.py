"""Auxiliary files of a document's last good build: with them, one pass of TeX is enough.

They are only where TeX starts from. It runs until they no longer change, so that those of another
text or style cost a further pass and no more; what is damaged is not used at all.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

#: The folder beside a document's record.
FOLDER = "warm"

Files = tuple[tuple[str, bytes], ...]


def keep(place: Path, files: Files) -> str:
    """Keep ``files`` (name, content) in ``place``/warm; the hash by which ``kept`` knows them.

    Empty if they can't be kept: the next build then begins from nothing.
    """
    folder, beside = place / FOLDER, place / f"{FOLDER}.new"
    # Why no lock: two builds that get in each other's way leave files that no hash fits.
    try:
        for old in (beside, folder):
            shutil.rmtree(old, ignore_errors=True)
        beside.mkdir(parents=True)
        for name, content in files:
            (beside / name).write_bytes(content)
        beside.rename(folder)
    except OSError:
        return ""
    return digest(files) if files else ""


def kept(place: Path, wanted: str) -> Files:
    """The files in ``place``/warm if they are those of the hash ``wanted``, else none."""
    try:
        paths = sorted((place / FOLDER).iterdir())
        files = tuple((path.name, path.read_bytes()) for path in paths)
    except OSError:
        return ()
    return files if digest(files) == wanted else ()


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over names and contents, in hexadecimal."""
    total = hashlib.sha256()
    for name, content in sorted(files):
        total.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        total.update(content)
    return total.hexdigest()
