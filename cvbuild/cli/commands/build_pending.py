"""Build what ``cvbuild build`` found to be out of date."""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Iterable
from dataclasses import replace

from cvbuild.building import batch
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import settings_of
from cvbuild.building.request import Pending, document_key
from cvbuild.building.requested_documents import RequestedDocuments, documents_of, require_variants
from cvbuild.building.session import Runner, Session
from cvbuild.cli import console, progress
from cvbuild.cli.report import Report
from cvbuild.common import interrupts
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.outputs.pdf.tex.preloaded_engine import PreloadedPool
from cvbuild.outputs.task import Task

#: So few people leave less garbage than collecting it costs.
_FEW = 8


def run(
    given: argparse.Namespace,
    session: Session,
    pending: list[Pending] | None,
    report: Report,
    standby: PreloadedPool | None = None,
) -> int:
    """Build the pending documents of those requested; all of them, if ``pending`` is None."""
    settings = settings_of(session.request, force=given.force, timeout=given.timeout)
    settings = session.settings = replace(settings, preloaded=standby)
    requested = documents_of(session.request, settings.library, given.people)
    persons = people.find(given.people)
    if not requested.everybody:
        require_variants(persons, requested)
    if pending is None:
        pending = [Pending(person) for person in persons]
    known = {one.person: len(one.documents) for one in pending if one.documents is not None}
    worst = 0

    def on_checked(checked: Checked) -> None:
        nonlocal worst
        report.faults(checked.person, (item.as_json() for item in checked.diagnostics))
        report.read[checked.person] = checked.out
        expected.read(checked.person.name, _count(checked, known, requested))
        worst = max(worst, int(checked.profile is None))

    if len(pending) > _FEW:
        # Collect the reference cycles of each document often, and scan modules never.
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
    expected = progress.Expected({one.person.name: known.get(one.person) for one in pending})
    lines = progress.Lines(expected, enabled=not given.json)
    with interrupts.exit_on_signals(), lines:
        runner = _runner(given, lines)
        for outcome in session.build(pending, requested, on_checked, runner):
            notes = [note.as_json() for note in outcome.notes]
            report.document(outcome.as_json(), notes, lines)
            worst = max(worst, outcome.exit_code)
    if report.is_missing(requested.names if requested.variants else ()):
        require_variants(persons, requested)
    return worst


def run_if_needed(
    given: argparse.Namespace, session: Session, persons: Iterable[Person], report: Report
) -> int:
    """Build what is out of date of these people; return the exit code."""
    if pending := session.pending(persons, report):
        return run(given, session, pending, report)
    return 0


def _count(checked: Checked, known: dict[Person, int], requested: RequestedDocuments) -> int:
    """Return how many documents of a person will be built."""
    profile = checked.profile
    if profile is None:
        return 0
    every = len(requested.names_of(profile)) * len(requested.formats_of(profile))
    return known.get(checked.person, every)


def _runner(given: argparse.Namespace, lines: progress.Lines) -> Runner:
    """Return what builds: threads here, or a cluster."""
    if given.cluster is not None:
        from cvbuild.building import cluster

        return lambda todo, settings: cluster.run(
            todo, settings, given.cluster, lambda note: console.show([note])
        )
    jobs = given.jobs or os.cpu_count() or 1

    def begin(task: Task) -> None:
        lines.begin(f"{task.person.name} {document_key(task.name, task.format)}")

    return lambda todo, settings: batch.run(todo, settings, jobs, begin)
