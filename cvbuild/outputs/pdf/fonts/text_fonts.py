"""Make TeX's font for a face and a layout: its characters, their kerns and ligatures.

A cut (``layouts.Cut``) has other glyphs of the face: old-style figures, small capitals, or outlines
between those of two weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cvbuild.outputs.pdf.fonts import font_file, tex_fonts
from cvbuild.outputs.pdf.fonts.font_file import FontFile
from cvbuild.outputs.pdf.fonts.layouts import TRACKING, Cut, Layout
from cvbuild.outputs.pdf.fonts.tex_fonts import TexFont
from cvbuild.outputs.pdf.fonts.type1 import Contour, Glyph, Point

_SCRIPT = "latn"
#: The weight between regular (0) and bold (1), whose numbers are 400, 600 and 700.
_SEMIBOLD = 2 / 3
#: The size of a capital that stands for a small one, where the face has none.
_SMALL = 0.8


@dataclass
class Drawn(FontFile):
    """A face of which only the glyphs in the slots of a font are used, by slot."""

    texts: Mapping[int, str] = field(default_factory=dict)
    glyphs_by_slot: Mapping[int, Glyph] = field(default_factory=dict)
    kerns: Mapping[tuple[int, int], float] = field(default_factory=dict)
    joined: Mapping[tuple[int, int], int] = field(default_factory=dict)
    ending: str = ""
    bodies: Mapping[int, Glyph] = field(default_factory=dict)
    """What small capitals are as high as for TeX, and for readers, which take type for as high as
    its h and as low as its y."""

    @property
    def name(self) -> str:
        """The PostScript name."""
        own = super().name
        return f"{own.removesuffix('-Regular')}{self.ending}" if self.ending else own

    def width(self, glyph: int) -> float:
        """Return the width of what is in a slot."""
        return self.glyphs_by_slot[glyph].width

    def outlines(self, glyph: int) -> Glyph:
        """Return what is in a slot."""
        return self.glyphs_by_slot[glyph]

    def extent(self, glyph: int) -> tuple[float, float]:
        """Return how far TeX is told that what is in a slot goes up and down."""
        return font_file.extent(self.bodies.get(glyph) or self.glyphs_by_slot[glyph])


def make(
    face: FontFile, layout: Layout, heavier: FontFile | None = None
) -> tuple[TexFont | None, dict[str, int]]:
    """Return the font, named by its content, and its slots by character.

    None if the face has none of the characters. ``heavier`` is the opened file of the cut; the font
    has its glyphs if they can't be mixed with those of the face. Raises what ``font_file.opened``
    turns into FontError.
    """
    own = drawn(face, layout, heavier)
    if not own.texts:
        return None, {}
    font = tex_fonts.make(own, own.texts, own.kerns, own.joined)
    return font, {text: slot for slot, text in own.texts.items() if slot in layout.slots}


def drawn(face: FontFile, layout: Layout, heavier: FontFile | None = None) -> Drawn:
    """Return all that the font shows of a face."""
    own = _of_one(face, layout)
    if heavier is None:
        return own
    bold = _of_one(heavier, layout)
    return _between(own, bold) or bold


def _of_one(face: FontFile, layout: Layout) -> Drawn:
    """Return what the font shows of one file."""
    cut = layout.cut
    have = {slot: text for slot, text in layout.slots.items() if ord(text) in face.glyphs}
    glyphs = _glyphs(face, have, cut)
    small = _without_small_caps(face, have, glyphs) if cut.caps else {}
    ligatures = _ligatures(face, glyphs, layout) if layout.ligatures and not cut.caps else {}
    texts = have | {slot: text for slot, (_, text, _) in ligatures.items()}
    glyphs |= {slot: glyph for slot, (glyph, _, _) in ligatures.items()}
    shown = {slot: face.outlines(glyph) for slot, glyph in glyphs.items()}
    for slot, capitals in small.items():
        shown[slot] = _row([face.outlines(one) for one in capitals], _SMALL)
    if cut.caps:
        shown = {
            slot: Glyph(glyph.width + 10 * TRACKING, glyph.contours)
            for slot, glyph in shown.items()
        }
    bodies = {slot: face.outlines(face.glyphs[ord(text)]) for slot, text in have.items()}
    paired = glyphs | {slot: capitals[0] for slot, capitals in small.items()}
    return Drawn(
        face.font,
        texts,
        shown,
        _kerns(face, paired, frozenset(small)) if layout.ligatures else {},
        {pair: slot for slot, (_, _, pair) in ligatures.items()},
        bodies=bodies if cut.caps else {},
    )


def _between(regular: Drawn, bold: Drawn) -> Drawn | None:
    """Return the semibold between two weights; None if their outlines don't fit each other."""
    if regular.texts != bold.texts or regular.joined != bold.joined:
        return None
    glyphs = {}
    for slot, glyph in regular.glyphs_by_slot.items():
        mixed = _mixed(glyph, bold.glyphs_by_slot[slot], _SEMIBOLD)
        if mixed is None:
            return None
        glyphs[slot] = mixed
    pairs = {*regular.kerns, *bold.kerns}
    kerns = {
        pair: (1 - _SEMIBOLD) * regular.kerns.get(pair, 0.0) + _SEMIBOLD * bold.kerns.get(pair, 0.0)
        for pair in sorted(pairs)
    }
    return Drawn(
        regular.font, regular.texts, glyphs, kerns, regular.joined, "-SemiBold", regular.bodies
    )


def _glyphs(face: FontFile, have: Mapping[int, str], cut: Cut) -> dict[int, int]:
    """Return the glyphs by slot, each feature of the cut applied after the other."""
    names = {slot: face.font.getGlyphName(face.glyphs[ord(text)]) for slot, text in have.items()}
    for feature in cut.features:
        found = font_file.replaced(face.font, set(names.values()), feature, _SCRIPT)
        names = {slot: found.get(name, name) for slot, name in names.items()}
    return {slot: face.font.getGlyphID(name) for slot, name in names.items()}


def _without_small_caps(
    face: FontFile, have: Mapping[int, str], glyphs: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Return the capitals of those small letters for which the face has no small ones, by slot."""
    small = {}
    for slot, text in have.items():
        capitals = "ẞ" if text == "ß" and ord("ẞ") in face.glyphs else text.upper()
        own = glyphs[slot] == face.glyphs[ord(text)]
        if own and capitals != text and all(ord(one) in face.glyphs for one in capitals):
            small[slot] = tuple(face.glyphs[ord(one)] for one in capitals)
    return small


def _ligatures(
    face: FontFile, glyphs: Mapping[int, int], layout: Layout
) -> dict[int, tuple[int, str, tuple[int, int]]]:
    """Return the glyph, text, and pair of slots that each ligature is made from, by slot.

    One of three letters is made from that of its first two, so those must be one, too.
    """
    name = face.font.getGlyphName
    slots = {name(glyph): slot for slot, glyph in glyphs.items()}
    texts = {slot: layout.slots[slot] for slot in glyphs}
    made: dict[int, tuple[int, str, tuple[int, int]]] = {}
    joined: dict[tuple[str, ...], int] = {}
    free = list(layout.ligatures)
    found = [one for one in font_file.ligatures(face.font, _SCRIPT) if set(one[0]) <= set(slots)]
    for parts, glyph in sorted(found, key=lambda one: (len(one[0]), *(slots[p] for p in one[0]))):
        left = slots[parts[0]] if len(parts) == 2 else joined.get(parts[:-1])
        if left is None or not free or len(parts) > 3 or parts in joined:
            continue
        slot = free.pop(0)
        joined[parts] = slot
        text = "".join(texts[slots[part]] for part in parts)
        made[slot] = (face.font.getGlyphID(glyph), text, (left, slots[parts[-1]]))
    return made


def _kerns(
    face: FontFile, glyphs: Mapping[int, int], small: frozenset[int]
) -> dict[tuple[int, int], float]:
    """Return the kerns by slots; two slots may have one glyph. ``small`` are scaled capitals."""
    name = face.font.getGlyphName
    slots: dict[str, list[int]] = {}
    for slot, glyph in glyphs.items():
        # An accent changes no kern.
        parts = face.composed.get(glyph)
        like = face.glyphs[ord(parts[0])] if parts else glyph
        slots.setdefault(name(like), []).append(slot)
    kerns = font_file.kerns(face.font, slots.keys(), _SCRIPT)
    return {
        (left, right): value * face.scale * (_SMALL if {left, right} & small else 1)
        for (first, second), value in kerns.items()
        for left in slots[first]
        for right in slots[second]
    }


def _row(glyphs: Iterable[Glyph], scale: float) -> Glyph:
    """Return glyphs beside each other as one, at ``scale`` times their size."""
    contours: list[Contour] = []
    width = 0.0
    for glyph in glyphs:
        for start, segments in glyph.contours:
            moved = [tuple(_put(point, width, scale) for point in some) for some in segments]
            contours.append((_put(start, width, scale), moved))
        width += glyph.width * scale
    return Glyph(width, contours)


def _mixed(one: Glyph, other: Glyph, part: float) -> Glyph | None:
    """Return the glyph ``part`` of the way to another; None if that has other curves."""
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
