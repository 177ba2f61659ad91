"""Makes small tagged PDFs for tests: each line stands exactly where the test says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

#: Points of A4.
WIDTH, HEIGHT = 595, 842


@dataclass(frozen=True)
class Line:
    """A line of text: its baseline and left edge in pt from the page's bottom left, its page."""

    text: str
    base: float
    left: float = 60
    page: int = 0
    size: float = 10


@dataclass(frozen=True)
class Element:
    """An element of the structure: a role, and lines or elements in it."""

    role: str
    inside: Sequence[Line | Element]


def write(path: Path, elements: Sequence[Element]) -> Path:
    """Write a PDF with these elements in Helvetica; return its path."""
    pdf = pikepdf.new()
    drawn: dict[int, list[str]] = defaultdict(list)
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )
    count = 1 + max(line.page for one in elements for line in _lines(one))
    for _ in range(count):
        page = pdf.add_blank_page(page_size=(WIDTH, HEIGHT))
        page.obj.Resources = Dictionary(Font=Dictionary(F1=font))

    def made(one: Line | Element) -> Any:
        if isinstance(one, Element):
            kids = Array([made(child) for child in one.inside])
            return pdf.make_indirect(
                Dictionary(Type=Name.StructElem, S=Name(f"/{one.role}"), K=kids)
            )
        number = len(drawn[one.page])
        text = one.text.encode("cp1252").hex()
        place = f"1 0 0 1 {one.left} {one.base} Tm <{text}> Tj"
        drawn[one.page].append(f"/P <</MCID {number}>> BDC BT /F1 {one.size} Tf {place} ET EMC")
        return Dictionary(Type=Name.MCR, Pg=pdf.pages[one.page].obj, MCID=number)

    top = made(Element("Document", elements))
    pdf.Root.StructTreeRoot = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=top))
    for number, page in enumerate(pdf.pages):
        page.obj.Contents = pdf.make_stream("\n".join(drawn[number]).encode())
    pdf.save(path)
    return path


def _lines(one: Line | Element) -> list[Line]:
    if isinstance(one, Line):
        return [one]
    return [line for child in one.inside for line in _lines(child)]
