"""Set or remove one value of a YAML text; the rest, comments and all, stays as it was written.

The result is parsed again and must hold just what was there with that change, else nothing is
changed.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import insertions, source, writer
from cvbuild.inputs.yaml.insertions import Addition, InsertionError

#: A new key of the person comes after the last of these.
_AFTER = ("name", "headline", "locale", "template", "formats")


class _Entry(NamedTuple):
    """A value with its key, or an item of a list, in the collection that holds it."""

    holder: yaml.CollectionNode
    at: int
    key: yaml.Node | None
    value: yaml.Node


def put(text: str, path: FieldPath, value: Any) -> str:
    """Return the text with ``value`` at ``path``, of which only the beginning need exist.

    None removes what is there, and mappings that are empty then. Raises ProfileError for a text
    with errors, InsertionError if that can't be done without changing anything else.
    """
    before = source.parse(text, "text").data
    whole = text if text.endswith("\n") else f"{text}\n"
    plain = _plain(value)
    try:
        entries = _entries(whole, path)
        expected = copy.deepcopy(before)
        if plain is None:
            if len(entries) < len(path):
                return text
            changed = _removed(whole, entries)
            _remove(expected, path)
        else:
            changed = _put(whole, entries, path, plain)
            expected = _with(expected, path, plain)
        if (source.parse(changed, "text").data or {}) != expected:
            raise InsertionError
    except (ProfileError, IndexError, KeyError, TypeError, ValueError):
        raise InsertionError from None
    return changed if whole == text else changed.removesuffix("\n")


def _plain(value: Any) -> Any:
    """Return a value as texts, as a file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return value


def _entries(text: str, path: FieldPath) -> list[_Entry]:
    """Return what exists of a path, from the top."""
    node, entries = yaml.compose(text, Loader=yaml.SafeLoader), []
    for step in path:
        entry = None
        if isinstance(node, yaml.MappingNode):
            for at, (key, value) in enumerate(node.value):
                if key.value == step:
                    entry = _Entry(node, at, key, value)
        elif isinstance(node, yaml.SequenceNode) and step in range(len(node.value)):
            entry = _Entry(node, int(step), None, node.value[int(step)])
        if entry is None:
            break
        entries.append(entry)
        node = entry.value
    return entries


def _put(text: str, entries: Sequence[_Entry], path: FieldPath, value: Any) -> str:
    rest = path[len(entries) :]
    for step in reversed(rest[1:]):
        value = {step: value}
    if not rest:
        return _replaced(text, entries[-1], value)
    if entries and _is_empty(entries[-1].value):
        return _replaced(text, entries[-1], {rest[0]: value})
    place = (*path[: len(entries)], rest[0])
    return insertions.insert(text, [Addition(place, value, _AFTER if len(place) == 1 else ())])


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _replaced(text: str, entry: _Entry, value: Any) -> str:
    """Return the text with another value of an entry."""
    node = entry.value
    start, end = node.start_mark.index, node.end_mark.index
    on_line = "\n" not in text[start:end] and getattr(node, "style", None) not in ("|", ">")
    if on_line or getattr(node, "flow_style", False):
        space = "" if text[start - 1 : start].isspace() else " "
        return f"{text[:start]}{space}{writer.flow(value)}{text[end:]}"
    if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
        return text[:start] + writer.flow(value) + text[end:]
    # A block: what follows the key, or the dash, up to the next line that isn't its own.
    begin = entry.key.end_mark.index if entry.key else text.rindex("-", 0, start)
    begin += 1
    stop = insertions.after(text, node)
    return f"{text[:begin]} {writer.flow(value)}\n{text[stop:]}"


def _removed(text: str, entries: Sequence[_Entry]) -> str:
    """Return the text without the last entry, and without those that then hold nothing."""
    at = len(entries) - 1
    while at and len(entries[at].holder.value) == 1:
        at -= 1
    entry = entries[at]
    first = (entry.key or entry.value).start_mark.index
    if entry.holder.flow_style:
        return _without_item(text, entry, first)
    if entry.key is None:
        first = text.rindex("-", 0, first)
    begin = text.rfind("\n", 0, first) + 1
    end = insertions.after(text, entry.value)
    if text[begin:first].strip():
        # The first key of an item of a list: its dash stays for the next one.
        following = entry.holder.value[entry.at + 1]
        return text[:first] + text[(following[0]).start_mark.index :]
    return text[:begin] + text[end:]


def _without_item(text: str, entry: _Entry, first: int) -> str:
    """Return the text without an item of ``[a, b]`` or ``{a: b}``, and one comma."""
    parts = entry.holder.value
    starts = [(one[0] if isinstance(one, tuple) else one).start_mark.index for one in parts]
    ends = [(one[1] if isinstance(one, tuple) else one).end_mark.index for one in parts]
    if entry.at + 1 < len(parts):
        return text[:first] + text[starts[entry.at + 1] :]
    begin = ends[entry.at - 1] if entry.at else first
    return text[:begin] + text[ends[entry.at] :]


def _with(data: Any, path: FieldPath, value: Any) -> Any:
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(data, list) and isinstance(step, int):
        data[step:] = [
            _with(data[step] if step < len(data) else None, rest, value),
            *data[step + 1 :],
        ]
        return data
    mapping = data if isinstance(data, dict) else {}
    if data is not None and mapping is not data:
        raise InsertionError
    mapping[step] = _with(mapping.get(step), rest, value)
    return mapping


def _remove(data: Any, path: FieldPath) -> None:
    *above, last = path
    holders = [data]
    for step in above:
        holders.append(holders[-1][step])
    del holders[-1][last]
    for holder, step in zip(reversed(holders[:-1]), reversed(above), strict=True):
        if holder[step]:
            break
        del holder[step]
