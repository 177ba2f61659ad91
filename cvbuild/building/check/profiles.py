"""A person's file, read and checked with all that it names, and the documents that it asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cvbuild.building.check import variants
from cvbuild.building.check.variants import Written
from cvbuild.common import file_state
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import overrides, people, person_file, pictures
from cvbuild.inputs.overrides import Override
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task

if TYPE_CHECKING:
    from cvbuild.common.file_state import State


@dataclass(frozen=True, slots=True)
class Checked:
    """A person's file as far as it could be read; without a profile, why not.

    ``private`` is whether what is private was read too, and ``overlay`` the state of the file that
    adds to it, from before it was read; ``there`` what variants may name, private or not.
    """

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()
    private: bool = False
    overlay: State | None = None
    there: Written | None = None


def load(person: Person, *, private: bool = False) -> Checked:
    """Read and validate one person's file, and no more."""
    # Not trusted before it was looked at once more: there is no clock here.
    overlay = file_state.look(str(people.overlay(person.path)), 0) if private else None
    found = person_file.opened(person, private=private)
    there = variants.written(found.whole.data if found.whole else None)
    return Checked(person, found.profile, found.source, found.faults, private, overlay, there)


def check(person: Person, library: Library, *, private: bool = False) -> Checked:
    """The same, with templates, options, variants and photo."""
    read = load(person, private=private)
    profile, source = read.profile, read.source
    if source is None or read.there is None:
        return read
    found = list(read.diagnostics)
    found += _beyond_the_model(person, profile or validate.outline(source), source, library)
    if profile is not None:
        found += variants.ids(profile, source)
        # Of one that is private, the overlay may have what it names.
        mine = [name for name, one in profile.variants.items() if private or not one.private]
        found += variants.faults(profile, source, read.there, mine)
    found.sort(key=lambda item: (item.severity != "error", item.span is None, item.span))
    if any(item.severity == "error" for item in found):
        profile = None
    return replace(read, profile=profile, diagnostics=tuple(found))


def opened_for(name: str, checked: Checked, library: Library) -> Checked:
    """The person's file as the document of that name may have it.

    Checked once more with what is private, if the document is private by itself.
    """
    variant = checked.profile.variants.get(name) if checked.profile else None
    if variant is None or not variant.private or checked.private:
        return checked
    return check(checked.person, library, private=True)


def _beyond_the_model(
    person: Person, profile: Profile, source: Source, library: Library
) -> Iterator[Diagnostic]:
    try:
        templates.check(profile, source, library)
    except CvbuildError as error:
        yield from error.diagnostics
    yield from variants.names(profile, source, library)
    yield from variants.looks(profile, source, library)
    if profile.photo:
        try:
            pictures.load(profile.photo, person.path.parent, source)
        except CvbuildError as error:
            yield from error.diagnostics


def tasks(checked: Iterable[Checked], wanted: Sequence[str] = ()) -> tuple[Task, ...]:
    """The documents to build: those that are wanted, by name, or those that each person picked."""
    return tuple(
        Task(
            item.person,
            item.profile,
            item.source,
            item.profile.template_of(name),
            variant=name if name in item.profile.variants else None,
            private=item.private,
        )
        for item in checked
        if item.profile is not None and item.source is not None
        for name in dict.fromkeys(wanted or item.profile.template)
    )


def laid(
    checked: Checked, names: Collection[str], sets: Sequence[Override], library: Library
) -> Checked:
    """The same with what ``--set`` says of these documents."""
    profile, source = checked.profile, checked.source
    if profile is None or source is None or not sets:
        return checked
    for name in names:
        source = overrides.lay(sets, source, name, profile.template_of(name))
    found: list[Diagnostic] = []
    try:
        profile = validate.validate(source)
        found += variants.looks(profile, source, library, names)
        there = checked.there or variants.written(source.data)
        found += variants.faults(profile, source, there, names)
    except CvbuildError as error:
        found += error.diagnostics
    if found:
        profile = None
    return replace(
        checked, profile=profile, source=source, diagnostics=(*checked.diagnostics, *found)
    )
