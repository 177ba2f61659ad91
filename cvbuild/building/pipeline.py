"""One document, start to end: the only place that knows the order of the stages."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path

from cvbuild.building.cache import records
from cvbuild.building.cache.records import Record
from cvbuild.building.outcome import Basis, Outcome
from cvbuild.building.plan import Document, prepare
from cvbuild.building.task import Settings, Task
from cvbuild.common import processes, user_cache, work_folders
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import CvbuildError, DocumentError
from cvbuild.model import field_paths
from cvbuild.outputs.pdf import document_id
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.one_page import loop
from cvbuild.outputs.pdf.tex import aux_files
from cvbuild.outputs.pdf.tex.preloaded_engine import Waiting
from cvbuild.outputs.pdf.tex.types import JOBNAME
from cvbuild.selection import select

_READERS = "cvbuild.pdf"


def build(task: Task, settings: Settings) -> Outcome:
    """Build one document; what goes wrong with it is in the outcome, never raised."""
    start = time.perf_counter()
    try:
        outcome = _build(prepare(task, settings))
    except CvbuildError as error:
        log = error.log if isinstance(error, DocumentError) else None
        outcome = replace(failed(task, *error.diagnostics), log=log, exit_code=error.exit_code)
    except OSError as error:
        reason = f"can't write the document: {error.strerror or error} ({error.filename})"
        fault = Diagnostic("error", "output", reason, hint="look at the output folder")
        outcome = failed(task, fault)
    return replace(outcome, seconds=round(time.perf_counter() - start, 3))


def failed(task: Task, *faults: Diagnostic) -> Outcome:
    """A document of which nothing came."""
    return Outcome(
        task.person.name,
        task.template,
        diagnostics=faults,
        exit_code=1,
        variant=task.shown_variant,
    )


def _build(document: Document) -> Outcome:
    parts = document.parts()
    if not document.settings.force and (record := _finished(document, parts)):
        return _outcome(document, record, cached=True)
    with work_folders.alone(document.setter.keep):
        # Another build may have made it meanwhile.
        record = _finished(document, parts)
        if record and not document.settings.force:
            return _outcome(document, record, cached=True)
        with _standby(document) as waiting:
            record, warnings, notes = _typeset(document, parts, waiting)
    outcome = _outcome(document, record, cached=False)
    said = (*outcome.diagnostics, *warnings)
    unkept = user_cache.note(document.setter.cache)
    notes = (*notes, unkept) if unkept else notes
    return replace(outcome, diagnostics=said, notes=(*outcome.notes, *notes))


def _standby(document: Document) -> AbstractContextManager[Waiting | None]:
    """An engine that waits for the document, if it is not to be built from nothing."""
    settings = document.settings
    if settings.standby is None or settings.force or settings.driver != "auto":
        return nullcontext()
    return settings.standby.taken(document.setter.keep)


def _finished(document: Document, parts: Mapping[str, str]) -> Record | None:
    """The record of the document, if it is what its inputs say."""
    record = records.read(document.record)
    if record is None or record.key != records.key(parts) or not record.verified:
        return None
    return record if record.pdf_hash == records.file_hash(document.pdf) else None


def _typeset(
    document: Document, parts: dict[str, str], waiting: Waiting | None
) -> tuple[Record, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Make the PDF and put it in place; what is to be said of it, and of the machine.

    Raises DocumentError and leaves the old PDF alone.
    """
    if _READERS not in sys.modules:
        processes.meanwhile(load_readers)
    key, before = records.key(parts), records.read(document.record)
    epoch = document.date(before if before and before.key == key else None)
    ident = document_id.ident(records.content(parts), epoch)
    aux = document.left(before)
    setter = replace(document.setter, epoch=epoch, ident=ident, aux=aux, waiting=waiting)
    left_out: tuple[FieldPath, ...] = ()
    fill = None
    if document.template.manifest.density:
        page = loop.typeset(setter, document.selected)
        made, rendered, warnings, fill = page.pdf, page.rendered, page.warnings, page.fill
        result = page.result
        left_out = _outermost(page.selected.left_out - document.selected.left_out)
    else:
        rendered = setter.dated(document.undated)
        made, result, warnings = setter.compile(rendered)
    verified = _verified(document, rendered, made)
    record = Record(
        key=key,
        epoch=epoch,
        pdf_hash=records.file_hash(made),
        pages=int(verified["pages"]),
        engine=setter.engine.label,
        left_out=tuple(field_paths.id_of(path) for path in left_out),
        fill=fill,
        verified=verified,
        private=document.task.private,
        warm=aux_files.keep(setter.keep, result.aux, setter.cache),
        parts=parts,
        details=document.details(),
    )
    document.pdf.parent.mkdir(parents=True, exist_ok=True)
    made.replace(document.pdf)
    records.write(document.record, record)
    job = replace(setter.job(rendered, Path()), aux=result.aux)
    aux_files.remember(setter.keep, job, setter.engine, daily=document.dated_today)
    return record, warnings, result.notes


def load_readers() -> None:
    """Import what is needed once TeX is done: it takes as long as much of what comes before TeX."""
    import_module(_READERS).reader()
    import_module("cvbuild.engines.log")
    import_module("cvbuild.verify")


def _verified(document: Document, rendered: Rendered, made: Path) -> dict[str, float]:
    """Compare the PDF with what it was to show; raises DocumentError if anything is lost."""
    from cvbuild.outputs.pdf.verify import pdf_facts, verify

    # The readers load once a process, whatever the document.
    facts_of = pdf_facts.reader()
    begun = time.perf_counter()
    expected, facts = document.expected(rendered), facts_of(made)
    if faults := verify.verify(facts, expected):
        kept = Diagnostic("note", "verify", f"the PDF that was refused is {made}")
        raise DocumentError((*faults, kept), document.setter.keep / f"{JOBNAME}.log")
    compared = asdict(verify.figures(facts, expected))
    return {**compared, "seconds": round(time.perf_counter() - begun, 4)}


def _outermost(paths: Collection[FieldPath]) -> tuple[FieldPath, ...]:
    """The paths that lie in no other, in the file's order: an item, and not its bullets too."""
    return tuple(
        path
        for path in sorted(paths)
        if not any(path[:length] in paths for length in range(1, len(path)))
    )


def _outcome(document: Document, record: Record, *, cached: bool) -> Outcome:
    setter = document.setter
    face = getattr(document.template.manifest.fonts, setter.engine.origin)
    said = (*_limited(document), *_long(document, record))
    return Outcome(
        document.task.person.name,
        document.template.name,
        document.pdf,
        notes=document.notes,
        diagnostics=said,
        engine=record.engine,
        fonts=face.family,
        pages=record.pages,
        cached=cached,
        left_out=tuple(_left_out(name, document) for name in record.left_out),
        fill=record.fill,
        verified=record.verified,
        basis=_basis(document, record, said),
        variant=document.task.shown_variant,
    )


def _basis(document: Document, record: Record, said: tuple[Diagnostic, ...]) -> Basis:
    setter = document.setter
    return Basis(
        record=document.record,
        key=record.key,
        pdf_hash=record.pdf_hash,
        folders=document.template.folders,
        tree=setter.engine.tree,
        tree_part=record.parts.get("tree", ""),
        looked_at=document.looked_at,
        fonts=tuple(
            Path(file) for face in setter.setting.used for file in (face.regular, face.bold)
        ),
        fonts_part=record.parts.get("fonts", ""),
        said=said,
        notes=document.notes,
        private=document.task.private,
    )


def _limited(document: Document) -> Iterator[Diagnostic]:
    """A note if the template's limit cut publications, so that nothing goes in silence."""
    cut = document.selected.limited
    if cut:
        shown = document.setter.options["publications"]
        yield Diagnostic(
            "note",
            "limited",
            f"{document.template.name} shows {shown:g} publications and leaves out {len(cut)}",
            document.task.source.span(("sections", cut[0][1])),
            f"options: {{{document.template.name}: {{publications: 0}}}} shows all",
        )


def _long(document: Document, record: Record) -> Iterator[Diagnostic]:
    """A note on a letter of more than one page."""
    if document.task.draft and record.pages > 1:
        yield Diagnostic(
            "note",
            "letter-long",
            f"the letter takes {record.pages} pages",
            document.task.source.span(("letter", "body")),
            "one page is usual: make the text shorter",
        )


def _left_out(name: str, document: Document) -> Diagnostic:
    """A note that one page had no room for a field, with its place."""
    path = field_paths.path_of(name)
    place = path[:-1] if path[-1] == "run" else path
    words = select.words_of(document.task.profile, place)
    return Diagnostic("note", "left-out", f"left out: {words}", document.task.source.span(place))
