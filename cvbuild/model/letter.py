"""A cover letter: what it says, and to whom."""

from __future__ import annotations

import re
from datetime import date as Day
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from cvbuild.model.base import Line, Model, OneOrMany, Shorthand
from cvbuild.model.blocks import Body
from cvbuild.model.dates import day

#: Of a postal address.
MAX_LINES = 10


def _lines(value: object) -> Any:
    """A block of text as its lines."""
    return re.split(r"\s*\n\s*", value.strip()) if isinstance(value, str) else value


def _few(lines: tuple[str, ...]) -> tuple[str, ...]:
    # It stands in one piece on the first page.
    if len(lines) > MAX_LINES:
        raise PydanticCustomError("address_lines", f"an address has at most {MAX_LINES} lines")
    return lines


class Recipient(Model):
    """To whom the letter goes."""

    name: Line | None = None
    """The person's name, as the letter greets them: Prof. Lin Example."""
    title: Line | None = None
    """What they are: Head of Research."""
    organization: Line | None = None
    """The employer."""
    address: Annotated[OneOrMany[Line], BeforeValidator(_lines), AfterValidator(_few)] = ()
    """Lines of the postal address: a list, or a block of text."""

    @model_validator(mode="after")
    def _somebody(self) -> Recipient:
        if self.name is None and self.organization is None:
            raise PydanticCustomError("recipient", "the recipient has no name and no organization")
        return self


class Letter(Shorthand):
    """A cover letter; written as one text, the name of the file that holds it."""

    shorthand: ClassVar[str] = "file"

    recipient: Recipient | None = None
    """To whom it goes."""
    date: Annotated[Day, BeforeValidator(day)] | None = None
    """The day that it is dated: 2026-01-31; that of the application when absent."""
    subject: Line | None = None
    """What it is about; the application's position when absent."""
    opening: Line | None = None
    """How it begins: Dear Prof. Example,; that of the language when absent."""
    body: Body | None = None
    """Paragraphs and lists in Markdown; or name a file."""
    file: Line | None = None
    """A Markdown file beside this one that holds the text."""
    closing: Line | None = None
    """How it ends: Kind regards,; that of the language when absent."""
    signature: Line | None = None
    """A PNG or JPEG file beside this one."""
    enclosures: OneOrMany[Line] = ()
    """What comes with it: CV, Transcript."""
