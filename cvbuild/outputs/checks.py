"""Checks that every output can use: which texts must be in a file, and which must not.

What only a PDF has (fonts, links, pages) is checked in ``outputs.pdf.verify``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, quoted
from cvbuild.common.errors import DocumentError
from cvbuild.inputs.yaml.source import PrivateValue, Source
from cvbuild.model import rich_text
from cvbuild.model.dates import Date
from cvbuild.model.lines import UrlError
from cvbuild.model.locales import FORMS, date_text
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
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})


def contents(document: Document) -> Iterator[Content]:
    """Yield every text that a reader of the document must find, in order."""
    yield from walk((document.header, document.sections, document.closing))
    if letter := document.letter:
        # Its title is what the file is called, and is not on the page.
        hidden = ("title",) if letter.enclosures else ("title", "label")
        yield from walk(dict(_fields(letter, (*_NOT_SHOWN, *hidden))))


def walk(value: object) -> Iterator[Content]:
    """Yield the texts in a part of a view."""
    if isinstance(value, Content):
        if value.nodes or not value.points:
            yield value
        yield from walk(value.points)
    elif isinstance(value, Item):
        # An item's keywords are shown; those of a document are for search.
        for name, inner in value.fields.items():
            if name not in _OF_STYLES:
                yield from walk(inner)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from walk(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from walk(inner)
    elif isinstance(value, Struct):
        for _, part in _fields(value, _NOT_SHOWN):
            yield from walk(part)


def _fields(value: Struct, without: Collection[str]) -> Iterator[tuple[str, object]]:
    for name in value.__struct_fields__:
        if name not in without:
            yield name, getattr(value, name)


def require(
    text: str, expected: Collection[Content], source: Source, *, ordered: bool = True
) -> dict[str, int]:
    """Return the figures of a file; raises DocumentError with the texts that it has ``lost``."""
    if faults := lost(text, expected, source, ordered=ordered):
        raise DocumentError(faults)
    return {"texts": len(expected)}


def lost(
    text: str, expected: Iterable[Content], source: Source, *, ordered: bool = True
) -> tuple[Diagnostic, ...]:
    """Return an error for each of the ``expected`` texts that ``text`` lacks; case is ignored."""
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
                if at < 0 and letters in whole:
                    does = f"has {quoted(words)} before what precedes it"
                    faults.append(_fault("text-order", does, content, source))
                elif at < 0:
                    faults.append(_fault("text-lost", f"lacks {quoted(words)}", content, source))
                # The address of a link may stand with all others at the end.
                if content.path[-1] != "url":
                    end = max(end, at + len(letters))
        start = end if ordered else 0
    return tuple(faults[:_MANY])


def _block(content: Content) -> FieldPath:
    """Return the path of the item or bullet of a list that a text is in, or its own."""
    path = content.path
    if path[0] in _HEAD:
        return _HEAD
    is_in_section = path[0] == "sections"
    steps = range(2 if is_in_section else 1, len(path))
    ends = (at for at in steps if isinstance(path[at], int) and path[at - 1] != "groups")
    return path[: next(ends, len(path)) + 1]


def _fault(code: str, does: str, content: Content, source: Source) -> Diagnostic:
    hint = "this is a bug in the output format, not in your file: please report it"
    return Diagnostic("error", code, f"the file {does}", source.span(content.path), hint)


def _parts(nodes: Iterable[rich_text.Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, rich_text.Span | rich_text.Link):
            yield from _parts(node.children)
        else:
            yield rich_text.plain((node,))


def _plain(text: str) -> str:
    return text_folding.fold(text.casefold().translate(_QUOTES)).letters


# -- private texts, none of which may be in a document ---------------------------------------------


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
    """Return the texts that ``inputs.privacy`` took out, as written and as documents show them."""
    # Years and months don't count, as any document has them.
    return tuple(
        Secret(text, value.path, value.span)
        for value in hidden
        for written in value.texts
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


def exposed(
    taken_out: Iterable[Secret], public: str, places: Iterable[tuple[str, str]]
) -> Iterator[tuple[Secret, str]]:
    """Yield each private text in one of the ``places`` (name, text), and the place's name."""
    # A text that is also in the ``public`` ones may be there.
    known = text_folding.fold_caseless(public)
    folded = [(name, text_folding.fold_caseless(text)) for name, text in places]
    for secret in taken_out:
        private = text_folding.fold_caseless(secret.text)
        if len(private.letters) < SHORT or text_folding.has_words(known, private):
            continue
        for name, text in folded:
            if text_folding.has_words(text, private):
                yield secret, name
                break


def leaked(text: str, view: Document, source: Source, locale: str) -> tuple[Diagnostic, ...]:
    """Return an error for each private text that is in the text of an output's file."""
    taken_out = secrets(source.private, locale)
    if not taken_out:
        return ()
    fact = "a private text is in the file"
    hint = "this is a bug in the output format: please report it"
    public = "\n".join(map(str, contents(view)))
    return tuple(
        Diagnostic("error", "private", fact, secret.span or source.span(secret.path), hint)
        for secret, _ in exposed(taken_out, public, [("", text)])
    )
