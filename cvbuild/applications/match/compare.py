"""Compare an advertisement's terms with a document, and with everything in its person's file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec import Struct

from cvbuild.applications.match import lexicon, terms
from cvbuild.applications.match.advert import Advert
from cvbuild.applications.match.lexicon import Lexicon, Word
from cvbuild.applications.match.terms import Key, Term
from cvbuild.common.diagnostics import FieldPath, Span
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import localize
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown
from cvbuild.selection import select
from cvbuild.view import builder
from cvbuild.view.types import Address, Content, Document, Item

#: Keys whose words control a document and are not printed.
_STEERING = frozenset(["kind", "numbering", "order", "tags"])
#: Lists whose elements can be left out of a document one by one.
_LISTS = frozenset(["bullets", "items", "notes", "roles"])
#: Keys of a person that a variant may override.
_TEXTS = ("headline", "summary")


class Status(StrEnum):
    """Where a term is."""

    HAS = "has"
    LEFT_OUT = "left-out"
    NOWHERE = "nowhere"


class Unit(Struct, frozen=True):
    """An item, a role or a bullet with its texts; ``why`` it is left out, if it is."""

    path: FieldPath
    texts: tuple[str, ...]
    why: str | None = None


class FoundTerm(Struct, frozen=True):
    """A term, and the units that have it: of the document, else of what is left out of it."""

    term: Term
    status: Status
    units: tuple[Unit, ...] = ()


class Compared(Struct, frozen=True):
    """What was compared, and the terms of the advertisement in their order, with where each is.

    ``language`` is the advertisement's, ``profile`` all of the person, ``source`` their file.
    """

    language: str
    terms: tuple[FoundTerm, ...]
    job: Advert
    chosen: Shown
    profile: Profile
    source: Source

    def of(self, status: Status) -> tuple[FoundTerm, ...]:
        """Return the terms with one status."""
        return tuple(term for term in self.terms if term.status == status)

    def title(self, unit: Unit) -> str:
        """Return the first words of an item."""
        try:
            profile = self.chosen.task.profile if unit.why is None else self.profile
            return select.words_of(profile, unit.path) or select.shortened(unit.texts[0])
        except (AttributeError, IndexError):
            return select.shortened(unit.texts[0])

    def span(self, unit: Unit) -> Span:
        """Return its position in the person's file, or in the variant that overrides it."""
        source = self.chosen.task.source if unit.why is None else self.source
        return source.span(unit.path)

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        task = self.chosen.task
        return {
            "language": self.language,
            "person": task.person.name,
            "variant": task.variant,
            "template": task.template,
            "job": self.job.name,
            "terms": [_plain(one, self) for one in self.terms],
            "diagnostics": [],
        }


def run(
    task: Task, chosen: Shown, job: Advert, language: str | None, employer: str = ""
) -> Compared:
    """Compare what a document shows with an advertisement in ``language``, by default its own.

    Names of the employer aren't compared: ``employer``, and those that mail addresses end in.
    Raises ProfileError for an advertisement without
    terms, UsageError for a package of the extra ``match`` that isn't installed.
    """
    language = language or chosen.task.profile.locale
    words = lexicon.load(language)
    names = terms.names(job.lines, employer)
    job_terms = [one for one in terms.find(job.lines, words) if not terms.is_named(one, names)]
    if not job_terms:
        fact = "there are no terms in this file"
        hint = "save what a browser shows of the advertisement as text"
        raise ProfileError.because("job-empty", fact, hint, Span(job.name))
    # All texts of the person, in the document's language.
    profile, _ = localize.localize(task.profile, task.source, chosen.task.profile.locale)
    shown, left_out = divide(
        builder.build(select.select(profile, {}), chosen.options),
        builder.build(chosen.selected, chosen.options),
        lambda path: _why(chosen, path),
    )
    matches = match(job_terms, shown, left_out, words)
    return Compared(language, matches, job, chosen, profile, task.source)


def match(
    wanted: Sequence[Term], shown: Iterable[Unit], left_out: Iterable[Unit], words: Lexicon
) -> tuple[FoundTerm, ...]:
    """Return where each term is: in what a document shows, in what it leaves out, or nowhere."""
    searched = {key for term in wanted for key in (term.key, term.pieces)}
    indexes = {
        Status.HAS: _index(shown, searched, words),
        Status.LEFT_OUT: _index(left_out, searched, words),
    }
    matches = []
    for term in wanted:
        match = FoundTerm(term, Status.NOWHERE)
        for status, index in indexes.items():
            units = dict.fromkeys((*index.get(term.key, ()), *index.get(term.pieces, ())))
            if units and match.status is Status.NOWHERE:
                match = FoundTerm(term, status, tuple(units))
        matches.append(match)
    return tuple(matches)


def texts_of(document: Document) -> dict[FieldPath, str]:
    """Return every text of a document that a reader sees as words, by its field."""
    texts: dict[FieldPath, str] = {}
    for path, text in _texts((document.header, document.sections)):
        texts[path] = f"{texts[path]}\n{text}" if path in texts else text
    return texts


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
        case Struct() if not isinstance(value, Address):
            for name in value.__struct_fields__:
                yield from _texts(getattr(value, name))


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


def _index(
    units: Iterable[Unit], searched: set[Key], words: Lexicon
) -> Mapping[Key, Sequence[Unit]]:
    """Return the units that have a searched row of words."""
    sizes = sorted({len(key) for key in searched})
    index: dict[Key, list[Unit]] = defaultdict(list)
    for unit in units:
        for text in unit.texts:
            for segment in words.segments(text):
                for key in _rows(segment, sizes):
                    if key in searched:
                        index[key].append(unit)
    return index


def _rows(segment: Sequence[Word], sizes: Iterable[int]) -> Iterator[Key]:
    """Yield every row of so many words: words with a hyphen as one word each, and in pieces."""
    for stream in {tuple(word.whole for word in segment), terms.pieces(segment)}:
        for size in sizes:
            for start in range(len(stream) - size + 1):
                yield stream[start : start + size]


def _why(chosen: Shown, path: FieldPath) -> str:
    """Return why a document leaves out what is at a path."""
    for part in chosen.selected.out:
        if path[: len(part.path)] == part.path:
            return part.located(chosen.task.source)
    name = chosen.task.name
    return f"{name} has a {path[0]} of its own" if path[0] in _TEXTS else f"not in {name}"


def _plain(hit: FoundTerm, compared: Compared) -> dict[str, object]:
    term = hit.term
    return {
        "term": term.text,
        "status": hit.status.value,
        "count": term.count,
        "line": term.line,
        "items": [
            {
                "title": compared.title(unit),
                "file": span.file,
                "line": span.line or None,
                "why": unit.why,
            }
            for unit in hit.units
            for span in [compared.span(unit)]
        ],
    }
