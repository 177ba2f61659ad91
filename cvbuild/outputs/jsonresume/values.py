"""Values of a profile as JSON: plain text, lists without what is left out, ISO dates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.dates import Date, Point
from cvbuild.model.parts import Author, Bullet, Link, Phrase

#: Fields that select and order, and aren't about the person.
EDITORIAL = frozenset({"keep", "tags", "priority", "private"})


@dataclass(frozen=True, slots=True)
class Values:
    """Reads values; ``left_out`` has the paths that are left out, with all that is below them."""

    left_out: frozenset[FieldPath]

    def fields(self, model: BaseModel, path: FieldPath) -> Iterator[tuple[str, Any, FieldPath]]:
        """Yield the fields of a model that are about the person: key of the file, value, path."""
        for name, info in type(model).model_fields.items():
            key = info.alias or name
            value = getattr(model, name)
            empty = value is None or (isinstance(value, tuple | str | FrozenMap) and not value)
            if name not in EDITORIAL and not empty:
                yield key, value, (*path, key)

    def shown(self, values: Iterable[Any], path: FieldPath) -> Iterator[tuple[FieldPath, Any]]:
        """Yield the elements of a list that are shown, each with its path."""
        for index, value in enumerate(values):
            if (*path, index) not in self.left_out:
                yield (*path, index), value

    def flat(self, placed: tuple[FieldPath, Any]) -> Iterator[tuple[FieldPath, Any]]:
        """Yield an element of a list, and the bullets below it: JSON Resume has lists of texts."""
        yield placed
        path, value = placed
        if isinstance(value, Bullet):
            yield from self.shown(value.bullets, (*path, "bullets"))

    def json(self, value: Any, path: FieldPath) -> Any:
        """Return a value as JSON: a text without its Markdown, a labelled link as an object.

        Raises TypeError for an unknown type: nothing is left out silently.
        """
        match value:
            case Prose() | str():
                return str(value)
            case Phrase():
                return str(value.text)
            case Author():
                return value.name + value.marks
            case Link():
                url = {"url": value.url} if value.url else {}
                return {"label": value.label, **url}
            case FrozenMap():
                return {key: str(meaning) for key, meaning in value.items()}
            case tuple():
                shown = self.shown(value, path)
                return [self.json(one, place) for below in shown for place, one in self.flat(below)]
        raise TypeError(f"{type(value).__name__} at {path} has no form in JSON Resume")


def iso(point: Point) -> str:
    """Return YYYY, YYYY-MM or YYYY-MM-DD; of a season only the year."""
    return f"{point.year:04}" if point.season else str(point)


def ranged(date: Date) -> dict[str, str]:
    """Return keys for lists with startDate and endDate; without an end, a date ends as it starts.

    Why: in JSON Resume an absent endDate means that it continues. Words have no key there.
    """
    if date.start is None:
        return {}
    end = {} if date.present else {"endDate": iso(date.end or date.start)}
    return {"startDate": iso(date.start), **end}


def single(date: Date, key: str) -> dict[str, str]:
    """Return keys for lists with one date: the end of a range, or the start of an open one."""
    return {key: iso(date.end or date.start)} if date.start else {}


def words(date: Date) -> str:
    """Return the date as a person's file has it: Fall 2019, 2019-03 to present."""
    if date.several:
        return ", ".join(map(words, date.several))
    if date.start is None:
        return date.text or ""
    end = "present" if date.present else date.end
    found = f"{date.start} to {end}" if end else str(date.start)
    return f"{found} (expected)" if date.expected else found
