"""Set, insert, move or remove a value of a YAML text; the rest, comments and all, stays as it was.

The result is parsed again and must hold just what was there with that change, else nothing is
changed.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import extents, insertions, rearranged, source, styled, writer
from cvbuild.inputs.yaml.builder import LOADER
from cvbuild.inputs.yaml.extents import Entry
from cvbuild.inputs.yaml.insertions import Addition, InsertionError
from cvbuild.model.text import lists

#: A new key of the person comes after the last of these.
_AFTER = ("name", "headline", "locale", "template", "formats")
#: A line of a paragraph that goes on in the next one.
_BROKEN = re.compile(r"[^\n]\n[^\n]")
#: A comment behind a value, or behind the key of a block.
_COMMENT = re.compile(r"(?:[ \t]*[|>][-+0-9]*)?([ \t]+#[^\n]*)")


def put(text: str, path: FieldPath, value: Any, after: Sequence[str] = ()) -> str:
    """Return the text with ``value`` at ``path``, of which only the beginning need exist.

    None removes what is there, and mappings that are empty then. ``after`` are keys that a new one
    comes after. A text that was a block of lines stays one, and one that ended with a line break
    still does. Raises ProfileError for a text with errors, InsertionError if that can't be done
    without changing anything else.
    """
    source.parse(text, "text")
    plain, whole = _plain(value), _whole(text)
    entries = extents.path_entries(whole, path)
    if plain is not None:
        plain = _kept(whole, entries, path, plain)
        before = after or (_AFTER if len(path) == 1 else ())
        return _changed(
            text,
            lambda: _put(whole, entries, path, plain, before),
            lambda data: _with(data, path, plain),
        )
    if len(entries) < len(path):
        return text
    return _changed(
        text, lambda: rearranged.removed(whole, entries), lambda data: _remove(data, path)
    )


def insert(text: str, path: FieldPath, value: Any) -> str:
    """Return the text with a new item of a list before the one at ``path``; raises as ``put``.

    The last step may be the list's length. A list that isn't there begins with the item, and one
    text that stands for a list becomes a list.
    """
    *above, at = path
    source.parse(text, "text")
    whole, plain = _whole(text), _plain(value)
    entries = extents.path_entries(whole, above)
    if not isinstance(at, int) or not above:
        raise InsertionError
    if len(entries) < len(above) or not isinstance(entries[-1].value, yaml.SequenceNode):
        there = entries[-1].value.value if len(entries) == len(above) else ""
        if not isinstance(there, str) or at > bool(there):
            raise InsertionError
        items = [there] if there else []
        return put(text, tuple(above), [*items[:at], plain, *items[at:]])
    return _changed(
        text,
        lambda: _with_item(whole, entries[-1], path, plain),
        lambda data: _at(data, above).insert(at, plain),
    )


def move(text: str, path: FieldPath, to: int) -> str:
    """Return the text with an entry at another position of its list or mapping; raises as ``put``.

    ``to`` is the position that it has then, from 0. Comments go with it, and empty lines between
    entries stay where they are.
    """
    source.parse(text, "text")
    whole = _whole(text)
    entries = extents.path_entries(whole, path)
    if len(entries) < len(path) or not 0 <= to < len(entries[-1].holder.value):
        raise InsertionError
    at, keys = entries[-1].at, list[str]()

    def moved(data: Any) -> None:
        holder = _at(data, path[:-1])
        keys.extend(holder if isinstance(holder, dict) else ())
        if keys:
            keys.insert(to, keys.pop(at))
        else:
            holder.insert(to, holder.pop(at))

    changed = _changed(text, lambda: rearranged.moved(whole, entries[-1], to), moved)
    if keys and [*_at(source.parse(changed, "text").data, path[:-1])] != keys:
        raise InsertionError
    return changed


def _whole(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def _changed(text: str, write: Callable[[], str], follow: Callable[[Any], Any]) -> str:
    """Return what ``write`` makes of a text, if its data is what ``follow`` makes of the data."""
    expected = copy.deepcopy(source.parse(text, "text").data)
    try:
        returned = follow(expected)
        changed = write()
        if (source.parse(changed, "text").data or {}) != (returned or expected):
            raise InsertionError
    except (ProfileError, IndexError, KeyError, TypeError, ValueError):
        raise InsertionError from None
    return changed if text.endswith("\n") else changed.removesuffix("\n")


def _at(data: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        data = data[step]
    return data


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


# -- set -----------------------------------------------------------------------------------------


def _kept(text: str, entries: Sequence[Entry], path: FieldPath, value: Any) -> Any:
    """Return a text with what the block there has: broken lines, and a break at its end."""
    node = entries[-1].value if entries and len(entries) == len(path) else None
    if not (isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")):
        return value
    if not isinstance(value, str) or not value.strip():
        return value
    if node.style == "|" and _BROKEN.search(node.value):
        indent = extents.column(text, entries[-1]) + 2
        rows = (row for line in value.split("\n") for row in _rows(line, indent))
        value = "\n".join(rows)
    return value.rstrip("\n") + "\n" if node.value.endswith("\n") else value


def _rows(line: str, indent: int) -> list[str]:
    """Return the lines of a paragraph or an item of a list; none looks like another item."""
    mark = lists.MARK.match(line)
    rows = styled.wrapped(line, indent, " " * mark.end() if mark else "")
    return [line] if any(map(lists.MARK.match, rows[1:])) else rows


def _put(
    text: str, entries: Sequence[Entry], path: FieldPath, value: Any, after: Sequence[str]
) -> str:
    rest = path[len(entries) :]
    for step in reversed(rest[1:]):
        value = {step: value}
    if not rest:
        return _replaced(text, entries[-1], value)
    if entries and _is_empty(entries[-1].value):
        return _replaced(text, entries[-1], {rest[0]: value})
    node = entries[-1].value if entries else yaml.compose(text, Loader=LOADER)
    if not isinstance(node, yaml.MappingNode) or node.flow_style or not node.value:
        place = (*path[: len(entries)], rest[0])
        return insertions.insert(text, [Addition(place, value)])
    return _with_key(
        text, node, str(rest[0]), value, after if entries or len(path) == 1 else _AFTER
    )


def _with_key(text: str, node: yaml.MappingNode, key: str, value: Any, after: Sequence[str]) -> str:
    """Return the text with a new key of a block."""
    first, indent = node.value[0][0].start_mark, node.value[0][0].start_mark.column
    rows = styled.entry(f"{writer.flow(key)}:", writer.inlined(key, value), indent)
    before = [inner for name, inner in node.value if name.value in after]
    if after and not before and indent:
        words = "\n".join([*rows, " " * indent]).lstrip()
        return f"{text[: first.index]}{words}{text[first.index :]}"
    last = max(before or [node.value[-1][1]], key=lambda inner: inner.end_mark.index)
    index = insertions.after(text, last)
    return text[:index] + "\n".join([*rows, ""]) + text[index:]


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _replaced(text: str, entry: Entry, value: Any) -> str:
    """Return the text with another value of an entry."""
    node = entry.value
    start, end = node.start_mark.index, node.end_mark.index
    style = getattr(node, "style", None) or ""
    is_block = style in ("|", ">") or (
        isinstance(node, yaml.CollectionNode) and not node.flow_style
    )
    if not is_block and "\n" not in text[start:end]:
        short = _short(entry, value)
        if short is not None:
            space = " " if text[start - 1] in ":-" else ""
            return f"{text[:start]}{space}{short}{text[end:]}"
    head = text[entry.start : text.index(":", entry.key.end_mark.index) + 1] if entry.key else "-"
    begin = entry.start if entry.key else extents.dash(text, entry)
    tail = begin + len(head) if is_block else end
    comment = _COMMENT.match(text, tail)
    rows = styled.entry(
        head, value, extents.column(text, entry), style, comment[1] if comment else ""
    )
    stop = insertions.after(text, node) if is_block else text.index("\n", end) + 1
    return text[:begin] + "\n".join([*rows, ""]).lstrip() + text[stop:]


def _short(entry: Entry, value: Any) -> str | None:
    """Return a value for the line of the one that is there; None if it needs lines of its own."""
    if entry.holder.flow_style:
        return writer.flow(value)
    node, column = entry.value, entry.value.start_mark.column
    if isinstance(value, str):
        rows = styled.text(value, column, 2, getattr(node, "style", None) or "")
        return rows[0] if len(rows) == 1 else None
    is_flow = isinstance(node, yaml.CollectionNode) or _is_empty(node)
    short = writer.flow(value)
    return short if is_flow and column + len(short) <= styled.WIDTH else None


def _with_item(text: str, entry: Entry, path: FieldPath, value: Any) -> str:
    """Return the text with an item of a list that is there."""
    node, at = entry.value, int(path[-1])
    if not isinstance(node, yaml.SequenceNode) or not 0 <= at <= len(node.value):
        raise InsertionError
    count = len(node.value)
    if node.flow_style or not node.value:
        word = writer.flow(value)
        if at < count:
            index, words = node.value[at].start_mark.index, f"{word}, "
        else:
            index, words = node.end_mark.index - 1, f", {word}" if count else word
        changed = f"{text[:index]}{words}{text[index:]}"
        line = changed[changed.rfind("\n", 0, index) + 1 :].partition("\n")[0]
        if len(line) <= styled.WIDTH or entry.holder.flow_style:
            return changed
        items = [*_at(source.parse(text, "text").data, path[:-1])]
        items.insert(at, value)
        return _replaced(text, entry, items)
    items = [extents.entry_of(node, index) for index in range(count)]
    rows = styled.entry("-", value, extents.column(text, items[0]))
    new = "\n".join([*rows, ""])
    # Where items have an empty line between them, so has a new one.
    near = max(1, min(at, count - 1))
    between = [extents.lines(text, one) for one in items[near - 1 : near + 1]]
    empty = "\n" if len(between) > 1 and between[0].end < between[1].begin else ""
    if at < count:
        index, new = extents.lines(text, items[at]).begin, f"{new}{empty}"
    else:
        index, new = extents.lines(text, items[-1]).end, f"{empty}{new}"
    return f"{text[:index]}{new}{text[index:]}"


# -- data ----------------------------------------------------------------------------------------


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
    step, rest = path[0], path[1:]
    if rest:
        _remove(data[step], rest)
    # What is empty then goes, too.
    if not rest or not data[step]:
        del data[step]
