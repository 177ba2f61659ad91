"""The values of ``--set KEY=VALUE``: keys of a variant, for all documents of one build.

Values are plain texts; repeating the option makes a list.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath, Span, listed, nearest, shown_value
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.profile import EVERY, Variant

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
KEYS = tuple(name for name in Variant.model_fields if name not in _OWN_OPTIONS)
_NOWHERE = (0, 0, 0, 0)
#: What stands for the file in the positions of values.
OPTION = "--set"


class Override(Struct, frozen=True):
    """One value; ``path`` begins with a variant's key, ``key`` is as the command line has it."""

    key: str
    path: tuple[str, ...]
    value: str | tuple[str, ...]


def read(texts: Iterable[str]) -> tuple[Override, ...]:
    """Return the values of ``KEY=VALUE`` texts; raise UsageError if no variant takes one."""
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
    if not made:
        return ()
    # A variant of only these values must be valid.
    empty = Source(OPTION, "", {"name": "-"}, Node(_NOWHERE, children={"name": Node(_NOWHERE)}))
    try:
        validate(lay(made, empty, "x", "x"))
    except ProfileError as error:
        raise UsageError(error.diagnostics) from None
    return made


def _path(key: str) -> tuple[str, ...]:
    first, dot, rest = key.partition(".")
    if first in _OWN_OPTIONS:
        raise _refused(key, f"{first} can't be set here", _OWN_OPTIONS[first])
    if first not in KEYS:
        others = f"if it is an option, write options.{key}=…; known keys: {listed(KEYS)}"
        close = nearest(first, KEYS)
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
    return UsageError.because("set", message, hint, Span(_name(key)))


def _name(key: str) -> str:
    """Return the name of the option with its key, as the position in messages."""
    return f"{OPTION} {key}"


def lay(overrides: Iterable[Override], source: Source, document: str, template: str) -> Source:
    """Return the person's source with the values in place of those of the document's variant.

    A document of a template gets a variant of the template's name.
    """
    place: FieldPath = ("variants", document)
    for length in (1, 2):
        source = _mapping(source, place[:length])
    if source.find((*place, "template")) is None:
        source = source.grafted((*place, "template"), template, Node(_NOWHERE, file=OPTION))
    for one in overrides:
        path = (*place, *one.path)
        if len(one.path) > 1:
            source = _mapping(source, path[:-1])
        source = source.grafted(path, *_node(one))
    return source


def _mapping(source: Source, path: FieldPath) -> Source:
    """Return the source with a mapping at the path; one value for all becomes a mapping."""
    value, node = source.find(path) or (None, Node(_NOWHERE, file=OPTION))
    if isinstance(value, dict):
        return source
    given = {} if value is None else {EVERY: value}
    below = {key: replace(node, file=None) for key in given}
    return source.grafted(path, given, replace(node, children=below))


def _node(one: Override) -> tuple[object, Node]:
    """Return the value and its node."""
    name = _name(one.key)
    if isinstance(one.value, str):
        return one.value, Node(_NOWHERE, file=name)
    return list(one.value), Node(_NOWHERE, None, [Node(_NOWHERE) for _ in one.value], name)
