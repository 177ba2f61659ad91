"""Make TeX's fonts from glyphs of an OpenType font: metrics, encoding, outlines.

A font of TeX has up to 256 slots, each with a glyph and the text that readers get for it. pdfTeX
reads its metrics (TFM), and embeds those glyphs of its outlines (PFB) that a document uses. The
names of glyphs tell pdfTeX their text.

Of shaped words each cluster of glyphs is one glyph with the whole text. So TeX only sets slots and
kerns, and every reader gets what was written, in its order: of a letter with marks, of a ligature,
of a syllable whose signs are drawn before its first letter.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct, field

from cvbuild.outputs.pdf.fonts import type1
from cvbuild.outputs.pdf.fonts.font_file import FontFile
from cvbuild.outputs.pdf.fonts.layouts import Cluster, ClusterLayout
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point

#: The last code point that the names "uni..." can hold.
_BMP = 0xFFFF
#: The side of a point in thousandths of the font's size; PDFium overlooks one of 1.
_POINT = 4.0
#: Two slots beside each other.
Pair = tuple[int, int]


class TexFont(Struct, frozen=True):
    """The files of a font, and its name, which is made from them."""

    name: str
    metrics: bytes
    outlines: bytes


def make(
    face: FontFile,
    texts: Mapping[int, str],
    kerns: Mapping[Pair, float] | None = None,
    ligatures: Mapping[Pair, int] | None = None,
) -> TexFont:
    """Return a font with the glyphs of a face, which has them by slot, and their texts.

    ``kerns`` are in thousandths of the font's size, as ``ligatures`` by pair of slots.
    Raises FontError and what fontTools raises for a damaged font (inside of ``opened`` all become
    FontError); ValueError for no slots.
    """
    encoding = _glyph_names(texts)
    glyphs = {name: face.outlines(slot) for slot, name in encoding.items()}
    boxes = {slot: _box(face, slot) for slot in texts}
    measures = {pair: value / 1000 for pair, value in (kerns or {}).items()}
    metrics = to_bytes(Metrics(boxes, _parameters(face), measures, ligatures or {}))
    info = type1.Info(face.name, face.angle, face.box)
    outlines = type1.to_bytes(info, glyphs, encoding)
    name = f"cvb{hashlib.sha256(metrics + outlines).hexdigest()[:20]}"
    return TexFont(name, metrics, outlines)


def _glyph_names(texts: Mapping[int, str]) -> dict[int, str]:
    """Return the names of glyphs by slot; those of one text get different names."""
    names: dict[int, str] = {}
    used: set[str] = set()
    for slot, text in texts.items():
        name = _glyph_name(text)
        # pdfTeX ignores what follows a full stop.
        names[slot] = f"{name}.g{slot}" if name in used else name
        used.add(name)
    return names


def _glyph_name(text: str) -> str:
    """Return a name that pdfTeX reads as the text: uni1EE9, uni00660069, u1F600; "" has none.

    Of several characters none may be beyond U+FFFF.
    """
    codes = [ord(character) for character in text]
    if len(codes) == 1 and codes[0] > _BMP:
        return f"u{codes[0]:X}"
    if any(code > _BMP for code in codes):
        return "_".join(f"x{code:X}" for code in codes)
    return "uni" + "".join(f"{code:04X}" for code in codes) if codes else "g"


def _parameters(face: FontFile) -> tuple[float, ...]:
    """Return TeX's parameters of a font; the space is the face's own."""
    space = face.space / 1000
    slant = math.tan(math.radians(-face.angle))
    return (slant, space, space / 2, space / 3, face.x_height / 1000, 1.0, space / 3)


def _box(face: FontFile, slot: int) -> Box:
    height, depth = face.extent(slot)
    return Box(face.outlines(slot).width / 1000, height / 1000, depth / 1000)


def make_clusters(face: FontFile, layout: ClusterLayout) -> TexFont:
    """Return the font of these clusters; raises as ``make``."""
    texts = {slot: cluster.text for slot, cluster in enumerate(layout.clusters)}
    return make(_Clusters(face.font, layout.clusters), texts)


@dataclass
class _Clusters(FontFile):
    """A font whose glyphs are clusters of another one's."""

    clusters: Sequence[Cluster] = ()

    def outlines(self, glyph: int) -> Glyph:
        """Return all outlines of a cluster."""
        contours: list[Contour] = []
        cluster = self.clusters[glyph]
        for part in cluster.glyphs:
            drawn = super().outlines(part.glyph)
            contours += [_moved(contour, part.across, part.up) for contour in drawn.contours]
        if cluster.hidden and contours:
            contours = [_point(contours[0][0])]
        return Glyph(cluster.width, contours)


def _point(place: Point) -> Contour:
    """Return a square on the edge of a glyph, where nobody sees it: PDFium drops empty glyphs."""
    (x, y), half = place, _POINT / 2
    corners = [(x + half, y - half), (x + half, y + half), (x - half, y + half)]
    return (x - half, y - half), [(corner,) for corner in corners]


def _moved(contour: Contour, across: float, up: float) -> Contour:
    def move(point: Point) -> Point:
        return point[0] + across, point[1] + up

    start, segments = contour
    return move(start), [tuple(map(move, segment)) for segment in segments]


# Write TeX font metrics (TFM): widths, heights, kerns and ligatures of up to 256 characters. Pur


#: How many different values, beside 0, a table of TeX may have.
_WIDTHS, _HEIGHTS, _DEPTHS = 255, 15, 15
_KERN, _STOP, _LIGATURE = 128, 128, 0
#: The skip byte of a step that only says where the steps of a character begin.
_INDIRECT = 254
#: TeX's measures are less than this many times the font's size.
_LARGEST = 16
#: Steps in a file, whose length is below 32,768 words.
_STEPS = 30_000
#: Step numbers that fit into the remainder byte of a character.
_DIRECT = 256


class Box(Struct, frozen=True):
    """The size of a character."""

    width: float
    height: float = 0.0
    depth: float = 0.0


class Metrics(Struct, frozen=True):
    """A font: boxes by slot, kerns and ligatures by pair of slots, and TeX's seven parameters.

    ``parameters`` are slant, space, its stretch and shrink, x-height, quad, extra space; ``size``
    is the design size in pt, at which a font is loaded if TeX is told none.
    """

    boxes: Mapping[int, Box]
    parameters: tuple[float, ...]
    kerns: Mapping[tuple[int, int], float] = field(default_factory=dict)
    ligatures: Mapping[tuple[int, int], int] = field(default_factory=dict)
    size: float = 10


def to_bytes(metrics: Metrics) -> bytes:
    """Return a TFM file; raises ValueError for no characters, too many kerns, too large sizes."""
    boxes = metrics.boxes
    if not boxes:
        raise ValueError("a font without characters")
    # Index 0 of the widths means that there is no character.
    widths = _Table((box.width for box in boxes.values()), _WIDTHS, zero=True)
    heights = _Table((box.height for box in boxes.values()), _HEIGHTS)
    depths = _Table((box.depth for box in boxes.values()), _DEPTHS)
    program, starts, kerns = _program(metrics)
    first, last = min(boxes), max(boxes)
    characters = bytearray()
    for slot in range(first, last + 1):
        box = boxes.get(slot)
        if box is None:
            characters += bytes(4)
            continue
        size = heights.index(box.height) << 4 | depths.index(box.depth)
        start = starts.get(slot)
        characters += bytes((widths.index(box.width), size, int(start is not None), start or 0))
    header = bytes(4) + _fix(metrics.size)
    italics, extensible = bytes(4), b""
    tables = [
        header, bytes(characters), widths.bytes, heights.bytes, depths.bytes, italics, program,
        b"".join(map(_fix, kerns)), extensible, b"".join(map(_fix, metrics.parameters)),
    ]  # fmt: skip
    counts = [len(table) // 4 for table in tables]
    lengths = [6 + sum(counts), counts[0], first, last, *counts[2:]]
    return struct.pack(">12H", *lengths) + b"".join(tables)


def _fix(value: float) -> bytes:
    if not -_LARGEST < value < _LARGEST:
        raise ValueError("a measure that TeX doesn't take")
    return struct.pack(">i", round(value * (1 << 20)))


class _Table:
    """Values of one kind, at most ``most`` beside 0: neighbours share one where there are more."""

    def __init__(self, values: Iterable[float], most: int, *, zero: bool = False) -> None:
        sizes = sorted({round(value * (1 << 20)) for value in values} - (set() if zero else {0}))
        groups = _clusters(sizes, most)
        self._index = {
            value: number for number, group in enumerate(groups, start=1) for value in group
        }
        middles = [(group[0] + group[-1]) // 2 for group in groups]
        self.bytes = b"".join(_fix(value / (1 << 20)) for value in (0, *middles))

    def index(self, value: float) -> int:
        """Return where the value is in the table."""
        return self._index.get(round(value * (1 << 20)), 0)


def _clusters(values: list[int], most: int) -> list[list[int]]:
    """Return sorted values in at most ``most`` groups, with the smallest spread that allows it."""
    low, high = 0, values[-1] - values[0] if values else 0
    while low < high:
        spread = (low + high) // 2
        if len(_within(values, spread)) <= most:
            high = spread
        else:
            low = spread + 1
    return _within(values, low)


def _within(values: list[int], spread: int) -> list[list[int]]:
    groups: list[list[int]] = []
    for value in values:
        if groups and value - groups[-1][0] <= spread:
            groups[-1].append(value)
        else:
            groups.append([value])
    return groups


def _program(metrics: Metrics) -> tuple[bytes, dict[int, int], list[float]]:
    """Return the ligature and kern program, where each character's steps begin, and the kerns."""
    steps: dict[int, list[tuple[int, int, int]]] = {}
    for (left, right), made in sorted(metrics.ligatures.items()):
        steps.setdefault(left, []).append((right, _LIGATURE, made))
    kerns = sorted(set(metrics.kerns.values()))
    number = {value: at for at, value in enumerate(kerns)}
    for (left, right), value in sorted(metrics.kerns.items()):
        # TeX takes the first step for a pair, so a kern after a ligature would never be used.
        if (left, right) not in metrics.ligatures:
            at = number[value]
            steps.setdefault(left, []).append((right, _KERN + (at >> 8), at & 255))
    if len(steps) > _DIRECT:
        raise ValueError("too many characters")
    # Accented letters mostly have the steps of the bare letter.
    shared: dict[tuple[tuple[int, int, int], ...], int] = {}
    starts = {slot: shared.setdefault(tuple(own), len(shared)) for slot, own in steps.items()}
    heads, body = bytearray(), bytearray()
    at = len(shared)
    if at + sum(map(len, shared)) > _STEPS:
        raise ValueError("too many kerns")
    for key in shared:
        heads += bytes((_INDIRECT, 0, at >> 8, at & 255))
        for right, kind, value in key:
            body += bytes((0, right, kind, value))
        body[-4] = _STOP
        at += len(key)
    return bytes(heads + body), starts, kerns
