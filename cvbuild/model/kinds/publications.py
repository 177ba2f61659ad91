"""Publications and patents."""

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from cvbuild.model.base import FrozenMap, Line, OneOrMany, Passage, Prose, Shorthand
from cvbuild.model.kinds import (
    Bullets,
    Cited,
    Joined,
    Kind,
    Labelled,
    Links,
    Listed,
    Meanings,
    Pair,
    Row,
    Worded,
)
from cvbuild.model.locales.dates import Date
from cvbuild.model.sections import (
    Arxiv,
    Author,
    Doi,
    Group,
    Item,
    Link,
    LinkList,
    Page,
    SectionOf,
    Sentences,
    Topics,
    When,
)
from cvbuild.model.text import language_tags
from cvbuild.model.text.lines import requires

#: A range of pages, whose sign becomes a dash: 45-67, 45--67.
_RANGE = re.compile(r"(?<![\w–-])(\w+) *(?:--?|–) *(\w+)(?![\w–-])")


#: They belong inside, where they wouldn't be printed as marks.
_NO_LANGUAGES = requires(
    "marks_language",
    lambda marks: not marks or not all(map(language_tags.is_key, marks)),
    "these are languages, not marks",
    'write the mark first: {"*": {en: …, de: …}}',
)


class Publication(Item):
    """A publication."""

    NAMES: ClassVar[frozenset[str]] = frozenset({"title", "book", "editors", "series", "publisher"})

    title: Prose
    """Its title."""
    authors: OneOrMany[Author] = ()
    """Authors in order; "et al." may be one of them."""
    marks: Annotated[FrozenMap[Line, Prose], _NO_LANGUAGES] = FrozenMap()
    """What the marks of this list of authors mean: {"*": equal contribution}."""
    book: Prose | None = None
    """The book that it is a chapter of."""
    venue: Prose | None = None
    """Journal, conference or workshop in full."""
    short_venue: Prose | None = Field(default=None, alias="short-venue")
    """Its short form with the year: OSDI 2022."""
    editors: OneOrMany[Prose] = ()
    """Editors of the book or the proceedings."""
    series: Prose | None = None
    """The series of books that it is in."""
    volume: Line | None = None
    """Number of the journal's volume, or in the series."""
    issue: Line | None = None
    """Number of the issue."""
    chapter: Line | None = None
    """Number of the chapter."""
    pages: Annotated[Line, AfterValidator(lambda text: _RANGE.sub(r"\1–\2", text))] | None = None
    """Pages, or the number of the article: 45-67."""
    publisher: Prose | None = None
    """Publisher of the book."""
    location: Prose | None = None
    """Town of the publisher."""
    date: Date | None = None
    """When it appeared."""
    doi: Doi | None = None
    """DOI, with or without https://doi.org/."""
    arxiv: Arxiv | None = None
    """arXiv id: 2403.11421."""
    url: Page = None
    note: Passage | None = None
    """Spotlight, Best paper."""
    links: OneOrMany[Link] = ()
    """Labelled links: PDF, Code, Slides."""
    summary: Sentences = None
    keywords: Topics = ()


class Bib(Shorthand):
    """Entries of a BibTeX file as items; without further keys, all of them."""

    shorthand: ClassVar[str] = "file"

    file: Line
    """A BibTeX file in this file's folder or below it."""
    keys: OneOrMany[Line] = ()
    """Only entries with these keys."""
    types: OneOrMany[Line] = ()
    """Only entries of these types: article, inproceedings."""
    keywords: OneOrMany[Line] = ()
    """Only entries with one of these keywords."""
    years: Date | None = None
    """Only entries of these years: 2020, 2020 to 2024, since 2020."""


class PublicationSection(SectionOf):
    """Publications."""

    kind: Literal["publication"]
    items: tuple[Publication, ...] = ()
    groups: tuple[Group[Publication], ...] = ()
    bib: Bib | None = None
    """A BibTeX file whose entries are items, too: papers.bib."""
    numbering: Literal["none", "forward", "reversed"] | None = None
    """How the items are numbered; the template's option when absent."""
    authors: Annotated[int, Field(ge=3, le=9999)] | None = None
    """Shorten longer lists of authors to so many, with the person and the last one; else all."""


_SOURCE = Joined(
    Joined(
        Joined(Worded("in-book", "book"), Pair("venue", "short_venue"), "series"),
        Pair("volume", "issue", between=""),
        between=" ",
    ),
    Worded("edited-by", "editors"),
    Worded("chapter", "chapter"),
    "pages",
    "publisher",
    "location",
)
PUBLICATION = Kind(
    "publication",
    PublicationSection,
    weight=80,
    least=3,
    text=(
        Cited("authors", "title", Joined(_SOURCE, "date"), "note", Meanings("marks")),
        Links(),
        Bullets("note"),
        Row("summary"),
        Labelled("keywords", "keywords"),
    ),
    json=Listed(
        "publications",
        {"title": "name", "venue": "publisher", "publisher": "publishedBy"},
        date="releaseDate",
    ),
)


class Patent(Item):
    """A patent or an application for one."""

    NAMES: ClassVar[frozenset[str]] = frozenset({"title"})

    title: Prose
    """Its title."""
    inventors: OneOrMany[Author] = ()
    """Inventors in order."""
    number: Prose | None = None
    """Office and number: US Patent 11,514,370."""
    status: Prose | None = None
    """Granted, pending."""
    date: When = None
    url: Page = None
    links: LinkList = ()


class PatentSection(SectionOf):
    """Patents."""

    kind: Literal["patent"]
    items: tuple[Patent, ...] = ()
    groups: tuple[Group[Patent], ...] = ()
    numbering: Literal["none", "forward", "reversed"] | None = None
    """Numbers before the items; the template's option when absent."""


PATENT = Kind(
    "patent",
    PatentSection,
    weight=60,
    text=(Cited("inventors", "title", Joined("number", "date"), "status"), Links()),
    json=Listed("publications", {"title": "name"}, date="releaseDate", type="patent"),
)
