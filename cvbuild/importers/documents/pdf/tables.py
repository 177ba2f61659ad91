"""Rows of a column: what stands beside an entry on a row of its own joins the entry's head."""

from __future__ import annotations

from collections.abc import Sequence

from cvbuild.importers.documents.pdf.asides import is_aside, is_bulleted, is_parted
from cvbuild.importers.documents.pdf.lines import Line, Piece, rows
from cvbuild.importers.words import headings

#: Distance of a date from the head that it belongs to; the right part of a column.
_NEAR, _RIGHT = 4.5, 0.55


def lines(pieces: Sequence[Piece]) -> list[Line]:
    """Return the rows of pieces, from top to bottom."""
    left, right = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    table = _Table(left + _RIGHT * (right - left))
    for line in rows(pieces):
        line.left, line.right = left, right
        table.add(line)
    return table.found


class _Table:
    """Collects rows; ``head`` is the one that dates beside later rows belong to."""

    def __init__(self, middle: float) -> None:
        self.middle = middle
        self.found: list[Line] = []
        self.head: Line | None = None

    def add(self, line: Line) -> None:
        """Add a row, or its cells to rows above."""
        head = self.head
        if head is not None and head.y - line.y >= _NEAR * line.size:
            head = None
        above = self.found[-1] if self.found else None
        if above is not None and (_is_title(above, line) or _is_label(above, line)):
            above.first.go_on(line.cells.pop(0).words)
        elif head is not None and _is_date(head.first, line.first):
            head.first.go_on(line.cells.pop(0).words)
        if head is not None and line.cells:
            self._give(head, line)
        if line.cells:
            self.found.append(line)
            if not is_bulleted(line.first):
                self.head = line

    def _give(self, head: Line, line: Line) -> None:
        """Move a date or a place at the right end of a row to the head above."""
        last = line.cells[-1]
        if last.x0 <= self.middle or not is_aside(last.text):
            return
        alone = len(line.cells) == 1
        plain_point = is_bulleted(line.first) and not line.first.words[-1].style.bold
        above = head.beside[-1] if head.beside else head.cells[-1]
        if is_parted(above.text, last.text):
            above.go_on(line.cells.pop().words)
        elif alone or plain_point:
            head.beside.append(line.cells.pop())


def _is_title(above: Line, line: Line) -> bool:
    """Return whether a row begins with the second line of a title in the margin."""
    one, other = above.first, line.first
    if len(above.cells) < 2 or above.y - line.y > 1.6 * one.size or not _is_under(above, line):
        return False
    whole = f"{one.text} {other.text}"
    return headings.kind_of(whole) is not None or one.text.rstrip().endswith((",", "&", " and"))


def _is_label(above: Line, line: Line) -> bool:
    """Return whether a row is only the second line of a label in the left column."""
    return (
        len(above.cells) > 1
        and len(line.cells) == 1
        and above.y - line.y < 1.35 * above.first.size
        and _is_under(above, line)
        and not any(is_aside(cell.text) for cell in above.cells[:2])
    )


def _is_under(above: Line, line: Line) -> bool:
    """Return whether a row begins as the row above in the same place, unlike the cell beside."""
    one, other, beside = above.first, line.first, above.cells[1]
    same = abs(one.x0 - other.x0) < 2 and one.style == other.style != beside.style
    return same and other.x1 < beside.x0


def _is_date(above: Piece, piece: Piece) -> bool:
    """Return whether a piece of the left column ends the date that the piece above begins."""
    aligned = min(abs(above.x0 - piece.x0), abs(above.x1 - piece.x1)) < 2
    return is_parted(above.text, "") and aligned and is_aside(piece.text)
