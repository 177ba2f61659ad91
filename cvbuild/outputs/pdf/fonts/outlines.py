"""Change outlines of glyphs: put them in a row, widen them, mix two of one shape. Pure.

All measures are in thousandths of the font's size.
"""

from __future__ import annotations

from collections.abc import Iterable

from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point


def row(glyphs: Iterable[Glyph], scale: float) -> Glyph:
    """Return glyphs beside each other as one, at ``scale`` times their size."""
    contours: list[Contour] = []
    width = 0.0
    for glyph in glyphs:
        for start, segments in glyph.contours:
            moved = [tuple(_put(point, width, scale) for point in some) for some in segments]
            contours.append((_put(start, width, scale), moved))
        width += glyph.width * scale
    return Glyph(width, contours)


def wider(glyph: Glyph, space: float) -> Glyph:
    """Return the glyph with space after it."""
    return Glyph(glyph.width + space, glyph.contours)


def between(one: Glyph, other: Glyph, part: float) -> Glyph | None:
    """Return the glyph ``part`` of the way from one to the other.

    None if one has other curves than the other, in their number or kind.
    """
    if _kinds(one) != _kinds(other):
        return None
    contours: list[Contour] = []
    for (start, segments), (end, others) in zip(one.contours, other.contours, strict=True):
        mixed = [
            tuple(_mix(p, q, part) for p, q in zip(some, more, strict=True))
            for some, more in zip(segments, others, strict=True)
        ]
        contours.append((_mix(start, end, part), mixed))
    return Glyph(one.width + part * (other.width - one.width), contours)


def _kinds(glyph: Glyph) -> list[list[int]]:
    return [[len(segment) for segment in segments] for _, segments in glyph.contours]


def _put(point: Point, across: float, scale: float) -> Point:
    return point[0] * scale + across, point[1] * scale


def _mix(one: Point, other: Point, part: float) -> Point:
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])
