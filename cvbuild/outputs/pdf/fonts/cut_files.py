"""OpenType files of a typeface's cuts, for LuaTeX: in them small capitals are the small letters.

So LuaTeX draws what pdfTeX draws, and readers get the letters. LuaTeX itself could choose other
glyphs of the face, but has no weight between two, no small capitals for a face without them, and
takes a small capital of Source Sans for a large letter when it writes the text.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cvbuild.outputs.pdf.fonts import face_cache, font_file, layouts, text_fonts
from cvbuild.outputs.pdf.fonts.font_error import FontError
from cvbuild.outputs.pdf.fonts.layouts import Cut, Layout
from cvbuild.outputs.pdf.fonts.type1 import Glyph

#: Characters with kerns: those of pdfTeX's base layout. All others have tens of thousands.
_KERNED = frozenset(layouts.BASE.slots.values())
#: Characters in the first private area are for ligatures, which no text has.
_LIGATURES = tuple(range(0xF700, 0xF700 + len(layouts.LIGATURES)))


def of(path: Path, cut: Cut, place: Path) -> Path:
    """Return the file of a cut, made if it isn't in the cache folder ``place``.

    Raises FontError for a face that can't be used, OSError if the file can't be written.
    """
    home = face_cache.folder(place)
    state = path.stat()
    whole = f"{path}\0{state.st_mtime_ns}\0{state.st_size}\0{cut.key}"
    name = f"cut{hashlib.sha256(whole.encode('utf-8', 'surrogateescape')).hexdigest()[:20]}"
    face_cache.put_once(home, name, lambda: (_made(path, cut),), (".otf",))
    return home / f"{name}.otf"


def _made(path: Path, cut: Cut) -> bytes:
    with font_file.opened(path) as face:
        slots = {code: chr(code) for code in face.glyphs if code not in _LIGATURES}
        if cut.heavier is None:
            drawn = text_fonts.drawn(face, Layout(slots, _LIGATURES, cut), kerned=_KERNED)
            return _file(drawn)
        with font_file.opened(cut.heavier) as heavier:
            layout = Layout(slots, _LIGATURES, cut)
            return _file(text_fonts.drawn(face, layout, heavier, kerned=_KERNED))
    raise FontError("it is damaged")


def _file(drawn: text_fonts.Drawn) -> bytes:
    """Return an OpenType font with the glyphs, kerns and ligatures of a cut."""
    from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
    from fontTools.fontBuilder import FontBuilder

    name = f"{drawn.name}-Cut"
    made = FontBuilder(1000, isTTF=False)
    glyphs = {".notdef": Glyph(500.0), "space": Glyph(drawn.space)}
    glyphs |= {f"g{slot}": glyph for slot, glyph in drawn.glyphs_by_slot.items() if slot != 0x20}
    made.setupGlyphOrder(list(glyphs))
    made.setupCharacterMap(
        {0x20: "space", 0xA0: "space"}
        | {slot: f"g{slot}" for slot in drawn.texts if slot not in (0x20, 0xA0, *_LIGATURES)}
    )
    said = {"FullName": name, "FontBBox": list(drawn.box)}
    made.setupCFF(name, said, {one: _charstring(g) for one, g in glyphs.items()}, {})
    made.setupHorizontalMetrics({one: (round(g.width), 0) for one, g in glyphs.items()})
    made.setupHorizontalHeader(ascent=drawn.box[3], descent=drawn.box[1])
    made.setupNameTable({"familyName": name, "styleName": "Regular", "psName": name})
    made.setupOS2(sxHeight=round(drawn.x_height), sTypoAscender=drawn.box[3], fsType=0)
    made.setupPost(italicAngle=drawn.angle)
    addOpenTypeFeaturesFromString(made.font, "\n".join(_features(drawn)))
    file = io.BytesIO()
    head = made.font["head"]
    head.created = head.modified = 0
    head.xMin, head.yMin, head.xMax, head.yMax = drawn.box
    # Both would draw each glyph again.
    made.font.recalcTimestamp = made.font.recalcBBoxes = False
    made.save(file)
    return file.getvalue()


def _features(drawn: text_fonts.Drawn) -> Iterator[str]:
    """Yield the feature file."""
    yield "languagesystem DFLT dflt; languagesystem latn dflt;"
    parts = {slot: pair for pair, slot in drawn.joined.items()}
    if parts:
        yield "feature liga {"
        for slot in sorted(parts, key=lambda one: -len(list(_sequence(one, parts)))):
            yield f"sub {' '.join(f'g{one}' for one in _sequence(slot, parts))} by g{slot};"
        yield "} liga;"
    kerns = {pair: round(value) for pair, value in drawn.kerns.items() if round(value)}
    if kerns:
        yield "feature kern {"
        yield from (f"pos g{left} g{right} {value};" for (left, right), value in kerns.items())
        yield "} kern;"


def _sequence(slot: int, parts: Mapping[int, tuple[int, int]]) -> Iterator[int]:
    """Yield the letters of a ligature."""
    if slot not in parts:
        yield slot
        return
    for one in parts[slot]:
        yield from _sequence(one, parts)


def _charstring(glyph: Glyph) -> Any:
    from fontTools.pens.t2CharStringPen import T2CharStringPen

    pen = T2CharStringPen(round(glyph.width), None)
    for start, segments in glyph.contours:
        pen.moveTo(start)
        for segment in segments:
            if len(segment) == 1:
                pen.lineTo(segment[0])
            else:
                pen.curveTo(*segment)
        pen.closePath()
    return pen.getCharString(optimize=False)
