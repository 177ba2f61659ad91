"""Cuts of a typeface that a document needs, and the fonts for pdfTeX and LuaTeX that have them.

Cuts are old-style figures, small capitals, semibold.

``typefaces`` have a regular and a bold weight with the glyphs that their files show first. Styles
that use more of them say so in their manifest, so that the others don't wait for more fonts.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.outputs.pdf.fonts import face_cache, font_file, layouts, text_fonts
from cvbuild.outputs.pdf.fonts.face_cache import Made
from cvbuild.outputs.pdf.fonts.layouts import LINING, OLD_STYLE, PLAIN, TABULAR, Cut, Layout
from cvbuild.outputs.pdf.fonts.type1 import Glyph
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts.runs import Face
from cvbuild.outputs.styles.manifests import FIGURES, Manifest

#: The family that has lining figures in a document with old-style ones (\CvbLining).
LINING_FAMILY = "cvblining"
#: Features in luaotfload's syntax. TeX's ligatures are off, as curly quotes and dashes are in the
#: text as characters, and local forms, with which Source Sans draws phonetic letters for Greek
#: ones that are extracted as such.
_LUA = "mode=node;script=latn;-tlig;-locl;+liga;+kern"


@dataclass(frozen=True, slots=True)
class Cuts:
    """What a document needs beside the plain shapes of its typeface."""

    oldstyle: bool = False
    caps: bool = False
    semibold: bool = False

    @property
    def figures(self) -> tuple[str, ...]:
        """The features of the figures in its text."""
        return OLD_STYLE if self.oldstyle else LINING

    def shapes(self, files: Mapping[str, Path]) -> Iterator[tuple[str, Path, Cut]]:
        """Yield LaTeX's shapes, each with one of the ``files`` by shape, and its font's cut."""
        upright, bold = files["m/n"], files["b/n"]
        for shape, path in files.items():
            yield shape, path, Cut(self.figures)
        if self.semibold:
            yield "sb/n", upright, Cut(self.figures, heavier=bold)
            yield "sb/it", files["m/it"], Cut(self.figures, heavier=files["b/it"])
        if self.caps:
            yield "m/sc", upright, Cut(OLD_STYLE, caps=True)
            yield "b/sc", bold, Cut(OLD_STYLE, caps=True)
        if self.caps and self.semibold:
            yield "sb/sc", upright, Cut(OLD_STYLE, caps=True, heavier=bold)

    def alike(self, fonts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the fonts of a face without cuts by shape, for all shapes."""
        every = dict(fonts)
        if self.semibold:
            every |= {"sb/n": fonts["b/n"], "sb/it": fonts["b/it"]}
        if self.caps:
            every |= {"m/sc": fonts["m/n"], "b/sc": fonts["b/n"]}
        if self.caps and self.semibold:
            every["sb/sc"] = fonts["b/n"]
        return tuple(every.items())


NONE = Cuts()


def of(manifest: Manifest, options: Mapping[str, Any]) -> Cuts:
    """Return what a template's documents need with these options."""
    tex = manifest.tex
    return Cuts(options.get(FIGURES) == "oldstyle", tex.caps, "semibold" in tex.weights)


def lining(files: Mapping[str, Path]) -> Iterator[tuple[str, Path, Cut]]:
    """Yield the shapes of the family with lining figures, all of one width: the upright ones."""
    for shape in ("m/n", "b/n"):
        yield shape, files[shape], Cut(TABULAR)


def for_lua(path: Path, cut: Cut = PLAIN) -> str:
    """Return how LuaTeX loads a file, in luaotfload's syntax, with the figures of a cut."""
    return f"[{path}]:{_LUA};{';'.join(f'+{one}' for one in cut.figures)}"


#: Fonts of TeX by file, number in it, and key of the layout.
Fonts = dict[tuple[Path, int, str], Made]


@dataclass(frozen=True, slots=True)
class Source:
    """Font files by shape that set a piece: a typeface, or a face of a script."""

    shapes: tuple[tuple[str, Path], ...]
    index: int = 0
    scale: float = 1.0
    language: str = ""
    features: str = ""


def source_of(typeface: Found, scale: float = 1.0, language: str = "") -> Source:
    """Return a typeface as a source."""
    shapes = tuple(zip(SHAPES, typeface.paths, strict=True))
    return Source(shapes, 0, scale, language, "-locl;+lnum")


def fonts_of(wanted: Iterable[tuple[Source, Layout]], cuts: Cuts, place: Path) -> Fonts:
    """Return the font of each file and layout, in all cuts; each file is opened once at most."""
    by_file: dict[tuple[Path, int], dict[str, Layout]] = {}
    for source, layout in wanted:
        for _, path, cut in _shapes(source, layout, cuts):
            by_file.setdefault((path, source.index), {})[cut.key] = cut
    fonts: Fonts = {}
    for (path, index), some in by_file.items():
        every = face_cache.fonts(path, index, some.values(), place)
        fonts |= {(path, index, key): one for key, one in zip(some, every, strict=True)}
    return fonts


def face_of(name: str, source: Source, layout: Layout, cuts: Cuts, fonts: Fonts) -> Face:
    """Return a face with all of its slots."""
    shapes = {
        shape: fonts[path, source.index, cut.key]
        for shape, path, cut in _shapes(source, layout, cuts)
    }
    names = {shape: one.name for shape, one in shapes.items()}
    return Face(
        name,
        tuple(names.items()) if layout.ligatures else cuts.alike(names),
        tuple(dict.fromkeys(str(path) for _, path in source.shapes)),
        source.scale,
        source.language,
        tuple(sorted(shapes["m/n"].slots.items())),
        bool(layout.ligatures),
    )


def _shapes(source: Source, layout: Layout, cuts: Cuts) -> Iterator[tuple[str, Path, Layout]]:
    """Yield the shapes of a source and their layouts; single characters have no cuts."""
    if not layout.ligatures:
        yield from ((shape, path, layout) for shape, path in source.shapes)
        return
    for shape, path, cut in cuts.shapes(dict(source.shapes)):
        yield shape, path, layout.as_cut(cut)


#: Characters with kerns: those of pdfTeX's base layout. All others have tens of thousands.
_KERNED = frozenset(layouts.BASE.slots.values())
#: Characters in the first private area are for ligatures, which no text has.
_LIGATURE_CODES = tuple(range(0xF700, 0xF700 + len(layouts.LIGATURES)))


# For LuaTeX a cut is an OpenType file, in which small capitals are the small letters. So it draws
# what pdfTeX draws, and readers get the letters. LuaTeX itself could choose other glyphs of the
# face, but has no weight between two, no small capitals for a face without them, and takes a small
# capital of Source Sans for a large letter when it writes the text.


def file_of(path: Path, cut: Cut, place: Path) -> Path:
    """Return the file of a cut, made in the cache folder ``place``; raises FontError, OSError."""
    home = face_cache.folder(place)
    state = path.stat()
    whole = f"{path}\0{state.st_mtime_ns}\0{state.st_size}\0{cut.key}"
    name = f"cut{hashlib.sha256(whole.encode('utf-8', 'surrogateescape')).hexdigest()[:20]}"
    face_cache.put_once(home, name, lambda: (_file_content(path, cut),), (".otf",))
    return home / f"{name}.otf"


def _file_content(path: Path, cut: Cut) -> bytes:
    with font_file.opened(path) as face:
        slots = {code: chr(code) for code in face.glyphs if code not in _LIGATURE_CODES}
        layout = Layout(slots, _LIGATURE_CODES, cut)
        with font_file.opened(cut.heavier) if cut.heavier else nullcontext() as heavier:
            return _file(text_fonts.drawn(face, layout, heavier, kerned=_KERNED))


def _file(drawn: text_fonts.Drawn) -> bytes:
    """Return an OpenType font with the glyphs, kerns and ligatures of a cut."""
    from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
    from fontTools.fontBuilder import FontBuilder

    name = f"{drawn.name}-Cut"
    builder = FontBuilder(1000, isTTF=False)
    glyphs = {".notdef": Glyph(500.0), "space": Glyph(drawn.space)}
    glyphs |= {f"g{slot}": glyph for slot, glyph in drawn.glyphs_by_slot.items() if slot != 0x20}
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(
        {0x20: "space", 0xA0: "space"}
        | {slot: f"g{slot}" for slot in drawn.texts if slot not in (0x20, 0xA0, *_LIGATURE_CODES)}
    )
    said = {"FullName": name, "FontBBox": list(drawn.box)}
    builder.setupCFF(name, said, {one: _charstring(g) for one, g in glyphs.items()}, {})
    builder.setupHorizontalMetrics({one: (round(g.width), 0) for one, g in glyphs.items()})
    builder.setupHorizontalHeader(ascent=drawn.box[3], descent=drawn.box[1])
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "psName": name})
    builder.setupOS2(sxHeight=round(drawn.x_height), sTypoAscender=drawn.box[3], fsType=0)
    builder.setupPost(italicAngle=drawn.angle)
    addOpenTypeFeaturesFromString(builder.font, "\n".join(_features(drawn)))
    file = io.BytesIO()
    head = builder.font["head"]
    head.created = head.modified = 0
    head.xMin, head.yMin, head.xMax, head.yMax = drawn.box
    # Both would draw each glyph again.
    builder.font.recalcTimestamp = builder.font.recalcBBoxes = False
    builder.save(file)
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
    for part in parts[slot]:
        yield from _sequence(part, parts)


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
