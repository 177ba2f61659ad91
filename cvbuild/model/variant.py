"""A variant: one document of a person, with its own selection and order."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

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
    clean,
)
from cvbuild.model.dates import Ago, Point, ago, point
from cvbuild.model.limits import Limits
from cvbuild.model.tag_rules import Rule
from cvbuild.model.text.lines import scalar

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
Name = Annotated[
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
