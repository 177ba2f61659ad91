"""Prizes and funding."""

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import DETAILS, Bullets, Head, Kind, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link


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


AWARD = Kind(
    "award",
    Award,
    about="Prizes, honours, scholarships.",
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


GRANT = Kind(
    "grant",
    Grant,
    about="Grants and other funding.",
    weight=60,
    least=1,
    labels=("keywords",),
    text=(Head("title", "role", "funder", "amount", "number"), *DETAILS),
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
