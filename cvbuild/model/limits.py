"""Limits: what a call or an employer allows a document, such as four pages in 11 pt."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from cvbuild.common.errors import refused
from cvbuild.model.base import FrozenMap, Line, Model, OneOrMany

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
