"""One document, start to end: the only place that knows the order of the stages."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from cvbuild import fit, jsonresume, onepage, photo, selection, stale, templates
from cvbuild.diagnostics import Diagnostic, FieldPath
from cvbuild.engines import Needs
from cvbuild.engines.driver import choose_driver
from cvbuild.engines.find import find_engine
from cvbuild.errors import CvbuildError, DocumentError
from cvbuild.model import Profile
from cvbuild.people import Person
from cvbuild.selection import Selected
from cvbuild.source import Source
from cvbuild.stale import Record
from cvbuild.templates import Library, Template
from cvbuild.typeset import Typesetter

#: Below the output folder: everything that is not a finished document.
BUILD = ".build"


@dataclass(frozen=True, slots=True)
class Settings:
    """How documents are built.

    ``today`` is the build's day and ``epoch`` SOURCE_DATE_EPOCH if the caller has one, both in
    seconds since 1970 in UTC; ``timeout`` in seconds counts for each run of TeX; ``cache`` is
    where TeX keeps its font databases, below ``out`` when absent.
    """

    out: Path
    library: Library
    today: int
    epoch: int | None = None
    engine: str = "auto"
    driver: str = "auto"
    force: bool = False
    timeout: float = 60
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One document to build."""

    person: Person
    profile: Profile
    source: Source
    template: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document; ``pdf`` is None if it failed.

    ``left_out`` are the fields that one page had no room for, ``fill`` is the part of that page's
    height that is used (0 to 1); ``notes`` concern the machine and not the document.
    """

    person: str
    template: str
    pdf: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    engine: str | None = None
    fonts: str | None = None
    pages: int | None = None
    seconds: float = 0.0
    cached: bool = False
    left_out: tuple[Diagnostic, ...] = ()
    fill: float | None = None
    log: Path | None = None
    exit_code: int = 0


@dataclass(frozen=True)
class _Document:
    """A task with all that it needs, before TeX runs."""

    task: Task
    settings: Settings
    template: Template
    setter: Typesetter
    selected: Selected
    notes: tuple[Diagnostic, ...] = field(default=())

    @property
    def pdf(self) -> Path:
        return self.settings.out / self.task.person.name / f"{self.template.name}.pdf"

    @property
    def record(self) -> Path:
        return self.setter.keep / "record.json"


def build(task: Task, settings: Settings) -> Outcome:
    """Build one document; what goes wrong with it is in the outcome, never raised."""
    start = time.perf_counter()
    try:
        outcome = _build(_prepare(task, settings))
    except CvbuildError as error:
        outcome = Outcome(
            task.person.name,
            task.template,
            diagnostics=error.diagnostics,
            log=error.log if isinstance(error, DocumentError) else None,
            exit_code=error.exit_code,
        )
    except OSError as error:
        reason = f"can't write the document: {error.strerror or error} ({error.filename})"
        fault = Diagnostic("error", "output", reason, hint="look at the output folder")
        outcome = Outcome(task.person.name, task.template, diagnostics=(fault,), exit_code=1)
    return replace(outcome, seconds=round(time.perf_counter() - start, 3))


def _prepare(task: Task, settings: Settings) -> _Document:
    """Find everything; raises CvbuildError."""
    template = settings.library.require(task.template)
    options = templates.resolve(template, task.profile)
    engine, notes = find_engine(settings.engine, *needs(template))
    picture = None
    if task.profile.photo and options.get("photo"):
        picture = photo.load(task.profile.photo, task.person.path.parent, task.source)
    hidden = settings.out / BUILD
    setter = Typesetter(
        template=template,
        options=options,
        engine=engine,
        driver=choose_driver(settings.driver, engine),
        source=task.source,
        photo=picture,
        attachment=jsonresume.to_bytes(task.profile) if options.get("embed") else None,
        keep=hidden / task.person.name / template.name,
        scratch=hidden / "tmp",
        cache=(settings.cache or hidden / "texmf-var").resolve(),
        timeout=settings.timeout,
    )
    selected = selection.select(task.profile, options)
    return _Document(task, settings, template, setter, selected, notes)


def needs(template: Template) -> tuple[Needs, Needs]:
    """What the template needs of the system's TeX and of the embedded one."""
    fonts = template.manifest.fonts
    both = ({**template.manifest.needs, **face.needs} for face in (fonts.system, fonts.embedded))
    system, embedded = (Needs(tuple(files), tuple(files.items())) for files in both)
    return system, embedded


def _build(document: _Document) -> Outcome:
    key, record = _key(document), stale.read(document.record)
    if record and record.key != key:
        record = None
    kept = record is not None and record.pdf_hash == stale.file_hash(document.pdf)
    if record and kept and not document.settings.force:
        return _outcome(document, record, cached=True)
    record, warnings = _typeset(document, key, _epoch(document, record))
    outcome = _outcome(document, record, cached=False)
    return replace(outcome, diagnostics=(*outcome.diagnostics, *warnings))


def _key(document: _Document) -> str:
    """A hash of all that the document is made from, but its date."""
    setter, density = document.setter, document.template.manifest.density
    draft = setter.render(document.selected, density[-1] if density else {})
    engine = f"{setter.engine.binary} {setter.engine.version} {document.settings.driver}"
    return stale.key(
        (
            draft.tex,
            repr(sorted(unit.order for unit in fit.units(document.selected))),
            stale.folder_hash(document.template.folders),
            setter.photo or b"",
            setter.attachment or b"",
            engine,
            str(document.settings.epoch),
            str(document.task.profile.updated),
        )
    )


def _epoch(document: _Document, record: Record | None) -> int:
    """The document's date: SOURCE_DATE_EPOCH, ``updated``, or the day its content changed."""
    updated = document.task.profile.updated
    if document.settings.epoch is not None:
        return document.settings.epoch
    if updated is not None:
        return (updated.toordinal() - _EPOCH_DAY) * 86400
    return record.epoch if record else document.settings.today


#: 1970-01-01 as a proleptic Gregorian ordinal.
_EPOCH_DAY = 719163


def _typeset(document: _Document, key: str, epoch: int) -> tuple[Record, tuple[Diagnostic, ...]]:
    """Make the PDF and put it in place; raises DocumentError and leaves the old PDF alone."""
    setter = replace(document.setter, epoch=epoch)
    left_out: tuple[FieldPath, ...] = ()
    fill = None
    if document.template.manifest.density:
        page = onepage.typeset(setter, document.selected)
        made, result, warnings, fill = page.pdf, page.result, page.warnings, page.fill
        left_out = _outermost(page.selected.left_out - document.selected.left_out)
    else:
        made, result, warnings = setter.compile(setter.render(document.selected, {}))
    record = Record(
        key=key,
        epoch=epoch,
        pdf_hash=stale.file_hash(made),
        pages=result.pages or 0,
        engine=setter.engine.label,
        left_out=tuple(selection.id_of(path) for path in left_out),
        fill=fill,
    )
    document.pdf.parent.mkdir(parents=True, exist_ok=True)
    made.replace(document.pdf)
    stale.write(document.record, record)
    return record, warnings


def _outermost(paths: Collection[FieldPath]) -> tuple[FieldPath, ...]:
    """The paths that lie in no other, in the file's order: an item, and not its bullets too."""
    return tuple(
        path
        for path in sorted(paths)
        if not any(path[:length] in paths for length in range(1, len(path)))
    )


def _outcome(document: _Document, record: Record, *, cached: bool) -> Outcome:
    setter = document.setter
    face = getattr(document.template.manifest.fonts, setter.engine.origin)
    return Outcome(
        document.task.person.name,
        document.template.name,
        document.pdf,
        notes=document.notes,
        diagnostics=tuple(_limited(document)),
        engine=record.engine,
        fonts=face.family,
        pages=record.pages,
        cached=cached,
        left_out=tuple(_left_out(name, document) for name in record.left_out),
        fill=record.fill,
    )


def _limited(document: _Document) -> Iterator[Diagnostic]:
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


def _left_out(name: str, document: _Document) -> Diagnostic:
    """A note that one page had no room for a field, with its place."""
    path = selection.path_of(name)
    place = path[:-1] if path[-1] == "run" else path
    words = selection.words_of(document.task.profile, place)
    return Diagnostic("note", "left-out", f"left out: {words}", document.task.source.span(place))
