"""The model of an application: what one file of ``applications/`` holds."""

from __future__ import annotations

from datetime import date as Day
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import Line, Model, OneOrMany, Paragraphs, Shorthand
from cvbuild.model.contact import EmailAddress
from cvbuild.model.letter import Letter, Recipient, Short
from cvbuild.model.locales.dates import day
from cvbuild.model.profile import Limits
from cvbuild.model.text import language_tags
from cvbuild.model.text.lines import Lines


class Addressee(Recipient):
    """The recipient of the application; the employer where no person is named."""

    email: EmailAddress | None = None
    """Where the message goes."""

    @model_validator(mode="after")
    def _is_addressed(self) -> Self:
        """Accept an empty recipient: the employer is known."""
        return self


class Attachment(Shorthand):
    """A PDF that goes out with the application; written as one text, the name of its file."""

    shorthand: ClassVar[str] = "file"

    file: Line
    """A PDF beside this file: transcript.pdf."""
    title: Line | None = None
    """What it is, for names of files and bookmarks; the file's name when absent."""


class Message(Shorthand):
    """The e-mail; written as one text, what it says."""

    shorthand: ClassVar[str] = "body"

    subject: Line | None = None
    """Its subject; position and name when absent."""
    body: Lines | None = None
    """What it says: plain text, an empty line between paragraphs."""


class Application(Model):
    """One application of one person to one employer."""

    person: Line
    """Who applies: the name of a file in people/, without .yaml."""
    variant: Line | None = None
    """Which of the person's variants is the CV; the person's first document when absent."""
    template: Line | None = None
    """The CV in this template, where it is none of the variants."""
    private: bool = False
    """Whether CV and letter show what is private, and the overlay."""
    locale: Annotated[Line, AfterValidator(language_tags.checked)] | None = None
    """The language of all documents; the person's when absent."""
    formats: OneOrMany[Line] = ()
    """Formats in which CV and letter go out besides PDF: docx, html."""
    limits: Limits | None = None
    """What the CV must keep to: {pages: 2}; words and characters of letter are the letter's."""
    employer: Short
    """Where the application goes."""
    position: Short
    """What it is for."""
    reference: Line | None = None
    """The employer's number of the position: 2027-14; subjects of letter and e-mail have it."""
    found: Line | None = None
    """Where the position was found: an address, or words."""
    recipient: Addressee | None = None
    """Who reads it."""
    deadline: Annotated[Day, BeforeValidator(day)] | None = None
    """The last day for it: 2026-01-31."""
    files: Line | None = None
    """A pattern for the names of the files; that of docs/how-to/applications.md when absent."""
    letter: Letter | None = None
    """The cover letter; no letter is made when absent."""
    message: Message | None = None
    """The e-mail; a short one when absent."""
    attachments: OneOrMany[Attachment] = ()
    """Further PDFs, in their order: transcripts, certificates."""
    attach: Literal["separate", "merged"] = "separate"
    """Whether the e-mail carries each PDF, or all of them merged into one."""
    size_limit: Annotated[int, Field(ge=1, le=100, alias="size-limit")] = 5
    """How many MB the e-mail may have; many mail servers and portals take no more than 5."""
    notes: Paragraphs = ()
    """Anything to remember; it goes nowhere."""

    @property
    def named_position(self) -> str:
        """The position as subjects name it: Research Scientist (2027-14)."""
        return f"{self.position} ({self.reference})" if self.reference else self.position

    @model_validator(mode="after")
    def _one_document(self) -> Self:
        if self.variant is not None and self.template is not None:
            fact = "the CV is one document: a variant, or in a template"
            hint = "keep one of variant: and template:"
            raise refused("variant_and_template", fact, hint, key="template")
        return self
