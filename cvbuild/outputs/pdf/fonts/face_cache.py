"""Fonts for TeX, made from faces and layouts when first needed, and kept in the user's cache.

A font is named by its content, so a document's TeX and PDF are the same on every machine. An entry
of the cache says which font a face and a layout give, and which characters of the layout it has.

The cuts that a document needs say in which layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from cvbuild.common.files.user_cache import Store, name_of
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.fonts import layouts
from cvbuild.outputs.pdf.fonts.layouts import (
    LINING,
    OLD_STYLE,
    CachedFont,
    Clusters,
    Cut,
    Layout,
)
from cvbuild.outputs.pdf.latex.typography import Face, FaceFiles
from cvbuild.outputs.styles.typefaces import SHAPES, FontFamily

#: The layout of most words.
MOST_WORDS = layouts.BASE
#: To be changed with the code that makes fonts.
_VERSION = "2"


def fonts_in(place: Path) -> Store:
    """Return where TeX finds the fonts: in the cache folder ``place``, else one of this process."""
    return Store.usable(place, "faces")


def fonts(
    path: Path, index: int, layouts: Iterable[Layout | Clusters], place: Path
) -> tuple[CachedFont, ...]:
    """Return the font for each layout of a face, made now if there is none; raises OSError."""
    wanted = tuple(layouts)
    try:
        state = path.stat()
    except OSError as error:
        return tuple(CachedFont(fault=error.strerror or "it can't be read") for _ in wanted)
    store, face = fonts_in(place), (str(path), index, state.st_mtime_ns, state.st_size)
    keys = (layout.key if isinstance(layout, Layout) else repr(layout) for layout in wanted)
    names = [name_of(_VERSION, face, key) for key in keys]
    fonts = [store.get(name) for name in names]
    if None in fonts:
        with store.lock(names[0]):
            fonts = [store.get(name) for name in names]
            missing = [number for number, font in enumerate(fonts) if font is None]
            from cvbuild.outputs.pdf.fonts import font_file, text_fonts  # few runs make fonts

            try:
                with font_file.opened(path, index) as opened:
                    new = [text_fonts.make(opened, wanted[number]) for number in missing]
            except FontError as error:
                new = [CachedFont(fault=str(error)) for _ in missing]
            for number, font in zip(missing, new, strict=True):
                fonts[number] = font.put(store, names[number])
    return tuple(CachedFont(**font) for font in fonts)


#: The font of pdfTeX's spaces between words: two glyphs without outlines. The embedded TeX lacks
#: the one of TeX Live, dummy-space, whose metrics these are.
_SPACE = "cvbspace"
#: Makes pdfTeX use that font; a format keeps neither of the two.
SPACE_COMMANDS = f"\\pdfmapline{{={_SPACE} <{_SPACE}.pfb}}\\pdfspacefont{{{_SPACE}}}"
#: For a TeX Live, which has its own: the maps of pdfTeX may not be read.
SPACE_MAP = "\\pdfmapline{=dummy-space <dummy-space.pfb}"


def put_space_font(place: Path) -> None:
    """Put the font of spaces where TeX finds it, in the cache folder ``place``; raises OSError."""
    store = fonts_in(place)
    if store.get(_SPACE) is None:
        from cvbuild.outputs.pdf.fonts import font_file, text_fonts  # few runs make it

        # Of 1 pt: PDFium takes two spaces of 10 pt beside a short word for one drawn twice.
        sizes = (0, 0.001, 0, 0, 0.4, 0.002, 0.001)
        metrics = text_fonts.tfm({32: (0.001, 0, 0)}, sizes, {}, {}, size=1)
        info, glyphs = ("CvbSpace", 0.0, (0, 0, 0, 0)), {"space": font_file.Glyph(1)}
        outlines = font_file.to_bytes(info, glyphs, {32: "space"})
        CachedFont(_SPACE, files=(metrics, outlines)).put(store, _SPACE)


# -- the cuts of a typeface that a document needs: old-style figures, small capitals, semibold -----
# A typeface has a regular and a bold weight with the glyphs that its files show first. Styles that
# use more of them say so in their manifest, so that the others don't wait for more fonts.


class Cuts(Struct, frozen=True):
    """What a document needs beside the plain shapes of its typeface."""

    oldstyle: bool = False
    caps: bool = False
    semibold: bool = False

    def shapes(self, files: FaceFiles, layout: Layout) -> Iterator[tuple[str, Path, Layout]]:
        """Yield LaTeX's shapes, each with its file and layout; single characters have no cuts."""
        paths, figures = dict(files.shapes), OLD_STYLE if self.oldstyle else LINING
        upright, bold, plain = paths["m/n"], paths["b/n"], layout.as_cut(Cut(figures))
        yield from ((shape, path, plain) for shape, path in paths.items())
        if self.semibold and layout.ligatures:
            yield "sb/n", upright, layout.as_cut(Cut(figures, heavier=bold))
            yield "sb/it", paths["m/it"], layout.as_cut(Cut(figures, heavier=paths["b/it"]))
        if self.caps and layout.ligatures:
            yield "m/sc", upright, layout.as_cut(Cut(OLD_STYLE, caps=True))
            yield "b/sc", bold, layout.as_cut(Cut(OLD_STYLE, caps=True))
        if self.caps and self.semibold and layout.ligatures:
            yield "sb/sc", upright, layout.as_cut(Cut(OLD_STYLE, caps=True, heavier=bold))

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


#: Fonts of TeX by file, number in it, and key of the layout.
Fonts = dict[tuple[Path, int, str], CachedFont]


def files_of(typeface: FontFamily, scale: float = 1.0, language: str = "") -> FaceFiles:
    """Return the files of a typeface."""
    shapes = tuple(zip(SHAPES, typeface.paths, strict=True))
    return FaceFiles(shapes, 0, scale, language, "-locl;+lnum")


def fonts_of(wanted: Iterable[tuple[FaceFiles, Layout]], cuts: Cuts, place: Path) -> Fonts:
    """Return the font of each file and layout, in all cuts; each file is opened once at most."""
    by_file: dict[tuple[Path, int], dict[str, Layout]] = {}
    for files, layout in wanted:
        for _, path, cut in cuts.shapes(files, layout):
            by_file.setdefault((path, files.index), {})[cut.key] = cut
    return {
        (path, index, key): font
        for (path, index), layouts in by_file.items()
        for key, font in zip(layouts, fonts(path, index, layouts.values(), place), strict=True)
    }


def face_of(name: str, files: FaceFiles, layout: Layout, cuts: Cuts, fonts: Fonts) -> Face:
    """Return a face with all of its slots."""
    shapes = {
        shape: fonts[path, files.index, cut.key] for shape, path, cut in cuts.shapes(files, layout)
    }
    names = {shape: face.name for shape, face in shapes.items()}
    return Face(
        name,
        tuple(names.items()) if layout.ligatures else cuts.alike(names),
        files.paths,
        files.scale,
        files.language,
        tuple(sorted(shapes["m/n"].slots.items())),
        bool(layout.ligatures),
    )
