"""The values of ``--set``, which go before all else that a variant says.

Each becomes part of the person's source, as what the workspace says does.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath, Span, nearest, shown_value
from cvbuild.common.errors import CvbuildError, ProfileError, UsageError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.tree import Node, Source
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
