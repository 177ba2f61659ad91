"""Fonts beside the typeface: which files set which script, and which have code and icons."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.outputs import installed
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf.fonts import face_cache, layouts
from cvbuild.outputs.pdf.fonts.layouts import Layout
from cvbuild.outputs.pdf.latex.typography import Face
from cvbuild.outputs.styles.typefaces import SHAPES, FontFamily


class FallbackFace(Struct, frozen=True):
    """A face that may be installed: possible names of its files, features to load it with."""

    regular: tuple[str, ...]
    bold: tuple[str, ...]
    package: str
    index: int = 0
    features: str = ""
    scale: float = 1.0
    language: str = ""


_CORE, _CJK, _AMIRI = "fonts-noto-core", "fonts-noto-cjk", "fonts-hosny-amiri"
#: Regions with a face in the package rendercv-fonts.
_OF_PACKAGE = ("sc", "jp", "kr")
#: The scripts that `cvbuild doctor` shows, with their names for people.
SHOWN = {
    "latin": "Latin, Greek and Cyrillic beyond the style's own type", "han": "Chinese",
    "kana": "Japanese", "hangul": "Korean", "arabic": "Arabic", "hebrew": "Hebrew",
    "devanagari": "Devanagari", "thai": "Thai",
}  # fmt: skip


@cache
def _table() -> dict[str, Any]:
    """Return the table beside this module; most documents need nothing of it."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def region(script: str, scripts: frozenset[str], locale: str) -> str:
    """Return the region whose Han shapes to use: by the text's other scripts, else the locale."""
    if script == "hangul" or ("hangul" in scripts and "kana" not in scripts):
        return "kr"
    if "kana" in scripts:
        return "jp"
    language, _, rest = locale.lower().partition("-")
    if language == "zh" and ("hk" in rest or "mo" in rest.split("-")):
        return "hk"
    if language == "zh" and ("hant" in rest or "tw" in rest):
        return "tc"
    return {"ja": "jp", "ko": "kr"}.get(language, "sc")


def candidates(
    script: str, scripts: frozenset[str], locale: str, *, sans: bool
) -> tuple[FallbackFace, ...]:
    """Return the faces for a script, best first: of the family's kind (serif, sans), others."""
    # ``scripts`` are those of the whole text; ``script`` is empty for symbols and marks, which
    # faces of the text's scripts may have, too.
    kinds = ("Sans", "Serif") if sans else ("Serif", "Sans")
    if script in ("han", "kana", "hangul"):
        return _east_asian(region(script, scripts, locale), kinds)
    if script == "arabic":
        spoken = locale.partition("-")[0].lower()
        language = spoken if spoken in ("fa", "ur", "ps", "ug", "sd", "ckb") else "ar"
        # Its letters extract as letters, those of others as presentation forms. It is set without
        # kerns and contextual forms, whose gaps readers take for spaces.
        amiri = FallbackFace(
            ("Amiri-Regular.ttf", "amiri-regular.ttf"), ("Amiri-Bold.ttf", "amiri-bold.ttf"),
            _AMIRI, features="-kern;-calt", scale=1.1, language=language,
        )  # fmt: skip
        return (amiri, replace(_noto("Sans", "arabic"), language=language))
    if script in _table()["alphabets"]:
        noto = tuple(_noto(kind, script) for kind in kinds)
        # The face that comes with rendercv-fonts is the same on every machine.
        return (_face("Mukta-{}.ttf", language="hi"), *noto) if script == "devanagari" else noto
    symbols = (_face(f"{files}-{{}}.ttf") for files in _table()["symbols"])
    others = (candidates(other, scripts, locale, sans=sans) for other in sorted(scripts))
    return (*(_noto(kind, "latin") for kind in kinds), *symbols, *chain.from_iterable(others))


def package(script: str) -> str | None:
    """Return the Debian package with fonts for the script; None if no package is known."""
    known = {**dict.fromkeys(("han", "kana", "hangul"), _CJK), "arabic": _AMIRI}
    return known.get(script) or (_CORE if script in _table()["alphabets"] else None)


def _face(*files: str, package: str = _CORE, index: int = 0, language: str = "") -> FallbackFace:
    """Return a face by what its files may be called, with {} for the weight."""
    regular, bold = (tuple(file.format(weight) for file in files) for weight in ("Regular", "Bold"))
    return FallbackFace(regular, bold, package, index, language=language)


def _noto(kind: str, script: str) -> FallbackFace:
    of = _table()["alphabets"][script]
    return _face(f"Noto{kind}{of['files']}-{{}}.ttf", language=of["language"])


def _east_asian(where: str, kinds: tuple[str, ...]) -> tuple[FallbackFace, ...]:
    """Return the package's faces first, which are the same on every machine."""
    # It has none with the traditional shapes; there its own come last.
    of = _table()["regions"][where]
    index, language = of["index"], of["language"]
    ours = dict.fromkeys(name for name in (where, *_OF_PACKAGE) if name in _OF_PACKAGE)
    package = [
        _face(f"NotoSans{our.upper()}-{{}}.ttf", package=_CJK, language=language) for our in ours
    ]
    others = [
        _face(
            f"Noto{kind}CJK-{{}}.ttc",
            *(f"Noto{kind}{name}-{{}}.otf" for name in of["files"]),
            package=_CJK,
            index=index,
            language=language,
        )
        for kind in kinds
    ]
    return (*package, *others) if where in _OF_PACKAGE else (*others, *package)


def survey() -> dict[str, tuple[Path | None, str]]:
    """Return for `cvbuild doctor`, by script, a font file or None, and a package that has one."""
    files = {}
    for script, title in SHOWN.items():
        faces = candidates(script, frozenset(), "en", sans=False)
        path = installed.font_file(tuple(name for face in faces for name in face.regular))
        files[title] = (path, faces[0].package)
    return files


def how_to_get(packages: Iterable[str]) -> str:
    """Return a hint: how to install fonts, by Debian's names of their packages."""
    if sys.platform in ("darwin", "win32"):
        return "install a Noto font for it"
    return f"`apt-get install {' '.join(dict.fromkeys(packages))}`, or a Noto font for it"


# -- Fira ------------------------------------------------------------------------------------------
# Fira Mono is the typeface of code, set at the height of the text's small letters. Without it code
# is in Latin Modern Mono, which is part of TeX, and thin beside most typefaces. FiraGO has Arabic,
# Hebrew, Devanagari, Thai, Georgian, where there is no other face. They come with PyPI's
# pymupdf-fonts, as modules of Python, and are unpacked into the cache.


#: The scripts of other alphabets that FiraGO has.
FIRA_GO = frozenset(("arabic", "hebrew", "devanagari", "thai", "georgian"))
_FIRA = "pymupdf_fonts"
#: The family of Fira Mono in TeX, and the height of its small letters.
_MONO_FAMILY, _X_HEIGHT = "cvbmono", 0.527
#: No kerns and no ligatures: all characters are equally wide.
_MONO = Layout(layouts.BASE.slots, ())


def go_files(place: Path) -> tuple[Path, ...]:
    """Return FiraGO in the order of LaTeX's shapes, from the cache folder; empty without it."""
    shapes = ("Regular", "Italic", "Bold", "BoldItalic")
    return _unpacked([f"FiraGO_{shape}" for shape in shapes], place)


def mono_face(typeface: FontFamily, place: Path) -> tuple[Face, frozenset[str]] | None:
    """Return the face of code in a typeface, and its characters; None if it isn't installed."""
    paths = _unpacked(["FiraMono_Regular", "FiraMono_Bold"], place)
    if not paths:
        return None
    regular, bold = (face_cache.fonts(path, 0, (_MONO,), place)[0] for path in paths)
    if fault := regular.fault or bold.fault:
        raise FontError(f"{paths[0]} can't be used: {fault}")
    names = (regular.name, regular.name, bold.name, bold.name)
    scale = round(typeface.typeface.x_height / _X_HEIGHT, 2)
    face = Face(_MONO_FAMILY, tuple(zip(SHAPES, names, strict=True)), tuple(map(str, paths)), scale)
    return face, frozenset(regular.slots) & frozenset(bold.slots)


def _unpacked(names: Iterable[str], place: Path) -> tuple[Path, ...]:
    """Return the package's fonts in the cache; nothing if one isn't there, as in older ones."""
    package, store = installed.package(_FIRA), face_cache.fonts_in(place)
    sources = [package / f"{name}.py" for name in names] if package else []
    if not all(source.is_file() for source in sources):
        return ()
    paths = []
    for source in sources:
        stem = source.stem.replace("_", "-")
        if store.get(stem) is None:
            try:
                font = import_module(f"{_FIRA}.{source.stem}").fontbuffer
            except Exception:  # noqa: BLE001 - whatever a damaged module raises
                raise FontError(f"{source} can't be used: it is damaged") from None
            store.put(stem, source.stem, own={f"{stem}.ttf": font}, files=[source])
        paths.append(store.folder / f"{stem}.ttf")
    return tuple(paths)


# -- icons of contacts -----------------------------------------------------------------------------
# Outlines of Font Awesome Free (CC BY 4.0), of PyPI's rendercv-fonts or the system's, are drawn as
# paths. No font is embedded and no text is written, so that software which reads the PDF finds
# nothing.


_BRANDS = "Font Awesome 7 Brands-Regular-400.otf"
_SOLID = "Font Awesome 7 Free-Solid-900.otf"
#: Names of icons by kind of contact; the others have the name of their kind.
_NAMES = {
    "email": "envelope", "address": "location-dot", "website": "globe",
    "birth-date": "cake-candles", "nationality": "flag", "x": "x-twitter",
    "reddit": "reddit-alien",
}  # fmt: skip
#: The icon of what has none of its own.
_OTHER = "link"
#: Icons are 850 units of 1000 an em tall; Font Awesome has 512.
_SCALE = 850 / 512
_OPERATORS = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "closePath": "h"}


def icon_commands(kinds: Iterable[str]) -> str:
    r"""Return ``\CvbIconPath`` for each kind of contact; raise FontError without the font."""
    return "\n".join(
        rf"\CvbIconPath{{{kind}}}{{{width:g}}}{{{path}}}"
        for kind in dict.fromkeys(kinds)
        for width, path in [_icon(_NAMES.get(kind, kind))]
    )


@cache
def _icon(name: str) -> tuple[float, str]:
    """Return the width in em and the path, in units of 1000 an em."""
    from fontTools.pens.recordingPen import RecordingPen
    from fontTools.ttLib import TTFont

    paths = [installed.font_file((file,)) for file in (_BRANDS, _SOLID)]
    for file in filter(None, paths):
        with TTFont(file, lazy=True) as font:
            glyphs = font.getGlyphSet()
            if name in glyphs:
                pen = RecordingPen()
                glyphs[name].draw(pen)
                path = ""
                for command, points in pen.value:
                    numbers = (f"{round(part * _SCALE)} " for point in points for part in point)
                    path += f" {''.join(numbers)}{_OPERATORS[command]}"
                return round(glyphs[name].width * _SCALE / 1000, 3), path.lstrip()
    if None in paths:
        raise FontError("the icons of contacts need Font Awesome")
    return _icon(_OTHER)
