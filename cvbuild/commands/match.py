"""``cvbuild match``: which terms of a job's advertisement a document has."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cvbuild import (
    advert,
    batch,
    console,
    lexicon,
    localize,
    matching,
    people,
    selection,
    templates,
    terms,
    viewer,
)
from cvbuild.api import known_locale, workspace_library
from cvbuild.errors import ProfileError, UsageError
from cvbuild.matching import Found, Match, Status, Unit

if TYPE_CHECKING:
    from cvbuild.advert import Advert
    from cvbuild.diagnostics import FieldPath
    from cvbuild.model import Profile
    from cvbuild.selection import Selected
    from cvbuild.source import Source

#: Items that are named for a term.
_SHOWN = 3
_HEADS = {
    Status.HAS: "in the document",
    Status.LEFT_OUT: "left out of it",
    Status.NOWHERE: "nowhere in the profile",
}
_MARKS = {Status.HAS: "✓", Status.LEFT_OUT: "○", Status.NOWHERE: "✗"}


@dataclass(frozen=True)
class _Document:
    """The document that is compared: its person in its language, and what it shows of them."""

    person: str
    name: str
    profile: Profile
    source: Source
    options: Mapping[str, Any]
    selected: Selected


def run(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document and with all that its person could say."""
    document = _document(given)
    language = known_locale(given.locale) or document.profile.locale
    words = lexicon.load(language)
    job = advert.load(Path(given.job))
    whole = selection.select(document.profile, {})
    shown, left_out = matching.divide(
        viewer.build(whole, document.options),
        viewer.build(document.selected, document.options),
        lambda path: _why(document, path),
    )
    found = matching.match(terms.find(job.lines, words), shown, left_out, words)
    if given.json:
        console.print_json(_json(found, document, job, language))
    else:
        _say(found, document, job)
    return 0


def _document(given: argparse.Namespace) -> _Document:
    if not given.person:
        raise UsageError.because("match-person", "whose document?", "name one with --person")
    library = workspace_library(given.template_path)
    checked = batch.check(people.find([given.person])[0], library)
    if checked.profile is None or checked.source is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    template = library.require(given.template or checked.profile.template[0])
    profile, _ = localize.localize(checked.profile, checked.source)
    options = templates.resolve(template, profile)
    selected = selection.select(profile, options)
    return _Document(checked.person.name, template.name, profile, checked.source, options, selected)


def _why(document: _Document, path: FieldPath) -> str:
    """Why a path is left out."""
    below = {path[:size] for size in range(len(path) + 1)}
    if below & set(document.selected.limited):
        return f"beyond the {document.options.get('publications')} publications of this document"
    return "not in this document"


def _say(match: Match, document: _Document, job: Advert) -> None:
    count = {status: len(match.of(status)) for status in Status}
    console.answer(
        f"{job.name}: {len(match.found)} terms; {document.person} {document.name} has "
        f"{count[Status.HAS]}, leaves out {count[Status.LEFT_OUT]}; "
        f"{count[Status.NOWHERE]} are nowhere"
    )
    for status in Status:
        found = match.of(status)
        told = [one for one in found if status is not Status.NOWHERE or one.term.score > 1]
        if found:
            console.answer(f"\n{_HEADS[status]}:")
        for one in told:
            console.answer(f"  {_MARKS[status]} {_line(one)}")
            if status is Status.LEFT_OUT:
                _say_units(one, document)
        rest = [one.term for one in found if one not in told]
        if rest:
            # Single words that are there once: many, and few of them matter.
            words = ", ".join(f"{term.text} ({term.line})" for term in rest)
            console.answer(f"  once each: {words}")


def _line(one: Found) -> str:
    """A term, how often and where it is in the advertisement, and how else it is written."""
    term = one.term
    often = f"{term.count}×, line {term.line}" if term.count > 1 else f"line {term.line}"
    others = [*term.forms[1:], *one.forms]
    also = f"; also {_quoted(others)}" if others else ""
    part = f"; the document has {_quoted([one.part])}" if one.part else ""
    return f"{term.text} ({often}{also}{part})"


def _quoted(words: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in dict.fromkeys(words[:_SHOWN]))


def _say_units(one: Found, document: _Document) -> None:
    for unit in one.units[:_SHOWN]:
        place = document.source.span(unit.path)
        console.answer(f"      {place}: {_title(unit, document)}: {unit.why}")
    if len(one.units) > _SHOWN:
        console.answer(f"      and {len(one.units) - _SHOWN} more")


def _title(unit: Unit, document: _Document) -> str:
    try:
        return selection.words_of(document.profile, unit.path)
    except (AttributeError, IndexError):
        return unit.texts[0][:70]


def _json(match: Match, document: _Document, job: Advert, language: str) -> dict[str, object]:
    return {
        "person": document.person,
        "document": document.name,
        "job": job.name,
        "language": language,
        "terms": [_plain(one, document) for one in match.found],
        "diagnostics": [],
    }


def _plain(one: Found, document: _Document) -> dict[str, object]:
    term = one.term
    return {
        "term": term.text,
        "status": one.status.value,
        "count": term.count,
        "line": term.line,
        "score": term.score,
        "forms": list(term.forms),
        "same": list(one.forms),
        "part": one.part,
        "items": [
            {
                "title": _title(unit, document),
                "file": (place := document.source.span(unit.path)).file,
                "line": place.line,
                "why": unit.why,
            }
            for unit in one.units
        ],
    }
