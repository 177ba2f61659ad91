"""A person's file for documents: the public part, or all of it with the overlay."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common import file_state
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import layers, people, privacy, workspace
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import PrivateValue, Source
from cvbuild.model import Profile
from cvbuild.model.profile import OWN_SECTIONS

if TYPE_CHECKING:
    from cvbuild.common.file_state import State
    from cvbuild.inputs.validation.slots import Slot
    from cvbuild.model.profile import Call

#: Keys of a person that a variant may name as sections.
OWN = (*OWN_SECTIONS, "closing")
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


def names_in_file(data: Any) -> NamesInFile:
    """Return the names in the data of a file, whatever else is wrong with it."""
    data = data if isinstance(data, dict) else {}
    sections = [section for section in _list(data.get("sections")) if isinstance(section, dict)]
    return NamesInFile(
        Counter(section["kind"] for section in sections if isinstance(section.get("kind"), str)),
        tuple(section["id"] for section in sections if isinstance(section.get("id"), str)),
        tuple(name for name in OWN if data.get(name)),
        tuple(dict.fromkeys(_tags(sections))),
    )


def _tags(value: Any) -> Iterator[str]:
    """Yield the tags of everything in the value."""
    if isinstance(value, dict):
        yield from (tag for tag in _list(value.get("tags")) if isinstance(tag, str))
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _tags(inner)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


class PersonFile(Struct, frozen=True):
    """A person's file; no profile if it has errors, no source if its YAML can't be read.

    ``private`` is whether private data was read too, and ``overlay`` the state of the overlay, from
    before it was read, as ``files`` has those of the BibTeX files that it names, of the workspace's
    file and of the calls; ``public`` counts the phone numbers and the like that nobody marked, by
    field; ``calls`` have the places that name them.
    """

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()
    private: bool = False
    overlay: State | None = None
    names: NamesInFile = NamesInFile()
    files: tuple[tuple[str, State], ...] = ()
    public: Mapping[str, int] = MappingProxyType({})
    calls: tuple[tuple[Call, Span], ...] = ()

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

    Four steps: read, with BibTeX files; add settings, of the workspace and of calls; validate all
    of it, private or not, by itself; take out what is private, without a look at the overlay, or,
    if ``private``, lay the overlay over it. Each document has texts in one language: ``localize``.
    """
    # The state isn't trusted before it is looked at once more: there is no clock here.
    overlay = file_state.look(str(people.overlay(person.path)), 0) if private else None
    try:
        written = source_stage.load(person.path, text=person.text)
    except ProfileError as error:
        return PersonFile(person, None, None, error.diagnostics, private, overlay)
    bib = bibliography.expanded(written, person.path.parent)
    settings = workspace.applied(bib.source, person)
    called = layers.with_calls(settings.source, person.path)
    whole = privacy.everything(called.source)
    profile, wrong = _validated(whole)
    diagnostics = [*misread.find(written), *called.faults, *privacy.faults(called.source)]
    diagnostics += [*bib.faults, *settings.faults, *wrong]
    further: Iterable[Diagnostic] = ()
    if private:
        source, profile, further = _with_overlay(person, whole, profile)
        whole = source
    else:
        source = privacy.public(called.source)
        if source.private and profile is not None and not any(map(_is_error, diagnostics)):
            profile, further = _public(source, whole)
    diagnostics = [*dict.fromkeys((*diagnostics, *further))]
    return PersonFile(
        person,
        None if any(map(_is_error, diagnostics)) else profile,
        source,
        tuple(diagnostics),
        private,
        overlay,
        names=names_in_file(whole.data),
        files=(*bib.files, *settings.files, *called.files),
        public={} if private else workspace.public_counts(called.source),
        calls=called.calls,
    )


def _is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity == "error"


def read_overlay(person: Person) -> Source | None:
    """Return the person's overlay, with its flags; None if it is missing or empty.

    Raises ProfileError if it can't be read.
    """
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
) -> tuple[Source, Profile | None, Iterable[Diagnostic]]:
    """Return the person's file with the overlay, its profile, and the overlay's errors."""
    try:
        overlay = read_overlay(person)
    except ProfileError as error:
        return whole, None, error.diagnostics
    if overlay is None:
        return whole, profile, ()
    faults = [*misread.find(overlay), *privacy.faults(overlay)]
    data: Any = overlay.data
    paths: list[FieldPath] = [(key,) for key in _NAMING if key in data]
    paths += [(*path, bibliography.KEY) for path, _ in bibliography.sections(data)]
    for path in paths:
        fact, hint = f"{path[-1]} can't be in an overlay", f"move it to {whole.name}"
        faults.append(Diagnostic("error", "overlay-key", fact, overlay.key_span(path), hint))
    facts = privacy.everything(overlay)
    source = layers.with_overlay(whole, replace(facts, tree=facts.tree.without(_NAMING)))
    source = workspace.required(source, person)
    profile, wrong = _validated(source)
    return source, profile, (*faults, *wrong)


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

        locs = [tuple(item["loc"]) for item in error.errors(include_url=False)]
        return None, [_alone(source, whole, slots.find(loc, source.data)) for loc in locs]


def _alone(source: Source, whole: Source, slot: Slot) -> Diagnostic:
    """Return an error for a private value that the public part needs."""
    name, place = slot.name, source.span(slot.path)
    # Those that this place holds.
    inside = [
        value
        for value in source.private
        if any(whole.span(value.path[:length]) == place for length in range(len(value.path)))
    ]
    # First a value with the missing name, then the least nested.
    inside.sort(key=lambda value: (value.path[-1] != name, len(value.path)))
    culprit = (inside or source.private)[0]
    if not culprit.path:
        message, hint = "a whole person can't be private", "every document shows a name"
    elif culprit.path[:1] == ("name",) and len(culprit.path) <= len(("name", "family")):
        message, hint = "a name can't be private", "every document shows one"
    else:
        *above, last = culprit.path
        message = f"{last if isinstance(last, str) else name} can't be private alone"
        thing = "section" if len(above) == len(("sections", 0)) else "item"
        if above and isinstance(above[-1], str):
            thing = above[-1]
        hint = f"make the whole {thing} private"
    return Diagnostic("error", "private-alone", message, culprit.span, hint)
