"""The finished PDF of pages with marks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from marked import EPOCH, IDENT, about, pages_of
from pdfs import Change
from trees import Element, tree

from cvbuild.outputs.pdf import finish

Finish = Callable[..., bytes]


@pytest.fixture
def finished() -> Finish:
    """``finished(content, ..., changes=(), **about)``: a PDF of pages with these contents."""

    def make(*contents: str, changes: tuple[Change, ...] = (), **fields: object) -> bytes:
        made = pages_of([one.encode("latin-1") for one in contents], *changes)
        return finish.finish(made, about(**fields), EPOCH, IDENT)

    return make


@pytest.fixture
def shape(finished: Finish) -> Callable[..., list[object]]:
    """The same, as roles and texts of the Document's children."""

    def make(*contents: str, **fields: object) -> list[object]:
        top: Element = tree(finished(*contents, **fields))
        return [child.short() for child in top.children if isinstance(child, Element)]

    return make
