"""Is a document still what its inputs say? A key of all that it is made from, kept beside it.

The key is a hash over named parts, and the parts are kept too, so that it can be said which of
them changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

from cvbuild.common import file_state, safe_files

Kind = type | tuple[type, ...]
#: Parts that differ between machines on which the same document would have the same bytes.
_OF_MACHINE = ("tree", "fonts")


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
    private: bool = False
    """Whether what is private was in it; another build of the same name may be public."""
    warm: str = ""
    """The hash of the auxiliary files that are kept beside it; empty if there are none."""
    parts: dict[str, str] = field(default_factory=dict)
    """What the key was made from."""
    details: dict[str, str] = field(default_factory=dict)
    """What is in the part "text", for people: hashes of fields, values of options."""


def key(parts: Mapping[str, str]) -> str:
    """A SHA-256 over the parts, in hexadecimal."""
    return digest(json.dumps(dict(parts), sort_keys=True))


def content(parts: Mapping[str, str]) -> str:
    """The same without what is of this machine: the PDF's ids are made of it."""
    return key({name: part for name, part in parts.items() if name not in _OF_MACHINE})


def digest(data: str | bytes) -> str:
    """The SHA-256 of a text or of bytes, in hexadecimal."""
    plain = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(plain).hexdigest()


def files(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    """(name, hash) of every file in a template's folders, but its preview and hidden files.

    The name is that of the folder and the place in it: academic/cvb-academic.sty.
    """
    for folder in folders:
        for path in map(Path, file_state.below(folder)):
            if path.is_file():
                yield (
                    Path(folder.name, path.relative_to(folder)).as_posix(),
                    file_state.identity(path),
                )


def tree(paths: Iterable[Path]) -> str:
    """A hash over what identifies the files of a TeX tree, or of fonts."""
    every = tuple(map(str, paths))
    return _tree(every, file_state.digest(every))


@lru_cache(maxsize=16)
def _tree(paths: tuple[str, ...], _: str) -> str:
    return of_tree({path: file_state.identity(path) for path in paths})


def of_tree(identities: Mapping[str, str]) -> str:
    """The same from what is known of each file."""
    return digest(json.dumps(list(identities.items())))


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
        record = Record(**{**data, "left_out": tuple(data["left_out"])})
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return record if _sound(record) else None


def _sound(record: Record) -> bool:
    """Whether all of it has the type that it should have: the file may hold anything."""
    return (
        _are(str, (record.key, record.pdf_hash, record.engine, *record.left_out))
        and _are(int, (record.epoch, record.pages))
        and _are(bool, [record.private])
        and (record.fill is None or _are((int, float), [record.fill]))
        and (record.verified is None or _are_named((int, float), record.verified))
        and _are_named(str, record.parts)
        and _are_named(str, record.details)
    )


def _are(kind: Kind, values: Iterable[object]) -> bool:
    return all(isinstance(value, kind) for value in values)


def _are_named(kind: Kind, values: object) -> bool:
    return isinstance(values, dict) and _are(kind, values.values())


def write(path: Path, record: Record) -> None:
    """Remember; the file is replaced whole."""
    text = json.dumps(asdict(record))
    safe_files.replace(path, text.encode("utf-8", "surrogatepass"), f"{path.stem}.new")
