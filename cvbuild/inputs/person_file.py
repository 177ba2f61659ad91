"""A person's file for a document: the public part, or all of it with the overlay."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import people, privacy, workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import PrivateValue, Source
from cvbuild.model import Profile

if TYPE_CHECKING:
    from cvbuild.common.file_state import State

#: Keys of an overlay that are not facts of the person.
_SETTINGS = ("options", "locale", "updated")
#: Keys that define documents: these don't depend on private values.
_NAMING = ("template", "variants")


class PersonFile(Struct, frozen=True):
    """A person's file; no profile if it has errors, no source if its YAML can't be read.

    ``faults`` are its errors and warnings. ``whole`` always has the private values, for a check
    whether a name refers to something. ``files`` are the BibTeX files that it names and the
    workspace's file, with their states from before they were read. ``out`` is the folder of the
    person's group. ``public`` counts the phone numbers and the like that nobody marked, by field.
    """

    profile: Profile | None
    source: Source | None
    faults: tuple[Diagnostic, ...] = ()
    whole: Source | None = None
    files: tuple[tuple[str, State], ...] = ()
    out: str | None = None
    public: Mapping[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The faults without the warnings."""
        return tuple(fault for fault in self.faults if fault.severity == "error")


def load(person: Person, *, private: bool = False) -> tuple[Profile, Source]:
    """Return the person's profile and its source; raise ProfileError with all errors.

    Public: without anything private, and the overlay isn't opened. Private: with all of it.
    """
    loaded = read(person, private=private)
    if loaded.profile is None or loaded.source is None:
        raise ProfileError(loaded.errors)
    return loaded.profile, loaded.source


def read(person: Person, *, private: bool = False) -> PersonFile:
    """Read a person's file, with its errors and a source in which to look for more.

    The person's file must be valid by itself, with everything private in it.
    """
    try:
        written = source_stage.load(person.path, text=person.text)
    except ProfileError as error:
        return PersonFile(None, None, error.diagnostics)
    diagnostics = [*misread.find(written)]
    bib = bibliography.expanded(written, person.path.parent)
    shared = workspace.applied(bib.source, person)
    written = shared.source
    calls: tuple[tuple[str, State], ...] = ()
    if _has_calls(written):
        from cvbuild.inputs.layers import with_calls  # few variants follow one

        called = with_calls(written, person.path)
        written, calls = called.source, called.files
        diagnostics += called.faults
    whole = privacy.everything(written)
    diagnostics += [*privacy.faults(written), *bib.faults, *shared.faults]
    profile, wrong = _validated(whole)
    diagnostics += wrong
    if private:
        source, profile, further = _with_overlay(person, whole, profile)
        whole = source
        diagnostics += further
    else:
        source = privacy.public(written)
        if source.private and profile is not None and not _has_error(diagnostics):
            profile, alone = _public(source, whole)
            diagnostics += alone
    faults = tuple(dict.fromkeys(diagnostics))
    profile = None if _has_error(faults) else profile
    files = (*bib.files, *shared.files, *calls)
    counts = {} if private else workspace.public_counts(written)
    return PersonFile(profile, source, faults, whole, files, shared.out, counts)


def _has_calls(source: Source) -> bool:
    variants = source.data.get("variants") if isinstance(source.data, dict) else None
    found = variants.values() if isinstance(variants, dict) else ()
    return any(isinstance(one, dict) and "call" in one for one in found)


def _has_error(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(item.severity == "error" for item in diagnostics)


def read_overlay(person: Person) -> Source | None:
    """Return the person's overlay without flags; None if it is missing or empty.

    Raises ProfileError if it can't be read.
    """
    overlay = _overlay(person)
    return overlay and privacy.everything(overlay)


def secrets(person: Person) -> tuple[PrivateValue, ...]:
    """Return all texts of the overlay that are facts; nothing if it can't be read."""
    try:
        source = read_overlay(person)
    except ProfileError:
        return ()
    if source is None:
        return ()
    return tuple(
        PrivateValue(path, source.span(path), (text,))
        for path, text in privacy.facts(source.data)
        if path[0] not in (*_SETTINGS, *_NAMING)
    )


def _overlay(person: Person) -> Source | None:
    # A broken link is an error, not a missing overlay.
    path = people.overlay(person.path)
    if not os.path.lexists(path):
        return None
    try:
        return source_stage.load(path, source_stage.OVERLAY_BEGIN)
    except ProfileError as error:
        if [item.code for item in error.diagnostics] == ["yaml-empty"]:
            return None
        raise


def _with_overlay(
    person: Person, whole: Source, profile: Profile | None
) -> tuple[Source, Profile | None, list[Diagnostic]]:
    """Return the person's file with the overlay, and the overlay's errors."""
    try:
        over = _overlay(person)
    except ProfileError as error:
        return whole, None, list(error.diagnostics)
    if over is None:
        return whole, profile, []
    from cvbuild.inputs import layers

    source = layers.with_overlay(whole, _without_naming(privacy.everything(over)))
    source = workspace.required(source, person)
    profile, wrong = _validated(source)
    diagnostics = [*misread.find(over), *privacy.faults(over), *_misplaced(over, whole), *wrong]
    return source, profile, diagnostics


def _misplaced(overlay: Source, whole: Source) -> Iterator[Diagnostic]:
    """Yield the keys that an overlay may not have."""
    for key in _NAMING:
        if isinstance(overlay.data, dict) and key in overlay.data:
            message = f"{key} can't be in an overlay"
            span, hint = overlay.key_span((key,)), f"move it to {whole.name}"
            yield Diagnostic("error", "overlay-key", message, span, hint)
    for path, _ in bibliography.sections(overlay.data):
        span, hint = overlay.key_span((*path, bibliography.KEY)), f"move it to {whole.name}"
        yield Diagnostic("error", "overlay-key", "bib can't be in an overlay", span, hint)


def _without_naming(overlay: Source) -> Source:
    """Return the overlay without the keys that it may not have."""
    data, below = overlay.data, overlay.tree.children
    if not (isinstance(data, dict) and isinstance(below, dict)):
        return overlay
    rest = {key: data[key] for key in data if key not in _NAMING}
    tree = replace(overlay.tree, children={key: below[key] for key in rest})
    return replace(overlay, data=rest, tree=tree)


def _validated(source: Source) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
    try:
        return validate(source), ()
    except ProfileError as error:
        return None, error.diagnostics


def _public(source: Source, whole: Source) -> tuple[Profile | None, list[Diagnostic]]:
    """Return the profile of the public part of a file that is valid as a whole."""
    try:
        return Profile.model_validate(source.data), []
    except ValidationError as error:
        from cvbuild.inputs.validation import slots

        errors = error.errors(include_url=False)
        needed = [slots.find(tuple(item["loc"]), source.data) for item in errors]
        return None, [_alone(source, whole, slot.path, slot.name) for slot in needed]


def _alone(source: Source, whole: Source, path: FieldPath, name: str) -> Diagnostic:
    """Return an error for a private value that the public part needs."""
    place = source.span(path)
    # Those that this place holds.
    inside = [
        one
        for one in source.private
        if any(whole.span(one.path[:length]) == place for length in range(len(one.path)))
    ]
    # First a value with the missing name, then the least nested.
    inside.sort(key=lambda one: (one.path[-1] != name, len(one.path)))
    culprit = (inside or source.private)[0]
    if not culprit.path:
        message, hint = "a whole person can't be private", "every document shows a name"
    elif culprit.path[:1] == ("name",) and len(culprit.path) <= len(("name", "family")):
        message, hint = "a name can't be private", "every document shows one"
    else:
        name = str(culprit.path[-1]) if isinstance(culprit.path[-1], str) else name
        message = f"{name} can't be private alone"
        hint = f"make the whole {_thing(culprit.path[:-1])} private"
    return Diagnostic("error", "private-alone", message, culprit.span, hint)


def _thing(path: FieldPath) -> str:
    """Return a word for the value at a path."""
    if path and isinstance(path[-1], str):
        return path[-1]
    return "section" if len(path) == len(("sections", 0)) else "item"
