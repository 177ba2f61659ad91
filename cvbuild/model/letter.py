"""A cover letter: what it says, and to whom."""

from datetime import date as Day
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, model_validator

from cvbuild.common.errors import refused
from cvbuild.model.base import Line, Model, OneOrMany, Shorthand
from cvbuild.model.dates import day
from cvbuild.model.letter_body import Body

#: The most lines of a postal address.
MAX_LINES = 10
#: The most characters of a field on one or a few lines.
MAX_LENGTH = 200


def _lines(value: object) -> Any:
    """Return a block of text as its lines."""
    if not isinstance(value, str):
        return value
    return [line.strip() for line in value.split("\n") if line.strip()] or [""]


def _few(lines: tuple[str, ...]) -> tuple[str, ...]:
    # The address is one block on the first page.
    if len(lines) > MAX_LINES:
        hint = "leave out lines that the post doesn't need"
        raise refused("address_lines", f"an address has at most {MAX_LINES} lines", hint)
    return lines


def _short(line: str) -> str:
    # A page has no room for more, and TeX's own error would name no field.
    if len(line) > MAX_LENGTH:
        hint = "make it shorter: the text of the letter may say the rest"
        raise refused(
            "line_long",
            "this line has {count} characters, and a letter has room for {most}",
            hint,
            count=len(line),
            most=MAX_LENGTH,
        )
    return line


#: A line that has room in a letter.
Short = Annotated[Line, AfterValidator(_short)]


class Recipient(Model):
    """Who the letter is addressed to."""

    name: Short | None = None
    """The person's name, as the letter greets them: Prof. Lin Example."""
    title: Short | None = None
    """What they are: Head of Research."""
    organization: Short | None = None
    """The employer."""
    address: Annotated[OneOrMany[Short], BeforeValidator(_lines), AfterValidator(_few)] = ()
    """Lines of the postal address: a list, or a block of text."""

    @model_validator(mode="after")
    def _is_addressed(self) -> Self:
        if self.name is None and self.organization is None:
            hint = "add name: or organization: to it"
            raise refused("recipient", "the recipient has no name and no organization", hint)
        return self


class Letter(Shorthand):
    """A cover letter; if written as one text, that is the name of the file that has it."""

    shorthand: ClassVar[str] = "file"

    recipient: Recipient | None = None
    """Who it is addressed to."""
    date: Annotated[Day, BeforeValidator(day)] | None = None
    """The date of the letter: 2026-01-31; the application's when absent."""
    subject: Short | None = None
    """What it is about; the application's position when absent."""
    opening: Short | None = None
    """How it begins: Dear Prof. Example,; the language's own words when absent."""
    body: Body | None = None
    """Paragraphs and lists in Markdown; or name a file."""
    file: Line | None = None
    """A Markdown file in this file's folder that has the text."""
    closing: Short | None = None
    """How it ends: Kind regards,; the language's own words when absent."""
    signature: Line | None = None
    """A PNG or JPEG file in this file's folder."""
    enclosures: OneOrMany[Short] = ()
    """What comes with it: CV, Transcript."""
