"""The order in which a page is read: columns beside each other, or rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cvbuild.importers.documents.pdf.lines import (
    BULLET,
    Line,
    Piece,
    is_aside,
    rows,
)
from cvbuild.importers.words import headings

#: Rows that each column has at least; how many of a column's rows may stand level with one of the
#: other before both are one table; how much of a column of dates is dates and places, and of a
#: margin titles.
_ROWS, _LEVEL, _DATES, _TITLES = 4, 0.8, 0.6, 0.8
#: How much narrower than the other a column is that stands beside the text.
_SIDE = 0.7
#: Columns inside of columns; pieces of a page whose columns are looked for: it takes their square.
_DEPTH, _PIECES = 4, 2_000


#: Distance of a date from the head that it belongs to; the right part of a column.
_NEAR, _RIGHT = 4.5, 0.55


@dataclass
class Order:
    """Lines of a page in reading order: those of its main column, and those of a sidebar."""

    main: list[Line] = field(default_factory=list)
    side: list[Line] = field(default_factory=list)


def ordered(pieces: Sequence[Piece], depth: int = 0) -> Order:
    """Return the lines of a page in reading order."""
    if not pieces:
        return Order()
    cut = _cut(pieces) if depth < _DEPTH and len(pieces) <= _PIECES else None
    if cut is None:
        return Order(_lines(pieces))
    x, top, bottom = cut
    band = [one for one in pieces if bottom <= one.y <= top]
    right = [one for one in band if one.x0 >= x - 1 and one.x1 > x + 1]
    left = [one for one in band if not (one.x0 >= x - 1 and one.x1 > x + 1)]
    above, below, one, other = (
        ordered(some, depth + 1)
        for some in (
            [one for one in pieces if one.y > top],
            [one for one in pieces if one.y < bottom],
            left,
            right,
        )
    )
    for line in (*other.main, *other.side):
        line.order += 1 << depth
    widths = [max(p.x1 for p in some) - min(p.x0 for p in some) for some in (left, right)]
    if min(widths) < _SIDE * max(widths):
        # It comes after the main column of all pages, so that a section that goes on stays whole.
        wide, narrow = (other, one) if widths[0] < widths[1] else (one, other)
        main = [*above.main, *wide.main, *below.main]
        return Order(main, [*above.side, *narrow.main, *narrow.side, *wide.side, *below.side])
    both = [*one.main, *one.side, *other.main, *other.side]
    return Order([*above.main, *both, *below.main], [*above.side, *below.side])


def _cut(pieces: Sequence[Piece]) -> tuple[float, float, float] | None:
    """Return the place between two columns, their top and their bottom; None without columns."""
    best: tuple[float, tuple[float, float, float]] | None = None
    left, right = min(one.x0 for one in pieces), max(one.x1 for one in pieces)
    starts = Counter(round(one.x0 / 2) for one in pieces)
    for x in (2.0 * start - 2.0 for start, count in starts.items() if count >= _ROWS - 1):
        if not left + 0.12 * (right - left) < x < right - 0.1 * (right - left):
            continue
        crossing = sorted((o.y for o in pieces if o.x0 < x - 1 and o.x1 > x + 1), reverse=True)
        bounds = [float("inf"), *crossing, float("-inf")]
        for top, bottom in pairwise(bounds):
            band = [one for one in pieces if bottom < one.y < top]
            other = [piece for piece in band if piece.x0 >= x - 1]
            # A headline may end near the column that begins below it.
            first = max((piece.y for piece in other), default=top) + 1
            is_over = any(one.y > first and one.x1 > x - 0.3 * one.size for one in band)
            one = [piece for piece in band if piece.x1 <= x + 1]
            few = min(_levels(one), _levels(other))
            if is_over or few < _ROWS or not _are_columns(one, other):
                continue
            score = few * (1 - 0.5 * _level(other, one)) + 0.2 * min(20, x - max(o.x1 for o in one))
            if best is None or score > best[0]:
                best = score, (x, max(p.y for p in band), min(p.y for p in band))
    return best[1] if best else None


def _levels(pieces: Sequence[Piece]) -> int:
    return len({round(one.y / 3) for one in pieces})


def _are_columns(one: Sequence[Piece], other: Sequence[Piece]) -> bool:
    """Return whether two stacks of pieces are read one after the other, not row by row."""
    few, many = sorted((one, other), key=_levels)
    # A column of dates and places, or of bullets: rows.
    if sum(map(_is_beside, few)) >= _DATES * len(few):
        return False
    titles = [piece for piece in one if headings.is_title(piece.text)]
    if len(titles) > 2 and len(titles) >= _TITLES * len(one):
        # Nothing but titles: they stand in the margin.
        return False
    texts = [piece for piece in one if not headings.is_title(piece.text)]
    others = any(headings.exact_kind_of(piece.text) for piece in other)
    if len(texts) > 2 and not others and _level(texts, other) >= _LEVEL:
        # The titles of a table stand in its left column.
        return False
    return _level(few, many) < _LEVEL


def _level(some: Sequence[Piece], others: Sequence[Piece]) -> float:
    """Return how many of some pieces stand on a row with one of others, as a part."""
    beside = [any(abs(one.y - other.y) < 0.2 * one.size for other in others) for one in some]
    return sum(beside) / len(beside)


def _is_beside(piece: Piece) -> bool:
    return is_aside(piece.text) or bool(BULLET.fullmatch(piece.text))


def _lines(pieces: Sequence[Piece]) -> list[Line]:
    """Return the rows of a column, from top to bottom.

    A date or a place at the right, alone or beside a point, joins the head of an entry above.
    """
    left, right = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    found: list[Line] = []
    head: Line | None = None
    for row in rows(pieces):
        line = Line(row.cells, left, right)
        first, last = line.first, line.cells[-1]
        is_point = len(first.words) > 1 and bool(BULLET.fullmatch(first.words[0].text))
        is_free = len(line.cells) == 1 or (is_point and not first.words[-1].style.bold)
        is_near = head is not None and head.y - line.y < _NEAR * line.size
        at_right = last.x0 > left + _RIGHT * (right - left) and is_aside(last.text)
        if head is not None and is_near and is_free and at_right:
            head.beside.append(line.cells.pop())
        if line.cells:
            found.append(line)
            head = head if is_point else line
    return found
