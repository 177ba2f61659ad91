"""A document for TeX, and what its PDF must hold: all that was printed, and what it promises.

A block is what is between two ``id=`` of the .tex; the head of the document is the first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct, field

from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.outputs.checks import Secret
from cvbuild.view.types import Content, Document

#: A last page that is less full is nearly empty.
STUB = 0.25


class PrintedLink(Struct, frozen=True):
    """A link that was printed, and the field of its text."""

    url: str
    path: FieldPath


class PrintedBlock(Struct, frozen=True):
    """Texts that belong together, in any order; ``id`` is empty for the head."""

    id: str
    contents: tuple[Content, ...] = ()
    links: tuple[PrintedLink, ...] = ()


class Job(Struct, frozen=True):
    """One document to typeset, and what its TeX was made from.

    ``folder`` is a fresh private working folder that the caller made; ``cache`` is shared by
    builds. ``inputs`` are folders whose packages the document may load, ``assets`` are put into the
    folder under the given name. ``timeout`` is in seconds and holds for the whole job, not for one
    pass; ``epoch`` is SOURCE_DATE_EPOCH. ``head`` counts the lines of ``tex`` that are the same for
    all documents of a style, ``setup`` those up to and including ``\\begin{document}``; 0: not
    known. ``places`` are lines, from 1, in their order, each with a field that it was made from;
    ``preamble`` are the texts on every page, ``blocks`` what the ``document`` shows itself.
    """

    tex: str
    folder: Path = Path()
    cache: Path = Path()
    epoch: int = 0
    inputs: tuple[Path, ...] = ()
    assets: tuple[tuple[str, bytes], ...] = ()
    timeout: float = 60
    head: int = 0
    setup: int = 0
    document: Document | None = None
    places: tuple[tuple[int, FieldPath], ...] = ()
    preamble: tuple[Content, ...] = ()
    blocks: tuple[PrintedBlock, ...] = ()


class Expected(Struct, frozen=True):
    """What a PDF must hold.

    ``blocks`` in the document's order; ``preamble`` are its metadata and the footer of every page;
    ``pages`` the number of pages that the template promises, if it does; ``place`` finds a field in
    the person's file; ``rtl`` that the document runs from right to left; ``has_columns`` that there
    is a narrow column.
    """

    blocks: tuple[PrintedBlock, ...]
    preamble: tuple[Content, ...]
    pages: int | None
    secrets: tuple[Secret, ...]
    place: Callable[[FieldPath], Span | None]
    rtl: bool = False
    has_columns: bool = False

    @property
    def contents(self) -> list[Content]:
        """The texts of all blocks."""
        return [content for block in self.blocks for content in block.contents]


# -- what it says about itself ---------------------------------------------------------------------


#: The name of the attached file, a JSON Resume.
ATTACHMENT = "resume.json"


class About(Struct, frozen=True):
    """What a file says about itself; ``shows`` are its pictures' texts by the names of files."""

    title: Content
    author: Content
    subject: Content | None = None
    keywords: tuple[Content, ...] = ()
    language: str = "en"
    shows: Mapping[str, str] = field(default_factory=dict)
    attachment: bytes | None = None


def pdf_date(epoch: int) -> str:
    """Return ``epoch``, in seconds since 1970, as PDF writes it: D:20240101000000Z."""
    moment = dt.datetime.fromtimestamp(epoch, dt.UTC)
    return f"D:{moment:%Y%m%d%H%M%S}Z"
