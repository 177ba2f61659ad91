"""Sections of texts and of entries: paragraphs, keywords, projects, talks, courses, prizes."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from cvbuild.model.base import OneOrMany, Passage, Prose, Several
from cvbuild.model.kinds import (
    DETAILS,
    IN_PROJECTS,
    SELF,
    Bullets,
    Head,
    Kind,
    Links,
    Listed,
    Outlined,
    Row,
    Run,
    UnderHeading,
)
from cvbuild.model.sections import (
    Bullet,
    Group,
    Item,
    LinkList,
    Page,
    Phrase,
    Points,
    SectionOf,
    Sentence,
    Sentences,
    Tools,
    Topics,
    Town,
    When,
    Where,
)
from cvbuild.model.text.lines import by_language, scalar
from cvbuild.model.text.paragraphs import paragraphs


class TextItem(Phrase):
    """A paragraph; a list may follow it, or stand in its place."""

    text: Passage
    """The text."""


class Keyword(Phrase):
    """One keyword or a short phrase."""


def _split(value: object) -> object:
    parts = paragraphs(value)
    if isinstance(value, dict) and isinstance(parts, list):
        return [{"text": part} for part in parts]
    return parts


class TextSection(SectionOf):
    """Paragraphs of prose."""

    kind: Literal["text"]
    groups: tuple[Group[TextItem], ...] = ()
    items: Annotated[
        tuple[TextItem, ...], BeforeValidator(_split), Several((scalar(), by_language()))
    ] = ()
    """The paragraphs: a list, or one block with empty lines between them."""


TEXT = Kind("text", TextSection, weight=15, text=(Row("text"),), json=Outlined())

BULLETS = Kind(
    "bullets", Bullet, about="A plain list.", weight=40, text=(Bullets(SELF),), json=Outlined()
)

KEYWORDS = Kind(
    "keywords",
    Keyword,
    about="Keywords in a run.",
    weight=10,
    json=UnderHeading("skills", type="keywords"),
    run=Run("text"),
)


class Project(Item):
    """A project."""

    name: Prose
    """Its name."""
    role: Prose | None = None
    """What the person was in it."""
    organization: Prose | None = None
    """For or with whom."""
    location: Where = None
    date: When = None
    url: Page = None
    links: LinkList = ()
    summary: Sentences = None
    keywords: Tools = ()
    bullets: OneOrMany[Bullet] = ()
    """What was done and reached."""


PROJECT = Kind(
    "project",
    Project,
    about="Projects.",
    weight=70,
    least=2,
    text=(Head("name", "role", "organization"), *DETAILS),
    json=Listed("projects", {"role": "roles", "organization": "entity", **IN_PROJECTS}),
)


class Entry(Item):
    """Any entry without a kind of its own."""

    title: Prose
    """The main text."""
    organization: Prose | None = None
    """With or for whom."""
    location: Where = None
    date: When = None
    url: Page = None
    links: LinkList = ()
    summary: Sentences = None
    keywords: Topics = ()
    bullets: Points = ()


ENTRY = Kind(
    "entry",
    Entry,
    about="Anything else.",
    weight=40,
    text=(Head("title", "organization"), *DETAILS),
    json=Listed(
        "projects", {"title": "name", "organization": "entity", **IN_PROJECTS}, type="entry"
    ),
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
        type="talk",
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
        type="teaching",
    ),
)


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
        "awards", {"funder": "awarder", "bullets": "highlights"}, date="date", type="grant"
    ),
)
