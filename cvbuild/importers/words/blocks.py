"""Blocks of a text whose meaning is guessed: headings, paragraphs, points, rows of tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.words import headings
from cvbuild.importers.words.runs import Run, as_one, flat, markdown, plain


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


#: Numbers of cells.
_CELLS = count(1)


def is_prose(blocks: list[Block]) -> bool:
    """Return whether a cell has more than a word or a date: what is below a title."""
    return len(blocks) > 1 or len(blocks[0].lines) > 1 or len(blocks[0].plain) > 40
