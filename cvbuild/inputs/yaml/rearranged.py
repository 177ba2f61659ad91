"""A YAML text whose entries are in another order, or without one of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from cvbuild.inputs.yaml import extents, insertions
from cvbuild.inputs.yaml.extents import Entry


def moved(text: str, entry: Entry, to: int) -> str:
    """Return the text with an entry elsewhere in its collection; what is between them stays."""
    holder = entry.holder
    parts = [extents.entry_of(holder, at) for at in range(len(holder.value))]
    if holder.flow_style:
        ranges = [(one.start, one.value.end_mark.index) for one in parts]
    else:
        ranges = [(*extents.lines(text, one),) for one in parts]
    pieces = [text[begin:end] for begin, end in ranges]
    pieces.insert(to, pieces.pop(entry.at))
    between = [text[end:begin] for (_, end), (begin, _) in itertools.pairwise(ranges)]
    inside = "".join(piece + gap for piece, gap in zip(pieces, [*between, ""], strict=True))
    return f"{text[: ranges[0][0]]}{inside}{text[ranges[-1][1] :]}"


def removed(text: str, entries: Sequence[Entry]) -> str:
    """Return the text without the last entry, and without those that then hold nothing."""
    at = len(entries) - 1
    while at and len(entries[at].holder.value) == 1:
        at -= 1
    entry = entries[at]
    if entry.holder.flow_style:
        return _without_item(text, entry)
    if entry.key is None:
        begin, end = extents.lines(text, entry)
    else:
        begin = text.rfind("\n", 0, entry.start) + 1
        end = insertions.after(text, entry.value)
        if text[begin : entry.start].strip():
            # The first key of an item of a list: its dash stays for the next one.
            return text[: entry.start] + text[end:].lstrip(" ")
    following = text[end:].partition("\n")[0]
    is_loose = text[:begin].endswith("\n\n") or (not entry.at and entry.key is None)
    if is_loose and end < len(text) and not following.strip():
        end += len(following) + 1
    elif end == len(text):
        begin = len(text[:begin].rstrip("\n")) + 1
    return text[:begin] + text[end:]


def _without_item(text: str, entry: Entry) -> str:
    """Return the text without an item of ``[a, b]`` or ``{a: b}``, and one comma."""
    parts = [extents.entry_of(entry.holder, at) for at in range(len(entry.holder.value))]
    if entry.at + 1 < len(parts):
        return text[: entry.start] + text[parts[entry.at + 1].start :]
    begin = parts[entry.at - 1].value.end_mark.index if entry.at else entry.start
    return text[:begin] + text[entry.value.end_mark.index :]
