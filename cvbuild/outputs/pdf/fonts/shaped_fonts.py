"""Make TeX's fonts for shaped words: each cluster of glyphs becomes one glyph with the whole text.

So TeX only sets slots and kerns, and every reader gets what was written, in its order: of a letter
with marks, of a ligature, of a syllable whose signs are drawn before its first letter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cvbuild.outputs.pdf.fonts import tex_fonts
from cvbuild.outputs.pdf.fonts.font_file import FontFile
from cvbuild.outputs.pdf.fonts.tex_fonts import Slot, TexFont
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point
from cvbuild.outputs.pdf.scripts.shaping import Cluster

#: Slots of a font. 255 is TeX's boundary character.
MOST = 255
#: The side of a point in thousandths of the font's size; PDFium overlooks one of 1.
_POINT = 4.0


@dataclass(frozen=True, slots=True)
class ClusterLayout:
    """The clusters of a font, by slot from 0."""

    clusters: tuple[Cluster, ...]

    @property
    def key(self) -> str:
        """All of it as text."""
        return f"clusters {self.clusters!r}"


def make(face: FontFile, layout: ClusterLayout) -> tuple[TexFont, dict[str, int]]:
    """Return the font, named by its content, and no slots; raises as ``tex_fonts.make``."""
    drawn = _Clusters(face.font, layout.clusters)
    slots = [
        Slot(number, number, one.text, width=one.width)
        for number, one in enumerate(layout.clusters)
    ]
    made = tex_fonts.make("font", drawn, slots)
    name = f"cvb{hashlib.sha256(made.metrics + made.outlines).hexdigest()[:20]}"
    line = tex_fonts.map_line(name)
    return TexFont(name, made.metrics, made.outlines, line, made.unicode), {}


@dataclass
class _Clusters(FontFile):
    """A font whose glyphs are clusters of another one's."""

    clusters: Sequence[Cluster] = ()

    def outlines(self, glyph: int) -> Glyph:
        """Return all outlines of a cluster."""
        contours: list[Contour] = []
        cluster = self.clusters[glyph]
        for one in cluster.glyphs:
            drawn = super().outlines(one.glyph)
            contours += [_moved(contour, one.across, one.up) for contour in drawn.contours]
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
