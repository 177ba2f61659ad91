"""Sections of texts, and of entries of any sort: paragraphs, bullets, keywords, projects."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from cvbuild.model.base import OneOrMany, Passage, Prose
from cvbuild.model.kinds import (
    DETAILS,
    IN_PROJECTS,
    SELF,
    Bullets,
    Head,
    Kind,
    Listed,
    Outlined,
    Row,
    Run,
    UnderHeading,
)
from cvbuild.model.lines import by_language, scalar
from cvbuild.model.paragraphs import paragraphs
from cvbuild.model.sections import (
    Bullet,
    Group,
    Item,
    LinkList,
    Page,
    Phrase,
    Points,
    SectionOf,
    Sentences,
    Tools,
    Topics,
    When,
    Where,
)


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


class _Block:
    """Shows a list of paragraphs in JSON Schema as the block of text that it may also be."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [scalar(), by_language(), handler(schema)]}


class TextSection(SectionOf):
    """Paragraphs of prose."""

    kind: Literal["text"]
    groups: tuple[Group[TextItem], ...] = ()
    items: Annotated[tuple[TextItem, ...], BeforeValidator(_split), _Block()] = ()
    """The paragraphs: a list, or one block with empty lines between them."""


TEXT = Kind(
    "text",
    TextSection,
    weight=15,
    text=(Row("text"),),
    json=Outlined(),
)

BULLETS = Kind(
    "bullets",
    Bullet,
    about="A plain list.",
    weight=40,
    text=(Bullets(SELF),),
    json=Outlined(),
)

KEYWORDS = Kind(
    "keywords",
    Keyword,
    about="Keywords in a run.",
    weight=10,
    json=UnderHeading("skills", fixed={"type": "keywords"}),
    run=Run("text"),
)


# -- projects, and entries without a kind of their own ---------------------------------------------


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
    json=Listed(
        "projects",
        {"role": "roles", "organization": "entity", **IN_PROJECTS},
    ),
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
        "projects",
        {"title": "name", "organization": "entity", **IN_PROJECTS},
        fixed={"type": "entry"},
    ),
)
