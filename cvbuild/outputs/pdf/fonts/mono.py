"""The typeface of code: Fira Mono, at the height of the text's small letters.

It comes with PyPI's pymupdf-fonts, as FiraGO does. Without it code is in Latin Modern Mono, which
is part of TeX, and thin beside most typefaces.
"""

from __future__ import annotations

from pathlib import Path

from cvbuild.outputs.pdf.fonts import face_cache, fira_go, installed, layouts
from cvbuild.outputs.pdf.fonts.font_error import FontError
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.fonts.typefaces import SHAPES, Found
from cvbuild.outputs.pdf.scripts.runs import Face

#: Its family in TeX.
FAMILY = "cvbmono"
_X_HEIGHT = 0.527
#: No kerns and no ligatures: all characters are equally wide.
_LAYOUT = Layout(layouts.BASE.slots, ())
#: In luaotfload's syntax.
_LUA = "mode=node;script=latn;-tlig;-liga;-calt;-locl;-kern"


def for_pdftex(typeface: Found, place: Path) -> tuple[Face, frozenset[str]] | None:
    """Return the face for text in a typeface, and its characters; None if it isn't installed.

    ``place`` is the cache folder. Raises FontError, and OSError if fonts can't be written there.
    """
    paths = fira_go.mono(face_cache.folder(place))
    if not paths:
        return None
    made = [face_cache.fonts(path, 0, (_LAYOUT,), place)[0] for path in paths]
    if fault := next((one.fault for one in made if one.fault), ""):
        raise FontError(f"{paths[0]} can't be used: {fault}")
    have = frozenset(made[0].slots) & frozenset(made[1].slots)
    return _face(typeface, [one.name for one in made], paths), have


def for_luatex(typeface: Found, place: Path) -> Face | None:
    """Return the face for text in a typeface; None if it isn't installed, or LuaTeX can't load it.

    Raises as ``for_pdftex``.
    """
    paths = fira_go.mono(face_cache.folder(place))
    if not paths or not all(map(installed.is_plain, paths)):
        return None
    return _face(typeface, [f"[{path}]:{_LUA}" for path in paths], paths)


def _face(typeface: Found, fonts: list[str], paths: tuple[Path, ...]) -> Face:
    regular, bold = fonts
    shapes = tuple(zip(SHAPES, (regular, regular, bold, bold), strict=True))
    scale = round(typeface.typeface.x_height / _X_HEIGHT, 2)
    return Face(FAMILY, shapes, tuple(map(str, paths)), scale)
