"""What a document was told to show: the texts and links that templates printed, block by block.

A block is what stands between two ``id=`` of the .tex; the head of the document is the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic_core import PydanticCustomError

from cvbuild import richtext
from cvbuild.diagnostics import FieldPath, Span
from cvbuild.model.dates import Date
from cvbuild.source import Hidden
from cvbuild.urls import UrlError
from cvbuild.view import Address, Content
from cvbuild.words.dates import date_text

#: The path of the text that stands at the foot of every page.
FOOTER: FieldPath = ("options", "footer")
#: The paths of the texts that say what a picture shows: for screen readers, not on the page.
PICTURE: FieldPath = ("photo",)
SIGNATURE: FieldPath = ("letter", "signature")


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


@dataclass(frozen=True, slots=True)
class Secret:
    """A text of a field that is private, so not in the document.

    ``span`` is its place if the path doesn't lead there: what was taken out has none any more.
    """

    text: str
    path: FieldPath
    span: Span | None = None


def targets(printed: Iterable[Content | Address]) -> tuple[Target, ...]:
    """The links among what was printed, those inside of texts too.

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
        inside = (link.url for link in richtext.links(one.nodes))
        found += [Target(url, path) for url in (*waiting, *inside)]
        waiting = []
    return (*found, *(Target(url, path) for url in waiting))


def secrets(hidden: Iterable[Hidden], locale: str) -> tuple[Secret, ...]:
    """Every text that ``privacy`` took out, as it was written and as the document would show it.

    Years and months are in any document, so they are none.
    """
    return tuple(
        Secret(text, one.path, one.span)
        for one in hidden
        for written in one.texts
        for text in dict.fromkeys(_forms(written, locale))
    )


def _forms(written: str, locale: str) -> Iterator[str]:
    try:
        date = Date.of(written)
    except PydanticCustomError:
        date = None
    if date is not None and date.start is not None:
        if date.start.day:
            yield written
            yield date_text(date, locale)
        return
    yield written
    try:
        nodes = richtext.parse(written)
    except UrlError:
        return
    yield richtext.plain(nodes)
    yield from (link.url for link in richtext.links(nodes))
