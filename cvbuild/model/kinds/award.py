"""Prizes, honours, grants."""

from typing import Literal

from cvbuild.model.base import Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Head, Kind, Listed, Row
from cvbuild.model.parts import Item
from cvbuild.model.sections import Group, SectionOf


class Award(Item):
    """A prize, an honour, a scholarship, a grant."""

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
    summary: Prose | None = None
    """A sentence."""


class AwardSection(SectionOf):
    """Prizes, honours, grants."""

    kind: Literal["award"]
    items: tuple[Award, ...] = ()
    groups: tuple[Group[Award], ...] = ()


KIND = Kind(
    "award",
    AwardSection,
    text=(Head("title", "awarder"), Row("summary")),
    json=Listed("awards", date="date"),
    example="""\
sections:
  - kind: award
    items:
      - {title: Example Prize, awarder: Example Society, date: 2023}
""",
)
