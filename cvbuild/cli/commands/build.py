"""``cvbuild build``: build people's CVs; first check quickly what there is to do.

Only what that check needs is imported at the top.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.building.fresh import Entries
from cvbuild.cli.main import in_each_language
from cvbuild.cli.report import HANDFUL, Report
from cvbuild.common import memo
from cvbuild.common.files import file_state, user_cache
from cvbuild.inputs import people

#: So few people leave less garbage than collecting it costs.
_FEW = 8


def run(given: argparse.Namespace) -> int:
    """Build; return 0 if every document was built, else the highest exit code among them."""
    persons = people.find(given.people)
    report, code = Report(as_json=given.json, people=len(persons)), 0
    stopped: BaseException | None = None
    try:
        for request in in_each_language(given):
            entries = Entries(request)
            code = max(code, run_if_needed(entries, persons, report))
            report.public(entries.going_public(persons, report.documents))
        if report.read:
            _tell_older(given, report)
    except BaseException as error:
        stopped = error
        raise
    finally:
        is_interrupted = isinstance(stopped, KeyboardInterrupt)
        is_known = stopped is None or is_interrupted or hasattr(stopped, "diagnostics")
        if is_known and (given.github or given.mail):
            from cvbuild.cli import findings

            findings.of_build(given, report, stopped)
        if stopped is None or is_interrupted:
            report.close(interrupted=is_interrupted)
    is_usual = not (given.force or given.json or given.github or given.mail or given.cluster)
    if is_usual and code == 0 and not report.read and 0 < len(report.documents) <= HANDFUL:
        # The next build of the same answers at once, as nothing changed.
        memo.look(
            ".", people.WORKSPACE, given.out, f"{given.out}/.build", f"{given.out}/.build/tmp"
        )
        # Who is meant, and what may be shown, depends on everybody's files and overlays.
        for folder in {people.FOLDER, *(person.path.parent for person in persons)}:
            memo.look(folder, *folder.glob("*"))
        memo.keep(str(user_cache.resolved(None)), file_state.TICK)
    return code


def _tell_older(given: argparse.Namespace, report: Report) -> None:
    """Report documents that are older than the files of their people, of those that were read."""
    from cvbuild.building import status
    from cvbuild.cli.console import counted, some
    from cvbuild.common.diagnostics import Diagnostic

    built = {document["path"] for document in report.documents}
    old = [
        str(path)
        for person in report.read
        if all(item["severity"] != "error" for item in report.files.get(person, ()))
        for path in status.older(Path(given.out, person.name), person)
        if str(path) not in built
    ]
    if old:
        fact = "document is older than the person's file"
        many = "documents are older than their people's files"
        fact = f"{counted(len(old), fact, many)}: {some(old)}"
        hint = "cvbuild status --tidy deletes those that are not listed"
        report.add([Diagnostic("note", "older", fact, hint=hint).as_json()])


def run_if_needed(entries: Entries, persons: tuple[people.Person, ...], report: Report) -> int:
    """Build what is out of date of these people; return the exit code."""
    pending, current = entries.check(persons)
    for person, documents, faults in current:
        for document, notes in documents:
            report.document(document, notes)
        if faults is not None:
            report.faults(person, faults)
    if not pending and not report.is_missing(entries.request.variants):
        return 0
    import gc

    from cvbuild.building import batch
    from cvbuild.building.pipeline import Outcome
    from cvbuild.cli import console
    from cvbuild.common import interrupts
    from cvbuild.inputs.person.person_file import PersonFile

    request = entries.request = batch.settled(entries.request)
    if not request.everybody:
        batch.require_variants(persons, request)
    worst = 0

    if len(pending) > _FEW:
        # Collect the reference cycles of each document often, and scan modules never.
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
    with interrupts.exit_on_signals():
        for event in batch.build(entries, pending):
            if isinstance(event, PersonFile):
                report.faults(event.person, (item.as_json() for item in event.diagnostics))
                report.read[event.person] = None
                worst = max(worst, int(event.profile is None))
            elif isinstance(event, Outcome):
                report.document(event.as_json(), [note.as_json() for note in event.notes])
                worst = max(worst, event.exit_code)
            else:
                console.show([event])
    if report.is_missing(request.variants):
        batch.require_variants(persons, request)
    return worst
