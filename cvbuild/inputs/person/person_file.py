"""A person's file for documents: the public part, or all of it with the overlay."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, get_args, get_origin

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, ProfileError
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import privacy, settings
from cvbuild.inputs.references import bibliography
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Node, PrivateValue, Source, leaves
from cvbuild.model.base import FrozenMap, Shorthand, bare, fields_of
from cvbuild.model.kinds import model_of
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import OWN_SECTIONS, Profile

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


def names_in_file(source: Source) -> NamesInFile:
    """Return the names in a file, whatever else is wrong with it."""
    top = source.tree.fields
    listed = top.get("sections", Node((1, 1, 1, 1)))
    values: dict[str, list[str]] = {"kind": [], "id": [], "tags": []}
    for node, path in leaves(listed):
        # Its kind and id are a section's own, tags may be anywhere in it.
        keys = {*path[1:]} if len(path) == len((0, "kind")) else {*path[-2:]} & {"tags"}
        for key in values.keys() & keys:
            values[key] += [node.value] if isinstance(node.value, str) else []
    names = tuple(name for name in OWN if name in top and top[name].data)
    tags = tuple(dict.fromkeys(values["tags"]))
    return NamesInFile(Counter(values["kind"]), tuple(values["id"]), names, tags)


class PersonFile(Struct, frozen=True):
    """A person's file; no profile if it has errors, no source if its YAML can't be read.

    ``private`` is whether private data was read too; ``public`` counts the phone numbers and the
    like that nobody marked, by field.
    """

    person: Person
    profile: Profile | None
    source: Source | None
    diagnostics: tuple[Diagnostic, ...] = ()
    private: bool = False
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

    The last of the steps, ``localize``, is for each document.
    """
    try:
        source = source_stage.load(person.path, text=person.text)
    except ProfileError as error:
        return PersonFile(person, None, None, error.diagnostics, private)
    faults = [*misread.slips(source)]
    source = bibliography.expanded(source, person.path.parent)
    if private:
        source = _with_overlay(source, person)
    source = settings.with_calls(settings.applied(source, person), person.path)
    faults += [*source.faults, *privacy.faults(source.tree, source.name)]
    counts = {key: len([*settings.unmarked(source, key)]) for key in _COUNTED if not private}
    public = {key: count for key, count in counts.items() if count}
    whole = privacy.everything(source)
    profile: Profile | None = None
    try:
        profile = validate(whole)
    except ProfileError as error:
        faults += error.diagnostics
    source = whole if private else privacy.public(source)
    if source.private and profile is not None and not any(map(_is_error, faults)):
        try:
            profile = Profile.model_validate(source.data)
        except ValidationError as error:
            faults += _alone(error, source, whole)
    diagnostics = tuple(dict.fromkeys(faults))
    profile = None if any(map(_is_error, diagnostics)) else profile
    return PersonFile(person, profile, source, diagnostics, private, names_in_file(whole), public)


def _is_error(diagnostic: Diagnostic) -> bool:
    return diagnostic.severity == "error"


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


# -- the overlay -----------------------------------------------------------------------------------


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


def _with_overlay(source: Source, person: Person) -> Source:
    """Return the source of a person's file with the overlay, its faults and its state."""
    file = str(people.overlay(person.path))
    source = source.extended((), {file: file_state.look(file, 0)})
    try:
        overlay = read_overlay(person)
    except ProfileError as error:
        return source.extended(error.diagnostics)
    if overlay is None:
        return source
    faults = [*privacy.faults(source.tree, source.name), *misread.slips(overlay)]
    faults += privacy.faults(overlay.tree, overlay.name)
    data: Any = overlay.data
    paths: list[FieldPath] = [(key,) for key in _NAMING if key in data]
    paths += [(*path, bibliography.KEY) for path, _ in bibliography.sections(data)]
    for path in paths:
        fact, hint = f"{path[-1]} can't be in an overlay", f"move it to {source.name}"
        faults.append(Diagnostic("error", "overlay-key", fact, overlay.key_span(path), hint))
    return laid_over(source, overlay).extended(faults)


def laid_over(source: Source, overlay: Source) -> Source:
    """Return the source with all of the overlay; each value keeps the position in its own file.

    A value that doesn't fit the model is put where the model finds it, so that validation reports
    it; so is one in place of a whole file.
    """
    base, added = (privacy.everything(file).tree for file in (source, overlay))
    added = _of_overlay(added.without(_NAMING), overlay.name)
    for file, tree in ((source, base), (overlay, added)):
        if not isinstance(tree.value, dict):
            return replace(source, name=file.name, tree=tree)
    return replace(source, tree=_mapping_over(base, added, Profile))


def _of_overlay(node: Node, file: str) -> Node:
    """Return a value of the overlay with its file, and everything in it as private."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _of_overlay(part, file) for key, part in value.items()}
    elif isinstance(value, list):
        value = [_of_overlay(part, file) for part in value]
    return replace(node, value=value, file=file, private=True)


def _over(base: Node, added: Node, field: FieldInfo | None) -> Node:
    """Return the value of ``field`` (None: of no model) when both have one."""
    target = bare(field.annotation) if field else None
    if field is not None and get_origin(target) is tuple:
        before, after = _elements(base, field), _elements(added, field)
        if before is None or after is None:
            return added if after is None else base
        return replace(base, value=[*before, *after])
    if target is None and isinstance(base.value, list) and isinstance(added.value, list):
        return replace(base, value=[*base.value, *added.value])
    if isinstance(target, type) and issubclass(target, Shorthand):
        # A value written in short is a mapping of its one key.
        base, added = (
            replace(node, value={target.shorthand: node}) if target.is_short(node.data) else node
            for node in (base, added)
        )
    both = isinstance(base.value, dict) and isinstance(added.value, dict)
    return _mapping_over(base, added, target) if both and target is not Date else added


def _mapping_over(base: Node, added: Node, target: Any) -> Node:
    """Merge two mappings key by key; an empty value of the overlay counts as absent."""
    parts = {**base.fields}
    for key, part in added.fields.items():
        old = parts.get(key)
        if old is None or (old.value is None and part.value is not None):
            parts[key] = part
        elif part.value is not None:
            is_list = key == "sections" and target is Profile
            field = None if is_list else _field(target, key)
            parts[key] = _sections_over(old, part) if is_list else _over(old, part, field)
    return replace(base, value=parts)


def _sections_over(base: Node, added: Node) -> Node:
    """Merge the sections; one of the overlay that matches one of the person's extends it."""
    if not isinstance(base.value, list) or not isinstance(added.value, list):
        return base if isinstance(added.value, list | None) else added
    sections, new = [*base.value], []
    for section in added.value:
        # By kind, and by title or id.
        same = [at for at, old in enumerate(sections) if _is_same(old.data, section.data)]
        if len(same) == 1:
            model = model_of(section.data["kind"])
            sections[same[0]] = _mapping_over(sections[same[0]], section, model)
        else:
            new.append(section)
    return replace(base, value=[*sections, *new])


def _field(target: Any, key: str) -> FieldInfo | None:
    """Return the field for a key of a mapping; of a mapping by name, the type of its values."""
    if isinstance(target, type) and issubclass(target, BaseModel):
        return fields_of(target).get(key)
    if get_origin(target) is FrozenMap:
        inner = bare(get_args(target)[1])
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            return FieldInfo(annotation=inner)
    return None


def _is_same(old: Any, new: Any) -> bool:
    if not (isinstance(old, dict) and isinstance(new, dict)) or old.get("kind") != new.get("kind"):
        return False
    if new.get("id") is not None:
        return old.get("id") == new["id"] and new.get("title") in (None, old.get("title"))
    return old.get("title") == new.get("title")


def _elements(node: Node, field: FieldInfo) -> list[Node] | None:
    """Return the elements of a list of the model; None for a value that can't be one."""
    if isinstance(node.value, list):
        return node.value
    data = whole = node.data
    # The last one is asked first, as by pydantic.
    for mark in reversed(field.metadata):
        if isinstance(mark, BeforeValidator):
            try:
                data = mark.func(data)  # type: ignore[call-arg]
            except PydanticCustomError:
                return None
    if not isinstance(data, list):
        return None
    # One value for all of them is at its own position.
    alone = replace(node, key=None)
    return [
        alone if one is whole else replace(alone, value=Node.of(one, node.place).value)
        for one in data
    ]
