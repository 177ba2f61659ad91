"""Cuts of a typeface that a document needs, and the fonts that have them.

Cuts are old-style figures, small capitals, semibold.

``typefaces`` have a regular and a bold weight with the glyphs that their files show first. Styles
that use more of them say so in their manifest, so that the others don't wait for more fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.outputs.pdf.fonts import face_cache
from cvbuild.outputs.pdf.fonts.face_cache import Made
from cvbuild.outputs.pdf.fonts.layouts import LINING, OLD_STYLE, TABULAR, Cut, Layout
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts.runs import Face
from cvbuild.outputs.styles.manifests import FIGURES, Manifest

#: The family that has lining figures in a document with old-style ones (\CvbLining).
LINING_FAMILY = "cvblining"


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


def of(manifest: Manifest, options: Mapping[str, Any]) -> Cuts:
    """Return what a template's documents need with these options."""
    tex = manifest.tex
    return Cuts(options.get(FIGURES) == "oldstyle", tex.caps, "semibold" in tex.weights)


def lining(files: Mapping[str, Path]) -> Iterator[tuple[str, Path, Cut]]:
    """Yield the shapes of the family with lining figures, all of one width: the upright ones."""
    for shape in ("m/n", "b/n"):
        yield shape, files[shape], Cut(TABULAR)


#: Fonts of TeX by file, number in it, and key of the layout.
Fonts = dict[tuple[Path, int, str], Made]


class Source(Struct, frozen=True):
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
