"""Fonts for TeX, made from faces and layouts when first needed, and kept in the user's cache.

A font is named by its content, so a document's TeX and PDF are the same on every machine. An entry
of the cache says which font a face and a layout give, and which characters of the layout it has.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from cvbuild.common.store import Store, name_of
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.layouts import Layout

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.fonts.tex_fonts import ClusterLayout, TexFont

#: To be changed with the code that makes fonts.
_VERSION = "2"
Files = tuple[bytes, ...]
"""Metrics and outlines; nothing for a face that has no character of a layout."""


class Made(Struct, frozen=True):
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


def fonts(
    path: Path, index: int, layouts: Iterable[Layout | ClusterLayout], place: Path
) -> tuple[Made, ...]:
    """Return the font for each layout of a face, made now if there is none; raises OSError."""
    wanted = tuple(layouts)
    try:
        state = path.stat()
    except OSError as error:
        return tuple(Made("", {}, error.strerror or "it can't be read") for _ in wanted)
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
    return tuple(Made(**font) for font in fonts)


def _put(store: Store, name: str, font: Made, files: Files) -> None:
    """Store the files of a font, named as TeX looks for them; raises OSError."""
    ends = (".tfm", ".pfb")[: len(files)]
    own = {f"{font.name}{end}": content for end, content in zip(ends, files, strict=True)}
    store.put(name, asdict(font), own=own)


def _make(
    path: Path, index: int, layouts: list[Layout | ClusterLayout]
) -> list[tuple[Made, Files]]:
    from cvbuild.outputs.pdf.fonts import font_file, tex_fonts, text_fonts

    try:
        with font_file.opened(path, index) as face:
            found: list[tuple[TexFont | None, dict[str, int]]] = []
            for layout in layouts:
                if not isinstance(layout, Layout):
                    found.append((tex_fonts.make_clusters(face, layout), {}))
                    continue
                bold = layout.cut.heavier
                with font_file.opened(bold) if bold else contextlib.nullcontext() as heavier:
                    found.append(text_fonts.make(face, layout, heavier))
    except FontError as error:
        return [(Made("", {}, str(error)), ()) for _ in layouts]
    return [
        (Made(font.name, slots), (font.metrics, font.outlines)) if font else (Made("", slots), ())
        for font, slots in found
    ]


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
        _put(store, _SPACE, Made(_SPACE, {}), _space_font())


def _space_font() -> tuple[bytes, bytes]:
    """Return the metrics and outlines of the font of spaces."""
    from cvbuild.outputs.pdf.fonts import tfm, type1  # few runs make it

    # Of 1 pt: PDFium takes two spaces of 10 pt on both sides of a short word for one drawn twice.
    parameters = (0, 0.001, 0, 0, 0.4, 0.002, 0.001)
    metrics = tfm.Metrics({32: tfm.Box(0.001)}, parameters, size=1)
    outlines = type1.to_bytes(type1.Info("CvbSpace"), {"space": type1.Glyph(1)}, {32: "space"})
    return tfm.to_bytes(metrics), outlines
