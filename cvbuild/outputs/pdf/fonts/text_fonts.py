"""Make TeX's font for a face and a layout: its characters, their kerns and ligatures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from cvbuild.outputs.pdf.fonts import font_layout, tex_fonts
from cvbuild.outputs.pdf.fonts.font_file import FontFile
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.fonts.tex_fonts import Pairs, Slot, TexFont

_SCRIPT = "latn"


def make(face: FontFile, layout: Layout) -> tuple[TexFont | None, dict[str, int]]:
    """Return the font, named by its content, and its slots by character.

    None if the face has none of the characters. Raises what ``font_file.opened`` turns into
    FontError.
    """
    have = {slot: text for slot, text in layout.slots.items() if ord(text) in face.glyphs}
    if not have:
        return None, {}
    glyphs = _glyphs(face, have)
    ligatures = _ligatures(face, glyphs, layout)
    slots = [Slot(slot, glyphs[slot], text) for slot, text in have.items()]
    slots += [Slot(slot, glyph, text) for slot, (glyph, text, _) in ligatures.items()]
    joined = {pair: slot for slot, (_, _, pair) in ligatures.items()}
    kerns = _kerns(face, {slot.number: slot.glyph for slot in slots}) if layout.ligatures else {}
    made = tex_fonts.make("font", face, slots, Pairs(kerns, joined))
    digest = hashlib.sha256(made.metrics + made.outlines).hexdigest()[:20]
    name = f"cvb{digest}"
    named = TexFont(name, made.metrics, made.outlines, tex_fonts.map_line(name), made.unicode)
    return named, {text: slot for slot, text in have.items()}


def _glyphs(face: FontFile, have: Mapping[int, str]) -> dict[int, int]:
    """Return the glyphs by slot, with lining figures."""
    names = {slot: face.font.getGlyphName(face.glyphs[ord(text)]) for slot, text in have.items()}
    lining = font_layout.replaced(face.font, set(names.values()), "lnum", _SCRIPT)
    number = face.font.getGlyphID
    return {slot: number(lining.get(name, name)) for slot, name in names.items()}


def _ligatures(
    face: FontFile, glyphs: Mapping[int, int], layout: Layout
) -> dict[int, tuple[int, str, tuple[int, int]]]:
    """Return the glyph, text, and pair of slots that each ligature is made from, by slot.

    One of three letters is made from that of its first two, so those must be one, too.
    """
    if not layout.ligatures:
        return {}
    name = face.font.getGlyphName
    slots = {name(glyph): slot for slot, glyph in glyphs.items()}
    texts = {slot: layout.slots[slot] for slot in glyphs}
    made: dict[int, tuple[int, str, tuple[int, int]]] = {}
    joined: dict[tuple[str, ...], int] = {}
    free = list(layout.ligatures)
    found = [one for one in font_layout.ligatures(face.font, _SCRIPT) if set(one[0]) <= set(slots)]
    for parts, glyph in sorted(found, key=lambda one: (len(one[0]), *(slots[p] for p in one[0]))):
        left = slots[parts[0]] if len(parts) == 2 else joined.get(parts[:-1])
        if left is None or not free or len(parts) > 3 or parts in joined:
            continue
        slot = free.pop(0)
        joined[parts] = slot
        text = "".join(texts[slots[part]] for part in parts)
        made[slot] = (face.font.getGlyphID(glyph), text, (left, slots[parts[-1]]))
    return made


def _kerns(face: FontFile, glyphs: Mapping[int, int]) -> dict[tuple[int, int], float]:
    """Return the kerns by slots; two slots may have one glyph."""
    name = face.font.getGlyphName
    slots: dict[str, list[int]] = {}
    for slot, glyph in glyphs.items():
        slots.setdefault(name(glyph), []).append(slot)
    found = font_layout.kerns(face.font, slots.keys(), _SCRIPT)
    return {
        (left, right): value * face.scale
        for (first, second), value in found.items()
        for left in slots[first]
        for right in slots[second]
    }
