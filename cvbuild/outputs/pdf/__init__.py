"""What a PDF must hold: the texts and links that were printed, and what its document promises.

A block is what is between two ``id=`` of the .tex; the head of the document is the first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field

from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.model import rich_text
from cvbuild.outputs.checks import Secret
from cvbuild.view.types import Address, Content

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


def links(printed: Iterable[Content | Address]) -> tuple[PrintedLink, ...]:
    """Return the links among what was printed, also those inside of texts.

    An address belongs to the field of the next text, or of the last one if none follows.
    """
    pending: list[str] = []
    printed_links: list[PrintedLink] = []
    path: FieldPath = ()
    for part in printed:
        if isinstance(part, Address):
            pending.append(part.url)
            continue
        path = part.path
        inside = (link.url for link in rich_text.links(part.nodes))
        printed_links += [PrintedLink(url, path) for url in (*pending, *inside)]
        pending = []
    return (*printed_links, *(PrintedLink(url, path) for url in pending))


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

    def texts(self) -> tuple[Content, ...]:
        """Return all texts that are in the metadata."""
        subject = (self.subject,) if self.subject else ()
        return (self.title, self.author, *subject, *self.keywords)


def pdf_date(epoch: int) -> str:
    """Return ``epoch``, in seconds since 1970, as PDF writes it: D:20240101000000Z."""
    moment = dt.datetime.fromtimestamp(epoch, dt.UTC)
    return f"D:{moment:%Y%m%d%H%M%S}Z"
