"""A CV that exists only as a PDF: its pages by their layout, as the blocks of a document."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from cvbuild.common import processes
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents import people, rough, vocabulary
from cvbuild.importers.documents.pdf import blocks, columns, pdfium, pieces
from cvbuild.importers.documents.pdf.lines import RANGE, Line, Piece
from cvbuild.importers.documents.pdf.pdfium import Sheet
from cvbuild.importers.documents.pdf.pieces import cleaned
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import dates, headings
from cvbuild.importers.words.outline import Block, Run

#: Letters of a CV, at least: a page with fewer is a picture.
_LEAST = 80
#: Distance of a date and how long it took, by the size of the type.
_NEAR = 4.0
#: Part of the letters that may be written from right to left: names.
_MOST_RIGHT = 0.2
#: The edges of a page, and where its number stands.
_TOP, _BOTTOM, _NUMBERS = 0.93, 0.08, 0.12
_NUMBER = re.compile(
    r"(?i)(?:.{0,60}?\W)?(?:page|seite|p[aá]gina|strona|sida|pagina|s\.|p\.)?\s*\d{1,2}"
    r"\s*(?:(?:/|of|von|de|sur|di|z)\s*\d{1,2})?\W*"
)
_CONTACT = re.compile(r"@|https?:|www\.|\+\d")
#: The lower part of the page, where no name stands.
_LOWER = 0.45
#: Size of a name that isn't set as the text, by that of the text.
_LARGE = 1.25


class Format:
    """A PDF of any origin."""

    name = "pdf"
    title = "PDF"

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
    try:
        made = processes.call_apart(pdfium.__name__, "child", given.data)
    except processes.FailedError as error:
        raise _refused(
            given.name, str(error), "is it the right file? print it to a new PDF"
        ) from None
    match made.get("refused"):
        case None:
            return pdfium.sheets(made)
        case "locked":
            hint = "unlock it first: qpdf --decrypt"
            raise _refused(given.name, "it is encrypted and needs a password", hint)
        case "damaged":
            raise _refused(given.name, "it is damaged", "is it a whole PDF? print it to a new PDF")
        case why:
            raise _refused(given.name, str(why), "is it the right file?")


def _refused(file: str, fact: str, hint: str) -> CvbuildError:
    return CvbuildError.because("pdf", fact, hint, Span(file))


def outline(sheets: Sequence[Sheet], file: str) -> list[Block]:
    """Return the name, the head and the sections of a document; ``file`` is its name in messages.

    Raises CvbuildError if it has no text.
    """
    for sheet in sheets:
        sheet.chars = cleaned(sheet.chars)
    if sum(len(sheet.chars) for sheet in sheets) < _LEAST:
        hint = "recognise its text first, such as with: ocrmypdf scan.pdf cv.pdf"
        raise _refused(file, "there is no text in it: its pages are pictures, or empty", hint)
    if _from_right(sheets) > _MOST_RIGHT:
        hint = "import the file that it was printed from, such as the Word file"
        raise _refused(file, "most of it is written from right to left, which isn't read yet", hint)
    pages = [(sheet, pieces.of_sheet(sheet)) for sheet in sheets]
    parts = _name_pieces(pages[0][1], pages[0][0])
    # "Ada" and "Lovelace" in two weights may have no blank between them.
    text = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ][a-zß-ÿ]{2})", " ", " ".join(one.text for one in parts))
    text, comma, label = text.partition(", ")
    if not vocabulary.POSITION.search(label):
        text, label = f"{text}{comma}{label}", ""
    taken = {id(one) for one in parts}
    main: list[Line] = []
    side: list[Line] = []
    for page in _without_running(pages):
        order = columns.ordered([one for one in _timeless(page) if id(one) not in taken])
        main += order.main
        side += order.side
    # A name as small as the text is a guess, which a plain line says.
    is_large = bool(parts) and parts[0].size > _LARGE * _usual_size(pages[0][1])
    named = [Block("heading" if is_large else "paragraph", [[Run(text)]], 1)] if text else []
    named += [Block("paragraph", [[Run(label)]])] if label else []
    return [*named, *blocks.of_lines(main, side)]


def _timeless(found: Sequence[Piece]) -> list[Piece]:
    """Return the pieces of a page without those at a date that say how long it took."""
    known = [one for one in found if RANGE.search(one.text) or dates.is_date(one.text)]
    return [
        piece
        for piece in found
        if not dates.is_length(piece.text)
        or not any(
            abs(one.y - piece.y) < _NEAR * piece.size
            and one.x0 - _NEAR * piece.size < piece.x1
            and piece.x0 < one.x1 + _NEAR * piece.size
            for one in known
        )
    ]


def _from_right(sheets: Sequence[Sheet]) -> float:
    """Return the part of the letters that are written from right to left."""
    letters = [one.text for sheet in sheets for one in sheet.chars if one.text.isalpha()]
    right = sum(unicodedata.bidirectional(one[0]) in ("R", "AL") for one in letters)
    return right / max(1, len(letters))


def _without_running(pages: Sequence[tuple[Sheet, list[Piece]]]) -> list[list[Piece]]:
    """Return the pieces of each page without running heads and feet, and numbers of pages."""
    repeated: Counter[tuple[str, int]] = Counter()
    for sheet, found in pages:
        repeated.update({_key(one) for one in found if _is_at_edge(sheet, one)})
    often = {key for key, count in repeated.items() if count > 1 and count >= 0.5 * len(pages)}
    kept = []
    for at, (sheet, found) in enumerate(pages):
        lowest = min((round(one.y) for one in found), default=0)
        page = []
        for one in found:
            is_again = _is_at_edge(sheet, one) and _key(one) in often
            is_last = round(one.y) == lowest and one.y < _NUMBERS * sheet.height
            is_number = is_last and _counts(one.text, at + 1, len(pages))
            if not is_number and not (is_again and (at or not _CONTACT.search(one.text))):
                page.append(one)
        kept.append(page)
    return kept


def _key(one: Piece) -> tuple[str, int]:
    return re.sub(r"\d+", "#", one.text), round(one.y / 4)


def _is_at_edge(sheet: Sheet, one: Piece) -> bool:
    return one.y > _TOP * sheet.height or one.y < _BOTTOM * sheet.height


def _counts(text: str, number: int, count: int) -> bool:
    if len(text) >= 60 or "@" in text or not _NUMBER.fullmatch(text):
        return False
    return int(re.findall(r"\d+", text)[-1]) in (number, count)


def _name_pieces(page: Sequence[Piece], sheet: Sheet) -> list[Piece]:
    """Return the pieces of the name, the largest fitting text above, in reading order."""
    upper = [one for one in page if one.y > _LOWER * sheet.height]
    fit = sorted((one for one in upper if _may_be_name(one.text)), key=lambda piece: -piece.y)
    if not fit:
        return []
    best = max(fit, key=lambda piece: piece.size)
    found = [best]
    for one in fit:
        if one is not best and best.size > _LARGE * _usual_size(page) and _goes_with(one, found):
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


def _usual_size(page: Sequence[Piece]) -> float:
    """Return the size (pt) of most letters."""
    count: Counter[float] = Counter()
    for one in page:
        count[one.size] += len(one.text)
    return count.most_common(1)[0][0] if count else 10.0
