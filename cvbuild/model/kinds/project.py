"""Projects."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Labelled, Links, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf


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


class ProjectSection(SectionOf):
    """Projects."""

    kind: Literal["project"]
    items: tuple[Project, ...] = ()
    groups: tuple[Group[Project], ...] = ()


KIND = Kind(
    "project",
    ProjectSection,
    weight=70,
    least=2,
    labels=("keywords",),
    text=(
        Head("name", "role", "organization"),
        Row("summary"),
        Bullets("bullets"),
        Labelled("keywords", "keywords"),
        Links(),
    ),
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
