"""``cvbuild why``: list which documents would be rebuilt, and why."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cvbuild.building import why
from cvbuild.building.cache.index import Index
from cvbuild.building.check import profiles
from cvbuild.building.request import Pending
from cvbuild.building.requested_documents import RequestedDocuments, require_variants
from cvbuild.building.session import Session
from cvbuild.building.why import Why
from cvbuild.cli import console, report, request
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.inputs.people import Person

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import JsonObject


def run(given: argparse.Namespace) -> int:
    """Print for each document whether it is up to date, and if not, why.

    Return 1 or 3 if that is unknown for one: the person's file is wrong, or there is no TeX.
    """
    settings = request.settings_of(given)
    requested = request.documents_of(given, settings.library)
    persons = people.find(given.people)
    require_variants(persons, requested)
    session, current = Session(report.request_of(given)), _UpToDate()
    session.settings = settings
    answers, faults, worst = _check_exactly(session.pending(persons, current), requested, session)
    index = session.index
    documents = [*current.documents, *(_answer(one, index, person) for person, one in answers)]
    if given.json:
        plain = [item.as_json() for item in faults]
        console.print_json({"documents": documents, "diagnostics": plain})
        return worst
    for document in documents:
        console.answer(_line(document))
    console.show(faults)
    return worst


def _check_exactly(
    pending: Iterable[Pending], requested: RequestedDocuments, session: Session
) -> tuple[list[tuple[str, Why]], list[Diagnostic], int]:
    """Return [(person's file, answer)], the diagnostics of files and templates, the exit code."""
    answers: list[tuple[str, Why]] = []
    faults: list[Diagnostic] = []
    worst = 0

    def on_checked(checked: profiles.Checked) -> None:
        nonlocal worst
        faults.extend(checked.diagnostics)
        worst = max(worst, int(checked.profile is None))

    for task in session.read(pending, requested, on_checked):
        try:
            answers.append((str(task.person.path), why.why(task, session.settings)))
        except CvbuildError as error:
            faults.extend(error.diagnostics)
            worst = max(worst, error.exit_code)
    return answers, faults, worst


class _UpToDate:
    """Collects the documents that are up to date."""

    def __init__(self) -> None:
        self.documents: list[JsonObject] = []

    def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
        """Ignore them: a build reports them."""

    def document(self, document: JsonObject, notes: Iterable[JsonObject]) -> None:  # noqa: ARG002 - a build's
        """Store what identifies it."""
        plain = {
            name: document[name] for name in ("person", "template", "variant", "format", "path")
        }
        self.documents.append({**plain, "fresh": True, "note": None, "reasons": []})


def _answer(one: Why, index: Index, file: str) -> JsonObject:
    entry, note = index.person(file), None
    if not one.reasons and entry and entry["file"][0] != file_state.identity(file):
        note = f"{file} changed, but nothing that this document shows"
    return {
        "person": one.person,
        "template": one.template,
        "variant": one.variant,
        "format": one.format,
        "path": str(one.path),
        "fresh": not one.reasons,
        "note": note,
        "reasons": [reason.as_json() for reason in one.reasons],
    }


def _line(document: JsonObject) -> str:
    if document["fresh"]:
        why_not = f": {document['note']}" if document["note"] else ""
        return f"✓ {document['path']}  up to date{why_not}"
    reasons = "; ".join(reason["message"] + _place(reason) for reason in document["reasons"])
    return f"✗ {document['path']}  {reasons}"


def _place(reason: JsonObject) -> str:
    if not reason["file"]:
        return ""
    line = f":{reason['line']}" if reason["line"] else ""
    return f" ({reason['file']}{line})"
