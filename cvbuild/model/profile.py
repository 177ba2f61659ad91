"""A person: what one YAML file holds."""

from datetime import date as Day
from typing import Annotated, ClassVar, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import language_tags
from cvbuild.model.base import (
    FrozenMap,
    Line,
    Model,
    OneOrMany,
    OptionValue,
    Paragraphs,
    Prose,
    Shorthand,
)
from cvbuild.model.contact import Contact, Name, country_of, is_national_number
from cvbuild.model.dates import day
from cvbuild.model.kinds import KINDS, OWN, Section
from cvbuild.model.sections import Interest
from cvbuild.model.variant import Name as VariantName
from cvbuild.model.variant import Variant

#: The template of people who list none.
DEFAULT_TEMPLATE = "academic"
#: The path of the file with the signature of a CV.
CLOSING_SIGNATURE: FieldPath = ("closing", "signature")


class Closing(Shorthand):
    """The end of a CV: where, when and with what it is signed; if written as one text, where."""

    shorthand: ClassVar[str] = "place"
    by_language: ClassVar[bool] = True

    place: Prose | None = None
    """Where it is signed: Graz."""
    date: Annotated[Day, BeforeValidator(day)] | None = None
    """When: 2026-01-31; ``updated`` when absent."""
    signature: Line | None = None
    """A PNG or JPEG file in this file's folder; without it there is room to sign."""


class Profile(Model):
    """One person's CV data."""

    KINDS: ClassVar[tuple[str, ...]] = tuple(KINDS)

    name: Name
    """The person's name."""
    headline: Prose | None = None
    """One line under the name: position, field."""
    contact: Contact = Contact.model_construct()
    """How to reach the person."""
    photo: Line | None = None
    """A PNG or JPEG file in this file's folder; ``options: {photo: true}`` shows it."""
    summary: Paragraphs = ()
    """A few sentences about the person."""
    interests: OneOrMany[Interest] = ()
    """Research interests, or what the person does besides work; printed last if ``sections`` are
    above them."""
    sections: tuple[Section, ...] = ()
    """The sections in their order."""
    closing: Closing | None = None
    """Place, date and signature at the end of a CV, as German and French ones have it; a variant
    leaves it out by ``without: closing``."""
    template: Annotated[OneOrMany[Line], Field(min_length=1)] = (DEFAULT_TEMPLATE,)
    """The templates and variants to build: one name, or several."""
    formats: OneOrMany[Line] = ("pdf",)
    """The formats of each: pdf, html, docx, txt and more; see docs/reference/formats.md."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of the templates; those under a template's name apply only to it."""
    variants: FrozenMap[VariantName, Variant] = FrozenMap()
    """Further documents, by the name of their file: what each shows, and how."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] = "en"
    """Language and region of dates and headings: en, en-GB, de."""
    updated: Annotated[Day, BeforeValidator(day)] | None = None
    """When the facts were last checked: 2026-01-31."""

    #: The keys that are sections themselves, those printed after the others second.
    _own: tuple[tuple[str, ...], tuple[str, ...]] = PrivateAttr(default=(tuple(OWN), ()))

    @model_validator(mode="wrap")
    @classmethod
    def _ordered(cls, value: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Note whether interests are written below the sections."""
        profile = handler(value)
        keys = list(value) if isinstance(value, dict) else []
        if "interests" in keys and "sections" in keys[: keys.index("interests")]:
            profile._own = ("summary",), ("interests",)  # noqa: SLF001 - of this class
        return profile

    @model_validator(mode="after")
    def _country(self) -> Self:
        """Note which country phone numbers without one are from."""
        numbers = self.contact.phone
        if any(is_national_number(one.number) for one in numbers) and self.contact.country is None:
            # Later the locale is that of a document.
            object.__setattr__(self.contact, "country", country_of(self.locale))
        return self

    @property
    def own_sections(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The keys that are sections, printed before the other sections, and after them."""
        return self._own

    @property
    def pictures(self) -> tuple[tuple[FieldPath, str], ...]:
        """The files of the photo and the signature, each after the path of its name."""
        signature = self.closing.signature if self.closing else None
        named: tuple[tuple[FieldPath, str | None], ...] = (
            (("photo",), self.photo),
            (CLOSING_SIGNATURE, signature),
        )
        return tuple((path, name) for path, name in named if name)

    def template_of(self, document: str) -> str:
        """Return the template of the document of that name, which is a template's or a variant's.

        A variant that names no template has the first one that the person lists.
        """
        variant = self.variants.get(document)
        if variant is None:
            return document
        listed = (name for name in self.template if name not in self.variants)
        return variant.template or next(listed, DEFAULT_TEMPLATE)


#: Sections that stand for keys of the profile itself.
OWN_SECTIONS = tuple(OWN)
