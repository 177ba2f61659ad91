"""The fonts of a Word file: their names, and faces inside of it, so that lines end as counted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from xml.sax.saxutils import quoteattr

from cvbuild.outputs import face_subsets
from cvbuild.outputs.docx import measure
from cvbuild.outputs.docx.looks import Fonts
from cvbuild.outputs.docx.measure import Widths
from cvbuild.outputs.docx.styles import element

#: The faces of a typeface, in the order of its files.
_FACES = ("embedRegular", "embedItalic", "embedBold", "embedBoldItalic")
_ORDER = ("embedRegular", "embedBold", "embedItalic", "embedBoldItalic")
_TYPE = "application/vnd.openxmlformats-officedocument.obfuscatedFont"
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/font"
_SPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
#: Characters that stay for whoever edits the file: Latin, and the usual punctuation.
_KEPT = (*range(0x20, 0x180), *range(0x2010, 0x2040), 0x20AC, 0x2122, 0x25AA)
#: As many bytes are hidden by the key.
_HIDDEN = 32


def widths(options: Mapping[str, Any]) -> Widths:
    """Return what measures texts in the typeface of a document."""
    found = face_subsets.typeface(options)
    return measure.widths(found[0], found[2]) if found else Widths()


def faces(options: Mapping[str, Any], characters: str) -> dict[str, bytes]:
    """Return the faces of the typeface by their place in Word's table, with these letters."""
    wanted = characters + "".join(map(chr, _KEPT))
    held = face_subsets.faces(face_subsets.typeface(options), wanted, face_subsets.WORD)
    return dict(zip(_FACES, held, strict=True)) if held else {}


def name(document: Any, fonts: Fonts, held: Mapping[str, bytes]) -> None:
    """Name the font of a document and what stands in for it; put its faces into the file."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    table = document.part.part_related_by(RELATIONSHIP_TYPE.FONT_TABLE)
    family = "roman" if fonts.has_serifs else "swiss"
    faces = "".join(_added(document, table, held))
    table._blob = (  # noqa: SLF001 - python-docx has no class for this part
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        f"<w:fonts {_SPACES}><w:font w:name={quoteattr(fonts.name)}>"
        f"<w:altName w:val={quoteattr(fonts.substitute)}/>"
        f'<w:family w:val="{family}"/><w:pitch w:val="variable"/>{faces}</w:font></w:fonts>'
    ).encode()
    if faces:
        zoom = document.settings.element.xpath("w:zoom")[0]
        zoom.addnext(element("<w:embedTrueTypeFonts/>"))


def _added(document: Any, table: Any, held: Mapping[str, bytes]) -> Iterator[str]:
    """Add faces to the file; yield what the table of fonts says of each."""
    from docx.opc.packuri import PackURI
    from docx.opc.part import Part

    for number, place in enumerate(sorted(held, key=_ORDER.index), 1):
        digits = hashlib.sha256(held[place]).hexdigest()[:32].upper()
        key = "-".join(digits[at:to] for at, to in pairwise((0, 8, 12, 16, 20, 32)))
        path = PackURI(f"/word/fonts/font{number}.odttf")
        part = Part(path, _TYPE, _hidden(held[place], digits), document.part.package)
        ident = table.relate_to(part, _RELATION)
        yield f'<w:{place} r:id="{ident}" w:fontKey="{{{key}}}"/>'


def _hidden(data: bytes, digits: str) -> bytes:
    """Return a font as Word stores it: its first bytes combined with the key, from its end."""
    key = bytes.fromhex(digits)[::-1]
    head = bytes(one ^ key[at % len(key)] for at, one in enumerate(data[:_HIDDEN]))
    return head + data[_HIDDEN:]
