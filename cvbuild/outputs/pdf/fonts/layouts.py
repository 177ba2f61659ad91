"""Which characters a font has, in which slots of TeX's fonts, and which font sets which words.

Every layout has ASCII, quotes, dashes and ligatures in the slots of LaTeX's T1 encoding, so the
commands of LaTeX work in all of them. The base layout also has T1's letters, and common signs where
T1 has bare accents. Words with other letters are set whole in one font that has all they need, so
that kerns are not lost: in one of the fixed layouts, which all documents share, or in one that is
made for the document.
"""

from __future__ import annotations

import contextlib
import json
import string
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from cvbuild.common.files.user_cache import Store
from cvbuild.outputs.pdf.latex import typography

#: Slots for ligatures: T1's own five, then those of signs that are no text.
LIGATURES = (27, 28, 29, 30, 31, 23, 24, 26, 127)
#: Slots for signs, in T1 those of bare accents.
_SIGNS = tuple(range(13))
_LETTERS = tuple(range(128, 256))
#: In every layout: ASCII, where T1 has curly quotes in two places, then T1's quotes and dashes.
COMMON = {
    **{slot: chr(slot) for slot in range(33, 127)},
    39: "’",
    96: "‘",
    **dict(zip(range(13, 23), "‚‹›“”„«»–—", strict=True)),
}
#: The letters of layouts, in their order; T1's "SS" is a capital sharp s.
_ALPHABETS = json.loads(Path(__file__).with_name("letters.json").read_text(encoding="utf-8"))
#: Signs in the base layout.
SIGNS: str = _ALPHABETS["signs"]
#: Letters of the fixed layouts.
_FIXED = (
    _ALPHABETS["latin-1"] + _ALPHABETS["europe"],
    _ALPHABETS["latin-1"] + _ALPHABETS["symbols"],
    *(_ALPHABETS[name] for name in ("vietnamese", "greek", "cyrillic")),
)

#: Features of figures, in the order in which they apply.
LINING, OLD_STYLE, TABULAR = ("lnum",), ("onum", "pnum"), ("lnum", "tnum")
#: Space after each small capital in hundredths of the font's size.
TRACKING = 4


class Cut(Struct, frozen=True):
    """Which glyphs a font has: ``figures`` are their features, ``caps`` small capitals.

    ``heavier`` is the bold file of the same family, for a weight between the two.
    """

    figures: tuple[str, ...] = LINING
    caps: bool = False
    heavier: Path | None = None


PLAIN = Cut()


class Layout(Struct, frozen=True, eq=False, dict=True):
    """Characters by slot, the slots that are free for ligatures, and how the font is cut."""

    slots: Mapping[int, str]
    ligatures: tuple[int, ...] = LIGATURES
    cut: Cut = PLAIN

    @cached_property
    def key(self) -> str:
        """All of it as text, with the state of the heavier file."""
        texts = "".join(f"{slot:02X}{text}" for slot, text in sorted(self.slots.items()))
        cut, state = self.cut, ""
        if cut.heavier:
            with contextlib.suppress(OSError):
                stamp = cut.heavier.stat()
                state = f"{cut.heavier}\0{stamp.st_mtime_ns}\0{stamp.st_size}"
        of_cut = f" cut 2 {cut.figures} {cut.caps} {state}" if cut != PLAIN else ""
        return f"{texts} {self.ligatures}{of_cut}"

    def as_cut(self, cut: Cut) -> Layout:
        """Return the layout of the same characters in another cut; of single ones the same."""
        return self if cut == self.cut or not self.ligatures else replace(self, cut=cut)


def of_words(letters: Iterable[str]) -> Layout:
    """Return the layout of words with these letters, at most ``ROOM``; signs fill the rest."""
    wanted = dict.fromkeys(c for c in letters if c not in _COMMON)
    filled = [*wanted, *(sign for sign in SIGNS if sign not in wanted)]
    return Layout({**COMMON, **dict(zip((*_LETTERS, *_SIGNS, 25), filled, strict=False))})


_COMMON = frozenset(COMMON.values())
#: How many letters fit into a layout of words, and characters into the others.
ROOM, MOST = len(_LETTERS) + len(_SIGNS) + 1, 255
BASE = Layout(
    {**COMMON, 25: "ı"}
    | dict(zip(_LETTERS, _ALPHABETS["t1"], strict=True))
    | dict(zip(_SIGNS, SIGNS, strict=True))
)
FIXED_LAYOUTS = tuple(of_words(letters) for letters in _FIXED)


def packed(units: Iterable[tuple[str, bool]]) -> Iterator[tuple[Layout, list[tuple[str, bool]]]]:
    """Yield layouts and what they set: words that a fixed layout has, others, single characters."""
    # A unit is a word or a character, and whether it is code.
    rest = list(units)
    for layout in FIXED_LAYOUTS if rest else ():
        have = frozenset(layout.slots.values())
        group = [unit for unit in rest if _is_word(unit[0]) and have.issuperset(unit[0])]
        if group:
            yield layout, group
            rest = [unit for unit in rest if unit not in set(group)]
    words = sorted(unit for unit in rest if _is_word(unit[0]))
    for used, group in _bins(words, ROOM):
        yield of_words(sorted(used)), group
    characters = sorted(unit for unit in rest if not _is_word(unit[0]))
    for used, group in _bins(characters, MOST):
        yield Layout(dict(zip(range(1, MOST + 1), sorted(used), strict=False)), ()), group


def _is_word(unit: str) -> bool:
    """Return whether it is set with kerns: not East Asian."""
    return not any(typography.script_of(c) in ("han", "kana", "hangul") for c in unit)


def _bins(
    units: Iterable[tuple[str, bool]], room: int
) -> Iterator[tuple[set[str], list[tuple[str, bool]]]]:
    """Yield units in groups with at most ``room`` different characters beside ASCII."""
    used: set[str] = set()
    group: list[tuple[str, bool]] = []
    for unit in units:
        more = {c for c in unit[0] if not c.isascii()} - used
        if group and len(used) + len(more) > room:
            yield used, group
            used, group, more = set(), [], {c for c in unit[0] if not c.isascii()}
        used |= more
        group.append(unit)
    if group:
        yield used, group


def letters(number: int) -> str:
    """Return a, b, .. z, aa, ab, .."""
    high, low = divmod(number, 26)
    return (letters(high - 1) if high else "") + string.ascii_lowercase[low]


# -- shaped words: a slot for each cluster ---------------------------------------------------------


class Placed(Struct, frozen=True, order=True):
    """A glyph's number and its place in its cluster, in thousandths of the font's size."""

    glyph: int
    across: float = 0.0
    up: float = 0.0


class Cluster(Struct, frozen=True):
    """Characters, their glyphs, and how far the next cluster is.

    ``hidden``: another cluster draws the glyphs, this one only a point of them.
    """

    text: str
    glyphs: tuple[Placed, ...]
    width: float
    hidden: bool = False

    @property
    def shape(self) -> tuple[object, ...]:
        """What tells it apart."""
        return self.text, self.glyphs, self.hidden


#: The clusters of a font, by slot from 0.
Clusters = tuple[Cluster, ...]


class CachedFont(Struct, frozen=True):
    """A font in the cache: its name for TeX, its slots by character; or the ``fault``: why none."""

    name: str = ""
    slots: dict[str, int] = {}
    fault: str = ""
    files: tuple[bytes, ...] = ()
    """Metrics and outlines, if it was made now and has characters."""

    def put(self, store: Store, name: str) -> dict[str, Any]:
        """Store it, with its files named as TeX looks for them; raises OSError."""
        ends, kept = (".tfm", ".pfb"), asdict(self)
        del kept["files"]
        own = {f"{self.name}{end}": file for end, file in zip(ends, self.files, strict=False)}
        store.put(name, kept, own=own)
        return kept


# -- what a font file has, and what can be drawn of it ---------------------------------------------


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


@lru_cache(maxsize=64)
def _coverage(path: Path, index: int, *_: int) -> frozenset[int]:
    import uharfbuzz

    try:
        # HarfBuzz reads a face as it is needed.
        face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)), index)
        tables = face.table_tags
        flags = face.reference_table("OS/2").data[8:10] if "OS/2" in tables else b""
    except (uharfbuzz.HarfBuzzError, UnicodeDecodeError):
        return frozenset()
    return frozenset() if fault(tables, int.from_bytes(flags)) else frozenset(face.unicodes)


# The characters of Latin Modern's typewriter type that pdfTeX sets as one precomposed glyph each,
# so that they extract again. Measured, not taken from an encoding: every character that LaTeX knows
# was typeset with TeX Live 2022 and the embedded TeX, and is listed if poppler and PDFium extracted
# it (tests/test_scripts.py repeats this). An accent that TeX puts on a letter is two characters.
TYPEWRITER = frozenset((*map(chr, range(0x21, 0x7F)), *_ALPHABETS["typewriter"]))


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
        for code, parts in drawn_letters().items()
        if code not in codes and all(ord(c) in codes for c in parts[0] + parts[1])
    }


@lru_cache(maxsize=1)
def drawn_letters() -> dict[int, Parts]:
    """Return how all letters are drawn that can be, by their code points."""
    drawn: dict[int, Parts] = {}
    for code in range(0xC0, _LAST + 1):
        parts = unicodedata.normalize("NFD", chr(code))
        base, mark = parts[0], parts[1:]
        if chr(code) in _OTHERS:
            drawn[code] = _OTHERS[chr(code)]
        elif base <= "z" and mark in _ABOVE:
            drawn[code] = base, _ABOVE[mark], "above"
        elif base <= "z" and mark in _BELOW:
            place = "right" if mark == "\u0328" and base in "aAu" else "below"
            drawn[code] = base, _BELOW[mark], place
    return drawn
