"""Pages as TeX writes them, with marks, before and after they are finished."""

from __future__ import annotations

import io

import pikepdf
from pdfs import Change, page_of

from cvbuild.model.rich_text import Text
from cvbuild.outputs.pdf.about import About
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
