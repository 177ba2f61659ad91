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


if __name__ == "__main__":
    broken()
