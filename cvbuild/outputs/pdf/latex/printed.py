"""The texts and links that the templates printed, block by block: what a PDF must show.

A block is what is between two ``id=`` of the .tex; the head of the document is the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import rich_text
from cvbuild.view.types import Address, Content


@dataclass(frozen=True, slots=True)
class PrintedLink:
    """A link that was printed, and the field of its text."""

    url: str
    path: FieldPath


@dataclass(frozen=True, slots=True)
class PrintedBlock:
    """Texts that belong together, in any order; ``id`` is empty for the head."""

    id: str
    contents: tuple[Content, ...] = ()
    links: tuple[PrintedLink, ...] = ()


def links(printed: Iterable[Content | Address]) -> tuple[PrintedLink, ...]:
    """Return the links among what was printed, also those inside of texts.

    An address belongs to the field of the next text, or of the last one if none follows.
    """
    pending: list[str] = []
    found: list[PrintedLink] = []
    path: FieldPath = ()
    for one in printed:
        if isinstance(one, Address):
            pending.append(one.url)
            continue
        path = one.path
        inside = (link.url for link in rich_text.links(one.nodes))
        found += [PrintedLink(url, path) for url in (*pending, *inside)]
        pending = []
    return (*found, *(PrintedLink(url, path) for url in pending))
