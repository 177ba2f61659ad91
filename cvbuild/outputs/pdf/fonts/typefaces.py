"""The typefaces that ``font`` chooses from: their files, licences, and where the files are.

The files are those of PyPI's rendercv-fonts, or the system's of the same name. Those as wide as
Times and Arial are the system's alone.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from msgspec import Struct

from cvbuild.outputs.pdf.fonts import installed

#: Shapes of LaTeX (series and shape), in the order of a typeface's files.
SHAPES = ("m/n", "m/it", "b/n", "b/it")
#: What a typeface may lack: small capitals; old-style figures; two weights with the same curves.
CAPS, FIGURES, SEMIBOLD = "small capitals", "old-style figures", "semibold"


class Typeface(Struct, frozen=True):
    """A family with a regular and a bold weight.

    ``files`` are in the order of ``SHAPES``, each with other names that it may have: the first of
    one shape belongs to the first of another, and so on. ``package`` is Debian's, for what isn't in
    rendercv-fonts. ``x_height``
    is in em, as is ``space``, the space between words, 0 for the font's own: PDFium sees no space
    of 0.2em next to a letter as wide as B. ``fallback`` is the typeface for words with letters that
    this one lacks. ``lacks`` are CAPS, FIGURES and SEMIBOLD where its files have none.
    """

    name: str
    files: tuple[tuple[str, ...], ...]
    licence: str
    x_height: float
    sans: bool = False
    space: float = 0.0
    fallback: str = ""
    lacks: tuple[str, ...] = ()
    package: str = ""


class Found(Struct, frozen=True):
    """A typeface whose files are on this machine."""

    typeface: Typeface
    paths: tuple[Path, ...]

    def __str__(self) -> str:
        return self.typeface.name


def _files(stem: str, end: str = "ttf") -> tuple[tuple[str, ...], ...]:
    return tuple(
        (f"{stem}-{shape}.{end}",) for shape in ("Regular", "Italic", "Bold", "BoldItalic")
    )


def _as_wide(stem: str, *others: str) -> tuple[tuple[str, ...], ...]:
    """Return the files of TeX Gyre, of two families with the same widths, and of the model."""
    free = [tuple(name for (name,) in _files(other)) for other in others[:2]]
    gyre = [f"texgyre{stem}-{end}.otf" for end in ("regular", "italic", "bold", "bolditalic")]
    windows = [f"{others[2]}{end}.ttf" for end in ("", "i", "bd", "bi")]
    mac = [f"{others[3]}{end}.ttf" for end in ("", " Italic", " Bold", " Bold Italic")]
    return tuple(zip(gyre, *free, windows, mac, strict=True))


_OFL = "SIL Open Font License 1.1"
_XCHARTER = (("XCharter-Regular.otf", "XCharter-Roman.otf"), *_files("XCharter", "otf")[1:])
_ALL = (
    # Name, files, licence, x-height, whether it is sans, space, fallback, what it lacks.
    Typeface("XCharter", _XCHARTER, "Bitstream's, which allows every use", 0.481, False, 0,
             "Gentium", (SEMIBOLD,)),
    Typeface("EB Garamond", _files("EBGaramond"), _OFL, 0.4, False, 0.22, "Gentium"),
    Typeface("Gentium", _files("GentiumBookPlus"), _OFL, 0.454, False, 0,
             "Noto Sans", (FIGURES, SEMIBOLD)),
    Typeface("Source Sans", _files("SourceSans3"), _OFL, 0.486, True, 0.24, "Noto Sans"),
    Typeface("Lato", _files("Lato"), _OFL, 0.506, True, 0.24,
             "Source Sans", (CAPS, FIGURES, SEMIBOLD)),
    Typeface("Open Sans", _files("OpenSans"), _OFL, 0.535, True, 0, "Noto Sans", (CAPS,)),
    Typeface("Roboto", _files("Roboto"), "Apache License 2.0", 0.528, True, 0,
             "Noto Sans", (SEMIBOLD,)),
    Typeface("Noto Sans", _files("NotoSans"), _OFL, 0.536, True, 0, "Gentium"),
    Typeface("Ubuntu", _files("Ubuntu"), "Ubuntu Font Licence 1.0", 0.52, True, 0,
             "Noto Sans", (CAPS, FIGURES, SEMIBOLD)),
    Typeface("TeX Gyre Termes",
             _as_wide("termes", "LiberationSerif", "Tinos", "times", "Times New Roman"),
             "GUST Font License", 0.45, False, 0, "Gentium", (SEMIBOLD,), "fonts-texgyre"),
    Typeface("TeX Gyre Heros", _as_wide("heros", "LiberationSans", "Arimo", "arial", "Arial"),
             "GUST Font License", 0.524, True, 0, "Noto Sans", (SEMIBOLD,), "fonts-texgyre"),
)  # fmt: skip
#: By name.
TYPEFACES = {one.name: one for one in _ALL}
#: How to get the files of most typefaces.
HOW_TO_GET = "`pip install rendercv-fonts`"


def how_to_get(name: str) -> str:
    """Return how to get the files of a typeface."""
    package = TYPEFACES[name].package
    if not package:
        return HOW_TO_GET
    models = "Liberation, or Times New Roman and Arial"
    apt = f"`apt-get install {package}`, or " if sys.platform == "linux" else ""
    return f"{apt}install TeX Gyre or what is as wide: {models}"


@cache
def find(name: str) -> Found | None:
    """Return a typeface with all of its files; None if one is missing."""
    typeface = TYPEFACES[name]
    for at in range(max(map(len, typeface.files))):
        paths = [installed.find(names[min(at, len(names) - 1) :][:1]) for names in typeface.files]
        files = tuple(path for path in paths if path)
        if len(files) == len(paths):
            return Found(typeface, files)
    return None


def fallbacks(typeface: Typeface) -> tuple[Found, ...]:
    """Return the typefaces that are found, for words with letters that it lacks."""
    chain: list[str] = []
    following = typeface.fallback
    while following and following != typeface.name and following not in chain:
        chain.append(following)
        following = TYPEFACES[following].fallback
    return tuple(found for one in chain if (found := find(one)))


def scale(found: Found, typeface: Typeface) -> float:
    """Return the size at which the small letters of a fallback are as tall as the typeface's."""
    ratio = typeface.x_height / found.typeface.x_height
    return round(min(max(ratio, 0.9), 1.1), 2)


def survey() -> tuple[tuple[str, Found | None], ...]:
    """Return every typeface with what is found of it, for `cvbuild doctor`."""
    return tuple((name, find(name)) for name in TYPEFACES)


def look_again() -> None:
    """Forget what this process has found."""
    find.cache_clear()
