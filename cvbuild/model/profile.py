"""A person: what one YAML file holds, with its variants, and the limits that documents keep to."""

from datetime import date as Day
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import refused
from cvbuild.common.safe_files import is_reserved
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
    clean,
)
from cvbuild.model.contact import Contact, Name
from cvbuild.model.dates import Ago, Point, ago, day, point
from cvbuild.model.kinds import KINDS, OWN, Section
from cvbuild.model.lines import scalar
from cvbuild.model.sections import Interest, Rule

Count = Annotated[int, Field(ge=1, le=100_000)]
#: In mm.
Length = Annotated[float, Field(ge=0, le=100)]


class Margins(Model):
    """The least margins, in mm."""

    sides: Length | None = None
    """On the left and on the right."""
    top: Length | None = None
    """Above the text."""
    bottom: Length | None = None
    """Below the text."""


def _margins(value: object) -> Any:
    """Return one number as the margins of all sides; raise PydanticCustomError for words."""
    if not isinstance(value, str | int | float):
        return value
    try:
        return dict.fromkeys(Margins.model_fields, float(value))
    except ValueError:
        hint = "write a number of mm, such as 20, or {sides: 20, top: 15}"
        raise refused("margin", '"{value}" is no margin', hint, value=str(value)) from None


class Limits(Model):
    """What a document must keep to; it is refused if it doesn't."""

    pages: Annotated[int, Field(ge=1, le=99)] | None = None
    """The most pages."""
    size: Annotated[float, Field(ge=5, le=20)] | None = None
    """The least size of letters in pt; raised ones don't count."""
    margin: Annotated[Margins, BeforeValidator(_margins)] | None = None
    """The least margins in mm, without running heads and feet: 20, or {sides: 20, top: 15}."""
    font: OneOrMany[Line] = ()
    """The typefaces that are allowed, by a part of their names: [Termes, Heros]."""
    dates: Literal["numeric", "iso"] | None = None
    """The form of dates, as the option date-form has it."""
    publications: Annotated[int, Field(ge=0, le=999)] | None = None
    """The most publications."""
    words: FrozenMap[str, Count] = FrozenMap()
    """The most words of a section, by its kind or id, of the summary or the letter."""
    characters: FrozenMap[str, Count] = FrozenMap()
    """The most characters, with spaces, in the same way; as the fields of portals count them."""
    without: OneOrMany[Literal["photo", "metrics", "birth-date"]] = ()
    """What must not be there; metrics are impact factors, h-indices and numbers of citations."""
    needs: OneOrMany[Line] = ()
    """Contacts, sections, by kind or id, that must be there: [orcid, education]."""

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if not self.model_fields_set:
            raise refused("limits_empty", "no limit is named", "write one, such as {pages: 2}")
        return self


# -- variants: documents of a person, each with its own selection and order ------------------------

#: The key for all sections where a variant may name some.
EVERY = ""


def _for_all(value: object) -> object:
    """Return one value for all sections as {"": value}."""
    return value if isinstance(value, dict) else {EVERY: value}


_SINCE_HINT = "write a year, a month or a day, such as 2018 or 2018-06, or a time, such as 5 years"


def _since(value: object) -> Point | Ago:
    """Return one date, or how long ago it is; raise PydanticCustomError."""
    if isinstance(value, Point | Ago):
        return value
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise refused("since", "one date is needed", _SINCE_HINT)
    try:
        return ago(clean(str(value))) or point(clean(str(value)))
    except PydanticCustomError as error:
        if error.type != "date_form":
            raise
        message = '"{value}" is not one date'
        raise refused("since", message, _SINCE_HINT, value=str(value)) from None


_BY_SECTION = {"type": "object", "minProperties": 1, "additionalProperties": scalar()}
#: Shows a mapping by section in JSON Schema as what it may also be: one value.
FOR_ALL = WithJsonSchema({"anyOf": [scalar(), _BY_SECTION]})

Limit = Annotated[int, Field(ge=0, le=999)]
Since: TypeAlias = Annotated[Point | Ago, BeforeValidator(_since)]


def _unreserved(name: str) -> str:
    if is_reserved(name):
        hint = "choose another name: no file can be called so there"
        raise refused("name_reserved", '"{value}" is reserved by Windows', hint, value=name)
    return name


#: Part of a file name, which has at most 255 bytes.
VariantName = Annotated[
    Line, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$"), AfterValidator(_unreserved)
]


class Variant(Model):
    """One document of the person: its template and what it shows."""

    template: Line | None = None
    """The template; the person's first one when absent."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of that template; they override the person's."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] | None = None
    """Its language; the person's when absent."""
    include: Rule | None = None
    """Show only items with these tags, or without any tag: systems and not teaching."""
    exclude: Rule | None = None
    """Leave out items with these tags."""
    kinds: OneOrMany[Line] = ()
    """Show only these sections, by their kind or id."""
    without: OneOrMany[Line] = ()
    """Leave out these sections."""
    since: Annotated[FrozenMap[str, Since], BeforeValidator(_for_all), FOR_ALL] = FrozenMap()
    """Leave out items that ended before: 2018, 5 years (ago), or {publication: 18 months}."""
    limit: Annotated[FrozenMap[str, Limit], BeforeValidator(_for_all), FOR_ALL] = FrozenMap()
    """Show at most this many items in a section: 5, or {publication: 5}; ``keep`` chooses them."""
    keep: Literal["newest", "priority"] = "newest"
    """The items that a limit keeps: the newest, or those of the highest priority, of these the
    newest. What has no date counts as old as the item above it in the file; of items without any
    date the first are kept."""
    order: OneOrMany[Line] = ()
    """Put these sections first, in this order."""
    titles: FrozenMap[str, Prose] = FrozenMap()
    """Other headings: {publication: Selected Publications}."""
    headline: Prose | None = None
    """A different line under the name."""
    summary: Paragraphs = ()
    """A different summary."""
    call: Line | None = None
    """A funder's call, whose rules it follows: a file in calls/, or one of cvbuild's."""
    limits: Limits | None = None
    """What the document must keep to: {pages: 4, size: 11}; it is refused if it doesn't."""
    private: bool = False
    """Show everything that is private, and the overlay."""

    @property
    def is_of_today(self) -> bool:
        """Whether what it shows depends on the day: ``since: 5 years``."""
        return any(isinstance(one, Ago) for one in self.since.values())


# -- the person ------------------------------------------------------------------------------------

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
