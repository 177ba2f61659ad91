"""Unpaid work for others."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Labelled, Links, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf


class Volunteer(Item):
    """Unpaid work for an organization."""

    organization: Prose
    """For whom."""
    title: Prose | None = None
    """The role: coach, treasurer."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """The organization's page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and achieved."""


class VolunteerSection(SectionOf):
    """Unpaid work."""

    kind: Literal["volunteer"]
    items: tuple[Volunteer, ...] = ()
    groups: tuple[Group[Volunteer], ...] = ()


KIND = Kind(
    "volunteer",
    VolunteerSection,
    weight=60,
    least=1,
    labels=("keywords",),
    text=(
        Head("title", "organization"),
        Row("summary"),
        Labelled("keywords", "keywords"),
        Bullets("bullets"),
        Links(),
    ),
    json=Listed("volunteer", {"title": "position", "bullets": "highlights"}),
    example="""\
sections:
  - kind: volunteer
    items:
      - organization: Example Library
        title: Reading coach
        date: 2021 to 2023
        bullets: [Read with forty children.]
""",
)
