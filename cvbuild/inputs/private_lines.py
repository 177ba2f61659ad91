"""Which lines of a file may be shown below a message: none with private data on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import people, privacy
from cvbuild.inputs.validation import private_words
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.builder import LINE_BREAK, Node
from cvbuild.inputs.yaml.quoting import Quoting
from cvbuild.inputs.yaml.source import Source


@dataclass(frozen=True, slots=True)
class PrivateLines:
    """The lines of a file that may not be shown; of one that can't be parsed, a rule for them."""

    numbers: frozenset[int] = frozenset()
    quoting: Quoting | None = None

    def may_show(self, line: int) -> bool:
        """Return whether a line, counted from 1, may be shown."""
        allowed = self.quoting is None or self.quoting.allows(line - 1)
        return allowed and line not in self.numbers


def find(name: str, text: str) -> PrivateLines:
    """Return the private lines of a file; only YAML has any."""
    if not re.search(r"\.ya?ml$", name, re.IGNORECASE):
        return PrivateLines()
    unknown = PrivateLines(quoting=Quoting(name, LINE_BREAK.split(text), personal=True))
    if people.is_overlay(Path(name)):
        return unknown
    try:
        whole = privacy.everything(source.parse(text, name))
    except ProfileError:
        return unknown
    return PrivateLines(frozenset(_lines(whole, whole.tree, ())))


def _lines(whole: Source, node: Node, path: FieldPath) -> Iterator[int]:
    if node.private or (path and private_words.hides(whole, path)):
        first = (node.key or node.place)[0]
        yield from range(first, node.place[2] + 1)
        return
    if isinstance(node.children, dict):
        for key, child in node.children.items():
            yield from _lines(whole, child, (*path, key))
    elif isinstance(node.children, list):
        for at, child in enumerate(node.children):
            yield from _lines(whole, child, (*path, at))
