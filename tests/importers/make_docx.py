"""Make documents in Word's format that nobody should read: ``python tests/importers/make_docx.py``.

Those of ``examples`` are changed with a word processor.
"""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import docx

BAD = Path(__file__).parent / "bad"
#: What a ZIP says of the time; Word writes this one, too.
_DAY = (1980, 1, 1, 0, 0, 0)


def packed(path: Path, parts: dict[str, bytes]) -> None:
    """Write an archive with these parts in place of those of a document."""
    made = BytesIO()
    document = docx.Document()
    document.add_paragraph("Ada Example")
    document.save(made)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made) as source, zipfile.ZipFile(path, "w") as target:
        for name in sorted({*source.namelist(), *parts}):
            data = parts.get(name) or source.read(name)
            target.writestr(zipfile.ZipInfo(name, _DAY), data, zipfile.ZIP_DEFLATED)


def broken() -> None:
    """Write all of them."""
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    before, after = b"<w:document " + space + b"><w:body>", b"</w:body></w:document>"
    table, end = b"<w:tbl><w:tr><w:tc>", b"</w:tc></w:tr></w:tbl>"
    text = b"<w:p><w:r><w:t>Ada</w:t></w:r></w:p>"
    entity = b'<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    for name, content in {
        "docx-with-a-bomb": before + b" " * (20 << 20) + after,
        "docx-too-large": before + b" " * (5 << 20) + after,
        "docx-with-entities": entity + before + text.replace(b"Ada", b"&b;") + after,
        "docx-with-deep-tables": before + table * 5_000 + text + end * 5_000 + after,
        "docx-cut-off": before + text,
        "docx-without-text": before + after,
    }.items():
        packed(BAD / name / "given.docx", {"word/document.xml": content})


def of_odd_parts() -> None:
    """Write elements that editors make, and what only a note can tell."""
    names = "wordprocessingml/2006/main", "markup-compatibility/2006"
    w, mc = (f"http://schemas.openxmlformats.org/{name}" for name in names)
    space = f'xmlns:w="{w}" xmlns:mc="{mc}"'

    def told(text: str, properties: str = "") -> str:
        runs = text if text.startswith("<") else f"<w:r><w:t>{text}</w:t></w:r>"
        return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"

    def row(*texts: str) -> str:
        return f"<w:tr>{''.join(f'<w:tc>{told(text)}</w:tc>' for text in texts)}</w:tr>"

    title, outlined = '<w:pStyle w:val="Band"/>', '<w:outlineLvl w:val="0"/>'
    sign = '<w:r><w:sym w:font="Symbol" w:char="F0B7"/></w:r>'
    field = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    box = f"<w:drawing><w:txbxContent>{told('In a box')}</w:txbxContent></w:drawing>"
    body = [
        told("Ada Example", title),
        told("Experience", title),
        f"<w:sdt><w:sdtContent>{told('Engineer, Example Works, 2019')}</w:sdtContent></w:sdt>",
        told(f"{sign}<w:r><w:t> Built it</w:t></w:r>"),
        told(f"<w:r><w:tab/><w:t>Part</w:t><w:noBreakHyphen/><w:t>time</w:t><w:tab/></w:r>{sign}"),
        told("<w:r><w:rPr><w:vanish/></w:rPr><w:t>Hidden</w:t></w:r>"),
        told(
            f"{field.format('begin')}<w:r><w:instrText> PAGE </w:instrText><w:t>none</w:t></w:r>"
            f"{field.format('separate')}<w:r><w:t>Page</w:t></w:r>{field.format('end')}"
        ),
        told("Education", outlined),
        f"<w:tbl>{row('2012', 'BSc Physics, Sample University')}{row('', '')}<w:sdt><w:sdtContent>",
        f"{row('2014', 'MSc Physics, Example University')}</w:sdtContent></w:sdt></w:tbl>",
        told(f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice></mc:AlternateContent>"),
    ]
    style = f'<w:style w:type="paragraph" w:styleId="Band"><w:pPr>{outlined}</w:pPr></w:style>'
    parts = {
        "word/document.xml": f"<w:document {space}><w:body>{''.join(body)}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {space}>{style}</w:styles>",
        "word/footnotes.xml": f"<w:footnotes {space}><w:footnote>{told('In a footnote')}"
        "</w:footnote></w:footnotes>",
        "word/footer1.xml": "<w:ftr",
        "word/embeddings/sheet.xlsx": "A sheet",
    }
    packed(BAD / "docx-of-odd-parts/given.docx", {k: text.encode() for k, text in parts.items()})


if __name__ == "__main__":
    broken()
    of_odd_parts()
