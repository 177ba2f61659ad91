"""Characters of a PDF as a reader takes them: words of icons, letters printed twice, accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from cvbuild.importers.documents import people
from cvbuild.importers.documents.pdf.glyphs import Char

#: Accents of old TeX fonts, which are letters of their own.
_ACCENTS = {"´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303",
            "¸": "\u0327", "ˇ": "\u030c", "˚": "\u030a", "˘": "\u0306", "¯": "\u0304",
            "˙": "\u0307"}  # fmt: skip


def cleaned(chars: list[Char]) -> list[Char]:
    """Return characters with the words that icons stand for, each once, and accents joined."""
    _speak(chars)
    return _accented(_once(chars))


def _speak(chars: list[Char]) -> None:
    """Take the words that an icon stands for as text: its ActualText comes as letters in a row."""
    run: list[Char] = []
    ends: Iterable[Char | None] = [*chars, None]
    for one in ends:
        plain = one is not None and one.icon and one.text.isascii() and one.text.isprintable()
        if one is not None and plain and (not run or run[-1].style is one.style):
            run.append(one)
            continue
        if len(run) > 2:
            _say(run)
        run = [one] if one is not None and plain else []


def _say(run: list[Char]) -> None:
    """Make text of an icon's words that say more than the icon: an address, a label of contact.

    "Date:" before a date and "Location:" before a town do not.
    """
    words = "".join(char.text for char in run)
    name = words.strip(" :").lower()
    if people.LABELS.get(name, "address") != "address" or re.search(r"[@/\d]", words):
        for char in run:
            char.icon = False


def _once(chars: list[Char]) -> list[Char]:
    """Drop letters printed twice on each other to look bold."""
    seen: dict[tuple[str, int], list[float]] = {}
    kept: list[Char] = []
    for one in chars:
        near = seen.setdefault((one.text, round(one.y)), [])
        # The letters of a ligature, or of an ActualText, share a box and follow each other.
        same = bool(kept) and kept[-1].text == one.text and kept[-1].tag == one.tag
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
