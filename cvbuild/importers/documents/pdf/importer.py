"""A CV that exists only as a PDF: its pages by their layout, as the blocks of a document."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise

import msgspec

from cvbuild.common import processes
from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, headings
from cvbuild.importers.documents import people, rough, vocabulary
from cvbuild.importers.documents.pdf import blocks, lines, pdfium
from cvbuild.importers.documents.pdf.lines import BULLET, RANGE, Line, Piece, is_aside
from cvbuild.importers.documents.pdf.pdfium import Sheet
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block, Run
from cvbuild.importers.types import Given, Imported

#: Letters of a CV, at least: a page with fewer is a picture.
_LEAST = 80
#: Part of the letters that may be written from right to left: names.
_MOST_RIGHT = 0.2
#: The edges of a page, and where its number stands.
_TOP, _BOTTOM, _NUMBERS = 0.93, 0.08, 0.12
_NUMBER = re.compile(
    r"(?i)(?:.{0,60}?\W)?(?:page|seite|p[aá]gina|strona|sida|pagina|s\.|p\.)?"
    r"\s*(?:\d{1,2}\s*(?:/|of|von|de|sur|di|z)\s*)?(\d{1,2})\W*"
)
#: The lower part of the page, where no name stands.
_LOWER = 0.45
#: Why a PDF isn't read, and what helps.
_REFUSED = {
    "locked": ("it is encrypted and needs a password", "unlock it first: qpdf --decrypt"),
    "damaged": ("it is damaged", "is it a whole PDF? print it to a new PDF"),
    "pictures": (
        "there is no text in it: its pages are pictures, or empty",
        "recognise its text first, such as with: ocrmypdf scan.pdf cv.pdf",
    ),
    "right": (
        "most of it is written from right to left, which isn't read yet",
        "import the file that it was printed from, such as the Word file",
    ),
}
#: Size of a name that isn't set as the text, by that of the text; pieces above one that is.
_LARGE, _ABOVE = 1.25, 4


class Format:
    """A PDF of any origin."""

    def recognises(self, given: Given) -> bool:
        """Return whether it is a PDF; those that carry their facts are asked for before."""
        return given.data.startswith(b"%PDF-")

    def read(self, given: Given) -> Imported:
        """Read the pages; raises CvbuildError for one that can't be read, or has no text."""
        draft = Draft(given.name, is_rough=True)
        sheets = _sheets(given)
        rough.fill(draft, outline(sheets, given.name))
        for sheet in sheets:
            draft.lose(f"white on white, page {sheet.number + 1}", sheet.hidden.strip())
        return draft.done()


def _sheets(given: Given) -> list[Sheet]:
    """Return the characters of a PDF, which a process of its own reads."""
    hint = "is it the right file?"
    try:
        made = processes.call_apart(pdfium.__name__, "child", given.data)
    except processes.FailedError as error:
        made, hint = {"refused": str(error)}, f"{hint} print it to a new PDF"
    if why := made.get("refused"):
        fact, hint = _REFUSED.get(why, (why, hint))
        raise CvbuildError.because("pdf", fact, hint, Span(given.name))
    return msgspec.convert(made["sheets"], list[Sheet])


def outline(sheets: Sequence[Sheet], file: str) -> list[Block]:
    """Return the name, the head and the sections of a document; ``file`` is its name in messages.

    Raises CvbuildError if it has no text.
    """
    for sheet in sheets:
        sheet.chars = lines.cleaned(sheet.chars)
    letters = [one.text for sheet in sheets for one in sheet.chars if one.text.isalpha()]
    right = sum(unicodedata.bidirectional(one[0]) in ("R", "AL") for one in letters)
    why = "pictures" if sum(len(sheet.chars) for sheet in sheets) < _LEAST else ""
    if why := why or ("right" if right > _MOST_RIGHT * len(letters) else ""):
        raise CvbuildError.because("pdf", *_REFUSED[why], Span(file))
    pages = [(sheet, lines.pieces_of(sheet)) for sheet in sheets]
    name = _name_pieces(*pages[0])
    # A name as small as the text is a guess, which a plain line says, and stands at the top.
    sizes = Counter(one.size for one in pages[0][1] for _ in one.text)
    is_large = bool(name) and name[0].size > _LARGE * sizes.most_common(1)[0][0]
    if name and not is_large and sum(one.y > name[0].y + 1 for one in pages[0][1]) > _ABOVE:
        name = []
    # "Ada" and "Lovelace" in two weights may have no blank between them.
    text = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ][a-zß-ÿ]{2})", " ", " ".join(one.text for one in name))
    text, comma, label = text.partition(", ")
    if not vocabulary.POSITION.search(label):
        text, label = f"{text}{comma}{label}", ""
    taken = {id(one) for one in name}
    order = [
        _ordered([one for one in page if id(one) not in taken]) for page in _without_running(pages)
    ]
    named = [Block("heading" if is_large else "paragraph", [[Run(text)]], 1)] if text else []
    named += [Block("paragraph", [[Run(label)]])] if label else []
    return [*named, *blocks.of_lines(*(list(chain(*part)) for part in zip(*order, strict=True)))]


def _without_running(pages: Sequence[tuple[Sheet, list[Piece]]]) -> list[list[Piece]]:
    """Return the pieces of each page without running heads and feet, and numbers of pages.

    How long something took is left out beside its dates.
    """
    keys = [
        {
            id(one): (re.sub(r"\d+", "#", one.text), round(one.y / 4))
            for one in found
            if not _BOTTOM * sheet.height <= one.y <= _TOP * sheet.height
        }
        for sheet, found in pages
    ]
    repeated = Counter(key for page in keys for key in set(page.values()))
    kept = []
    for at, (sheet, found) in enumerate(pages):
        lowest = min((round(one.y) for one in found), default=0)
        dated = [one.y for one in found if RANGE.search(one.text) or dates.is_date(one.text)]
        page = []
        for one in found:
            # On the first page it may be the only one that says how to reach the person.
            is_bare = at > 0 or not re.search(r"@|https?:|www\.|\+\d", one.text)
            is_again = is_bare and repeated[keys[at].get(id(one), ("", 0))] >= max(
                2, 0.5 * len(pages)
            )
            is_last = round(one.y) == lowest and one.y < _NUMBERS * sheet.height
            number = _NUMBER.fullmatch(one.text) if is_last else None
            is_number = number is not None and int(number[1]) in (at + 1, len(pages))
            near = (abs(y - one.y) <= _NEAR * one.size for y in dated)
            if not (is_again or is_number or (dates.is_length(one.text) and any(near))):
                page.append(one)
        kept.append(page)
    return kept


def _name_pieces(sheet: Sheet, page: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of the name, the largest fitting text above, in reading order."""
    upper = [one for one in page if one.y > _LOWER * sheet.height and people.may_be_name(one.text)]
    upper.sort(key=lambda piece: -piece.y)
    if not upper:
        return []
    best = max(upper, key=lambda piece: piece.size)
    found = [best]
    for one in upper:
        # Another part: "Ada" above "Lovelace", not a headline.
        is_near = min(abs(one.y - other.y) for other in found) < 1.6 * best.size
        is_alike = abs(one.size - best.size) < 0.06 * best.size
        counts = [len(other.text.split()) for other in (*found, one)]
        if one is not best and is_near and is_alike and min(counts) == 1 and sum(counts) <= 5:
            found.append(one)
    return sorted(found, key=lambda piece: (-round(piece.y / 3), piece.x0))


# -- the order in which a page is read: columns beside each other, or rows of a table --------------

#: Rows that each column has at least; how many of a column's rows may stand level with one of the
#: other before both are one table; how much of a margin is dates and places, or titles.
_ROWS, _LEVEL, _DATES, _TITLES = 4, 0.8, 0.6, 0.8
#: How much narrower than the other a column is that stands beside the text.
_SIDE = 0.7
#: Columns inside of columns; pieces of a page whose columns are looked for: it takes their square.
_DEPTH, _PIECES = 4, 2_000

#: Distance of a date from the head that it belongs to; the right part of a column.
_NEAR, _RIGHT = 4.5, 0.55


def _ordered(pieces: Sequence[Piece], depth: int = 0) -> tuple[list[Line], list[Line]]:
    """Return the lines of a page in reading order: of its main column, and of a sidebar."""
    if not pieces:
        return [], []
    cut = _cut(pieces) if depth < _DEPTH and len(pieces) <= _PIECES else None
    if cut is None:
        return _lines(pieces), []
    x, top, bottom = cut
    band = [one for one in pieces if bottom <= one.y <= top]
    right = [one for one in band if one.x0 >= x - 1]
    left = [one for one in band if one.x0 < x - 1]
    above, above_side = _ordered([one for one in pieces if one.y > top], depth + 1)
    below, below_side = _ordered([one for one in pieces if one.y < bottom], depth + 1)
    first, second = (list(chain(*_ordered(some, depth + 1))) for some in (left, right))
    for line in second:
        line.order += 1 << depth
    widths = [max(p.x1 for p in some) - min(p.x0 for p in some) for some in (left, right)]
    if min(widths) >= _SIDE * max(widths):
        return [*above, *first, *second, *below], [*above_side, *below_side]
    # It comes after the main column of all pages, so that a section that goes on stays whole.
    wide, narrow = (second, first) if widths[0] < widths[1] else (first, second)
    return [*above, *wide, *below], [*above_side, *narrow, *below_side]


def _cut(pieces: Sequence[Piece]) -> tuple[float, float, float] | None:
    """Return the place between two columns, their top and their bottom; None without columns."""
    found: list[tuple[float, float, float, float]] = []
    left, right = min(one.x0 for one in pieces), max(one.x1 for one in pieces)
    starts = Counter(round(one.x0 / 2) for one in pieces)
    for x in (2.0 * start - 2.0 for start, count in starts.items() if count >= _ROWS - 1):
        if not left + 0.12 * (right - left) < x < right - 0.1 * (right - left):
            continue
        crossing = sorted((o.y for o in pieces if o.x0 < x - 1 and o.x1 > x + 1), reverse=True)
        for top, bottom in pairwise([float("inf"), *crossing, float("-inf")]):
            band = [one for one in pieces if bottom < one.y < top]
            one, other = ([p for p in band if (p.x0 >= x - 1) == is_right] for is_right in (0, 1))
            few = min(_levels(one), _levels(other))
            # A headline may end near the column that begins below it.
            first = max((piece.y for piece in other), default=top) + 1
            is_over = any(piece.y > first and piece.x1 > x - 0.3 * piece.size for piece in one)
            if few >= _ROWS and not is_over and _are_columns(one, other):
                gap = min(20, x - max(piece.x1 for piece in one))
                score = few * (1 - 0.5 * _level(other, one)) + 0.2 * gap
                found.append((score, x, max(p.y for p in band), min(p.y for p in band)))
    return max(found)[1:] if found else None


def _levels(pieces: Sequence[Piece]) -> int:
    return len({round(one.y / 3) for one in pieces})


def _are_columns(one: Sequence[Piece], other: Sequence[Piece]) -> bool:
    """Return whether two stacks of pieces are read one after the other, not row by row."""
    few, many = sorted((one, other), key=_levels)
    texts = [piece for piece in one if not headings.is_title(piece.text)]
    margin = sum(is_aside(piece.text) or headings.is_title(piece.text) for piece in few)
    if margin >= _DATES * len(few) or len(texts) <= (1 - _TITLES) * len(one):
        # Nothing but dates and places, or titles: they stand in the margin.
        return False
    if not any(headings.exact_kind_of(piece.text) for piece in other):
        # The titles of a table stand in its left column.
        few, many = (few, many) if _level(texts, other) < _LEVEL else (texts, other)
    return _level(few, many) < _LEVEL


def _level(some: Sequence[Piece], others: Sequence[Piece]) -> float:
    """Return how many of some pieces stand on a row with one of others, as a part."""
    beside = [any(abs(one.y - other.y) < 0.2 * one.size for other in others) for one in some]
    return sum(beside) / len(beside)


def _lines(pieces: Sequence[Piece]) -> list[Line]:
    """Return the rows of a column, from top to bottom.

    A date or a place at the right, alone or beside a point, joins the head of an entry above.
    """
    left, right = min(p.x0 for p in pieces), max(p.x1 for p in pieces)
    found: list[Line] = []
    head: Line | None = None
    for row in lines.rows(pieces):
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
