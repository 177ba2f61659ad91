"""Check a workspace's file beyond the model: what no person uses, and groups without people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from cvbuild.building.check import profiles, variants
from cvbuild.building.check.variants import NamesInFile
from cvbuild.building.requested_documents import variants_of
from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.suggestions import suggest
from cvbuild.inputs import person_file, workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.workspace import Loaded
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library


def check(file: Path, people: Sequence[Person], library: Library) -> list[Diagnostic]:
    """Return what is wrong with the file of the workspace with these people; nothing for no file.

    It may take as much CPU time as a person's file.
    """
    try:
        with limits.seconds(limits.SECONDS):
            return [*_check(file, people, library)]
    except limits.TimeUpError:
        fact = f"checking the file took over {limits.SECONDS:g} s"
        hint = "a workspace needs less than a second; has it too many groups?"
        return [Diagnostic("error", "time-limit", fact, Span(str(file)), hint)]


def _check(file: Path, people: Sequence[Person], library: Library) -> Iterator[Diagnostic]:
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
    nowhere = Node((1, 1, 1, 1))
    alone = Source(source.name, "", {"name": "-"}, Node(nowhere.place, children={"name": nowhere}))
    for key in (*workspace.WHOLE, *workspace.MERGED):
        if part := source.find((*layer, key)):
            alone = alone.grafted((key,), *part)
    profile = validate(alone)
    yield from variants.check_names(profile, alone, library)
    yield from variants.check_styles(profile, alone, library)
    if not {*profile.template} <= {*library.names()}:
        names = dict.fromkeys(name for one in people for name in variants_of(one) or ())
        alone = alone.grafted(("variants",), names, nowhere)
    try:
        templates.check(profile, alone, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from profiles.check_formats(profile, alone)


def _named_by_variants(
    loaded: Loaded, layer: FieldPath, people: Sequence[Person]
) -> Iterator[Diagnostic]:
    """Yield errors for sections that nobody can have, and warnings for tags that nobody has."""
    written = loaded.variants(layer)
    members = [person for person in people if layer in loaded.layers(person.name)]
    if not written or not members:
        return
    known = variants.of_all(names for person in members for names in _names_in(person))
    for name, variant in written.items():
        path = (*layer, "variants", name)
        for reference in variants.references(path, variant, loaded.source, known):
            if reference.error.code == "variant-section":
                yield reference.error
            elif reference.error.code == "variant-tag":
                yield replace(reference.error, severity="warning")


def _names_in(person: Person) -> Iterator[NamesInFile]:
    """Yield what variants may name of a person's file and of the overlay, if they can be read."""
    with suppress(CvbuildError):
        yield variants.names_in_file(source_stage.load(person.path).data)
        over = person_file.read_overlay(person)
        yield variants.names_in_file(over and over.data)


def _unmatched(loaded: Loaded, people: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each name or pattern of a group that no person has."""
    for name, group in loaded.data.groups.items() if loaded.data else ():
        patterns = [("people", at, one) for at, one in enumerate(group.people)]
        patterns += [("without", at, one) for at, one in enumerate(group.without)]
        for key, at, pattern in patterns:
            if any(fnmatchcase(person, pattern) for person in people):
                continue
            span = loaded.source.span(("groups", name, key, at))
            hint = suggest(pattern, people, "the files in people/ are")
            message = f'"{pattern[:100]}" is nobody in people/'
            yield Diagnostic("warning", "group-nobody", message, span, hint)
