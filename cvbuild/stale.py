"""Is a document still what its inputs say? A key of all that it is made from, kept beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import cvbuild


@dataclass(frozen=True, slots=True)
class Record:
    """What is remembered of a finished document."""

    key: str
    epoch: int
    pdf_hash: str
    pages: int
    engine: str
    left_out: tuple[str, ...] = ()
    fill: float | None = None
    verified: dict[str, float] | None = None
    """What was compared with the PDF: numbers of texts, links, fonts, pages; seconds."""
    warm: str = ""
    """The hash of the auxiliary files that are kept beside it; empty if there are none."""


def key(parts: Iterable[str | bytes]) -> str:
    """A SHA-256 over the parts, in hexadecimal; the version of cvbuild counts too."""
    digest = hashlib.sha256(cvbuild.__version__.encode())
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        # The length goes first, so that no two lists of parts have the same bytes.
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def folder_hash(folders: Iterable[Path]) -> str:
    """A hash of every file in the folders of a template, but pictures and hidden files."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ".png" and not path.name.startswith("."):
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file in hexadecimal; empty if it can't be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def read(path: Path) -> Record | None:
    """What was remembered, or None if nothing was or it can't be understood."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Record(**{**data, "left_out": tuple(data["left_out"])})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(path: Path, record: Record) -> None:
    """Remember; the file is replaced whole."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(asdict(record)), encoding="utf-8")
    beside.replace(path)
