"""Pages as TeX writes them, with marks, before and after they are finished."""

from __future__ import annotations

import io
from typing import Any

import pikepdf
from pdfs import Change, page_of
from pikepdf import Array, Dictionary, Name, String

from cvbuild.model.rich_text import Text
from cvbuild.outputs.pdf import About
from cvbuild.view.types import Content

EPOCH, IDENT = 1_700_000_000, "0123456789abcdef" * 4


def about(**fields: object) -> About:
    """What a small document says about itself."""
    name = Content((Text("Ada Example"),), ("name",))
    values: dict[str, object] = {"title": name, "author": name, "language": "en-GB"}
    return About(**(values | fields))  # type: ignore[arg-type]


def pages_of(contents: list[bytes], *changes: Change) -> bytes:
    """A PDF of several pages with these contents; ``changes`` are made to the whole."""
    whole = pikepdf.open(io.BytesIO(page_of(contents[0])))
    for content in contents[1:]:
        with pikepdf.open(io.BytesIO(page_of(content))) as other:
            whole.pages.extend(other.pages)
    for change in changes:
        change(whole)
    made = io.BytesIO()
    whole.save(made)
    whole.close()
    return made.getvalue()


END = "EMC\n"
ARTIFACT = "/Artifact BMC\n"
#: A rule as TeX draws it.
RULE = "q\n1 0 0 1 72 690 cm\n0 0 100 0.4 re f\nQ\n"


def begin(number: int, path: str) -> str:
    return f"/Cvb<</N {number}/P({path})>>BDC\n"


def text(words: str) -> str:
    return f"BT\n/F1 12 Tf 72 700 Td ({words}) Tj\nET\n"


def link(target: str, path: str, words: str, page: int = 0) -> Change:
    """An annotation as TeX writes it for a link of cvbuild."""

    def change(document: pikepdf.Pdf) -> None:
        obj: Any = document.pages[page].obj
        one = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=Array([72, 700, 100, 712]),
            F=4,
            Border=Array([0, 0, 0]),
            CvbP=String(path),
            CvbT=String(words),
            A=Dictionary(Type=Name.Action, S=Name.URI, URI=String(target)),
        )
        if "/Annots" not in obj:
            obj.Annots = Array([])
        obj.Annots.append(document.make_indirect(one))

    return change
