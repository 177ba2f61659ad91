"""Compare the terms of an advertisement with a document, and with what the document leaves out.

Pure: reads no file and prints nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from itertools import pairwise

from cvbuild.applications.match.lexicon import Lexicon, Word
from cvbuild.applications.match.terms import Key, Term
from cvbuild.common.diagnostics import FieldPath
from cvbuild.view.types import Address, Content, Document, Item

#: Keys whose words control a document and are not printed.
_STEERING = frozenset(["kind", "numbering", "order", "tags"])
#: Lists whose elements can be left out of a document one by one.
_LISTS = frozenset(["bullets", "items", "notes", "roles"])


class Status(StrEnum):
    """Where a term is."""

    HAS = "has"
    LEFT_OUT = "left-out"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class Unit:
    """An item, a role or a bullet with its texts; ``why`` it is left out, if it is."""

    path: FieldPath
    texts: tuple[str, ...]
    why: str | None = None


@dataclass(frozen=True, slots=True)
class FoundTerm:
    """A term, and the units that have it: of the document, else of what is left out of it."""

    term: Term
    status: Status
    units: tuple[Unit, ...] = ()
    forms: tuple[str, ...] = ()
    """How they write it, where that isn't how the advertisement does."""
    part: str | None = None
    """What a document without it has of it: "deep learning" of "deep learning models"."""


@dataclass(frozen=True, slots=True)
class Match:
    """The terms of an advertisement in their order, each with where it is."""

    found: tuple[FoundTerm, ...]

    def of(self, status: Status) -> tuple[FoundTerm, ...]:
        """Return the terms with one status."""
        return tuple(one for one in self.found if one.status == status)


def match(
    terms: Iterable[Term], shown: Sequence[Unit], left_out: Sequence[Unit], lexicon: Lexicon
) -> Match:
    """Return where each term is: in what a document shows, in what it leaves out, or nowhere."""
    terms = tuple(terms)
    searched = {key for term in terms for key in (*_keys(term), *_smaller(term))}
    shown_index, left_out_index = (
        _index(shown, searched, lexicon),
        _index(left_out, searched, lexicon),
    )
    return Match(tuple(_found(term, shown_index, left_out_index) for term in terms))


def texts_of(document: Document) -> dict[FieldPath, str]:
    """Return every text of a document that a reader sees as words, by its field."""
    found: dict[FieldPath, str] = {}
    for path, text in _texts((document.header, document.sections)):
        found[path] = f"{found[path]}\n{text}" if path in found else text
    return found


def divide(
    whole: Document, shown: Document, why: Callable[[FieldPath], str]
) -> tuple[tuple[Unit, ...], tuple[Unit, ...]]:
    """Return what a document shows, and what it doesn't show of the ``whole`` profile.

    ``why`` says of an item's path why it is left out.
    """
    shown_texts = texts_of(shown)
    left_out_texts = {
        path: text for path, text in texts_of(whole).items() if shown_texts.get(path) != text
    }
    left_out = (Unit(one.path, one.texts, why(one.path)) for one in _units(left_out_texts))
    return tuple(_units(shown_texts)), tuple(left_out)


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
        case _ if is_dataclass(value) and not isinstance(value, Address):
            for field in fields(value):
                yield from _texts(getattr(value, field.name))


def _units(texts: Mapping[FieldPath, str]) -> Iterator[Unit]:
    """Group texts by the unit that they are shown or left out with."""
    units: dict[FieldPath, list[str]] = defaultdict(list)
    for path, text in texts.items():
        units[_unit_of(path)].append(text)
    return (Unit(path, tuple(of)) for path, of in units.items())


def _unit_of(path: FieldPath) -> FieldPath:
    """Return the innermost item, role or bullet that a text is in; else its section or field."""
    ends = [
        at + 2
        for at, (name, index) in enumerate(pairwise(path))
        if name in _LISTS and isinstance(index, int)
    ]
    return path[: ends[-1]] if ends else path[:2]


_Index = dict[Key, list[tuple[Unit, str]]]


def _index(units: Iterable[Unit], searched: set[Key], lexicon: Lexicon) -> _Index:
    """Return the units that have a searched row of words, and how they write it."""
    sizes = sorted({len(key) for key in searched})
    index: _Index = defaultdict(list)
    for unit in units:
        for text in unit.texts:
            for segment in lexicon.segments(text):
                for key, form in _rows(segment, sizes):
                    if key in searched:
                        index[key].append((unit, form))
    return index


def _rows(segment: Sequence[Word], sizes: Iterable[int]) -> Iterator[tuple[Key, str]]:
    """Yield every row of so many words: words with a hyphen as one word each, and in pieces."""
    pairs = [(piece, at) for at, word in enumerate(segment) for piece in word.parts]
    wholes = [(word.whole, at) for at, word in enumerate(segment)]
    for stream in (wholes, pairs) if wholes != pairs else (wholes,):
        for size in sizes:
            for at in range(len(stream) - size + 1):
                row = stream[at : at + size]
                form = " ".join(word.text for word in segment[row[0][1] : row[-1][1] + 1])
                yield tuple(key for key, _ in row), form


def _keys(term: Term) -> tuple[Key, ...]:
    return tuple(dict.fromkeys((term.key, term.pieces)))


def _smaller(term: Term) -> Iterator[Key]:
    """Yield rows of two words and more inside a term, the longest first."""
    for size in range(len(term.pieces) - 1, 1, -1):
        for at in range(len(term.pieces) - size + 1):
            yield term.pieces[at : at + size]


def _found(term: Term, shown_index: _Index, left_out_index: _Index) -> FoundTerm:
    for status, index in ((Status.HAS, shown_index), (Status.LEFT_OUT, left_out_index)):
        hits = [hit for key in _keys(term) for hit in index.get(key, ())]
        if hits:
            units = tuple(dict.fromkeys(unit for unit, _ in hits))
            known = {form.casefold() for form in term.forms}
            forms = dict.fromkeys(form for _, form in hits if form.casefold() not in known)
            part = None if status is Status.HAS else _part(term, shown_index)
            return FoundTerm(term, status, units, tuple(forms), part)
    return FoundTerm(term, Status.NOWHERE, part=_part(term, shown_index))


def _part(term: Term, shown_index: _Index) -> str | None:
    return next((shown_index[key][0][1] for key in _smaller(term) if key in shown_index), None)
