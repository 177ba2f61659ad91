"""Characters of a page as words, as pieces of rows that no wide gap parts, and as rows of them.

Before that they are cleaned: letters printed twice, accents. A row may be dates and places, a point
of a list, contact data, prose.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

from cvbuild.importers import dates
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.pdf.pdfium import BULLETS, Char, Sheet, Style
from cvbuild.importers.outline import Run

#: Distance of the baselines of one row.
LEVEL = 0.22
BULLET = re.compile(f"[{re.escape(BULLETS)}]")
#: Gaps that part words, and pieces of a row; the most of a raised mark from its line, and of such
#: marks in a row.
_WORD, _PIECE, _RAISED, _MARKS = 0.17, 1.15, 0.45, 24
#: Accents of old TeX fonts, which are letters of their own.
_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303",
            "¸": "\u0327", "ˇ": "\u030c", "˚": "\u030a", "˘": "\u0306", "¯": "\u0304",
            "˙": "\u0307"}  # fmt: skip
_NOW = r"(?:present|heute|now|today|current|aujourd.hui|actualidad)"
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
    """Words of one row without a wide gap; perhaps a picture stood before them."""

    words: list[Word]
    y: float
    page: int
    had_icon: bool = False

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
        count: Counter[Style] = Counter()
        for word in self.words:
            count[word.style] += len(word.text)
        return count.most_common(1)[0][0]

    @property
    def size(self) -> float:
        """The size of its type in pt."""
        return self.style.size

    @cached_property
    def text(self) -> str:
        """Its characters, with blanks between the words."""
        parts = (("" if word.joined else " ") + word.text for word in self.words)
        return "".join(parts).removeprefix(" ")

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(word.style.bold for word in self.words)


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


def pieces_of(sheet: Sheet) -> list[Piece]:
    """Return the pieces of all rows of a page, in no order."""
    rows: list[list[Char]] = []
    for one in sorted(sheet.chars, key=lambda char: -char.y):
        row = rows[-1] if rows else None
        if row and abs(row[0].y - one.y) <= 0.06 * min(one.style.size, row[0].style.size) + 0.3:
            row.append(one)
        else:
            rows.append([one])
    for at, row in enumerate(rows):
        near = (other for other in rows[max(0, at - 2) : at + 3] if other is not row)
        if host := next((other for other in near if _is_raised(row, other)), None):
            host += row
            row.clear()
    found = [piece for row in rows for piece in _parted(sorted(row, key=lambda c: c.x0), sheet)]
    # Lines that a drawn dot stands before get a bullet.
    for x, y in sheet.dots:
        for at, piece in enumerate(found):
            if 0.1 < piece.x0 - x < 2 * piece.size and 0 < y - piece.y < 0.7 * piece.size:
                bullet = Word("•", x - 1, x + 1, piece.words[0].style)
                found[at] = replace(piece, words=[bullet, *piece.words])
                break
    return found


def _is_raised(row: Sequence[Char], host: Sequence[Char]) -> bool:
    """Return whether characters are small marks a little above or below those of a row."""
    big = max((one.style.size for one in host), default=0)
    hosts = [one for one in host if one.style.size == big]
    if not hosts or not 0 < len(row) <= _MARKS:
        return False
    return all(
        0.5 * big < one.style.size < 0.86 * big
        and abs(one.y - hosts[0].y) < _RAISED * big
        and any(-0.1 * big < one.x0 - other.x1 < big for other in hosts)
        for one in row
    )


def _parted(row: Sequence[Char], sheet: Sheet) -> Iterator[Piece]:
    """Yield the pieces of a row, which wide gaps and icons part."""
    letters: list[Char] = []
    has_icon = False
    for one, after in zip(row, [*row[1:], None], strict=False):
        if not one.icon:
            letters.append(one)
        has_icon |= one.icon
        size = max(one.style.size, after.style.size) if after else 0
        is_end = after is None or after.icon or after.x0 - one.x1 > _PIECE * size
        if letters and is_end:
            y = max(letters, key=lambda letter: letter.style.size).y
            yield Piece(_words(letters, y), y, sheet.number, has_icon)
            letters, has_icon = [], False


def _words(letters: Sequence[Char], y: float) -> list[Word]:
    found: list[Word] = []
    last: Char | None = None
    for one in letters:
        touches = last is not None and not last.space
        if last is not None:
            touches &= one.x0 - last.x1 <= _WORD * min(one.style.size, last.style.size)
        word = found[-1] if found else None
        if word and touches and (word.style, word.url) == (one.style, one.url):
            word.text += one.text
            word.x1 = max(word.x1, one.x1)
        else:
            is_level = abs(one.y - y) <= 0.06 * one.style.size + 0.3
            raised = "" if is_level else "sup" if one.y > y else "sub"
            found.append(Word(one.text, one.x0, one.x1, one.style, one.url, raised, touches))
        last = one
    if len(found) >= 4 and sum(len(word.text) == 1 for word in found) >= 0.8 * len(found):
        # Letters that are set apart are one word: C O N T A C T.
        gaps = [after.x0 - before.x1 for before, after in pairwise(found)]
        usual = statistics.median(gaps)
        for word, gap in zip(found[1:], gaps, strict=True) if usual > 0 else ():
            word.joined = gap < 1.7 * usual + 0.05 * word.style.size
    return found


def cleaned(chars: Iterable[Char]) -> list[Char]:
    """Return letters once that are printed twice to look bold, and with their accents.

    Those of old TeX fonts are letters of their own, above the letters that follow.
    """
    seen: dict[tuple[str, int], list[float]] = {}
    kept: list[Char] = []
    before = ""
    for one in chars:
        near = seen.setdefault((one.text, round(one.y)), [])
        # The letters of a ligature, or of an ActualText, share a box and follow each other.
        if one.text != before and any(abs(x - one.x0) < 0.12 * one.style.size for x in near[-8:]):
            continue
        before = one.text
        near.append(one.x0)
        last = kept[-1] if kept else one
        if last.text in _ACCENTS and one.text.isalpha() and last.x1 > one.x0 < one.x1 > last.x0:
            base = {"ı": "i", "ȷ": "j"}.get(one.text, one.text)
            one.text = unicodedata.normalize("NFC", base + _ACCENTS[last.text])
            kept.pop()
        kept.append(one)
    return kept


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
    return not text or (len(text) <= 60 and (dates.is_date(text) or vocabulary.is_place(text)))


def point_of(line: Line) -> list[Piece]:
    """Return the cells of a point without its bullet, number or picture; none if it is no point."""
    first, *rest = line.cells
    mark, *words = first.words
    if BULLET.fullmatch(mark.text) or NUMBER.fullmatch(mark.text):
        return [Piece(words, first.y, first.page), *rest] if words else rest
    return line.cells if first.had_icon and len(first.text) > _POINT else []


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
