"""What ``cvbuild build`` does where something is left to do."""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from cvbuild.building import batch
from cvbuild.building.cache.index import Index
from cvbuild.building.cache.remember import Memory
from cvbuild.building.check.profiles import Checked
from cvbuild.building.outcome import Outcome
from cvbuild.building.request import Rest
from cvbuild.building.task import Settings, Task
from cvbuild.building.wanted_documents import require
from cvbuild.cli import console, progress
from cvbuild.cli.report import Report
from cvbuild.cli.request import ended_by_signals, settings_of, wanted_of
from cvbuild.common import work_folders
from cvbuild.inputs import people
from cvbuild.outputs.pdf.tex.preloaded_pool import Standby

#: As many people leave less behind than looking for it costs.
_FEW = 8


def run(
    given: argparse.Namespace,
    known: Index,
    rest: list[Rest] | None,
    report: Report,
    standby: Standby | None = None,
) -> int:
    """Build the rest of what is asked for; everything, if nothing is known of it."""
    settings = replace(settings_of(given), standby=standby)
    wanted = wanted_of(given, settings.library)
    found = people.find(given.people)
    if not wanted.everybody:
        require(found, wanted)
    if rest is None:
        rest = [Rest(person) for person in found]
    names = [one.person.name for one in rest]
    work_folders.begin(settings.out, names, time.time() - work_folders.OLD)
    memory = Memory(known, settings.library, time.time_ns)
    worst = 0

    def heard(checked: Checked) -> None:
        nonlocal worst
        memory.read(checked)
        report.faults(item.as_json() for item in checked.diagnostics)
        worst = max(worst, int(checked.profile is None))

    if len(rest) > _FEW:
        # What a document leaves in rings is looked for often, and what stays (modules) never.
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
    try:
        with ended_by_signals(), progress.Lines(enabled=not given.json) as lines:
            opened = memory.opening(rest)
            todo = batch.read(opened, wanted, settings, heard)
            for outcome in _outcomes(todo, settings, given, lines):
                memory.finish(outcome)
                notes = [note.as_json() for note in outcome.notes]
                report.document(outcome.as_json(), notes, lines)
                worst = max(worst, outcome.exit_code)
    finally:
        memory.save()
    if report.lacks(wanted.names if wanted.variants else ()):
        require(found, wanted)
    report.close()
    return worst


def _outcomes(
    todo: Iterable[Task], settings: Settings, given: argparse.Namespace, lines: progress.Lines
) -> Iterator[Outcome]:
    if given.cluster is not None:
        from cvbuild.building.cluster import client

        return client.run(todo, settings, given.cluster, lambda note: console.show([note]))
    jobs = given.jobs or os.cpu_count() or 1
    return batch.run(todo, settings, jobs, lambda task: lines.begin(_name(task)))


def _name(task: Task) -> str:
    return f"{task.person.name} {task.name}"
