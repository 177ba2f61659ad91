"""Words, pieces of a row that no wide gap parts, and rows of them; what such a line is.

It may be dates and places, a point of a list, contact data, prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.pdf.pdfium import BULLETS, Style
from cvbuild.importers.words import dates
from cvbuild.importers.words.outline import Run

#: Distance of the baselines of one row.
LEVEL = 0.22
BULLET = re.compile(f"[{re.escape(BULLETS)}]")


_NOW = r"(?:present|heute|now|today|current|aujourd.hui|actualidad)"
_DATE = re.compile(
    r"[^\W\d_]{3,9}\.? (?:19|20)\d\d(?: ?[–—-] ?\w*)?|\d{1,2}[./]\d{2,4}.{0,12}"
    rf"|(?:19|20)\d\d\W+(?:(?:19|20)?\d\d|[^\W\d_]{{3,10}})?|(?i:{_NOW})"
)
#: A range of years within a line.
RANGE = re.compile(
    r"(?i)(?<![\d/.-])(?:[^\W\d_]{3,9}\.? )?(?:19|20)\d\d ?[–—-] ?(?:[^\W\d_]{3,9}\.? )?"
    rf"(?:(?:19|20)\d\d|{_NOW})(?![\d/.-])"
)
#: Characters of a point that a picture stands before.
_POINT = 25
#: A number before a reference or a point.
NUMBER = re.compile(r"(?:\[\w{1,6}\]|\d{1,3}[.)]|\(\d{1,2}\))(?=\s|$)")


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


@dataclass
class Piece:
    """Words of one row without a wide gap; perhaps a picture stood before them.

    What is computed is kept, so words are changed through ``add`` only.
    """

    words: list[Word]
    y: float
    page: int
    had_icon: bool = False
    spaced: bool = False

    def add(self, words: Sequence[Word]) -> None:
        """Add words at the end, or where they stand."""
        self.words = sorted([*self.words, *words], key=lambda word: word.x0)
        self.forget()

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

    ``order`` is its number; ``beside`` are dates and places that stood beside it, further down.
    """

    cells: list[Piece]
    left: float = 0.0
    right: float = 0.0
    order: int = 0
    beside: list[Piece] = field(default_factory=list)

    @property
    def all(self) -> list[Piece]:
        """Its cells, and those beside it."""
        return [*self.cells, *self.beside]

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


def is_aside(text: str) -> bool:
    """Return whether a text is a date, a part of one, or a place; also if there is none."""
    text = text.strip(" ()|,–—-")
    if not text or len(text) > 60:
        return not text
    is_date = dates.is_date(text) or dates.ends_in(text)[1] == text
    return is_date or vocabulary.is_place(text) or bool(_DATE.fullmatch(text))


def opens(line: Line) -> bool:
    """Return whether a line begins with a range of dates, or with a date and nothing else."""
    text = line.first.text
    return dates.is_date(text) or RANGE.match(text) is not None


def has_label(line: Line) -> bool:
    """Return whether a line begins as "Languages: …"."""
    return re.match(r"[^\W\d_][\w &/,.-]{1,30} ?:\s", line.text) is not None


def is_bullet(line: Line) -> bool:
    """Return whether a line begins with a bullet, a number, or a picture in place of one."""
    if line.first.had_icon and len(line.first.text) > _POINT and not is_aside(line.first.text):
        return True
    return _is_mark(line.first.words[0].text) and len(line.first.words) + len(line.cells) > 2


def after_bullet(line: Line) -> list[Piece]:
    """Return the cells of a point without its bullet."""
    first, *rest = line.cells
    if not _is_mark(first.words[0].text):
        return line.cells
    words = first.words[1:]
    return [Piece(words, first.y, first.page), *rest] if words else rest


def _is_mark(text: str) -> bool:
    return bool(BULLET.fullmatch(text) or NUMBER.fullmatch(text))


def runs_of(cells: Iterable[Piece]) -> list[Run]:
    """Return the words of cells as runs, with tabs between the cells."""
    found: list[Run] = []
    for cell in cells:
        found += [Run("\t")] if found else []
        for at, word in enumerate(cell.words):
            is_set = {"strong": word.style.bold, "em": word.style.italic, word.raised: word.raised}
            styles = frozenset(style for style, on in is_set.items() if on)
            text = ("" if word.joined or not at else " ") + word.text
            last = found[-1] if at else None
            if last is not None and (last.styles, last.url) == (styles, word.url):
                found[-1] = replace(last, text=last.text + text)
                continue
            if last is not None and text[0] == " ":
                found[-1], text = replace(last, text=f"{last.text} "), text[1:]
            found.append(Run(text, styles, word.url, word.style.size))
    return found
