"""Build one document, start to end: check whether it is up to date, make, publish and record it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from msgspec.structs import replace

from cvbuild.building import fresh
from cvbuild.building.outcome import Basis, Outcome, Record, content_of, key_of
from cvbuild.building.plan import prepare
from cvbuild.building.request import PDF
from cvbuild.common import folder_contents, limits
from cvbuild.common.diagnostics import Diagnostic, Span, id_of, path_of
from cvbuild.common.errors import CvbuildError, DocumentError
from cvbuild.common.files import safe_folders, work_folders
from cvbuild.common.files.safe_folders import Folder
from cvbuild.outputs.pdf import expected
from cvbuild.outputs.task import BUILD, EPOCH_DAY, Settings, Task
from cvbuild.outputs.types import Made, Plan
from cvbuild.selection import inventory

#: The most items that a note names.
_NAMED = 3
#: Where the PDF of before waits while the new one, shown already, is verified.
_GOOD = "good.pdf"
_BACK = Diagnostic("note", "back", "the PDF of before is in place again")


def build(task: Task, settings: Settings) -> Outcome:
    """Build one document; errors are in the outcome, never raised."""
    start = time.perf_counter()
    try:
        with limits.seconds(settings.timeout):
            outcome = attempt(task, lambda: _build(prepare(task, settings)))
    except limits.TimeUpError:
        outcome = failed(task, _over_limit(task, "time-limit", f"took over {settings.timeout:g} s"))
    except MemoryError:
        outcome = failed(task, _over_limit(task, "memory", "needs more memory than there is"))
    return replace(outcome, seconds=round(time.perf_counter() - start, 3))


def attempt(task: Task, make: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of ``make``; errors of the document and of files are in it."""
    try:
        return make()
    except CvbuildError as error:
        log = error.log if isinstance(error, DocumentError) else None
        return replace(failed(task, *error.diagnostics), log=log, exit_code=error.exit_code)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        reason = f"can't write the document: {error.strerror or error}{place}"
        return failed(task, Diagnostic("error", "output", reason, hint="check the output folder"))


def _over_limit(task: Task, code: str, fact: str) -> Diagnostic:
    """Return the error of a document that ran into a limit."""
    span, hint = Span(task.source.name), "is it the right file? a CV has a few pages"
    return Diagnostic("error", code, f"the document {task.name} {fact}", span, hint)


def failed(task: Task, *faults: Diagnostic) -> Outcome:
    """Return the outcome of a document that could not be made."""
    return Outcome(
        task.person.name,
        task.template,
        format=task.format,
        diagnostics=faults,
        exit_code=1,
        variant=task.shown_variant,
    )


def _build(document: Plan) -> Outcome:
    parts = document.parts()
    if not document.settings.force and (record := _finished(document, parts)):
        return _outcome(document, record, cached=True)
    source = _build(document.origin) if document.origin else None
    with work_folders.alone(document.keep):
        # Another build may have made it in the meantime.
        record = _finished(document, parts)
        if record and not document.settings.force:
            return _outcome(document, record, cached=True)
        record, result = _make(document, parts)
    outcome = _outcome(document, record, cached=False)
    diagnostics = (*outcome.diagnostics, *result.warnings)
    if source and not source.cached:
        # Nobody else may report what was built for this document.
        diagnostics = (*source.diagnostics, *diagnostics)
    return replace(outcome, diagnostics=diagnostics, notes=(*outcome.notes, *result.notes))


def _finished(document: Plan, parts: Mapping[str, str]) -> Record | None:
    """Return the document's record if the document is up to date, else None."""
    record = fresh.read(document.record, document.settings.cache)
    if record is None or record.key != key_of(parts) or record.verified is None:
        return None
    return record if record.file_hash == folder_contents.hash_at(document.path) else None


def _make(document: Plan, parts: dict[str, str]) -> tuple[Record, Made]:
    """Make the file and put it in place; raises CvbuildError and leaves the old file alone."""
    key, before = key_of(parts), fresh.read(document.record, document.settings.cache)
    epoch = _date(document, before if before and before.key == key else None)
    ident = expected.ident(content_of(parts), epoch)
    with _shown_first(document, before) as show:
        result = document.make(epoch, ident, show)
    with safe_folders.stored(document.keep, make=True) as folder:
        finished = f"finished{document.path.suffix}"
        file_hash = _write(folder, finished, result.content)
        record = Record(
            key=key,
            epoch=epoch,
            file_hash=file_hash,
            pages=result.pages,
            engine=document.made_by,
            fonts=document.fonts,
            left_out=tuple(id_of(path) for path in result.left_out),
            fill=result.fill,
            verified=dict(result.figures),
            private=document.task.private,
            parts=parts,
            details=document.details(),
        )
        with _opened(document) as public:
            if isinstance(result.content, Mapping):
                folder_contents.replace(folder, finished, public, document.path.name)
            elif folder.state(_GOOD) and folder_contents.hash_at(document.path) == file_hash:
                folder.unlink(finished)
            else:
                folder.rename(finished, document.path.name, into=public)
        folder.unlink(_GOOD)
        fresh.write(folder, document.record.name, record, document.settings.cache)
    return record, result


@contextmanager
def _shown_first(document: Plan, before: Record | None) -> Iterator[Callable[[Path], None] | None]:
    """Yield what puts a PDF in place before it is verified, if that is wanted and one is there.

    If anything goes wrong then, or went wrong where a build was killed, the one of before is put
    back, which was verified.
    """
    name, was = document.path.name, before.file_hash if before and before.verified else None

    def show(pdf: Path) -> None:
        from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES  # loaded while TeX runs

        with safe_folders.stored(document.keep) as folder, _opened(document) as public:
            folder.write(_GOOD, public.read(name, MAX_BYTES))
            folder.write("shown.pdf", folder.read(pdf.name, MAX_BYTES))
            folder.rename("shown.pdf", name, into=public)

    try:
        is_first = document.settings.shows_first and document.task.format == PDF
        # What was taken out as private is searched for before anybody sees the file.
        is_first = is_first and not document.task.source.private
        is_good = is_first and folder_contents.hash_at(document.path) == was
        yield show if is_good else None
    except BaseException as error:
        if was and folder_contents.hash_at(document.keep / _GOOD) == was:
            with safe_folders.stored(document.keep) as folder, _opened(document) as public:
                folder.rename(_GOOD, name, into=public)
            if isinstance(error, CvbuildError):
                error.diagnostics += (_BACK,)
        raise


def _date(document: Plan, record: Record | None) -> int:
    """Return SOURCE_DATE_EPOCH, the day in the document, or the day its content changed."""
    if document.settings.epoch is not None:
        return document.settings.epoch
    if day := document.task.day:
        return (day.toordinal() - EPOCH_DAY) * 86400
    return record.epoch if record else document.settings.today


def _opened(document: Plan) -> AbstractContextManager[Folder]:
    """Open the folder of the finished file, made if needed; raises as ``safe_folders``."""
    parent, out = document.path.parent, Path(document.task.out or document.settings.out)
    if BUILD in parent.parts:
        return safe_folders.stored(parent, make=True)
    return safe_folders.opened(out, *parent.relative_to(out).parts, make=True)


def _write(folder: Folder, name: str, content: bytes | Path | Mapping[str, bytes]) -> str:
    """Write a file or a folder of files into an open folder; return its hash."""
    if isinstance(content, Mapping):
        folder_contents.write(folder, name, content)
        return folder_contents.hash_of(content)
    if isinstance(content, bytes):
        folder.write(name, content)
    else:
        folder.take(name, content)
    return folder.hash(name)


def _outcome(document: Plan, record: Record, *, cached: bool) -> Outcome:
    diagnostics = tuple(_remarks(document, record))
    return Outcome(
        document.task.person.name,
        document.template.name,
        document.path,
        format=document.task.format,
        notes=document.shown.notes,
        diagnostics=diagnostics,
        engine=record.engine,
        fonts=record.fonts,
        pages=record.pages,
        cached=cached,
        left_out=tuple(_left_out(name, document) for name in record.left_out),
        fill=record.fill,
        verified=record.verified,
        basis=Basis(
            place=document.record,
            record=record,
            machine=document.machine,
            diagnostics=diagnostics,
            notes=document.shown.notes,
        ),
        variant=document.task.shown_variant,
    )


def _remarks(document: Plan, record: Record) -> Iterator[Diagnostic]:
    """Yield notes on publications that the template's limit left out, and on a long letter."""
    if cut := document.selected.limited:
        shown, profile = document.shown.options["publications"], document.task.profile
        names = "; ".join(inventory.name_of(profile, path) for path in cut[:_NAMED])
        more = "; …" if len(cut) > _NAMED else ""
        plural = "" if shown == 1 else "s"
        name, span = document.template.name, document.task.source.span(("sections", cut[0][1]))
        fact = f"{name} shows {shown:g} publication{plural} and leaves out {len(cut)}"
        hint = f"options: {{{name}: {{publications: 0}}}} shows all"
        yield Diagnostic("note", "limited", f"{fact}: {names}{more}", span, hint)
    if document.task.draft and (record.pages or 0) > 1:
        span = document.task.source.span(("letter", "body"))
        fact = f"the letter takes {record.pages} pages"
        hint = "one page is usual: make the text shorter"
        yield Diagnostic("note", "letter-long", fact, span, hint)


def _left_out(ident: str, document: Plan) -> Diagnostic:
    """Return a note that one page had no room for a field, with its position."""
    path = path_of(ident)
    place = path[:-1] if path[-1] == "run" else path
    name = inventory.name_of(document.task.profile, path)
    return Diagnostic("note", "left-out", f"left out: {name}", document.task.source.span(place))
