"""Talks and courses."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Links, Listed, Row
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import Group, SectionOf


class Talk(Item):
    """A talk."""

    title: Prose
    """Its title."""
    type: Prose | None = None
    """Keynote, invited talk, tutorial."""
    event: Prose | None = None
    """Where it was given: conference, seminar, host."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Passage | None = None
    """A sentence."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


class TalkSection(SectionOf):
    """Talks."""

    kind: Literal["talk"]
    items: tuple[Talk, ...] = ()
    groups: tuple[Group[Talk], ...] = ()
    numbering: Literal["none", "forward", "reversed"] = "none"
    """How the items are numbered."""


TALK = Kind(
    "talk",
    TalkSection,
    weight=40,
    text=(Head("title", "type", "event"), Row("summary"), Bullets("bullets"), Links()),
    json=Listed(
        "projects",
        {
            "title": "name",
            "event": "entity",
            "type": "format",
            "summary": "description",
            "bullets": "highlights",
        },
        fixed={"type": "talk"},
    ),
    example="""\
sections:
  - kind: talk
    items:
      - title: How schedules hold
        type: Invited talk
        event: Example Seminar
        date: 2024-05-14
""",
)


class Teaching(Item):
    """A course that was taught or assisted."""

    course: Prose
    """Its name."""
    role: Prose | None = None
    """Lecturer, teaching assistant."""
    instructor: OneOrMany[Prose] = ()
    """Whose course it was."""
    institution: Prose | None = None
    """Where."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    summary: Passage | None = None
    """A sentence."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


TEACHING = Kind(
    "teaching",
    Teaching,
    about="Courses.",
    weight=50,
    text=(Head("course", "role", "instructor", "institution"), Row("summary"), Bullets("bullets")),
    json=Listed(
        "projects",
        {
            "course": "name",
            "institution": "entity",
            "role": "roles",
            "summary": "description",
            "bullets": "highlights",
        },
        fixed={"type": "teaching"},
    ),
    example="""\
sections:
  - kind: teaching
    items:
      - course: Operating systems
        role: Teaching assistant
        instructor: Grace Sample
        date: [Fall 2021, Fall 2023]
""",
)
