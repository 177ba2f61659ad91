"""Small PDFs for tests, made object by object."""

from __future__ import annotations

import io
from collections.abc import Callable

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf

Change = Callable[[Pdf], None]


def page_of(content: bytes, *changes: Change) -> bytes:
    """A PDF of one page with this content stream and a font /F1 that is not embedded."""
    document = Pdf.new()
    document.add_blank_page(page_size=(595, 842))
    page = document.pages[0]
    page.Contents = document.make_stream(content)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.Resources = Dictionary(Font=Dictionary(F1=document.make_indirect(font)))
    for change in changes:
        change(document)
    made = io.BytesIO()
    document.save(made, deterministic_id=True)
    return made.getvalue()


def line(text: str) -> bytes:
    """The content of a page that shows one line."""
    return b"BT /F1 12 Tf 72 700 Td (" + text.encode("latin-1") + b") Tj ET"


def annotation(action: Dictionary, subtype: str = "/Link") -> Change:
    """Puts an annotation with this action on the first page."""

    def change(document: Pdf) -> None:
        one = Dictionary(
            Type=Name.Annot, Subtype=Name(subtype), Rect=Array([72, 700, 100, 712]), A=action
        )
        page = document.pages[0].obj
        if "/Annots" not in page:
            page.Annots = Array([])
        page.Annots.append(document.make_indirect(one))

    return change


def link(url: str) -> Change:
    """Puts a link on the first page."""
    return annotation(Dictionary(S=Name.URI, URI=pikepdf.String(url)))
