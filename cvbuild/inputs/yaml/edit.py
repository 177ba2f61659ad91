"""Change values of a YAML text; the rest of it, comments and all, stays as it was written.

``put``, ``move`` and ``add`` write, and parse the result again: it must hold just what
was there with that change, else nothing is changed. Indexes are those of characters in the text,
which here always ends with a line break.
"""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, NamedTuple

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath, ProfileError
from cvbuild.inputs.yaml import source, writer
from cvbuild.inputs.yaml.entries import (
    Entry,
    begin_of,
    column_of,
    entries_of,
    line_after,
    line_start,
    on_path,
)
from cvbuild.model.text.paragraphs import LIST_MARK

#: A new key of the person comes after the last of these.
_AFTER = ("name", "headline", "locale", "template", "formats")
#: A line of a paragraph that goes on in the next one.
_BROKEN = re.compile(r"[^\n]\n[^\n]")
#: A comment behind a value, or behind the key of a block.
_COMMENT = re.compile(r"(?:[ \t]*[|>][-+0-9]*)?([ \t]+#[^\n]*)")


class EditError(ValueError):
    """A text that can't be changed so without changing anything else."""


class Addition(Struct, frozen=True):
    """A value to add: the last step of its path is a new key, or where it will be in a list.

    In a mapping it comes after those of the keys in ``after`` that are there.
    """

    path: FieldPath
    value: Any
    after: tuple[str, ...] = ()


class _Edit(NamedTuple):
    """The words that come in place of a part of a text."""

    begin: int
    end: int
    words: str


def put(text: str, path: FieldPath, value: Any, after: Sequence[str] = ()) -> str:
    """Return the text with ``value`` at ``path``, of which only the beginning need exist.

    None removes what is there, and mappings that are empty then. ``after`` are keys that a new one
    comes after. A text that was a block of lines stays one, and one that ended with a line break
    still does. Raises ProfileError for a text with errors, EditError if that can't be done without
    changing anything else.
    """
    parsed, plain, whole = source.parse(text, "text"), _plain(value), text.removesuffix("\n") + "\n"
    if plain is None and parsed.find(path) is None:
        return text
    with _one_or_none():
        data: Any = parsed.data
        if plain is None:
            _remove(data, path)
            return _edited(text, [_removed(whole, path)], data)
        kept = _kept(whole, path, plain)
        expected = _with(data, path, kept)
        before = after or (_AFTER if len(path) == 1 else ())
        return _edited(text, [_put(whole, path, kept, before)], expected)


def move(text: str, path: FieldPath, to: int) -> str:
    """Return the text with an entry at another position of its list or mapping; raises as ``put``.

    ``to`` is the position that it has then, from 0. Comments go with it, and empty lines between
    entries stay where they are.
    """
    data, whole = source.parse(text, "text").data, text.removesuffix("\n") + "\n"
    with _one_or_none():
        holder = value_at(data, path[:-1])
        order = list(holder)
        at = order.index(path[-1]) if isinstance(holder, dict) else int(path[-1])
        # Nothing in a text can be moved.
        if not (isinstance(holder, dict | list) and 0 <= to < len(order)):
            raise EditError
        order.insert(to, order.pop(at))
        if isinstance(holder, list):
            holder[:] = order
        collection = on_path(whole, path)[1][-1].holder
        parts = entries_of(collection)
        ranges = [
            (part.start, part.end) if collection.flow_style else lines_of(whole, part)
            for part in parts
        ]
        pieces = [whole[begin:end] for begin, end in ranges]
        pieces.insert(to, pieces.pop(at))
        between = [whole[end:begin] for (_, end), (begin, _) in itertools.pairwise(ranges)]
        inside = "".join(piece + gap for piece, gap in zip(pieces, [*between, ""], strict=True))
        changed = _edited(text, [_Edit(ranges[0][0], ranges[-1][1], inside)], data)
        # Mappings are equal whatever the order of their keys.
        there = value_at(source.parse(changed, "text").data, path[:-1])
        if isinstance(there, dict) and [*there] != order:
            raise EditError
        return changed


def add(text: str, additions: Iterable[Addition]) -> str:
    """Return the text with the additions, each at its place; raises as ``put``."""
    todo, data, whole = (
        [*additions],
        source.parse(text, "text").data,
        text.removesuffix("\n") + "\n",
    )
    try:
        with _one_or_none():
            expected = _plain(apply(data, todo))
            edits = [
                _put_item(whole, one.path, _plain(one.value))
                if isinstance(one.path[-1], int)
                else _put(whole, one.path, _plain(one.value), one.after)
                for one in todo
            ]
            return _edited(text, edits, expected)
    except EditError:
        # Each by itself where one is in another, as the second item of a new section.
        if len(todo) < 2:
            raise
        return reduce(lambda whole, one: add(whole, [one]), todo, text)


def apply(data: Any, additions: Iterable[Addition]) -> Any:
    """Return a copy of plain data with the additions; one text becomes a list where it has to."""
    whole = copy.deepcopy(data)
    for addition in additions:
        path, at = addition.path, addition.path[-1]
        # What comes into it later must not come into the addition.
        value = copy.deepcopy(addition.value)
        if isinstance(at, int):
            path = path[:-1]
            try:
                there = value_at(whole, path)
            except (LookupError, TypeError):
                there = None
            items = there if isinstance(there, list) else [there] if there else []
            if not 0 <= at <= len(items):
                raise IndexError(at)
            value = [*items[:at], value, *items[at:]]
        whole = _with(whole, path, value)
    return whole


@contextmanager
def _one_or_none() -> Iterator[None]:
    """Raise EditError for whatever shows that a text can't be changed so."""
    try:
        yield
    except (ProfileError, IndexError, KeyError, TypeError, ValueError):
        raise EditError from None


def _edited(text: str, edits: Iterable[_Edit], expected: Any) -> str:
    """Return a text with the edits; raises EditError if it doesn't hold the expected data then."""
    changed = text.removesuffix("\n") + "\n"
    for edit in sorted(edits, key=lambda edit: edit.begin)[::-1]:
        changed = f"{changed[: edit.begin]}{edit.words}{changed[edit.end :]}"
    if (source.parse(changed, "text").data or {}) != expected:
        raise EditError
    return changed if text.endswith("\n") else changed.removesuffix("\n")


def value_at(data: Any, path: Iterable[str | int]) -> Any:
    """Return the value of plain data at a path; raises LookupError for none."""
    for step in path:
        data = data[step]
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.10g}" if isinstance(value, float) else str(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


def _with(data: Any, path: Sequence[str | int], value: Any) -> Any:
    """Return data with a value at a path, whose lists and mappings are made where needed."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(data, list) and isinstance(step, int):
        there = data[step] if step < len(data) else None
        data[step : step + 1] = [_with(there, rest, value)]
        return data
    mapping = data if isinstance(data, dict) else {}
    if data is not None and mapping is not data:
        raise EditError
    mapping[step] = _with(mapping.get(step), rest, value)
    return mapping


def _remove(data: Any, path: FieldPath) -> None:
    step, rest = path[0], path[1:]
    if rest:
        _remove(data[step], rest)
    # What is empty then goes, too.
    if not rest or not data[step]:
        del data[step]


def _kept(text: str, path: FieldPath, value: Any) -> Any:
    """Return a text with what the block there has: broken lines, and a break at its end."""
    _, entries = on_path(text, path)
    node = entries[-1].value if entries and len(entries) == len(path) else None
    if not (isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")):
        return value
    if not isinstance(value, str) or not value.strip():
        return value
    if node.style == "|" and _BROKEN.search(node.value):
        indent = column_of(text, entries[-1]) + 2
        rows: list[str] = []
        for line in value.split("\n"):
            mark = LIST_MARK.match(line)
            parts = writer.wrapped(line, indent, " " * mark.end() if mark else "")
            # None may look like another item of a list.
            rows += [line] if any(map(LIST_MARK.match, parts[1:])) else parts
        value = "\n".join(rows)
    return value.rstrip("\n") + "\n" if node.value.endswith("\n") else value


def _put(text: str, path: Sequence[str | int], value: Any, after: Sequence[str] = ()) -> _Edit:
    """Return how a value is put at a path, of which only the beginning need exist."""
    root, entries = on_path(text, path)
    rest = path[len(entries) :]
    if not rest:
        return _replaced(text, entries[-1], value)
    for step in reversed(rest[1:]):
        value = {step: value}
    node = entries[-1].value if entries else root
    if isinstance(rest[0], int):
        return _put_item(text, path[: len(entries) + 1], value)
    if entries and entries[-1].is_empty:
        return _replaced(text, entries[-1], {rest[0]: value})
    if not isinstance(node, yaml.MappingNode):
        raise EditError
    key = str(rest[0])
    if node.flow_style or not node.value:
        return _in_brackets(node, len(node.value), f"{writer.flow(key)}: ", value)
    first, indent = node.value[0][0].start_mark, node.value[0][0].start_mark.column
    rows = writer.entry(f"{writer.flow(key)}:", writer.inlined(key, value), indent)
    after = after if entries or len(path) == 1 else _AFTER
    before = [inner for name, inner in node.value if name.value in after]
    if after and not before and indent:
        words = "\n".join([*rows, " " * indent]).lstrip()
        return _Edit(first.index, first.index, words)
    last = max(before or [node.value[-1][1]], key=lambda inner: inner.end_mark.index)
    index = line_after(text, last)
    return _Edit(index, index, "\n".join([*rows, ""]))


def _in_brackets(node: yaml.CollectionNode, at: int, key: str, value: Any) -> _Edit:
    """Return how an entry is put at a position of ``[a, b]`` or ``{a: b}``."""
    words = f"{key}{writer.flow(value)}"
    if at < len(node.value):
        index, words = node.value[at].start_mark.index, f"{words}, "
    else:
        index, words = node.end_mark.index - 1, f", {words}" if node.value else words
    return _Edit(index, index, words)


def _replaced(text: str, entry: Entry, value: Any) -> _Edit:
    node = entry.value
    start, end = node.start_mark.index, entry.end
    style = getattr(node, "style", None) or ""
    is_block = style in ("|", ">") or (
        isinstance(node, yaml.CollectionNode) and not node.flow_style
    )
    if not is_block and "\n" not in text[start:end]:
        short = _short(entry, value)
        if short is not None:
            space = " " if text[start - 1] in ":-" else ""
            return _Edit(start, end, f"{space}{short}")
    head = text[entry.start : text.index(":", entry.key.end_mark.index) + 1] if entry.key else "-"
    begin = begin_of(text, entry)
    comment = _COMMENT.match(text, begin + len(head) if is_block else end)
    rows = writer.entry(head, value, column_of(text, entry), style, comment[1] if comment else "")
    stop = line_after(text, node) if is_block else text.index("\n", end) + 1
    return _Edit(begin, stop, "\n".join([*rows, ""]).lstrip())


def _short(entry: Entry, value: Any) -> str | None:
    """Return a value for the line of the one that is there; None if it needs lines of its own."""
    if entry.holder.flow_style:
        return writer.flow(value)
    node, column = entry.value, entry.value.start_mark.column
    if isinstance(value, str):
        rows = writer.text(value, column, 2, getattr(node, "style", None) or "")
        return rows[0] if len(rows) == 1 else None
    is_flow = isinstance(node, yaml.CollectionNode) or entry.is_empty
    short = writer.flow(value)
    return short if is_flow and column + len(short) <= writer.WIDTH else None


def _put_item(text: str, path: Sequence[str | int], value: Any) -> _Edit:
    """Return how a new item is put before the one at a path, or at the end of the list."""
    entries = on_path(text, path[:-1])[1]
    entry, at = entries[-1] if entries else None, int(path[-1])
    if entry is None or len(entries) < len(path) - 1 or entry.is_empty:
        return _put(text, path[:-1], [value])
    node: Any = entry.value
    if isinstance(node, yaml.ScalarNode):
        items = [node.value]
        items.insert(at, value)
        return _replaced(text, entry, items)
    if isinstance(node, yaml.MappingNode):
        raise EditError
    if node.flow_style or not node.value:
        edit = _in_brackets(node, at, "", value)
        changed = f"{text[: edit.begin]}{edit.words}{text[edit.end :]}"
        line = changed[line_start(changed, node.start_mark.index) :].partition("\n")[0]
        if len(line) <= writer.WIDTH or entry.holder.flow_style:
            return edit
        items = [*value_at(source.parse(text, "text").data, path[:-1])]
        items.insert(at, value)
        return _replaced(text, entry, items)
    items = entries_of(node)
    new = "\n".join([*writer.entry("-", value, column_of(text, items[0])), ""])
    # Where items have an empty line between them, so has a new one.
    near = max(1, min(at, len(items) - 1))
    between = [lines_of(text, item) for item in items[near - 1 : near + 1]]
    empty = "\n" if len(between) > 1 and between[0][1] < between[1][0] else ""
    if at < len(items):
        index, new = lines_of(text, items[at])[0], f"{new}{empty}"
    else:
        index, new = lines_of(text, items[-1])[1], f"{empty}{new}"
    return _Edit(index, index, new)


def _removed(text: str, path: FieldPath) -> _Edit:
    """Return how an entry is taken out, with those that then hold nothing."""
    _, entries = on_path(text, path)
    while len(entries) > 1 and len(entries[-1].holder.value) == 1:
        entries.pop()
    entry = entries[-1]
    if entry.holder.flow_style:
        # With one comma.
        parts = entries_of(entry.holder)
        if entry.at + 1 < len(parts):
            return _Edit(entry.start, parts[entry.at + 1].start, "")
        return _Edit(parts[entry.at - 1].end if entry.at else entry.start, entry.end, "")
    if entry.key is None:
        begin, end = lines_of(text, entry)
    else:
        begin, end = line_start(text, entry.start), line_after(text, entry.value)
        if text[begin : entry.start].strip():
            # The first key of an item of a list: its dash stays for the next one.
            rest = text[end:]
            return _Edit(entry.start, end + len(rest) - len(rest.lstrip(" ")), "")
    following = text[end:].partition("\n")[0]
    is_loose = text[:begin].endswith("\n\n") or (not entry.at and entry.key is None)
    if is_loose and end < len(text) and not following.strip():
        end += len(following) + 1
    elif end == len(text):
        begin = len(text[:begin].rstrip("\n")) + 1
    return _Edit(begin, end, "")


def lines_of(text: str, entry: Entry) -> tuple[int, int]:
    """Return where the lines of an entry of a block begin and end, with its own comments.

    Those are directly above it, at its own column, and below it further to the right. Raises
    EditError for an entry that doesn't begin a line.
    """
    first = begin_of(text, entry)
    begin, own = line_start(text, first), column_of(text, entry)
    if text[begin:first].strip(" "):
        raise EditError
    while begin and text.startswith(f"{' ' * own}#", above := line_start(text, begin - 1)):
        begin = above
    at = end = line_after(text, entry.value)
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        row = text[at:stop]
        if row.strip() and not (row.lstrip(" ").startswith("#") and row.index("#") > own):
            break
        at = stop
        end = stop if row.strip() else end
    return begin, end
