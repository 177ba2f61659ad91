"""``cvbuild why``: which documents a build would make, and why."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cvbuild.building import why
from cvbuild.building.cache.index import Index
from cvbuild.building.check import profiles
from cvbuild.building.request import Rest
from cvbuild.building.session import Session
from cvbuild.building.wanted_documents import Wanted, require
from cvbuild.building.why import Why
from cvbuild.cli import console, report, request
from cvbuild.common import file_state
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Plain


def run(given: argparse.Namespace) -> int:
    """Say of each document whether it is up to date, and why not.

    1 or 3 if that can't be said of one: its person's file is wrong, or there is no TeX.
    """
    settings = request.settings_of(given)
    wanted = request.wanted_of(given, settings.library)
    found = people.find(given.people)
    require(found, wanted)
    session, there = Session(report.asked_of(given)), _There()
    session.settings = settings
    answers, faults, worst = _exactly(session.left(found, there), wanted, session)
    known = session.known
    documents = [*there.documents, *(_answer(one, known, person) for person, one in answers)]
    if given.json:
        plain = [item.as_json() for item in faults]
        console.print_json({"documents": documents, "diagnostics": plain})
        return worst
    for document in documents:
        console.answer(_line(document))
    console.show(faults)
    return worst


def _exactly(
    rest: Iterable[Rest], wanted: Wanted, session: Session
) -> tuple[list[tuple[str, Why]], list[Diagnostic], int]:
    """[(person's file, answer)], what is wrong with files and templates, and the exit code."""
    answers: list[tuple[str, Why]] = []
    faults: list[Diagnostic] = []
    worst = 0

    def heard(checked: profiles.Checked) -> None:
        nonlocal worst
        faults.extend(checked.diagnostics)
        worst = max(worst, int(checked.profile is None))

    for task in session.read(rest, wanted, heard):
        try:
            answers.append((str(task.person.path), why.why(task, session.settings)))
        except CvbuildError as error:
            faults.extend(error.diagnostics)
            worst = max(worst, error.exit_code)
    return answers, faults, worst


class _There:
    """Takes the documents that are up to date."""

    def __init__(self) -> None:
        self.documents: list[Plain] = []

    def faults(self, diagnostics: Iterable[Plain]) -> None:
        """A build says it."""

    def document(self, document: Plain, notes: Iterable[Plain]) -> None:  # noqa: ARG002 - a build's
        """Keep what names it."""
        plain = {
            name: document[name] for name in ("person", "template", "variant", "format", "path")
        }
        self.documents.append({**plain, "fresh": True, "note": None, "reasons": []})


def _answer(one: Why, known: Index, file: str) -> Plain:
    entry, note = known.person(file), None
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


def _line(document: Plain) -> str:
    if document["fresh"]:
        why_not = f": {document['note']}" if document["note"] else ""
        return f"✓ {document['path']}  up to date{why_not}"
    reasons = "; ".join(reason["message"] + _place(reason) for reason in document["reasons"])
    return f"✗ {document['path']}  {reasons}"


def _place(reason: Plain) -> str:
    if not reason["file"]:
        return ""
    line = f":{reason['line']}" if reason["line"] else ""
    return f" ({reason['file']}{line})"
