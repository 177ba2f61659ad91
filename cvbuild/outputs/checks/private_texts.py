"""The texts that were taken out as private: none of them may be in a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.inputs.yaml.source import PrivateValue, Source
from cvbuild.model.dates import Date
from cvbuild.model.locales.dates import FORMS, date_text
from cvbuild.model.text import rich_text
from cvbuild.model.text.urls import UrlError
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.view.types import Document

#: Shorter private texts are not looked for: any document has them.
SHORT = 4


class Secret(Struct, frozen=True):
    """A text of a private field, which must not be in the document.

    ``span`` is its place in the file, as the path of a removed field may not lead there any more.
    """

    text: str
    path: FieldPath
    span: Span | None = None


def secrets(hidden: Iterable[PrivateValue], locale: str) -> tuple[Secret, ...]:
    """Return the texts that ``inputs.privacy`` took out, as written and as a document shows them.

    Years and months don't count, as any document has them.
    """
    return tuple(
        Secret(text, one.path, one.span)
        for one in hidden
        for written in one.texts
        for text in dict.fromkeys(_forms(written, locale))
    )


def _forms(written: str, locale: str) -> Iterator[str]:
    try:
        date = Date.of(written)
    except PydanticCustomError:
        date = None
    if date is not None and date.start is not None:
        if date.start.day:
            yield written
            yield from (date_text(date, locale, form) for form in FORMS)
        return
    yield written
    try:
        nodes = rich_text.parse(written)
    except (UrlError, rich_text.TitleError):
        return
    yield rich_text.plain(nodes)
    yield from (link.url for link in rich_text.links(nodes))


def leaked(text: str, view: Document, source: Source, locale: str) -> tuple[Diagnostic, ...]:
    """Return an error for each private text that is in the text of an output's file."""
    taken_out = secrets(source.private, locale)
    if not taken_out:
        return ()
    public = text_folding.fold_caseless("\n".join(map(str, view_texts.contents(view))))
    written = text_folding.fold_caseless(text)
    fact = "a private text is in the file"
    hint = "this is a bug in the output format: please report it"
    return tuple(
        Diagnostic("error", "private", fact, secret.span or source.span(secret.path), hint)
        for secret in taken_out
        if len((private := text_folding.fold_caseless(secret.text)).letters) >= SHORT
        and not text_folding.has_words(public, private)
        and text_folding.has_words(written, private)
    )
