"""Publications."""

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from cvbuild.model import language_tags
from cvbuild.model.base import FrozenMap, Line, OneOrMany, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Cited, Joined, Kind, Links, Listed, Meanings, Pair
from cvbuild.model.parts import Arxiv, Author, Doi, Item, Link
from cvbuild.model.sections import Group, SectionOf


def _by_mark(value: object) -> object:
    """Refuse languages as marks; they belong inside, where they wouldn't be printed as marks."""
    if isinstance(value, dict) and value and all(map(language_tags.is_key, value)):
        raise PydanticCustomError("marks_language", "these are languages, not marks")
    return value


class Publication(Item):
    """A publication."""

    NAMES: ClassVar[frozenset[str]] = frozenset({"title"})

    title: Prose
    """Its title."""
    authors: OneOrMany[Author] = ()
    """Authors in order; "et al." may be one of them."""
    marks: Annotated[FrozenMap[Line, Prose], BeforeValidator(_by_mark)] = FrozenMap()
    """What the marks of this list of authors mean: {"*": equal contribution}."""
    venue: Prose | None = None
    """Journal, conference or workshop in full."""
    short_venue: Prose | None = Field(default=None, alias="short-venue")
    """Its short form with the year: OSDI 2022."""
    date: Date | None = None
    """When it appeared."""
    doi: Doi | None = None
    """DOI, with or without https://doi.org/."""
    arxiv: Arxiv | None = None
    """arXiv id: 2403.11421."""
    url: Url | None = None
    """Its page."""
    note: Prose | None = None
    """Spotlight, Best paper."""
    links: OneOrMany[Link] = ()
    """Labelled links: PDF, Code, Slides."""


class PublicationSection(SectionOf):
    """Publications."""

    kind: Literal["publication"]
    items: tuple[Publication, ...] = ()
    groups: tuple[Group[Publication], ...] = ()
    numbering: Literal["none", "forward", "reversed"] | None = None
    """How the items are numbered; the template's option when absent."""


KIND = Kind(
    "publication",
    PublicationSection,
    text=(
        Cited(
            "authors",
            "title",
            Joined(Pair("venue", "short_venue"), "date"),
            "note",
            Meanings("marks"),
        ),
        Links(),
    ),
    json=Listed("publications", {"title": "name", "venue": "publisher"}, date="releaseDate"),
    example="""\
sections:
  - kind: publication
    numbering: reversed
    note: "* denotes equal contribution"
    items:
      - title: Schedules that hold
        authors: [Ada Example*, Sam Specimen*, Grace Sample]
        venue: Journal of Examples
        short-venue: JEx 2024
        date: 2024
        doi: 10.1234/example.5678
        arxiv: 2401.00001
        note: Best paper
        links:
          - PDF: https://example.org/paper.pdf
          - Slides
""",
)
