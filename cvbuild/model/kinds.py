"""The items of a CV's sections, one class a kind."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.model import language_tags
from cvbuild.model.base import FrozenMap, Line, OneOrMany, Prose, Shorthand, Url
from cvbuild.model.dates import Date
from cvbuild.model.parts import Arxiv, Author, Bullet, Doi, Item, Link


class TextItem(Bullet):
    """A paragraph."""


class Keyword(Bullet):
    """One keyword or a short phrase."""


class Education(Item):
    """A degree or a stay at a school."""

    institution: Prose
    """School or university."""
    degree: Prose | None = None
    """Ph.D., B.Sc., diploma."""
    area: Prose | None = None
    """Field of study."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    grade: Prose | None = None
    """Grade as printed: GPA 4.19/4.3."""
    thesis: Prose | None = None
    """Title of the thesis."""
    url: Url | None = None
    """Page of the institution."""
    notes: OneOrMany[Bullet] = ()
    """Further points."""


class Role(Item):
    """What a person was at an employer for some time."""

    title: Prose
    """Name of the position."""
    date: Date | None = None
    """When."""
    location: Prose | None = None
    """Where, if not where the employer is."""
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    summary: Prose | None = None
    """A sentence or two."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and reached."""


class Experience(Item):
    """An employer, with one role (``title``) or several (``roles``)."""

    employer: Prose
    """Company, laboratory, university."""
    department: Prose | None = None
    """Part of the employer."""
    title: Prose | None = None
    """The role, where there is one."""
    roles: tuple[Role, ...] = ()
    """The roles, where there are several."""
    date: Date | None = None
    """When."""
    location: Prose | None = None
    """Town and country."""
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    url: Url | None = None
    """The employer's page."""
    summary: Prose | None = None
    """A sentence or two."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and reached."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.title is not None and self.roles:
            raise PydanticCustomError("title_and_roles", "title and roles exclude each other")
        return self


class Project(Item):
    """A project."""

    name: Prose
    """Its name."""
    role: Prose | None = None
    """What the person was in it."""
    organization: Prose | None = None
    """For or with whom."""
    location: Prose | None = None
    """Where."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Prose | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and reached."""


def _by_mark(value: object) -> object:
    """The meanings of marks; languages belong inside, where they would be printed as marks."""
    if isinstance(value, dict) and value and all(map(language_tags.is_key, value)):
        raise PydanticCustomError("marks_language", "these are languages, not marks")
    return value


class Publication(Item):
    """A publication."""

    title: Prose
    """Its title."""
    authors: OneOrMany[Author] = ()
    """Authors in order; "et al." may stand among them."""
    marks: Annotated[FrozenMap[Line, Prose], BeforeValidator(_by_mark)] = FrozenMap()
    """What the marks of this list of authors mean: {"*": equal contribution}."""
    venue: Prose | None = None
    """Journal, conference or workshop in full."""
    short_venue: Prose | None = Field(default=None, alias="short-venue")
    """Its short form with the year: OSDI 2022."""
    date: Date | None = None
    """When it appeared."""
    doi: Doi | None = None
    """DOI, with or without https://doi.org/."""
    arxiv: Arxiv | None = None
    """arXiv id: 2403.11421."""
    url: Url | None = None
    """Its page."""
    note: Prose | None = None
    """Spotlight, Best paper."""
    links: OneOrMany[Link] = ()
    """Labelled links: PDF, Code, Slides."""


class Patent(Item):
    """A patent or an application for one."""

    title: Prose
    """Its title."""
    inventors: OneOrMany[Author] = ()
    """Inventors in order."""
    number: Prose | None = None
    """Office and number: US Patent 11,514,370."""
    status: Prose | None = None
    """Granted, pending."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""


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
    summary: Prose | None = None
    """A sentence."""


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
    summary: Prose | None = None
    """A sentence."""


class Service(Item):
    """Reviewing, committees, offices, volunteering."""

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
    summary: Prose | None = None
    """A sentence."""


class Skill(Item, Shorthand):
    """A skill, or a heading with the skills under it."""

    shorthand: ClassVar[str] = "name"
    by_language: ClassVar[bool] = True

    name: Prose
    """The skill, or what the skills have in common: Programming."""
    level: Prose | None = None
    """How well, in words."""
    keywords: OneOrMany[Prose] = ()
    """What belongs to it: Python, C++, CUDA."""


class Language(Item, Shorthand):
    """A natural language."""

    shorthand: ClassVar[str] = "language"
    by_language: ClassVar[bool] = True

    language: Prose
    """The language."""
    level: Prose | None = None
    """How well: native, C1."""


class Certificate(Item):
    """A certificate."""

    name: Prose
    """Its name."""
    issuer: Prose | None = None
    """Who issued it."""
    number: Prose | None = None
    """Its number."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Where it can be checked."""


class Reference(Item):
    """Somebody who can speak for the person."""

    name: Prose
    """Who."""
    title: Prose | None = None
    """Their position."""
    institution: Prose | None = None
    """Where they work."""
    relation: Prose | None = None
    """What they are to the person: advisor."""
    email: Line | None = None
    """Their e-mail address."""
    phone: Line | None = None
    """Their phone number."""
    url: Url | None = None
    """Their page."""
    quote: Prose | None = None
    """What they say."""


class Entry(Item):
    """Anything that has no kind of its own."""

    title: Prose
    """The main words."""
    organization: Prose | None = None
    """With or for whom."""
    location: Prose | None = None
    """Where."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Prose | None = None
    """A sentence or two."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""
