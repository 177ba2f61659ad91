"""Small PDFs for tests, made object by object."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Pdf

Change = Callable[[Pdf], None]


def page_of(content: bytes, *changes: Change, **options: object) -> bytes:
    """A PDF of one page with this content stream and a font /F1 that is not embedded.

    The options are those of pikepdf for saving it.
    """
    document = Pdf.new()
    document.add_blank_page(page_size=(595, 842))
    page = document.pages[0]
    page.Contents = document.make_stream(content)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.Resources = Dictionary(Font=Dictionary(F1=document.make_indirect(font)))
    for change in changes:
        change(document)
    made = io.BytesIO()
    document.save(made, **{"deterministic_id": True, **options})  # type: ignore[arg-type]
    return made.getvalue()


def line(text: str) -> bytes:
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
    return annotation(Dictionary(S=Name.URI, URI=pikepdf.String(url)))


def put(place: str, **keys: object) -> Change:
    """Puts keys into the catalog, the root of the pages, or the first page."""

    def change(document: Pdf) -> None:
        places = {"catalog": document.Root, "pages": document.Root.Pages}
        there: Any = places.get(place, document.pages[0].obj)
        there.update(Dictionary({f"/{key}": value for key, value in keys.items()}))

    return change


def chain(document: Pdf) -> None:
    """Objects in objects, 100,000 deep: qpdf's own copying would end the process."""
    one = document.make_indirect(Dictionary(End=1))
    for _ in range(100_000):
        one = document.make_indirect(Dictionary(Group=one))
    document.pages[0].obj.Resources.Properties = Dictionary(X=one)
