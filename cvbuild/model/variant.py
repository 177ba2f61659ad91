"""A variant: one document of a person, with a choice and an order of its own."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

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
from cvbuild.model.dates import Point, point
from cvbuild.model.tag_rules import Rule
from cvbuild.model.text import scalar

#: What stands for all sections where a variant may speak of some.
EVERY = ""


def _for_all(value: object) -> object:
    """One value for all sections is {"": value}."""
    return value if isinstance(value, dict) else {EVERY: value}


def _since(value: object) -> Point:
    """One date; raises PydanticCustomError."""
    if isinstance(value, Point):
        return value
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise PydanticCustomError("since", "one date is needed")
    try:
        return point(clean(str(value)))
    except PydanticCustomError as error:
        if error.type != "date_form":
            raise
        message = '"{value}" is not one date'
        raise PydanticCustomError("since", message, {"value": str(value)}) from None


class ForAll:
    """Shows a mapping by section in JSON Schema as what it may also be: one value."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        by_section = {"type": "object", "minProperties": 1, "additionalProperties": scalar()}
        return {"anyOf": [scalar(), by_section]}


Limit = Annotated[int, Field(ge=0, le=999)]
Since: TypeAlias = Annotated[Point, BeforeValidator(_since)]
#: It is part of a file's name, which has 255 bytes at most.
Name = Annotated[Line, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,99}$")]


class Variant(Model):
    """One document of the person: a template, and what goes into it."""

    template: Line | None = None
    """The template; the person's first one when absent."""
    options: FrozenMap[str, OptionValue] = FrozenMap()
    """Options of that template; they go before the person's."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] | None = None
    """Its language; the person's when absent."""
    include: Rule | None = None
    """Only what has these tags, or none at all: systems and not teaching."""
    exclude: Rule | None = None
    """Not what has these tags."""
    kinds: OneOrMany[Line] = ()
    """Only these sections, by their kind or id."""
    without: OneOrMany[Line] = ()
    """Not these sections."""
    since: Annotated[FrozenMap[str, Since], BeforeValidator(_for_all), ForAll()] = FrozenMap()
    """Not what ended before: 2018, or {publication: 2020-06}."""
    limit: Annotated[FrozenMap[str, Limit], BeforeValidator(_for_all), ForAll()] = FrozenMap()
    """At most so many items in a section: 5, or {publication: 5}."""
    keep: Literal["newest", "priority"] = "newest"
    """Which ones a limit keeps: the newest, or those of the highest priority."""
    order: OneOrMany[Line] = ()
    """These sections first, in this order."""
    titles: FrozenMap[str, Prose] = FrozenMap()
    """Other headings: {publication: Selected Publications}."""
    headline: Prose | None = None
    """Another line under the name."""
    summary: Paragraphs = ()
    """Another summary."""
    private: bool = False
    """Whether it shows what is private, and the overlay."""
