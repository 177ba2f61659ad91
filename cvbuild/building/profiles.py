"""Read and check a person's file with all that it names, and list the documents it asks for."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec.structs import replace

from cvbuild.building import texts, variants
from cvbuild.building.requested import variants_of
from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, suggest
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import layers, person_file, pictures, privacy, workspace
from cvbuild.inputs.layers import Override
from cvbuild.inputs.people import Person
from cvbuild.inputs.person_file import OWN, NamesInFile, PersonFile, names_in_file
from cvbuild.inputs.validation import outline, validate
from cvbuild.inputs.workspace import Loaded
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs import own_files, registry, templates
from cvbuild.outputs.html import style_sheet
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import Task

#: What large letters need according to WCAG 2.2, and the share of the accent in a narrow column's
#: ground (cvb-ground).
_LEAST_CONTRAST, _TINT = 3, 0.06
_RIGHT_FILE = "a CV takes less than a second; is it the right file?"


def check(
    person: Person, library: Library, *, private: bool = False, seconds: float = limits.SECONDS
) -> PersonFile:
    """Read one person's file and check it with templates, options, variants and photo.

    It may take ``seconds`` of CPU time.
    """
    try:
        with limits.seconds(seconds):
            return _check(person, library, private=private)
    except limits.TimeUpError:
        code, fact = "time-limit", f"reading the file took over {seconds:g} s"
    except MemoryError:
        code, fact = "memory", "reading the file needs more memory than there is"
    span = Span(str(person.path))
    return PersonFile(person, None, None, (Diagnostic("error", code, fact, span, _RIGHT_FILE),))


def _check(person: Person, library: Library, *, private: bool) -> PersonFile:
    read = person_file.read(person, private=private)
    profile, source = read.profile, read.source
    if source is None:
        return read
    diagnostics = list(read.diagnostics)
    diagnostics += _check_styles_and_photo(person, profile or outline(source), source, library)
    if profile is not None:
        diagnostics += variants.check_ids(profile, source)
        diagnostics += texts.check(profile, source)
        # What a private variant names may be in the overlay.
        checkable = [name for name, one in profile.variants.items() if private or not one.private]
        diagnostics += variants.check_references(profile, source, read.names, checkable)
    diagnostics.sort(key=lambda item: (item.severity != "error", item.span is None, item.span))
    if any(item.severity == "error" for item in diagnostics):
        profile = None
    return replace(read, profile=profile, diagnostics=tuple(diagnostics))


def for_document(name: str, checked: PersonFile, library: Library) -> PersonFile:
    """Return the person's file as the document of that name may show it.

    It is checked once more with private data, if the document is private by itself.
    """
    variant = checked.profile.variants.get(name) if checked.profile else None
    if variant is None or not variant.private or checked.private:
        return checked
    return check(checked.person, library, private=True)


def document(name: str, checked: PersonFile, library: Library) -> Task:
    """Return the document of that name, as ``for_document`` reads it.

    Raises ProfileError for a file with errors.
    """
    return task(for_document(name, checked, library), name)


def task(checked: PersonFile, name: str) -> Task:
    """Return the document of that name of a file as it was read; raises as ``document``."""
    profile, source = checked.require()
    return Task(
        checked.person,
        profile,
        source,
        profile.template_of(name),
        variant=name if name in profile.variants else None,
        private=checked.private,
    )


def _check_styles_and_photo(
    person: Person, profile: Profile, source: Source, library: Library
) -> Iterator[Diagnostic]:
    try:
        templates.check(profile, source, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from check_formats(profile, source)
    yield from variants.check_names(profile, source, library)
    yield from variants.check_styles(profile, source, library)
    yield from _pale(profile, source, library)
    file, data = person.path, source.data
    for path, name in own_files.named(data):
        try:
            own_files.load(name, file, source, path)
        except CvbuildError as error:
            yield from error.diagnostics
    places = [(path, name, workspace.folder_of(name, file)) for path, name in own_files.logos(data)]
    places += [(path, name, file.parent) for path, name in profile.pictures]
    for path, name, folder in places:
        try:
            pictures.load(name, folder, source, path)
        except CvbuildError as error:
            yield from error.diagnostics


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
            contrast = style_sheet.on_tint(colour, _TINT if is_tinted else 0)
            if contrast < _LEAST_CONTRAST:
                seen.add(path)
                ground = "its ground" if is_tinted else "white"
                fact = f"the accent {colour} has a contrast of {contrast:.1f} : 1 on {ground}"
                hint = "titles and links need 3 : 1: choose a darker colour"
                yield Diagnostic("warning", "contrast", fact, source.span(path), hint)


def check_formats(profile: Profile, source: Source) -> Iterator[Diagnostic]:
    """Yield an error for each format that doesn't exist."""
    for index, name in enumerate(profile.formats):
        if name not in registry.MODULES:
            message, hint = f'unknown format "{name}"', registry.instead_of(name)
            yield Diagnostic("error", "format", message, source.span(("formats", index)), hint)


def with_overrides(
    checked: PersonFile,
    names: Collection[str],
    sets: Sequence[Override],
    library: Library,
) -> PersonFile:
    """Return the same with what ``--set`` says of these documents."""
    profile, source = checked.profile, checked.source
    if profile is None or source is None or not sets:
        return checked
    for name in names:
        source = layers.with_overrides(sets, source, name, profile.template_of(name))
    diagnostics: list[Diagnostic] = []
    try:
        profile = validate(source)
        diagnostics += variants.check_styles(profile, source, library, names)
        # Notes on the variants themselves were given with the file.
        diagnostics += [
            reference
            for reference in variants.check_references(profile, source, checked.names, names)
            if reference not in checked.diagnostics
        ]
    except CvbuildError as error:
        diagnostics += error.diagnostics
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        profile = None
    return replace(
        checked, profile=profile, source=source, diagnostics=(*checked.diagnostics, *diagnostics)
    )


# -- a workspace's file beyond the model: what no person uses, and groups without people -----------


def check_workspace(file: Path, people: Sequence[Person], library: Library) -> list[Diagnostic]:
    """Return what is wrong with the file of the workspace with these people; nothing for no file.

    It may take as much CPU time as a person's file.
    """
    try:
        with limits.seconds(limits.SECONDS):
            return [*_check_workspace(file, people, library)]
    except limits.TimeUpError:
        fact = f"checking the file took over {limits.SECONDS:g} s"
        hint = "a workspace needs less than a second; has it too many groups?"
        return [Diagnostic("error", "time-limit", fact, Span(str(file)), hint)]


def _check_workspace(
    file: Path, people: Sequence[Person], library: Library
) -> Iterator[Diagnostic]:
    loaded = workspace.load(file)
    if loaded is None:
        return
    yield from loaded.faults
    if loaded.data is None:
        return
    for layer in [("defaults",), *(("groups", name) for name in loaded.data.groups)]:
        yield from _layer(loaded.source, layer, people, library)
        yield from _layer(loaded.source, (*layer, workspace.REQUIRE), people, library)
        yield from _named_by_variants(loaded, layer, people)
    yield from _unmatched(loaded, [person.name for person in people])


def _layer(
    source: Source, layer: FieldPath, people: Sequence[Person], library: Library
) -> Iterator[Diagnostic]:
    """Yield errors for templates, formats and options of a layer, whoever has them."""
    nowhere = (1, 1, 1, 1)
    alone = Source(source.name, "", Node.of({"name": "-"}, nowhere))
    for key in (*workspace.WHOLE, *workspace.MERGED):
        if part := source.find((*layer, key)):
            alone = alone.grafted((key,), part)
    profile = validate(alone)
    yield from variants.check_names(profile, alone, library)
    yield from variants.check_styles(profile, alone, library)
    if not {*profile.template} <= {*library.names()}:
        names = dict.fromkeys(name for person in people for name in variants_of(person) or ())
        alone = alone.grafted(("variants",), Node.of(names, nowhere))
    try:
        templates.check(profile, alone, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from check_formats(profile, alone)


def _named_by_variants(
    loaded: Loaded, layer: FieldPath, people: Sequence[Person]
) -> Iterator[Diagnostic]:
    """Yield errors for sections that nobody can have, and warnings for tags that nobody has."""
    written = loaded.variants(layer)
    members = [person for person in people if layer in loaded.layers(person.name)]
    if not written or not members:
        return
    every = [names for person in members for names in _names_in(person)]
    known = NamesInFile(
        Counter(Profile.KINDS),
        tuple(name for names in every for name in (*names.ids, *names.kinds)),
        OWN,
        tuple(tag for names in every for tag in names.tags),
    )
    for name, variant in written.items():
        path = (*layer, "variants", name)
        for error, _ in variants.references(path, variant, loaded.source, known):
            if error.code == variants.SECTION:
                yield error
            elif error.code == variants.TAG:
                yield dataclasses.replace(error, severity="warning")


def _names_in(person: Person) -> Iterator[NamesInFile]:
    """Yield what variants may name of a person's file and of the overlay, if they can be read."""
    with suppress(CvbuildError):
        yield names_in_file(source_stage.load(person.path).data)
        if overlay := person_file.read_overlay(person):
            yield names_in_file(privacy.everything(overlay).data)


def _unmatched(loaded: Loaded, people: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each name or pattern of a group that no person has."""
    for name, group in loaded.data.groups.items() if loaded.data else ():
        patterns = [("people", at, name) for at, name in enumerate(group.people)]
        patterns += [("without", at, name) for at, name in enumerate(group.without)]
        for key, at, pattern in patterns:
            if any(fnmatchcase(person, pattern) for person in people):
                continue
            span = loaded.source.span(("groups", name, key, at))
            hint = suggest(pattern, people, "the files in people/ are")
            message = f'"{pattern[:100]}" is nobody in people/'
            yield Diagnostic("warning", "group-nobody", message, span, hint)
