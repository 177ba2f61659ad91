"""The documents of an application: which CV and which letter; or what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date as Day
from pathlib import Path

from cvbuild.applications.load import Opened
from cvbuild.building.check import profiles, variants
from cvbuild.building.check.profiles import Checked
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.common.suggestions import suggest
from cvbuild.inputs import people
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task


@dataclass(frozen=True, slots=True)
class Documents:
    """What is built for an application; ``warnings`` concern the person's file."""

    cv: Task
    letter: Task | None
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def all(self) -> tuple[Task, ...]:
        """The CV, then the letter."""
        return (self.cv,) if self.letter is None else (self.cv, self.letter)


def of(opened: Opened, library: Library, day: Day, root: Path = Path()) -> Documents:
    """The documents of an application; a letter without a date of its own has that of ``day``.

    Raises ProfileError with all that is wrong with the person's file and what is asked of it.
    """
    person = _person(opened, root)
    checked = profiles.check(person, library, private=opened.said.private)
    name = _name(opened, _profile(checked), library)
    checked = profiles.opened_for(name, checked, library)
    _profile(checked)
    (cv,) = profiles.tasks([checked], [name])
    if opened.said.options:
        cv = _with_options(cv, opened, library)
    return Documents(cv, _letter(cv, opened, day), checked.diagnostics)


def _refused(opened: Opened, key: str, message: str, hint: str) -> ProfileError:
    span = opened.source.span((key,))
    return ProfileError([Diagnostic("error", key, message, span, hint)])


def _person(opened: Opened, root: Path) -> Person:
    name, folder = opened.said.person, root / people.FOLDER
    known = [person.name for person in people.everyone(folder)]
    if name not in known:
        hint = suggest(name, known, "the people are")
        raise _refused(opened, "person", f'there is no person "{name[:100]}" in people/', hint)
    return people.find([name], folder)[0]


def _profile(checked: Checked) -> Profile:
    if checked.profile is None:
        raise ProfileError(checked.diagnostics)
    return checked.profile


def _name(opened: Opened, profile: Profile, library: Library) -> str:
    """What the CV is called: a variant, or a template."""
    said = opened.said
    if said.variant is not None:
        if said.variant not in profile.variants:
            message = f'{said.person} has no variant "{said.variant[:100]}"'
            hint = f"write template: {said.variant}"
            if said.variant not in library.names():
                hint = suggest(said.variant, profile.variants, "the variants are")
            raise _refused(opened, "variant", message, hint)
        return said.variant
    if said.template is None:
        return profile.template[0]
    if said.template not in library.names():
        message = f'unknown template "{said.template[:100]}"'
        hint = f"write variant: {said.template}"
        if said.template not in profile.variants:
            hint = suggest(said.template, library.names(), "the templates are")
        raise _refused(opened, "template", message, hint)
    return said.template


def _with_options(task: Task, opened: Opened, library: Library) -> Task:
    """The task with the application's options before all others."""
    value, _ = opened.source.part(("options",))
    place: FieldPath = ("options", task.template)
    if task.variant is not None:
        place = ("variants", task.variant, "options")
    source = task.source
    for key in value if isinstance(value, Mapping) else ():
        inner, child = opened.source.part(("options", key))
        source = _put(source, (*place, key), inner, child)
    profile = validate.validate(source)
    templates.check(profile, source, library)
    if wrong := tuple(variants.looks(profile, source, library)):
        raise ProfileError(wrong)
    return replace(task, profile=profile, source=source)


def _put(source: Source, path: FieldPath, value: object, node: Node) -> Source:
    """The source with a value at a path of keys, and mappings on the way where there were none."""
    for length in range(1, len(path)):
        try:
            there = source.part(path[:length])[0]
        except KeyError:
            there = None
        if not isinstance(there, Mapping):
            source = source.grafted(path[:length], {}, Node(node.place, None, {}, node.file))
    return source.grafted(path, value, node)


def _letter(cv: Task, opened: Opened, day: Day) -> Task | None:
    """The letter in the CV's style."""
    written = opened.letter
    if written is None:
        return None
    draft = Draft(opened.slug, written.letter, opened.folder, day, opened.said.position)
    return replace(cv, source=written.into(cv.source), draft=draft)
