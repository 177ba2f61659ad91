"""Fira Mono, the typeface of code, and FiraGO, for some scripts where there is no other.

Fira Mono is set at the height of the text's small letters. Without it code is in Latin Modern Mono,
which is part of TeX, and thin beside most typefaces. FiraGO has Arabic, Hebrew, Devanagari, Thai,
Georgian. They come with PyPI's pymupdf-fonts, as Python source that holds each font compressed and
in base64. That source is read, not run, and the fonts are unpacked into the cache.
"""

from __future__ import annotations

from pathlib import Path

from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.fonts import face_cache, installed, layouts
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts.runs import Face

#: The scripts of other alphabets that FiraGO has.
SCRIPTS = frozenset(("arabic", "hebrew", "devanagari", "thai", "georgian"))
_SHAPES = ("Regular", "Italic", "Bold", "BoldItalic")
#: The size of the source of a font, and of a font, in bytes.
_MOST = 8 << 20
#: The family of Fira Mono in TeX, and the height of its small letters.
FAMILY = "cvbmono"
_X_HEIGHT = 0.527
#: No kerns and no ligatures: all characters are equally wide.
_LAYOUT = Layout(layouts.BASE.slots, ())


def go_files(place: Path) -> tuple[Path, ...]:
    """Return FiraGO in the order of LaTeX's shapes, unpacked into the cache folder ``place``.

    Empty if the package isn't installed. Raises FontError if it is damaged, OSError if the cache
    can't be written.
    """
    package = installed.package("pymupdf_fonts")
    if package is None:
        return ()
    return tuple(_unpacked(package, f"FiraGO_{shape}", place) for shape in _SHAPES)


def _mono(place: Path) -> tuple[Path, ...]:
    """Return Fira Mono, regular and bold; nothing if it isn't there, as in older installations."""
    package = installed.package("pymupdf_fonts")
    names = ("FiraMono_Regular", "FiraMono_Bold")
    if package is None or not all((package / f"{name}.py").is_file() for name in names):
        return ()
    return tuple(_unpacked(package, name, place) for name in names)


def mono_face(typeface: Found, place: Path) -> tuple[Face, frozenset[str]] | None:
    """Return the face of code in a typeface, and its characters; None if it isn't installed.

    ``place`` is the cache folder. Raises FontError, and OSError if fonts can't be written there.
    """
    paths = _mono(place)
    if not paths:
        return None
    fonts = [face_cache.fonts(path, 0, (_LAYOUT,), place)[0] for path in paths]
    if fault := next((one.fault for one in fonts if one.fault), ""):
        raise FontError(f"{paths[0]} can't be used: {fault}")
    have = frozenset(fonts[0].slots) & frozenset(fonts[1].slots)
    return _face(typeface, [one.name for one in fonts], paths), have


def _face(typeface: Found, fonts: list[str], paths: tuple[Path, ...]) -> Face:
    regular, bold = fonts
    shapes = tuple(zip(SHAPES, (regular, regular, bold, bold), strict=True))
    scale = round(typeface.typeface.x_height / _X_HEIGHT, 2)
    return Face(FAMILY, shapes, tuple(map(str, paths)), scale)


def _unpacked(package: Path, name: str, place: Path) -> Path:
    store, stem = face_cache.fonts_in(place), name.replace("_", "-")
    if store.get(stem) is None:
        source = package / f"{name}.py"
        store.put(stem, name, own={f"{stem}.ttf": _content(source)}, files=[source])
    return store.folder / f"{stem}.ttf"


def _content(source: Path) -> bytes:
    """Return the font that a module of the package holds; raises FontError."""
    import base64
    import lzma
    import re

    try:
        text = safe_files.read(source, _MOST)
        packed = base64.b64decode(b"".join(re.findall(rb"b'([A-Za-z0-9+/=]+)'", text)))
        unpacker = lzma.LZMADecompressor(memlimit=1 << 28)
        content = unpacker.decompress(packed, _MOST)
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        raise FontError(f"{source} can't be used: it is damaged") from error
    if not unpacker.eof:
        raise FontError(f"{source} can't be used: it is damaged")
    return content
