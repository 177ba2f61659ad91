"""What is laid over a person's file: a funder's call, the overlay, the values of ``--set``.

As with ``cvbuild.yaml``, each becomes part of the person's source before that is validated, and
each value keeps its position.

``call: erc-stg`` stands for the variant in ``calls/erc-stg.yaml`` of the workspace, else in that of
cvbuild. What the person's variant says itself goes before it, key by key.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import date as Day
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from cvbuild.common import file_state
from cvbuild.common.diagnostics import (
    Diagnostic,
    FieldPath,
    Span,
    nearest,
    shown,
    shown_value,
    suggest,
)
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs import workspace
from cvbuild.inputs.validation import read_as, validate
from cvbuild.inputs.workspace import CALLS
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Shorthand, bare, fields_of
from cvbuild.model.dates import Date
from cvbuild.model.kinds import model_of
from cvbuild.model.profile import CALL_NAME, EVERY, Call, Variant

#: The key of a variant, and the folder of cvbuild's own calls.
CALL = "call"
BUILT_IN = Path(__file__).parents[1] / CALLS
#: How such a file may begin.
_BEGIN = "title:"
#: What only a person's own variant says: facts, and that private ones are shown.
_PERSONAL = ("headline", "summary", "private")
#: Rules change from one call to the next, once a year.
_DAYS = 365


def with_calls(source: Source, person: Path) -> Source:
    """Return the source of a person's file with what the calls of its variants say."""
    faults: list[Diagnostic] = []
    files: dict[str, file_state.State] = {}
    calls: list[tuple[Call, Span]] = []
    variants = source.data.get("variants") if isinstance(source.data, dict) else None
    folders = workspace.file_of(person).parent / CALLS, BUILT_IN
    for name, variant in variants.items() if isinstance(variants, dict) else ():
        if not isinstance(variant, dict) or not isinstance(variant.get(CALL), str):
            continue
        path, called = ("variants", name), variant[CALL].strip()
        span = source.span((*path, CALL))
        known = CALL_NAME.fullmatch(called)
        places = [folder / f"{called}.yaml" for folder in folders] if known else []
        place = next(filter(os.path.lexists, places), None)
        if place is None:
            fact = f"there is no call {shown(called)}"
            every = {path.stem for folder in folders for path in folder.glob("*.yaml")}
            hint = suggest(called, sorted(filter(CALL_NAME.fullmatch, every)), "the calls are")
            faults.append(Diagnostic("error", CALL, fact, span, hint))
            continue
        files[str(place)] = file_state.look(str(place), 0)
        try:
            call, rules = _read_call(*source_stage.text_of(place))
        except ProfileError as error:
            faults += error.diagnostics
            continue
        calls.append((call, span))
        source = source.grafted(path, workspace.merged(rules, source.part(path), path))
    return replace(source.extended(faults, files), calls=tuple(calls))


@lru_cache(maxsize=16)
def _read_call(name: str, text: str) -> tuple[Call, Node]:
    """Return a call and its variant, with positions; raises ProfileError."""
    source = source_stage.parse(text, name, _BEGIN)
    call = read_as(Call, source)
    # Whoever wrote the call isn't the person: it chooses among facts, and has none.
    for key in _PERSONAL:
        if getattr(call.variant, key):
            fact, hint = f"a call can't set {key}", "write it in the person's file"
            place = source.key_span(("variant", key))
            raise ProfileError.because("call-personal", fact, hint, place)
    return call, source.part(("variant",))


def call_notes(calls: Iterable[tuple[Call, Span]], day: Day) -> Iterator[Diagnostic]:
    """Yield what is to be said on a day of calls: old or unconfirmed rules, a form to fill in."""
    for call, span in calls:
        age = (day - call.checked).days
        if age > _DAYS:
            fact = f"the rules of {call.title} were read on {call.checked}: they may have changed"
            hint = f"read {call.source}, and write them to a file of your own in {CALLS}/"
            yield Diagnostic("warning", CALL, fact, span, hint)
        if call.unconfirmed:
            fact = f"{call.title}, not confirmed: {'; '.join(call.unconfirmed)}"
            yield Diagnostic("note", CALL, fact, span, f"read {call.source}")
        if call.outcome == "paste":
            fact = f"{call.title} takes texts in the fields of its own form"
            hint = "build it with --format txt, and paste each section"
            yield Diagnostic("note", CALL, fact, span, hint)


# -- the overlay -----------------------------------------------------------------------------------


def with_overlay(source: Source, overlay: Source) -> Source:
    """Return the source with all of the overlay; each value keeps the position in its own file.

    Both have no flags (``privacy.everything``). A value that doesn't fit the model is put where the
    model finds it, so that validation reports it; one in place of a whole file is returned.
    """
    for file in (source, overlay):
        if not isinstance(file.tree.value, dict):
            return file
    tree = _mapping_over(source.tree, _of_overlay(overlay.tree, overlay.name), Profile)
    return replace(source, text="", tree=tree)


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


# -- the values of ``--set`` -----------------------------------------------------------------------

#: Keys of a variant that have options of their own.
_OWN_OPTIONS = {
    "template": "use -t",
    "private": "use --private",
    "call": "write it in the person's file",
}
#: Keys that become lists when repeated; keys with further keys; keys that may have further keys.
_LISTS = ("kinds", "without", "order", "summary", "options")
_MAPPINGS = {"options": "options.accent", "titles": "titles.publication", "limits": "limits.pages"}
_BY_SECTION = ("since", "limit")
SETTABLE = tuple(name for name in Variant.model_fields if name not in _OWN_OPTIONS)
_NOWHERE = (0, 0, 0, 0)
#: What stands for the file in the positions of values.
OPTION = "--set"


class Override(Struct, frozen=True):
    """One value; ``path`` begins with a variant's key, ``key`` is as the command line has it."""

    key: str
    path: tuple[str, ...]
    value: str | tuple[str, ...]


def read_overrides(texts: Iterable[str]) -> tuple[Override, ...]:
    """Return the values of ``KEY=VALUE`` texts; raise UsageError if no variant takes one."""
    overrides: dict[tuple[str, ...], Override] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise _refused(key, "there is no value", f"write --set {key or 'headline'}=…")
        path = _path_of(key.strip())
        values: str | tuple[str, ...] = value
        if path[0] in _LISTS and path in overrides:
            before = overrides[path].value
            values = (*(before if isinstance(before, tuple) else (before,)), value)
        overrides[path] = Override(key.strip(), path, values)
    if overrides:
        # A variant of only these values must be valid.
        empty = Source(OPTION, "", Node.of({"name": "-"}, _NOWHERE))
        try:
            validate(with_overrides(overrides.values(), empty, "x", "x"))
        except ProfileError as error:
            raise UsageError(error.diagnostics) from None
    return tuple(overrides.values())


def _path_of(key: str) -> tuple[str, ...]:
    first, dot, rest = key.partition(".")
    if first in _OWN_OPTIONS:
        raise _refused(key, f"{first} can't be set here", _OWN_OPTIONS[first])
    if first not in SETTABLE:
        others = f"if it is an option, write options.{key}=…; known keys: {', '.join(SETTABLE)}"
        close = nearest(first, SETTABLE)
        hint = f'did you mean "{close}"?' if close else others
        raise _refused(key, f"unknown key {shown_value(first)}", hint)
    if first in _MAPPINGS:
        if not rest:
            raise _refused(key, "which one?", f"write --set {_MAPPINGS[first]}=…")
        return first, rest
    if first in _BY_SECTION:
        return first, rest if dot else EVERY
    if dot:
        raise _refused(key, f"{first} has no further keys", f"write --set {first}=…")
    return (first,)


def _refused(key: str, message: str, hint: str) -> CvbuildError:
    return UsageError.because("set", message, hint, Span(f"{OPTION} {key}"))


def with_overrides(
    overrides: Iterable[Override], source: Source, document: str, template: str
) -> Source:
    """Return the source with the values in the variant of a document, or of a template's name."""
    place: FieldPath = ("variants", document)
    for length in (1, 2):
        source = _mapping(source, place[:length])
    if source.find((*place, "template")) is None:
        source = source.grafted((*place, "template"), Node.of(template, _NOWHERE, file=OPTION))
    for override in overrides:
        path, value = (*place, *override.path), override.value
        if len(override.path) > 1:
            source = _mapping(source, path[:-1])
        data = value if isinstance(value, str) else [*value]
        source = source.grafted(path, Node.of(data, _NOWHERE, file=f"{OPTION} {override.key}"))
    return source


def _mapping(source: Source, path: FieldPath) -> Source:
    """Return the source with a mapping at the path; one value for all becomes a mapping."""
    node = source.find(path) or Node(_NOWHERE, file=OPTION)
    if isinstance(node.value, dict):
        return source
    below = {} if node.value is None else {EVERY: replace(node, file=None)}
    return source.grafted(path, replace(node, value=below))
