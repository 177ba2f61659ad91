"""Make TeX's font for a face and a layout: characters, kerns and ligatures; metrics and outlines.

A font of TeX has up to 256 slots, each with a glyph and the text that readers get for it. pdfTeX
reads its metrics (TFM), and embeds those glyphs of its outlines (PFB) that a document uses. The
names of glyphs tell pdfTeX their text.

A cut (``layouts.Cut``) has other glyphs of the face: old-style figures, small capitals, or outlines
between those of two weights. Kerns and features are applied as other programs apply them: lookups
add up, and in each the first subtable that knows a pair decides.

Of shaped words each cluster of glyphs is one glyph with the whole text. So TeX only sets slots and
kerns, and every reader gets what was written, in its order: of a letter with marks, of a ligature,
of a syllable whose signs are drawn before its first letter.
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Any

from fontTools.misc.transform import Offset, Transform
from msgspec import Struct

from cvbuild.outputs.pdf.fonts import font_file, layouts
from cvbuild.outputs.pdf.fonts.font_file import Contour, FontFile, Glyph, Point, moved
from cvbuild.outputs.pdf.fonts.layouts import TRACKING, CachedFont, Clusters, Layout

_SCRIPT = "latn"
#: The weight between regular (0) and bold (1), whose numbers are 400, 600 and 700.
_SEMIBOLD = 2 / 3
#: The size of a capital that stands for a small one, where the face has none.
_SMALL = 0.8
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


def make(face: FontFile, layout: Layout | Clusters) -> CachedFont:
    """Return the font, named by its content; without files if the face has no such character."""
    if not isinstance(layout, Layout):
        # All outlines of a cluster are one glyph.
        glyphs = {}
        for slot, cluster in enumerate(layout):
            contours: list[Contour] = []
            for part in cluster.glyphs:
                place = Offset(part.across, part.up)
                contours += moved(face.outlines(part.glyph).contours, place)
            if cluster.hidden and contours:
                # A square on the edge of a glyph, where nobody sees it: PDFium drops empty glyphs.
                (x, y), half = contours[0][0], _POINT / 2
                corners = [(x + half, y - half), (x + half, y + half), (x - half, y + half)]
                contours = [((x - half, y - half), [(corner,) for corner in corners])]
            glyphs[slot] = Glyph(cluster.width, contours)
        texts = {slot: cluster.text for slot, cluster in enumerate(layout)}
        return _written(Drawn(face, texts, glyphs), {})
    bold = layout.cut.heavier
    with font_file.opened(bold) if bold else contextlib.nullcontext() as heavier:
        drawing = drawn(face, layout, heavier)
        slots = {text: slot for slot, text in drawing.texts.items() if slot in layout.slots}
        return _written(drawing, slots) if drawing.texts else CachedFont()


def _written(drawn: Drawn, slots: dict[str, int]) -> CachedFont:
    face, boxes, encoding = drawn.face, {}, dict[int, str]()
    for slot, text in drawn.texts.items():
        height, depth = font_file.extent(drawn.bodies.get(slot) or drawn.glyphs[slot])
        boxes[slot] = (drawn.glyphs[slot].width / 1000, height / 1000, depth / 1000)
        # pdfTeX reads the names of glyphs as the text: uni1EE9, uni00660069, u1F600; "" has none.
        # Of several characters none may be beyond U+FFFF.
        codes = [ord(character) for character in text]
        name = "uni" + "".join(f"{code:04X}" for code in codes) if codes else "g"
        if max(codes, default=0) > _BMP:
            name = f"u{codes[0]:X}" if len(codes) == 1 else "_".join(f"x{c:X}" for c in codes)
        # It ignores what follows a full stop.
        encoding[slot] = f"{name}.g{slot}" if name in encoding.values() else name
    # The space is the face's own.
    space = (face.width(face.glyphs[0x20]) if 0x20 in face.glyphs else 250.0) / 1000
    parameters = (face.slope, space, space / 2, space / 3, face.x_height / 1000, 1.0, space / 3)
    kerns = {pair: value / 1000 for pair, value in drawn.kerns.items()}
    metrics = tfm(boxes, parameters, kerns, drawn.joined)
    name = f"{face.name.removesuffix('-Regular')}{drawn.ending}" if drawn.ending else face.name
    glyphs = {glyph: drawn.glyphs[slot] for slot, glyph in encoding.items()}
    outlines = font_file.to_bytes((name, face.angle, face.box), glyphs, encoding)
    digest = hashlib.sha256(metrics + outlines).hexdigest()
    return CachedFont(f"cvb{digest[:20]}", slots, files=(metrics, outlines))


def drawn(face: FontFile, layout: Layout, heavier: FontFile | None = None) -> Drawn:
    """Return all that the font shows of a face; ``heavier`` is the opened file of the cut."""
    cut = layout.cut
    have = {slot: text for slot, text in layout.slots.items() if ord(text) in face.glyphs}
    names = {slot: face.font.getGlyphName(face.glyphs[ord(text)]) for slot, text in have.items()}
    # Each feature of the cut is applied after the other.
    for feature in ("smcp", *cut.figures) if cut.caps else cut.figures:
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
            contours += moved(glyph.contours, Transform(_SMALL, 0, 0, _SMALL, width, 0))
            width += glyph.width * _SMALL
        shown[slot] = Glyph(width, contours)
    bodies = {slot: face.outlines_of(text) for slot, text in have.items()} if cut.caps else {}
    for slot, glyph in [*shown.items()] if cut.caps else ():
        shown[slot] = Glyph(glyph.width + 10 * TRACKING, glyph.contours)
    paired = glyphs | {slot: capitals[0] for slot, capitals in small.items()}
    kerned = _kerns(face, paired, frozenset(small)) if layout.ligatures else {}
    ligatures = {pair: slot for slot, (_, _, pair) in joined.items()}
    light = Drawn(face, texts, shown, kerned, ligatures, bodies)
    if heavier is None:
        return light
    # The heavier glyphs alone if they can't be mixed with those of the face.
    bold = drawn(heavier, layout)
    return _between(light, bold) or bold


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
    """Return the glyph, text, and pair of slots that each ligature is made from, by slot."""
    # One of three letters is made from that of its first two, so those must be one, too.
    name = face.font.getGlyphName
    slots = {name(glyph): slot for slot, glyph in glyphs.items()}
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
    known.sort(key=lambda entry: (len(entry[0]), *(slots[part] for part in entry[0])))
    for parts, glyph in known:
        left = slots[parts[0]] if len(parts) == 2 else joined.get(parts[:-1])
        if left is None or not free or len(parts) > 3 or parts in joined:
            continue
        slot = joined[parts] = free.pop(0)
        text = "".join(layout.slots[slots[part]] for part in parts)
        by_slot[slot] = (face.font.getGlyphID(glyph), text, (left, slots[parts[-1]]))
    return by_slot


def _kerns(face: FontFile, glyphs: Mapping[int, int], small: frozenset[int]) -> dict[Pair, float]:
    """Return the kerns by slots; two slots may have one glyph. ``small`` are scaled capitals."""
    slots: dict[str, list[int]] = {}
    for slot, glyph in glyphs.items():
        # An accent changes no kern.
        parts = layouts.drawn_letters().get(glyph - face.count)
        like = face.glyphs[ord(parts[0])] if parts else glyph
        slots.setdefault(face.font.getGlyphName(like), []).append(slot)
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
            covered = enumerate(table.Coverage.glyphs)
            lefts = {name: at for at, name in covered if name in names and name not in decided}
            if table.Format == 1:
                # A list, in which zero is a decision, too.
                for left, at in lefts.items():
                    for record in table.PairSet[at].PairValueRecord:
                        if record.SecondGlyph in names:
                            pairs.setdefault((left, record.SecondGlyph), _advance(record.Value1))
                continue
            for pair, value in _class_pairs(table, lefts, names):
                pairs.setdefault(pair, value)
            # Classes say something, or zero, of all glyphs that may follow.
            decided.update(lefts)
        for pair, value in pairs.items():
            total[pair] = total.get(pair, 0) + value
    return {pair: value for pair, value in total.items() if value}


def _class_pairs(
    table: Any, lefts: Iterable[str], names: AbstractSet[str]
) -> Iterator[tuple[tuple[str, str], int]]:
    """Yield the pairs of a subtable of classes whose kern isn't zero."""
    first, second = table.ClassDef1.classDefs, table.ClassDef2.classDefs
    members: dict[int, list[str]] = {}
    for name in names:
        members.setdefault(second.get(name, 0), []).append(name)
    rows: dict[int, list[tuple[int, list[str]]]] = {}
    for left in lefts:
        row = first.get(left, 0)
        if row not in rows:
            records = table.Class1Record[row].Class2Record
            values = [(_advance(records[at].Value1), rights) for at, rights in members.items()]
            rows[row] = [(value, rights) for value, rights in values if value]
        yield from (((left, right), value) for value, rights in rows[row] for right in rights)


def _advance(value: Any) -> int:
    return int(getattr(value, "XAdvance", 0) or 0) if value else 0


def replaced(font: Any, names: Iterable[str], feature: str) -> dict[str, str]:
    """Return the glyphs that a feature puts in the place of others, such as lining figures."""
    glyphs: dict[str, str] = {}
    for table in chain.from_iterable(_lookups(font, "GSUB", feature, _SINGLE)):
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


# -- metrics: a TFM file ---------------------------------------------------------------------------
# The format is described in "TeX: The Program", sections 539 to 575. All measures are fractions of
# the font's size.


#: How many different values, beside 0, a table of TeX may have.
_WIDTHS, _HEIGHTS, _DEPTHS = 255, 15, 15
_KERN, _STOP, _JOIN = 128, 128, 0
#: The skip byte of a step that only says where the steps of a character begin.
_INDIRECT = 254
#: TeX's measures are less than this many times the font's size.
_LARGEST = 16
#: The parts of the font's size that TeX counts in.
_WHOLE = 1 << 20
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
    """Return a TFM file; raises ValueError for no characters, too many kerns, too large sizes."""
    # ``boxes`` are width, height and depth by slot, kerns and ligatures by pair of slots.
    # ``parameters`` are slant, space, its stretch and shrink, x-height, quad, extra space; ``size``
    # is the design size in pt, at which a font is loaded if TeX is told none.
    if not boxes:
        raise ValueError("a font without characters")
    scaled = {slot: [round(side * _WHOLE) for side in box] for slot, box in boxes.items()}
    sizes = zip(zip(*scaled.values(), strict=True), (_WIDTHS, _HEIGHTS, _DEPTHS), strict=True)
    # Index 0 of the widths means that there is no character.
    tables, places = zip(
        *(_table(values, most, zero=most == _WIDTHS) for values, most in sizes), strict=True
    )
    program, starts, steps = _program(kerns, ligatures)
    first, last = min(boxes), max(boxes)
    characters = bytearray()
    for slot in range(first, last + 1):
        if slot not in boxes:
            characters += bytes(4)
            continue
        width, height, depth = (
            at.get(side, 0) for at, side in zip(places, scaled[slot], strict=True)
        )
        start = starts.get(slot)
        characters += bytes((width, height << 4 | depth, int(start is not None), start or 0))
    italics, extensible = bytes(4), b""
    parts = [
        bytes(4) + _fix(size), bytes(characters), *tables, italics, program,
        b"".join(map(_fix, steps)), extensible, b"".join(map(_fix, parameters)),
    ]  # fmt: skip
    counts = [len(part) // 4 for part in parts]
    lengths = [6 + sum(counts), counts[0], first, last, *counts[2:]]
    return struct.pack(">12H", *lengths) + b"".join(parts)


def _fix(value: float) -> bytes:
    if not -_LARGEST < value < _LARGEST:
        raise ValueError("a measure that TeX doesn't take")
    return struct.pack(">i", round(value * _WHOLE))


def _table(values: Iterable[int], most: int, *, zero: bool) -> tuple[bytes, dict[int, int]]:
    """Return a table of at most ``most`` values beside 0, and the place of each."""
    # Neighbours share one where there are more.
    sizes = sorted({*values} - (set() if zero else {0}))

    def grouped(spread: int) -> list[list[int]]:
        groups: list[list[int]] = []
        for value in sizes:
            if groups and value - groups[-1][0] <= spread:
                groups[-1].append(value)
            else:
                groups.append([value])
        return groups

    # The smallest spread of a group that allows it.
    spreads = range(sizes[-1] - sizes[0] if sizes else 0)
    groups = grouped(bisect_left(spreads, -most, key=lambda spread: -len(grouped(spread))))
    middles = [(group[0] + group[-1]) // 2 for group in groups]
    places = {value: at for at, group in enumerate(groups, start=1) for value in group}
    return b"".join(_fix(value / _WHOLE) for value in (0, *middles)), places


def _program(
    kerns: Mapping[Pair, float], ligatures: Mapping[Pair, int]
) -> tuple[bytes, dict[int, int], list[float]]:
    """Return the ligature and kern program, where each character's steps begin, and the kerns."""
    steps: dict[int, list[tuple[int, int, int]]] = {}
    for (left, right), joined in sorted(ligatures.items()):
        steps.setdefault(left, []).append((right, _JOIN, joined))
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
