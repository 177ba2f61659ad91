"""Read an OpenType font by fontTools: its glyphs and outlines, by glyph number.

Letters that it lacks are drawn from others (``characters.composed``). All measures are in
thousandths of the font's size. Imported when a font is made, as it takes long.
"""

from __future__ import annotations

import contextlib
import logging
import math
import struct
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from fontTools.misc.bezierTools import calcCubicBounds
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont, TTLibError

from cvbuild.common import limits
from cvbuild.outputs.font_files import FontError
from cvbuild.outputs.pdf.fonts import characters
from cvbuild.outputs.pdf.fonts.characters import Parts
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point, mapped

_COLLECTIONS = (".ttc", ".otc")


@contextlib.contextmanager
def opened(path: Path, index: int = 0) -> Iterator[FontFile]:
    """Open a font; ``index`` is its number in a collection.

    Raises FontError if it is damaged, forbids embedding, or has bitmaps or variations only.
    """
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
            if fault := characters.fault(font.keys(), allowed):
                raise FontError(fault)
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


class FontFile:
    """An opened font."""

    def __init__(self, font: Any) -> None:
        self.font = font
        self.scale = 1000 / int(font["head"].unitsPerEm)
        """Thousandths of the font's size in a unit."""
        self._drawn: dict[int, Glyph] = {}

    @cached_property
    def _own(self) -> dict[int, int]:
        number = self.font.getGlyphID
        return {code: number(name) for code, name in (self.font.getBestCmap() or {}).items()}

    @cached_property
    def composed(self) -> dict[int, Parts]:
        """The parts of letters that the font lacks, by numbers that follow its own."""
        parts = characters.composed(self._own.keys()).values()
        return dict(enumerate(parts, int(self.font["maxp"].numGlyphs)))

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Glyph numbers by code point."""
        codes = characters.composed(self._own.keys())
        return self._own | dict(zip(codes, self.composed, strict=True))

    @cached_property
    def name(self) -> str:
        """The PostScript name, of letters, digits and hyphens only."""
        name = self.font["name"].getDebugName(6) or self.font["name"].getDebugName(4) or ""
        return "".join(c for c in name if c.isascii() and (c.isalnum() or c == "-"))[:40] or "Font"

    @cached_property
    def angle(self) -> float:
        """The slope in degrees, negative for an italic."""
        return float(self.font["post"].italicAngle) if "post" in self.font else 0.0

    @property
    def slope(self) -> float:
        """The italic's step to the right by height."""
        return math.tan(math.radians(-self.angle))

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The box around all glyphs."""
        head = self.font["head"]
        left, bottom = head.xMin * self.scale, head.yMin * self.scale
        right, top = head.xMax * self.scale, head.yMax * self.scale
        return math.floor(left), math.floor(bottom), math.ceil(right), math.ceil(top)

    @property
    def x_height(self) -> float:
        """The height of the small x."""
        known = getattr(self.font["OS/2"], "sxHeight", 0) if "OS/2" in self.font else 0
        return float(known) * self.scale or 450.0

    @property
    def space(self) -> float:
        """The width of a space."""
        return self._width(self.glyphs[0x20]) if 0x20 in self.glyphs else 250.0

    @cached_property
    def _set(self) -> Any:
        return self.font.getGlyphSet()

    def _width(self, glyph: int) -> float:
        return float(self.font["hmtx"][self.font.getGlyphName(glyph)][0]) * self.scale

    def outlines(self, glyph: int) -> Glyph:
        """Return a glyph with its outlines, in curves of the third degree."""
        if glyph not in self._drawn and glyph in self.composed:
            self._drawn[glyph] = draw(self.composed[glyph], self.outlines_of, self.slope)
        if glyph not in self._drawn:
            pen = _Outlines(self._set, self.scale)
            self._set[self.font.getGlyphName(glyph)].draw(pen)
            self._drawn[glyph] = Glyph(self._width(glyph), pen.contours)
        return self._drawn[glyph]

    def outlines_of(self, character: str) -> Glyph:
        """Return the glyph of a character with its outlines."""
        return self.outlines(self.glyphs[ord(character)])


class _Outlines(BasePen):  # type: ignore[misc]
    """Gathers contours, scaled; fontTools makes curves of the third degree of TrueType's."""

    def __init__(self, glyphs: Any, scale: float) -> None:
        super().__init__(glyphs)
        self.contours: list[tuple[Point, list[tuple[Point, ...]]]] = []
        self._scale = scale

    def _scaled(self, *points: Point) -> tuple[Point, ...]:
        return tuple((x * self._scale, y * self._scale) for x, y in points)

    def _moveTo(self, point: Point) -> None:  # noqa: N802 - fontTools calls it
        self.contours.append((self._scaled(point)[0], []))

    def _lineTo(self, point: Point) -> None:  # noqa: N802 - see above
        self.contours[-1][1].append(self._scaled(point))

    def _curveToOne(self, *points: Point) -> None:  # noqa: N802 - see above
        self.contours[-1][1].append(self._scaled(*points))


def extent(glyph: Glyph) -> tuple[float, float]:
    """Return how far the outlines go up and down from the baseline, each at least 0."""
    low = high = 0.0
    for last, segments in glyph.contours:
        low, high = min(low, last[1]), max(high, last[1])
        for segment in segments:
            ends = last[1], segment[-1][1]
            if len(segment) == 3:
                _, *lower, _, upper = calcCubicBounds(last, *segment)
                ends = *lower, upper
            low, high = min(low, *ends), max(high, *ends)
            last = segment[-1]  # noqa: PLW2901 - the curve goes on from there
    return high, -low


# -- letters from their parts ----------------------------------------------------------------------


#: Gaps, in thousandths of the font's size.
_GAP, _BESIDE, _FLAT = 70, 40, 40


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
        dot = max(base.contours, key=lambda contour: _box([contour], slope)[3])
        base = Glyph(base.width, [contour for contour in base.contours if contour is not dot])
    if place in ("before", "after"):
        first, second = (mark, base) if place == "before" else (base, mark)
        beside = _moved(second.contours, first.width, 0, slope)
        return Glyph(first.width + second.width, [*first.contours, *beside])
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
) -> list[Contour]:
    """Return contours that are moved along the slope, and stretched from left to right."""

    def move(point: Point) -> Point:
        x, y = point
        return (x - y * slope) * stretch + across + (y + up) * slope, y + up

    return mapped(contours, move)
