"""Any entry without a kind of its own."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Labelled, Links, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf


class Entry(Item):
    """Any entry without a kind of its own."""

    title: Prose
    """The main text."""
    organization: Prose | None = None
    """With or for whom."""
    location: Prose | None = None
    """Where."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """What it is about."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


class EntrySection(SectionOf):
    """Anything else."""

    kind: Literal["entry"]
    items: tuple[Entry, ...] = ()
    groups: tuple[Group[Entry], ...] = ()


KIND = Kind(
    "entry",
    EntrySection,
    weight=40,
    labels=("keywords",),
    text=(
        Head("title", "organization"),
        Row("summary"),
        Bullets("bullets"),
        Labelled("keywords", "keywords"),
        Links(),
    ),
    json=Listed(
        "projects",
        {
            "title": "name",
            "organization": "entity",
            "summary": "description",
            "bullets": "highlights",
        },
        fixed={"type": "entry"},
    ),
    example="""\
sections:
  - kind: entry
    title: Exhibitions
    items:
      - title: Examples in oil
        organization: Example Gallery
        date: 2021
        bullets: [Twelve pictures.]
""",
)
