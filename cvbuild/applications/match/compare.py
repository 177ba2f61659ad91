"""Compare an advertisement's terms with what a document shows.

An advertisement is plain text or Markdown, which is read as text. Whoever wrote the file is
unknown: it is read up to ``MAX_BYTES``, nothing in it is run or fetched, and the time it takes is
that of its length.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from cvbuild.applications.match import terms
from cvbuild.applications.match.terms import Key, Lexicon, Line, Term
from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import MAX_BYTES
from cvbuild.outputs import checks
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown
from cvbuild.selection import select

_IS_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_WEB = (".html", ".htm", ".xhtml")
#: How PDFs, archives such as Word documents, old Word documents and RTF begin.
_OTHER = (b"%PDF-", b"PK\3\4", b"\xd0\xcf\x11\xe0", b"{\\rtf")
#: The address of a link in Markdown.
_TARGET = re.compile(r"(?<=\])\([^()\s]*\)")


class Advert(Struct, frozen=True):
    """What an advertisement says; ``name`` is how messages call its file."""

    name: str
    lines: tuple[Line, ...]


class Match(Struct, frozen=True):
    """A term, and where a document has it: the places in the person's file, with first words."""

    term: Term
    places: tuple[Span, ...] = ()
    titles: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        items = [
            {"title": title, "file": span.file, "line": span.line or None}
            for span, title in zip(self.places, self.titles, strict=True)
        ]
        term, status = self.term, "has" if self.places else "nowhere"
        plain = {"term": term.text, "status": status, "count": term.count}
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
    is_page = path.suffix.lower() in _WEB or _IS_HTML.match(data)
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    if is_page or data.startswith(_OTHER) or (b"\0" in data and not is_utf16):
        fact = "this is a web page, not a text" if is_page else "this is not a text"
        hint = "save the advertisement as text or Markdown, in UTF-8"
        raise ProfileError.because("job-not-text", fact, hint, Span(name))
    return read(source_stage.decoded(data, name), name)


def read(text: str, name: str) -> Advert:
    """Return the lines of an advertisement that have words.

    Raises ProfileError if it is larger than a file may be.
    """
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        message, hint = "the advertisement is larger than 1 MiB", "paste only the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name))
    lines = enumerate(re.split(r"\r\n|\r|\n", _TARGET.sub("", text)), 1)
    return Advert(name, tuple(Line(number, line) for number, line in lines if line.strip()))


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


def run(chosen: Shown, advert: Advert, language: str | None = None) -> tuple[Match, ...]:
    """Compare what a document shows with an advertisement in ``language``, by default its own.

    Raises ProfileError for an advertisement without terms, UsageError for a package of the extra
    ``match`` that isn't installed.
    """
    lexicon = terms.load(language or chosen.task.profile.locale)
    wanted = terms.find(advert.lines, lexicon)
    if not wanted:
        fact = "there are no terms in this file"
        hint = "save what a browser shows of the advertisement as text"
        raise ProfileError.because("job-empty", fact, hint, Span(advert.name))
    texts: dict[FieldPath, str] = {}
    for content in checks.contents(chosen.view):
        texts[content.path] = f"{texts.get(content.path, '')}\n{content}".lstrip()
    source = chosen.task.source
    return tuple(
        Match(
            term,
            tuple(source.span(path) for path in paths),
            tuple(select.shortened(texts[path]) for path in paths),
        )
        for term, paths in find(wanted, texts, lexicon)
    )


def find(
    wanted: Sequence[Term], texts: Mapping[FieldPath, str], lexicon: Lexicon
) -> Iterator[tuple[Term, tuple[FieldPath, ...]]]:
    """Yield each term with the fields whose texts have it.

    Words with a hyphen are compared as one word each, and in pieces.
    """
    searched = {key for term in wanted for key in (term.key, term.pieces)}
    sizes = {len(key) for key in searched}
    fields: dict[Key, dict[FieldPath, None]] = defaultdict(dict)
    for path, text in texts.items():
        for segment in lexicon.segments(text):
            for words in {tuple(word.whole for word in segment), terms.pieces(segment)}:
                rows = (words[at : at + n] for n in sizes for at in range(len(words) - n + 1))
                for row in searched.intersection(rows):
                    fields[row][path] = None
    for term in wanted:
        yield term, tuple({**fields[term.key], **fields[term.pieces]})
