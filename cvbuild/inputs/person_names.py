"""Find a person by the name in the file, however it is spelt: case and accents don't count."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path

from cvbuild.common.errors import ProfileError
from cvbuild.common.positions import quoted
from cvbuild.common.suggestions import nearest
from cvbuild.inputs.yaml import source
from cvbuild.model.contact import Name


def read(files: Iterable[Path]) -> dict[Path, tuple[str, ...]]:
    """Return the names of the person of each file; none for a file that can't be read."""
    return {file: _names(file) for file in files}


def find(name: str, known: Mapping[Path, Iterable[str]]) -> list[Path]:
    """Return the files of the people who have the name."""
    folded = _folded(name)
    return [file for file in known if folded in map(_folded, known[file])]


def suggestion(name: str, known: Mapping[Path, Iterable[str]]) -> str | None:
    """Return a hint at the person with the most similar name, if any has one."""
    names = {_folded(one): (one, file) for file in known for one in known[file]}
    close = nearest(_folded(name), names)
    if close is None:
        return None
    found, file = names[close]
    return f'did you mean "{file.stem}", {quoted(found)}?'


def _folded(name: str) -> str:
    parts = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def _names(file: Path) -> tuple[str, ...]:
    try:
        data = source.load(file).data
    except ProfileError:
        return ()
    return tuple(_texts(data.get("name") if isinstance(data, dict) else None))


def _texts(name: object) -> list[str]:
    """Return what a written name reads as, in each language that it is written in."""
    if not isinstance(name, dict):
        return _each(name)
    if not {*Name.model_fields}.isdisjoint(name):
        both = product(_each(name.get("given")), _each(name.get("family")))
        return [*_each(name.get("full")), *map(" ".join, both), *_each(name.get("native"))]
    return _each(name)


def _each(value: object) -> list[str]:
    """Return a text, or those of a mapping from languages to texts."""
    found = value.values() if isinstance(value, dict) else [value]
    return [one for one in found if isinstance(one, str)]
