"""``cvbuild match``: list which terms of a job's advertisement a document has."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from cvbuild.applications import documents, load
from cvbuild.applications.match import advert, compare, lexicon, terms
from cvbuild.applications.match.advert import Advert
from cvbuild.applications.match.compare import FoundTerm, Match, Status, Unit
from cvbuild.building import plan
from cvbuild.building.check import profiles
from cvbuild.building.environment import known_locale, today, workspace_library
from cvbuild.building.requested_documents import RequestedDocuments, require_variants
from cvbuild.cli import console
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import localize, people
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task, day_of
from cvbuild.outputs.types import Shown
from cvbuild.selection import select
from cvbuild.view import builder

#: How many items are listed for a term.
_SHOWN = 3
#: How many characters a title may have.
_WORDS = 70
#: Keys of a person that a variant may override.
_TEXTS = ("headline", "summary")
_HEADS = {
    Status.HAS: "in the document",
    Status.LEFT_OUT: "left out of it",
    Status.NOWHERE: "nowhere in the profile",
}
_MARKS = {Status.HAS: "✓", Status.LEFT_OUT: "○", Status.NOWHERE: "✗"}


def run(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document and with everything in the person's file."""
    library, language = workspace_library(given.template_path), known_locale(given.locale)
    task, locale = _application(given, library) if given.slug else (_task(given, library), None)
    chosen = plan.choose(task, library, locale)
    language = language or chosen.task.profile.locale
    words = lexicon.load(language)
    job = advert.load(Path(given.job))
    job_terms = terms.find(job.lines, words)
    if not job_terms:
        hint = "save what a browser shows of the advertisement as text"
        fault = Diagnostic(
            "error", "job-empty", "there are no terms in this file", Span(job.name), hint
        )
        raise ProfileError([fault])
    # All texts of the person, in the document's language.
    profile, _ = localize.localize(task.profile, task.source, chosen.task.profile.locale)
    shown, left_out = compare.divide(
        builder.build(select.select(profile, {}), chosen.options),
        builder.build(chosen.selected, chosen.options),
        lambda path: _why(chosen, path),
    )
    found = compare.match(job_terms, shown, left_out, words)
    compared = _Compared(found, job, chosen, profile, task.source)
    if given.json:
        console.print_json({"language": language, **_json(compared)})
    else:
        _say(compared)
    return 0


@dataclass(frozen=True, slots=True)
class _Compared:
    """A match and what was compared; ``profile`` is all of the person, ``source`` their file."""

    match: Match
    job: Advert
    chosen: Shown
    profile: Profile
    source: Source

    def title(self, unit: Unit) -> str:
        """Return the first words of an item."""
        try:
            return select.words_of(self.profile, unit.path)
        except (AttributeError, IndexError):
            return unit.texts[0][:_WORDS]

    def span(self, unit: Unit) -> Span:
        """Return its position in the person's file, or in the variant that overrides it."""
        here = self.chosen.task.source if unit.why is None else self.source
        return here.span(unit.path)


def _application(given: argparse.Namespace, library: Library) -> tuple[Task, str | None]:
    """Return an application's CV and its language; raises ProfileError for a file with errors."""
    if given.person or given.variant or given.template:
        message = "an application names the person and the document itself"
        raise UsageError.because("match", message, "give only the application, or --person")
    (slug,) = load.find([given.slug])
    day = day_of(today())
    loaded = load.load(slug, day)
    return documents.of(loaded, library, day).cv, loaded.data.locale


def _task(given: argparse.Namespace, library: Library) -> Task:
    """Return the requested document; raises ProfileError if its person's file is wrong."""
    if not given.person:
        known = ", ".join(load.slugs())
        hint = f"the applications are: {known}; or --person PERSON" if known else "--person PERSON"
        raise UsageError.because("match", "no application is named", hint)
    (person,) = people.find([given.person])
    requested = RequestedDocuments(
        (given.variant,) if given.variant else (), variants=bool(given.variant)
    )
    require_variants([person], requested)
    checked = profiles.check(person, library)
    name = given.variant or given.template
    if checked.profile:
        name = name or checked.profile.template[0]
        checked = profiles.for_document(name, checked, library)
    if checked.profile is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    return profiles.tasks([checked], [name])[0]


def _why(chosen: Shown, path: FieldPath) -> str:
    """Return why a document leaves out what is at a path."""
    for one in chosen.selected.out:
        if path[: len(one.path)] == one.path:
            return one.located(chosen.task.source)
    name = chosen.task.name
    return f"{name} has a {path[0]} of its own" if path[0] in _TEXTS else f"not in {name}"


def _say(compared: _Compared) -> None:
    match, task = compared.match, compared.chosen.task
    has, left_out, nowhere = (len(match.of(status)) for status in Status)
    console.answer(
        f"{compared.job.name}: of {len(match.found)} terms {task.person.name} {task.name} has "
        f"{has}, leaves out {left_out}; {nowhere} are nowhere"
    )
    for status in Status:
        found = match.of(status)
        detailed = [one for one in found if status is not Status.NOWHERE or one.term.score > 1]
        if found:
            console.answer(f"\n{_HEADS[status]}:")
        for one in detailed:
            console.answer(f"  {_MARKS[status]} {_line(one)}")
            if status is Status.LEFT_OUT:
                _say_units(one, compared)
        brief = [one.term for one in found if one not in detailed]
        if brief:
            # Single words that occur once: many, and few of them matter.
            words = ", ".join(f"{term.text} ({term.line})" for term in brief)
            console.answer(f"  once each: {words}")


def _line(one: FoundTerm) -> str:
    """Return a term, how often and where the advertisement has it, and its other forms."""
    term = one.term
    often = f"{term.count}×, line {term.line}" if term.count > 1 else f"line {term.line}"
    others = dict.fromkeys((*term.forms[1:], *one.forms))
    also = f"; also {_quoted(others)}" if others else ""
    part = f'; the document has "{one.part}"' if one.part else ""
    return f"{term.text} ({often}{also}{part})"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'"{word}"' for word in islice(words, _SHOWN))


def _say_units(one: FoundTerm, compared: _Compared) -> None:
    for unit in one.units[:_SHOWN]:
        place = compared.span(unit).in_short
        console.answer(f"      {place}  {compared.title(unit)} — {unit.why}")
    if len(one.units) > _SHOWN:
        console.answer(f"      and {len(one.units) - _SHOWN} more")


def _json(compared: _Compared) -> dict[str, object]:
    task = compared.chosen.task
    return {
        "person": task.person.name,
        "variant": task.variant,
        "template": task.template,
        "job": compared.job.name,
        "terms": [_plain(one, compared) for one in compared.match.found],
        "diagnostics": [],
    }


def _plain(one: FoundTerm, compared: _Compared) -> dict[str, object]:
    term = one.term
    places = [(unit, compared.span(unit)) for unit in one.units]
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
                "title": compared.title(unit),
                "file": span.file,
                "line": span.line or None,
                "why": unit.why,
            }
            for unit, span in places
        ],
    }
