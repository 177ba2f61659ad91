"""What a workspace says of people: ``cvbuild.yaml`` and the calls of funders; and ``--set``.

The values become part of the person's source before anything is validated, each with its position
in its file: later steps know nothing of these files, and messages still name their lines.

``call: erc-stg`` stands for the variant in ``calls/erc-stg.yaml`` of the workspace, else in that of
cvbuild. What the person's variant says itself goes before it, key by key. The values of ``--set``
go before all else that a variant says.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import date as Day
from functools import lru_cache, reduce
from pathlib import Path, PurePath

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    FieldPath,
    ProfileError,
    Span,
    UsageError,
    nearest,
    shown,
    shown_value,
    suggest,
)
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.person import privacy
from cvbuild.inputs.validation import read_as, validate
from cvbuild.inputs.yaml import misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import FLAG, VALUE, Node, Source
from cvbuild.model.profile import CALL_NAME, EVERY, Call, Variant, Workspace

#: How such a file may begin.
BEGIN = "defaults:"
#: The settings that replace those of a lower layer as a whole, and those put together by key.
WHOLE, MERGED = ("template", "formats", "locale"), ("options", "variants")
#: The key of a variant; the folder of calls in a workspace, and that of cvbuild's own.
CALL, CALLS = "call", "calls"
BUILT_IN = Path(__file__).parents[2] / CALLS
#: How a call may begin.
_CALL_BEGIN = "title:"
#: What only a person's own variant says: facts, and that private ones are shown.
_PERSONAL = ("headline", "summary", "private")
#: Rules change from one call to the next, once a year.
_DAYS = 365
REQUIRE = "require"
#: The setting whose values add up: no layer makes public what another one keeps private.
PRIVATE = "private"


class Loaded(Struct, frozen=True):
    """A workspace's file; without ``data`` it has errors, which are among the source's faults."""

    data: Workspace | None
    source: Source

    def layers(self, person: str) -> Iterator[FieldPath]:
        """Yield the places of the settings of a person, by the name of the file: later ones win."""
        yield ("defaults",)
        for name, group in self.data.groups.items() if self.data else ():
            if group.has(person):
                yield ("groups", name)

    def headed(self, person: str) -> str | None:
        """Return the first group with a title that has the person; None if there is none."""
        groups = self.data.groups if self.data else {}
        names = (str(name) for _, *rest in self.layers(person) for name in rest)
        return next((name for name in names if groups[name].title), None)

    def settings(self, person: str, *below: str) -> dict[str, Node]:
        """Return the settings of a person, by key, also those that ``require`` has below it."""
        settings: dict[str, Node] = {}
        for layer in self.layers(person):
            holder = self.source.find((*layer, *below))
            for key in (*WHOLE, *MERGED):
                if part := holder and holder.written(key):
                    low = settings.get(key)
                    settings[key] = merged(low, part, (key,)) if low else part
        return settings


def file_of(person: Path) -> Path:
    """Return where the workspace's file of a person's file may be."""
    folder = person.parent
    return (folder.parent if folder.name == people.FOLDER.name else folder) / WORKSPACE


def folder_of(name: str, person: Path) -> Path:
    """Return where a file is that options name: in the person's folder, or the workspace's."""
    folders = (person.parent, file_of(person).parent)
    return next((one for one in folders if (one / name).is_file()), folders[0])


def applied(source: Source, person: Person) -> Source:
    """Return the person's source with what the file doesn't say and the workspace does.

    What it requires counts whatever is in the file.
    """
    path = file_of(person.path)
    files = {str(path): file_state.look(str(path), 0)}
    loaded = load(path)
    if loaded is None or loaded.data is None or not isinstance(source.tree.value, dict):
        return source.extended(loaded.source.faults if loaded else (), files)
    low, high = loaded.settings(person.name), loaded.settings(person.name, REQUIRE)
    tree = source.tree.in_file(source.name)
    fields, unused = {**tree.fields}, []
    for key in (*WHOLE, *MERGED):
        own = tree.written(key)
        if own and key in WHOLE and key in high and own.data != high[key].data:
            fact = f"{WORKSPACE} requires another {key}, which counts"
            hint = "take the key out here, or require: out there"
            unused.append(Diagnostic("note", "required", fact, source.span((key,)), hint))
        if parts := [part for part in (low.get(key), own, high.get(key)) if part]:
            fields[key] = reduce(lambda one, other: merged(one, other, (key,)), parts)
    source = replace(source, tree=replace(tree, value=fields))
    # Fields of contact that are private for everybody, but for values with a flag of their own.
    flags: dict[str, Node] = {}
    for layer in map(loaded.source.find, loaded.layers(person.name)):
        if setting := layer and layer.written(PRIVATE):
            # A single value may stand for a list of one.
            named = [name.in_file(setting.file) for name in setting.items] or [setting]
            flags |= {str(name.value): replace(name, value="true") for name in named}
    for field, flag in flags.items():
        for place, node in unmarked(source, field):
            below = {VALUE: replace(node, key=None), FLAG: flag}
            source = source.grafted(place, replace(node, value=below))
    return source.extended((*loaded.source.faults, *unused), files)


def is_shared(span: Span) -> bool:
    """Return whether a position is in a workspace's file, whose settings are many people's."""
    return PurePath(span.file).name == WORKSPACE


def is_of_call(span: Span) -> bool:
    """Return whether a position is in a call, whose sections a person need not have."""
    return PurePath(span.file).parent.name == CALLS


def load(path: Path) -> Loaded | None:
    """Read a workspace's file; None for none. A link is an error: it says where things go."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink():
        name, hint = shown(str(path)), "put the file itself there"
        fault = Diagnostic("error", "file-link", "this is a link", Span(name), hint)
        return Loaded(None, _empty(str(path), (fault,)))
    try:
        name, text = source_stage.text_of(path)
    except ProfileError as error:
        return Loaded(None, _empty(str(path), error.diagnostics))
    return _read(name, text)


def _empty(name: str, faults: tuple[Diagnostic, ...] = ()) -> Source:
    return Source(name, "", Node((1, 1, 1, 1), value={}), faults=faults)


@lru_cache(maxsize=4)
def _read(name: str, text: str) -> Loaded:
    """Return what the text holds: it is the same for everybody."""
    try:
        source = source_stage.parse(text, name, BEGIN)
    except ProfileError as error:
        if [one.code for one in error.diagnostics] == ["yaml-empty"]:
            return Loaded(Workspace(), _empty(name))
        return Loaded(None, _empty(name, error.diagnostics))
    source = source.extended(misread.slips(source))
    try:
        return Loaded(read_as(Workspace, source), source)
    except ProfileError as error:
        return Loaded(None, source.extended(error.diagnostics))


def unmarked(source: Source, field: str) -> Iterator[tuple[FieldPath, Node]]:
    """Yield a field's values without a flag in the person's file, with their paths."""
    path: FieldPath = ("contact",)
    node = source.find(path)
    # All of it may be written as a value with its flag.
    while node and VALUE in node.fields:
        flag = node.child(FLAG)
        if flag and not privacy.says_no(flag.value):
            return
        path, node = (*path, VALUE), node.child(VALUE)
    path, node = (*path, field), node.child(field) if node else None
    if node is None:
        return
    parts = [((*path, at), one) for at, one in enumerate(node.items)]
    for place, part in parts if isinstance(node.value, list) else [(path, node)]:
        if part.value is not None and FLAG not in part.fields:
            yield place, part


# -- calls ----------------------------------------------------------------------------------------


def with_calls(source: Source, person: Path) -> Source:
    """Return the source of a person's file with what the calls of its variants say."""
    faults: list[Diagnostic] = []
    files: dict[str, file_state.State] = {}
    calls: list[tuple[Call, Span]] = []
    variants = source.data.get("variants") if isinstance(source.data, dict) else None
    folders = file_of(person).parent / CALLS, BUILT_IN
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
        source = source.grafted(path, merged(rules, source.part(path), path))
    return replace(source.extended(faults, files), calls=tuple(calls))


@lru_cache(maxsize=16)
def _read_call(name: str, text: str) -> tuple[Call, Node]:
    """Return a call and its variant, with positions; raises ProfileError."""
    source = source_stage.parse(text, name, _CALL_BEGIN)
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


# -- settings of layers put together: the value of each key keeps its file and position ------------

#: Keys of a variant whose values are put together key by key; all others are replaced as a whole.
_BY_KEY = frozenset(("options", "since", "limit", "limits", "titles"))


def merged(low: Node, high: Node, path: FieldPath) -> Node:
    """Return a setting of two layers, at a path of a file: what the higher one says goes first.

    The keys of options and of variants count one by one, and those of ``_BY_KEY`` of a variant. A
    value that isn't a mapping is put where validation reports it.
    """
    is_option = path[0] == "options"
    is_variant = path[0] == "variants" and not path[3:] and _BY_KEY.issuperset(path[2:])
    are_mappings = isinstance(high.value, dict) and isinstance(low.value, dict)
    if not are_mappings or not (is_option or is_variant):
        return high
    parts = {key: part.in_file(low.file) for key, part in low.fields.items()}
    if path == ("options",):
        # An option for all templates removes those of its name for one of them.
        named = {key for key, part in high.fields.items() if part.value is not None}
        parts = {key: part.without(named - {key}) for key, part in parts.items()}
    for key, part in high.fields.items():
        added, before = part.in_file(high.file), parts.get(key)
        if before is None:
            parts[key] = added
        elif added.value is not None:
            parts[key] = merged(before, added, (*path, key))
    # Of an option that both have in part, the lower one is told as its place.
    return replace(low if is_option and path[1:] else high, value=parts)


# -- --set: values of the command line -------------------------------------------------------------

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
