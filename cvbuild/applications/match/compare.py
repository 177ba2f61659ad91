"""Compare an advertisement's terms with a document, and with everything in its person's file.

An advertisement is plain text or Markdown. Whoever wrote the file is unknown: it is read up to
``MAX_BYTES``, nothing in it is run or fetched, and the time it takes is that of its length.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from cvbuild.applications.match import terms
from cvbuild.applications.match.terms import Key, Lexicon, Line, Term
from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import localize
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import MAX_BYTES, Source
from cvbuild.model import Profile
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown
from cvbuild.selection import select
from cvbuild.view import builder
from cvbuild.view.types import Address, Content, Document, Item

#: Characters of a paragraph whose inline Markdown is read; a longer one is taken as it is.
_PARAGRAPH = 1 << 14
_IS_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
#: How other kinds of files begin, and what they are.
_OTHER = {
    b"%PDF-": "a PDF",
    b"PK\3\4": "a Word document or another archive",
    b"\xd0\xcf\x11\xe0": "an old Word document",
    b"{\\rtf": "an RTF document",
}
#: Keys whose words control a document and are not printed.
_STEERING = frozenset(["kind", "numbering", "order", "tags"])
#: Lists whose elements can be left out of a document one by one.
_LISTS = frozenset(["bullets", "items", "notes", "roles"])


class Status(StrEnum):
    """Where a term is."""

    HAS = "has"
    LEFT_OUT = "left-out"
    NOWHERE = "nowhere"


class Advert(Struct, frozen=True):
    """What an advertisement says; ``name`` is how messages call its file."""

    name: str
    lines: tuple[Line, ...]


class Unit(Struct, frozen=True):
    """An item, a role or a bullet with its texts; ``why`` it is left out, if it is."""

    path: FieldPath
    texts: tuple[str, ...]
    why: str | None = None


class Match(Struct, frozen=True):
    """A term, and the units that have it: of the document, else of what is left out of it.

    ``places`` are those of the units in the person's file, ``titles`` their first words.
    """

    term: Term
    status: Status
    units: tuple[Unit, ...] = ()
    places: tuple[Span, ...] = ()
    titles: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        items = [
            {"title": title, "file": span.file, "line": span.line or None, "why": unit.why}
            for unit, span, title in zip(self.units, self.places, self.titles, strict=True)
        ]
        term = self.term
        plain = {"term": term.text, "status": self.status.value, "count": term.count}
        return {**plain, "line": term.line, "items": items}


def load(path: Path) -> Advert:
    """Read an advertisement.

    Raises UsageError if there is no such file, ProfileError if it is too large, no text, or not in
    UTF-8.
    """
    name = source_stage.name_of(path)
    try:
        data = source_stage.bytes_of(path)
    except ProfileError as error:
        fault = error.diagnostics[0]
        if fault.code == "file-kind":
            fault = replace(fault, hint="name a text file")
        elif fault.code != "file-missing":
            raise
        raise UsageError([fault]) from None
    kind = next((kind for start, kind in _OTHER.items() if data.startswith(start)), None)
    if kind is None and b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        kind = "a binary file"
    if path.suffix.lower() in (".html", ".htm", ".xhtml") or _IS_HTML.match(data):
        kind = "a web page"
    if kind:
        hint = "save the advertisement as text or Markdown, in UTF-8"
        raise ProfileError.because("job-not-text", f"this is {kind}, not a text", hint, Span(name))
    text = source_stage.decoded(data, name)
    return read(text, name, is_markdown=path.suffix.lower() in (".md", ".markdown"))


def read(text: str, name: str, *, is_markdown: bool = False) -> Advert:
    """Return the lines of an advertisement that have words; of Markdown, those that are shown.

    Raises ProfileError if it is larger than a file may be.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        message, hint = "the advertisement is larger than 1 MiB", "paste only the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name))
    parts = _of_markdown(text) if is_markdown else enumerate(re.split(r"\r\n|\r|\n", text), 1)
    return Advert(name, tuple(Line(number, line) for number, line in parts if line.strip()))


def _of_markdown(text: str) -> Iterator[tuple[int, str]]:
    """Yield a line for each paragraph, heading, point and line of code."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table").disable("inline")
    for token in parser.parse(text):
        first = (token.map or (0, 0))[0] + 1 + (token.type == "fence")
        is_long = token.type == "inline" and len(token.content) > _PARAGRAPH
        if is_long or token.type in ("fence", "code_block"):
            yield from enumerate(token.content.split("\n"), first)
        elif token.type == "inline":
            # A list without empty lines between its points, or lines that the writer broke.
            parts = parser.inline.parse(token.content, parser, {}, [])
            words = (
                " " if part.type.endswith("break") else part.content
                for part in parts
                if part.type != "html_inline"
            )
            yield first, "".join(words).replace("\n", " ")


def as_json(task: Task, name: str, language: str, matches: Iterable[Match]) -> dict[str, object]:
    """Return a plain object for ``--json``; ``name`` and ``language`` are the advertisement's."""
    return {
        "language": language,
        "person": task.person.name,
        "variant": task.variant,
        "template": task.template,
        "job": name,
        "terms": [match.as_json() for match in matches],
        "diagnostics": [],
    }


def run(
    task: Task,
    chosen: Shown,
    advert: Advert,
    language: str | None = None,
    employer: str = "",
) -> tuple[Match, ...]:
    """Compare what a document shows with an advertisement in ``language``, by default its own.

    Names of the employer aren't compared: ``employer``, and those that mail addresses end in.
    Raises ProfileError for an advertisement without terms, UsageError for a package of the extra
    ``match`` that isn't installed.
    """
    lexicon = terms.load(language or chosen.task.profile.locale)
    names = terms.names(advert.lines, employer)
    wanted = [term for term in terms.find(advert.lines, lexicon) if not terms.is_named(term, names)]
    if not wanted:
        fact = "there are no terms in this file"
        hint = "save what a browser shows of the advertisement as text"
        raise ProfileError.because("job-empty", fact, hint, Span(advert.name))
    # All texts of the person, in the document's language.
    profile, _ = localize.localize(task.profile, task.source, chosen.task.profile.locale)
    shown, left_out = divide(
        builder.build(select.select(profile, {}), chosen.options),
        builder.build(chosen.selected, chosen.options),
        lambda path: _why(chosen, path),
    )

    def located(match: Match) -> Match:
        """Return a match with its places: a variant may override what the person's file says."""
        is_left_out = match.status is Status.LEFT_OUT
        whole = profile if is_left_out else chosen.task.profile
        source: Source = task.source if is_left_out else chosen.task.source
        places = tuple(source.span(unit.path) for unit in match.units)
        titles = tuple(_title(whole, unit) for unit in match.units)
        return Match(match.term, match.status, match.units, places, titles)

    return tuple(map(located, find(wanted, shown, left_out, lexicon)))


def _title(profile: Profile, unit: Unit) -> str:
    """Return the first words of an item, or of its first text."""
    # A name that is made of parts has the path of none.
    with suppress(AttributeError, IndexError):
        if words := select.words_of(profile, unit.path):
            return words
    return select.shortened(unit.texts[0])


def find(
    wanted: Sequence[Term], shown: Iterable[Unit], left_out: Iterable[Unit], lexicon: Lexicon
) -> tuple[Match, ...]:
    """Return where each term is: in what a document shows, in what it leaves out, or nowhere."""
    searched = {key for term in wanted for key in (term.key, term.pieces)}
    indexes = {Status.HAS: shown, Status.LEFT_OUT: left_out}
    known = {status: _index(units, searched, lexicon) for status, units in indexes.items()}
    matches = []
    for term in wanted:
        match = Match(term, Status.NOWHERE)
        for status, index in known.items():
            units = dict.fromkeys((*index.get(term.key, ()), *index.get(term.pieces, ())))
            if units and match.status is Status.NOWHERE:
                match = Match(term, status, tuple(units))
        matches.append(match)
    return tuple(matches)


def _index(
    units: Iterable[Unit], searched: set[Key], lexicon: Lexicon
) -> Mapping[Key, Sequence[Unit]]:
    """Return the units that have a searched row of words.

    Words with a hyphen are compared as one word each, and in pieces.
    """
    sizes = sorted({len(key) for key in searched})
    index: dict[Key, list[Unit]] = defaultdict(list)
    for unit in units:
        for segment in (part for text in unit.texts for part in lexicon.segments(text)):
            for words in {tuple(word.whole for word in segment), terms.pieces(segment)}:
                rows = (
                    words[start : start + size]
                    for size in sizes
                    for start in range(len(words) - size + 1)
                )
                for row in searched.intersection(rows):
                    index[row].append(unit)
    return index


def divide(
    whole: Document, shown: Document, why: Callable[[FieldPath], str]
) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """Return what a document shows, and what it doesn't show of the ``whole`` profile.

    ``why`` says of an item's path why it is left out.
    """
    shown_texts = texts_of(shown)
    left_out = {
        path: text for path, text in texts_of(whole).items() if shown_texts.get(path) != text
    }
    return tuple(_units(shown_texts)), tuple(_units(left_out, why))


def texts_of(document: Document) -> dict[FieldPath, str]:
    """Return every text of a document that a reader sees as words, by its field."""
    texts: dict[FieldPath, str] = {}
    for path, text in _texts((document.header, document.sections)):
        texts[path] = f"{texts[path]}\n{text}" if path in texts else text
    return texts


def _texts(value: object) -> Iterator[tuple[FieldPath, str]]:
    match value:
        case Content(path=path):
            yield path, str(value)
        case Item(fields=parts):
            for name, part in parts.items():
                if name not in _STEERING:
                    yield from _texts(part)
        case tuple():
            for part in value:
                yield from _texts(part)
        case Struct() if not isinstance(value, Address):
            for name in value.__struct_fields__:
                yield from _texts(getattr(value, name))


def _units(
    texts: Mapping[FieldPath, str], why: Callable[[FieldPath], str] | None = None
) -> Iterator[Unit]:
    """Group texts by the unit that they are shown or left out with.

    That is the innermost item, role or bullet that a text is in; else its section or field.
    """
    units: dict[FieldPath, list[str]] = defaultdict(list)
    for path, text in texts.items():
        ends = [
            at + 2
            for at, (name, index) in enumerate(pairwise(path))
            if name in _LISTS and isinstance(index, int)
        ]
        units[path[: ends[-1]] if ends else path[:2]].append(text)
    return (Unit(path, tuple(of), why(path) if why else None) for path, of in units.items())


def _why(chosen: Shown, path: FieldPath) -> str:
    """Return why a document leaves out what is at a path."""
    for part in chosen.selected.out:
        if path[: len(part.path)] == part.path:
            return part.located(chosen.task.source)
    name = chosen.task.name
    is_own = path[0] in ("headline", "summary")
    return f"{name} has a {path[0]} of its own" if is_own else f"not in {name}"
