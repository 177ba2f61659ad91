"""Courses that were taught or assisted."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Listed, Row
from cvbuild.model.parts import Bullet, Item
from cvbuild.model.sections import Group, SectionOf


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


class TeachingSection(SectionOf):
    """Courses."""

    kind: Literal["teaching"]
    items: tuple[Teaching, ...] = ()
    groups: tuple[Group[Teaching], ...] = ()


KIND = Kind(
    "teaching",
    TeachingSection,
    weight=50,
    text=(
        Head("course", "role", "instructor", "institution"),
        Row("summary"),
        Bullets("bullets"),
    ),
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
