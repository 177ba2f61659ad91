"""A person's file as a document may have it: the public part, or all of it with the overlay."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import people, privacy
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Hidden, Source
from cvbuild.model import Profile

#: How an overlay may begin.
_BEGIN = "contact:"
#: Keys of an overlay that say nothing of the person.
_SETTINGS = ("options", "locale", "updated")
#: Which documents there are doesn't depend on what they show.
_NAMING = ("template", "variants")


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of a person's file; no profile if anything is wrong, no source if YAML is.

    ``whole`` has what is private either way, for whoever asks whether a name stands for something.
    """

    profile: Profile | None
    source: Source | None
    faults: tuple[Diagnostic, ...] = ()
    whole: Source | None = None


def load(person: Person, *, private: bool = False) -> tuple[Profile, Source]:
    """The person's profile and what it was made from; raises ProfileError with all that is wrong.

    Public: without anything private, and the overlay isn't opened. Private: with all of it.
    """
    found = opened(person, private=private)
    if found.profile is None or found.source is None:
        raise ProfileError(found.faults)
    return found.profile, found.source


def opened(person: Person, *, private: bool = False) -> Opened:
    """The same with what is wrong, and the source in which to look for more of it.

    The person's file must be whole by itself, with everything private in it.
    """
    try:
        written = source_stage.load(person.path)
    except ProfileError as error:
        return Opened(None, None, error.diagnostics)
    whole = privacy.everything(written)
    found = list(privacy.faults(written))
    profile, wrong = _validated(whole)
    found += wrong
    if private:
        source, profile, further = _with_overlay(person, whole, profile)
        whole = source
        found += further
    else:
        source = privacy.public(written)
        if source.hidden and not found:
            profile, alone = _public(source, whole)
            found += alone
    faults = tuple(dict.fromkeys(found))
    return Opened(None if faults else profile, source, faults, whole)


def overlaid(person: Person) -> Source | None:
    """The person's overlay without flags; None if there is none, or nothing in it.

    Raises ProfileError if it can't be read.
    """
    found = _overlay(person)
    return found and privacy.everything(found)


def secrets(person: Person) -> tuple[Hidden, ...]:
    """All that the overlay tells of the person; nothing if it can't be read."""
    try:
        source = overlaid(person)
    except ProfileError:
        return ()
    if source is None:
        return ()
    return tuple(
        Hidden(path, source.span(path), (text,))
        for path, text in privacy.told(source.data)
        if path[0] not in (*_SETTINGS, *_NAMING)
    )


def _overlay(person: Person) -> Source | None:
    # A link that leads nowhere is a fault, not an overlay that isn't there.
    path = people.overlay(person.path)
    if not os.path.lexists(path):
        return None
    try:
        return source_stage.load(path, _BEGIN)
    except ProfileError as error:
        if [item.code for item in error.diagnostics] == ["yaml-empty"]:
            return None
        raise


def _with_overlay(
    person: Person, whole: Source, profile: Profile | None
) -> tuple[Source, Profile | None, list[Diagnostic]]:
    """The person's file with the overlay, and what is wrong with that."""
    try:
        over = _overlay(person)
    except ProfileError as error:
        return whole, None, list(error.diagnostics)
    if over is None:
        return whole, profile, []
    from cvbuild.inputs import overlay

    source = overlay.merge(whole, privacy.everything(over))
    profile, wrong = _validated(source)
    return source, profile, [*privacy.faults(over), *_misplaced(over, whole), *wrong]


def _misplaced(overlay: Source, whole: Source) -> Iterator[Diagnostic]:
    """Keys that an overlay may not have."""
    for key in _NAMING:
        if isinstance(overlay.data, dict) and key in overlay.data:
            message = f"{key} can't stand in an overlay"
            span, hint = overlay.key_span((key,)), f"move it to {whole.name}"
            yield Diagnostic("error", "overlay-key", message, span, hint)


def _validated(source: Source) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
    try:
        return validate.validate(source), ()
    except ProfileError as error:
        return None, error.diagnostics


def _public(source: Source, whole: Source) -> tuple[Profile | None, list[Diagnostic]]:
    """The profile of the public part of a file that is sound as a whole."""
    try:
        return Profile.model_validate(source.data), []
    except ValidationError as error:
        from cvbuild.inputs.validation import schema_paths

        errors = error.errors(include_url=False)
        found = [schema_paths.find(tuple(item["loc"]), source.data) for item in errors]
        return None, [_alone(source, whole, slot.path, slot.name) for slot in found]


def _alone(source: Source, whole: Source, path: FieldPath, name: str) -> Diagnostic:
    """Something private that the public part can't do without."""
    place = source.span(path)
    inside = [one for one in source.hidden if place in _spans(whole, one.path)]
    # Above all that which is missing by its name; what is deeper inside says less.
    inside.sort(key=lambda one: (one.path[-1] != name, len(one.path)))
    culprit = (inside or source.hidden)[0]
    if not culprit.path:
        message, hint = "a whole person can't be private", "every document shows a name"
    elif culprit.path[:1] == ("name",) and len(culprit.path) <= len(("name", "family")):
        message, hint = "a name can't be private", "every document shows one"
    else:
        said = str(culprit.path[-1]) if isinstance(culprit.path[-1], str) else name
        message = f"{said} can't be private alone"
        hint = f"make the whole {_thing(culprit.path[:-1])} private"
    return Diagnostic("error", "private-alone", message, culprit.span, hint)


def _thing(path: FieldPath) -> str:
    """What a path leads to, in a word."""
    if path and isinstance(path[-1], str):
        return path[-1]
    return "section" if len(path) == len(("sections", 0)) else "item"


def _spans(source: Source, path: FieldPath) -> Iterator[Span]:
    """The places of all that a path leads through."""
    return (source.span(path[:length]) for length in range(len(path)))
