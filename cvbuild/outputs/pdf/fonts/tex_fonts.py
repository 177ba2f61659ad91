"""Make TeX's fonts from glyphs of an OpenType font: metrics, encoding, outlines, line of the map.

A font of TeX has up to 256 slots, each with a glyph and the text that readers get for it. pdfTeX
reads its metrics (TFM), and embeds those glyphs of its outlines (PFB) that a document uses. The
names of glyphs tell pdfTeX their text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cvbuild.outputs.pdf.fonts import tfm, type1
from cvbuild.outputs.pdf.fonts.font_file import FontFile

#: The last code point that the names "uni..." can hold.
_BMP = 0xFFFF


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of a font: the glyph's number, and the text that readers get for it.

    ``width`` is in thousandths of the font's size; None: the font's own. ``name`` is the glyph's
    name in the Type 1 font; empty: made from the text.
    """

    number: int
    glyph: int
    text: str
    width: float | None = None
    name: str = ""

    @property
    def glyph_name(self) -> str:
        """The name that pdfTeX turns into the text."""
        return self.name or glyph_name(self.text)


@dataclass(frozen=True, slots=True)
class TexFont:
    """The files of a font, by what they are; ``map_line`` is for \\pdfmapline."""

    name: str
    metrics: bytes
    outlines: bytes
    map_line: str
    unicode: tuple[tuple[str, str], ...] = ()
    """Names of glyphs, and the code points for \\pdfglyphtounicode, where the name doesn't tell."""


@dataclass(frozen=True)
class Pairs:
    """Kerns in thousandths of the font's size, and ligatures, by pair of slots."""

    kerns: Mapping[tuple[int, int], float] = field(default_factory=dict)
    ligatures: Mapping[tuple[int, int], int] = field(default_factory=dict)


def glyph_name(text: str) -> str:
    """Return a name that pdfTeX reads as the text: uni1EE9, uni00660069, u1F600; "" has none.

    Of several characters none may be beyond U+FFFF; ``TexFont.unicode`` has those.
    """
    codes = [ord(character) for character in text]
    if len(codes) == 1 and codes[0] > _BMP:
        return f"u{codes[0]:X}"
    if any(code > _BMP for code in codes):
        return "_".join(f"x{code:X}" for code in codes)
    return "uni" + "".join(f"{code:04X}" for code in codes) if codes else "g"


def make(name: str, face: FontFile, slots: Sequence[Slot], pairs: Pairs | None = None) -> TexFont:
    """Return the font ``name`` (lower case letters and digits) with these slots of a face.

    Glyphs of one text get different names. Raises FontError and what fontTools raises for a
    damaged font (inside of ``opened`` all become FontError); ValueError for no slots.
    """
    named, glyphs = _named(face, slots)
    boxes = {slot.number: _box(face, slot) for slot, _ in named}
    metrics = tfm.to_bytes(metrics_of(face, boxes, pairs or Pairs()))
    encoding = {slot.number: name_ for slot, name_ in named}
    info = type1.Info(face.name, face.angle, face.box)
    outlines = type1.to_bytes(info, glyphs, encoding)
    odd = {
        name_: " ".join(f"{ord(c):04X}" for c in slot.text)
        for slot, name_ in named
        if len(slot.text) > 1 and any(ord(c) > _BMP for c in slot.text)
    }
    return TexFont(name, metrics, outlines, map_line(name), tuple(odd.items()))


def map_line(name: str) -> str:
    """Return the line that tells pdfTeX where the outlines of a font are."""
    return f"={name} <{name}.pfb"


def metrics_of(face: FontFile, boxes: Mapping[int, tfm.Box], pairs: Pairs) -> tfm.Metrics:
    """Return the metrics of a font with these boxes; the space is the face's own."""
    space = face.space / 1000
    slant = math.tan(math.radians(-face.angle))
    parameters = (slant, space, space / 2, space / 3, face.x_height / 1000, 1.0, space / 3)
    kerns = {pair: value / 1000 for pair, value in pairs.kerns.items()}
    return tfm.Metrics(boxes, parameters, kerns, pairs.ligatures)


def _named(
    face: FontFile, slots: Sequence[Slot]
) -> tuple[list[tuple[Slot, str]], dict[str, type1.Glyph]]:
    """Return each slot with the name of its glyph, and all glyphs by name."""
    named: list[tuple[Slot, str]] = []
    drawn: dict[str, type1.Glyph] = {}
    owner: dict[str, int] = {}
    for slot in slots:
        name = slot.glyph_name
        if owner.setdefault(name, slot.glyph) != slot.glyph:
            # pdfTeX ignores what follows a full stop.
            name = f"{name}.g{slot.glyph}"
        owner[name] = slot.glyph
        if name not in drawn:
            drawn[name] = face.outlines(slot.glyph)
        named.append((slot, name))
    return named, drawn


def _box(face: FontFile, slot: Slot) -> tfm.Box:
    width = face.width(slot.glyph) if slot.width is None else slot.width
    height, depth = face.extent(slot.glyph)
    return tfm.Box(width / 1000, height / 1000, depth / 1000)
