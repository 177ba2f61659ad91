"""Which lines of a YAML text belong to an item of a list, or to a key of a mapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import yaml

from cvbuild.inputs.yaml import insertions
from cvbuild.inputs.yaml.builder import LOADER
from cvbuild.inputs.yaml.insertions import InsertionError


class Entry(NamedTuple):
    """A value with its key, or an item of a list, in the collection that holds it."""

    holder: yaml.CollectionNode
    at: int
    key: yaml.Node | None
    value: yaml.Node

    @property
    def start(self) -> int:
        """The index where it begins: at its key; of an item, behind its dash."""
        start: int = (self.key or self.value).start_mark.index
        return start


class Extent(NamedTuple):
    """Indexes in a text: of the first line of the comments above, of the line after the value."""

    begin: int
    end: int


def entry_of(holder: yaml.CollectionNode, at: int) -> Entry:
    """Return the entry at a position of a collection."""
    part = holder.value[at]
    return Entry(holder, at, *part) if isinstance(part, tuple) else Entry(holder, at, None, part)


def path_entries(text: str, path: Sequence[str | int]) -> list[Entry]:
    """Return what exists of a path in a text, from the top."""
    node, entries = yaml.compose(text, Loader=LOADER), []
    for step in path:
        entry = None
        if isinstance(node, yaml.MappingNode):
            for at, (key, value) in enumerate(node.value):
                if key.value == step:
                    entry = Entry(node, at, key, value)
        elif isinstance(node, yaml.SequenceNode) and step in range(len(node.value)):
            entry = entry_of(node, int(step))
        if entry is None:
            break
        entries.append(entry)
        node = entry.value
    return entries


def column(text: str, entry: Entry) -> int:
    """Return the column of a key, or of the dash of an item of a block."""
    first = entry.start if entry.key else dash(text, entry)
    return first - _line(text, first)


def dash(text: str, entry: Entry) -> int:
    """Return the index of the dash before an item."""
    return text.rindex("-", 0, entry.start + (entry.start == entry.value.end_mark.index))


def lines(text: str, entry: Entry) -> Extent:
    """Return the lines of an entry of a block, with the comments that are its own.

    Those are directly above it, at its own column, and below it further to the right. Raises
    InsertionError for an entry that doesn't begin a line.
    """
    first = entry.start if entry.key else dash(text, entry)
    begin, own = _line(text, first), column(text, entry)
    if text[begin:first].strip(" "):
        raise InsertionError
    while begin:
        above = _line(text, begin - 1)
        row = text[above : begin - 1]
        if not row.startswith(f"{' ' * own}#"):
            break
        begin = above
    return Extent(begin, _end(text, insertions.after(text, entry.value), own))


def _end(text: str, end: int, own: int) -> int:
    """Return the index after the comments below that are further to the right."""
    at = end
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        row = text[at:stop]
        if row.strip() and not (row.lstrip(" ").startswith("#") and row.index("#") > own):
            break
        at = stop
        end = stop if row.strip() else end
    return end


def _line(text: str, index: int) -> int:
    """Return the index where the line of an index begins."""
    return text.rfind("\n", 0, index) + 1
