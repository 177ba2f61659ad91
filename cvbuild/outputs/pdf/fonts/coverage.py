"""The characters of fonts: of OpenType's from their own tables, of TeX's as they were measured."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.outputs.pdf.fonts import accents


class Coverage(Struct, frozen=True):
    """A font's characters, as code points."""

    codes: AbstractSet[int]

    def has(self, text: str) -> bool:
        """Return whether every character of the text has a glyph."""
        return all(ord(character) in self.codes for character in text)


def of(path: Path, index: int = 0) -> Coverage:
    """Return the characters of a font file; none if the file can't be used."""
    try:
        state = path.stat()
    except OSError:
        return Coverage(frozenset())
    return _of(path, index, state.st_mtime_ns, state.st_size)


def with_accents(path: Path, index: int = 0) -> Coverage:
    """Return the characters of a font file, and those that pdfTeX's fonts draw from them."""
    own = of(path, index).codes
    return Coverage(own | accents.composed(own).keys())


@lru_cache(maxsize=64)
def _of(path: Path, index: int, *_: int) -> Coverage:
    face = _opened(path, index)
    return Coverage(frozenset(face.unicodes) if face else frozenset())


def _opened(path: Path, index: int = 0) -> Any:
    """Return a face of HarfBuzz, which reads it as it is needed; None if it can't be used."""
    import uharfbuzz

    from cvbuild.outputs.pdf.fonts import font_file

    try:
        face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)), index)
        tables = face.table_tags
        flags = face.reference_table("OS/2").data[8:10] if "OS/2" in tables else b""
    except (uharfbuzz.HarfBuzzError, UnicodeDecodeError):
        return None
    return None if font_file.fault(tables, int.from_bytes(flags)) else face


# The characters that pdfTeX sets as one precomposed glyph each, so that they extract again. Only
# for typewriter type, and for styles with fonts of their own TeX. Measured, not taken from an
# encoding: every character that LaTeX knows was typeset in several families with TeX Live 2022 and
# the embedded TeX, and is listed if poppler and PDFium extracted it (tests/test_scripts.py repeats
# this). An accent that TeX puts on a letter is two characters.
_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
#: In every family.
_T1 = _ASCII | frozenset(
    "¡¢£¤¥¦§¨©ª«¬®¯°±´µ¶·º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "ĂăĄąĆćČčĎďđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž–—‘’‚“”„†‡•‰‹›€"
)
#: Set by commands: the ellipsis as three full stops, which ``text_folding`` treats as the same.
T1_COMMANDS = frozenset("…")
_MORE = {"lmr": "™№℮←↑→↓₩₫◦", "lmtt": "№℮←↑→↓₩₫◦"}


def t1_characters(family: str) -> frozenset[str]:
    """Return the characters of an NFSS family's T1 and TS1 fonts; for others the common ones."""
    return _T1 | T1_COMMANDS | frozenset(_MORE.get(family, ""))
