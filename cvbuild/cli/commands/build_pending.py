"""What ``cvbuild build`` does where something is left to do."""

from __future__ import annotations

import argparse
import gc
import os
from dataclasses import replace

from cvbuild.building import batch
from cvbuild.building.check.profiles import Checked
from cvbuild.building.request import Rest, key_of
from cvbuild.building.session import Run, Session
from cvbuild.building.wanted_documents import require
from cvbuild.cli import console, progress
from cvbuild.cli.report import Report
from cvbuild.cli.request import ended_by_signals, settings_of, wanted_of
from cvbuild.inputs import people
from cvbuild.outputs.pdf.tex.preloaded_pool import Standby
from cvbuild.outputs.task import Task

#: As many people leave less behind than looking for it costs.
_FEW = 8


def run(
    given: argparse.Namespace,
    session: Session,
    rest: list[Rest] | None,
    report: Report,
    standby: Standby | None = None,
) -> int:
    """Build the rest of what is asked for; everything, if nothing is known of it."""
    settings = session.settings = replace(settings_of(given), standby=standby)
    wanted = wanted_of(given, settings.library)
    found = people.find(given.people)
    if not wanted.everybody:
        require(found, wanted)
    if rest is None:
        rest = [Rest(person) for person in found]
    worst = 0

    def heard(checked: Checked) -> None:
        nonlocal worst
        report.faults(item.as_json() for item in checked.diagnostics)
        worst = max(worst, int(checked.profile is None))

    if len(rest) > _FEW:
        # What a document leaves in rings is looked for often, and what stays (modules) never.
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
    with ended_by_signals(), progress.Lines(enabled=not given.json) as lines:
        run = _runner(given, lines)
        for outcome in session.build(rest, wanted, heard, run):
            notes = [note.as_json() for note in outcome.notes]
            report.document(outcome.as_json(), notes, lines)
            worst = max(worst, outcome.exit_code)
    if report.lacks(wanted.names if wanted.variants else ()):
        require(found, wanted)
    report.close()
    return worst


def _runner(given: argparse.Namespace, lines: progress.Lines) -> Run:
    """What builds: threads here, or a cluster."""
    if given.cluster is not None:
        from cvbuild.building.cluster import client

        return lambda todo, settings: client.run(
            todo, settings, given.cluster, lambda note: console.show([note])
        )
    jobs = given.jobs or os.cpu_count() or 1
    return lambda todo, settings: batch.run(
        todo, settings, jobs, lambda task: lines.begin(_name(task))
    )


def _name(task: Task) -> str:
    return f"{task.person.name} {key_of(task.name, task.format)}"
