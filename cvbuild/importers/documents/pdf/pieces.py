"""Characters of a page as words, and as pieces of rows that no wide gap parts.

Before that they are cleaned: words of icons, letters printed twice, accents.
"""

from __future__ import annotations

import statistics
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from cvbuild.importers.documents.pdf.lines import BULLET, Piece, Word
from cvbuild.importers.documents.pdf.pdfium import Char, Sheet
from cvbuild.importers.words import dates

#: Gaps that part words, and pieces of a row; and pieces where several rows have one begin there.
_WORD, _PIECE, _STOP = 0.17, 1.15, 0.45
#: Pieces that begin at one place before it counts as a stop.
_STOPS = 3
#: The most of a raised mark from its line.
_RAISED = 0.45


#: Accents of old TeX fonts, which are letters of their own.
_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303",
            "¸": "\u0327", "ˇ": "\u030c", "˚": "\u030a", "˘": "\u0306", "¯": "\u0304",
            "˙": "\u0307"}  # fmt: skip


def of_sheet(sheet: Sheet) -> list[Piece]:
    """Return the pieces of all rows of a page, in no order."""
    rows: list[list[Char]] = []
    for one in sorted(sheet.chars, key=lambda char: -char.y):
        row = rows[-1] if rows else None
        if row and abs(row[0].y - one.y) <= 0.06 * min(one.style.size, row[0].style.size) + 0.3:
            row.append(one)
        else:
            rows.append([one])
    found = [piece for row in rows for piece in _parted(sorted(row, key=lambda c: c.x0), sheet)]
    found = _with_raised(found)
    for piece in found:
        _unspace(piece)
    stops = _stops(found)
    found = [part for piece in found for part in _at_stops(piece, stops)]
    _add_dots(found, sheet)
    return found


def _parted(row: Sequence[Char], sheet: Sheet) -> list[Piece]:
    """Part a row at wide gaps and at icons."""
    found: list[Piece] = []
    letters: list[Char] = []
    icon: Char | None = None
    ends: list[Char | None] = [*row, None]
    for one in ends:
        is_text = one is not None and not one.icon
        if letters and (one is None or not is_text or _is_apart(letters, one)):
            words = _words(letters)
            found.append(Piece(words, letters[0].y, sheet.number, icon is not None))
            letters, icon = [], None
        if one is not None and one.icon:
            icon = one
        elif one is not None and is_text:
            letters.append(one)
    return found


def _is_apart(letters: Sequence[Char], one: Char) -> bool:
    """Return whether a character begins another piece than the letters before it."""
    last = letters[-1]
    gap = one.x0 - last.x1
    size = max(one.style.size, last.style.size)
    if last.text.isdigit() and one.text in "–—-" and gap < 5 * size:
        # The date of a narrow, justified column.
        return False
    is_bullet = len(letters) == 1 and BULLET.fullmatch(last.text)
    return gap > _PIECE * size and not (is_bullet and gap < 3 * size)


def _words(letters: Sequence[Char]) -> list[Word]:
    found: list[Word] = []
    last: Char | None = None
    for one in letters:
        touches = last is not None and not last.space
        if touches and last is not None:
            touches = one.x0 - last.x1 <= _WORD * min(one.style.size, last.style.size)
        word = found[-1] if found else None
        if word and touches and (word.style, word.url) == (one.style, one.url):
            word.text += one.text
            word.x1 = max(word.x1, one.x1)
        else:
            found.append(Word(one.text, one.x0, one.x1, one.style, one.url, "", touches))
        last = one
    return found


def _with_raised(found: list[Piece]) -> list[Piece]:
    """Put small pieces a little above or below a line into it."""
    found.sort(key=lambda one: (-one.y, one.x0))
    kept: list[Piece] = []
    for at, one in enumerate(found):
        near = found[max(0, at - 25) : at + 25]
        host = next((other for other in near if _is_raised(one, other)), None)
        if host is None:
            kept.append(one)
            continue
        for word in one.words:
            word.raised = "sup" if one.y > host.y else "sub"
        one.words[0].joined = True
        host.add(one.words)
    return kept


def _is_raised(one: Piece, host: Piece) -> bool:
    big = host.size
    if one is host or not 0.5 * big < one.size < 0.86 * big or len(one.text) > 12:
        return False
    beside = -0.1 * big < one.x0 - host.x1 < 0.25 * big
    inside = host.x0 < one.x0 < host.x1 and one.x1 < host.x1 + big
    return 0.3 < abs(one.y - host.y) < _RAISED * big and (beside or inside)


def _unspace(piece: Piece) -> None:
    """Join letters that are set apart: C O N T A C T."""
    words = piece.words
    if len(words) < 4 or sum(len(word.text) == 1 for word in words) < 0.8 * len(words):
        return
    gaps = [after.x0 - before.x1 for before, after in pairwise(words)]
    usual = statistics.median(gaps)
    if usual > 0:
        for word, gap in zip(words[1:], gaps, strict=True):
            word.joined = gap < 1.7 * usual + 0.05 * piece.size
        piece.spaced = True
        piece.forget()


def _stops(found: Sequence[Piece]) -> Counter[int]:
    """Return how many pieces begin at each place, give or take a point."""
    starts = Counter(round(one.x0) for one in found)
    near = {near for x in starts for near in (x - 1, x, x + 1)}
    return Counter({x: starts[x - 1] + starts[x] + starts[x + 1] for x in near})


def _at_stops(piece: Piece, stops: Counter[int]) -> list[Piece]:
    """Part a piece at smaller gaps, too, where a column begins in other rows."""
    words = piece.words
    if piece.spaced or dates.is_date(piece.text):
        return [piece]
    gaps = [after.x0 - before.x1 for before, after in pairwise(words)]
    least = max(_STOP * piece.size, 1.7 * statistics.median(gaps) if len(gaps) > 2 else 0)
    found: list[Piece] = []
    begin = 0
    for at, gap in enumerate(gaps, 1):
        before = words[begin:at]
        is_mark = BULLET.fullmatch(words[at].text) or (
            len(before) == 1 and BULLET.fullmatch(before[0].text)
        )
        if gap > least and not is_mark and stops[round(words[at].x0)] > _STOPS:
            found.append(Piece(before, piece.y, piece.page, piece.had_icon))
            piece.had_icon, begin = False, at
    return [*found, Piece(words[begin:], piece.y, piece.page, piece.had_icon)]


def _add_dots(found: Sequence[Piece], sheet: Sheet) -> None:
    """Give lines that a drawn dot stands before a bullet."""
    for x, y in sheet.dots:
        for one in found:
            if 0.1 < one.x0 - x < 2 * one.size and 0 < y - one.y < 0.7 * one.size:
                if not BULLET.match(one.words[0].text):
                    one.add([Word("•", x - 1, x + 1, one.words[0].style)])
                break


def cleaned(chars: list[Char]) -> list[Char]:
    """Return characters with the words that icons stand for, each once, and accents joined."""
    return _accented(_once(chars))


def _once(chars: list[Char]) -> list[Char]:
    """Drop letters printed twice on each other to look bold."""
    seen: dict[tuple[str, int], list[float]] = {}
    kept: list[Char] = []
    for one in chars:
        near = seen.setdefault((one.text, round(one.y)), [])
        # The letters of a ligature, or of an ActualText, share a box and follow each other.
        same = bool(kept) and kept[-1].text == one.text
        size = one.style.size
        is_wide = one.x1 - one.x0 > 0.05 * size
        if is_wide and not same and any(abs(x - one.x0) < 0.12 * size for x in near[-8:]):
            continue
        near.append(one.x0)
        kept.append(one)
    return kept


def _accented(chars: list[Char]) -> list[Char]:
    """Set accents that are letters of their own onto the letters under them."""
    kept: list[Char] = []
    accent: Char | None = None
    for one in chars:
        if accent is not None:
            over = min(one.x1, accent.x1) - max(one.x0, accent.x0)
            is_letter = one.text.isalpha() and over > 0.3 * (accent.x1 - accent.x0)
            if is_letter:
                base = {"ı": "i", "ȷ": "j"}.get(one.text, one.text)
                one.text = unicodedata.normalize("NFC", base + _ACCENTS[accent.text])
            else:
                kept.append(accent)
            accent = None
        if one.text in _ACCENTS:
            accent = one
        else:
            kept.append(one)
    return kept + ([accent] if accent else [])
