"""Read and check a person's file with all that it names, and list the documents it asks for.

Sections and tags that variants name are looked for in the file as it is written, so that a variant
may name what is private too. A workspace's file is checked for what no person uses.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date as Day
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.building import own_files
from cvbuild.common import limits
from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    FieldPath,
    ProfileError,
    Span,
    shown_value,
    suggest,
)
from cvbuild.inputs import pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import person_file, privacy, settings
from cvbuild.inputs.person.person_file import OWN, NamesInFile, PersonFile, names_in_file
from cvbuild.inputs.person.settings import Override
from cvbuild.inputs.validation import texts, validate
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.contact import Contact
from cvbuild.model.profile import EVERY, OWN_SECTIONS, Profile, Variant
from cvbuild.outputs import registry
from cvbuild.outputs.formats.html import style_sheet
from cvbuild.outputs.request import PDF, Request
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.manifests import LOGO
from cvbuild.outputs.styles.templates import Library, option_faults
from cvbuild.outputs.types import Task
from cvbuild.selection import select, selected

#: What large letters need according to WCAG 2.2, and the share of the accent in a narrow column's
#: ground (cvb-ground).
_LEAST_CONTRAST, _TINT = 3, 0.06
#: Keys that are looked at beyond the model.
_OUTER = ("template", "formats", "options", "photo", "variants")


def check(
    person: Person, library: Library, *, private: bool = False, seconds: float = limits.SECONDS
) -> PersonFile:
    """Read a person's file in so many seconds of CPU time, and check it with all that it names."""
    try:
        with limits.bounded("reading the file", seconds, Span(str(person.path))):
            read = person_file.read(person, private=private)
            if read.source is None:
                return read
            diagnostics = [*read.diagnostics, *_faults(read, read.source, library)]
    except limits.LimitError as error:
        return PersonFile(person, None, None, error.diagnostics)
    diagnostics.sort(key=lambda item: (item.severity != "error", item.span is None, item.span))
    is_wrong = any(item.severity == "error" for item in diagnostics)
    profile = None if is_wrong else read.profile
    return replace(read, profile=profile, diagnostics=tuple(diagnostics))


def _faults(read: PersonFile, source: Source, library: Library) -> Iterator[Diagnostic]:
    profile, file = read.profile or _outline(source), read.person.path
    yield from _settings(profile, source, library)
    yield from _pale(profile, source, library)
    for path, name in own_files.named(source.data):
        yield from _raised(own_files.family, name, file, source, path)
    for path, name in own_files.named(source.data, LOGO):
        yield from _raised(pictures.load, name, settings.folder_of(name, file), source, path)
    for path, name in profile.pictures:
        yield from _raised(pictures.load, name, file.parent, source, path)
    if read.profile is not None:
        yield from check_ids(profile, source)
        yield from texts.check(profile, source)
        # What a private variant names may be in the overlay.
        variants = profile.variants.items()
        checkable = [name for name, each in variants if read.private or not each.private]
        yield from check_references(profile, source, read.names, checkable)


def _outline(source: Source) -> Profile:
    """Return template, options, photo and variants of an invalid file, each if it is valid.

    Why: an unknown template or a missing photo is reported together with all other errors.
    """
    data = source.data if isinstance(source.data, dict) else {}
    sound: dict[str, object] = {"name": "-"}
    for key in _OUTER:
        with suppress(ValidationError):
            Profile.model_validate({"name": "-", key: data.get(key)})
            sound[key] = data.get(key)
    return Profile.model_validate(sound)


def _raised(check: Callable[..., object], *arguments: object) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of the error that a call raises, if it does."""
    try:
        check(*arguments)
    except CvbuildError as error:
        return error.diagnostics
    return ()


def task(checked: PersonFile, name: str, request: Request, output: str = PDF) -> Task:
    """Return the document of that name; private data is read if it needs that. ProfileError."""
    variant = checked.profile.variants.get(name) if checked.profile else None
    if variant and variant.private and not checked.private:
        checked = check(checked.person, request.library, private=True, seconds=request.timeout)
    (profile, source), private = checked.require(), checked.private
    style, own = profile.template_of(name), name if variant else None
    return Task(checked.person, profile, source, style, request, own, private, format=output)


def _pale(profile: Profile, source: Source, library: Library) -> Iterator[Diagnostic]:
    """Yield a warning for each accent that the person chose and that can hardly be read."""
    seen: set[FieldPath] = set()
    for name in (*profile.template, *profile.variants):
        with suppress(KeyError, CvbuildError):
            template = library.find(profile.template_of(name))
            chosen = templates.origins(template, profile, profile.variants.get(name))
            colour, path = chosen.get("accent", ("", None))
            if path is None or path in seen:
                continue
            # The narrow column of two stands on a tint of the accent.
            is_tinted = template.manifest.columns > 1
            rgb, share = tuple(bytes.fromhex(colour)), _TINT if is_tinted else 0
            contrast = style_sheet.contrast(rgb, style_sheet.tint(rgb, share))
            if contrast < _LEAST_CONTRAST:
                seen.add(path)
                ground = "its ground" if is_tinted else "white"
                fact = f"the accent {colour} has a contrast of {contrast:.1f} : 1 on {ground}"
                hint = "titles and links need 3 : 1: choose a darker colour"
                yield Diagnostic("warning", "contrast", fact, source.span(path), hint)


def _settings(
    profile: Profile, source: Source, library: Library, whole: Source | None = None
) -> Iterator[Diagnostic]:
    """Yield what is wrong with templates, options, formats, and the names of variants.

    ``whole`` also has the variants that a name of a template may mean.
    """
    yield from _raised(templates.check, profile, whole or source, library)
    yield from check_styles(profile, source, library)
    for index, name in enumerate(profile.formats):
        if name not in registry.MODULES:
            message, hint = f'unknown format "{name}"', registry.instead_of(name)
            yield Diagnostic("error", "format", message, source.span(("formats", index)), hint)
    # A variant may not be called like a template, nor have the same file on some systems.
    owners = {name.casefold(): f'the template "{name}"' for name in library.names()}
    for name in profile.variants:
        other = owners.setdefault(name.casefold(), f'the variant "{name}"')
        if other != f'the variant "{name}"':
            message = f'the variant "{name}" and {other} would have the same file'
            span, hint = source.key_span(("variants", name)), "choose another name for the variant"
            yield Diagnostic("error", "variant-name", message, span, hint)


def of_documents(
    checked: PersonFile, names: Collection[str], sets: Sequence[Override], request: Request
) -> tuple[PersonFile, Collection[str]]:
    """Return the file with what ``--set`` says of these documents, and which have nothing."""
    profile, source, diagnostics = checked.profile, checked.source, [*checked.diagnostics]
    if profile is None or source is None:
        return checked, ()
    if sets:
        for name in names:
            source = settings.with_overrides(sets, source, name, profile.template_of(name))
        try:
            profile = validate(source)
            faults = [*check_styles(profile, source, request.library, names)]
            # Notes on the variants themselves were given with the file.
            references = check_references(profile, source, checked.names, names)
            faults += [item for item in references if item not in diagnostics]
        except CvbuildError as error:
            faults = [*error.diagnostics]
        diagnostics += faults
        checked = replace(checked, source=source, diagnostics=tuple(diagnostics))
        if any(item.severity == "error" for item in faults):
            return replace(checked, profile=None), ()
    # Those that rules leave empty aren't built.
    noted = {name: nothing(profile, source, name, request.counted_from) for name in names}
    notes = {name: note for name, note in noted.items() if note}
    picked = tuple(name for name in profile.template if name not in notes)
    profile = profile.model_copy(update={"template": picked})
    return replace(checked, profile=profile, diagnostics=(*diagnostics, *notes.values())), notes


def variants_of(person: Person) -> tuple[str, ...] | None:
    """Return the names of a person's variants, shared ones too; None for no readable file."""
    try:
        source = source_stage.load(person.path)
    except ProfileError:
        return None
    data = settings.applied(source, person).data
    written = data.get("variants") if isinstance(data, dict) else None
    return tuple(written) if isinstance(written, dict) else ()


# -- names in variants that refer to nothing -------------------------------------------------------

#: The codes of a section or a tag that a file hasn't, and of a document that has nothing.
SECTION, TAG, NOTHING = "variant-section", "variant-tag", "variant-nothing"
#: All names that a section can have without an id.
SECTIONS = (*Profile.KINDS, *OWN_SECTIONS, "closing")
#: Keys of a variant that list sections, and those whose keys are sections.
_LISTS, _MAPPINGS = ("kinds", "without", "order"), ("since", "limit", "titles")


def check_ids(profile: Profile, source: Source) -> Iterator[Diagnostic]:
    """Yield errors for ids that don't tell a section from all others."""
    places: dict[str, FieldPath] = {}
    for index, section in enumerate(profile.sections):
        name, path = section.id, ("sections", index, "id")
        if name is None:
            continue
        called = "this id" if source.is_private(path) else f'the id "{name}"'
        others = {section.kind for at, section in enumerate(profile.sections) if at != index}
        if name in others or name in OWN_SECTIONS:
            message = f"{called} already names another section"
        elif name in places:
            line = source.span(places[name]).line
            message = f"{called} is already that of the section on line {line}"
        else:
            places[name] = path
            continue
        hint = "give each section an id of its own"
        yield Diagnostic("error", "section-id", message, source.span(path), hint)


def check_references(
    profile: Profile, source: Source, in_file: NamesInFile, only: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield errors for sections and tags that the variants in ``only`` name and nothing has.

    What the rules of a workspace name, and sections of ``--set``, need not be in each file.
    """
    for name, variant in profile.variants.items():
        if name not in only:
            continue
        known = in_file
        if variant.summary and "summary" not in known.own:
            known = replace(in_file, own=(*in_file.own, "summary"))
        for error, may_lack in references(("variants", name), variant, source, known):
            place = error.span or Span("")
            is_shared = settings.is_shared(place)
            is_set = error.code == SECTION and place.file.startswith(settings.OPTION)
            if not (settings.is_of_call(place) or (may_lack and (is_shared or is_set))):
                yield dataclasses.replace(error, severity="warning") if is_shared else error


def references(
    path: FieldPath, variant: Variant, source: Source, in_file: NamesInFile
) -> Iterator[tuple[Diagnostic, bool]]:
    """Yield errors for names in a variant at a path, and whether a rule of many may have them."""
    named = [(key, at, name) for key in _LISTS for at, name in enumerate(getattr(variant, key))]
    places = [(name, source.span((*path, key, at))) for key, at, name in named]
    for key in _MAPPINGS:
        keys = [name for name in getattr(variant, key) if name != EVERY or key == "titles"]
        places += [(name, source.key_span((*path, key, name))) for name in keys]
    sections = dict.fromkeys((*in_file.ids, *in_file.kinds, *in_file.own))
    for name, span in places:
        if name not in sections:
            hint = suggest(name, sections, "the sections are")
            if name.replace("-", "_") in Contact.model_fields:
                hint = f"{name} is contact data: hide it with {{value: …, private: true}} there"
            message = f"no section is called {shown_value(name)}"
            yield Diagnostic("error", SECTION, message, span, hint), name in SECTIONS
    for name in variant.titles:
        count = in_file.kinds[name]
        if count > 1:
            message = f"{count} sections are called {name}, and only one can have this title"
            hint = "give that section an id, and use the id here"
            span = source.key_span((*path, "titles", name))
            yield Diagnostic("error", "variant-title", message, span, hint), True
    for key in ("include", "exclude"):
        rule, span = getattr(variant, key), source.span((*path, key))
        for tag in rule.tags if rule else ():
            if tag not in in_file.tags:
                known, message = in_file.tags, f"nothing has the tag {shown_value(tag)}"
                hint = suggest(tag, known, "the tags are") if known else "write tags: below items"
                yield Diagnostic("error", TAG, message, span, hint), True


def nothing(profile: Profile, source: Source, name: str, day: Day) -> Diagnostic | None:
    """Return a note if a variant of the workspace or ``--set`` leaves nothing of this person."""
    span = source.key_span(("variants", name))
    is_own = not (settings.is_shared(span) or span.file.startswith(settings.OPTION))
    if name not in profile.variants or is_own:
        return None
    shown_by_it, _ = selected.applied(profile, source, name, day)
    if not select.leaves_nothing(select.select(shown_by_it, {}, name)):
        return None
    hint = f"it isn't built: {span.in_short} selects nothing of the file"
    return Diagnostic("note", NOTHING, f'nothing for "{name}"', Span(source.name), hint)


def check_styles(
    profile: Profile, source: Source, library: Library, only: Collection[str] | None = None
) -> Iterator[Diagnostic]:
    """Yield errors for templates and options that don't exist or fit, of variants in ``only``."""
    for name, variant in profile.variants.items():
        if only is not None and name not in only:
            continue
        path: FieldPath = ("variants", name)
        if variant.template and variant.template not in library.names():
            message = f'unknown template "{variant.template}"'
            hint = suggest(variant.template, library.names(), "the templates are")
            span = source.span((*path, "template"))
            yield Diagnostic("error", "template", message, span, hint)
            continue
        for option, value in variant.options.items():
            place = (*path, "options", option)
            names = [profile.template_of(name)]
            if variant.template is None and settings.is_shared(source.key_span(place)):
                # Not everybody's template must have it.
                names = [*library.names()]
            known = []
            for each in names:
                # Of a template that can't be loaded ``templates.check`` reports why.
                with suppress(KeyError, CvbuildError):
                    known.append(library.find(each))
            yield from option_faults(place, value, known, source) if known else ()


# -- a workspace's file beyond the model: what no person uses, and groups without people -----------


def check_workspace(file: Path, people: Sequence[Person], library: Library) -> list[Diagnostic]:
    """Return what is wrong with the file of the workspace with these people, if it is there."""
    try:
        with limits.bounded("checking the file", limits.SECONDS, Span(str(file))):
            loaded = settings.load(file)
            if loaded is None or loaded.data is None:
                return [*loaded.source.faults] if loaded else []
            faults, groups = [*loaded.source.faults], loaded.data.groups
            written: dict[FieldPath, Mapping[str, Variant]] = {
                ("defaults",): loaded.data.defaults.variants,
                **{("groups", name): group.variants for name, group in groups.items()},
            }
            for layer, variants in written.items():
                faults += _layer(loaded.source, layer, people, library)
                faults += _layer(loaded.source, (*layer, settings.REQUIRE), people, library)
                members = [each for each in people if layer in loaded.layers(each.name)]
                faults += _named_by_variants(loaded.source, layer, variants, members)
            names = [person.name for person in people]
            for name, group in groups.items():
                for key, patterns in (("people", group.people), ("without", group.without)):
                    for at, pattern in enumerate(patterns):
                        if any(fnmatchcase(person, pattern) for person in names):
                            continue
                        span = loaded.source.span(("groups", name, key, at))
                        hint = suggest(pattern, names, "the files in people/ are")
                        fact = f'"{pattern[:100]}" is nobody in people/'
                        faults.append(Diagnostic("warning", "group-nobody", fact, span, hint))
            return faults
    except limits.LimitError as error:
        return [*error.diagnostics]


def _layer(
    source: Source, layer: FieldPath, people: Sequence[Person], library: Library
) -> Iterator[Diagnostic]:
    """Yield errors for templates, formats and options of a layer, whoever has them."""
    nowhere = (1, 1, 1, 1)
    alone = Source(source.name, "", Node.of({"name": "-"}, nowhere))
    for key in (*settings.WHOLE, *settings.MERGED):
        if part := source.find((*layer, key)):
            alone = alone.grafted((key,), part)
    profile, whole = validate(alone), alone
    if not {*profile.template} <= {*library.names()}:
        names = dict.fromkeys(name for person in people for name in variants_of(person) or ())
        whole = alone.grafted(("variants",), Node.of(names, nowhere))
    yield from _settings(profile, alone, library, whole)


def _named_by_variants(
    source: Source, layer: FieldPath, variants: Mapping[str, Variant], members: Sequence[Person]
) -> Iterator[Diagnostic]:
    """Yield errors for sections that no member can have, and warnings for tags that none has."""
    if not variants or not members:
        return
    # What variants may name of a person's file and of the overlay, if they can be read.
    every = list[NamesInFile]()
    for person in members:
        with suppress(CvbuildError):
            every.append(names_in_file(source_stage.load(person.path)))
            if overlay := person_file.read_overlay(person):
                every.append(names_in_file(privacy.everything(overlay)))
    known = NamesInFile(
        Counter(Profile.KINDS),
        tuple(name for names in every for name in (*names.ids, *names.kinds)),
        OWN,
        tuple(tag for names in every for tag in names.tags),
    )
    for name, variant in variants.items():
        path = (*layer, "variants", name)
        for error, _ in references(path, variant, source, known):
            if error.code == SECTION:
                yield error
            elif error.code == TAG:
                yield dataclasses.replace(error, severity="warning")
