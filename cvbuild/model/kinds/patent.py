"""Patents."""

from typing import ClassVar, Literal

from cvbuild.model.base import OneOrMany, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Cited, Joined, Kind, Links, Listed
from cvbuild.model.parts import Author, Item, Link
from cvbuild.model.sections import Group, SectionOf


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
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""


class PatentSection(SectionOf):
    """Patents."""

    kind: Literal["patent"]
    items: tuple[Patent, ...] = ()
    groups: tuple[Group[Patent], ...] = ()
    numbering: Literal["none", "forward", "reversed"] | None = None
    """Numbers before the items; the template's option when absent."""


KIND = Kind(
    "patent",
    PatentSection,
    weight=60,
    text=(Cited("inventors", "title", Joined("number", "date"), "status"), Links()),
    json=Listed("publications", {"title": "name"}, date="releaseDate", fixed={"type": "patent"}),
    example="""\
sections:
  - kind: patent
    items:
      - title: Method of giving examples
        inventors: [Ada Example, Sam Specimen]
        number: US Patent 1,234,567
        status: granted
        date: 2023
""",
)
