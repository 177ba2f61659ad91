"""Which sections stand in the narrow column of a style that has two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.parts import Item
from cvbuild.selection.selected import SelectedSection

#: The letters of a line in the main and in the narrow column, and how high a line of the latter is,
#: in lines of the former.
_MAIN, _NARROW, _SMALL = 78, 34, 0.92
#: In lines: a section's title with the space around it, the space before an item; what the head
#: takes of the main column, and contacts of the narrow one.
_TITLE, _SPACE, _HEAD, _CONTACTS = 2.2, 0.3, 6.0, 5.0
#: The letters of a date.
_DATE = 12


def in_columns(sections: Sequence[SelectedSection], aside: Sequence[str]) -> list[SelectedSection]:
    """Return the sections with those of the narrow column last, if there are two columns.

    The kinds of ``aside`` are in it, in their order, but none that would make it longer than the
    main column, and no section in which somebody is quoted.
    """
    if not aside:
        return [*sections]
    main, narrow = _HEAD + sum(_height(one, _MAIN) for one in sections), _CONTACTS
    moved: list[SelectedSection] = []
    for kind in aside:
        own = [one for one in sections if one.kind == kind and not _is_quoting(one)]
        higher = narrow + sum(_height(one, _NARROW) for one in own) * _SMALL
        lower = main - sum(_height(one, _MAIN) for one in own)
        if own and higher <= lower:
            narrow, main = higher, lower
            moved += [replace(one, column=2) for one in own]
    paths = {one.path for one in moved}
    others = [replace(one, column=1) for one in sections if one.path not in paths]
    return [*others, *moved] if moved and others else [*sections]


def _is_quoting(section: SelectedSection) -> bool:
    return any(getattr(item, "quote", None) for group in section.groups for _, item in group.items)


def _height(section: SelectedSection, letters: int) -> float:
    """Return about how many lines of so many letters a section takes."""
    height = _TITLE
    for group in section.groups:
        height += bool(group.title) + bool(group.note)
        items = [item for _, item in group.items]
        if group.run:
            height += math.ceil(sum(map(_letters, items)) / letters)
            continue
        for item in items:
            lines = (math.ceil(count / letters) for count in _paragraphs(item, letters))
            height += sum(lines) + _SPACE
    return height


def _paragraphs(item: Any, letters: int) -> Iterator[int]:
    """Yield the letters of an item's head, and of each part below it.

    In the narrow column the title is alone on its line.
    """
    if not isinstance(item, BaseModel):
        yield _letters(item)
        return
    parts = [part for part in _fields(item) if isinstance(part, tuple)]
    below = [one for part in parts for one in part if isinstance(one, BaseModel)]
    whole = _letters(item) - sum(map(_letters, below))
    title = next(filter(None, map(_letters, _fields(item))), 0) if letters == _NARROW else 0
    yield min(title, whole)
    yield whole - min(title, whole)
    yield from map(_letters, below)


def _fields(item: BaseModel) -> Iterable[Any]:
    return (
        value
        for name, value in vars(item).items()
        if name not in Item.model_fields and name not in ("id", "url", "doi", "links")
    )


def _letters(value: Any) -> int:
    """Return the number of letters of all texts and dates in a value."""
    if isinstance(value, BaseModel) and not isinstance(value, (Prose, Date)):
        return sum(map(_letters, _fields(value)))
    if isinstance(value, tuple):
        return sum(map(_letters, value))
    if isinstance(value, Date):
        return _DATE
    return len(str(value)) + 2 if isinstance(value, (Prose, str)) else 0
