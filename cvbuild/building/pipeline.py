"""One document: what it shows, its key and its paths; make, check, publish and record it.

A **record** stands beside what a document was made in. It has a key, a hash of all that the
document was made from, and the key's parts, so that ``status --why`` can say which of them changed.
What came with a clone counts as none: it has no code made with the user's key.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from cvbuild.building import own_files
from cvbuild.common import limits
from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    DocumentError,
    Span,
    foreign,
    id_of,
    path_of,
)
from cvbuild.common.files import file_state, safe_files, safe_folders, user_cache
from cvbuild.common.files.safe_folders import BUILD, PLACE
from cvbuild.inputs.person import localize
from cvbuild.outputs.installed import LETTER
from cvbuild.outputs.request import DAY, EPOCH_DAY, PDF
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.manifests import FONT, is_font_file
from cvbuild.outputs.types import Made, Shown, Task, key_of
from cvbuild.selection import select
from cvbuild.selection.selected import applied, name_of
from cvbuild.view import builder

#: The parts of a person, and the options, that a letter doesn't have.
_NOTHING_BELOW = MappingProxyType({"summary": (), "interests": (), "sections": ()})
_NOT_IN_LETTERS = MappingProxyType({"photo": False, "embed": False, "footer": ""})


def choose(task: Task) -> Shown:
    """Return what a document shows; raises UsageError for an unknown template."""
    request, library, notes = task.request, task.request.library, list[Diagnostic]()
    # Its look.
    template = library.require(task.style)
    origins = templates.origins(template, task.profile, task.chosen)
    options = {name: value for name, (value, _) in origins.items()}
    if is_font_file(options.get(FONT)):
        place = origins[FONT][1] or ("options", FONT)
        options[FONT] = own_files.family(options[FONT], task.person.path, task.source, place)
        notes += own_files.notes(options[FONT], task.source, place)
    # Its texts.
    profile, source = applied(task.profile, task.source, task.variant, request.counted_from)
    if task.draft:
        # A letter shows only the person's header.
        profile = profile.model_copy(update=_NOTHING_BELOW)
        template, options = library.letter(template), {**options, **_NOT_IN_LETTERS}
    locale = request.locale or (task.chosen.locale if task.chosen else None)
    profile, untranslated = localize.localize(profile, locale)
    selected = select.select(profile, options, task.variant)
    # What is never shown needs no translation.
    titles = {(*section.path, "title") for section in selected.sections if section.is_retitled}
    lacking = untranslated.notes(source, selected.left_out | titles)
    if dead := [*builder.dead_labels(selected)]:
        labels = "1 label" if len(dead) == 1 else f"{len(dead)} labels"
        fact = f"{labels} of links without an address: not shown"
        hint = "write the address after it: - PDF: https://…"
        notes.insert(0, Diagnostic("note", "dead-label", fact, source.span(dead[0]), hint))
    asked = {name: getattr(task, name) for name in Task.__struct_fields__}
    return Shown(
        **{**asked, "profile": profile, "source": source},
        below=task.below,
        template=template,
        options=options,
        selected=selected,
        notes=(*template.notes, *lacking, *notes),
    )


def shown(task: Task) -> Shown:
    """Return what a document shows, if there may be one; raises CvbuildError."""
    # Where it is put, kept and made.
    folders = (task.below.parent, BUILD / task.below, Path(*PLACE))
    safe_files.refuse_links(task.request.out, *(folder.as_posix() for folder in folders))
    chosen = choose(task)
    if not task.draft:
        select.require(chosen.selected, task.source)
    elif not chosen.output.shows_letters:
        fact = f"a letter can't be made as {task.format}"
        hint = "make it as pdf, docx, html or txt"
        raise DocumentError.because("format", fact, hint, task.source.span((LETTER,)))
    kept = within_limits(chosen)
    if task.format != PDF:
        # A PDF tells of them together with those of its pages.
        chosen = replace(chosen, notes=(*chosen.notes, *kept))
    return chosen


def within_limits(shown: Shown) -> tuple[Diagnostic, ...]:
    """Return a note of the limits that what it says keeps to; raises DocumentError for others."""
    if shown.limited is None:
        return ()
    from cvbuild.outputs import measured  # few documents have limits

    report = measured.report(shown)
    if any(item.severity == "error" for item in report):
        raise DocumentError(report)
    return report


def prepare(task: Task) -> Shown:
    """Return a document of which all is known but what making it brings; raises CvbuildError."""
    chosen = shown(task)
    if origin := chosen.output.made_from:
        chosen = replace(chosen, origin=prepare(replace(task, format=origin)))
    return chosen.output.prepare(chosen)


# -- make it, if it isn't up to date ---------------------------------------------------------------


WRITING = ("output", "can't write the document", "check the output folder")
#: The most items that a note names.
_NAMED = 3
#: Where the PDF of before waits while the new one, shown already, is verified.
_GOOD = "good.pdf"
_BACK = Diagnostic("note", "back", "the PDF of before is in place again")


def build(task: Task) -> Outcome:
    """Build one document; errors are in the outcome, never raised."""
    start, seconds, span = time.perf_counter(), task.request.timeout, Span(task.source.name)
    try:
        with limits.bounded(f"the document {task.name}", seconds, span), foreign(*WRITING):
            outcome = build_shown(prepare(task))
    except CvbuildError as error:
        outcome = failed(task, error)
    return replace(outcome, seconds=round(time.perf_counter() - start, 3))


def failed(task: Task, error: CvbuildError) -> Outcome:
    """Return the outcome of a document that could not be made."""
    return Outcome(
        task.person.name,
        task.style,
        format=task.format,
        diagnostics=error.diagnostics,
        log=error.log if isinstance(error, DocumentError) else None,
        exit_code=error.exit_code,
        variant=task.shown_variant,
    )


def build_shown(shown: Shown) -> Outcome:
    """Build a document that is prepared; raises CvbuildError and OSError."""
    record, made, before = _finished(shown), None, tuple[Diagnostic, ...]()
    if record is None:
        origin = build_shown(shown.origin) if shown.origin else None
        with safe_folders.locked(safe_folders.stored(shown.keep, make=True)):
            # Another build may have made it in the meantime.
            record = _finished(shown)
            if record is None:
                made, epoch = _make(shown)
                record = _put(shown, made, epoch)
                # Nobody else may report what was built for this document.
                before = origin.diagnostics if origin and not origin.cached else ()
    return _outcome(shown, record, made, before)


def _finished(shown: Shown) -> Record | None:
    """Return the document's record if the document is up to date and may stay, else None."""
    record = None if shown.request.force else Record.read(shown.record, shown.request.cache)
    if record is None or record.key != shown.key or record.verified is None:
        return None
    return record if record.file_hash == safe_folders.hash_at(shown.path) else None


def _make(shown: Shown) -> tuple[Made, int]:
    """Make the file and check it; return it with its date. Raises CvbuildError."""
    request, before = shown.request, Record.read(shown.record, shown.request.cache)
    # SOURCE_DATE_EPOCH, the day in the document, or the day its content changed.
    epoch = request.today if before is None or before.key != shown.key else before.epoch
    if day := shown.day:
        epoch = (day.toordinal() - EPOCH_DAY) * DAY
    if request.epoch is not None:
        epoch = request.epoch
    # The PDF's ids are the same on all machines.
    content = {name: part for name, part in shown.parts.items() if name not in OF_MACHINE}
    good, was = shown.keep / _GOOD, before.file_hash if before and before.verified else None
    # What was taken out as private is searched for before anybody sees the file.
    is_first = request.shows_first and shown.format == PDF and not shown.source.private
    try:
        made = shown.output.complete(shown, epoch, file_state.hash_of(f"{key_of(content)} {epoch}"))
        if is_first and isinstance(made.content, Path) and safe_folders.hash_at(shown.path) == was:
            from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES  # loaded while TeX ran

            first = shown.keep / "shown.pdf"
            safe_folders.write(good, safe_files.read(shown.path, MAX_BYTES, links=False))
            safe_folders.write(first, safe_files.read(made.content, MAX_BYTES, links=False))
            safe_files.move(first, _place(shown))
        return shown.output.verify(shown, made), epoch
    except BaseException as error:
        # What was in place before is there again, also after a build that was killed.
        if was and safe_folders.hash_at(good) == was:
            safe_files.move(good, shown.path)
            if isinstance(error, CvbuildError):
                error.diagnostics += (_BACK,)
        raise


def _put(shown: Shown, made: Made, epoch: int) -> Record:
    """Put the file in its place, and write its record; raises OSError."""
    new, place = shown.keep / f"finished{shown.path.suffix}", _place(shown)
    if isinstance(made.content, Mapping):
        safe_folders.write_contents(new, made.content)
    elif isinstance(made.content, bytes):
        safe_folders.write(new, made.content)
    else:
        safe_files.take(made.content, new)
    record = Record(
        key=shown.key,
        epoch=epoch,
        file_hash=safe_folders.hash_at(new),
        pages=made.pages,
        engine=shown.machine.engine,
        fonts=shown.machine.typeface,
        left_out=tuple(id_of(path) for path in made.left_out),
        fill=made.fill,
        verified=dict(made.figures),
        private=shown.private,
        parts=shown.parts,
    )
    good = shown.keep / _GOOD
    if isinstance(made.content, Mapping):
        safe_folders.replace_contents(new, place)
    elif good.exists() and safe_folders.hash_at(place) == record.file_hash:
        # It was shown already.
        new.unlink()
    else:
        safe_files.move(new, place)
    good.unlink(missing_ok=True)
    record.write(shown.record, shown.request.cache)
    return record


def _place(shown: Shown) -> Path:
    """Return the path of the finished file, whose folder is made; raises as ``safe_folders``."""
    folder = shown.path.parent.relative_to(shown.request.out)
    safe_folders.real(shown.request.out, *folder.parts, make=True)
    return shown.path


def _outcome(
    shown: Shown, record: Record, made: Made | None, before: tuple[Diagnostic, ...]
) -> Outcome:
    """Return what came of a document; ``before`` is told of the one that it was made from."""
    source, left_out, remarks = shown.source, [], []
    warnings, notes = (made.warnings, made.notes) if made else ((), ())
    # What one page had no room for, at its position.
    for path in map(path_of, record.left_out):
        fact = f"left out: {name_of(shown.profile, path)}"
        span = source.span(path[:-1] if path[-1] == "run" else path)
        left_out.append(Diagnostic("note", "left-out", fact, span))
    # What only a limit of the template left out.
    if cut := [out.path for out in shown.selected.out if out.reason == "limit" and not out.rule]:
        count, name = shown.options["publications"], shown.template.name
        names = "; ".join(name_of(shown.profile, path) for path in cut[:_NAMED])
        more = "; …" if len(cut) > _NAMED else ""
        plural = "" if count == 1 else "s"
        span = source.span(("sections", cut[0][1]))
        fact = f"{name} shows {count:g} publication{plural} and leaves out {len(cut)}"
        hint = f"options: {{{name}: {{publications: 0}}}} shows all"
        remarks.append(Diagnostic("note", "limited", f"{fact}: {names}{more}", span, hint))
    if shown.draft and (record.pages or 0) > 1:
        span, fact = source.span(("letter", "body")), f"the letter takes {record.pages} pages"
        hint = "one page is usual: make the text shorter"
        remarks.append(Diagnostic("note", "letter-long", fact, span, hint))
    return Outcome(
        shown.person.name,
        shown.template.name,
        shown.path,
        format=shown.format,
        notes=(*shown.notes, *notes),
        diagnostics=(*before, *remarks, *warnings),
        engine=record.engine,
        fonts=record.fonts,
        pages=record.pages,
        cached=made is None,
        left_out=tuple(left_out),
        fill=record.fill,
        verified=record.verified,
        keep=shown.keep,
        record=record,
        machine=(shown.machine.tree, shown.machine.files),
        passing=(*before, *warnings, *notes),
        variant=shown.shown_variant,
    )


# -- what came of it: a record for the next build, an outcome to print -----------------------------

#: Parts of a key that may differ between machines on which a document has the same bytes.
OF_MACHINE = ("tree", "fonts")
#: Fields of an outcome that --json has as they are.
_PLAIN = (
    "person", "template", "variant", "format", "engine", "fonts", "pages", "seconds", "cached",
    "fill",
)  # fmt: skip


class Record(Struct, frozen=True):
    """What is stored about a finished document."""

    key: str
    epoch: int
    file_hash: str
    pages: int | None = None
    engine: str | None = None
    fonts: str | None = None
    left_out: tuple[str, ...] = ()
    fill: float | None = None
    verified: dict[str, float] | None = None
    """What was compared with the PDF: numbers of texts, links, fonts, pages; seconds."""
    private: bool = False
    """Whether it showed what is private; another build of the same name may be public."""
    parts: dict[str, str] = field(default_factory=dict)
    """What the key was made from."""

    @classmethod
    def read(cls, path: Path, cache: Path | None) -> Record | None:
        """Return what is stored, None if none counts; ``cache`` has the key, or the user's own."""
        try:
            data = user_cache.load(path, user_cache.key(user_cache.resolved(cache)))
            return cls(**{**data, "left_out": tuple(data["left_out"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def write(self, path: Path, cache: Path | None) -> None:
        """Write it into a document's folder; raises OSError."""
        key = user_cache.key(user_cache.resolved(cache))
        safe_folders.write(path, user_cache.seal(json.dumps(asdict(self)), key))


class Outcome(Struct, frozen=True):
    """The outcome of one document; ``path`` is None if it failed.

    ``left_out`` had no room on one page, of which ``fill`` (0 to 1) is used; ``notes`` concern the
    machine; ``verified`` counts what was compared. For the quick check: ``keep`` is the folder of
    the ``record``, ``machine`` has the files of its "tree" and "fonts", and ``passing`` isn't told
    again while the document is up to date.
    """

    person: str
    template: str
    path: Path | None = None
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
    keep: Path | None = None
    record: Record | None = None
    machine: tuple[tuple[Path, ...], tuple[Path, ...]] = ((), ())
    passing: tuple[Diagnostic, ...] = ()
    variant: str | None = None
    format: str = "pdf"

    @property
    def name(self) -> str:
        """The name of the document: the variant, else the template."""
        return self.variant or self.template

    def as_json(self) -> dict[str, Any]:
        """Return a plain object for ``--json``; without the notes."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "path": str(self.path) if self.path else None,
            "verified": dict(self.verified) if self.verified else None,
            "left_out": [item.as_json() for item in self.left_out],
            "log": str(self.log) if self.log else None,
            "diagnostics": [item.as_json() for item in self.diagnostics],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], notes: Iterable[Mapping[str, Any]]) -> Outcome:
        """Return the outcome that such an object of a finished document describes."""
        return cls(
            **{name: plain[name] for name in _PLAIN},
            path=Path(plain["path"]),
            diagnostics=tuple(map(Diagnostic.from_json, plain["diagnostics"])),
            notes=tuple(map(Diagnostic.from_json, notes)),
            left_out=tuple(map(Diagnostic.from_json, plain["left_out"])),
            verified=plain["verified"],
        )
