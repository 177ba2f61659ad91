"""One document: what it shows, its key and its paths; make, check, publish and record it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import date as Day
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from cvbuild.building import PDF, PRIVATE, fresh
from cvbuild.building.outcome import Outcome, Record, content_of, key_of
from cvbuild.common import file_state, limits, safe_files, safe_folders
from cvbuild.common.diagnostics import Diagnostic, Span, id_of, path_of
from cvbuild.common.errors import CvbuildError, DocumentError
from cvbuild.common.safe_folders import Folder
from cvbuild.inputs import localize
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs import own_files, registry, templates
from cvbuild.outputs.installed import LETTER
from cvbuild.outputs.manifests import FONT, is_font_file
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import APPLICATIONS, BUILD, EPOCH_DAY, Made, Plan, Settings, Shown, Task
from cvbuild.selection import select
from cvbuild.selection.selected import Selected, applied, dated, name_of
from cvbuild.view import builder

#: The parts of a person, and the options, that a letter doesn't have.
_NOTHING_BELOW = MappingProxyType({"summary": (), "interests": (), "sections": ()})
_NOT_IN_LETTERS = MappingProxyType({"photo": False, "embed": False, "footer": ""})


def choose(task: Task, library: Library, locale: str | None, day: Day) -> Shown:
    """Return what a document shows on a day; raises UsageError for an unknown template."""
    template = library.require(task.template)
    profile, source = applied(task.profile, task.source, task.variant)
    profile = dated(profile, day)
    origins = templates.origins(template, profile, task.chosen)
    options = {name: value for name, (value, _) in origins.items()}
    lacking: tuple[Diagnostic, ...] = ()
    if is_font_file(options.get(FONT)):
        place = origins[FONT][1] or ("options", FONT)
        options[FONT] = own_files.load(options[FONT], task.person.path, source, place)
        lacking = tuple(own_files.notes(options[FONT], source, place))
    # Data and plain text have titles as they are written, whatever the look.
    if options.get("title-case") == "capitals" and not registry.find(task.format).has_look:
        options = {**options, "title-case": "normal"}
    if task.draft:
        # A letter shows only the person's header.
        profile = profile.model_copy(update=_NOTHING_BELOW)
        template, options = library.letter(template), {**options, **_NOT_IN_LETTERS}
    locale = locale or (task.chosen.locale if task.chosen else None)
    # What is never shown needs no translation.
    first = select.select(profile, options, task.variant)
    titles = {(*section.path, "title") for section in first.sections if section.is_retitled}
    profile, notes = localize.localize(profile, source, locale, first.left_out | titles)
    selected = select.select(profile, options, task.variant)
    task = replace(task, profile=profile, source=source)
    dead = tuple(_dead_labels(selected, source))
    return Shown(task, template, options, selected, (*template.notes, *notes, *dead, *lacking))


def _dead_labels(selected: Selected, source: Source) -> Iterator[Diagnostic]:
    """Yield a note of the links that no document shows, as they have no address."""
    paths = tuple(builder.dead_labels(selected))
    if paths:
        labels = "1 label" if len(paths) == 1 else f"{len(paths)} labels"
        fact = f"{labels} of links without an address: not shown"
        hint = "write the address after it: - PDF: https://…"
        yield Diagnostic("note", "dead-label", fact, source.span(paths[0]), hint)


def shown(task: Task, settings: Settings) -> Shown:
    """Return what the document of a task shows, if there may be one; raises CvbuildError."""
    chosen = choose(task, settings.library, settings.locale, settings.counted_from)
    if not task.draft:
        select.require(chosen.selected, task.source)
    if task.draft and not registry.find(task.format).shows_letters:
        fact = f"a letter can't be made as {task.format}"
        place = task.source.span((LETTER,))
        hint = "make it as pdf, docx, html or txt"
        raise DocumentError.because("format", fact, hint, place)
    kept = within_limits(chosen)
    if task.format != "pdf":
        # A PDF tells of them together with those of its pages.
        chosen = replace(chosen, notes=(*chosen.notes, *kept))
    refuse_links(task, settings)
    return chosen


def within_limits(shown: Shown) -> tuple[Diagnostic, ...]:
    """Return a note of the limits that what it says keeps to; raises DocumentError for others."""
    if shown.limits is None:
        return ()
    from cvbuild.outputs import measured  # few documents have limits

    report = measured.report(shown, measured.contents(shown))
    if any(item.severity == "error" for item in report):
        raise DocumentError(report)
    return report


def prepare(task: Task, settings: Settings) -> Plan:
    """Return the document of a task; raises CvbuildError."""
    output = registry.find(task.format)
    plan = Plan(output, shown(task, settings), settings, *places(task, settings))
    if output.made_from:
        origin = prepare(replace(task, format=output.made_from), settings)
        plan = replace(plan, origin=origin)
    return output.prepare(plan)


def places(task: Task, settings: Settings) -> tuple[Path, Path]:
    """Return the path of a document, and the folder for what is stored of it."""
    suffix = registry.find(task.format).suffix
    if task.draft:
        folder = settings.hidden / APPLICATIONS / task.draft.slug
        return folder / f"{LETTER}{suffix}", folder / LETTER
    variant, person = task.chosen, task.person.name
    # A document that is private by itself has no public version.
    private = f".{PRIVATE}" if task.private and not (variant and variant.private) else ""
    locale = (variant.locale if variant else None) or task.profile.locale
    name = f"{task.name}{private}{localize.suffix(locale, settings.locale)}"
    return settings.out / person / f"{name}{suffix}", settings.hidden / person / name


def refuse_links(task: Task, settings: Settings) -> None:
    """Raise CvbuildError if a folder that the document is written to is a link."""
    path, keep = places(task, settings)
    folders = (path.parent, keep, settings.scratch)
    below = (folder.relative_to(settings.out).as_posix() for folder in folders)
    safe_files.refuse_links(settings.out, *below)


# -- make it, if it isn't up to date ---------------------------------------------------------------


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
    if record := _finished(document, parts):
        return _outcome(document, record, cached=True)
    source = _build(document.origin) if document.origin else None
    with safe_folders.alone(document.keep):
        # Another build may have made it in the meantime.
        if record := _finished(document, parts):
            return _outcome(document, record, cached=True)
        record, result = _make(document, parts)
    outcome = _outcome(document, record, cached=False)
    # Nobody else may report what was built for this document.
    before = source.diagnostics if source and not source.cached else ()
    return replace(
        outcome,
        diagnostics=(*before, *outcome.diagnostics, *result.warnings),
        notes=(*outcome.notes, *result.notes),
        passing=(*before, *result.warnings, *result.notes),
    )


def _finished(document: Plan, parts: Mapping[str, str]) -> Record | None:
    """Return the document's record if the document is up to date and may stay, else None."""
    settings = document.settings
    record = None if settings.force else fresh.read(document.record, settings.cache)
    if record is None or record.key != key_of(parts) or record.verified is None:
        return None
    return record if record.file_hash == safe_folders.hash_at(document.path) else None


def _make(document: Plan, parts: dict[str, str]) -> tuple[Record, Made]:
    """Make the file and put it in place; raises CvbuildError and leaves the old file alone."""
    key, before = key_of(parts), fresh.read(document.record, document.settings.cache)
    epoch = _date(document, before if before and before.key == key else None)
    ident = file_state.hash_of(f"{content_of(parts)} {epoch}")
    with _shown_first(document, before) as show:
        result = document.output.complete(document, epoch, ident, show)
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
        )
        with _opened(document) as public:
            if isinstance(result.content, Mapping):
                safe_folders.replace_contents(folder, finished, public, document.path.name)
            elif folder.state(_GOOD) and safe_folders.hash_at(document.path) == file_hash:
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
        is_good = is_first and safe_folders.hash_at(document.path) == was
        yield show if is_good else None
    except BaseException as error:
        if was and safe_folders.hash_at(document.keep / _GOOD) == was:
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
    parent, out = document.path.parent, document.settings.out
    if BUILD in parent.parts:
        return safe_folders.stored(parent, make=True)
    return safe_folders.opened(out, *parent.relative_to(out).parts, make=True)


def _write(folder: Folder, name: str, content: bytes | Path | Mapping[str, bytes]) -> str:
    """Write a file or a folder of files into an open folder; return its hash."""
    if isinstance(content, Mapping):
        safe_folders.write_contents(folder, name, content)
        return safe_folders.hash_of(content)
    if isinstance(content, bytes):
        folder.write(name, content)
    else:
        folder.take(name, content)
    return file_state.file_hash(Path(folder.path, name))


def _outcome(document: Plan, record: Record, *, cached: bool) -> Outcome:
    return Outcome(
        document.task.person.name,
        document.template.name,
        document.path,
        format=document.task.format,
        notes=document.shown.notes,
        diagnostics=tuple(_remarks(document, record)),
        engine=record.engine,
        fonts=record.fonts,
        pages=record.pages,
        cached=cached,
        left_out=tuple(_left_out(name, document) for name in record.left_out),
        fill=record.fill,
        verified=record.verified,
        keep=document.keep,
        record=record,
        machine=document.machine,
        variant=document.task.shown_variant,
    )


def _remarks(document: Plan, record: Record) -> Iterator[Diagnostic]:
    """Yield notes on publications that the template's limit left out, and on a long letter."""
    if cut := document.selected.limited:
        shown, profile = document.shown.options["publications"], document.task.profile
        names = "; ".join(name_of(profile, path) for path in cut[:_NAMED])
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
    name = name_of(document.task.profile, path)
    return Diagnostic("note", "left-out", f"left out: {name}", document.task.source.span(place))
