"""The messages and requests of the browser, checked. docs/internals/serve.md has their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, TypeVar

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError, UsageError

_Kind = TypeVar("_Kind", bound=BaseModel)

#: The socket's protocol.
PROTOCOL = "cvbuild"
#: Bytes of the largest message: a file of 1 MiB, whose characters JSON may escape.
MOST = 8 << 20
#: Bytes of the files of one import, and how many they may be.
MOST_IMPORT, MOST_FILES = 32 << 20, 20
#: A name of a file without its ending.
_FILE_NAME = r"^[^/\\\x00-\x1f.][^/\\\x00-\x1f]*$"
#: Picture pixels for each point: a 4K screen at twice the size needs fewer.
MOST_SCALE = 6.0


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class DocumentName(_Strict):
    """Which document of a person: a template, a variant, or the letter of an application."""

    name: str = Field(max_length=200)
    kind: Literal["template", "variant", "letter"]
    private: bool = False
    locale: str | None = Field(default=None, max_length=100)


class Open(_Strict):
    """Edit this person's file from now on."""

    type: Literal["open"]
    person: str = Field(max_length=300)


class Edit(_Strict):
    """The whole text after a keystroke."""

    type: Literal["edit"]
    revision: int = Field(ge=1)
    text: str


class Show(_Strict):
    """Make this document from now on; ``scale`` in pixels for each point."""

    type: Literal["show"]
    document: DocumentName
    scale: float = Field(gt=0)


class Look(_Strict):
    """Show files so from now on, also after the next start."""

    type: Literal["look"]
    view: Literal["text", "form", "both"]


class Save(_Strict):
    """Write the text; with ``force`` over the file of that version."""

    type: Literal["save"]
    revision: int = Field(ge=0)
    force: bool = False
    version: str | None


class _OfText(_Strict):
    """Something of a person's text."""

    person: str = Field(max_length=300)
    text: str


class DownloadRequest(_OfText):
    """A document of a text in a format."""

    document: DocumentName
    format: str = Field(max_length=100)


class MatchRequest(_OfText):
    """An advertisement to compare with a document of a text."""

    document: DocumentName
    advert: str


class Original(_Strict):
    """A text that is translated, and its language."""

    language: str = Field(max_length=100)
    text: str


class Change(_Strict):
    """A value for a path; None removes it.

    ``insert`` puts it before that place of a list; ``to`` moves what is there to another place of
    its list; ``copy`` puts a copy of what is there behind it. With ``translates`` the last step is
    a language, into which the text above it is translated; that must still be there. With
    ``read`` the value is one that an advertisement says: it is marked so, and takes no other's
    place. ``sure`` keeps what is there, without its mark.
    """

    path: list[str | int] = Field(min_length=1, max_length=20)
    value: JsonValue = None
    insert: bool = False
    to: int | None = Field(default=None, ge=0)
    # A model has a method ``copy``.
    is_copy: bool = Field(default=False, alias="copy")
    translates: Original | None = None
    read: bool = False
    sure: bool = False


class SetRequest(Change):
    """A change of a text, and those that are to be one edit with it."""

    text: str
    kind: Literal["person", "application"] = "person"
    also: list[Change] = Field(default=[], max_length=1000)


class AdvertRequest(_Strict):
    """An advertisement to fill in an application from, and the application's text."""

    text: str
    advert: str


class HistoryRequest(_Strict):
    """The earlier versions of a file, or the text of one."""

    person: str = Field(max_length=300)
    version: str = Field(default="", max_length=100)


class FieldsRequest(_Strict):
    """A part of a text, as a form has it."""

    text: str
    kind: Literal["person", "application"] = "person"
    path: list[str | int] = Field(max_length=20)


class PlaceRequest(_Strict):
    """A place between two halves of a text; ``is_hover`` asks what is there, not what may be."""

    kind: Literal["person", "application"]
    before: str
    after: str
    is_hover: bool


class NewRequest(_Strict):
    """A person to begin, by name; ``template`` is the style, None for the usual one.

    Without ``write`` it is only said which file that would be.
    """

    name: str = Field(max_length=200)
    template: str | None = Field(default=None, max_length=100)
    write: bool = True


class MoveRequest(_Strict):
    """A person whose files are put aside or come back, are renamed or copied; or an application.

    ``name`` is the new one, or that of what was put aside; an application, applications/SLUG, isn't
    renamed.
    """

    act: Literal["remove", "back", "rename", "copy"]
    person: str = Field(max_length=300, pattern=rf"^(applications/)?{_FILE_NAME[1:]}")
    name: str = Field(default="", max_length=200, pattern=rf"^$|{_FILE_NAME}")


class GivenFile(_Strict):
    """A file that was dropped or chosen."""

    name: str = Field(min_length=1, max_length=300)
    data: Base64Bytes


class FileRequest(GivenFile):
    """A picture for a person's file, or a PDF for an application's."""

    person: str = Field(max_length=300)


class ImportRequest(_Strict):
    """Files of one person; ``person`` is who the user says it is."""

    files: list[GivenFile] = Field(min_length=1, max_length=MOST_FILES)
    person: str | None = Field(default=None, max_length=200)


class AdditionsRequest(_OfText):
    """Files of one person, which add to a text; ``chosen`` are the numbers of what is added."""

    files: list[GivenFile] = Field(min_length=1, max_length=MOST_FILES)
    chosen: list[int] | None = Field(default=None, max_length=10_000)


class NewApplicationRequest(_Strict):
    """An application to begin; what is empty is left out."""

    person: str = Field(max_length=300)
    employer: str = Field(min_length=1, max_length=200)
    position: str = Field(min_length=1, max_length=200)
    deadline: str = Field(default="", max_length=10)
    locale: str = Field(default="", max_length=100)


class PacketRequest(_Strict):
    """What is to be done with an application's packet."""

    application: str = Field(max_length=200)
    act: Literal["look", "zip", "eml", "write", "sent", "kept"]
    #: Of what was sent, the folder and the file: 2026-11-21-example-lab/cv.pdf.
    file: str = Field(default="", max_length=400)


class SheetRequest(_OfText):
    """Page 1 of a document of a text, with ``scale`` pixels for each point."""

    document: DocumentName
    scale: float = Field(gt=0, le=2)


class UntranslatedRequest(_OfText):
    """The texts that aren't in a language."""

    locale: str = Field(min_length=1, max_length=100)


class CardRequest(_Strict):
    """A person whose state is shown at the start."""

    person: str = Field(max_length=300)


_MESSAGE: TypeAdapter[Open | Edit | Show | Look | Save] = TypeAdapter(
    Annotated[Open | Edit | Show | Look | Save, Field(discriminator="type")]
)


def read(text: str | bytes) -> Open | Edit | Show | Look | Save:
    """Return a message of the socket; raises UsageError for any other."""
    try:
        return _MESSAGE.validate_json(text)
    except ValidationError as error:
        raise _refused(error) from None


def read_as(kind: type[_Kind], data: bytes) -> _Kind:
    """Return a request's body as a model; raises UsageError for any other."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        raise _refused(error) from None


def _refused(error: ValidationError) -> CvbuildError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    fact = f"the message can't be followed: {place or 'it'}: {first['msg'][:200]}"
    return UsageError.because("message", fact, "reload the page")


def plain(faults: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return diagnostics as JSON has them."""
    return [item.as_json() for item in faults]
