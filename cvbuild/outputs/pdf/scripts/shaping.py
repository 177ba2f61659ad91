"""Shape words with HarfBuzz: the glyphs of each cluster of characters, and where they are drawn.

A cluster is the least part of a text that glyphs can be given to: a letter with its marks, a
ligature, a syllable of Devanagari. uharfbuzz is imported when the first font is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.outputs.pdf.scripts.runs import JOINERS, NO_JOINERS

#: More characters than the name of a glyph should tell.
_LONG = 20
#: The width of a joiner, in thousandths of the font's size.
_JOINER = 4.0


class MissingGlyphError(Exception):
    """A font has no glyph for a part of a text."""


class Placed(Struct, frozen=True, order=True):
    """A glyph's number and its place in its cluster, in thousandths of the font's size."""

    glyph: int
    across: float = 0.0
    up: float = 0.0


class Cluster(Struct, frozen=True):
    """Characters, their glyphs, and how far the next cluster is.

    ``hidden``: another cluster draws the glyphs, this one only a point of them.
    """

    text: str
    glyphs: tuple[Placed, ...]
    width: float
    hidden: bool = False


class Shaper:
    """A font file opened for shaping, at any size."""

    def __init__(self, path: Path, index: int = 0, features: str = "") -> None:
        """Open the font; raises OSError if the file can't be read."""
        import uharfbuzz

        self._harfbuzz: Any = uharfbuzz
        face = uharfbuzz.Face(uharfbuzz.Blob(path.read_bytes()), index)
        self._font = uharfbuzz.Font(face)
        self._scale: float = 1000 / face.upem
        self._features = {
            name[1:]: name[0] == "+" for name in features.split(";") if name[:1] in ("+", "-")
        }

    def shape(self, word: str, *, right: bool) -> list[Cluster]:
        """Return the word's clusters as they are read; raises MissingGlyphError."""
        harfbuzz = self._harfbuzz
        buffer = harfbuzz.Buffer()
        buffer.add_str(word)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if right else "ltr"
        buffer.language = "und"  # not that of the process
        harfbuzz.shape(self._font, buffer, self._features)
        glyphs = list(zip(buffer.glyph_infos, buffer.glyph_positions, strict=True))
        if any(info.codepoint == 0 for info, _ in glyphs):
            raise MissingGlyphError(word)
        starts = sorted({info.cluster for info, _ in glyphs})
        # A joiner at the end of a word has no letters beside it to be read between.
        ends = [*starts[1:], len(word.rstrip(JOINERS) if right else word)]
        shaped = [
            self._cluster(word[start:end], [one for one in glyphs if one[0].cluster == start])
            for start, end in zip(starts, ends, strict=True)
        ]
        return [
            part
            for one in shaped
            for part in (_letters(one, right) if right or len(one.text) > _LONG else [one])
        ]

    def _cluster(self, text: str, glyphs: list[tuple[Any, Any]]) -> Cluster:
        placed, at = [], 0
        for info, position in glyphs:
            across, up = at + position.x_offset, position.y_offset
            placed.append(Placed(info.codepoint, self._rounded(across), self._rounded(up)))
            at += position.x_advance
        return Cluster(text, tuple(placed), self._rounded(at))

    def _rounded(self, units: float) -> float:
        return round(units * self._scale, 2)


def _letters(cluster: Cluster, right: bool) -> Iterator[Cluster]:
    """Yield a part of a cluster for each of its characters; the first one draws all glyphs.

    Readers disagree about the order of several letters of one glyph that run right to left.
    """
    # Joiners have had their effect; with a little width they are read between the letters.
    letters = len(cluster.text.translate(NO_JOINERS))
    if not cluster.text:
        return
    share = (cluster.width - _JOINER * (len(cluster.text) - letters)) / max(letters, 1)
    before = 0.0
    for at, character in enumerate(cluster.text):
        width = round(_JOINER if character in JOINERS else share, 2)
        # The glyphs begin at the left edge of the cluster.
        across = before + width - cluster.width if right else -before
        before += width
        glyphs = tuple(
            Placed(one.glyph, round(one.across + across, 2), one.up) for one in cluster.glyphs
        )
        yield Cluster(character, glyphs, width, hidden=at > 0)
