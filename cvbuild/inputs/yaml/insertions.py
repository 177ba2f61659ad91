"""Add values to a YAML text and leave the rest of it, comments and all, as it was written.

Only additions: a new key of a mapping, a new item of a list. The result is parsed again and must
hold just what was there and what was added, else nothing is changed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.yaml.builder import LOADER
from cvbuild.inputs.yaml.writer import flow, write_part


class Addition(Struct, frozen=True):
    """A value to add at a path that doesn't exist: the last step is a new key, or a list's length.

    In a mapping it comes after those of the keys in ``after`` that are there.
    """

    path: FieldPath
    value: Any
    after: tuple[str, ...] = ()


class InsertionError(ValueError):
    """A text into which the values can't be inserted without changing the rest."""


def apply(data: Any, additions: Iterable[Addition]) -> Any:
    """Return a copy of plain data with the additions; one text becomes a list where it has to."""
    whole = copy.deepcopy(data)
    for addition in additions:
        *above, key = addition.path
        level = whole
        for step in above[:-1]:
            level = level[step]
        holder = level[above[-1]] if above else whole
        if isinstance(key, int):
            if not isinstance(holder, list):
                holder = level[above[-1]] = [holder]
            holder.append(addition.value)
        elif holder is None:
            level[above[-1]] = {key: addition.value}
        else:
            holder[key] = addition.value
    return whole


def insert(text: str, additions: Iterable[Addition]) -> str:
    """Return the text with the additions, each at its place; raises InsertionError."""
    # What goes into a value comes before what goes behind it.
    todo = sorted(additions, key=lambda addition: -len(addition.path))
    root = yaml.compose(text, Loader=LOADER)
    if root is None:
        raise InsertionError
    edits: dict[int, list[str]] = {}
    lists: dict[int, int] = {}
    begun: set[int] = set()
    for addition in todo:
        holder = _node(root, addition.path[:-1])
        if isinstance(holder, yaml.ScalarNode):
            # One text stands for a list of one.
            lists[holder.start_mark.index] = holder.end_mark.index
        is_empty = not holder.value and holder.start_mark.index not in begun
        begun.add(holder.start_mark.index)
        for at, words in _edits(text, holder, addition, "" if is_empty else ", "):
            edits.setdefault(at, []).append(words)
    for start, end in lists.items():
        edits.setdefault(start, []).insert(0, "[")
        edits[end].append("]")
    for at in sorted(edits, reverse=True):
        text = text[:at] + "".join(edits[at]) + text[at:]
    return text


def _node(root: yaml.Node, path: FieldPath) -> yaml.Node:
    node = root
    for step in path:
        if isinstance(node, yaml.MappingNode):
            node = next(value for key, value in node.value if key.value == step)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
        else:
            raise InsertionError
    return node


def _edits(
    text: str, holder: yaml.Node, addition: Addition, comma: str
) -> Iterator[tuple[int, str]]:
    """Yield what to insert where, as (index, text); ``comma`` parts it from what is before it."""
    if isinstance(holder, yaml.ScalarNode):
        if "\n" in text[holder.start_mark.index : holder.end_mark.index]:
            raise InsertionError
        yield holder.end_mark.index, f", {flow(addition.value)}"
    elif not holder.value or getattr(holder, "flow_style", False):
        key = "" if isinstance(holder, yaml.SequenceNode) else f"{flow(addition.path[-1])}: "
        yield holder.end_mark.index - 1, f"{comma}{key}{flow(addition.value)}"
    elif isinstance(holder, yaml.SequenceNode):
        first = holder.value[0].start_mark
        dash = text.rfind("-", 0, first.index)
        indent = dash - (text.rfind("\n", 0, dash) + 1)
        yield after(text, holder.value[-1]), _block([addition.value], indent)
    elif isinstance(holder, yaml.MappingNode):
        keys = {key.value: value for key, value in holder.value}
        before = [keys[name] for name in addition.after if name in keys]
        last = max(before or [holder.value[-1][1]], key=lambda node: node.end_mark.index)
        indent = holder.value[0][0].start_mark.column
        yield after(text, last), _block({addition.path[-1]: addition.value}, indent)


def after(text: str, node: yaml.Node) -> int:
    """Return the index of the line after a value, before empty lines and comments below it."""
    last = _last(node)
    end: int = last.end_mark.index
    if end and text[end - 1] != "\n":
        return text.index("\n", end) + 1
    # The mark of a block is where the next value begins. A "#" in a block scalar is no comment.
    has_comments = getattr(last, "style", None) not in ("|", ">")
    while end:
        begin = text.rfind("\n", 0, end - 1) + 1
        line = text[begin:end].strip(" \t\r\n")
        if line and not (has_comments and line.startswith("#")):
            break
        end = begin
    return end


def _last(node: yaml.Node) -> yaml.Node:
    """Return the last text in a value, or the last value that is written on a line."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def _block(value: Any, indent: int) -> str:
    lines = write_part(value).splitlines()
    return "".join(f"{' ' * indent}{line}\n" if line else "\n" for line in lines)
