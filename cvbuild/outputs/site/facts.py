"""What the pages of everybody show of one person: a small file beside the person's own page.

Only what the public document shows is in it. It is JSON, and ``read`` takes back what ``written``
gave; the record of the document vouches for the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache

from anyascii import anyascii
from pydantic import TypeAdapter

from cvbuild.model.text import rich_text, urls
from cvbuild.outputs.markdown import pages
from cvbuild.outputs.markdown.pages import Entry
from cvbuild.outputs.types import Shown
from cvbuild.view import lines

#: At most this many interests are shown of a person, as their fields.
_MOST = 6


@dataclass(frozen=True, slots=True)
class Author:
    """A name in a list of authors; ``me`` is whether it is the person's own."""

    name: str
    marks: str = ""
    me: bool = False


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication: its parts as plain text, with what tells whether two are the same."""

    title: str
    authors: tuple[Author, ...]
    source: str
    """Where it appeared, as the document says it."""
    year: int | None
    doi: str | None
    language: str
    links: tuple[tuple[str, str], ...]
    """Labels and addresses."""
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """A person: the name, what they are and do, and their publications."""

    name: str
    native: str
    headline: str
    language: str
    sort: str
    """What people are sorted by: the family name, then the others, without accents."""
    fields: tuple[str, ...] = ()
    papers: tuple[Paper, ...] = field(default=())


def of(shown: Shown) -> Facts:
    """Return the facts of a document."""
    header, name = shown.view.header, shown.profile.name
    family = name.family or name.display.rpartition(" ")[2]
    return Facts(
        name=str(header.name),
        native=str(header.native or ""),
        headline=str(header.headline or ""),
        language=shown.view.language,
        sort=anyascii(f"{family} {name.display}").casefold(),
        fields=tuple(str(item.name) for item in shown.view.items("interests"))[:_MOST],
        papers=tuple(_paper(entry, shown) for entry in pages.entries(shown, "publication")),
    )


def _paper(entry: Entry, shown: Shown) -> Paper:
    item, sentences = entry.item, _sentences(entry)
    titled = item.title
    language = titled.language or shown.view.language
    links = [(str(link.label), link.url.url) for link in item.links if link.url]
    links += [(urls.display(one.url), one.url) for one in rich_text.links(titled.nodes)]
    return Paper(
        title=str(titled),
        authors=tuple(
            Author(str(one.name), str(one.marks or ""), bool(one.me)) for one in item.authors
        ),
        source=" ".join(sentences),
        year=entry.date.year if entry.date else None,
        doi=entry.model.doi,
        language=language,
        links=tuple(links),
        url=entry.url,
    )


def _sentences(entry: Entry) -> Iterator[str]:
    """Yield the sentences of a reference but those of its authors and its title."""
    for line in entry.lines:
        if isinstance(line, lines.CitedLine):
            for words in line.sentences:
                found = {one.field for one in words if isinstance(one, lines.Piece)}
                if not found & {"authors", "title"}:
                    yield lines.plain(words)


def written(facts: Facts) -> bytes:
    """Return facts as a file."""
    return f"{json.dumps(asdict(facts), ensure_ascii=False, indent=1)}\n".encode()


def read(data: bytes) -> Facts:
    """Return the facts that ``written`` gave; raises ValueError."""
    return _reader().validate_json(data)


@cache
def _reader() -> TypeAdapter[Facts]:
    return TypeAdapter(Facts)
