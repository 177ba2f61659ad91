"""Faces with the letters that a document needs, to be put into its file.

The licences of all typefaces allow this; a font of a person's own is left out if its own doesn't.
A face for the web has no name but its copyright and licence: a changed font may not have a name
that is reserved.
"""

from __future__ import annotations

import base64
import contextlib
import io
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from cvbuild.common import user_cache
from cvbuild.common.store import Store, name_of
from cvbuild.outputs.pdf.fonts import typefaces
from cvbuild.outputs.styles.manifests import FONT

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

#: How far a curve may be from the face's own, in thousandths of an em.
_NEAR = 0.5
#: Records of names: copyright, trademark, licence and its address.
_LEGAL = (0, 7, 13, 14)
#: Records of names that OpenType knows by number.
_NAMES = range(26)


class Form(Struct, frozen=True):
    """What a face is for: the features that stay, and whether it is packed for the web."""

    features: tuple[str, ...] = ()
    is_web: bool = False


#: Word takes TrueType outlines only, and applies no features unless it is told to.
WORD = Form()


def typeface(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files of a document's typeface: regular, italic, bold, both; empty if not here."""
    name = str(options.get(FONT, ""))
    known = own(options) or (typefaces.find(name) if name in typefaces.TYPEFACES else None)
    return known.paths[:4] if known else ()


def own(options: Mapping[str, Any]) -> typefaces.Found | None:
    """Return a typeface of the person's own files, if the document has one."""
    chosen = options.get(FONT)
    return chosen if isinstance(chosen, typefaces.Found) else None


def faces(paths: Iterable[Path], characters: Iterable[str], form: Form) -> tuple[bytes, ...]:
    """Return these faces with these characters, none if one forbids that; raises OSError."""
    letters = "".join(sorted({*characters}))
    found = tuple(_face(path, letters, form) for path in paths)
    return found if all(found) else ()


def _face(path: Path, letters: str, form: Form) -> bytes:
    """Return a face with these letters; nothing if its maker forbids that, or it is damaged."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with TTFont(path) as whole:
            if whole["OS/2"].fsType & 0x2:
                return b""
            is_quadratic = "glyf" in whole
        data = path.read_bytes() if form.is_web or is_quadratic else _truetype(path)
        font = TTFont(io.BytesIO(_subset(data, letters, form)), recalcTimestamp=False)
        font.flavor = "woff" if form.is_web else None
        return _saved(font)
    except (TTLibError, RuntimeError, ValueError, LookupError, TypeError, AttributeError,
            AssertionError, struct.error, ArithmeticError, EOFError):  # fmt: skip
        return b""


def _saved(font: TTFont) -> bytes:
    packed = io.BytesIO()
    font.save(packed)
    return packed.getvalue()


def _subset(data: bytes, letters: str, form: Form) -> bytes:
    """Return an OpenType font with these letters; raises RuntimeError for a damaged one."""
    import uharfbuzz as harfbuzz

    wanted = harfbuzz.SubsetInput()
    wanted.flags = harfbuzz.SubsetFlags.NO_HINTING | harfbuzz.SubsetFlags.NOTDEF_OUTLINE
    wanted.unicode_set.update(set(map(ord, letters)))
    wanted.layout_feature_tag_set.clear()
    wanted.layout_feature_tag_set.update(set(map(_tag, form.features)))
    wanted.name_id_set.clear()
    wanted.name_id_set.update(set(_LEGAL if form.is_web else _NAMES))
    if not form.features:
        wanted.drop_table_tag_set.update(set(map(_tag, ("GSUB", "GPOS", "GDEF"))))
    face = harfbuzz.Face(harfbuzz.Blob(data))
    return bytes(harfbuzz.subset(face, wanted).blob.data)


def _tag(name: str) -> int:
    return int.from_bytes(name.encode("ascii"), "big")


def _truetype(path: Path) -> bytes:
    """Return a face with TrueType's outlines, kept in the user's cache: that takes a second."""
    from fontTools.ttLib import TTFont

    state = path.stat()
    store = Store(user_cache.folder() / "truetype")
    name = name_of(str(path), state.st_mtime_ns, state.st_size)
    if (kept := store.get(name)) is not None:
        return base64.b64decode(kept)
    font = TTFont(path, recalcTimestamp=False)
    _to_truetype(font)
    made = _saved(font)
    with contextlib.suppress(OSError):
        store.put(name, base64.b64encode(made).decode())
    return made


def _to_truetype(font: TTFont) -> None:
    """Turn the outlines of a face from cubic curves into TrueType's quadratic ones."""
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib import newTable

    near = _NEAR * font["head"].unitsPerEm / 1000
    glyphs, drawn = font.getGlyphSet(), {}
    for name in font.getGlyphOrder():
        pen = TTGlyphPen(None)
        glyphs[name].draw(Cu2QuPen(pen, near, reverse_direction=True))
        drawn[name] = pen.glyph()
    font["loca"], font["glyf"] = newTable("loca"), newTable("glyf")
    font["glyf"].glyphOrder, font["glyf"].glyphs = font.getGlyphOrder(), drawn
    for name, glyph in drawn.items():
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = (font["hmtx"][name][0], getattr(glyph, "xMin", 0))
    most = font["maxp"]
    most.tableVersion = 0x00010000
    for field in ("Zones", "TwilightPoints", "Storage", "FunctionDefs", "InstructionDefs",
                  "StackElements", "SizeOfInstructions", "ComponentElements"):  # fmt: skip
        setattr(most, f"max{field}", 1 if field == "Zones" else 0)
    font["post"].formatType, font["post"].extraNames, font["post"].mapping = 2.0, [], {}
    font["post"].glyphOrder = font.getGlyphOrder()
    font.sfntVersion = "\x00\x01\x00\x00"
    del font["CFF "]
