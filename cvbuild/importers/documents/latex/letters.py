"""Letters in a LaTeX source: they are no part of a CV, and lost."""

from __future__ import annotations

from typing import Any

from cvbuild.importers.documents.latex.tree import Cursor, inside, is_macro
from cvbuild.importers.documents.latex.words import Words

#: Environments of letters, and commands with the number of their arguments.
ENVIRONMENTS = frozenset(("cvletter", "letter"))
COMMANDS = {
    "recipient": 2, "date": 1, "opening": 1, "closing": 1, "enclosure": 1, "letterdate": 1,
    "lettertitle": 1, "letteropening": 1, "letterclosing": 1, "letterenclosure": 1,
    "lettersection": 1, "makeletterclosing": 0,
}  # fmt: skip


class Letters:
    """Tells of what belongs to letters."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def begins(self, name: str) -> bool:
        """Return whether the text of a letter follows a command."""
        return name in ("makelettertitle", "makeletterhead")

    def text(self, cursor: Cursor) -> None:
        """Lose the text of a letter, up to its end."""
        nodes: list[Any] = []
        while (node := cursor.next()) is not None and not is_macro(node, "makeletterclosing"):
            nodes.append(node)
        if nodes:
            self.words.lose("letter", self.words.line(nodes), nodes[0])

    def command(self, node: Any, cursor: Cursor) -> None:
        """Lose the arguments of a command of letters."""
        cursor.option()
        groups = cursor.groups(COMMANDS[node.macroname])
        text = ", ".join(one for group in groups if (one := self.words.line(inside(group))))
        self.words.lose(f"\\{node.macroname} of a letter", text, node)
