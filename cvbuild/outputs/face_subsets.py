"""Faces with the letters that a document needs, to be put into its file; kept in the user's cache.

The licences of all typefaces allow this. A face for the web has no name but its copyright and
licence: a changed font may not have a name that is reserved.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild.common import sealed, user_cache
from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.fonts import typefaces
from cvbuild.outputs.styles.manifests import FONT

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

#: The version of the files in the cache: to be changed with the code that makes faces.
_FOLDER = "subsets-1"
#: The size of a file in the cache in bytes.
_MOST = 4 << 20
#: How long a face is kept, in seconds.
_OLD = 90 * 86400
#: How far a curve may be from the face's own, in thousandths of an em.
_NEAR = 0.5
#: Records of names: copyright, trademark, licence and its address.
_LEGAL = (0, 7, 13, 14)


@dataclass(frozen=True, slots=True)
class Form:
    """What a face is for: the features that stay, and whether it is packed for the web."""

    features: tuple[str, ...] = ()
    is_web: bool = False


#: Word takes TrueType outlines only, and applies no features unless it is told to.
WORD = Form()


def typeface(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the files of a document's typeface: regular, italic, bold, both; empty if not here."""
    name = str(options.get(FONT, ""))
    known = typefaces.find(name) if name in typefaces.TYPEFACES else None
    return known.paths[:4] if known else ()


def faces(paths: Iterable[Path], characters: Iterable[str], form: Form) -> tuple[bytes, ...]:
    """Return the faces of these files with these characters; nothing if one may not be embedded.

    Raises OSError if a file can't be read.
    """
    letters = "".join(sorted({*characters}))
    found = tuple(_face(path, letters, form) for path in paths)
    return found if all(found) else ()


def _face(path: Path, letters: str, form: Form) -> bytes:
    state = path.stat()
    key = repr((str(path), state.st_mtime_ns, state.st_size, letters, form))
    name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    kept = user_cache.folder() / _FOLDER / name[:32]
    try:
        text = sealed.unseal(safe_files.read(kept, _MOST, links=False).decode("ascii"))
        return base64.b64decode(text)
    except (OSError, ValueError):
        made = _sound(path, letters, form)
    with contextlib.suppress(OSError):
        kept.parent.mkdir(mode=0o700, exist_ok=True)
        safe_files.replace(kept, sealed.seal(base64.b64encode(made).decode()).encode())
        _tidy(kept)
    return made


def _tidy(newest: Path) -> None:
    """Remove the faces that were made long before the newest; raises OSError."""
    now = newest.stat().st_mtime
    for path in newest.parent.iterdir():
        if path.stat().st_mtime < now - _OLD:
            path.unlink(missing_ok=True)


def _sound(path: Path, letters: str, form: Form) -> bytes:
    """Return a face with these letters; nothing if it can't be made from a damaged font."""
    from fontTools.ttLib import TTLibError

    try:
        return _made(path, letters, form)
    except (TTLibError, ValueError, LookupError, TypeError, AttributeError, AssertionError,
            struct.error, OverflowError, RecursionError, EOFError):  # fmt: skip
        return b""


def _made(path: Path, letters: str, form: Form) -> bytes:
    """Return a face with these letters; nothing if its maker forbids that."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(path, recalcTimestamp=False)
    if font["OS/2"].fsType & 0x2:
        return b""
    options = subset.Options(hinting=False, notdef_outline=True, recalc_timestamp=False)
    options.layout_features = list(form.features)
    options.name_IDs = list(_LEGAL) if form.is_web else ["*"]
    options.drop_tables += ["FFTM"] if form.features else ["FFTM", "GSUB", "GPOS", "GDEF", "kern"]
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=map(ord, letters))
    chosen.subset(font)
    if form.is_web:
        font.flavor = "woff"
    elif "glyf" not in font:
        _to_truetype(font)
    held = io.BytesIO()
    font.save(held)
    return held.getvalue()


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
