"""One document before it is made: what it shows, its output, its key and its paths."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date as Day
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from cvbuild.building.request import PRIVATE
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.common.files import safe_files
from cvbuild.inputs import localize
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.base import FrozenMap
from cvbuild.outputs import own_files, registry
from cvbuild.outputs.styles import LETTER, templates
from cvbuild.outputs.styles.manifests import FONT
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import APPLICATIONS, Settings, Task
from cvbuild.outputs.types import Plan, Shown
from cvbuild.selection import select
from cvbuild.selection.selected import Selected, applied, dated
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
    if any(one.severity == "error" for one in report):
        raise DocumentError(report)
    return report


def prepare(task: Task, settings: Settings) -> Plan:
    """Return the document of a task; raises CvbuildError."""
    output = registry.find(task.format)
    plan = Plan(output, shown(task, settings), settings, *places(task, settings))
    if output.made_from:
        origin = prepare(replace(task, format=output.made_from), settings)
        plan = replace(plan, origin=origin)
    if output.fits_page and plan.template.manifest.tex.density:
        from cvbuild.outputs.pdf.output import on_one_page  # few documents need it

        plan = replace(plan, shown=on_one_page(plan))
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
