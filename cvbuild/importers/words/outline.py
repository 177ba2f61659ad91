"""A document as it is read: runs of text, blocks of them, and the parts of a CV that these become.

Runs and blocks are what its lines show, and parts what they mean. ``markdown`` writes runs as
inline Markdown, escaped once; texts of parts are that already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.words import dates, headings
from cvbuild.inputs.references import texts
from cvbuild.model import rich_text

#: Numbers of cells.
_CELLS = count(1)
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
    """The part of a section that it is for certain; 1 as its level is a position at an entry."""

    @property
    def cells(self) -> str:
        """Its characters, where a tab parts cells, and lines."""
        return "\t".join("".join(run.text for run in line) for line in self.lines)

    @property
    def runs(self) -> list[Run]:
        """All lines as one."""
        return flat(as_one(self.lines))

    @property
    def text(self) -> str:
        """The block as our inline Markdown."""
        return markdown(self.runs)

    @property
    def plain(self) -> str:
        """Its characters."""
        return plain(self.runs)


def row_of(cells: list[list[Block]]) -> list[Block]:
    """Return the blocks of a row: a line with tabs, and what is under it in its last cell.

    The further lines of its longest cell are further lines of the row. A title in the first cell is
    a heading. Where other cells have several blocks, they are columns of a page: one after the
    other.
    """
    full = [cell for cell in cells if cell]
    if not full:
        return []
    first = full[0][0]
    is_short = len(full) > 1 and len(full[0]) == 1 and len(first.lines) == 1
    if is_short and first.kind != "point" and headings.is_title(first.plain):
        has_own = any(one.kind == "heading" for cell in full[1:] for one in cell)
        if not has_own and (len(full) == 2 and is_prose(full[1])):
            return [replace(first, kind="heading", level=2), *row_of(full[1:])]
    is_line = all(len(cell) == 1 and cell[0].kind == "paragraph" for cell in full[:-1])
    is_line &= sum(len(cell[0].lines) > 2 for cell in full) < 2
    if not is_line or full[-1][0].kind != "paragraph" or len(full) == 1:
        numbers = {id(cell): next(_CELLS) for cell in full}
        return [replace(one, cell=one.cell or numbers[id(cell)]) for cell in full for one in cell]
    runs: list[Run] = []
    longest = max((cell[0] for cell in full), key=lambda one: len(one.plain))
    for at, cell in enumerate(cells):
        runs += [Run("\t")] if at else []
        if cell:
            runs += cell[0].lines[0] if cell[0] is longest else cell[0].runs
    return [Block("row", [runs, *longest.lines[1:]]), *full[-1][1:]]


def is_prose(blocks: list[Block]) -> bool:
    """Return whether a cell has more than a word or a date: what is below a title."""
    return len(blocks) > 1 or len(blocks[0].lines) > 1 or len(blocks[0].plain) > 40


@dataclass(frozen=True, slots=True)
class Run:
    """A text in one style; ``styles`` are some of strong, em, sup, sub, code.

    ``size`` is that of its type in pt, 0 where the format has none; it makes no difference.
    """

    text: str
    styles: frozenset[str] = frozenset()
    url: str = ""
    size: float = field(default=0.0, compare=False)


def plain(runs: Iterable[Run]) -> str:
    """Return the characters alone, on one line."""
    return texts.line("".join(run.text for run in runs))


def markdown(runs: Iterable[Run], *, is_all: bool = False) -> str:
    """Return runs as inline Markdown on one line; a tab is a blank.

    A style of the whole line is left out, unless ``is_all``: the document's own style is enough.
    """
    joined = _joined(flat(runs))
    whole = plain(joined)
    if not any(run.styles or run.url for run in joined):
        return texts.plain(whole)
    is_alike = len({run.styles for run in joined if run.text.strip()}) == 1
    if is_alike and not is_all and not any(run.url for run in joined):
        joined = [replace(run, styles=run.styles & {"code", "sup", "sub"}) for run in joined]
        if not any(run.styles for run in joined):
            return texts.plain(whole)
    for styled in (joined, [replace(run, styles=frozenset()) for run in joined]):
        for escape in (str, texts.escaped):
            written = texts.line("".join(_written(run, escape) for run in styled))
            if _shows(written) == whole:
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
    cells = [
        cell.strip()
        for line in lines
        for cell in re.split(r"[\t|·•]", "".join(run.text for run in line))
    ]
    return any(
        dates.is_date(cell.strip("() ")) or dates.ends_in(cell)[1] or dates.begins_with(cell)[1]
        for cell in cells
    )


def as_one(lines: Iterable[Iterable[Run]]) -> list[Run]:
    """Return lines as one, with blanks between them."""
    return [run for line in lines for run in [*line, Run(" ")]]


def flat(runs: Iterable[Run]) -> list[Run]:
    """Return runs with blanks for tabs."""
    return [
        replace(run, text=run.text.replace("\t", " ")) if "\t" in run.text else run for run in runs
    ]


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Return the same with neighbours of one style joined; blanks belong to no style."""
    found: list[Run] = []
    for run in _spaced(runs):
        last = found[-1] if found else None
        if last and (last.styles, last.url) == (run.styles, run.url):
            found[-1] = replace(last, text=last.text + run.text)
        else:
            found.append(run)
    return found


def _spaced(runs: Iterable[Run]) -> Iterable[Run]:
    same = groupby(runs, key=lambda run: (run.styles, run.url))
    for (styles, url), group in same:
        text = "".join(run.text for run in group)
        body = text.strip()
        if not body:
            yield Run(text)
            continue
        at = text.index(body)
        yield from (
            Run(*one)
            for one in ((text[:at],), (body, styles, texts.address(url)), (text[at + len(body) :],))
            if one[0]
        )


def _written(run: Run, escape: object) -> str:
    text = escape(run.text) if callable(escape) else run.text
    if "code" in run.styles and "`" not in run.text:
        text = f"`{run.text}`"
    for style, mark in _MARKS:
        if style in run.styles and not (len(mark) == 1 and mark in "^~" and " " in text):
            text = f"{mark}{text}{mark}"
    if not run.url:
        return text
    if run.text == run.url:
        return f"<{run.url}>"
    return f"[{text}]({re.sub(r'([()])', lambda one: '%28' if one[0] == '(' else '%29', run.url)})"


def _shows(written: str) -> str | None:
    """Return the characters that Markdown shows; None if it can't be read."""
    nodes = texts.nodes(written)
    return None if nodes is None else texts.line(rich_text.plain(nodes))


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
    ``is_guessed`` that their words don't tell it. ``chance`` is how likely it is that all of
    its parts are what they were taken for, from 0 to 1.
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
    is_guessed: bool = False
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
