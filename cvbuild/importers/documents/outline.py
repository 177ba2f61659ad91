"""The parts of a CV as a document shows them: what LaTeX, Word and Markdown have in common.

Texts are inline Markdown, escaped already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from cvbuild.common.diagnostics import Span


@dataclass
class Point:
    """A point of a list, with those under it."""

    text: str
    place: Span
    points: list[Point] = field(default_factory=list)
    group: str = ""


@dataclass
class Prose:
    """A paragraph."""

    text: str
    place: Span
    group: str = ""


@dataclass
class Keyed:
    """A label and what belongs to it: ``Languages: Python, C++``."""

    label: str
    text: str
    place: Span
    comment: str = ""
    points: list[Point] = field(default_factory=list)
    group: str = ""


@dataclass
class Entry:
    """A position, a degree, an award: ``texts`` are its names in the order of the source.

    ``is_sorted`` says that the first of them is the title and the second the organization;
    ``looks`` are their styles, for those whose order is to be found; ``is_guessed`` that
    neither their words nor their looks tell it.
    """

    texts: list[str]
    place: Span
    location: str = ""
    date: str = ""
    grade: str = ""
    url: str = ""
    paragraphs: list[str] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    roles: list[Entry] = field(default_factory=list)
    is_sorted: bool = True
    looks: list[frozenset[str]] = field(default_factory=list)
    is_judged: bool = False
    is_guessed: bool = False
    group: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but perhaps points in it."""
        return not (any(self.texts) or self.date or self.paragraphs)


Part = Point | Prose | Keyed | Entry


@dataclass
class Section:
    """A section: its title, and its parts in order; ``group`` of a part is its sub-heading."""

    title: str
    place: Span
    parts: list[Part] = field(default_factory=list)


def under(points: list[Point], point: Point, level: int) -> None:
    """Add a point at a level below a list of points."""
    while level > 0 and points:
        points, level = points[-1].points, level - 1
    points.append(point)


def bullets(points: Iterable[Point]) -> list[Any]:
    """Return points as bullets; those deeper than the second level join it."""
    found: list[Any] = []
    for point in points:
        inner = [
            text for one in point.points for text in [one.text, *plain_texts(one.points)] if text
        ]
        if point.text or inner:
            text = point.text or inner.pop(0)
            found.append({"text": text, "bullets": inner} if inner else text)
    return found


def plain_texts(points: Iterable[Point]) -> list[str]:
    """Return the texts of points at all levels, in their order."""
    found: list[str] = []
    todo = [iter(points)]
    while todo:
        point = next(todo[-1], None)
        if point is None:
            todo.pop()
            continue
        found += [point.text] if point.text else []
        todo.append(iter(point.points))
    return found
