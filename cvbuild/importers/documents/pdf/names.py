"""The name in a PDF: the largest fitting text in the upper part of the first page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from cvbuild.importers.documents import people
from cvbuild.importers.documents.pdf.lines import Piece
from cvbuild.importers.documents.pdf.pdfium import Sheet
from cvbuild.importers.words import headings

#: The lower part of the page, where no name stands.
_LOWER = 0.45
#: Size of a name that isn't set as the text, by that of the text.
LARGE = 1.25


def name_pieces(pieces: list[Piece], sheet: Sheet) -> list[Piece]:
    """Return the pieces of the name in reading order."""
    usual = usual_size(pieces)
    upper = [one for one in pieces if one.y > _LOWER * sheet.height]
    fit = sorted((one for one in upper if _may_be_name(one.text)), key=lambda piece: -piece.y)
    if not fit:
        return []
    best = max(fit, key=lambda piece: piece.size)
    found = [best]
    for one in fit:
        if one is not best and best.size > LARGE * usual and _goes_with(one, found):
            found.append(one)
    return sorted(found, key=lambda piece: (-round(piece.y / 3), piece.x0))


def _goes_with(one: Piece, found: Sequence[Piece]) -> bool:
    """Return whether a piece is another part: "Ada" above "Lovelace", not a headline."""
    size = found[0].size
    near = min(abs(one.y - other.y) for other in found)
    aligned = near < 2 or any(
        one.x0 < other.x1 + size and one.x1 > other.x0 - size for other in found
    )
    counts = [len(other.text.split()) for other in (*found, one)]
    same = abs(one.size - size) < 0.06 * size and near < 1.6 * size
    return same and aligned and min(counts) == 1 and sum(counts) <= 5


def _may_be_name(text: str) -> bool:
    return (
        len(re.findall(r"[^\W\d_]", text)) > 1
        and len(text.split()) <= 6
        and len(text) <= 60
        and not re.search(r"[@\d:/]|www\.", text)
        and not people.is_document_title(text)
        and not headings.is_title(text)
    )


def usual_size(pieces: Iterable[Piece]) -> float:
    """Return the size (pt) of most letters."""
    count: Counter[float] = Counter()
    for one in pieces:
        count[one.size] += len(one.text)
    return count.most_common(1)[0][0] if count else 10.0
