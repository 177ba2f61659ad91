"""The texts of a view, and which of them a file lacks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.positions import quoted
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import rich_text
from cvbuild.outputs.checks import text_folding
from cvbuild.view.types import Content, Document, Item

#: Fields of a view that are not shown: labels that not every style needs, metadata, alternative
#: texts, tags for the selection.
_NOT_SHOWN = ("words", "keywords", "alt", "signature", "tags")
#: At most this many lost texts are reported.
_MANY = 12
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})


def contents(document: Document) -> Iterator[Content]:
    """Yield every text that a reader of the document must find, in order."""
    letter = document.letter
    unseen = [letter.title] if letter else []
    if letter and not letter.enclosures:
        unseen.append(letter.label)
    for one in walk((document.header, document.sections, letter)):
        if not any(one is other for other in unseen):
            yield one


def walk(value: object) -> Iterator[Content]:
    """Yield the texts in a part of a view."""
    if isinstance(value, Content):
        yield value
    elif isinstance(value, Item):
        # An item's keywords are shown; those of a document are for search.
        for name, inner in value.fields.items():
            if name != "tags":
                yield from walk(inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from walk(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from walk(inner)
    elif dataclasses.is_dataclass(value):
        for part in dataclasses.fields(value):
            if part.name not in _NOT_SHOWN:
                yield from walk(getattr(value, part.name))


def lost(text: str, expected: Iterable[Content], source: Source) -> tuple[Diagnostic, ...]:
    """Return an error for each of the ``expected`` texts that ``text`` lacks; case is ignored.

    Each part in another style is looked for alone: the address of a link comes after its words.
    """
    whole = _plain(text)
    found = [
        Diagnostic(
            "error",
            "text-lost",
            f"the file lacks {quoted(words)}",
            source.span(one.path),
            "this is a bug in the output format, not in your file: please report it",
        )
        for one in expected
        for words in _parts(one.nodes)
        if _plain(words) not in whole
    ]
    return tuple(found[:_MANY])


def _parts(nodes: Iterable[rich_text.Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, rich_text.Span | rich_text.Link):
            yield from _parts(node.children)
        else:
            yield rich_text.plain((node,))


def _plain(text: str) -> str:
    return text_folding.fold(text.casefold().translate(_QUOTES)).letters
