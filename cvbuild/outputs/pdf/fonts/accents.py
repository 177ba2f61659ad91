"""Letters that a font lacks, drawn from others that it has: ğ from g and ˘, đ from d and ¯.

So a name stays in one typeface, though its file has the letters of Western Europe only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point

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
