"""``cvbuild match``: list which terms of a job's advertisement a document has."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from cvbuild.applications import documents, load
from cvbuild.applications.match import compare
from cvbuild.applications.match.compare import Match, Status
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
#: The heading and the mark of terms that are somewhere.
_HEADS = {
    Status.HAS: ("in the document", "✓"),
    Status.LEFT_OUT: ("left out of it", "○"),
    Status.NOWHERE: ("nowhere in the profile", "✗"),
}


def run(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document and with everything in the person's file."""
    library, language = workspace_library(given.template_path), known_locale(given.locale)
    locale, employer = None, ""
    if given.slug:
        if given.person or given.variant or given.template:
            message = "an application names the person and the document itself"
            raise UsageError.because("match", message, "give only the application, or --person")
        (slug,) = load.find([given.slug])
        day = day_of(today())
        loaded = load.load(slug, day)
        task = documents.of(loaded, library, day).cv
        locale, employer = loaded.data.locale, loaded.data.employer
    else:
        task = _task(given, library)
    advert = compare.load(Path(given.job))
    chosen = plan.choose(task, library, locale, counted_from(epoch()))
    matches = compare.run(task, chosen, advert, language, employer)
    if given.json:
        language = language or chosen.task.profile.locale
        console.print_json(compare.as_json(chosen.task, advert.name, language, matches))
    else:
        _say(chosen.task, advert.name, matches)
    return 0


def _task(given: argparse.Namespace, library: Library) -> Task:
    """Return the requested document; raises ProfileError if its person's file is wrong."""
    if not given.person:
        known = ", ".join(load.slugs())
        hint = f"the applications are: {known}; or --person PERSON" if known else "--person PERSON"
        raise UsageError.because("match", "no application is named", hint)
    (person,) = people.find([given.person])
    variants = (given.variant,) if given.variant else ()
    require_variants([person], RequestedDocuments(variants, variants=bool(variants)))
    checked = profiles.check(person, library)
    name = given.variant or given.template
    if checked.profile:
        name = name or checked.profile.template[0]
        checked = profiles.for_document(name, checked, library)
    if checked.profile is None:
        raise ProfileError(item for item in checked.diagnostics if item.severity == "error")
    return profiles.tasks([checked], [name])[0]


def _say(task: Task, name: str, matches: Iterable[Match]) -> None:
    by_status: dict[Status, list[Match]] = {status: [] for status in Status}
    for match in matches:
        by_status[match.status].append(match)
    has, left_out, nowhere = map(len, by_status.values())
    console.answer(
        f"{name}: of {has + left_out + nowhere} terms {task.person.name} {task.name} has "
        f"{has}, leaves out {left_out}; {nowhere} are nowhere"
    )
    for status, listed in by_status.items():
        head, mark = _HEADS[status]
        if listed:
            console.answer(f"\n{head}:")
        brief = []
        for match in listed:
            term = match.term
            if status is Status.NOWHERE and term.score == 1:
                # Single words that occur once: many, and few of them matter.
                brief.append(f"{term.text} ({term.line})")
                continue
            often = f"{term.count}×, " if term.count > 1 else ""
            console.answer(f"  {mark} {term.text} ({often}line {term.line})")
            if status is Status.LEFT_OUT:
                _say_items(match)
        if brief:
            console.answer(f"  once each: {', '.join(brief)}")


def _say_items(match: Match) -> None:
    items = list(zip(match.places, match.titles, match.units, strict=True))
    for place, title, unit in items[:_SHOWN]:
        console.answer(f"      {place.in_short}  {title} — {unit.why}")
    if len(items) > _SHOWN:
        console.answer(f"      and {len(items) - _SHOWN} more")
