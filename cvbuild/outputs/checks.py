"""Checks that every output can use: which texts must be in a file, and which must not.

What only a PDF has (fonts, links, pages) is checked in ``outputs.pdf.verify``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, DocumentError, FieldPath, Span, quoted
from cvbuild.inputs.yaml.tree import PrivateValue, Source
from cvbuild.model.locales import FORMS, date_text
from cvbuild.model.locales.dates import Date
from cvbuild.model.text import rich_text
from cvbuild.model.text.lines import UrlError
from cvbuild.outputs import text_folding
from cvbuild.view.types import Content, Document, Item

#: Fields of a view that are not shown: labels that not every style needs, metadata, alternative
#: texts, tags for the selection.
_NOT_SHOWN = ("words", "keywords", "alt", "signature", "tags")
#: Fields of an item that are not shown, or by some styles only.
_OF_STYLES = ("tags", "column_date")
#: Where the texts of the head come from, which each format arranges in its own way.
_HEAD = ("name", "headline", "contact")
#: At most this many lost texts are reported.
_MANY = 12
#: What to do about a text that is missing.
_REPORT = "this is a bug in the output format, not in your file: please report it"
#: The quotes of all languages are one: JSON Resume has them as they were typed.
_QUOTES = dict.fromkeys(map(ord, "'‘’‚“”„‹›«»「」『』"), '"')


def contents(document: Document) -> Iterator[Content]:
    """Yield every text that a reader of the document must find, in order."""
    yield from walk((document.header, document.sections, document.closing))
    if letter := document.letter:
        # Its title is what the file is called, and is not on the page.
        hidden = ("title",) if letter.enclosures else ("title", "label")
        names = (name for name in letter.__struct_fields__ if name not in (*_NOT_SHOWN, *hidden))
        yield from walk(tuple(getattr(letter, name) for name in names))


def walk(value: object) -> Iterator[Content]:
    """Yield the texts in a part of a view."""
    if isinstance(value, Content):
        if value.nodes or not value.points:
            yield value
        yield from walk(value.points)
    elif isinstance(value, Item):
        # An item's keywords are shown; those of a document are for search.
        fields = value.fields.items()
        yield from walk(tuple(inner for name, inner in fields if name not in _OF_STYLES))
    elif isinstance(value, Mapping):
        yield from walk(tuple(value.values()))
    elif isinstance(value, tuple):
        for inner in value:
            yield from walk(inner)
    elif isinstance(value, Struct):
        names = (name for name in value.__struct_fields__ if name not in _NOT_SHOWN)
        yield from walk(tuple(getattr(value, name) for name in names))


def require(
    text: str, expected: Collection[Content], source: Source, *, ordered: bool = True
) -> dict[str, int]:
    """Return the figures of a file; raises DocumentError with the ``expected`` texts it lacks."""
    # Case is ignored.
    # Each part in another style is looked for alone: the address of a link comes after its words.
    # With ``ordered``, an item (or heading, or the head) must also come after all of the one before
    # it; within an item the order is the format's own. ``expected`` is in the order of
    # ``contents``.
    whole, faults, start = _plain(text), list[Diagnostic](), 0
    for _, block in groupby(expected, _block):
        end = start
        for content in block:
            for words in _parts(content.nodes):
                letters = _plain(words)
                at = whole.find(letters, start)
                if at < 0:
                    code, fact = "text-lost", f"the file lacks {quoted(words)}"
                    if letters in whole:
                        code = "text-order"
                        fact = f"the file has {quoted(words)} before what precedes it"
                    span = source.span(content.path)
                    faults.append(Diagnostic("error", code, fact, span, _REPORT))
                # The address of a link may stand with all others at the end.
                if content.path[-1] != "url":
                    end = max(end, at + len(letters))
        start = end if ordered else 0
    if faults:
        raise DocumentError(faults[:_MANY])
    return {"texts": len(expected)}


def _block(content: Content) -> FieldPath:
    """Return the path of the item or bullet of a list that a text is in, or its own."""
    path = content.path
    if path[0] in _HEAD:
        return _HEAD
    is_in_section = path[0] == "sections"
    steps = range(2 if is_in_section else 1, len(path))
    ends = (at for at in steps if isinstance(path[at], int) and path[at - 1] != "groups")
    return path[: next(ends, len(path)) + 1]


def _parts(nodes: Iterable[rich_text.Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, rich_text.Span | rich_text.Link):
            yield from _parts(node.children)
        else:
            yield rich_text.plain((node,))


def _plain(text: str) -> str:
    return text_folding.fold(text.casefold().translate(_QUOTES)).letters


#: Shorter private texts are not looked for: any document has them.
SHORT = 4


class Secret(Struct, frozen=True):
    """A private text; ``span`` is its place, where the path of a removed field may not lead."""

    text: str
    path: FieldPath
    span: Span | None = None


def secrets(hidden: Iterable[PrivateValue], locale: str) -> tuple[Secret, ...]:
    """Return the texts that ``person.privacy`` took out, as written and as documents show them."""
    taken: list[Secret] = []
    for value in hidden:
        for written in value.texts:
            texts = [written]
            try:
                date = Date.of(written)
            except PydanticCustomError:
                date = None
            if date is not None and date.start is not None:
                # Years and months don't count, as any document has them.
                dates = (date_text(date, locale, form) for form in FORMS)
                texts = [written, *dates] if date.start.day else []
            else:
                with suppress(UrlError, rich_text.TitleError):
                    nodes = rich_text.parse(written)
                    links = (link.url for link in rich_text.links(nodes))
                    texts += [rich_text.plain(nodes), *links]
            taken += (Secret(text, value.path, value.span) for text in dict.fromkeys(texts))
    return tuple(taken)


def exposed(
    taken_out: Iterable[Secret], public: str, places: Iterable[tuple[str, str]]
) -> Iterator[tuple[Secret, str]]:
    """Yield each private text in one of the ``places`` (name, text), and the place's name."""
    # A text that is also in the ``public`` ones may be there.
    known = text_folding.fold(public.casefold())
    folded = [(name, text_folding.fold(text.casefold())) for name, text in places]
    for secret in taken_out:
        private = text_folding.fold(secret.text.casefold())
        if len(private.letters) < SHORT or text_folding.has_words(known, private):
            continue
        for name, text in folded:
            if text_folding.has_words(text, private):
                yield secret, name
                break


def leaked(text: str, view: Document, source: Source, locale: str) -> tuple[Diagnostic, ...]:
    """Return an error for each private text that is in the text of an output's file."""
    if not (taken_out := secrets(source.private, locale)):
        return ()
    public = "\n".join(map(str, contents(view)))
    fact, hint = "a private text is in the file", _REPORT.replace(", not in your file", "")
    return tuple(
        Diagnostic("error", "private", fact, secret.span or source.span(secret.path), hint)
        for secret, _ in exposed(taken_out, public, [("", text)])
    )
