"""Entries of a YAML text: which of its lines belong to a key with its value, or to an item.

Indexes are those of characters in the text, which here always ends with a line break.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import yaml

from cvbuild.inputs.yaml.source import LOADER


class Entry(NamedTuple):
    """A value with its key, or an item of a list, in the collection that holds it."""

    holder: yaml.CollectionNode
    at: int
    key: yaml.Node | None
    value: yaml.Node

    @property
    def start(self) -> int:
        """The index where it begins: at its key; of an item, behind its dash."""
        return int((self.key or self.value).start_mark.index)

    @property
    def end(self) -> int:
        """The index behind the value."""
        return int(self.value.end_mark.index)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written, or null."""
        return self.value.tag == "tag:yaml.org,2002:null"


def entries_of(holder: yaml.CollectionNode) -> list[Entry]:
    """Return the entries of a collection."""
    return [
        Entry(holder, at, *part) if isinstance(part, tuple) else Entry(holder, at, None, part)
        for at, part in enumerate(holder.value)
    ]


#: The tree of a text, of which many entries may be asked for.
_tree = lru_cache(maxsize=1)(partial(yaml.compose, Loader=LOADER))


def on_path(text: str, path: Sequence[str | int]) -> tuple[Any, list[Entry]]:
    """Return the root of a text, and what exists of a path in it, from the top."""
    root = node = _tree(text)
    entries: list[Entry] = []
    for step in path:
        listed = entries_of(node) if isinstance(node, yaml.CollectionNode) else []
        same = [one for one in listed if step == (one.key.value if one.key else one.at)]
        if not same:
            break
        entries.append(same[-1])
        node = same[-1].value
    return root, entries


def line_start(text: str, index: int) -> int:
    """Return the index where the line of an index begins."""
    return text.rfind("\n", 0, index) + 1


def begin_of(text: str, entry: Entry) -> int:
    """Return the index of a key, or of the dash of an item of a block."""
    if entry.key:
        return entry.start
    return text.rindex("-", 0, entry.start + (entry.start == entry.end))


def column_of(text: str, entry: Entry) -> int:
    """Return the column of that."""
    begin = begin_of(text, entry)
    return begin - line_start(text, begin)


def line_after(text: str, node: yaml.Node) -> int:
    """Return the index of the line after a value, before empty lines and comments below it."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    end: int = node.end_mark.index
    if end and text[end - 1] != "\n":
        return text.index("\n", end) + 1
    # The mark of a block is where the next value begins. A "#" in a block scalar is no comment.
    has_comments = getattr(node, "style", None) not in ("|", ">")
    while end:
        begin = line_start(text, end - 1)
        line = text[begin:end].strip(" \t\r\n")
        if line and not (has_comments and line.startswith("#")):
            break
        end = begin
    return end
