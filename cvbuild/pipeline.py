"""One document, start to end: the only place that knows the order of the stages."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from cvbuild import onepage, pdfids, scratch, selection, stale, warm
from cvbuild.diagnostics import Diagnostic, FieldPath
from cvbuild.document import Document, Settings, Task, prepare
from cvbuild.engines import JOBNAME, process
from cvbuild.engines.waiting import Waiting
from cvbuild.errors import CvbuildError, DocumentError
from cvbuild.render import Rendered
from cvbuild.stale import Record

_READERS = "cvbuild.pdf"


@dataclass(frozen=True, slots=True)
class Basis:
    """What a finished document rests on, for whoever remembers it.

    ``folders`` are the template's, ``looked_at`` the files that made its engine be taken, ``fonts``
    the faces from outside TeX's tree; ``tree_part`` and ``fonts_part`` are what the key has of
    these. ``said`` and ``notes`` are for as long as it lasts.
    """

    record: Path
    key: str
    pdf_hash: str
    folders: tuple[Path, ...]
    tree: tuple[Path, ...]
    tree_part: str
    looked_at: tuple[Path, ...]
    fonts: tuple[Path, ...]
    fonts_part: str
    said: tuple[Diagnostic, ...]
    notes: tuple[Diagnostic, ...]
    private: bool = False
    """Whether it shows what is private, and so rests on the overlay too."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one document; ``pdf`` is None if it failed.

    ``left_out`` are the fields that one page had no room for, ``fill`` is the part of that page's
    height that is used (0 to 1); ``notes`` concern the machine and not the document; ``verified``
    says how many texts, links, fonts and pages of the PDF were compared, in how many seconds.
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
    verified: Mapping[str, float] | None = None
    log: Path | None = None
    exit_code: int = 0
    basis: Basis | None = None
    variant: str | None = None

    @property
    def name(self) -> str:
        """What the document is called: the variant, else the template."""
        return self.variant or self.template

    def as_json(self) -> dict[str, Any]:
        """A plain object for ``--json``; without the notes."""
        return {
            "person": self.person,
            "template": self.template,
            "variant": self.variant,
            "path": str(self.pdf) if self.pdf else None,
            "engine": self.engine,
            "fonts": self.fonts,
            "pages": self.pages,
            "seconds": self.seconds,
            "cached": self.cached,
            "fill": self.fill,
            "verified": dict(self.verified) if self.verified else None,
            "left_out": [item.as_json() for item in self.left_out],
            "log": str(self.log) if self.log else None,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], notes: Iterable[Mapping[str, Any]]) -> Outcome:
        """The outcome of such an object of a document that is there."""
        rest = ("engine", "fonts", "pages", "seconds", "cached", "fill")
        return cls(
            **{name: plain[name] for name in ("person", "template", "variant", *rest)},
            pdf=Path(plain["path"]),
            diagnostics=_diagnostics(plain["diagnostics"]),
            notes=_diagnostics(notes),
            left_out=_diagnostics(plain["left_out"]),
            verified=plain["verified"],
        )


def _diagnostics(plain: Iterable[Mapping[str, Any]]) -> tuple[Diagnostic, ...]:
    return tuple(map(Diagnostic.from_json, plain))


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
    with scratch.alone(document.setter.keep):
        # Another build may have made it meanwhile.
        record = _finished(document, parts)
        if record and not document.settings.force:
            return _outcome(document, record, cached=True)
        with _standby(document) as waiting:
            record, warnings, notes = _typeset(document, parts, waiting)
    outcome = _outcome(document, record, cached=False)
    said = (*outcome.diagnostics, *warnings)
    return replace(outcome, diagnostics=said, notes=(*outcome.notes, *notes))


def _standby(document: Document) -> AbstractContextManager[Waiting | None]:
    """An engine that waits for the document, if it is not to be built from nothing."""
    settings = document.settings
    if settings.standby is None or settings.force or settings.driver != "auto":
        return nullcontext()
    return settings.standby.taken(document.setter.keep)


def _finished(document: Document, parts: Mapping[str, str]) -> Record | None:
    """The record of the document, if it is what its inputs say."""
    record = stale.read(document.record)
    if record is None or record.key != stale.key(parts) or not record.verified:
        return None
    return record if record.pdf_hash == stale.file_hash(document.pdf) else None


def _typeset(
    document: Document, parts: dict[str, str], waiting: Waiting | None
) -> tuple[Record, tuple[Diagnostic, ...], tuple[Diagnostic, ...]]:
    """Make the PDF and put it in place; what is to be said of it, and of the machine.

    Raises DocumentError and leaves the old PDF alone.
    """
    if _READERS not in sys.modules:
        process.meanwhile(load_readers)
    key, before = stale.key(parts), stale.read(document.record)
    epoch = document.date(before if before and before.key == key else None)
    ident = pdfids.ident(stale.content(parts), epoch)
    aux = document.left(before)
    setter = replace(document.setter, epoch=epoch, ident=ident, aux=aux, waiting=waiting)
    left_out: tuple[FieldPath, ...] = ()
    fill = None
    if document.template.manifest.density:
        page = onepage.typeset(setter, document.selected)
        made, rendered, warnings, fill = page.pdf, page.rendered, page.warnings, page.fill
        result = page.result
        left_out = _outermost(page.selected.left_out - document.selected.left_out)
    else:
        rendered = setter.dated(document.draft)
        made, result, warnings = setter.compile(rendered)
    verified = _verified(document, rendered, made)
    record = Record(
        key=key,
        epoch=epoch,
        pdf_hash=stale.file_hash(made),
        pages=int(verified["pages"]),
        engine=setter.engine.label,
        left_out=tuple(selection.id_of(path) for path in left_out),
        fill=fill,
        verified=verified,
        private=document.task.private,
        warm=warm.keep(setter.keep, result.aux),
        parts=parts,
        details=document.details(),
    )
    document.pdf.parent.mkdir(parents=True, exist_ok=True)
    made.replace(document.pdf)
    stale.write(document.record, record)
    job = replace(setter.job(rendered, Path()), aux=result.aux)
    warm.remember(setter.keep, job, setter.engine, daily=document.dated_today)
    return record, warnings, result.notes


def load_readers() -> None:
    """Import what is needed once TeX is done: it takes as long as much of what comes before TeX."""
    import_module(_READERS).reader()
    import_module("cvbuild.engines.log")
    import_module("cvbuild.verify")


def _verified(document: Document, rendered: Rendered, made: Path) -> dict[str, float]:
    """Compare the PDF with what it was to show; raises DocumentError if anything is lost."""
    from cvbuild import pdf, verify

    # The readers load once a process, whatever the document.
    facts_of = pdf.reader()
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
    path = selection.path_of(name)
    place = path[:-1] if path[-1] == "run" else path
    words = selection.words_of(document.task.profile, place)
    return Diagnostic("note", "left-out", f"left out: {words}", document.task.source.span(place))
