"""The characters of fonts: of OpenType's from their own tables, of TeX's as they were measured.

Those of OpenType fonts are kept on disk between builds.
"""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cvbuild.common import hashes, sealed
from cvbuild.outputs.pdf.fonts.installed import FontError

#: The version of the files in the cache.
_VERSION = "2"


@dataclass(frozen=True, slots=True, eq=False)
class _Codes(AbstractSet[int]):
    """A set of numbers in ranges: quicker to load than a set of 40,000."""

    firsts: tuple[int, ...]
    lasts: tuple[int, ...]

    def __contains__(self, code: object) -> bool:
        if not isinstance(code, int):
            return False
        at = bisect.bisect_right(self.firsts, code) - 1
        return at >= 0 and code <= self.lasts[at]

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self.firsts, self.lasts, strict=True):
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(self.lasts) - sum(self.firsts) + len(self.firsts)


@dataclass(frozen=True, slots=True)
class Coverage:
    """A font's characters, and those that share a glyph with others (groups of code points)."""

    codes: AbstractSet[int]
    shared: tuple[tuple[int, ...], ...] = ()

    def has(self, text: str) -> bool:
        """Return whether every character of the text has a glyph."""
        return all(ord(character) in self.codes for character in text)


def common(paths: Iterable[Path | None], cache: Path) -> Coverage:
    """Return what all of the fonts have: a word may be upright, italic or bold."""
    every = [of(path, cache=cache) for path in paths if path]
    if not every:
        return Coverage(frozenset())
    codes = frozenset(every[0].codes).intersection(*(one.codes for one in every[1:]))
    return Coverage(codes, tuple(group for one in every for group in one.shared))


def of(path: Path, index: int = 0, cache: Path | None = None) -> Coverage:
    """Return the coverage of a font file; an empty one if the file can't be used.

    In the folder ``cache`` it is kept by the font file's path, time and size.
    """
    try:
        state = path.stat()
    except OSError:
        return Coverage(frozenset())
    return _of(path, index, cache, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _of(path: Path, index: int, cache: Path | None, modified: int, size: int) -> Coverage:
    if cache is None:
        return _parse(path, index)
    key = hashes.digest(f"{_VERSION}\0{path}\0{index}\0{modified}\0{size}")
    place = cache / "glyphs" / f"{key[:24]}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        data = sealed.load(place)
        firsts, lasts = zip(*data["ranges"], strict=True)
        return Coverage(_Codes(firsts, lasts), tuple(map(tuple, data["shared"])))
    parsed = _parse(path, index)
    if parsed.codes:
        # For other builds, if the cache can be written.
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            sealed.save(place, {"ranges": _ranges(parsed.codes), "shared": parsed.shared})
    return parsed


def _parse(path: Path, index: int) -> Coverage:
    from cvbuild.outputs.pdf.fonts import font_file

    try:
        with font_file.opened(path, index) as face:
            table = face.font.getBestCmap() or {}
    except FontError:
        return Coverage(frozenset())
    glyphs: dict[str, list[int]] = {}
    for code, glyph in table.items():
        glyphs.setdefault(glyph, []).append(code)
    shared = tuple(tuple(sorted(codes)) for codes in glyphs.values() if len(codes) > 1)
    return Coverage(frozenset(table), shared)


def _ranges(codes: Iterable[int]) -> list[list[int]]:
    """Return the codes as ranges: [first, last]."""
    ranges: list[list[int]] = []
    for code in sorted(codes):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ranges


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
_MORE = {
    "lmr": "™№℮←↑→↓₩₫◦",
    "lmtt": "№℮←↑→↓₩₫◦",
}


def t1_characters(family: str) -> frozenset[str]:
    """Return the characters of an NFSS family's T1 and TS1 fonts; for others the common ones."""
    return _T1 | T1_COMMANDS | frozenset(_MORE.get(family, ""))
