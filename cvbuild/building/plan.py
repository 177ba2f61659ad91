"""One document before it is made: what it shows, which output makes it, its key and its places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from cvbuild.building.cache import records
from cvbuild.building.cache.records import Record
from cvbuild.common import safe_files, versions
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs import localize
from cvbuild.outputs import registry
from cvbuild.outputs.at_once import AtOnce
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library, Template
from cvbuild.outputs.task import APPLICATIONS, EPOCH_DAY, Settings, Task
from cvbuild.outputs.types import Output, Prepared, PreparedOutput, Shown
from cvbuild.selection import select, variant_texts
from cvbuild.selection.selected import Selected

#: What of a person, and which options, are no part of a letter.
_NOTHING_BELOW = MappingProxyType({"summary": (), "interests": (), "sections": ()})
_NOT_IN_LETTERS = MappingProxyType({"photo": False, "embed": False, "footer": ""})
#: What stands behind the name of a document that is public by itself and shows all.
PRIVATE = "private"


@dataclass(frozen=True)
class Document:
    """A task with all that it needs; ``path`` is where the finished file is."""

    settings: Settings
    shown: Shown
    prepared: Prepared
    path: Path
    keep: Path
    """The folder of what is kept of it between builds."""

    @property
    def task(self) -> Task:
        """The task with the profile in the document's language."""
        return self.shown.task

    @property
    def template(self) -> Template:
        """Its style."""
        return self.shown.template

    @property
    def selected(self) -> Selected:
        """What of the person it shows."""
        return self.shown.selected

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What is to be said of the machine, and of texts in another language."""
        return (*self.prepared.notes, *self.shown.notes)

    @property
    def record(self) -> Path:
        """Where it is remembered what the document was made from."""
        return self.keep / records.name(self.task.format)

    def key(self) -> str:
        """Return a hash of all that the document is made from, but its date."""
        return records.key(self.parts())

    def parts(self) -> dict[str, str]:
        """Return all that the document is made from, but its date: hashes and words by name."""
        return {
            "version": versions.VERSION,
            **self.prepared.parts(),
            "epoch": str(self.settings.epoch),
            "updated": str(self.task.day),
        }

    def details(self) -> dict[str, str]:
        """Return what is in the text, for people: options, language, a hash of each field."""
        options = {f"option {name}": str(v) for name, v in self.shown.options.items()}
        chosen = self.task.chosen
        said = variant_texts.said(chosen) if chosen else ()
        variant = {f"variant {key}": text for key, text in said}
        locale = self.task.profile.locale
        return {"locale": locale, **options, **variant, **self.prepared.details()}

    def date(self, record: Record | None) -> int:
        """SOURCE_DATE_EPOCH, ``updated`` or the letter's day, or the day its content changed."""
        if self.settings.epoch is not None:
            return self.settings.epoch
        day = self.task.day
        if day is not None:
            return (day.toordinal() - EPOCH_DAY) * 86400
        return record.epoch if record else self.settings.today


def choose(task: Task, library: Library, locale: str | None) -> Shown:
    """Template, options, language and selection; raises UsageError for an unknown template."""
    template = library.require(task.template)
    profile, source = variant_texts.applied(task.profile, task.source, task.variant)
    options = templates.resolve(template, profile, task.chosen)
    if task.draft:
        # Of the person a letter has the head alone.
        profile = profile.model_copy(update=_NOTHING_BELOW)
        template, options = library.letter(template), {**options, **_NOT_IN_LETTERS}
    locale = locale or (task.chosen.locale if task.chosen else None)
    # What is never shown needs no translation.
    first = select.select(profile, options, task.variant)
    own = {(*section.path, "title") for section in first.sections if section.is_retitled}
    profile, notes = localize.localize(profile, source, locale, first.left_out | own)
    selected = select.select(profile, options, task.variant)
    task = replace(task, profile=profile, source=source)
    return Shown(task, template, options, selected, notes)


def prepare(task: Task, settings: Settings) -> Document:
    """Find everything; raises CvbuildError."""
    shown = choose(task, settings.library, settings.locale)
    if not task.draft:
        select.require(shown.selected, task.source)
    output = registry.find(task.format)
    refuse_links(task, settings)
    path, keep = places(task, settings)
    return Document(settings, shown, _prepared(output, shown, settings, keep), path, keep)


def _prepared(
    output: Output | PreparedOutput, shown: Shown, settings: Settings, keep: Path
) -> Prepared:
    if hasattr(output, "prepare"):
        return output.prepare(shown, settings, keep)
    return AtOnce(output, shown)


def places(task: Task, settings: Settings) -> tuple[Path, Path]:
    """Where a document is to be, and the folder of what is kept of it."""
    suffix = registry.find(task.format).suffix
    if task.draft:
        folder = settings.hidden / APPLICATIONS / task.draft.slug
        return folder / f"{templates.LETTER}{suffix}", folder / templates.LETTER
    variant, person = task.chosen, task.person.name
    # A document that is private by itself has no public one beside it.
    private = f".{PRIVATE}" if task.private and not (variant and variant.private) else ""
    own = (variant.locale if variant else None) or task.profile.locale
    name = f"{task.name}{private}{localize.suffix(own, settings.locale)}"
    return settings.out / person / f"{name}{suffix}", settings.hidden / person / name


def refuse_links(task: Task, settings: Settings) -> None:
    """Raise CvbuildError if a folder that the document is written to is a link."""
    path, keep = places(task, settings)
    folders = (path.parent, keep, settings.scratch)
    below = (folder.relative_to(settings.out).as_posix() for folder in folders)
    safe_files.refuse_links(settings.out, *below)
