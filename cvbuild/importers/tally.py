"""How sure an import is: what was read whole, guessed, or listed as lost, and which guesses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, quoted
from cvbuild.importers import plausibility
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml.source import Source

#: The row of all that is above the sections, and that of losses which belong to no part.
HEAD, ELSEWHERE = "head", "elsewhere"
#: Keys of a section or a group by which all its items are understood.
_OF_ALL = ("kind", "title")


@dataclass(frozen=True, slots=True)
class Count:
    """Of how many items of a section each value has its place.

    ``guessed`` items have a value that is marked; ``lost`` counts losses, also several of an item.
    What is neither is ``whole``.
    """

    section: str
    items: int
    whole: int
    guessed: int
    lost: int


def of(found: Imported) -> list[Count]:
    """Return the counts of the head, of each section, and of what belongs to none of them."""
    rows = [_count(HEAD, (), list(_head(found.data)), found)]
    for at, section in enumerate(found.data.get("sections", ())):
        path: FieldPath = ("sections", at)
        name = str(section.get("title") or section["kind"])
        rows.append(_count(name, path, list(_items(section, path)), found))
    elsewhere = sum(not one.near for one in found.lost)
    return [*rows, *([Count(ELSEWHERE, 0, 0, 0, elsewhere)] if elsewhere else [])]


def guesses(found: Imported, source: Source | None, file: str) -> list[Diagnostic]:
    """Return a note on each guess: what is implausible, then those of the head before others.

    Each has its place in ``source``, the person's file; without it that file's name alone.
    """
    odd = plausibility.odd(found.data)
    # What can't be right goes first.
    paths = sorted(found.guesses, key=lambda path: (path not in odd, path[0] == "sections"))
    spans = [source.span(path) if source else Span(file) for path in paths]
    return [
        _guess(found.data, path, span, odd.get(path, ""))
        for path, span in zip(paths, spans, strict=True)
    ]


def _guess(value: Any, path: FieldPath, span: Span, why: str) -> Diagnostic:
    for step in path:
        value = value[step]
    what = path[-1] if isinstance(path[-1], str) else "an item"
    words = f"{what} is probably wrong ({why})" if why else f"{what} is a guess"
    if isinstance(value, str):
        words += f": {quoted(value)}"
    elif isinstance(value, dict) and value:
        words += f": {quoted(str(next(iter(value.values()))))}"
    return Diagnostic("note", "guess", words, span)


def _count(name: str, path: FieldPath, items: list[FieldPath], found: Imported) -> Count:
    near = [one.near for one in found.lost if one.near and _is_of(one.near, path)]
    guesses = [_reach(one) for one in found.guesses if _is_of(one, path)]
    guessed = {item for item in items for one in guesses if _meet(item, one)}
    lacking = {item for item in items for one in near if one[: len(item)] == item}
    return Count(name, len(items), len({*items} - guessed - lacking), len(guessed), len(near))


def _is_of(path: FieldPath, section: FieldPath) -> bool:
    """Return whether a path is in a section; in none of them, if that is the head's."""
    return path[: len(section)] == section if section else path[0] != "sections"


def _reach(guess: FieldPath) -> FieldPath:
    """Return the part of the data that a guess is about: with the kind of a section all of it."""
    is_of_all = guess[0] == "sections" and len(guess) == 3 and guess[2] in _OF_ALL
    return guess[:-1] if is_of_all else guess


def _meet(one: FieldPath, other: FieldPath) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def _head(data: Mapping[str, Any]) -> Iterator[FieldPath]:
    for key, value in data.items():
        if key == "contact":
            yield from ((key, inner) for inner in value)
        elif key != "sections":
            yield (key,)


def _items(section: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    yield from ((*path, "items", at) for at, _ in enumerate(section.get("items", ())))
    for number, group in enumerate(section.get("groups", ())):
        yield from ((*path, "groups", number, "items", at) for at, _ in enumerate(group["items"]))
