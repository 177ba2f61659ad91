"""``cvbuild match``: list which terms of a job's advertisement a document has."""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.applications import documents, load
from cvbuild.applications.match import advert, compare
from cvbuild.applications.match.compare import Compared, FoundTerm, Status
from cvbuild.applications.match.terms import Term
from cvbuild.building import plan
from cvbuild.building.check import profiles
from cvbuild.building.environment import counted_from, known_locale, today, workspace_library
from cvbuild.building.requested_documents import RequestedDocuments, require_variants
from cvbuild.cli import console
from cvbuild.cli.request import epoch
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.inputs import people
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task, day_of

#: How many items are listed for a term.
_SHOWN = 3
_HEADS = {
    Status.HAS: "in the document",
    Status.LEFT_OUT: "left out of it",
    Status.NOWHERE: "nowhere in the profile",
}
_MARKS = {Status.HAS: "✓", Status.LEFT_OUT: "○", Status.NOWHERE: "✗"}


def run(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document and with everything in the person's file."""
    library, language = workspace_library(given.template_path), known_locale(given.locale)
    task, locale, employer = (
        _application(given, library) if given.slug else (_task(given, library), None, "")
    )
    job = advert.load(Path(given.job))
    chosen = plan.choose(task, library, locale, counted_from(epoch()))
    found = compare.run(task, chosen, job, language, employer)
    if given.json:
        console.print_json(found)
    else:
        _say(found)
    return 0


def _application(given: argparse.Namespace, library: Library) -> tuple[Task, str | None, str]:
    """Return an application's CV, its language and its employer.

    Raises ProfileError for a file with errors.
    """
    if given.person or given.variant or given.template:
        message = "an application names the person and the document itself"
        raise UsageError.because("match", message, "give only the application, or --person")
    (slug,) = load.find([given.slug])
    day = day_of(today())
    loaded = load.load(slug, day)
    return documents.of(loaded, library, day).cv, loaded.data.locale, loaded.data.employer


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


def _say(result: Compared) -> None:
    task = result.chosen.task
    has, left_out, nowhere = (len(result.of(status)) for status in Status)
    console.answer(
        f"{result.job.name}: of {len(result.terms)} terms {task.person.name} {task.name} has "
        f"{has}, leaves out {left_out}; {nowhere} are nowhere"
    )
    for status in Status:
        found = result.of(status)
        detailed = [one for one in found if status is not Status.NOWHERE or one.term.score > 1]
        if found:
            console.answer(f"\n{_HEADS[status]}:")
        for one in detailed:
            console.answer(f"  {_MARKS[status]} {_line(one.term)}")
            if status is Status.LEFT_OUT:
                _say_units(one, result)
        brief = [one.term for one in found if one not in detailed]
        if brief:
            # Single words that occur once: many, and few of them matter.
            words = ", ".join(f"{term.text} ({term.line})" for term in brief)
            console.answer(f"  once each: {words}")


def _line(term: Term) -> str:
    """Return a term, how often and where the advertisement has it."""
    often = f"{term.count}×, " if term.count > 1 else ""
    return f"{term.text} ({often}line {term.line})"


def _say_units(one: FoundTerm, result: Compared) -> None:
    for unit in one.units[:_SHOWN]:
        place = result.span(unit).in_short
        console.answer(f"      {place}  {result.title(unit)} — {unit.why}")
    if len(one.units) > _SHOWN:
        console.answer(f"      and {len(one.units) - _SHOWN} more")
