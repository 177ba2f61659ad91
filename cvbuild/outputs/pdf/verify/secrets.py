"""The texts that were taken out as private: none of them may be in the PDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.inputs.yaml.source import Hidden
from cvbuild.locales.dates import date_text
from cvbuild.model import rich_text
from cvbuild.model.dates import Date
from cvbuild.model.urls import UrlError


@dataclass(frozen=True, slots=True)
class Secret:
    """A text of a field that is private, so not in the document.

    ``span`` is its place if the path doesn't lead there: what was taken out has none any more.
    """

    text: str
    path: FieldPath
    span: Span | None = None


def secrets(hidden: Iterable[Hidden], locale: str) -> tuple[Secret, ...]:
    """Every text that ``privacy`` took out, as it was written and as the document would show it.

    Years and months are in any document, so they are none.
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
            yield date_text(date, locale)
        return
    yield written
    try:
        nodes = rich_text.parse(written)
    except UrlError:
        return
    yield rich_text.plain(nodes)
    yield from (link.url for link in rich_text.links(nodes))
