"""Talks, courses, awards and grants."""

from typing import Literal

from cvbuild.model.base import OneOrMany, Prose
from cvbuild.model.kinds import DETAILS, IN_PROJECTS, Bullets, Head, Kind, Links, Listed, Row
from cvbuild.model.sections import (
    Group,
    Item,
    LinkList,
    Page,
    Points,
    SectionOf,
    Sentence,
    Sentences,
    Topics,
    Town,
    When,
    Where,
)


class Talk(Item):
    """A talk."""

    title: Prose
    """Its title."""
    type: Prose | None = None
    """Keynote, invited talk, tutorial."""
    event: Prose | None = None
    """Where it was given: conference, seminar, host."""
    location: Town = None
    date: When = None
    url: Page = None
    links: LinkList = ()
    summary: Sentence = None
    bullets: Points = ()


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
        {"title": "name", "event": "entity", "type": "format", **IN_PROJECTS},
        fixed={"type": "talk"},
    ),
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
    location: Town = None
    date: When = None
    url: Page = None
    summary: Sentence = None
    bullets: Points = ()


TEACHING = Kind(
    "teaching",
    Teaching,
    about="Courses.",
    weight=50,
    text=(Head("course", "role", "instructor", "institution"), Row("summary"), Bullets("bullets")),
    json=Listed(
        "projects",
        {"course": "name", "institution": "entity", "role": "roles", **IN_PROJECTS},
        fixed={"type": "teaching"},
    ),
)


# -- prizes and funding ----------------------------------------------------------------------------


class Award(Item):
    """A prize, an honour, a scholarship."""

    title: Prose
    """Its name."""
    awarder: Prose | None = None
    """Who gave it."""
    location: Where = None
    date: When = None
    url: Page = None
    summary: Sentence = None
    bullets: Points = ()


AWARD = Kind(
    "award",
    Award,
    about="Prizes, honours, scholarships.",
    weight=60,
    least=1,
    text=(Head("title", "awarder"), Row("summary"), Bullets("bullets")),
    json=Listed("awards", {"bullets": "highlights"}, date="date"),
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
    date: When = None
    url: Page = None
    links: LinkList = ()
    summary: Sentences = None
    keywords: Topics = ()
    bullets: Points = ()


GRANT = Kind(
    "grant",
    Grant,
    about="Grants and other funding.",
    weight=60,
    least=1,
    text=(Head("title", "role", "funder", "amount", "number"), *DETAILS),
    json=Listed(
        "awards",
        {"funder": "awarder", "bullets": "highlights"},
        date="date",
        fixed={"type": "grant"},
    ),
)
