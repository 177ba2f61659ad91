"""Font files that set the words of a document, and the fonts of TeX that are made from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cvbuild.outputs.pdf.fonts import face_cache
from cvbuild.outputs.pdf.fonts.cuts import Cuts
from cvbuild.outputs.pdf.fonts.face_cache import Made
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts.runs import Face

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


def of(found: Found, scale: float = 1.0, language: str = "") -> Source:
    """Return a typeface as a source."""
    shapes = tuple(zip(SHAPES, found.paths, strict=True))
    return Source(shapes, 0, scale, language, "-locl;+lnum")


def made(wanted: Iterable[tuple[Source, Layout]], cuts: Cuts, place: Path) -> Fonts:
    """Return the font of each file and layout, in all cuts; each file is opened once at most."""
    by_file: dict[tuple[Path, int], dict[str, Layout]] = {}
    for source, layout in wanted:
        for _, path, cut in _shapes(source, layout, cuts):
            by_file.setdefault((path, source.index), {})[cut.key] = cut
    found: Fonts = {}
    for (path, index), some in by_file.items():
        every = face_cache.fonts(path, index, some.values(), place)
        found |= {(path, index, key): one for key, one in zip(some, every, strict=True)}
    return found


def face(name: str, source: Source, layout: Layout, cuts: Cuts, fonts: Fonts) -> Face:
    """Return a face with all of its slots."""
    found = {
        shape: fonts[path, source.index, cut.key]
        for shape, path, cut in _shapes(source, layout, cuts)
    }
    names = {shape: one.name for shape, one in found.items()}
    return Face(
        name,
        tuple(names.items()) if layout.ligatures else cuts.alike(names),
        tuple(dict.fromkeys(str(path) for _, path in source.shapes)),
        source.scale,
        source.language,
        tuple(sorted(found["m/n"].slots.items())),
        bool(layout.ligatures),
    )


def _shapes(source: Source, layout: Layout, cuts: Cuts) -> Iterator[tuple[str, Path, Layout]]:
    """Yield the shapes of a source and their layouts; single characters have no cuts."""
    if not layout.ligatures:
        yield from ((shape, path, layout) for shape, path in source.shapes)
        return
    for shape, path, cut in cuts.shapes(dict(source.shapes)):
        yield shape, path, layout.as_cut(cut)
