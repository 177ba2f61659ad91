"""Read an OpenType font by fontTools: its glyphs and outlines; write Type 1 fonts of such outlines.

Letters that it lacks are drawn from others (``layouts.composed``). All measures are in thousandths
of the font's size. Imported when a font is made, as it takes long.
"""

from __future__ import annotations

import contextlib
import logging
import math
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from fontTools.misc.bezierTools import calcCubicBounds
from fontTools.misc.psCharStrings import encodeIntT1
from fontTools.misc.transform import Scale, Transform
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont, TTLibError
from msgspec import Struct

from cvbuild.common import limits
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.fonts import layouts
from cvbuild.outputs.pdf.fonts.layouts import Parts


@contextlib.contextmanager
def opened(path: Path, index: int = 0) -> Iterator[FontFile]:
    """Open a font, of a collection by its number; raises FontError if it can't be embedded."""
    # What it says of damage that it can mend concerns nobody here.
    logging.getLogger("fontTools").setLevel(logging.CRITICAL)
    number = index if path.suffix.lower() in (".ttc", ".otc") else -1
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
            if fault := layouts.fault(font.keys(), allowed):
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
        head = font["head"]
        self.scale = scale = 1000 / int(head.unitsPerEm)
        """Thousandths of the font's size in a unit."""
        low, high = (head.xMin * scale, head.yMin * scale), (head.xMax * scale, head.yMax * scale)
        self.box = (*map(math.floor, low), *map(math.ceil, high))
        """The box around all glyphs."""
        self.angle = float(font["post"].italicAngle) if "post" in font else 0.0
        """The slope in degrees, negative for an italic."""
        self.slope = math.tan(math.radians(-self.angle))
        """The italic's step to the right by height."""
        known = getattr(font["OS/2"], "sxHeight", 0) if "OS/2" in font else 0
        self.x_height = float(known) * scale or 450.0
        """The height of the small x."""
        self.count = int(font["maxp"].numGlyphs)
        """The number of its own glyphs."""
        self._drawn: dict[int, Glyph] = {}

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Glyph numbers by code point; those of letters that it lacks follow its own."""
        number, names = self.font.getGlyphID, self.font.getBestCmap() or {}
        own = {code: number(name) for code, name in names.items()}
        return own | {code: self.count + code for code in layouts.composed(own.keys())}

    @cached_property
    def name(self) -> str:
        """The PostScript name, of letters, digits and hyphens only."""
        name = self.font["name"].getDebugName(6) or self.font["name"].getDebugName(4) or ""
        return "".join(c for c in name if c.isascii() and (c.isalnum() or c == "-"))[:40] or "Font"

    @cached_property
    def _shapes(self) -> Any:
        return self.font.getGlyphSet()

    def width(self, glyph: int) -> float:
        """Return how far the next glyph is."""
        return float(self.font["hmtx"][self.font.getGlyphName(glyph)][0]) * self.scale

    def outlines(self, glyph: int) -> Glyph:
        """Return a glyph with its outlines, in curves of the third degree."""
        if glyph not in self._drawn and glyph >= self.count:
            parts = layouts.drawn_letters()[glyph - self.count]
            self._drawn[glyph] = draw(parts, self.outlines_of, self.slope)
        if glyph not in self._drawn:
            pen = _Outlines(self._shapes)
            self._shapes[self.font.getGlyphName(glyph)].draw(pen)
            contours = moved(pen.contours, Scale(self.scale))
            self._drawn[glyph] = Glyph(self.width(glyph), contours)
        return self._drawn[glyph]

    def outlines_of(self, character: str) -> Glyph:
        """Return the glyph of a character with its outlines."""
        return self.outlines(self.glyphs[ord(character)])


class _Outlines(BasePen):  # type: ignore[misc]
    """Gathers contours; fontTools makes curves of the third degree of TrueType's."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.contours: list[tuple[Point, list[tuple[Point, ...]]]] = []

    def _moveTo(self, point: Point) -> None:  # noqa: N802 - fontTools calls it
        self.contours.append((point, []))

    def _lineTo(self, *points: Point) -> None:  # noqa: N802 - see above
        self.contours[-1][1].append(points)

    _curveToOne = _lineTo  # noqa: N815 - see above


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
    still, contours, stretch = base, mark.contours, 1.0
    _, _, low, top = _box(base.contours, slope)
    left, right, bottom, height = _box(mark.contours, slope)
    flat = _box(outlines("x").contours, slope)[3]
    half = (top - max(low, 0)) * 0.6
    upper = place in ("above", "over", "high", "beside")
    begin, end = _sides(base.contours, slope, half if upper else low, top if upper else half)
    across, up, width = (begin + end) / 2 - (left + right) / 2, 0.0, base.width
    if place in ("before", "after"):
        still, contours = (mark, base.contours) if place == "before" else (base, contours)
        across, width = still.width, base.width + mark.width
    elif place in ("high", "across"):
        begin, end = _sides(base.contours, slope, half, top)
        stretch = (end - begin + (150 if place == "high" else -_GAP)) / (right - left)
        line = flat + (top - flat) * 0.4 if place == "high" else top * 0.45
        across = (begin + end) / 2 - stretch * (left + right) / 2
        up = line - (bottom + height) / 2
    elif place == "above":
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
    # Made upright, stretched and moved, and slanted again.
    change = Transform(stretch, 0, 0, 1, across, up)
    for step in (Transform(yx=-slope), change, Transform(yx=slope)):
        contours = moved(contours, step)
    return Glyph(width, [*still.contours, *contours])


def _sides(
    contours: Collection[Contour], slope: float, low: float, high: float
) -> tuple[float, float]:
    """Return left and right of what is between two heights, as if it were upright."""
    points = (point for start, lines in contours for point in (start, *chain.from_iterable(lines)))
    across = [x - y * slope for x, y in points if low <= y <= high]
    return (min(across), max(across)) if across else (0.0, 0.0)


def _box(contours: Collection[Contour], slope: float) -> tuple[float, float, float, float]:
    heights = [y for start, lines in contours for _, y in (start, *chain.from_iterable(lines))]
    low, high = min(heights), max(heights)
    return (*_sides(contours, slope, low, high), low, high)


# -- Type 1 (PFB): cubic, without hints ------------------------------------------------------------

Point = tuple[float, float]
#: A closed curve: where it begins, then lines (one point) and curves (three points).
Contour = tuple[Point, Sequence[tuple[Point, ...]]]

_UNITS = 1000
_HSBW, _RRCURVETO, _CLOSEPATH, _ENDCHAR, _VHCURVETO, _HVCURVETO = 13, 8, 9, 14, 30, 31
#: Of a line and of a move: along, upwards, both.
_LINES, _MOVES = (6, 7, 5), (22, 4, 21)
_DIV = (12, 12)
#: Keys and multipliers of Type 1's encryption.
_CHARSTRING, _EEXEC, _C1, _C2 = 4330, 55665, 52845, 22719


class Glyph(Struct, frozen=True, dict=True):
    """A glyph's width and outlines in thousandths of the font's size."""

    width: float
    contours: Sequence[Contour] = ()

    @cached_property
    def code(self) -> bytes:
        """The encrypted charstring."""
        return _encrypted(b"\0\0\0\0" + charstring(self), _CHARSTRING)


#: A font's PostScript name, its slope in degrees, and the box around all of its glyphs.
Info = tuple[str, float, tuple[int, int, int, int]]


def moved(contours: Iterable[Contour], by: Transform) -> list[Contour]:
    """Return contours with each of their points moved."""
    return [
        (by.transformPoint(start), [tuple(by.transformPoints(segment)) for segment in segments])
        for start, segments in contours
    ]


def to_bytes(info: Info, glyphs: Mapping[str, Glyph], encoding: Mapping[int, str]) -> bytes:
    """Return a PFB file; ``encoding`` are the names of glyphs by slot, the font's own encoding."""
    name, angle, (left, bottom, right, top) = info
    lines = (
        f"%!PS-AdobeFont-1.0: {name} 1.0",
        "11 dict begin",
        "/FontType 1 def",
        "/FontMatrix [0.001 0 0 0.001 0 0] readonly def",
        f"/FontName /{name} def",
        f"/FontBBox {{{left} {bottom} {right} {top}}} readonly def",
        "/PaintType 0 def",
        "/FontInfo 3 dict dup begin",
        f"/FullName ({name}) readonly def",
        f"/ItalicAngle {angle:g} def",
        "/isFixedPitch false def",
        "end readonly def",
        "/Encoding 256 array",
        "0 1 255 {1 index exch /.notdef put} for",
        *(f"dup {slot} /{glyph} put" for slot, glyph in sorted(encoding.items())),
        "readonly def",
        "currentdict end",
        "currentfile eexec",
        "",
    )
    clear = "\n".join(lines).encode("ascii")
    # The encrypted part has the glyphs.
    strings = {".notdef": Glyph(_UNITS / 2), **glyphs}
    private = bytearray(
        b"\0\0\0\0dup /Private 8 dict dup begin\n"
        b"/RD {string currentfile exch readstring pop} executeonly def\n"
        b"/ND {noaccess def} executeonly def\n"
        b"/NP {noaccess put} executeonly def\n"
        b"/BlueValues [] def\n"
        b"/MinFeature {16 16} def\n"
        b"/password 5839 def\n"
        b"/Subrs 4 array\n"
    )
    for number in range(4):
        # In a font without hints each subroutine only returns.
        code = _encrypted(b"\0\0\0\0" + bytes((11,)), _CHARSTRING)
        private += b"dup %d %d RD " % (number, len(code)) + code + b" NP\n"
    private += b"ND\n2 index /CharStrings %d dict dup begin\n" % len(strings)
    for key, glyph in strings.items():
        private += b"/%s %d RD " % (key.encode("ascii"), len(glyph.code)) + glyph.code + b" ND\n"
    private += (
        b"end\nend\nreadonly put\nnoaccess put\n"
        b"dup /FontName get exch definefont pop\nmark currentfile closefile\n"
    )
    hidden = _encrypted(private, _EEXEC)
    end = b"\n".join([b"0" * 64] * 8) + b"\ncleartomark\n"
    return b"".join(
        (
            *(b"\x80" + struct.pack("<BI", kind, len(part)) + part
              for kind, part in ((1, clear), (2, hidden), (1, end))),
            b"\x80\x03",
        )
    )  # fmt: skip


def charstring(glyph: Glyph) -> bytes:
    """Return the Type 1 charstring; each position is rounded, so that errors don't add up."""
    code = bytearray(_number(0))
    # A width that isn't whole as a division, exact to a hundredth.
    hundredths = round(glyph.width * 100)
    whole, part = divmod(hundredths, 100)
    code += _number(hundredths) + _number(100) + bytes(_DIV) if part else _number(whole)
    code.append(_HSBW)
    here = 0, 0
    for start, segments in glyph.contours:
        for at, segment in enumerate(((start,), *segments)):
            points = [here, *((round(x), round(y)) for x, y in segment)]
            here = points[-1]
            steps = [b - a for pair in pairwise(points) for a, b in zip(*pair, strict=True)]
            command = _RRCURVETO
            if len(segment) == 1:
                if at and steps == [0, 0]:
                    continue
                along, upwards, command = _LINES if at else _MOVES
                if steps[1] == 0:
                    command, steps = along, steps[:1]
                elif steps[0] == 0:
                    command, steps = upwards, steps[1:]
            elif steps[1] == steps[4] == 0:
                command, steps = _HVCURVETO, [steps[0], steps[2], steps[3], steps[5]]
            elif steps[0] == steps[5] == 0:
                command, steps = _VHCURVETO, steps[1:5]
            code += b"".join(map(_number, steps)) + bytes((command,))
        code.append(_CLOSEPATH)
    code.append(_ENDCHAR)
    return bytes(code)


_SHORT = {value: encodeIntT1(value) for value in range(-1131, 1132)}


def _number(value: int) -> bytes:
    return bytes(_SHORT.get(value) or encodeIntT1(value))


def _encrypted(plain: bytes | bytearray, key: int) -> bytes:
    encrypted = bytearray(len(plain))
    for at, byte in enumerate(plain):
        cipher = byte ^ (key >> 8)
        encrypted[at] = cipher
        key = ((cipher + key) * _C1 + _C2) & 0xFFFF
    return bytes(encrypted)
