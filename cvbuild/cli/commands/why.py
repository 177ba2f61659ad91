"""``cvbuild why``: list which documents would be rebuilt, and why."""

from __future__ import annotations

import argparse

from cvbuild.building import status
from cvbuild.building.requested_documents import require_variants
from cvbuild.building.session import Session
from cvbuild.building.status import Found, Status
from cvbuild.building.why import Reason
from cvbuild.cli import console, report, request
from cvbuild.inputs import people


def run(given: argparse.Namespace) -> int:
    """Print for each document whether it is up to date, and if not, why.

    Return 1 or 3 if that is unknown for one: the person's file is wrong, or there is no TeX.
    """
    found = find(given)
    known = [one for one in found.documents if one.path is not None]
    if given.json:
        diagnostics = [item.as_json() for item in found.diagnostics]
        documents = [_as_json(one) for one in known]
        console.print_json({"documents": documents, "diagnostics": diagnostics})
        return found.exit_code
    for one in known:
        console.answer(_line(one))
    console.show(found.diagnostics)
    return found.exit_code


def find(given: argparse.Namespace) -> Found:
    """Return the state of the requested documents; raises UsageError for what doesn't exist."""
    settings = request.settings_of(given)
    requested = request.documents_of(given, settings.library)
    persons = people.find(given.people)
    require_variants(persons, requested)
    session = Session(report.request_of(given))
    session.settings = settings
    return status.find(session, persons, requested)


def _as_json(one: Status) -> dict[str, object]:
    return {
        "person": one.person,
        "template": one.template,
        "variant": one.variant,
        "format": one.format,
        "path": str(one.path),
        "fresh": not one.reasons,
        "note": one.note,
        "reasons": [reason.as_json() for reason in one.reasons],
    }


def _line(one: Status) -> str:
    if not one.reasons:
        why_not = f": {one.note}" if one.note else ""
        return f"✓ {one.path}  up to date{why_not}"
    return f"✗ {one.path}  {in_words(one.reasons)}"


def in_words(reasons: tuple[Reason, ...]) -> str:
    """Return reasons as a line, with their places."""
    return "; ".join(
        reason.message + (f" ({reason.span.in_short})" if reason.span else "") for reason in reasons
    )
