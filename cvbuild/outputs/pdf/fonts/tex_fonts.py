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
import struct
from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec import Struct

from cvbuild.outputs.pdf.fonts.font_file import Contour, FontFile, Glyph, extent, moved, to_bytes
from cvbuild.outputs.pdf.fonts.layouts import ClusterLayout

#: The last code point that the names "uni..." can hold.
_BMP = 0xFFFF
#: The side of a point in thousandths of the font's size; PDFium overlooks one of 1.
_POINT = 4.0
#: Two slots beside each other.
Pair = tuple[int, int]


class Drawn(Struct, frozen=True):
    """What a font shows of a face: glyphs and their texts, by slot.

    ``kerns`` are in thousandths of the font's size, and ``joined`` the slots of ligatures, both by
    pair of slots. ``bodies`` are what small capitals are as high as for TeX, and for readers, which
    take type for as high as its h and as low as its y. ``ending`` is that of the font's name.
    """

    face: FontFile
    texts: Mapping[int, str]
    glyphs: Mapping[int, Glyph]
    kerns: Mapping[Pair, float] = {}
    joined: Mapping[Pair, int] = {}
    bodies: Mapping[int, Glyph] = {}
    ending: str = ""


def make(drawn: Drawn) -> tuple[str, bytes, bytes]:
    """Return the font that shows this: its name, made from its files, metrics and outlines.

    Raises FontError and what fontTools raises for a damaged font (inside of ``opened`` all become
    FontError); ValueError for no slots.
    """
    face, encoding = drawn.face, _glyph_names(drawn.texts)
    boxes = {}
    for slot in drawn.texts:
        height, depth = extent(drawn.bodies.get(slot) or drawn.glyphs[slot])
        boxes[slot] = (drawn.glyphs[slot].width / 1000, height / 1000, depth / 1000)
    # The space is the face's own.
    space = face.space / 1000
    parameters = (face.slope, space, space / 2, space / 3, face.x_height / 1000, 1.0, space / 3)
    kerns = {pair: value / 1000 for pair, value in drawn.kerns.items()}
    metrics = tfm(boxes, parameters, kerns, drawn.joined)
    name = face.name
    if drawn.ending:
        name = f"{name.removesuffix('-Regular')}{drawn.ending}"
    glyphs = {glyph: drawn.glyphs[slot] for slot, glyph in encoding.items()}
    outlines = to_bytes((name, face.angle, face.box), glyphs, encoding)
    digest = hashlib.sha256(metrics + outlines).hexdigest()
    return f"cvb{digest[:20]}", metrics, outlines


def _glyph_names(texts: Mapping[int, str]) -> dict[int, str]:
    """Return the names of glyphs by slot; those of one text get different names.

    pdfTeX reads them as the text: uni1EE9, uni00660069, u1F600; "" has none. Of several characters
    none may be beyond U+FFFF.
    """
    names: dict[int, str] = {}
    used: set[str] = set()
    for slot, text in texts.items():
        codes = [ord(character) for character in text]
        name = "uni" + "".join(f"{code:04X}" for code in codes) if codes else "g"
        if max(codes, default=0) > _BMP:
            name = f"u{codes[0]:X}" if len(codes) == 1 else "_".join(f"x{c:X}" for c in codes)
        # pdfTeX ignores what follows a full stop.
        names[slot] = f"{name}.g{slot}" if name in used else name
        used.add(name)
    return names


def space_font() -> tuple[bytes, bytes]:
    """Return the metrics and outlines of pdfTeX's spaces: two glyphs without outlines."""
    # Of 1 pt: PDFium takes two spaces of 10 pt on both sides of a short word for one drawn twice.
    metrics = tfm({32: (0.001, 0, 0)}, (0, 0.001, 0, 0, 0.4, 0.002, 0.001), {}, {}, size=1)
    return metrics, to_bytes(("CvbSpace", 0.0, (0, 0, 0, 0)), {"space": Glyph(1)}, {32: "space"})


def of_clusters(face: FontFile, layout: ClusterLayout) -> Drawn:
    """Return what the font of these clusters shows: all outlines of one as one glyph."""
    glyphs = {}
    for slot, cluster in enumerate(layout.clusters):
        contours: list[Contour] = []
        for part in cluster.glyphs:
            contours += moved(face.outlines(part.glyph).contours, part.across, part.up)
        if cluster.hidden and contours:
            # A square on the edge of a glyph, where nobody sees it: PDFium drops empty glyphs.
            (x, y), half = contours[0][0], _POINT / 2
            corners = [(x + half, y - half), (x + half, y + half), (x - half, y + half)]
            contours = [((x - half, y - half), [(corner,) for corner in corners])]
        glyphs[slot] = Glyph(cluster.width, contours)
    return Drawn(face, {slot: c.text for slot, c in enumerate(layout.clusters)}, glyphs)


# -- metrics: a TFM file ---------------------------------------------------------------------------
# The format is described in "TeX: The Program", sections 539 to 575. All measures are fractions of
# the font's size.


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


def tfm(
    boxes: Mapping[int, tuple[float, float, float]],
    parameters: Iterable[float],
    kerns: Mapping[Pair, float],
    ligatures: Mapping[Pair, int],
    size: float = 10,
) -> bytes:
    """Return a TFM file; raises ValueError for no characters, too many kerns, too large sizes.

    ``boxes`` are width, height and depth by slot, kerns and ligatures by pair of slots.
    ``parameters`` are slant, space, its stretch and shrink, x-height, quad, extra space; ``size``
    is the design size in pt, at which a font is loaded if TeX is told none.
    """
    if not boxes:
        raise ValueError("a font without characters")
    sizes = zip(*boxes.values(), strict=True)
    # Index 0 of the widths means that there is no character.
    widths, heights, depths = (
        _Table(values, most, zero=most == _WIDTHS)
        for values, most in zip(sizes, (_WIDTHS, _HEIGHTS, _DEPTHS), strict=True)
    )
    program, starts, steps = _program(kerns, ligatures)
    first, last = min(boxes), max(boxes)
    characters = bytearray()
    for slot in range(first, last + 1):
        if slot not in boxes:
            characters += bytes(4)
            continue
        width, height, depth = boxes[slot]
        places = heights.index(height) << 4 | depths.index(depth)
        start = starts.get(slot)
        characters += bytes((widths.index(width), places, int(start is not None), start or 0))
    italics, extensible = bytes(4), b""
    tables = [
        bytes(4) + _fix(size), bytes(characters), widths.bytes, heights.bytes, depths.bytes,
        italics, program, b"".join(map(_fix, steps)), extensible, b"".join(map(_fix, parameters)),
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

    def __init__(self, values: Iterable[float], most: int, *, zero: bool) -> None:
        sizes = sorted({round(value * (1 << 20)) for value in values} - (set() if zero else {0}))
        # The smallest spread of a group that allows it.
        spread = bisect_left(
            range(sizes[-1] - sizes[0] if sizes else 0),
            -most,
            key=lambda s: -len(_groups(sizes, s)),
        )
        groups = _groups(sizes, spread)
        self._index = {value: at for at, group in enumerate(groups, start=1) for value in group}
        middles = [(group[0] + group[-1]) // 2 for group in groups]
        self.bytes = b"".join(_fix(value / (1 << 20)) for value in (0, *middles))

    def index(self, value: float) -> int:
        """Return where the value is in the table."""
        return self._index.get(round(value * (1 << 20)), 0)


def _groups(values: list[int], spread: int) -> list[list[int]]:
    """Return sorted values in groups of that spread at most."""
    groups: list[list[int]] = []
    for value in values:
        if groups and value - groups[-1][0] <= spread:
            groups[-1].append(value)
        else:
            groups.append([value])
    return groups


def _program(
    kerns: Mapping[Pair, float], ligatures: Mapping[Pair, int]
) -> tuple[bytes, dict[int, int], list[float]]:
    """Return the ligature and kern program, where each character's steps begin, and the kerns."""
    steps: dict[int, list[tuple[int, int, int]]] = {}
    for (left, right), joined in sorted(ligatures.items()):
        steps.setdefault(left, []).append((right, _LIGATURE, joined))
    values = sorted(set(kerns.values()))
    number = {value: at for at, value in enumerate(values)}
    for (left, right), value in sorted(kerns.items()):
        # TeX takes the first step for a pair, so a kern after a ligature would never be used.
        if (left, right) not in ligatures:
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
    return bytes(heads + body), starts, values
