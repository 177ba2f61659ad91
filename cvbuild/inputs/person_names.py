"""Find a person by the name in the file, however it is spelt: case and accents don't count."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import product

from cvbuild.common.errors import ProfileError
from cvbuild.common.positions import shown
from cvbuild.common.suggestions import nearest
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source
from cvbuild.model.contact import Name


def read(people: Iterable[Person]) -> dict[Person, tuple[str, ...]]:
    """Return the names in each person's file; none for a file that can't be read."""
    return {person: _names(person) for person in people}


def find(name: str, known: Mapping[Person, Iterable[str]]) -> list[Person]:
    """Return the people who have the name."""
    folded = _folded(name)
    return [person for person in known if folded in map(_folded, known[person])]


def suggestion(name: str, known: Mapping[Person, Iterable[str]]) -> str | None:
    """Return a hint at the person with the most similar name, if any has one."""
    names = {_folded(one): (one, person) for person in known for one in known[person]}
    close = nearest(_folded(name), names)
    if close is None:
        return None
    found, person = names[close]
    return f'did you mean "{person.name}", {shown(found)}?'


def _folded(name: str) -> str:
    parts = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def _names(person: Person) -> tuple[str, ...]:
    try:
        data = source.load(person.path).data
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
