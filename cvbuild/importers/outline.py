"""A document as it is read: runs of text, blocks of them, and the parts of a CV that these become.

Runs and blocks are what its lines show, and parts what they mean. ``markdown`` writes runs as
inline Markdown, escaped once; texts of parts are that already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates
from cvbuild.model.text import rich_text, texts

#: What is written around a text of each style, the outermost last.
_MARKS = (("sup", "^"), ("sub", "~"), ("em", "*"), ("strong", "**"))


@dataclass
class Block:
    """A block: its ``lines`` in runs, where a tab parts the cells of a row.

    ``level`` is that of a heading, from 1, or of a point, from 0; 1 for a row that names
    columns. ``first`` and ``last`` are lines of the source; 0 where there are none.
    """

    kind: str
    """heading, paragraph, point, row, lost, part"""
    lines: list[list[Run]]
    level: int = 0
    first: int = 0
    last: int = 0
    cell: int = 0
    """Blocks of one cell of a table that is no row have the same number; 0 elsewhere."""
    is_said: bool = False
    """Whether the file says in another way what it says: by a kind, by keys."""
    span: Span | None = None
    """Its place, where the source has several files."""
    part: Any = None
    """The part of a section that it is for certain; 1 as its level is a position at an entry.

    Of an entry, the lines have the names."""

    @property
    def cells(self) -> str:
        """Its characters, where a tab parts cells, and lines."""
        return "\t".join("".join(run.text for run in line) for line in self.lines)

    @property
    def runs(self) -> list[Run]:
        """All lines as one."""
        return as_one(self.lines)

    @property
    def text(self) -> str:
        """The block as our inline Markdown."""
        return markdown(self.runs)

    @property
    def plain(self) -> str:
        """Its characters."""
        return plain(self.runs)


@dataclass(frozen=True, slots=True)
class Run:
    """A text in one style: some of strong, em, sup, sub, code; ``size`` in pt, 0 for unknown.

    ``said`` is what a command of LaTeX says it is, as ``labels.read`` takes it; mostly empty.
    """

    text: str
    styles: frozenset[str] = frozenset()
    url: str = ""
    size: float = field(default=0.0, compare=False)
    said: str = field(default="", compare=False)


def plain(runs: Iterable[Run]) -> str:
    """Return the characters alone, on one line."""
    return texts.line("".join(run.text for run in runs))


def markdown(runs: Iterable[Run], *, is_all: bool = False) -> str:
    """Return runs as inline Markdown on one line; a style of all of it only if ``is_all``."""
    shown = joined(runs)
    whole = plain(shown)
    if not any(run.styles or run.url for run in shown):
        return texts.plain(whole)
    is_alike = len({run.styles for run in shown if run.text.strip()}) == 1
    if is_alike and not is_all and not any(run.url for run in shown):
        shown = [replace(run, styles=run.styles & {"code", "sup", "sub"}) for run in shown]
        if not any(run.styles for run in shown):
            return texts.plain(whole)
    for styled in (shown, [replace(run, styles=frozenset()) for run in shown]):
        for escape in (str, texts.escaped):
            written = texts.line("".join(_written(run, escape) for run in styled))
            nodes = texts.nodes(written)
            if nodes is not None and texts.line(rich_text.plain(nodes)) == whole:
                return written
    return texts.plain(whole)


def parts(runs: Iterable[Run], at: re.Pattern[str]) -> list[list[Run]]:
    """Return the runs between the matches of a pattern, which is looked for in each run."""
    found: list[list[Run]] = [[]]
    for run in runs:
        first, *rest = at.split(run.text)
        if first:
            found[-1].append(replace(run, text=first))
        found += [[replace(run, text=one)] if one else [] for one in rest]
    return found


def has_tab(lines: Iterable[Iterable[Run]]) -> bool:
    """Return whether one of the lines has a tab."""
    return any("\t" in run.text for line in lines for run in line)


def is_dated(lines: Iterable[Iterable[Run]]) -> bool:
    """Return whether a cell of the lines is a date, or ends or begins with one."""
    rows = ["".join(run.text for run in line) for line in lines]
    cells = [cell.strip() for row in rows for cell in re.split(r"[\t|·•]", row)]
    return any(
        dates.is_date(cell.strip("() ")) or dates.ends_in(cell)[1] or dates.begins_with(cell)[1]
        for cell in cells
    )


def as_one(lines: Iterable[Iterable[Run]]) -> list[Run]:
    """Return lines as one, with blanks between them."""
    return [run for line in lines for run in [*line, Run(" ")]]


def joined(runs: Iterable[Run]) -> list[Run]:
    """Return the same with neighbours of one style as one; blanks around it belong to no style."""
    found: list[Run] = []
    shown = (run for run in runs if run.text)
    for (styles, url), group in groupby(shown, key=lambda run: (run.styles, run.url)):
        text = "".join(run.text for run in group)
        body = text.strip()
        at = text.index(body) if body else len(text)
        parts = Run(text[:at]), Run(body, styles, texts.address(url)), Run(text[at + len(body) :])
        for run in filter(lambda run: run.text, parts):
            last = found[-1] if found else None
            if last and (last.styles, last.url) == (run.styles, run.url):
                found[-1] = replace(last, text=last.text + run.text)
            else:
                found.append(run)
    return found


def _written(run: Run, escape: Callable[[str], str]) -> str:
    text = f"`{run.text}`" if "code" in run.styles and "`" not in run.text else escape(run.text)
    for style, mark in _MARKS:
        if style in run.styles and not (mark in "^~" and " " in text):
            text = f"{mark}{text}{mark}"
    url = run.url.replace("(", "%28").replace(")", "%29")
    shown = f"<{run.url}>" if run.text == run.url else f"[{text}]({url})"
    return shown if run.url else text


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

    ``is_sorted`` says that the first of them is the title and the second the organization.
    ``chance`` is how likely all of its parts are what they were taken for, from 0 to 1; ``is_role``
    says that a command calls it a position at the entry above.
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
    is_role: bool = False
    chance: float = 1.0
    group: str = ""


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
    for text, *inner in filter(None, (plain_texts([point]) for point in points)):
        found.append({"text": text, "bullets": inner} if inner else text)
    return found


def plain_texts(points: Iterable[Point]) -> list[str]:
    """Return the texts of points at all levels, in their order."""
    return [text for one in points for text in (one.text, *plain_texts(one.points)) if text]
