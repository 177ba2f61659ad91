"""Check a workspace's file beyond the model: what no person uses, and groups without people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from cvbuild.building.check import profiles
from cvbuild.building.requested_documents import variants_of
from cvbuild.common import limits
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.suggestions import suggest
from cvbuild.inputs import workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.workspace import Loaded
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
    yield from _unmatched(loaded, [person.name for person in people])


def _layer(
    source: Source, layer: FieldPath, people: Sequence[Person], library: Library
) -> Iterator[Diagnostic]:
    """Yield errors for templates, formats and options of a layer, whoever has them."""
    nowhere = Node((1, 1, 1, 1))
    alone = Source(source.name, "", {"name": "-"}, Node(nowhere.place, children={"name": nowhere}))
    for key in (*workspace.WHOLE, workspace.OPTIONS):
        try:
            alone = alone.grafted((key,), *source.part((*layer, key)))
        except KeyError:
            continue
    profile = validate.validate(alone)
    if not {*profile.template} <= {*library.names()}:
        variants = dict.fromkeys(name for one in people for name in variants_of(one) or ())
        alone = alone.grafted(("variants",), variants, nowhere)
    try:
        templates.check(profile, alone, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from profiles.check_formats(profile, alone)


def _unmatched(loaded: Loaded, people: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each name or pattern of a group that no person has."""
    for name, group in loaded.data.groups.items() if loaded.data else ():
        for at, pattern in enumerate(group.people):
            if any(fnmatchcase(person, pattern) for person in people):
                continue
            span = loaded.source.span(("groups", name, "people", at))
            hint = suggest(pattern, people, "the files in people/ are")
            message = f'"{pattern[:100]}" is nobody in people/'
            yield Diagnostic("warning", "group-nobody", message, span, hint)
