"""A person: what one YAML file holds."""

from __future__ import annotations

from datetime import date as Day
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.model import kinds, language_tags
from cvbuild.model.base import FrozenMap, Line, Model, OneOrMany, OptionValue, Paragraphs, Prose
from cvbuild.model.contact import Contact, Name
from cvbuild.model.dates import day
from cvbuild.model.parts import Bullet, Item, Tag
from cvbuild.model.text import by_language, paragraphs, scalar
from cvbuild.model.variant import Name as VariantName
from cvbuild.model.variant import Variant

T = TypeVar("T", bound=Item)
#: Of whoever picks none.
DEFAULT_TEMPLATE = "academic"


def _locale(value: str) -> str:
    """A BCP 47 tag for which CLDR has data."""
    return language_tags.checked(value)


class Group(Model, Generic[T]):
    """A part of a section with a heading of its own."""

    title: Prose
    """The sub-heading."""
    items: Annotated[tuple[T, ...], Field(min_length=1)]
    """What stands under it."""
    note: Prose | None = None
    """Small print under the heading."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """The priority of items that say none."""
    private: bool = False
    """Leave it out unless the build is private."""


class SectionOf(Model):
    """What sections of every kind have; each says what its items are.

    Why not by a type variable: every class made so takes a millisecond on import.
    """

    title: Prose | None = None
    """The heading; the kind's own in the person's language when absent."""
    id: Tag | None = None
    """What variants call the section; its kind when absent."""
    items: tuple[Item, ...] = ()
    """What stands in it."""
    groups: tuple[Any, ...] = ()
    """Parts with a sub-heading; they come after the items."""
    note: Prose | None = None
    """Small print under the heading: (* denotes equal contribution)."""
    order: Literal["newest", "file"] = "newest"
    """Newest first, or as in the file."""
    priority: Annotated[int, Field(ge=0, le=9)] | None = None
    """The priority of items that say none."""
    tags: OneOrMany[Tag] = ()
    """Words to select by; they count for every item."""
    private: bool = False
    """Leave it out unless the build is private."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.items and not self.groups:
            raise PydanticCustomError("section_empty", "the section has no items")
        return self


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
    groups: tuple[Group[kinds.TextItem], ...] = ()
    items: Annotated[tuple[kinds.TextItem, ...], BeforeValidator(_split), _Block()] = ()
    """The paragraphs: a list, or one block with empty lines between them."""


class BulletSection(SectionOf):
    """A plain list."""

    kind: Literal["bullets"]
    items: tuple[Bullet, ...] = ()
    groups: tuple[Group[Bullet], ...] = ()


class KeywordSection(SectionOf):
    """Keywords in a run."""

    kind: Literal["keywords"]
    items: tuple[kinds.Keyword, ...] = ()
    groups: tuple[Group[kinds.Keyword], ...] = ()


class EducationSection(SectionOf):
    """Degrees and schools."""

    kind: Literal["education"]
    items: tuple[kinds.Education, ...] = ()
    groups: tuple[Group[kinds.Education], ...] = ()


class ExperienceSection(SectionOf):
    """Positions."""

    kind: Literal["experience"]
    items: tuple[kinds.Experience, ...] = ()
    groups: tuple[Group[kinds.Experience], ...] = ()


class ProjectSection(SectionOf):
    """Projects."""

    kind: Literal["project"]
    items: tuple[kinds.Project, ...] = ()
    groups: tuple[Group[kinds.Project], ...] = ()


class PublicationSection(SectionOf):
    """Publications."""

    kind: Literal["publication"]
    items: tuple[kinds.Publication, ...] = ()
    groups: tuple[Group[kinds.Publication], ...] = ()
    numbering: Literal["none", "forward", "reversed"] | None = None
    """Numbers before the items; the template's option when absent."""


class PatentSection(SectionOf):
    """Patents."""

    kind: Literal["patent"]
    items: tuple[kinds.Patent, ...] = ()
    groups: tuple[Group[kinds.Patent], ...] = ()
    numbering: Literal["none", "forward", "reversed"] | None = None
    """Numbers before the items; the template's option when absent."""


class AwardSection(SectionOf):
    """Prizes, honours, grants."""

    kind: Literal["award"]
    items: tuple[kinds.Award, ...] = ()
    groups: tuple[Group[kinds.Award], ...] = ()


class TalkSection(SectionOf):
    """Talks."""

    kind: Literal["talk"]
    items: tuple[kinds.Talk, ...] = ()
    groups: tuple[Group[kinds.Talk], ...] = ()


class TeachingSection(SectionOf):
    """Courses."""

    kind: Literal["teaching"]
    items: tuple[kinds.Teaching, ...] = ()
    groups: tuple[Group[kinds.Teaching], ...] = ()


class ServiceSection(SectionOf):
    """Services and offices."""

    kind: Literal["service"]
    items: tuple[kinds.Service, ...] = ()
    groups: tuple[Group[kinds.Service], ...] = ()


class SkillSection(SectionOf):
    """Skills."""

    kind: Literal["skill"]
    items: tuple[kinds.Skill, ...] = ()
    groups: tuple[Group[kinds.Skill], ...] = ()


class LanguageSection(SectionOf):
    """Natural languages."""

    kind: Literal["language"]
    items: tuple[kinds.Language, ...] = ()
    groups: tuple[Group[kinds.Language], ...] = ()


class CertificateSection(SectionOf):
    """Certificates."""

    kind: Literal["certificate"]
    items: tuple[kinds.Certificate, ...] = ()
    groups: tuple[Group[kinds.Certificate], ...] = ()


class ReferenceSection(SectionOf):
    """References."""

    kind: Literal["reference"]
    items: tuple[kinds.Reference, ...] = ()
    groups: tuple[Group[kinds.Reference], ...] = ()


class EntrySection(SectionOf):
    """Anything else."""

    kind: Literal["entry"]
    items: tuple[kinds.Entry, ...] = ()
    groups: tuple[Group[kinds.Entry], ...] = ()


Section = Annotated[
    TextSection
    | BulletSection
    | KeywordSection
    | EducationSection
    | ExperienceSection
    | ProjectSection
    | PublicationSection
    | PatentSection
    | AwardSection
    | TalkSection
    | TeachingSection
    | ServiceSection
    | SkillSection
    | LanguageSection
    | CertificateSection
    | ReferenceSection
    | EntrySection,
    Field(discriminator="kind"),
]


class Profile(Model):
    """One person's CV data."""

    KINDS: ClassVar[tuple[str, ...]] = (
        "text", "bullets", "keywords", "education", "experience", "project", "publication",
        "patent", "award", "talk", "teaching", "service", "skill", "language", "certificate",
        "reference", "entry",
    )  # fmt: skip

    name: Name
    """The person's name."""
    headline: Prose | None = None
    """One line under the name: position, field."""
    contact: Contact = Contact.model_construct()
    """How to reach the person."""
    photo: Line | None = None
    """A PNG or JPEG file beside this one."""
    summary: Paragraphs = ()
    """A few sentences about the person."""
    interests: OneOrMany[Prose] = ()
    """Research interests, or what the person does besides work."""
    sections: tuple[Section, ...] = ()
    """The sections in their order."""
    template: Annotated[OneOrMany[Line], Field(min_length=1)] = (DEFAULT_TEMPLATE,)
    """What `make` builds: the name of a template or of a variant, or several."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of the templates; those under a template's name are for that one alone."""
    variants: FrozenMap[VariantName, Variant] = FrozenMap()
    """Further documents, by the name of their file: what each shows, and how."""
    locale: Annotated[Line, AfterValidator(_locale)] = "en"
    """Language and region of dates and headings: en, en-GB, de."""
    updated: Annotated[Day, BeforeValidator(day)] | None = None
    """When the facts were last looked through: 2026-01-31."""

    def template_of(self, document: str) -> str:
        """The template of the document of that name, which is a template's or a variant's.

        A variant that names none has the first one that the person picked.
        """
        variant = self.variants.get(document)
        if variant is None:
            return document
        picked = (name for name in self.template if name not in self.variants)
        return variant.template or next(picked, DEFAULT_TEMPLATE)


#: Sections that stand for keys of the profile itself.
OWN_SECTIONS = ("summary", "interests")
