"""Make the examples in Word's format: ``python tests/importers/make_word_examples.py``.

Each has the shape of a template or of a habit that people have; all facts are invented. What a
file says is in ``written.txt`` beside it: a line is a paragraph; two blanks follow the style or the
size of one, and a backslash ends a line that goes on in the same paragraph. ``[Table Grid]`` begins
a table of that style, ``[box 0 0 150 22]`` a box of these mm, ``[]`` ends both; ``|`` is between
cells, ``---`` between rows.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt

EXAMPLES = Path(__file__).parent / "examples"
#: What a ZIP says of the time; Word writes this one, too.
_DAY = (1980, 1, 1, 0, 0, 0)
_STYLES = {"#": "Heading 1", "##": "Heading 2", "###": "Heading 3", "-": "List Bullet",
           "--": "List Bullet 2", "1.": "List Number", "T": "Title", "S": "Subtitle",
           **{own: own for own in ("Band", "Titre de rubrique", "Poste")}}  # fmt: skip
_PIECES = re.compile(r"(\*\*[^*]+\*\*|\*[^*]+\*)")
_BLOCK = re.compile(r"^\[([^\]\n]+)\]\n(.*?)\n\[\]\n", re.MULTILINE | re.DOTALL)


def runs(paragraph: Any, text: str, size: float = 0) -> Any:
    """Add a text: **bold**, *slanted*."""
    for piece in _PIECES.split(text):
        if piece:
            run = paragraph.add_run(piece.strip("*"))
            run.bold = piece.startswith("**") or None
            run.italic = (piece.startswith("*") and not piece.startswith("**")) or None
            run.font.size = Pt(size) if size else None
    return paragraph


def write(where: Any, text: str) -> None:
    """Add the lines of a text as paragraphs."""
    begun: Any = None
    for line in text.strip("\n").split("\n"):
        mark, _, rest = line.partition("  ")
        size = re.fullmatch(r"(\d+)pt", mark)
        paragraph = begun or where.add_paragraph(style=_STYLES.get(mark))
        goes_on = line.endswith("\\")
        said = (rest if size or mark in _STYLES else line).removesuffix("\\")
        runs(paragraph, said, float(size[1]) if size else 0)
        if goes_on:
            paragraph.runs[-1].add_break()
        begun = paragraph if goes_on else None


def table(document: Any, text: str, style: str) -> None:
    """Add a table; a line of a cell is a paragraph of it."""
    rows = [row.split("\n|\n") for row in text.split("\n---\n")]
    made = document.add_table(len(rows), len(rows[0]), style=style)
    for row, texts in zip(made.rows, rows, strict=True):
        for cell, inner in zip(row.cells, texts, strict=True):
            write(cell, inner)
            first = cell.paragraphs[0]
            first._element.getparent().remove(first._element)


_BOX = """<w:r {}><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"
 xmlns:v="urn:schemas-microsoft-com:vml"><mc:Choice Requires="wps"><w:drawing><wp:anchor distT="0"
 distB="0" distL="0" distR="0" simplePos="0" relativeHeight="1" behindDoc="0" locked="0"
 layoutInCell="1" allowOverlap="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin">
 <wp:posOffset>{x}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="margin">
 <wp:posOffset>{y}</wp:posOffset></wp:positionV><wp:extent cx="{w}" cy="{h}"/>
 <wp:wrapSquare wrapText="bothSides"/>
 <wp:docPr id="{id}" name="Box {id}"/><wp:cNvGraphicFramePr/><a:graphic><a:graphicData
 uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr
 txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{w}" cy="{h}"/></a:xfrm><a:prstGeom
 prst="rect"><a:avLst/></a:prstGeom></wps:spPr><wps:txbx><w:txbxContent>{text}</w:txbxContent>
 </wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>
 <mc:Fallback><w:pict><v:textbox><w:txbxContent>{text}</w:txbxContent></v:textbox></w:pict>
 </mc:Fallback></mc:AlternateContent></w:r>"""


def box(paragraph: Any, text: str, place: list[int], number: int) -> None:
    """Anchor a box with a text, which Word writes in two forms, at x, y, width, height in mm."""
    lines = text.strip("\n").split("\n")
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    inner = "".join(
        f"<w:p>{style * line.startswith('#')}<w:r><w:t>{line.lstrip('# ')}</w:t></w:r></w:p>"
        for line in lines
    )
    x, y, width, height = (length * 36_000 for length in place)
    xml = _BOX.format(nsdecls("w"), x=x, y=y, w=width, h=height, id=number, text=inner)
    paragraph._element.append(parse_xml(xml))


def of_text(document: Any, text: str) -> None:
    """Add all that a ``written.txt`` says; boxes hang on an empty paragraph."""
    plain, *blocks = _BLOCK.split(text)
    if plain:
        write(document, plain)
    anchor = document.add_paragraph() if "[box " in text else None
    for at in range(0, len(blocks), 3):
        name, inner, after = blocks[at : at + 3]
        if name.startswith("box "):
            box(anchor, inner, [int(length) for length in name.split()[1:]], at // 3 + 1)
        else:
            table(document, inner, name)
        if after:
            write(document, after)


def save(name: str, document: Any) -> None:
    """Write an example; the same text gives the same bytes."""
    made = BytesIO()
    document.save(made)
    path = EXAMPLES / name / "given.docx"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w") as target:
        for entry in sorted(source.namelist()):
            data = source.read(entry)
            if entry != "docProps/thumbnail.jpeg":
                target.writestr(zipfile.ZipInfo(entry, _DAY), data, zipfile.ZIP_DEFLATED)
            else:
                target.writestr(zipfile.ZipInfo(entry, _DAY), b"")


def with_ruled_titles(document: Any) -> None:
    """An own style for titles, with a rule below."""
    style = document.styles.add_style("Band", WD_STYLE_TYPE.PARAGRAPH)
    style.font.size, style.font.all_caps = Pt(12), True
    rule = '<w:pBdr {}><w:bottom w:val="single" w:sz="6"/></w:pBdr>'.format(nsdecls("w"))
    style.element.get_or_add_pPr().append(parse_xml(rule))


def with_fields(document: Any) -> None:
    """Own names of styles, links as fields, the contact in the page's header."""
    for name, base in (("Titre de rubrique", "Heading 1"), ("Poste", "Heading 2")):
        style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = document.styles[base]
    header = document.sections[0].header.paragraphs[0]
    header.text = "3 rue de l’Exemple, 75001 Paris · +33 1 99 00 12 34 · "
    for kind, text in (("begin", ""), ("", ' HYPERLINK "mailto:chloe@example.org" '),
                       ("separate", ""), ("shown", "chloe@example.org"), ("end", "")):  # fmt: skip
        inner = f"<w:t>{text}</w:t>" if kind == "shown" else (
            f'<w:fldChar w:fldCharType="{kind}"/>' if kind else f"<w:instrText>{text}</w:instrText>"
        )  # fmt: skip
        header._element.append(parse_xml(f"<w:r {nsdecls('w')}>{inner}</w:r>"))


#: What a document has before its text.
_BEFORE: dict[str, Callable[[Any], None]] = {
    "docx-of-ruled-titles": with_ruled_titles,
    "docx-of-fields": with_fields,
}

if __name__ == "__main__":
    for source in sorted(EXAMPLES.glob("*/written.txt")):
        made = docx.Document()
        _BEFORE.get(source.parent.name, lambda _: None)(made)
        of_text(made, source.read_text(encoding="utf-8"))
        save(source.parent.name, made)
