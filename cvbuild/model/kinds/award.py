"""Prizes, honours, scholarships."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Listed, Row
from cvbuild.model.parts import Bullet, Item
from cvbuild.model.sections import Group, SectionOf


class Award(Item):
    """A prize, an honour, a scholarship."""

    title: Prose
    """Its name."""
    awarder: Prose | None = None
    """Who gave it."""
    location: Prose | None = None
    """Where."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    summary: Passage | None = None
    """A sentence."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


class AwardSection(SectionOf):
    """Prizes, honours, scholarships."""

    kind: Literal["award"]
    items: tuple[Award, ...] = ()
    groups: tuple[Group[Award], ...] = ()


KIND = Kind(
    "award",
    AwardSection,
    weight=60,
    least=1,
    text=(Head("title", "awarder"), Row("summary"), Bullets("bullets")),
    json=Listed("awards", {"bullets": "highlights"}, date="date"),
    example="""\
sections:
  - kind: award
    items:
      - {title: Example Prize, awarder: Example Society, date: 2023}
""",
)
