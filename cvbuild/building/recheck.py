"""Run the checks of a build on a PDF that exists already."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.building import fresh
from cvbuild.building.outcome import Record
from cvbuild.building.plan import prepare
from cvbuild.common import hashes
from cvbuild.common.diagnostics import Diagnostic, path_of
from cvbuild.outputs.pdf.expected import Expected
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.verify import pdf_facts, verify
from cvbuild.outputs.task import Settings, Task


class Rechecked(Struct, frozen=True):
    """The result; ``whole`` is whether there was a document to compare the PDF with."""

    diagnostics: tuple[Diagnostic, ...]
    figures: dict[str, float]
    whole: bool


def recheck(path: Path, task: Task | None, settings: Settings) -> Rechecked:
    """Compare a PDF with the current profile; raises CvbuildError if it can't be read.

    Without a task, or without a record of its build, only what concerns any PDF is checked.
    """
    facts = pdf_facts.read_foreign(path)
    record, expected = None, None
    if task:
        place = settings.hidden / task.person.name / path.stem / "record.json"
        record = fresh.read(place, settings.cache)
    alone = "no record of its build was found" if task else "it isn't known whose PDF this is"
    notes = [_note("verify-alone", f"{alone}, so its expected content is unknown", _HOW)]
    if task and record:
        expected = _expected(task, record, settings)
        notes = list(_age(path, task, record))
    verified = verify.verify(facts, expected)
    diagnostics = verified.diagnostics
    if any(note.code == _OLDER for note in notes):
        # It isn't the template's fault.
        diagnostics = tuple(dataclasses.replace(one, hint=None) for one in diagnostics)
    # What is private goes first, and then why all else may differ.
    private = [one for one in diagnostics if one.code == verify.PRIVATE]
    others = [one for one in diagnostics if one.code != verify.PRIVATE]
    return Rechecked((*private, *notes, *others), verified.figures, expected is not None)


_OLDER = "verify-older"
_HOW = "only its fonts, characters, links and pages were checked; check out/<person>/<template>.pdf"


def _expected(task: Task, record: Record, settings: Settings) -> Expected:
    """Return what the profile would show now, without what one page had no room for."""
    label = record.engine or ""
    origin = "embedded" if "(embedded" in label else label.partition(" ")[0]
    pdf = as_pdf(prepare(task, replace(settings, engine=origin)))
    left_out = frozenset(path_of(name) for name in record.left_out)
    public = pdf.selected
    shown = replace(public, left_out=public.left_out | left_out)
    density = pdf.template.manifest.tex.density
    return pdf.expected(pdf.render(shown, density[-1] if density else {}))


def _age(path: Path, task: Task, record: Record) -> Iterator[Diagnostic]:
    if hashes.file_hash(path) != record.file_hash:
        yield _note("verify-changed", f"{path} is not the file that the last build made", None)
    source = task.person.path
    if path.stat().st_mtime < source.stat().st_mtime:
        hint = "what it lacks may have been written since: build it again"
        yield _note(_OLDER, f"{path} is older than {source}", hint)


def _note(code: str, message: str, hint: str | None) -> Diagnostic:
    return Diagnostic("note", code, message, hint=hint)
