"""Write Type 1 fonts (PFB) from outlines: cubic, without hints, all characters under given names.

Pure. The format is described in "Adobe Type 1 Font Format", the marks of a PFB file in Adobe's
technical note 5040.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from fontTools.misc.psCharStrings import encodeIntT1
from msgspec import Struct

Point = tuple[float, float]
#: A closed curve: where it begins, then lines (one point) and curves (three points).
Contour = tuple[Point, Sequence[tuple[Point, ...]]]

_UNITS = 1000
_HSBW, _RLINETO, _HLINETO, _VLINETO, _RRCURVETO, _CLOSEPATH = 13, 5, 6, 7, 8, 9
_ENDCHAR, _RMOVETO, _HMOVETO, _VMOVETO, _VHCURVETO, _HVCURVETO = 14, 21, 22, 4, 30, 31
_DIV = (12, 12)
#: Keys and multipliers of Type 1's encryption.
_CHARSTRING, _EEXEC, _C1, _C2 = 4330, 55665, 52845, 22719
#: The subroutines of a font without hints: each only returns.
_RETURN = bytes((11,))


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


def mapped(contours: Iterable[Contour], move: Callable[[Point], Point]) -> list[Contour]:
    """Return contours with each of their points moved."""
    return [
        (move(start), [tuple(map(move, segment)) for segment in segments])
        for start, segments in contours
    ]


def moved(
    contours: Iterable[Contour], across: float, up: float = 0, size: float = 1
) -> list[Contour]:
    """Return contours at ``size`` times their size, moved."""
    return mapped(contours, lambda point: (point[0] * size + across, point[1] * size + up))


def to_bytes(info: Info, glyphs: Mapping[str, Glyph], encoding: Mapping[int, str]) -> bytes:
    """Return a PFB file; ``encoding`` are the names of glyphs by slot, the font's own encoding."""
    clear = _clear(info, encoding).encode("ascii")
    private = _encrypted(b"\0\0\0\0" + _private(glyphs), _EEXEC)
    end = b"\n".join([b"0" * 64] * 8) + b"\ncleartomark\n"
    return b"".join(
        (
            *(b"\x80" + struct.pack("<BI", kind, len(part)) + part
              for kind, part in ((1, clear), (2, private), (1, end))),
            b"\x80\x03",
        )
    )  # fmt: skip


def charstring(glyph: Glyph) -> bytes:
    """Return the Type 1 charstring; each position is rounded, so that errors don't add up."""
    code = bytearray(_number(0))
    code += _width(glyph.width)
    code.append(_HSBW)
    at = (0, 0)
    for start, segments in glyph.contours:
        at = _move(code, at, _rounded(start))
        for segment in segments:
            at = _draw(code, at, [_rounded(point) for point in segment])
        code.append(_CLOSEPATH)
    code.append(_ENDCHAR)
    return bytes(code)


def _rounded(point: Point) -> tuple[int, int]:
    return round(point[0]), round(point[1])


def _move(code: bytearray, at: tuple[int, int], to: tuple[int, int]) -> tuple[int, int]:
    across, up = to[0] - at[0], to[1] - at[1]
    if up == 0:
        code += _number(across) + bytes((_HMOVETO,))
    elif across == 0:
        code += _number(up) + bytes((_VMOVETO,))
    else:
        code += _number(across) + _number(up) + bytes((_RMOVETO,))
    return to


def _draw(code: bytearray, at: tuple[int, int], points: list[tuple[int, int]]) -> tuple[int, int]:
    steps: list[int] = []
    x, y = at
    for px, py in points:
        steps += (px - x, py - y)
        x, y = px, py
    command = _RRCURVETO
    if len(points) == 1:
        if steps == [0, 0]:
            return at
        command = _HLINETO if steps[1] == 0 else _VLINETO if steps[0] == 0 else _RLINETO
        steps = [step for step in steps if step] if command != _RLINETO else steps
    elif steps[1] == steps[4] == 0:
        command, steps = _HVCURVETO, [steps[0], steps[2], steps[3], steps[5]]
    elif steps[0] == steps[5] == 0:
        command, steps = _VHCURVETO, steps[1:5]
    for step in steps:
        code += _number(step)
    code.append(command)
    return x, y


_SHORT = {value: encodeIntT1(value) for value in range(-1131, 1132)}


def _number(value: int) -> bytes:
    return bytes(_SHORT.get(value) or encodeIntT1(value))


def _width(value: float) -> bytes:
    """Return a width; one that isn't whole as a division, exact to a hundredth."""
    hundredths = round(value * 100)
    if hundredths % 100 == 0:
        return _number(hundredths // 100)
    return _number(hundredths) + _number(100) + bytes(_DIV)


def _clear(info: Info, encoding: Mapping[int, str]) -> str:
    name, angle, (left, bottom, right, top) = info
    return "\n".join(
        [
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
        ]
    )


def _private(glyphs: Mapping[str, Glyph]) -> bytes:
    strings = {".notdef": Glyph(_UNITS / 2), **glyphs}
    private = bytearray(
        b"dup /Private 8 dict dup begin\n"
        b"/RD {string currentfile exch readstring pop} executeonly def\n"
        b"/ND {noaccess def} executeonly def\n"
        b"/NP {noaccess put} executeonly def\n"
        b"/BlueValues [] def\n"
        b"/MinFeature {16 16} def\n"
        b"/password 5839 def\n"
        b"/Subrs 4 array\n"
    )
    for number in range(4):
        code = _encrypted(b"\0\0\0\0" + _RETURN, _CHARSTRING)
        private += b"dup %d %d RD " % (number, len(code)) + code + b" NP\n"
    private += b"ND\n2 index /CharStrings %d dict dup begin\n" % len(strings)
    for name, glyph in strings.items():
        code = glyph.code
        private += b"/%s %d RD " % (name.encode("ascii"), len(code)) + code + b" ND\n"
    private += (
        b"end\nend\nreadonly put\nnoaccess put\n"
        b"dup /FontName get exch definefont pop\nmark currentfile closefile\n"
    )
    return bytes(private)


def _encrypted(plain: bytes, key: int) -> bytes:
    encrypted = bytearray(len(plain))
    for at, byte in enumerate(plain):
        cipher = byte ^ (key >> 8)
        encrypted[at] = cipher
        key = ((cipher + key) * _C1 + _C2) & 0xFFFF
    return bytes(encrypted)
