"""Grants and other funding."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Labelled, Links, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf


class Grant(Item):
    """A grant, a fellowship, another kind of funding."""

    title: Prose
    """What is funded."""
    role: Prose | None = None
    """What the person is in it: principal investigator."""
    funder: Prose | None = None
    """Who pays."""
    amount: Prose | None = None
    """How much, with the currency: EUR 1.2 million."""
    number: Prose | None = None
    """The funder's number."""
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


class GrantSection(SectionOf):
    """Grants and other funding."""

    kind: Literal["grant"]
    items: tuple[Grant, ...] = ()
    groups: tuple[Group[Grant], ...] = ()


KIND = Kind(
    "grant",
    GrantSection,
    weight=60,
    least=1,
    labels=("keywords",),
    text=(
        Head("title", "role", "funder", "amount", "number"),
        Row("summary"),
        Bullets("bullets"),
        Labelled("keywords", "keywords"),
        Links(),
    ),
    json=Listed(
        "awards",
        {"funder": "awarder", "bullets": "highlights"},
        date="date",
        fixed={"type": "grant"},
    ),
    example="""\
sections:
  - kind: grant
    items:
      - title: Schedules for everyone
        role: Principal investigator
        funder: Example Foundation
        amount: EUR 1.2 million
        number: EF-1234
        date: 2023 to 2026
""",
)
