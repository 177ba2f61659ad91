"""The typefaces that ``font`` chooses from: their files, and parts of these for documents.

The files are those of PyPI's rendercv-fonts, or the system's of the same name. Those as wide as
Times and Arial are the system's alone.
"""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cvbuild.outputs import installed
from cvbuild.outputs.styles.manifests import FONT

#: Shapes of LaTeX (series and shape), in the order of a typeface's files.
SHAPES = ("m/n", "m/it", "b/n", "b/it")
#: What a typeface may lack: small capitals; old-style figures; two weights with the same curves.
CAPS, FIGURES, SEMIBOLD = "small capitals", "old-style figures", "semibold"


class Typeface(Struct, frozen=True):
    """A family with a regular and a bold weight.

    ``files`` are in the order of ``SHAPES``, each with other names that it may have: the first of
    one shape belongs to the first of another, and so on. ``package`` is Debian's, for what isn't in
    rendercv-fonts. ``x_height`` is in em, as is ``space``, the space between words, 0 for the
    font's own: PDFium sees no space of 0.2em next to a letter as wide as B. ``fallback`` is for
    words with letters that this one lacks; ``lacks`` are CAPS, FIGURES and SEMIBOLD. ``word`` is
    the font's name and those that Word has for it, ``web`` what comes nearest to it elsewhere, and
    its size in rem.
    """

    name: str
    files: tuple[tuple[str, ...], ...]
    x_height: float
    sans: bool = False
    space: float = 0.0
    fallback: str = ""
    lacks: tuple[str, ...] = ()
    package: str = ""
    word: tuple[str, str] = ("", "")
    web: tuple[str, float] = ("", 1.0)


class FontFamily(Struct, frozen=True):
    """A typeface whose files are on this machine."""

    typeface: Typeface
    paths: tuple[Path, ...]

    def __str__(self) -> str:
        return self.typeface.name


#: By name, from the table beside this module.
TYPEFACES = {
    face.name: face
    for face in msgspec.json.decode(
        Path(__file__).with_suffix(".json").read_bytes(), type=list[Typeface]
    )
}
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


def find(name: str) -> FontFamily | None:
    """Return a typeface with all of its files; None if one is missing."""
    typeface = TYPEFACES[name]
    for at in range(max(map(len, typeface.files))):
        paths = [
            installed.font_file(names[min(at, len(names) - 1) :][:1]) for names in typeface.files
        ]
        files = tuple(path for path in paths if path)
        if len(files) == len(paths):
            return FontFamily(typeface, files)
    return None


# -- faces with the letters that a document needs, to be put into its file -------------------------
# The licences of all typefaces allow this; a font of a person's own is left out if its own doesn't.
# A face for the web has no name but its copyright and licence: a changed font may not have a name
# that is reserved.


#: Records of names: copyright, trademark, licence and its address; all that OpenType knows.
_LEGAL, _NAMES = (0, 7, 13, 14), range(26)


def typeface(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files of a document's typeface: regular, italic, bold, both; empty if not here."""
    name = str(options.get(FONT, ""))
    known = own(options) or (find(name) if name in TYPEFACES else None)
    return known.paths[:4] if known else ()


def own(options: Mapping[str, Any]) -> FontFamily | None:
    """Return a typeface of the person's own files, if the document has one."""
    chosen = options.get(FONT)
    return chosen if isinstance(chosen, FontFamily) else None


def face(
    path: Path, characters: Iterable[str], features: Iterable[str] = (), *, is_web: bool
) -> bytes:
    """Return a face for the web, or for Word, with these characters; raises OSError."""
    # Nothing if its maker forbids that, it is damaged, or has other outlines than Word reads.
    import uharfbuzz as harfbuzz
    from fontTools.ttLib import TTFont, TTLibError

    wanted = harfbuzz.SubsetInput()
    wanted.flags = harfbuzz.SubsetFlags.NO_HINTING | harfbuzz.SubsetFlags.NOTDEF_OUTLINE
    wanted.unicode_set.update(set(map(ord, {*characters})))
    wanted.layout_feature_tag_set.clear()
    wanted.layout_feature_tag_set.update(
        {int.from_bytes(name.encode("ascii"), "big") for name in features}
    )
    wanted.name_id_set.clear()
    wanted.name_id_set.update(set(_LEGAL if is_web else _NAMES))
    try:
        with TTFont(path) as whole:
            if whole["OS/2"].fsType & 0x2 or not (is_web or "glyf" in whole):
                return b""
        held = harfbuzz.Face(harfbuzz.Blob(path.read_bytes()))
        data = bytes(harfbuzz.subset(held, wanted).blob.data)
        font, packed = TTFont(io.BytesIO(data), recalcTimestamp=False), io.BytesIO()
        font.flavor = "woff" if is_web else None
        font.save(packed)
        return packed.getvalue()
    except (TTLibError, RuntimeError, ValueError, LookupError, TypeError, AttributeError,
            AssertionError, struct.error, ArithmeticError, EOFError):  # fmt: skip
        return b""
