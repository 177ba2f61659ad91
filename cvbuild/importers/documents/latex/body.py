"""The body of a LaTeX source: sections, entries, lists, and paragraphs as they come."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents.latex import head, symbols
from cvbuild.importers.documents.latex.commands import Parts
from cvbuild.importers.documents.latex.entries import Entries
from cvbuild.importers.documents.latex.lists import Lists, begins_with_group, have_arguments
from cvbuild.importers.documents.latex.paragraphs import Paragraphs
from cvbuild.importers.documents.latex.sections import Sections
from cvbuild.importers.documents.latex.source import Source
from cvbuild.importers.documents.latex.tables import Command, Table
from cvbuild.importers.documents.latex.tree import (
    Cursor,
    chars,
    inside,
    is_macro,
    kind,
    skip_arguments,
    skip_layout,
    span,
)
from cvbuild.importers.documents.latex.unknown import BIBLIOGRAPHIES, Unknown, near_groups
from cvbuild.importers.documents.latex.words import Words
from cvbuild.importers.documents.outline import Section
from cvbuild.importers.draft import Draft

_PARAGRAPH = re.compile(r"\n[ \t]*\n")


class Body:
    """Reads nodes into sections; what has no place is lost through the draft."""

    def __init__(self, draft: Draft, source: Source, table: Table, language: str) -> None:
        self.draft = draft
        self.source = source
        self.table = table
        self.words = Words(self.lose, language, table.commands)
        self.lists = Lists(self.words, self._place, self._is_block)
        self.parts = Parts(self.words, self.lists.description)
        self.head = head.Head(draft, self.words, self._place)
        self.out = Sections()
        self.paragraphs = Paragraphs(self.out, self.head, self._place)
        self.entries = Entries(self.out, self.head, self.parts)
        self.unknown = Unknown(self.parts, self.paragraphs, table, source.kept, self.lose)
        self.bars: list[Section] = []
        self._lost: set[object] = set()

    def lose(self, what: str, value: str, node: Any) -> None:
        """List what has no place in the person's file."""
        known = (what, value, span(node))
        if known not in self._lost:
            self._lost.add(known)
            self.draft.lose(what, value, self._place([node]))

    def preamble(self, nodes: list[Any]) -> None:
        """Read what stands before the document: commands of the head, and texts of others."""
        cursor = Cursor(nodes)
        while (node := cursor.next()) is not None:
            if kind(node) != "Macro":
                continue
            name: str = node.macroname
            command = self.table.commands.get(name)
            if command and command.makes in ("head", "bars", "inside", "letter"):
                self._command(node, command, cursor)
            elif name in BIBLIOGRAPHIES or not (symbols.is_known(name) or symbols.is_setting(name)):
                self.unknown.before(node, cursor)
            else:
                cursor.star()
                while cursor.option() is not None or cursor.groups(9):
                    pass
        self.paragraphs.end()

    def read(self, nodes: list[Any]) -> None:
        """Read the document."""
        self._read(Cursor(nodes))
        self.paragraphs.end()
        self.out.end(self._place(nodes[-1:]))
        for what, text, place in self.out.unused:
            self.draft.lose(what, text, place)
        for section in self.out.sections:
            if section.title and not section.parts and section.title not in self.out.understood:
                self.draft.lose("section without a text", section.title, section.place)
        self.out.sections += self.bars

    def _place(self, nodes: list[Any]) -> Span:
        spans = [span(node) for node in nodes if not isinstance(node, str)] or [(0, 1)]
        return self.source.place(spans[0][0], spans[-1][1])

    def _read(self, cursor: Cursor) -> None:
        while (node := cursor.next()) is not None:
            what = kind(node)
            if what == "Comment":
                continue
            if what == "Chars" and self.out.has_lines:
                node = re.sub(r"\n\s*", "\n\n", chars(node))
            if what == "Chars" and (parts := _PARAGRAPH.split(chars(node)))[1:]:
                for part in parts[:-1]:
                    self.paragraphs.pending.append(part)
                    self.paragraphs.end()
                self.paragraphs.pending.append(parts[-1])
            elif what == "Environment":
                self._environment(node)
            elif what == "Group" and self.lists.has_blocks(node):
                self._read(Cursor(inside(node)))
            elif what == "Macro":
                self._macro(node, cursor)
            else:
                self.paragraphs.pending.append(node)

    def _macro(self, node: Any, cursor: Cursor) -> None:
        name: str = node.macroname
        command = self.table.commands.get(name)
        is_of_head = command is not None and command.makes == "head"
        if is_of_head and command and command.is_usual and self.out.sections:
            # Words such as \title and \location mean something else there.
            is_text = self.paragraphs.is_begun() or command.slots[0] in ("headline", "quote")
            if is_text or (command.slots[0] in ("given", "address") and not self.out.is_contact()):
                command = None
        if command is not None:
            self.paragraphs.end()
            self._command(node, command, cursor)
        elif name in ("makelettertitle", "makeletterhead"):
            self.paragraphs.end()
            self._letter(cursor)
        elif name in BIBLIOGRAPHIES:
            self.unknown.before(node, cursor)
        elif name in ("par", "item"):
            self.paragraphs.end()
            cursor.option()
        elif name in ("printbibliography", "printbibsection"):
            title = re.search(r"title=([^,]+)", self.words.plain(cursor.option() or []))
            self.lose("a list of publications", title[1] if title else "", node)
        elif symbols.is_known(name) and name not in self.source.kept:
            if name in symbols.LAYOUT or name in symbols.MARGINS:
                if name == "vspace" and not self.out.sections:
                    self.paragraphs.end()
                skip_layout(name, cursor)
            else:
                self.paragraphs.pending.append(node)
                self.paragraphs.pending += (
                    near_groups(cursor) if name not in symbols.SWITCHES else []
                )
        else:
            self.unknown.command(node, cursor)

    def _command(self, node: Any, command: Command, cursor: Cursor) -> None:
        name: str = node.macroname
        cursor.star()
        if command.makes == "head":
            self.head.read(name, command.slots, node, cursor)
            return
        option = cursor.option()
        groups = cursor.groups(len(command.slots)) if command.makes != "dated" else []
        place = self._place([node, *groups])
        bodies = [inside(group) for group in groups]
        match command.makes:
            case "section" | "group":
                self.out.title(
                    command.makes, self.words.line(bodies[0]) if bodies else "", self._place([node])
                )
            case "column":
                self._column(bodies)
            case "letter":
                bodies = [*([option] if option else []), *bodies]
                text = ", ".join(one for body in bodies if (one := self.words.line(body)))
                self.lose(f"\\{name} of a letter", text, node)
            case "picture":
                inner = [one for body in bodies[-1:] for one in body if kind(one) == "Group"]
                text = ", ".join(self.words.plain(inside(one)) for one in inner)
                self.lose(f"picture ({name})", text or name, node)
            case "hidden":
                pass
            case "inside":
                self._read(Cursor(bodies[-1] if bodies else []))
                self.paragraphs.end()
            case "dated":
                self.out.label = self.words.line(option or [])
            case "more" | "under":
                self.paragraphs.pending += self.entries.go_on(command, bodies, place)
            case "bars":
                self.bars.append(Section("Skills", place, self.parts.of(command, bodies, place)))
            case _:
                self.entries.add(command, bodies, place, option if name == "cvlistitem" else None)

    def _column(self, bodies: list[list[Any]]) -> None:
        """Read a column: its title is a sub-heading."""
        before, self.out.group = self.out.group, self.words.line(bodies[0]) if bodies else ""
        for body in bodies[1:]:
            self._read(Cursor(body))
            self.paragraphs.end()
        self.out.group = before

    def _letter(self, cursor: Cursor) -> None:
        """Lose the text of a letter, up to its end."""
        nodes: list[Any] = []
        while (node := cursor.next()) is not None and not is_macro(node, "makeletterclosing"):
            nodes.append(node)
        if nodes:
            self.lose("letter", self.words.line(nodes), nodes[0])

    def _environment(self, node: Any) -> None:
        name: str = node.environmentname
        nodes = inside(node)
        command = self.table.environments.get(name) or Command("")
        makes = command.makes
        has_items = any(is_macro(one, "item") for one in nodes)
        is_list = makes == "list" or (not makes and has_items and not begins_with_group(nodes))
        if is_list and have_arguments(nodes):
            self.paragraphs.end()
            self._items(Cursor(nodes))
            return
        if is_list and not any(self._is_block(one) for one in nodes):
            before = self.paragraphs.taken()
            points = self.lists.points(nodes)
            self.paragraphs.read(before)
            self.paragraphs.listed(points, node)
            return
        self.paragraphs.end()
        cursor = Cursor(nodes)
        if makes in ("picture", "letter"):
            # Drawing commands are no texts: only what is between them is told.
            text = Words(lambda *_: None).plain(nodes)
            self.lose(f"picture ({name})" if makes == "picture" else makes, text or name, node)
        elif name == "thebibliography":
            for point in self.lists.bibliography(node):
                self.out.add(point)
        elif makes != "hidden":
            self._open(node, command, cursor)
            outer, self.out.has_lines = self.out.has_lines, self.out.has_lines or makes == "lines"
            if makes in ("", "entry") and has_items:
                rest = cursor.nodes[cursor.at :]
                if not any(self._is_block(one) for one in rest):
                    cursor.at = len(cursor.nodes)
                    self.paragraphs.listed(self.lists.points(rest), node)
            if makes == "table":
                for row in self.words.lines(cursor.nodes[cursor.at :]):
                    self.paragraphs.row(row, self._place([node]))
            else:
                self._read(cursor)
                self.paragraphs.end()
            self.out.has_lines = outer

    def _items(self, cursor: Cursor) -> None:
        """Read a list whose items have arguments: each is an entry, or a label and a text."""
        while (node := cursor.next()) is not None:
            if is_macro(node, "item"):
                self.paragraphs.end()
                option = cursor.option()
                groups = cursor.groups(9)
                bodies = [inside(group) for group in groups]
                self.unknown.add(self.parts.unknown(bodies, self._place([node])), option)
            else:
                self._read(Cursor([node]))
        self.paragraphs.end()

    def _open(self, node: Any, command: Command, cursor: Cursor) -> None:
        """Read the arguments of an environment."""
        if command.makes in ("", "section", "entry"):
            cursor.option()
            groups = cursor.groups(len(command.slots) or 9, is_near=not command.makes)
            bodies = [inside(group) for group in groups]
            place = self._place([node])
            if command.makes == "section":
                self.out.title("section", self.words.line(bodies[0]) if bodies else "", place)
            elif command.makes == "entry" and not any(map(self.words.plain, bodies)):
                self.out.made = None
            elif command.makes:
                self.entries.add(command, bodies, place, None)
            else:
                self.unknown.environment(bodies, place, node)
        elif command.makes == "under":
            last = self.out.last()
            paragraphs, points = self.lists.description(cursor.nodes[cursor.at :])
            if last is not None:
                last.paragraphs += paragraphs
                last.points += points
                cursor.at = len(cursor.nodes)
        elif command.makes == "plain":
            cursor.option()
            cursor.groups(len(command.slots))
        else:
            skip_arguments(cursor, node.environmentname)

    def _is_block(self, node: Any) -> bool:
        """Return whether a node is a command that stands for itself: a title, an entry."""
        if kind(node) != "Macro":
            return False
        command = self.table.commands.get(node.macroname)
        return node.macroname in self.source.kept or (
            command is not None and command.makes not in ("head", "letter", "keyword")
        )
