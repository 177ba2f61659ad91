"""Words, pieces of a row that no wide gap parts, and rows of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from cvbuild.importers.documents.pdf.glyphs import BULLETS, Style

#: Distance of the baselines of one row.
LEVEL = 0.22
BULLET = re.compile(f"[{re.escape(BULLETS)}]")


@dataclass
class Word:
    """Letters without a gap. ``joined`` says that it touches the one before: the style changed."""

    text: str
    x0: float
    x1: float
    style: Style
    url: str = ""
    raised: str = ""
    joined: bool = False
    tag: int = -1


@dataclass
class Piece:
    """Words of one row without a wide gap. ``icon`` is what a picture before them says.

    What is computed is kept, so words are changed through ``add`` only.
    """

    words: list[Word]
    y: float
    page: int
    icon: str = ""
    had_icon: bool = False
    spaced: bool = False

    def add(self, words: Sequence[Word]) -> None:
        """Add words at the end, or where they stand."""
        self.words = sorted([*self.words, *words], key=lambda word: word.x0)
        self.forget()

    def go_on(self, words: Sequence[Word]) -> None:
        """Add the words of the next row."""
        self.words = [*self.words, *words]
        self.forget()

    def cut(self, at: int) -> Piece:
        """Remove the words from a place on, and return them without the mark before them."""
        words, self.words = self.words[at:], self.words[:at]
        self.forget()
        return Piece(words[1:] or words, self.y, self.page)

    def forget(self) -> None:
        """Compute anew what follows from the words: these were changed."""
        for name in ("text", "x1", "style"):
            self.__dict__.pop(name, None)

    @property
    def x0(self) -> float:
        """The left edge."""
        return self.words[0].x0

    @cached_property
    def x1(self) -> float:
        """The right edge."""
        return max(word.x1 for word in self.words)

    @cached_property
    def style(self) -> Style:
        """The style of most of its letters."""
        count: dict[Style, int] = {}
        for word in self.words:
            if not word.raised:
                count[word.style] = count.get(word.style, 0) + len(word.text)
        return max(count, key=count.__getitem__) if count else self.words[0].style

    @property
    def size(self) -> float:
        """The size of its type in pt."""
        return self.style.size

    @cached_property
    def text(self) -> str:
        """Its characters, with blanks between the words."""
        return joined(self.words)

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(word.style.bold for word in self.words)


def joined(words: Sequence[Word]) -> str:
    """Return the characters of words."""
    return "".join(
        ("" if word.joined or not at else " ") + word.text for at, word in enumerate(words)
    )


@dataclass
class Line:
    """A row of a column: cells from left to right. ``left`` and ``right`` are the column's.

    ``beside`` are dates and places that stood beside it on rows of their own; ``order`` numbers the
    column, ``part`` the section. ``tag`` and ``element`` are the structure tree's: a role such as
    H2, and a name of the element that its text belongs to, which ends in "item" in a list.
    """

    cells: list[Piece]
    left: float = 0.0
    right: float = 0.0
    order: int = 0
    beside: list[Piece] = field(default_factory=list)
    part: int = 0
    tag: str = ""
    element: str = ""

    @property
    def first(self) -> Piece:
        """The cell at the left."""
        return self.cells[0]

    @property
    def y(self) -> float:
        """The baseline."""
        return self.cells[0].y

    @property
    def page(self) -> int:
        """The number of the page, from 0."""
        return self.cells[0].page

    @property
    def size(self) -> float:
        """The size of most of its letters."""
        return max(self.cells, key=lambda cell: len(cell.text)).size

    @property
    def text(self) -> str:
        """Its cells with tabs between them."""
        return "\t".join(cell.text for cell in self.cells)

    @property
    def column(self) -> tuple[int, int]:
        """Page and column."""
        return self.page, self.order


def rows(found: Sequence[Piece]) -> list[Line]:
    """Return pieces as rows from top to bottom."""
    lines: list[list[Piece]] = []
    for one in sorted(found, key=lambda piece: -piece.y):
        for line in lines[-3:]:
            near = abs(line[0].y - one.y) <= 2 * LEVEL * min(line[0].size, one.size)
            if near and all(one.x0 >= other.x1 - 1 or one.x1 <= other.x0 + 1 for other in line):
                line.append(one)
                break
        else:
            lines.append([one])
    return [Line(sorted(line, key=lambda piece: piece.x0)) for line in lines]
