"""Which characters a font file has, and which letters can be drawn from others that it has.

ğ is drawn from g and ˘, đ from d and ¯. So a name stays in one typeface, though its file has the
letters of Western Europe only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any

#: Bits of OS/2 fsType.
_RESTRICTED, _PREVIEW, _EDITABLE, _NO_SUBSET, _BITMAPS = 2, 4, 8, 0x100, 0x200


def fault(tables: Collection[str], allowed: int) -> str:
    """Return why a font can't be embedded, by its tables and the flags OS/2 fsType."""
    # Of several the most permissive counts.
    if allowed & _RESTRICTED and not allowed & (_PREVIEW | _EDITABLE):
        return "its licence forbids embedding (OS/2 fsType)"
    if allowed & (_NO_SUBSET | _BITMAPS):
        return "its licence forbids embedding its used glyphs alone (OS/2 fsType)"
    return "" if {"glyf", "CFF "} & set(tables) else "it has no outlines that can be embedded"


def coverage(path: Path, index: int = 0) -> frozenset[int]:
    """Return the code points that a font file has; none if it can't be used."""
    try:
        state = path.stat()
    except OSError:
        return frozenset()
    return _coverage(path, index, state.st_mtime_ns, state.st_size)


def with_accents(path: Path, index: int = 0) -> frozenset[int]:
    """Return the code points of a font file, and those that pdfTeX's fonts draw from them."""
    codes = coverage(path, index)
    return codes.union(composed(codes))


@lru_cache(maxsize=64)
def _coverage(path: Path, index: int, *_: int) -> frozenset[int]:
    face = _opened(path, index)
    return frozenset(face.unicodes) if face else frozenset()


def _opened(path: Path, index: int) -> Any:
    """Return a face of HarfBuzz, which reads it as it is needed; None if it can't be used."""
    import uharfbuzz

    try:
        face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)), index)
        tables = face.table_tags
        flags = face.reference_table("OS/2").data[8:10] if "OS/2" in tables else b""
    except (uharfbuzz.HarfBuzzError, UnicodeDecodeError):
        return None
    return None if fault(tables, int.from_bytes(flags)) else face


# The characters of Latin Modern's typewriter type that pdfTeX sets as one precomposed glyph each,
# so that they extract again. Measured, not taken from an encoding: every character that LaTeX knows
# was typeset with TeX Live 2022 and the embedded TeX, and is listed if poppler and PDFium extracted
# it (tests/test_scripts.py repeats this). An accent that TeX puts on a letter is two characters.
TYPEWRITER = frozenset(map(chr, range(0x21, 0x7F))) | frozenset(
    "¡¢£¤¥¦§¨©ª«¬®¯°±´µ¶·º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž–—‘’‚“”„†‡•‰‹›€№℮←↑→↓₩₫◦"
)


# -- letters from their parts ----------------------------------------------------------------------


#: The spacing accents for marks above and below letters.
_MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c"
_ABOVE = dict(zip(_MARKS, "`´ˆ˜¯˘˙¨˚˝ˇ", strict=True))
_BELOW = {"\u0327": "¸", "\u0328": "˛", "\u0326": ","}
#: Letters whose accent isn't that of Unicode's decomposition: the letter, the accent, its place.
_OTHERS = (
    {c: (unicodedata.normalize("NFD", c)[0], ",", "below") for c in "ĢĶķĻļŅņŖŗ"}
    | {c: (unicodedata.normalize("NFD", c)[0], "’", "beside") for c in "ďťľĽ"}
    | {"ģ": ("g", "‘", "over"), "đ": ("d", "¯", "high"), "ħ": ("h", "¯", "high"),
       "Ħ": ("H", "¯", "high"), "Đ": ("Ð", "", ""), "ŧ": ("t", "¯", "across"),
       "Ŧ": ("T", "¯", "across"), "ŉ": ("n", "’", "before"), "Ŀ": ("L", "·", "after"),
       "ŀ": ("l", "·", "after"), "Ĳ": ("I", "J", "after"), "ĳ": ("i", "j", "after")}
)  # fmt: skip
#: Latin letters with at most one mark: beyond are those of Vietnamese, with two.
_LAST = 0x24F
Parts = tuple[str, str, str]
"""A letter, an accent and its place; without an accent the letter alone."""


def composed(codes: AbstractSet[int]) -> dict[int, Parts]:
    """Return how the letters that a font with these characters lacks are drawn."""
    return {
        code: parts
        for code, parts in _all().items()
        if code not in codes and all(ord(c) in codes for c in parts[0] + parts[1])
    }


@lru_cache(maxsize=1)
def _all() -> dict[int, Parts]:
    return {code: parts for code in range(0xC0, _LAST + 1) if (parts := _parts(chr(code)))}


def _parts(letter: str) -> Parts | None:
    if letter in _OTHERS:
        return _OTHERS[letter]
    parts = unicodedata.normalize("NFD", letter)
    if len(parts) != 2 or parts[0] > "z":
        return None
    base, mark = parts[0], parts[1]
    if mark in _ABOVE:
        return base, _ABOVE[mark], "above"
    place = "right" if mark == "\u0328" and base in "aAu" else "below"
    return (base, _BELOW[mark], place) if mark in _BELOW else None
