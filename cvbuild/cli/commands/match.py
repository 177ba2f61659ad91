"""``cvbuild match``: list which terms of a job's advertisement a document has, and where."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from cvbuild.applications import documents, load
from cvbuild.applications.match import compare
from cvbuild.applications.match.compare import Match
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

#: How many places are listed for a term.
_SHOWN = 3


def run(given: argparse.Namespace) -> int:
    """Compare an advertisement with a document."""
    library, language = workspace_library(given.template_path), known_locale(given.locale)
    locale = None
    if given.slug:
        if given.person or given.variant or given.template:
            message = "an application names the person and the document itself"
            raise UsageError.because("match", message, "give only the application, or --person")
        (slug,) = load.find([given.slug])
        day = day_of(today())
        loaded = load.load(slug, day)
        task = documents.of(loaded, library, day).cv
        locale = loaded.data.locale
    else:
        task = _task(given, library)
    advert = compare.load(Path(given.job))
    chosen = plan.choose(task, library, locale, counted_from(epoch()))
    matches = compare.run(chosen, advert, language)
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


def _say(task: Task, name: str, matches: Sequence[Match]) -> None:
    has = [match for match in matches if match.places]
    lacks = [match for match in matches if not match.places]
    console.answer(f"{name}: {task.person.name} {task.name} has {len(has)} of {len(matches)} terms")
    if has:
        console.answer("\nin the document:")
    for match in has:
        places = [place.in_short for place in match.places[:_SHOWN]]
        more = len(match.places) - _SHOWN
        rest = f" and {more} more" if more > 0 else ""
        console.answer(f"  ✓ {_term(match)}: {', '.join(places)}{rest}")
    if lacks:
        console.answer("\nnot in it:")
    # Single words that occur once: many, and few of them matter.
    brief = [one.term for one in lacks if one.term.score == 1]
    for match in lacks:
        if match.term not in brief:
            console.answer(f"  ✗ {_term(match)}")
    if brief:
        once = ", ".join(f"{term.text} ({term.line})" for term in brief)
        console.answer(f"  once each: {once}")


def _term(match: Match) -> str:
    """Return a term with how often the advertisement has it, and where first."""
    term = match.term
    often = f"{term.count}×, " if term.count > 1 else ""
    return f"{term.text} ({often}line {term.line})"
