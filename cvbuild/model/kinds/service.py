"""Services and offices."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Listed, Row
from cvbuild.model.parts import Bullet, Item
from cvbuild.model.sections import Group, SectionOf


class Service(Item):
    """Reviewing, committees, offices."""

    role: Prose
    """Reviewer, chair, president."""
    organization: Prose | None = None
    """For whom."""
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


class ServiceSection(SectionOf):
    """Services and offices."""

    kind: Literal["service"]
    items: tuple[Service, ...] = ()
    groups: tuple[Group[Service], ...] = ()


KIND = Kind(
    "service",
    ServiceSection,
    weight=40,
    text=(Head("role", "organization"), Row("summary"), Bullets("bullets")),
    json=Listed(
        "volunteer", {"role": "position", "bullets": "highlights"}, fixed={"type": "service"}
    ),
    example="""\
sections:
  - kind: service
    items:
      - {role: Reviewer, organization: Journal of Examples, date: 2022 to present}
""",
)
