"""What a document was told to show: the texts and links that templates printed, block by block.

A block is what stands between two ``id=`` of the .tex; the head of the document is the first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import rich_text
from cvbuild.view.types import Address, Content


@dataclass(frozen=True, slots=True)
class Target:
    """A link that was printed, and the field of the text beside it."""

    url: str
    path: FieldPath


@dataclass(frozen=True, slots=True)
class Block:
    """Texts that stand together, in any order; ``id`` is empty for the head."""

    id: str
    contents: tuple[Content, ...] = ()
    targets: tuple[Target, ...] = ()


def targets(printed: Iterable[Content | Address]) -> tuple[Target, ...]:
    """Return the links among what was printed, those inside of texts too.

    An address belongs to the field of the text that follows it, or to that of the one before.
    """
    waiting: list[str] = []
    found: list[Target] = []
    path: FieldPath = ()
    for one in printed:
        if isinstance(one, Address):
            waiting.append(one.url)
            continue
        path = one.path
        inside = (link.url for link in rich_text.links(one.nodes))
        found += [Target(url, path) for url in (*waiting, *inside)]
        waiting = []
    return (*found, *(Target(url, path) for url in waiting))
