"""Running heads and feet, and the numbers of pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from cvbuild.importers.documents.pdf.glyphs import Sheet
from cvbuild.importers.documents.pdf.lines import Piece

#: The edges of a page; where else the letterhead of the first page may be repeated, and where the
#: number of the page stands.
_TOP, _BOTTOM, _HEAD, _FOOT, _NUMBERS = 0.93, 0.08, 0.8, 0.15, 0.12
_NUMBER = re.compile(
    r"(?i)(?:.{0,60}?\W)?(?:page|seite|p[aá]gina|strona|sida|pagina|s\.|p\.)?\s*\d{1,2}"
    r"\s*(?:(?:/|of|von|de|sur|di|z)\s*\d{1,2})?\W*"
)
_CONTACT = re.compile(r"@|https?:|www\.|\+\d")


def without(pages: Sequence[tuple[Sheet, list[Piece]]], name: str) -> list[list[Piece]]:
    """Return the pieces of each page without those that only repeat or count."""
    repeated: Counter[tuple[str, int]] = Counter()
    for sheet, pieces in pages:
        repeated.update({_key(one) for one in pieces if _is_at_edge(sheet, one)})
    often = {key for key, count in repeated.items() if count > 1 and count >= 0.5 * len(pages)}
    letterhead = {(one.text, round(one.y / 3)) for one in pages[0][1]}
    kept = []
    for at, (sheet, pieces) in enumerate(pages):
        lowest = min((round(one.y) for one in pieces), default=0)
        page = []
        for one in pieces:
            edge = _is_at_edge(sheet, one)
            is_again = edge and _key(one) in often and (at or not _CONTACT.search(one.text))
            low = edge or one.y < _NUMBERS * sheet.height
            is_number = low and round(one.y) == lowest and _counts(one.text, at + 1, len(pages))
            is_name = edge and at and name and one.text.casefold().startswith(name.casefold())
            far = one.y > _HEAD * sheet.height or one.y < _FOOT * sheet.height
            is_letterhead = at and far and (one.text, round(one.y / 3)) in letterhead
            if not (is_again or is_number or is_name or is_letterhead):
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
