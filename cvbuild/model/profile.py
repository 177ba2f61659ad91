"""What the files of a workspace hold: a person's, with variants and limits, settings, calls."""

import re
from datetime import date as Day
from fnmatch import fnmatchcase
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

from cvbuild.common.diagnostics import FieldPath, refused
from cvbuild.common.files.safe_files import is_reserved
from cvbuild.model.base import (
    FrozenMap,
    Line,
    Model,
    OneOrMany,
    OptionValue,
    Paragraphs,
    Prose,
    Shorthand,
    Words,
    clean,
)
from cvbuild.model.contact import Contact, Name
from cvbuild.model.kinds import KINDS, OWN, Section
from cvbuild.model.locales.dates import Ago, Point, ago, day, point
from cvbuild.model.sections import Interest, Rule
from cvbuild.model.text import language_tags
from cvbuild.model.text.lines import requires, scalar

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


#: Part of a file name, which has at most 255 bytes.
_PATTERN = StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$")
_fact = '"{value}" is reserved by Windows'
_hint = "choose another name: no file can be called so there"
_is_free = requires("name_reserved", lambda name: not is_reserved(name), _fact, _hint)
VariantName = Annotated[Line, _PATTERN, _is_free]


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
        """Return a document's template; of a variant without one the first that is listed."""
        variant = self.variants.get(document)
        if variant is None:
            return document
        listed = (name for name in self.template if name not in self.variants)
        return variant.template or next(listed, DEFAULT_TEMPLATE)


#: Sections that stand for keys of the profile itself.
OWN_SECTIONS = tuple(OWN)


# -- what the files of a workspace hold: ``cvbuild.yaml``, and the calls in ``calls/`` -------------

#: The fields of ``contact`` that a workspace may keep private.
Contacts = Literal["address", "birth-date", "email", "nationality", "other", "phone"]
#: Groups of a workspace.
_MOST = 500


class Look(Model):
    """How documents look, and in which formats they are made."""

    template: Annotated[OneOrMany[Line], Field(min_length=1)] | None = None
    """The templates to build: one name, or several."""
    formats: Annotated[OneOrMany[Line], Field(min_length=1)] | None = None
    """The formats of each document: pdf, html, docx, txt and more."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of the templates; those under a template's name apply only to it."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] | None = None
    """Language and region of dates and headings: en, en-GB, de."""


class Defaults(Look):
    """What people have whose own files don't say it."""

    require: Look = Look()
    """What holds for people whose own files say otherwise, too."""
    variants: FrozenMap[VariantName, Variant] = FrozenMap()
    """Documents that everybody here has, by name; a person's own variant goes before, by key."""
    private: OneOrMany[Contacts] = ()
    """What public documents don't show of contact, of everybody: phone, address, birth-date."""


class Group(Defaults):
    """Some of the people, and what they have whose own files don't say it."""

    people: Annotated[OneOrMany[Line], Field(min_length=1)]
    """The names of files in people/, without .yaml, or patterns such as "phd-*"."""
    without: OneOrMany[Line] = ()
    """Names or patterns of those among them who are not in the group."""
    title: Words | None = None
    """The heading of these people on a site; it may be written in several languages."""

    def has(self, person: str) -> bool:
        """Return whether the person of a file, named without .yaml, is in the group."""
        named, others = (
            any(fnmatchcase(person, pattern) for pattern in patterns)
            for patterns in (self.people, self.without)
        )
        return named and not others


def _few(groups: FrozenMap[str, Group]) -> FrozenMap[str, Group]:
    """Check that there aren't so many that finding a person's settings takes long."""
    if len(groups) > _MOST:
        fact = f"{len(groups):,} groups are too many: there may be {_MOST}"
        raise PydanticCustomError("too_many_groups", fact)
    return groups


class Mail(Model):
    """What a draft to a person about mistakes in the file says, before it lists them."""

    subject: Words | None = None
    """The subject; it may be written in several languages, as the text may."""
    text: Words | None = None
    """The text after the greeting, which is in the language of the person's file."""


class Workspace(Model):
    """Settings of a workspace, for everybody and for groups of people."""

    defaults: Defaults = Defaults()
    """The settings of everybody; a person's own file goes before them."""
    groups: Annotated[FrozenMap[Line, Group], AfterValidator(_few)] = FrozenMap()
    """The settings of groups of people, by the group's name; later ones go before earlier ones."""
    mail: Mail = Mail()
    """The drafts to people that --mail writes."""


CALL_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")


class Call(Model):
    """What a funder asks of a CV, and where that is written."""

    title: Line
    """What it is called: ERC Starting Grant."""
    funder: Line | None = None
    """Who it is of."""
    outcome: Literal["pdf", "paste"] = "pdf"
    """Whether a PDF is handed in, or texts are pasted into the fields of a form."""
    source: Line
    """Where its rules are written: an address."""
    checked: Annotated[Day, BeforeValidator(day)]
    """The day on which the rules were read there."""
    unconfirmed: OneOrMany[Line] = ()
    """What was not found in the funder's own words."""
    variant: Variant
    """What the document shows, how it looks, and what it must keep to."""
