"""Find texts of a file that are not what they seem: see ``model.hidden_characters``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.inputs.yaml.builder import LINE_BREAK, Node
from cvbuild.inputs.yaml.source import Source, leaves
from cvbuild.model import hidden_characters
from cvbuild.model.hidden_characters import Hidden, Use

#: Keys of addresses, wherever they are, and of names.
_ADDRESSES = frozenset(("email", "phone", "url", "website", "profiles", "links"))
_NAMES = frozenset(("name", "recipient"))
#: An address inside of a text.
_INSIDE = re.compile(r"(?:https?://|mailto:)[^\s)>]+", re.IGNORECASE)


def find(source: Source) -> Iterator[Diagnostic]:
    """Yield a warning for each text that hides a character, at it; ``source`` has its text."""
    if source.text.isascii() and "\\" not in source.text:
        return
    rows = LINE_BREAK.split(source.text)
    for data, node, path in leaves(source.data, source.tree):
        if not isinstance(data, str) or data.isascii():
            continue
        if found := _hidden(data, _use(path)):
            fact = f"{found.name} {found.fact}"
            span = _span(found, node, source.name, rows)
            yield Diagnostic("warning", found.code, fact, span, found.hint)


def _hidden(text: str, use: Use) -> Hidden | None:
    """Return what a text hides, also in an address inside of it."""
    found = hidden_characters.find(text, use)
    if found is None and use != "address":
        inside = (hidden_characters.find(one[0], "address") for one in _INSIDE.finditer(text))
        found = next((one for one in inside if one), None)
    return found


def _use(path: FieldPath) -> Use:
    keys = [step for step in path if isinstance(step, str)]
    last = keys[-1] if keys else ""
    if last == "label" or not keys:
        return "prose"
    if not _ADDRESSES.isdisjoint(keys):
        return "address"
    if keys[0] == "name" or (keys[0] in _NAMES and last == "name"):
        return "name"
    return "headline" if "headline" in keys[-2:] or keys[0] == "headline" else "prose"


def _span(found: Hidden, node: Node, file: str, rows: Sequence[str]) -> Span:
    """Return the position of the character; that of the value if it is written as an escape."""
    row, column, end_row, end_column = node.place
    for number in range(row, end_row + 1):
        line = rows[number - 1]
        start = column - 1 if number == row else 0
        end = end_column - 1 if number == end_row else len(line)
        at = line.find(found.character, start, end)
        if at >= 0:
            return Span(file, number, at + 1, number, at + 2)
    return Span(file, *node.place)
