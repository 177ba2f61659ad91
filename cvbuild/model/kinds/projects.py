"""Projects, and entries without a kind of their own."""

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import DETAILS, Head, Kind, Listed
from cvbuild.model.parts import Bullet, Item, Link


class Project(Item):
    """A project."""

    name: Prose
    """Its name."""
    role: Prose | None = None
    """What the person was in it."""
    organization: Prose | None = None
    """For or with whom."""
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
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and reached."""


PROJECT = Kind(
    "project",
    Project,
    about="Projects.",
    weight=70,
    least=2,
    labels=("keywords",),
    text=(Head("name", "role", "organization"), *DETAILS),
    json=Listed(
        "projects",
        {
            "role": "roles",
            "organization": "entity",
            "summary": "description",
            "bullets": "highlights",
        },
    ),
    example="""\
sections:
  - kind: project
    items:
      - name: exemplar
        role: Maintainer
        url: https://example.org/exemplar
        summary: A library of examples.
        keywords: [Python, C++]
""",
)


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


ENTRY = Kind(
    "entry",
    Entry,
    about="Anything else.",
    weight=40,
    labels=("keywords",),
    text=(Head("title", "organization"), *DETAILS),
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
