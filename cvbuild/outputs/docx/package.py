"""The ZIP of a Word file: what python-docx adds is taken out, and the same gives the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
#: Parts of python-docx's own file that no document needs, by the end of their relation's type.
_UNUSED = ("/customXml", "/stylesWithEffects", "/thumbnail", "/webSettings", "/theme")
#: The first moment that a ZIP can tell.
_MOMENT = (1980, 1, 1, 0, 0, 0)
#: Attributes that a reader may see: where links lead, their tips, what pictures show.
_SEEN = ("Target", f"{_WORD}tooltip", "descr")


def tidy(document: Any) -> None:
    """Take out the parts that python-docx puts into each file, and open it as one of today."""
    for rels in (document.part.rels, document.part.package.rels):
        for name in [name for name, rel in rels.items() if rel.reltype.endswith(_UNUSED)]:
            del rels[name]
    from docx.oxml import parse_xml

    settings = document.settings.element
    for old in settings.xpath("w:compat | w:rsids | w:themeFontLang | w:clrSchemeMapping"):
        settings.remove(old)
    space = _WORD.strip("{}")
    mode = parse_xml(
        f'<w:compat xmlns:w="{space}"><w:compatSetting w:name="compatibilityMode"'
        ' w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>'
    )
    places = settings.xpath(
        "w:footnotePr | w:endnotePr | w:characterSpacingControl | w:defaultTabStop"
    )
    places[-1].addnext(mode)


def repacked(content: bytes) -> bytes:
    """Return the same ZIP without any time or trace of the machine."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new,
    ):
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 0
            new.writestr(entry, old.read(name), compresslevel=9)
    return made.getvalue()


def text_of(content: bytes) -> str:
    """Return all text in the file: of paragraphs, links, pictures and properties."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(content)) as held:
        roots = [
            etree.fromstring(held.read(name))
            for name in held.namelist()
            if name.endswith((".xml", ".rels")) and not name.endswith("styles.xml")
        ]
    return "\n".join(line for root in roots for line in _lines(root) if line)


def _lines(root: Any) -> Iterator[str]:
    """Yield each paragraph as a line, after the tips of its links; and all other texts."""
    for one in root.iter():
        yield from (one.get(name, "") for name in _SEEN)
        if one.tag == f"{_WORD}p":
            yield "".join(map(_characters, one.iter()))
        elif isinstance(one.tag, str) and not one.tag.startswith(_WORD):
            yield one.text or ""


def _characters(one: Any) -> str:
    if one.tag in (f"{_WORD}tab", f"{_WORD}br"):
        return " "
    return (one.text or "") if one.tag == f"{_WORD}t" else ""
