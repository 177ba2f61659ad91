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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

from cvbuild.outputs.pdf.fonts import tfm, type1
from cvbuild.outputs.pdf.fonts.font_file import FontFile
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.scripts.shaping import Cluster  # it loads HarfBuzz

#: The last code point that the names "uni..." can hold.
_BMP = 0xFFFF
#: Slots of a font of clusters. 255 is TeX's boundary character.
MOST = 255
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
    metrics = tfm.to_bytes(tfm.Metrics(boxes, _parameters(face), measures, ligatures or {}))
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


def _box(face: FontFile, slot: int) -> tfm.Box:
    height, depth = face.extent(slot)
    return tfm.Box(face.outlines(slot).width / 1000, height / 1000, depth / 1000)


class ClusterLayout(Struct, frozen=True):
    """The clusters of a font, by slot from 0."""

    clusters: tuple[Cluster, ...]

    @property
    def key(self) -> str:
        """All of it as text."""
        return f"clusters {self.clusters!r}"


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


def layouts(clusters: Iterable[Cluster]) -> list[ClusterLayout]:
    """Return as many fonts as the clusters need, in their order."""
    every = tuple(clusters)
    return [ClusterLayout(every[at : at + MOST]) for at in range(0, len(every), MOST)]
