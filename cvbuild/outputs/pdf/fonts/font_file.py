"""Read an OpenType font: its glyphs, outlines, kerns and ligatures, by glyph number.

Kerns and features are applied as other programs apply them: lookups add up, and in each the first
subtable that knows a pair decides.

All measures are in thousandths of the font's size. fontTools is imported when a font is opened.
"""

from __future__ import annotations

import contextlib
import logging
import math
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from cvbuild.common import limits
from cvbuild.outputs.font_files import FontError
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point

_COLLECTIONS = (".ttc", ".otc")


@contextlib.contextmanager
def opened(path: Path, index: int = 0) -> Iterator[FontFile]:
    """Open a font; ``index`` is its number in a collection.

    Raises FontError if it is damaged, forbids embedding, or has bitmaps or variations only.
    """
    import struct

    from fontTools.ttLib import TTFont, TTLibError

    # What it says of damage that it can mend concerns nobody here.
    logging.getLogger("fontTools").setLevel(logging.CRITICAL)
    number = index if path.suffix.lower() in _COLLECTIONS else -1
    try:
        with (
            limits.seconds(limits.SECONDS),
            path.open("rb") as file,
            TTFont(file, lazy=True, fontNumber=number) as font,
        ):
            if "glyf" in font:
                # By number: making names of Unicode's takes a third of a second for Chinese.
                font.setGlyphOrder([f"g{at}" for at in range(font["maxp"].numGlyphs)])
            allowed = font["OS/2"].fsType if "OS/2" in font else 0
            if fact := fault(font.keys(), allowed):
                raise FontError(fact)
            yield FontFile(font)
    except OSError as error:
        raise FontError(error.strerror or "it can't be read") from error
    except limits.TimeUpError:
        raise FontError(f"it took over {limits.SECONDS:g} s to read") from None
    except (
        TTLibError, ValueError, KeyError, AssertionError, IndexError, AttributeError, TypeError,
        struct.error, ArithmeticError, RecursionError, MemoryError, NotImplementedError, EOFError,
    ) as error:  # fmt: skip
        raise FontError("it is damaged") from error


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


@dataclass
class FontFile:
    """An opened font."""

    font: Any
    _drawn: dict[int, Glyph] = field(default_factory=dict, init=False)

    @cached_property
    def scale(self) -> float:
        """Thousandths of the font's size in a unit."""
        return 1000 / int(self.font["head"].unitsPerEm)

    @cached_property
    def _own(self) -> dict[int, int]:
        number = self.font.getGlyphID
        return {code: number(name) for code, name in (self.font.getBestCmap() or {}).items()}

    @cached_property
    def composed(self) -> dict[int, Parts]:
        """The parts of letters that the font lacks, by numbers that follow its own."""
        parts = composed(self._own.keys()).values()
        return dict(enumerate(parts, int(self.font["maxp"].numGlyphs)))

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Glyph numbers by code point."""
        return self._own | dict(zip(composed(self._own.keys()), self.composed, strict=True))

    @cached_property
    def name(self) -> str:
        """The PostScript name, of letters, digits and hyphens only."""
        name = self.font["name"].getDebugName(6) or self.font["name"].getDebugName(4) or ""
        return "".join(c for c in name if c.isascii() and (c.isalnum() or c == "-"))[:40] or "Font"

    @cached_property
    def angle(self) -> float:
        """The slope in degrees, negative for an italic."""
        return float(self.font["post"].italicAngle) if "post" in self.font else 0.0

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """The box around all glyphs."""
        head = self.font["head"]
        left, bottom = head.xMin * self.scale, head.yMin * self.scale
        right, top = head.xMax * self.scale, head.yMax * self.scale
        return math.floor(left), math.floor(bottom), math.ceil(right), math.ceil(top)

    @cached_property
    def x_height(self) -> float:
        """The height of the small x."""
        known = getattr(self.font["OS/2"], "sxHeight", 0) if "OS/2" in self.font else 0
        return float(known) * self.scale or 450.0

    @cached_property
    def space(self) -> float:
        """The width of a space."""
        return FontFile.width(self, self.glyphs[0x20]) if 0x20 in self.glyphs else 250.0

    @cached_property
    def _set(self) -> Any:
        return self.font.getGlyphSet()

    def width(self, glyph: int) -> float:
        """Return the advance width of a glyph."""
        if glyph in self.composed:
            return self.outlines(glyph).width
        return float(self.font["hmtx"][self.font.getGlyphName(glyph)][0]) * self.scale

    def outlines(self, glyph: int) -> Glyph:
        """Return a glyph with its outlines, in curves of the third degree."""
        if glyph not in self._drawn and glyph in self.composed:
            slope = math.tan(math.radians(-self.angle))
            self._drawn[glyph] = draw(
                self.composed[glyph], lambda c: self.outlines(self.glyphs[ord(c)]), slope
            )
        if glyph not in self._drawn:
            from fontTools.pens.recordingPen import DecomposingRecordingPen

            pen = DecomposingRecordingPen(self._set)
            self._set[self.font.getGlyphName(glyph)].draw(pen)
            self._drawn[glyph] = Glyph(self.width(glyph), _contours(pen.value, self.scale))
        return self._drawn[glyph]

    def extent(self, glyph: int) -> tuple[float, float]:
        """Return how far TeX is told that a glyph goes up and down from the baseline."""
        return extent(self.outlines(glyph))


def extent(glyph: Glyph) -> tuple[float, float]:
    """Return how far the outlines go up and down from the baseline, each at least 0."""
    heights = [y for start, segments in glyph.contours for y in _extremes(start, segments)]
    return max(0.0, max(heights, default=0.0)), max(0.0, -min(heights, default=0.0))


def _extremes(start: Point, segments: Sequence[tuple[Point, ...]]) -> Iterator[float]:
    """Yield the heights of all points and of the curves' turning points."""
    at = start
    yield at[1]
    for segment in segments:
        yield segment[-1][1]
        if len(segment) == 3:
            yield from _turns(at[1], segment[0][1], segment[1][1], segment[2][1])
        at = segment[-1]


def _turns(a: float, b: float, c: float, d: float) -> Iterator[float]:
    if min(a, d) <= min(b, c) and max(b, c) <= max(a, d):
        return
    square, linear, constant = -a + 3 * b - 3 * c + d, 2 * (a - 2 * b + c), b - a
    if abs(square) < 1e-9:
        roots = [-constant / linear] if linear else []
    else:
        inner = linear * linear - 4 * square * constant
        if inner < 0:
            return
        root = math.sqrt(inner)
        roots = [(-linear + root) / (2 * square), (-linear - root) / (2 * square)]
    for t in roots:
        if 0 < t < 1:
            s = 1 - t
            yield s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d


def _contours(drawing: Iterable[tuple[str, tuple[Any, ...]]], scale: float) -> list[Contour]:
    """Return the contours that a pen recorded: scaled, closed, in curves of the third degree."""
    from fontTools.pens.basePen import decomposeQuadraticSegment

    contours: list[tuple[Point, list[tuple[Point, ...]]]] = []
    place: Point = (0.0, 0.0)
    for operator, operands in drawing:
        points = [(point[0] * scale, point[1] * scale) for point in operands if point is not None]
        if operator == "qCurveTo" and operands[-1] is None:
            # Without a point on the curve it begins between two.
            (x, y), (left, down) = points[-1], points[0]
            place = (x + left) / 2, (y + down) / 2
            contours.append((place, []))
            points.append(place)
        if operator == "moveTo":
            contours.append((points[0], []))
        elif operator == "qCurveTo" and len(points) > 1:
            for control, end in decomposeQuadraticSegment(points):
                contours[-1][1].append((_third(place, control), _third(end, control), end))
                place = end
        elif points:
            contours[-1][1].append(tuple(points))
        place = points[-1] if points else place
    return list(contours)


def _third(end: Point, control: Point) -> Point:
    """Return a point two thirds of the way to the control point."""
    return end[0] + 2 / 3 * (control[0] - end[0]), end[1] + 2 / 3 * (control[1] - end[1])


# -- characters, by HarfBuzz or as measured -------------------------------------------------------


def coverage(path: Path, index: int = 0) -> frozenset[int]:
    """Return the code points that a font file has; none if it can't be used."""
    try:
        state = path.stat()
    except OSError:
        return frozenset()
    return _coverage(path, index, state.st_mtime_ns, state.st_size)


def with_accents(path: Path, index: int = 0) -> frozenset[int]:
    """Return the code points of a font file, and those that pdfTeX's fonts draw from them."""
    own = coverage(path, index)
    return own.union(composed(own))


@lru_cache(maxsize=64)
def _coverage(path: Path, index: int, *_: int) -> frozenset[int]:
    face = _opened(path, index)
    return frozenset(face.unicodes) if face else frozenset()


def _opened(path: Path, index: int = 0) -> Any:
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
    "¡¢£¤¥¦§¨©ª«¬®¯°±´µ¶·º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "ĂăĄąĆćČčĎďđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž–—‘’‚“”„†‡•‰‹›€№℮←↑→↓₩₫◦"
)

# -- pairs of glyphs: kerns (GPOS), ligatures and figures (GSUB) ----------------------------------


#: Lookup types.
_SINGLE, _LIGATURE, _GSUB_EXTENSION = 1, 4, 7
_PAIR, _GPOS_EXTENSION = 2, 9


def kerns(font: Any, names: AbstractSet[str], script: str) -> dict[tuple[str, str], int]:
    """Return the kerns between glyphs, in the font's units, by pair of names, without zeros."""
    if "GPOS" not in font:
        return _old_kerns(font, names)
    total: dict[tuple[str, str], int] = {}
    for tables in _lookups(font["GPOS"].table, "kern", script, _PAIR, _GPOS_EXTENSION):
        kerns: dict[tuple[str, str], int] = {}
        decided: set[str] = set()
        for table in tables:
            lefts = [
                (at, name)
                for at, name in enumerate(table.Coverage.glyphs)
                if name in names and name not in decided
            ]
            if table.Format == 1:
                for pair, value in _pairs(table, lefts, names):
                    kerns.setdefault(pair, value)
            else:
                # Classes say something, or zero, of all glyphs that may follow.
                for pair, value in _class_pairs(table, lefts, names):
                    kerns.setdefault(pair, value)
                decided.update(name for _, name in lefts)
        for pair, value in kerns.items():
            total[pair] = total.get(pair, 0) + value
    return {pair: value for pair, value in total.items() if value}


def _old_kerns(font: Any, names: AbstractSet[str]) -> dict[tuple[str, str], int]:
    """Return the pairs of a "kern" table, which is used where there is no GPOS."""
    return {
        pair: value
        for table in (font["kern"].kernTables if "kern" in font else ())
        for pair, value in getattr(table, "kernTable", {}).items()
        if names >= set(pair) and value
    }


def _pairs(
    table: Any, lefts: list[tuple[int, str]], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable that lists them; zero is a decision, too."""
    for at, left in lefts:
        for record in table.PairSet[at].PairValueRecord:
            if record.SecondGlyph in names:
                yield (left, record.SecondGlyph), _advance(record.Value1)


def _class_pairs(
    table: Any, lefts: list[tuple[int, str]], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable of classes whose kern isn't zero."""
    first, second = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    members: dict[int, list[str]] = {}
    for name in names:
        members.setdefault(second.get(name, 0), []).append(name)
    rows: dict[int, list[tuple[int, list[str]]]] = {}
    for _, left in lefts:
        row = first.get(left, 0)
        if row not in rows:
            records = table.Class1Record[row].Class2Record
            values = [(_advance(records[number].Value1), some) for number, some in members.items()]
            rows[row] = [(value, some) for value, some in values if value]
        for value, rights in rows[row]:
            for right in rights:
                yield (left, right), value


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0) if value else 0


def ligatures(font: Any, script: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the standard ligatures: the glyphs that join, and the glyph that they become."""
    if "GSUB" not in font:
        return
    for tables in _lookups(font["GSUB"].table, "liga", script, _LIGATURE, _GSUB_EXTENSION):
        for table in tables:
            for first, several in table.ligatures.items():
                for ligature in several:
                    yield (first, *ligature.Component), ligature.LigGlyph


def replaced(font: Any, names: Iterable[str], feature: str, script: str) -> dict[str, str]:
    """Return the glyphs that a feature puts in the place of others, such as lining figures."""
    glyphs: dict[str, str] = {}
    if "GSUB" in font:
        for tables in _lookups(font["GSUB"].table, feature, script, _SINGLE, _GSUB_EXTENSION):
            for table in tables:
                glyphs |= table.mapping
    return {name: glyphs[name] for name in names if name in glyphs}


def _lookups(
    table: Any, feature: str, script: str, kind: int, extension: int
) -> Iterator[list[Any]]:
    """Yield the subtables of each lookup of a feature, in the font's order."""
    if table.FeatureList is None or table.LookupList is None or table.ScriptList is None:
        return
    scripts = {record.ScriptTag: record.Script for record in table.ScriptList.ScriptRecord}
    chosen = scripts.get(script) or scripts.get("DFLT")
    language = chosen.DefaultLangSys if chosen else None
    if language is None:
        return
    numbers: set[int] = set()
    for at in language.FeatureIndex:
        record = table.FeatureList.FeatureRecord[at]
        if record.FeatureTag == feature:
            numbers.update(record.Feature.LookupListIndex)
    for number in sorted(numbers):
        lookup = table.LookupList.Lookup[number]
        tables = [
            one.ExtSubTable if lookup.LookupType == extension else one for one in lookup.SubTable
        ]
        same = [one for one in tables if one.LookupType == kind]
        if same:
            yield same


# Letters that a font lacks, drawn from others that it has: ğ from g and ˘, đ from d and ¯.


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
#: Gaps, in thousandths of the font's size.
_GAP, _BESIDE, _FLAT = 70, 40, 40
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


def draw(parts: Parts, outlines: Callable[[str], Glyph], slope: float) -> Glyph:
    """Return the glyph of a letter; ``slope`` is the italic's step to the right by height."""
    letter, accent, place = parts
    base = outlines(letter)
    if not accent:
        return base
    mark = outlines(accent)
    if not base.contours or not mark.contours:
        return base
    if letter in "ij" and place == "above":
        dot = max(base.contours, key=lambda one: _box([one], slope)[3])
        base = Glyph(base.width, [one for one in base.contours if one is not dot])
    if place in ("before", "after"):
        first, second = (mark, base) if place == "before" else (base, mark)
        moved = _moved(second.contours, first.width, 0, slope)
        return Glyph(first.width + second.width, [*first.contours, *moved])
    _, _, low, top = _box(base.contours, slope)
    left, right, bottom, height = _box(mark.contours, slope)
    flat = _box(outlines("x").contours, slope)[3]
    half = (top - max(low, 0)) * 0.6
    upper = place in ("above", "over", "high", "beside")
    begin, end = _sides(base.contours, slope, half if upper else low, top if upper else half)
    middle, width = (begin + end) / 2 - (left + right) / 2, base.width
    if place in ("high", "across"):
        begin, end = _sides(base.contours, slope, half, top)
        stretch = (end - begin + (150 if place == "high" else -_GAP)) / (right - left)
        line = flat + (top - flat) * 0.4 if place == "high" else top * 0.45
        across = (begin + end) / 2 - stretch * (left + right) / 2
        up = line - (bottom + height) / 2
        return Glyph(width, [*base.contours, *_moved(mark.contours, across, up, slope, stretch)])
    across, up = middle, 0.0
    if place == "above":
        up = top - flat if top - flat > _FLAT else 0.0
    elif place == "over":
        up = flat + _GAP - bottom
    elif place == "beside":
        across, up = end + _BESIDE - left, top - height
        width = max(width, across + right + _BESIDE)
    elif accent == ",":
        up = -_GAP - height
    elif place == "right":
        across = end - right
    return Glyph(width, [*base.contours, *_moved(mark.contours, across, up, slope)])


def _points(contours: Collection[Contour]) -> Iterator[Point]:
    for start, segments in contours:
        yield start
        for segment in segments:
            yield from segment


def _sides(
    contours: Collection[Contour], slope: float, low: float, high: float
) -> tuple[float, float]:
    """Return left and right of what is between two heights, as if it were upright."""
    across = [x - y * slope for x, y in _points(contours) if low <= y <= high]
    return (min(across), max(across)) if across else (0.0, 0.0)


def _box(contours: Collection[Contour], slope: float) -> tuple[float, float, float, float]:
    heights = [y for _, y in _points(contours)]
    low, high = min(heights), max(heights)
    return (*_sides(contours, slope, low, high), low, high)


def _moved(
    contours: Collection[Contour], across: float, up: float, slope: float, stretch: float = 1.0
) -> Iterator[Contour]:
    """Yield contours that are moved along the slope, and stretched from left to right."""

    def move(point: Point) -> Point:
        x, y = point
        return (x - y * slope) * stretch + across + (y + up) * slope, y + up

    for start, segments in contours:
        yield move(start), [tuple(map(move, segment)) for segment in segments]
