"""Put the settings of layers together: the value of each key keeps its file and position."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.yaml.source import Part, Source

#: Keys of a variant whose values are put together key by key; all others are replaced as a whole.
_BY_KEY = ("options", "since", "limit", "titles")


def part(source: Source, path: FieldPath) -> Part | None:
    """Return the value at a path of keys; None if it is empty or missing."""
    found = source.find(path)
    return found if found and found.data is not None else None


def elements(of: Part) -> list[Part]:
    """Return the elements of a list; a single value may stand for a list of one."""
    if not isinstance(of.data, list) or not isinstance(of.node.children, list):
        return [of]
    file = of.node.file
    both = zip(of.data, of.node.children, strict=True)
    return [Part(data, replace(node, file=node.file or file)) for data, node in both]


def options(low: Part, high: Part) -> Part:
    """Return the options of two layers.

    An option for all templates removes those of its name for one template from the lower layer.
    A value that isn't a mapping is put where validation reports it.
    """
    if not (isinstance(high.data, Mapping) and isinstance(low.data, Mapping)):
        return high
    named = {key for key, value in high.data.items() if value is not None}
    kept = {key: _without(_child(low, key), named - {key}) for key in low.data}
    whole = _merged(_of(low, kept), high, _nested)
    return Part(whole.data, replace(high.node, children=whole.node.children))


def variants(low: Part, high: Part) -> Part:
    """Return the variants of two layers: what the higher one says of each goes first, by key."""
    return _merged(low, high, _variant)


def _variant(low: Part, high: Part) -> Part:
    return _merged(low, high, _flat, _BY_KEY)


def _flat(low: Part, high: Part) -> Part:
    return _merged(low, high, lambda _, one: one)


def _nested(low: Part, high: Part) -> Part:
    merged = _merged(low, high, _nested)
    if merged is high:
        return high
    # Of a value that both have in part, the lower one is told as its place.
    return Part(merged.data, replace(low.node, children=merged.node.children))


def _merged(
    low: Part, high: Part, both: Callable[[Part, Part], Part], keys: Container[str] | None = None
) -> Part:
    """Return two mappings as one; ``both`` gives what both have, of these keys, of all for None.

    A value that isn't a mapping is put where validation reports it.
    """
    if not (isinstance(high.data, Mapping) and isinstance(low.data, Mapping)):
        return high
    parts = {key: _child(low, key) for key in low.data}
    for key in high.data:
        added, before = _child(high, key), parts.get(key)
        if before is not None and added.data is None:
            continue
        merges = before is not None and (keys is None or key in keys)
        parts[key] = both(before, added) if before is not None and merges else added
    return _of(high, parts)


def _without(part: Part, keys: set[str]) -> Part:
    if not isinstance(part.data, Mapping) or not isinstance(part.node.children, dict):
        return part
    data = {key: value for key, value in part.data.items() if key not in keys}
    below = {key: part.node.children[key] for key in data}
    return Part(data, replace(part.node, children=below))


def _child(part: Part, key: str) -> Part:
    """Return what is below a key, with the file that it is from."""
    below = part.node.children
    node = below[key] if isinstance(below, dict) else part.node
    return Part(part.data[key], node if node.file else replace(node, file=part.node.file))


def _of(part: Part, below: Mapping[str, Part]) -> Part:
    """Return the mapping with these values in it."""
    node = replace(part.node, children={key: one.node for key, one in below.items()})
    return Part({key: one.data for key, one in below.items()}, node)
