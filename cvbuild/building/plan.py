"""One document before it is made: what it shows, its output, its key and its paths."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import date as Day
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.building.outcome import Record, key_of, record_name
from cvbuild.building.request import PRIVATE
from cvbuild.common import versions
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD, Folder
from cvbuild.inputs import localize
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.base import FrozenMap
from cvbuild.outputs import own_files, registry
from cvbuild.outputs.styles import LETTER, templates
from cvbuild.outputs.styles.manifests import FONT
from cvbuild.outputs.styles.templates import Library, Template
from cvbuild.outputs.task import APPLICATIONS, EPOCH_DAY, Settings, Task
from cvbuild.outputs.types import Prepared, Shown
from cvbuild.selection import select
from cvbuild.selection.selected import Selected, applied, dated, rules_of
from cvbuild.view import builder

#: The parts of a person, and the options, that a letter doesn't have.
_NOTHING_BELOW = MappingProxyType({"summary": (), "interests": (), "sections": ()})
_NOT_IN_LETTERS = MappingProxyType({"photo": False, "embed": False, "footer": ""})


class Document(Struct, frozen=True):
    """A task with everything that it needs; ``path`` is the path of the finished file."""

    settings: Settings
    shown: Shown
    prepared: Prepared
    path: Path
    keep: Path
    """The folder for what is stored of it between builds."""
    source: Document | None = None
    """The document that it is made from, if it is made from another."""

    @property
    def task(self) -> Task:
        """The task with the profile in the document's language."""
        return self.shown.task

    @property
    def template(self) -> Template:
        """Its template."""
        return self.shown.template

    @property
    def selected(self) -> Selected:
        """The parts of the person that it shows."""
        return self.shown.selected

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Notes on texts in another language, and others of what it shows."""
        return self.shown.notes

    def opened(self) -> AbstractContextManager[Folder]:
        """Open the folder of the finished file, made if needed; raises as ``safe_folders``."""
        parent, out = self.path.parent, Path(self.task.out or self.settings.out)
        if BUILD in parent.parts:
            return safe_folders.stored(parent, make=True)
        return safe_folders.opened(out, *parent.relative_to(out).parts, make=True)

    @property
    def record(self) -> Path:
        """The path of its record."""
        return self.keep / record_name(self.task.format)

    def key(self) -> str:
        """Return a hash of everything that the document is made from, except its date."""
        return key_of(self.parts())

    def parts(self) -> dict[str, str]:
        """Return all that the document is made from, except its date: hashes and words by name."""
        return {
            "version": versions.VERSION,
            **self.prepared.parts(),
            "epoch": str(self.settings.epoch),
            "updated": str(self.task.day),
            "limits": str(self.shown.limits),
        }

    def details(self) -> dict[str, str]:
        """Return what is in the text, for people: options, language, a hash of each field."""
        options = {f"option {name}": str(v) for name, v in self.shown.options.items()}
        chosen = self.task.chosen
        rules = rules_of(chosen) if chosen else ()
        variant = {f"variant {key}": text for key, text in rules}
        locale = self.task.profile.locale
        return {"locale": locale, **options, **variant, **self.prepared.details()}

    def date(self, record: Record | None) -> int:
        """Return SOURCE_DATE_EPOCH, the day in the document, or the day its content changed."""
        if self.settings.epoch is not None:
            return self.settings.epoch
        day = self.task.day
        if day is not None:
            return (day.toordinal() - EPOCH_DAY) * 86400
        return record.epoch if record else self.settings.today


def choose(task: Task, library: Library, locale: str | None, day: Day) -> Shown:
    """Return what a document shows on a day; raises UsageError for an unknown template."""
    template = library.require(task.template)
    profile, source = applied(task.profile, task.source, task.variant)
    profile = dated(profile, day)
    origins = templates.origins(template, profile, task.chosen)
    options = {name: value for name, (value, _) in origins.items()}
    lacking: tuple[Diagnostic, ...] = ()
    if isinstance(options.get(FONT), FrozenMap):
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
    own = {(*section.path, "title") for section in first.sections if section.is_retitled}
    profile, notes = localize.localize(profile, source, locale, first.left_out | own)
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
    if any(one.severity == "error" for one in report):
        raise DocumentError(report)
    return report


def prepare(task: Task, settings: Settings) -> Document:
    """Return the document of a task; raises CvbuildError."""
    chosen, output = shown(task, settings), registry.find(task.format)
    path, keep = places(task, settings)
    source, origin = None, None
    if output.made_from:
        source = prepare(replace(task, format=output.made_from), settings)
        origin = source.prepared, source.path
    if output.fits_page and chosen.template.manifest.tex.density:
        from cvbuild.outputs.pdf.output import on_one_page  # few documents need it

        chosen = on_one_page(chosen, settings, keep)
    prepared = output.prepare(chosen, settings, keep, origin)
    return Document(settings, chosen, prepared, path, keep, source)


def places(task: Task, settings: Settings) -> tuple[Path, Path]:
    """Return the path of a document, and the folder for what is stored of it."""
    suffix = registry.find(task.format).suffix
    if task.draft:
        folder = settings.hidden / APPLICATIONS / task.draft.slug
        return folder / f"{LETTER}{suffix}", folder / LETTER
    variant, person = task.chosen, task.person.name
    # A document that is private by itself has no public version.
    private = f".{PRIVATE}" if task.private and not (variant and variant.private) else ""
    own = (variant.locale if variant else None) or task.profile.locale
    name = f"{task.name}{private}{localize.suffix(own, settings.locale)}"
    out = Path(task.out or settings.out)
    return out / person / f"{name}{suffix}", settings.hidden / person / name


def refuse_links(task: Task, settings: Settings) -> None:
    """Raise CvbuildError if a folder that the document is written to is a link."""
    path, keep = places(task, settings)
    folders = [path.parent, keep, settings.scratch]
    if task.out is not None:
        # Nobody has named it: no part of it may be a link.
        safe_files.refuse_links(os.curdir, folders.pop(0).as_posix())
    below = (folder.relative_to(settings.out).as_posix() for folder in folders)
    safe_files.refuse_links(settings.out, *below)
