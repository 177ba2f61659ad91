"""A person's file for documents: the public part, or all of it with the overlay."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common import file_state
from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import layers, people, privacy, workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import PrivateValue, Source
from cvbuild.model import Profile
from cvbuild.model.profile import OWN_SECTIONS

if TYPE_CHECKING:
    from cvbuild.common.file_state import State

#: Keys of a person that a variant may name as sections.
OWN = (*OWN_SECTIONS, "closing")
#: The fields of ``contact`` that are counted when they go public.
_COUNTED = ("phone", "address", "birth-date")
#: Keys of an overlay that are not facts of the person.
_SETTINGS = ("options", "locale", "updated")
#: Keys that define documents: these don't depend on private values.
_NAMING = ("template", "variants")


class NamesInFile(Struct, frozen=True):
    """What a person's variants may name, private or not: sections by kind and id, and tags."""

    kinds: Counter[str] = field(default_factory=Counter)
    ids: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Those of summary, interests and closing that the file has."""
    tags: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names by which a variant may refer to a section."""
        return tuple(dict.fromkeys((*self.ids, *self.kinds, *self.own)))


def names_in_file(source: Source) -> NamesInFile:
    """Return the names in a file, whatever else is wrong with it."""
    top = source.tree.fields
    listed = top.get("sections", Node((1, 1, 1, 1)))
    values: dict[str, list[str]] = {"kind": [], "id": [], "tags": []}
    for node, path in source_stage.leaves(listed):
        # Its kind and id are a section's own, tags may be anywhere in it.
        keys = {*path[1:]} if len(path) == len((0, "kind")) else {*path[-2:]} & {"tags"}
        for key in values.keys() & keys:
            values[key] += [node.value] if isinstance(node.value, str) else []
    names = tuple(name for name in OWN if name in top and top[name].data)
    tags = tuple(dict.fromkeys(values["tags"]))
    return NamesInFile(Counter(values["kind"]), tuple(values["id"]), names, tags)


class PersonFile(Struct, frozen=True):
    """A person's file; no profile if it has errors, no source if its YAML can't be read.

    ``private`` is whether private data was read too, and ``overlay`` the state of the overlay, from
    before it was read; ``public`` counts the phone numbers and the like that nobody marked, by
    field.
    """

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()
    private: bool = False
    overlay: State | None = None
    names: NamesInFile = NamesInFile()
    public: Mapping[str, int] = MappingProxyType({})

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics without warnings and notes."""
        return tuple(filter(_is_error, self.diagnostics))

    def require(self) -> tuple[Profile, Source]:
        """Return the profile and its source; raise ProfileError with all errors."""
        if self.profile is None or self.source is None:
            raise ProfileError(self.errors)
        return self.profile, self.source


def read(person: Person, *, private: bool = False) -> PersonFile:
    """Read and validate a person's file, with its errors and a source in which to look for more.

    In four of five steps, of which each adds its faults to the source: read; add what BibTeX files,
    the workspace and calls say; validate all of it, private or not; take out what is private,
    without a look at the overlay, or, if ``private``, lay the overlay over it. The fifth,
    ``localize``, is for each document.
    """
    # The state isn't trusted before it is looked at once more: there is no clock here.
    overlay = file_state.look(str(people.overlay(person.path)), 0) if private else None
    try:
        source = source_stage.load(person.path, text=person.text)
    except ProfileError as error:
        return PersonFile(person, None, None, error.diagnostics, private, overlay)
    source = source.extended(misread.find(source))
    source = bibliography.expanded(source, person.path.parent)
    source = workspace.applied(source, person)
    source = layers.with_calls(source, person.path)
    source = source.extended(privacy.faults(source.tree, source.name))
    counts = {key: len([*workspace.unmarked(source, key)]) for key in _COUNTED if not private}
    public = {key: count for key, count in counts.items() if count}
    profile, whole = _validated(privacy.everything(source))
    if private:
        profile, source = _with_overlay(person, whole, profile)
        names = names_in_file(source)
    else:
        source, names = privacy.public(replace(source, faults=whole.faults)), names_in_file(whole)
        if source.private and profile is not None and not any(map(_is_error, source.faults)):
            try:
                profile = Profile.model_validate(source.data)
            except ValidationError as error:
                source = source.extended(_alone(error, source, whole))
    diagnostics = tuple(dict.fromkeys(source.faults))
    profile = None if any(map(_is_error, diagnostics)) else profile
    return PersonFile(person, profile, source, diagnostics, private, overlay, names, public)


def _is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity == "error"


def read_overlay(person: Person) -> Source | None:
    """Return the person's overlay, with flags; None for none or an empty one. ProfileError."""
    # A broken link is an error, not a missing overlay.
    path = people.overlay(person.path)
    if not os.path.lexists(path):
        return None
    try:
        return source_stage.load(path, source_stage.OVERLAY_BEGIN)
    except ProfileError as error:
        if [fault.code for fault in error.diagnostics] == ["yaml-empty"]:
            return None
        raise


def secrets(person: Person) -> Iterator[PrivateValue]:
    """Yield all texts of the overlay that are facts; nothing if it can't be read."""
    with suppress(ProfileError):
        overlay = read_overlay(person)
        source = overlay and privacy.everything(overlay)
        for path, text in privacy.facts(source and source.data):
            if source and not {*path[:1]} & {*_SETTINGS, *_NAMING}:
                yield PrivateValue(path, source.span(path), (text,))


def _with_overlay(
    person: Person, whole: Source, profile: Profile | None
) -> tuple[Profile | None, Source]:
    """Return the profile of a person's file with the overlay, and its source."""
    try:
        overlay = read_overlay(person)
    except ProfileError as error:
        return None, whole.extended(error.diagnostics)
    if overlay is None:
        return profile, whole
    faults = [*misread.find(overlay), *privacy.faults(overlay.tree, overlay.name)]
    data: Any = overlay.data
    paths: list[FieldPath] = [(key,) for key in _NAMING if key in data]
    paths += [(*path, bibliography.KEY) for path, _ in bibliography.sections(data)]
    for path in paths:
        fact, hint = f"{path[-1]} can't be in an overlay", f"move it to {whole.name}"
        faults.append(Diagnostic("error", "overlay-key", fact, overlay.key_span(path), hint))
    facts = privacy.everything(overlay)
    source = layers.with_overlay(whole, replace(facts, tree=facts.tree.without(_NAMING)))
    return _validated(workspace.required(source, person).extended(faults))


def _validated(source: Source) -> tuple[Profile | None, Source]:
    try:
        return validate(source), source
    except ProfileError as error:
        return None, source.extended(error.diagnostics)


def _alone(error: ValidationError, source: Source, whole: Source) -> Iterator[Diagnostic]:
    """Yield errors for the public part of a file that is valid only as a whole."""
    from cvbuild.inputs.validation import slots

    for item in error.errors(include_url=False):
        slot = slots.find(tuple(item["loc"]), source.data)
        place = source.span(slot.path)
        # Those that this place holds.
        inside = [
            value
            for value in source.private
            if any(whole.span(value.path[:length]) == place for length in range(len(value.path)))
        ]
        # First a value with the missing name, then the least nested.
        inside.sort(key=lambda value: (value.path[-1] != slot.name, len(value.path)))
        culprit = (inside or source.private)[0]
        if not culprit.path:
            message, hint = "a whole person can't be private", "every document shows a name"
        elif culprit.path[:1] == ("name",) and len(culprit.path) <= len(("name", "family")):
            message, hint = "a name can't be private", "every document shows one"
        else:
            *above, last = culprit.path
            message = f"{last if isinstance(last, str) else slot.name} can't be private alone"
            thing = "section" if len(above) == len(("sections", 0)) else "item"
            if above and isinstance(above[-1], str):
                thing = above[-1]
            hint = f"make the whole {thing} private"
        yield Diagnostic("error", "private-alone", message, culprit.span, hint)
