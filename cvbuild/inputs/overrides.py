"""What ``--set KEY=VALUE`` says of the documents of one build: keys of a variant, laid over theirs.

Values are plain texts; a list is made by repeating the option.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError, UsageError
from cvbuild.common.suggestions import shown, suggest
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.variant import EVERY, Variant

#: Keys of a variant that are said otherwise.
_ELSEWHERE = {"template": "name it after -t", "private": "say --private"}
#: Keys that repeating makes a list of; those that hold further keys; those that do so or don't.
_LISTS = ("kinds", "without", "order", "summary", "options")
_MAPPINGS = {"options": "options.accent", "titles": "titles.publication"}
_BY_SECTION = ("since", "limit")
KEYS = tuple(name for name in Variant.model_fields if name not in _ELSEWHERE)
_NOWHERE = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Override:
    """One value; ``path`` begins with a variant's key, ``key`` is how the command line has it."""

    key: str
    path: tuple[str, ...]
    value: str | tuple[str, ...]


def read(texts: Iterable[str]) -> tuple[Override, ...]:
    """What ``KEY=VALUE`` texts say; raises UsageError for keys and values that no variant takes."""
    found: dict[tuple[str, ...], Override] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise _refused(key, "there is no value", f"write --set {key or 'headline'}=…")
        path = _path(key.strip())
        one: str | tuple[str, ...] = value
        if path[0] in _LISTS and path in found:
            before = found[path].value
            one = (*(before if isinstance(before, tuple) else (before,)), value)
        found[path] = Override(key.strip(), path, one)
    made = tuple(found.values())
    _try(made)
    return made


def _path(key: str) -> tuple[str, ...]:
    first, dot, rest = key.partition(".")
    if first in _ELSEWHERE:
        raise _refused(key, f"{first} can't be set here", _ELSEWHERE[first])
    if first not in KEYS:
        raise _refused(key, f"unknown key {shown(first)}", suggest(first, KEYS, "known keys"))
    if first in _MAPPINGS:
        if not rest:
            raise _refused(key, "which one?", f"write --set {_MAPPINGS[first]}=…")
        return first, rest
    if first in _BY_SECTION:
        return first, rest if dot else EVERY
    if dot:
        raise _refused(key, f"{first} has no further keys", f"write --set {first}=…")
    return (first,)


def _refused(key: str, message: str, hint: str) -> UsageError:
    return UsageError([Diagnostic("error", "set", message, Span(_name(key)), hint)])


def _name(key: str) -> str:
    """How messages call the place of a value."""
    return f"--set {key}"


def _try(overrides: tuple[Override, ...]) -> None:
    """Raises UsageError if a variant of these alone would be none."""
    nobody = Source("--set", "", {"name": "-"}, Node(_NOWHERE, children={"name": Node(_NOWHERE)}))
    try:
        validate(lay(overrides, nobody, "x", "x"))
    except ProfileError as error:
        raise UsageError(error.diagnostics) from None


def lay(overrides: Iterable[Override], source: Source, document: str, template: str) -> Source:
    """The person's source with the values over what the document's variant says.

    A document of a template gets a variant of the template's name.
    """
    place: FieldPath = ("variants", document)
    for length in (1, 2):
        source = _mapping(source, place[:length])
    if not _has(source, (*place, "template")):
        source = source.grafted((*place, "template"), template, Node(_NOWHERE, file="--set"))
    for one in overrides:
        path = (*place, *one.path)
        if len(one.path) > 1:
            source = _mapping(source, path[:-1])
        source = source.grafted(path, *_node(one))
    return source


def _mapping(source: Source, path: FieldPath) -> Source:
    """The source with a mapping at the path; one value for all becomes one."""
    value: Any = None
    node = Node(_NOWHERE, file="--set")
    if _has(source, path):
        value, node = source.part(path)
    if isinstance(value, dict):
        return source
    given = {} if value is None else {EVERY: value}
    below = {key: replace(node, file=None) for key in given}
    return source.grafted(path, given, replace(node, children=below))


def _has(source: Source, path: FieldPath) -> bool:
    try:
        source.part(path)
    except KeyError:
        return False
    return True


def _node(one: Override) -> tuple[object, Node]:
    """The value and its place."""
    name = _name(one.key)
    if isinstance(one.value, str):
        return one.value, Node(_NOWHERE, file=name)
    return list(one.value), Node(_NOWHERE, None, [Node(_NOWHERE) for _ in one.value], name)
