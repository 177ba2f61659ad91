"""Commands and environments that nobody knows: titles, entries, points, or words of a text."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import dates
from cvbuild.importers.documents.latex.commands import Parts
from cvbuild.importers.documents.latex.paragraphs import Paragraphs
from cvbuild.importers.documents.latex.tables import Table
from cvbuild.importers.documents.latex.tree import Cursor, inside, kind
from cvbuild.importers.documents.latex.words import TAB, Lose
from cvbuild.importers.documents.outline import Entry, Part
from cvbuild.importers.words import headings

BIBLIOGRAPHIES = ("bibliography", "addbibresource")


class Unknown:
    """Reads them by their names, their arguments, and where they stand.

    ``kept`` are the person's own commands whose arguments are an entry; ``lose`` is told what has
    no place.
    """

    def __init__(
        self,
        parts: Parts,
        paragraphs: Paragraphs,
        table: Table,
        kept: Collection[str],
        lose: Lose,
    ) -> None:
        self.parts, self.paragraphs = parts, paragraphs
        self.table, self.kept, self.lose = table, kept, lose
        self.out, self.head = paragraphs.out, paragraphs.head
        self.words, self.place = paragraphs.words, paragraphs.place
        #: Commands of titles that the class doesn't say.
        self.titles: set[str] = set()
        self._told: set[str] = set()

    def before(self, node: Any, cursor: Cursor) -> None:
        """Read a command of the preamble that nobody knows: part of the head, or lost."""
        name: str = node.macroname
        cursor.star()
        option = cursor.option()
        groups = [inside(group) for group in cursor.groups(9)]
        texts = [text for group in groups if (text := self.words.plain(group))]
        if name in BIBLIOGRAPHIES:
            self.lose("publications in a file that can be imported, too", "".join(texts), node)
        elif len(texts) in (1, 2) and (slot := self.table.head_slot(name)):
            given = self.words.plain(option) if option else ""
            if slot == "given" and len(groups) == 2:
                self.head.put(name, "given", (given, groups[:1]), node)
                slot, groups = "family", groups[1:]
            self.head.put(name, slot, (given, groups), node)
        elif any(re.search(r"[^\W\d_]{2}|\d{3}", text) for text in texts):
            self.lose(f"unknown command \\{name}", ", ".join(texts), node)

    def command(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a title, an entry, a point, or words of a text."""
        peek = Cursor(cursor.nodes, cursor.at)
        peek.star()
        option = peek.option()
        groups = peek.groups(9)
        bodies = [inside(group) for group in groups]
        name: str = node.macroname
        is_first = not self.paragraphs.is_begun()
        title = self.words.plain(bodies[0]) if len(bodies) == 1 and is_first else ""
        if not self.out.sections and groups and is_first and self.table.head_slot(name):
            cursor.nodes, cursor.at = peek.nodes, cursor.at
            self.before(node, cursor)
        elif title and len(title) < 60 and self._is_title(name, title):
            cursor.nodes, cursor.at = peek.nodes, peek.at
            self.paragraphs.end()
            self.titles.add(name)
            self.out.title(
                "group" if "sub" in name.lower() else "section", title, self.place([node])
            )
        elif self.out.sections and len(bodies) > 1 and is_first:
            cursor.nodes, cursor.at = peek.nodes, peek.at
            self.paragraphs.end()
            if name not in self.kept and name not in self._told:
                self._told.add(name)
                self.lose("unknown command, its text is kept", f"\\{name}", node)
            if option and dates.is_date(self.words.plain(option)):
                bodies, option = [option, *bodies], None
            parts = self.parts.unknown(bodies, self.place([node, *groups]))
            self.out.sections[-1].is_unclear |= not any(isinstance(one, Entry) for one in parts)
            self.add(parts, option)
        else:
            if bodies and self.paragraphs.pending and kind(self.paragraphs.pending[-1]) == "Group":
                self.paragraphs.pending.append(TAB)
            self.paragraphs.pending.append(node)
            self.paragraphs.pending += near_groups(cursor)

    def _is_title(self, name: str, title: str) -> bool:
        """Return whether an unknown command is one of titles."""
        is_named = "sect" in name.lower() or name in self.titles
        return is_named or headings.kind_of(title) is not None

    def add(self, parts: list[Part], option: list[Any] | None) -> None:
        """Add the parts of an unknown command, with what is in its option."""
        text = self.words.line(option) if option else ""
        for part in parts:
            if isinstance(part, Entry):
                self.out.made = part
                if part.texts and re.search(r"[^\W\d_]{2}", text):
                    part.texts[0] = f"{part.texts[0]}, {text}"
            self.out.add(part)

    def environment(self, bodies: list[list[Any]], place: Span, node: Any) -> None:
        """Read the arguments of an environment: a title, the head, or an entry."""
        texts = [self.words.plain(body) for body in bodies]
        if not any(
            re.search(r"[^\W\d_]{2}", re.sub(r"\d\s*(?:cm|mm|pt|em|in|ex)\b", "", text))
            for text in texts
        ):
            return
        if len(texts) == 1 and (headings.kind_of(texts[0]) or "sect" in node.environmentname):
            is_group = "sub" in node.environmentname
            self.out.title("group" if is_group else "section", texts[0], self.place([node]))
            return
        if not self.out.sections:
            self.paragraphs.pending += [one for body in bodies for one in [*body, TAB]]
            self.paragraphs.end()
            return
        self.add(self.parts.unknown(bodies, place), None)


def near_groups(cursor: Cursor) -> list[Any]:
    """Return the groups right after a command: they stay with it."""
    found: list[Any] = []
    while cursor.at < len(cursor.nodes) and kind(cursor.nodes[cursor.at]) == "Group":
        found.append(cursor.next())
    return found
