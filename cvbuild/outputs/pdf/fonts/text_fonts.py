"""Make TeX's font for a face and a layout: its characters, their kerns and ligatures.

A cut (``layouts.Cut``) has other glyphs of the face: old-style figures, small capitals, or outlines
between those of two weights.

Kerns and features are applied as other programs apply them: lookups add up, and in each the first
subtable that knows a pair decides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

from cvbuild.outputs.pdf.fonts import font_file, tex_fonts
from cvbuild.outputs.pdf.fonts.font_file import Contour, FontFile, Glyph, Point, moved
from cvbuild.outputs.pdf.fonts.layouts import TRACKING, CachedFont, ClusterLayout, Layout
from cvbuild.outputs.pdf.fonts.tex_fonts import Drawn, Pair

_SCRIPT = "latn"
#: The weight between regular (0) and bold (1), whose numbers are 400, 600 and 700.
_SEMIBOLD = 2 / 3
#: The size of a capital that stands for a small one, where the face has none.
_SMALL = 0.8


def make(face: FontFile, layout: Layout | ClusterLayout) -> CachedFont:
    """Return the font, named by its content, and its slots by character.

    Without files if the face has none of the characters. Raises what ``font_file.opened`` turns
    into FontError.
    """
    if isinstance(layout, ClusterLayout):
        name, *files = tex_fonts.make(tex_fonts.of_clusters(face, layout))
        return CachedFont(name, files=tuple(files))
    bold = layout.cut.heavier
    with font_file.opened(bold) if bold else contextlib.nullcontext() as heavier:
        drawing = drawn(face, layout, heavier)
        if not drawing.texts:
            return CachedFont()
        slots = {text: slot for slot, text in drawing.texts.items() if slot in layout.slots}
        name, *files = tex_fonts.make(drawing)
        return CachedFont(name, slots, files=tuple(files))


def drawn(face: FontFile, layout: Layout, heavier: FontFile | None = None) -> Drawn:
    """Return all that the font shows of a face.

    ``heavier`` is the opened file of the cut: the font has its glyphs if they can't be mixed with
    those of the face.
    """
    light = _of_one(face, layout)
    if heavier is None:
        return light
    bold = _of_one(heavier, layout)
    return _between(light, bold) or bold


def _of_one(face: FontFile, layout: Layout) -> Drawn:
    """Return what the font shows of one file."""
    cut = layout.cut
    have = {slot: text for slot, text in layout.slots.items() if ord(text) in face.glyphs}
    names = {slot: face.font.getGlyphName(face.glyphs[ord(text)]) for slot, text in have.items()}
    # Each feature of the cut is applied after the other.
    for feature in cut.features:
        others = replaced(face.font, set(names.values()), feature)
        names = {slot: others.get(name, name) for slot, name in names.items()}
    glyphs = {slot: face.font.getGlyphID(name) for slot, name in names.items()}
    # The capitals of those small letters for which the face has no small ones.
    small: dict[int, tuple[int, ...]] = {}
    for slot, text in have.items() if cut.caps else ():
        capitals = "ẞ" if text == "ß" and ord("ẞ") in face.glyphs else text.upper()
        is_same = glyphs[slot] == face.glyphs[ord(text)]
        if is_same and capitals != text and all(ord(letter) in face.glyphs for letter in capitals):
            small[slot] = tuple(face.glyphs[ord(letter)] for letter in capitals)
    joined = _ligatures(face, glyphs, layout) if layout.ligatures and not cut.caps else {}
    texts = have | {slot: text for slot, (_, text, _) in joined.items()}
    glyphs |= {slot: glyph for slot, (glyph, _, _) in joined.items()}
    shown = {slot: face.outlines(glyph) for slot, glyph in glyphs.items()}
    for slot, several in small.items():
        # Beside each other, in the size of small ones.
        contours, width = list[Contour](), 0.0
        for glyph in map(face.outlines, several):
            contours += moved(glyph.contours, width, size=_SMALL)
            width += glyph.width * _SMALL
        shown[slot] = Glyph(width, contours)
    bodies = {}
    if cut.caps:
        bodies = {slot: face.outlines_of(text) for slot, text in have.items()}
        shown = {
            slot: Glyph(glyph.width + 10 * TRACKING, glyph.contours)
            for slot, glyph in shown.items()
        }
    paired = glyphs | {slot: capitals[0] for slot, capitals in small.items()}
    kerned = _kerns(face, paired, frozenset(small)) if layout.ligatures else {}
    ligatures = {pair: slot for slot, (_, _, pair) in joined.items()}
    return Drawn(face, texts, shown, kerned, ligatures, bodies)


def _between(regular: Drawn, bold: Drawn) -> Drawn | None:
    """Return the semibold between two weights; None if their outlines don't fit each other."""
    if regular.texts != bold.texts or regular.joined != bold.joined:
        return None

    def mix(light: Point, heavy: Point) -> Point:
        (x, y), (to_x, to_y) = light, heavy
        return x + _SEMIBOLD * (to_x - x), y + _SEMIBOLD * (to_y - y)

    glyphs = {}
    for slot, thin in regular.glyphs.items():
        thick, contours = bold.glyphs[slot], list[Contour]()
        lengths, others = (
            [list(map(len, segments)) for _, segments in glyph.contours] for glyph in (thin, thick)
        )
        if lengths != others:
            return None
        for (start, light), (end, heavy) in zip(thin.contours, thick.contours, strict=True):
            segments = [tuple(map(mix, *pair)) for pair in zip(light, heavy, strict=True)]
            contours.append((mix(start, end), segments))
        glyphs[slot] = Glyph(thin.width + _SEMIBOLD * (thick.width - thin.width), contours)
    kerned = {
        pair: (1 - _SEMIBOLD) * regular.kerns.get(pair, 0.0) + _SEMIBOLD * bold.kerns.get(pair, 0.0)
        for pair in sorted({*regular.kerns, *bold.kerns})
    }
    return Drawn(
        regular.face, regular.texts, glyphs, kerned, regular.joined, regular.bodies, "-SemiBold"
    )


def _ligatures(
    face: FontFile, glyphs: Mapping[int, int], layout: Layout
) -> dict[int, tuple[int, str, Pair]]:
    """Return the glyph, text, and pair of slots that each ligature is made from, by slot.

    One of three letters is made from that of its first two, so those must be one, too.
    """
    name = face.font.getGlyphName
    slots = {name(glyph): slot for slot, glyph in glyphs.items()}
    texts = {slot: layout.slots[slot] for slot in glyphs}
    by_slot: dict[int, tuple[int, str, Pair]] = {}
    joined: dict[tuple[str, ...], int] = {}
    free = list(layout.ligatures)
    known = [
        ((first, *ligature.Component), ligature.LigGlyph)
        for table in chain.from_iterable(_lookups(face.font, "GSUB", "liga", _LIGATURE))
        for first, several in table.ligatures.items()
        for ligature in several
        if {first, *ligature.Component} <= slots.keys()
    ]
    for parts, glyph in sorted(
        known, key=lambda entry: (len(entry[0]), *(slots[p] for p in entry[0]))
    ):
        left = slots[parts[0]] if len(parts) == 2 else joined.get(parts[:-1])
        if left is None or not free or len(parts) > 3 or parts in joined:
            continue
        slot = joined[parts] = free.pop(0)
        text = "".join(texts[slots[part]] for part in parts)
        by_slot[slot] = (face.font.getGlyphID(glyph), text, (left, slots[parts[-1]]))
    return by_slot


def _kerns(face: FontFile, glyphs: Mapping[int, int], small: frozenset[int]) -> dict[Pair, float]:
    """Return the kerns by slots; two slots may have one glyph. ``small`` are scaled capitals."""
    name = face.font.getGlyphName
    slots: dict[str, list[int]] = {}
    for slot, glyph in glyphs.items():
        # An accent changes no kern.
        parts = face.composed.get(glyph)
        like = face.glyphs[ord(parts[0])] if parts else glyph
        slots.setdefault(name(like), []).append(slot)
    return {
        (left, right): value * face.scale * (_SMALL if {left, right} & small else 1)
        for (first, second), value in kerns(face.font, slots.keys()).items()
        for left in slots[first]
        for right in slots[second]
    }


# -- what a font says of pairs of glyphs: kerns (GPOS), ligatures and figures (GSUB) ---------------


#: Types of lookups: those that are read, and by table those that hold others.
_SINGLE, _LIGATURE, _PAIR = 1, 4, 2
_EXTENSIONS = {"GSUB": 7, "GPOS": 9}


def kerns(font: Any, names: AbstractSet[str]) -> dict[tuple[str, str], int]:
    """Return the kerns between glyphs, in the font's units, by pair of names, without zeros."""
    if "GPOS" not in font:
        return {
            pair: value
            for table in (font["kern"].kernTables if "kern" in font else ())
            for pair, value in getattr(table, "kernTable", {}).items()
            if names >= set(pair) and value
        }
    total: dict[tuple[str, str], int] = {}
    for tables in _lookups(font, "GPOS", "kern", _PAIR):
        pairs: dict[tuple[str, str], int] = {}
        decided: set[str] = set()
        for table in tables:
            lefts = [
                (at, name)
                for at, name in enumerate(table.Coverage.glyphs)
                if name in names and name not in decided
            ]
            if table.Format == 1:
                # A list, in which zero is a decision, too.
                for left, record in (
                    (name, record)
                    for at, name in lefts
                    for record in table.PairSet[at].PairValueRecord
                ):
                    if record.SecondGlyph in names:
                        pairs.setdefault((left, record.SecondGlyph), _advance(record.Value1))
                continue
            for pair, value in _class_pairs(table, lefts, names):
                pairs.setdefault(pair, value)
            # Classes say something, or zero, of all glyphs that may follow.
            decided.update(name for _, name in lefts)
        for pair, value in pairs.items():
            total[pair] = total.get(pair, 0) + value
    return {pair: value for pair, value in total.items() if value}


def _class_pairs(
    table: Any, lefts: list[tuple[int, str]], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable of classes whose kern isn't zero."""
    first, second = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    members: dict[int, list[str]] = {}
    for name in names:
        members.setdefault(second.get(name, 0), []).append(name)
    rows: dict[int, list[tuple[int, list[str]]]] = {}
    for _, left in lefts:
        row = first.get(left, 0)
        if row not in rows:
            records = table.Class1Record[row].Class2Record
            values = [(_advance(records[at].Value1), rights) for at, rights in members.items()]
            rows[row] = [(value, rights) for value, rights in values if value]
        for value, rights in rows[row]:
            for right in rights:
                yield (left, right), value


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0) if value else 0


def replaced(font: Any, names: Iterable[str], feature: str) -> dict[str, str]:
    """Return the glyphs that a feature puts in the place of others, such as lining figures."""
    glyphs: dict[str, str] = {}
    for tables in _lookups(font, "GSUB", feature, _SINGLE):
        for table in tables:
            glyphs |= table.mapping
    return {name: glyphs[name] for name in names if name in glyphs}


def _lookups(font: Any, table: str, feature: str, kind: int) -> Iterator[list[Any]]:
    """Yield the subtables of one kind in each lookup of a feature, in the font's order."""
    whole = font[table].table if table in font else None
    if not whole or None in (whole.FeatureList, whole.LookupList, whole.ScriptList):
        return
    scripts = {record.ScriptTag: record.Script for record in whole.ScriptList.ScriptRecord}
    chosen = scripts.get(_SCRIPT) or scripts.get("DFLT")
    language = chosen.DefaultLangSys if chosen else None
    if language is None:
        return
    records = (whole.FeatureList.FeatureRecord[at] for at in language.FeatureIndex)
    features = (record.Feature for record in records if record.FeatureTag == feature)
    for number in sorted({at for feature in features for at in feature.LookupListIndex}):
        lookup = whole.LookupList.Lookup[number]
        is_extension = lookup.LookupType == _EXTENSIONS[table]
        tables = [table.ExtSubTable if is_extension else table for table in lookup.SubTable]
        if same := [table for table in tables if table.LookupType == kind]:
            yield same
