"""Which character is in which slot of TeX's fonts, and which font sets which words.

Every layout has ASCII, quotes, dashes and ligatures in the slots of LaTeX's T1 encoding, so the
commands of LaTeX work in all of them. The base layout also has T1's letters, and common signs where
T1 has bare accents. Words with other letters are set whole in one font that has all they need, so
that kerns are not lost: in one of the fixed layouts, which all documents share, or in one that is
made for the document.
"""

from __future__ import annotations

import contextlib
import string
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.outputs.pdf.latex import runs

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
#: T1's letters; its "SS" is a capital sharp s.
_T1 = (
    "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß"
)
#: Signs in the base layout.
SIGNS = "Đ'`•·…†‡€©®™°"

_LATIN_1 = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
_EUROPE = "ĂăŁłȘșȚțĀāĒēĪīŌōŪūĢģĶķĻļŅņŖŗĖėĮįŲųČčŠšŽžĄąĘęĈĉĜĝĤĥĴĵŜŝŬŭĊċĠġĦħŻżŴŵŶŷĐđ"
_SYMBOLS = "¢¥¦¨ª¬¯´¶¸¹º¼½¾÷±×µ²³←→↑↓№℮−≈≤≥≠∞√∂∑∏∫◊₤₩₫₱₹₿⁰⁴⁵⁶⁷⁸⁹ⁿ⁄‰′″Ω◦▪"
_VIETNAMESE = (
    "ÀàẢảÃãÁáẠạĂăẰằẲẳẴẵẮắẶặÂâẦầẨẩẪẫẤấẬậĐđÈèẺẻẼẽÉéẸẹÊêỀềỂểỄễẾếỆệÌìỈỉĨĩÍíỊịÒòỎỏÕõÓóỌọÔôỒồỔổỖỗỐốỘộ"
    "ƠơỜờỞởỠỡỚớỢợÙùỦủŨũÚúỤụƯưỪừỬửỮữỨứỰựỲỳỶỷỸỹÝýỴỵ"
)
_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫαβγδεζηθικλμνξοπρςστυφχψωϊϋΆΈΉΊΌΎΏάέήίόύώΐΰ΄·"
_CYRILLIC = (
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюяЁёЀѐЂђЃѓЄєЅѕІіЇїЈјЉљЊњЋћЌќ"
    "ЍѝЎўЏџҐґҒғҖҗҚқҢңҮүҰұҲҳҶҷҺһӘәӨө№"
)
#: Letters of the fixed layouts.
_FIXED = (_LATIN_1 + _EUROPE, _LATIN_1 + _SYMBOLS, _VIETNAMESE, _GREEK, _CYRILLIC)

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

    @property
    def features(self) -> tuple[str, ...]:
        """The features that put one glyph in the place of another, in their order."""
        return ("smcp", *self.figures) if self.caps else self.figures

    @property
    def key(self) -> str:
        """All of it as text, with the state of the heavier file."""
        state = ""
        if self.heavier:
            with contextlib.suppress(OSError):
                stamp = self.heavier.stat()
                state = f"{self.heavier}\0{stamp.st_mtime_ns}\0{stamp.st_size}"
        return f"cut 2 {self.figures} {self.caps} {state}"


PLAIN = Cut()


class Layout(Struct, frozen=True, eq=False, dict=True):
    """Characters by slot, the slots that are free for ligatures, and how the font is cut."""

    slots: Mapping[int, str]
    ligatures: tuple[int, ...] = LIGATURES
    cut: Cut = PLAIN

    @cached_property
    def key(self) -> str:
        """All of it as text."""
        texts = "".join(f"{slot:02X}{text}" for slot, text in sorted(self.slots.items()))
        cut = f" {self.cut.key}" if self.cut != PLAIN else ""
        return f"{texts} {self.ligatures}{cut}"

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
    | dict(zip(_LETTERS, _T1, strict=True))
    | dict(zip(_SIGNS, SIGNS, strict=True))
)
FIXED_LAYOUTS = tuple(of_words(letters) for letters in _FIXED)


def packed(units: Iterable[tuple[str, bool]]) -> Iterator[tuple[Layout, list[tuple[str, bool]]]]:
    """Yield layouts and what they set: words that a fixed layout has, others, single characters.

    A unit is a word or a character, and whether it is code.
    """
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
    return not any(runs.script_of(c) in ("han", "kana", "hangul") for c in unit)


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


class ClusterLayout(Struct, frozen=True):
    """The clusters of a font, by slot from 0."""

    clusters: tuple[Cluster, ...]

    @property
    def key(self) -> str:
        """All of it as text."""
        return f"clusters {self.clusters!r}"


def of_clusters(clusters: Iterable[Cluster]) -> list[ClusterLayout]:
    """Return as many fonts as the clusters need, in their order."""
    every = tuple(clusters)
    return [ClusterLayout(every[at : at + MOST]) for at in range(0, len(every), MOST)]
