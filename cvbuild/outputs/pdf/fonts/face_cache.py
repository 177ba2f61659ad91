"""Fonts for TeX, made from faces and layouts when first needed, and kept in the user's cache.

A font is named by its content, so a document's TeX and PDF are the same on every machine. An entry
of the cache says which font a face and a layout give, and which characters of the layout it has.

The cuts that a document needs say in which layouts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from cvbuild.common.user_cache import Store, name_of
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.manifests import FIGURES, Manifest
from cvbuild.outputs.pdf.fonts.layouts import BASE, LINING, OLD_STYLE, ClusterLayout, Cut, Layout
from cvbuild.outputs.pdf.latex.typography import Face, FaceFiles
from cvbuild.outputs.typefaces import SHAPES, FontFamily

#: To be changed with the code that makes fonts.
_VERSION = "2"
Files = tuple[bytes, ...]
"""Metrics and outlines; nothing for a face that has no character of a layout."""


class CachedFont(Struct, frozen=True):
    """A font in the cache: its name for TeX, its slots by character; or the ``fault``: why none."""

    name: str
    slots: dict[str, int]
    fault: str = ""


def fonts_in(place: Path) -> Store:
    """Return where TeX finds the fonts: in the cache folder ``place``, else one of this process."""
    return Store.usable(place, "faces")


def folder(place: Path) -> Path:
    """Return the folder of ``fonts_in``."""
    return fonts_in(place).folder


def is_empty(place: Path) -> bool:
    """Return whether no font was made yet in the cache folder ``place``."""
    return next(folder(place).glob("*.json"), None) is None


def base_font(path: Path, place: Path) -> CachedFont:
    """Return the font of a face that sets most words; raises OSError."""
    return fonts(path, 0, (BASE,), place)[0]


def fonts(
    path: Path, index: int, layouts: Iterable[Layout | ClusterLayout], place: Path
) -> tuple[CachedFont, ...]:
    """Return the font for each layout of a face, made now if there is none; raises OSError."""
    wanted = tuple(layouts)
    try:
        state = path.stat()
    except OSError as error:
        return tuple(CachedFont("", {}, error.strerror or "it can't be read") for _ in wanted)
    store, face = fonts_in(place), (str(path), index, state.st_mtime_ns, state.st_size)
    names = [name_of(_VERSION, face, layout.key) for layout in wanted]
    fonts = [store.get(name) for name in names]
    if None in fonts:
        with store.lock(names[0]):
            fonts = [store.get(name) for name in names]
            missing = [number for number, font in enumerate(fonts) if font is None]
            new = _make(path, index, [wanted[number] for number in missing])
            for number, (font, files) in zip(missing, new, strict=True):
                fonts[number] = asdict(font)
                _put(store, names[number], font, files)
    return tuple(CachedFont(**font) for font in fonts)


def _put(store: Store, name: str, font: CachedFont, files: Files) -> None:
    """Store the files of a font, named as TeX looks for them; raises OSError."""
    ends = (".tfm", ".pfb")[: len(files)]
    contents = {f"{font.name}{end}": content for end, content in zip(ends, files, strict=True)}
    store.put(name, asdict(font), own=contents)


def _make(
    path: Path, index: int, layouts: Iterable[Layout | ClusterLayout]
) -> list[tuple[CachedFont, Files]]:
    from cvbuild.outputs.pdf.fonts import (
        font_file,  # few runs make fonts
        text_fonts,
    )

    fonts: list[tuple[CachedFont, Files]] = []
    try:
        with font_file.opened(path, index) as face:
            for layout in layouts:
                font, slots = text_fonts.make(face, layout)
                files = (font.metrics, font.outlines) if font else ()
                fonts.append((CachedFont(font.name if font else "", slots), files))
    except FontError as error:
        return [(CachedFont("", {}, str(error)), ()) for _ in layouts]
    return fonts


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
        from cvbuild.outputs.pdf.fonts import tex_fonts  # few runs make it

        _put(store, _SPACE, CachedFont(_SPACE, {}), tex_fonts.space_font())


# -- the cuts of a typeface that a document needs: old-style figures, small capitals, semibold -----
# A typeface has a regular and a bold weight with the glyphs that its files show first. Styles that
# use more of them say so in their manifest, so that the others don't wait for more fonts.


class Cuts(Struct, frozen=True):
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


def cuts_of(manifest: Manifest, options: Mapping[str, Any]) -> Cuts:
    """Return what a template's documents need with these options."""
    tex = manifest.tex
    return Cuts(options.get(FIGURES) == "oldstyle", tex.caps, "semibold" in tex.weights)


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
        for _, path, cut in _shapes(files, layout, cuts):
            by_file.setdefault((path, files.index), {})[cut.key] = cut
    return {
        (path, index, key): font
        for (path, index), layouts in by_file.items()
        for key, font in zip(layouts, fonts(path, index, layouts.values(), place), strict=True)
    }


def face_of(name: str, files: FaceFiles, layout: Layout, cuts: Cuts, fonts: Fonts) -> Face:
    """Return a face with all of its slots."""
    shapes = {
        shape: fonts[path, files.index, cut.key]
        for shape, path, cut in _shapes(files, layout, cuts)
    }
    names = {shape: face.name for shape, face in shapes.items()}
    return Face(
        name,
        tuple(names.items()) if layout.ligatures else cuts.alike(names),
        tuple(dict.fromkeys(str(path) for _, path in files.shapes)),
        files.scale,
        files.language,
        tuple(sorted(shapes["m/n"].slots.items())),
        bool(layout.ligatures),
    )


def _shapes(files: FaceFiles, layout: Layout, cuts: Cuts) -> Iterator[tuple[str, Path, Layout]]:
    """Yield the shapes of files, and their layouts; single characters have no cuts."""
    if not layout.ligatures:
        yield from ((shape, path, layout) for shape, path in files.shapes)
        return
    for shape, path, cut in cuts.shapes(dict(files.shapes)):
        yield shape, path, layout.as_cut(cut)
