"""One document before TeX runs: all that its task needs, the key of all it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date as Day
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import cvbuild
from cvbuild.building.cache import records
from cvbuild.building.cache.records import Record
from cvbuild.building.task import APPLICATIONS, BUILD, EPOCH_DAY, Settings, Task
from cvbuild.common import safe_files, user_cache
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs import localize, pictures
from cvbuild.model import field_paths
from cvbuild.outputs.pdf import choose_engine
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.one_page import fit
from cvbuild.outputs.pdf.tex import aux_files
from cvbuild.outputs.pdf.tex.drivers import choose_driver
from cvbuild.outputs.pdf.tex.find import find_engine, probe_system
from cvbuild.outputs.pdf.tex.types import Needs
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.pdf.verify import secrets
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library, Template
from cvbuild.selection import select, variant_texts
from cvbuild.selection.selected import Selected
from cvbuild.view import types

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.verify.verify import Expected

#: What of a person, and which options, are no part of a letter.
_NOTHING_BELOW = MappingProxyType({"summary": (), "interests": (), "sections": ()})
_NOT_IN_LETTERS = MappingProxyType({"photo": False, "embed": False, "footer": ""})
#: What stands behind the name of a document that is public by itself and shows all.
PRIVATE = "private"
_DRAFT = Diagnostic(
    "note",
    "untagged",
    "the PDF is not tagged for screen readers: --no-tags",
    hint="build it without --no-tags before anybody gets it",
)


@dataclass(frozen=True)
class Document:
    """A task with all that it needs, before TeX runs."""

    task: Task
    settings: Settings
    template: Template
    setter: Typesetter
    selected: Selected
    notes: tuple[Diagnostic, ...] = ()

    @property
    def pdf(self) -> Path:
        """Where the finished document is."""
        if self.task.draft:
            return self.setter.keep.with_suffix(".pdf")
        return self.settings.out / self.task.person.name / f"{self.setter.keep.name}.pdf"

    @property
    def record(self) -> Path:
        """Where it is remembered what the document was made from."""
        return self.setter.keep / "record.json"

    def key(self) -> str:
        """A hash of all that the document is made from, but its date."""
        return records.key(self.parts())

    def parts(self) -> dict[str, str]:
        """All that the document is made from, but its date: hashes and words by their name."""
        setter, used = self.setter, self.setter.setting.used
        faces = [Path(file) for face in used for file in (face.regular, face.bold)]
        return {
            "version": cvbuild.__version__,
            "text": records.digest(self.undated.tex),
            "priorities": records.digest(
                repr(sorted(unit.order for unit in fit.units(self.selected)))
            ),
            "photo": records.digest(setter.photo or b""),
            **({"signature": records.digest(setter.signature)} if setter.signature else {}),
            "attachment": records.digest(setter.attachment or b""),
            # Not the driver: all of them make the same file.
            "engine": f"{setter.engine.binary} {setter.engine.version}",
            "tree": records.tree(setter.engine.tree),
            "fonts": records.tree(dict.fromkeys(faces)),
            "epoch": str(self.settings.epoch),
            "updated": str(self._day),
            **{f"file {name}": part for name, part in records.files(self.template.folders)},
        }

    def details(self) -> dict[str, str]:
        """What is in the part "text", for people: options, language, a hash of each field."""
        options = {f"option {name}": str(v) for name, v in self.setter.options.items()}
        chosen = self.task.chosen
        variant = (
            {f"variant {key}": text for key, text in variant_texts.said(chosen)} if chosen else {}
        )
        return {"locale": self.task.profile.locale, **options, **variant, **_fields(self.undated)}

    @property
    def looked_at(self) -> tuple[Path, ...]:
        """All files of TeX's that made this engine be taken, and not another."""
        passed: tuple[Path, ...] = ()
        if self.settings.engine == "auto":
            probe = probe_system("pdflatex", needs(self.template)[0], self.setter.cache)
            passed = probe.engine.tree if probe.engine else probe.tree
        return tuple(dict.fromkeys((*passed, *self.setter.engine.tree)))

    @cached_property
    def undated(self) -> Rendered:
        """All that could be shown, without a date."""
        density = self.template.manifest.density
        return self.setter.render(self.selected, density[-1] if density else {})

    def left(self, record: Record | None) -> aux_files.Files:
        """The auxiliary files of its last good build; none if it is to be built from nothing."""
        settings, setter = self.settings, self.setter
        anew = settings.force or settings.driver != "auto"
        if record is None or anew or record.engine != setter.engine.label:
            return ()
        return aux_files.kept(setter.keep, record.warm, setter.cache)

    def expected(self, rendered: Rendered) -> Expected:
        """What the PDF made from ``rendered`` must hold."""
        from cvbuild.outputs.pdf.verify.verify import Expected

        pages = self.template.manifest.pages
        return Expected(
            rendered.blocks,
            rendered.preamble,
            None if pages == "any" else int(pages),
            secrets.secrets(self.task.source.hidden, self.task.profile.locale),
            self.task.source.span,
            rtl=self.setter.setting.rtl,
        )

    def date(self, record: Record | None) -> int:
        """SOURCE_DATE_EPOCH, ``updated`` or the letter's day, or the day its content changed."""
        if self.settings.epoch is not None:
            return self.settings.epoch
        if self._day is not None:
            return (self._day.toordinal() - EPOCH_DAY) * 86400
        return record.epoch if record else self.settings.today

    @property
    def dated_today(self) -> bool:
        """Whether the date of a changed document is the build's day."""
        return self.settings.epoch is None and self._day is None

    @property
    def _day(self) -> Day | None:
        """The day that the document itself tells: a letter's, else ``updated``."""
        draft = self.task.draft
        return draft.date if draft else self.task.profile.updated


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a document is to show, before anything is asked of TeX."""

    task: Task
    """The task with the profile in the document's language."""
    template: Template
    options: Mapping[str, Any]
    selected: Selected
    notes: tuple[Diagnostic, ...]
    """What is there in another language."""


def choose(task: Task, library: Library, locale: str | None) -> Chosen:
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
    return Chosen(task, template, options, selected, notes)


def prepare(task: Task, settings: Settings) -> Document:
    """Find everything; raises CvbuildError."""
    choice = choose(task, settings.library, settings.locale)
    draft = task.draft
    if not draft:
        select.require(choice.selected, task.source)
    refuse_links(task, settings)
    keep = places(task, settings)[1]
    task, template, options = choice.task, choice.template, choice.options
    cache = user_cache.resolved(settings.cache)
    engine, notes = find_engine(settings.engine, *needs(template), cache)
    picture = None
    if task.profile.photo and options.get("photo"):
        picture = task.photo or pictures.load(
            task.profile.photo, task.person.path.parent, task.source
        )
    setter = Typesetter(
        template=template,
        options=options,
        engine=engine,
        driver=choose_driver(settings.driver, engine),
        source=task.source,
        photo=picture,
        attachment=_attachment(choice.selected) if options.get("embed") else None,
        keep=keep,
        scratch=settings.scratch,
        cache=cache,
        timeout=settings.timeout,
        draft=draft,
        signature=_signature(task) if draft else None,
    )
    selected, system = choice.selected, needs(template)[0]
    setter = choose_engine.settle(setter, selected, settings.engine, settings.driver, system)
    if not settings.tags and setter.engine.tagged:
        setter = replace(setter, engine=replace(setter.engine, tagged=False, archival=False))
        notes = (*notes, _DRAFT)
    return Document(task, settings, template, setter, selected, (*notes, *choice.notes))


def places(task: Task, settings: Settings) -> tuple[Path, Path]:
    """Where a document is to be, and the folder of what is kept of it."""
    if task.draft:
        folder = settings.out / BUILD / APPLICATIONS / task.draft.slug
        return folder / f"{templates.LETTER}.pdf", folder / templates.LETTER
    variant, person = task.chosen, task.person.name
    # A document that is private by itself has no public one beside it.
    private = f".{PRIVATE}" if task.private and not (variant and variant.private) else ""
    own = (variant.locale if variant else None) or task.profile.locale
    name = f"{task.name}{private}{localize.suffix(own, settings.locale)}"
    return settings.out / person / f"{name}.pdf", settings.out / BUILD / person / name


def refuse_links(task: Task, settings: Settings) -> None:
    """Raise CvbuildError if a folder that the document is written to is a link."""
    pdf, keep = places(task, settings)
    folders = (pdf.parent, keep, settings.scratch)
    below = (path.relative_to(settings.out).as_posix() for path in folders)
    safe_files.refuse_links(settings.out, *below)


def _fields(rendered: Rendered) -> dict[str, str]:
    """{"field sections.2": hash of the lines of the .tex that came from there}."""
    lines = rendered.tex.split("\n")
    found: dict[str, list[str]] = {}
    for number, path in rendered.places:
        steps = {"sections": 2, templates.LETTER: 2, "variants": 4}
        place = path[: steps.get(str(path[0]), 1)]
        found.setdefault(f"field {field_paths.id_of(place)}", []).append(lines[number - 1])
    return {name: records.digest("\n".join(texts))[:16] for name, texts in found.items()}


def _signature(task: Task) -> bytes | None:
    """The picture of the signature that the task's letter names; raises ProfileError."""
    draft = task.draft
    if draft is None or draft.letter.signature is None:
        return None
    return pictures.load(draft.letter.signature, draft.folder, task.source, types.SIGNATURE)


def _attachment(selected: Selected) -> bytes:
    """All that a template could show, or what the variant shows."""
    from cvbuild.outputs.jsonresume import export  # few documents carry their data

    if selected.variant is None:
        selected = select.select(selected.profile, {})
    return export.to_bytes(selected)


def needs(template: Template) -> tuple[Needs, Needs]:
    """What the template needs of the system's TeX and of the embedded one."""
    fonts = template.manifest.fonts
    both = ({**template.manifest.needs, **face.needs} for face in (fonts.system, fonts.embedded))
    system, embedded = (Needs(tuple(files), tuple(files.items())) for files in both)
    return system, embedded
