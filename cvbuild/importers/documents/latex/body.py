"""The body of a LaTeX source: sections, entries, lists, and paragraphs as they come."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import guesses, people, vocabulary
from cvbuild.importers.documents.latex import commands, head
from cvbuild.importers.documents.latex.lists import (
    LISTS,
    SECTIONS,
    TABLES,
    Item,
    Lists,
    has_blocks,
    skip_columns,
)
from cvbuild.importers.documents.latex.source import Source
from cvbuild.importers.documents.latex.tree import (
    Cursor,
    chars,
    inside,
    is_blank,
    kind,
    span,
)
from cvbuild.importers.documents.latex.words import Lines, Words
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point, Prose, Section
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import runs as styled

_GROUPS = frozenset(("subsection", "cvsubsection", "subsubsection", "paragraph", "cvsubsect"))
_PICTURES = frozenset(("tikzpicture", "figure", "pspicture", "picture", "wrapfigure"))
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


class Body:
    """Reads nodes into sections; what has no place is lost through the draft."""

    def __init__(self, draft: Draft, source: Source, *, is_moderncv: bool) -> None:
        self.draft = draft
        self.source = source
        self.is_moderncv = is_moderncv
        self.words = Words(self.lose)
        self.lists = Lists(self.words, self._place)
        self.head = head.Head(draft, self.words, self._place)
        self.sections: list[Section] = []
        self.group = ""
        self.pending: list[Any] = []
        self.letters = commands.Letters(self.words)

    def lose(self, what: str, value: str, node: Any) -> None:
        """List what has no place in the person's file."""
        self.draft.lose(what, value, self._place([node]))

    def preamble(self, nodes: list[Any]) -> None:
        """Read what stands before the document: only the commands of the head are content."""
        cursor = Cursor(nodes)
        while (node := cursor.next()) is not None:
            if kind(node) == "Macro" and node.macroname in head.COMMANDS:
                self.head.read(node, cursor)

    def read(self, nodes: list[Any]) -> None:
        """Read the document."""
        self._read(Cursor(nodes))
        self._end_paragraph()

    def _place(self, nodes: list[Any]) -> Span:
        spans = [span(node) for node in nodes if not isinstance(node, str)] or [(0, 1)]
        return self.source.place(spans[0][0], spans[-1][1])

    def _add(self, part: Part) -> None:
        if not self.sections:
            self.sections.append(Section("", part.place))
        part.group = self.group
        self.sections[-1].parts.append(part)

    def _read(self, cursor: Cursor) -> None:
        while (node := cursor.next()) is not None:
            what = kind(node)
            if what == "Comment":
                continue
            if what == "Chars" and (parts := _PARAGRAPH.split(chars(node)))[1:]:
                for part in parts[:-1]:
                    self.pending.append(part)
                    self._end_paragraph()
                self.pending.append(parts[-1])
            elif what == "Environment":
                self._environment(node)
            elif what == "Group" and has_blocks(node):
                self._read(Cursor(inside(node)))
            elif what == "Macro":
                self._macro(node, cursor)
            else:
                self.pending.append(node)

    def _macro(self, node: Any, cursor: Cursor) -> None:
        name: str = node.macroname
        if name in SECTIONS or name in _GROUPS:
            self._title(node, cursor)
        elif name in commands.COMMANDS:
            self._end_paragraph()
            self._command(node, cursor)
        elif name in head.COMMANDS and not (name in ("quote", "location") and self.sections):
            self._end_paragraph()
            self.head.read(node, cursor)
        elif self.letters.begins(name):
            self._end_paragraph()
            self.letters.text(cursor)
        elif name in commands.LETTERS:
            self._end_paragraph()
            self.letters.command(node, cursor)
        elif name == "par":
            self._end_paragraph()
        elif name == "cvcolumn":
            self._column(cursor)
        else:
            self.pending.append(node)
            self.pending += _arguments(cursor)

    def _title(self, node: Any, cursor: Cursor) -> None:
        self._end_paragraph()
        if cursor.at < len(cursor.nodes) and chars(cursor.nodes[cursor.at]).startswith("*"):
            rest = chars(cursor.nodes[cursor.at])[1:]
            cursor.nodes = [
                *cursor.nodes[: cursor.at],
                *([rest] if rest else []),
                *cursor.nodes[cursor.at + 1 :],
            ]
        cursor.option()
        group = cursor.group()
        title = self.words.line(inside(group)) if group is not None else ""
        if node.macroname in _GROUPS:
            self.group = title
        else:
            self.group = ""
            self.sections.append(Section(title, self._place([node, *([group] if group else [])])))

    def _command(self, node: Any, cursor: Cursor) -> None:
        command = commands.COMMANDS[node.macroname]
        if node.macroname == "cventry" and self.is_moderncv:
            command = commands.MODERNCV_ENTRY
        option = None
        if cursor.at < len(cursor.nodes) and chars(cursor.nodes[cursor.at]).startswith("*"):
            cursor.at += 1
        option = cursor.option()
        groups = cursor.groups(len(command.slots))
        place = self._place([node, *groups])
        bodies = [inside(group) for group in groups]
        if command.makes == "keyword":
            text = self.words.line(bodies[0]) if bodies else ""
            self._add(Keyed("", text, place))
            return
        if command.makes == "reference":
            self._add(commands.reference([self.words.line(one) for one in bodies], place))
            return
        for part in commands.parts(command, bodies, place, self.words, self.lists.description):
            last = (
                self.sections[-1].parts[-1] if self.sections and self.sections[-1].parts else None
            )
            if command.makes == "role" and isinstance(last, Entry) and isinstance(part, Entry):
                last.roles.append(part)
                continue
            if isinstance(part, Point) and option and node.macroname == "cvlistitem":
                label = self.words.line(option)
                part.text = f"{label} {part.text}" if len(label) > 1 else part.text
            self._add(part)

    def _column(self, cursor: Cursor) -> None:
        """Read a column: its title is a sub-heading."""
        self._end_paragraph()
        cursor.option()
        groups = cursor.groups(2)
        before, self.group = self.group, self.words.line(inside(groups[0])) if groups else ""
        for group in groups[1:]:
            self._read(Cursor(inside(group)))
            self._end_paragraph()
        self.group = before

    def _environment(self, node: Any) -> None:
        name = node.environmentname
        if name in LISTS:
            before = self._taken()
            points = self.lists.points(inside(node))
            self._paragraph(before)
            self._list(points, node)
        elif name in TABLES:
            self._end_paragraph()
            cursor = Cursor(inside(node))
            cursor.option()
            skip_columns(cursor)
            for row in self.words.lines(cursor.nodes[cursor.at :]):
                self._row(row, self._place([node]))
        elif name in _PICTURES:
            # Drawing commands are no texts: only what is between them is told.
            text = Words(lambda *_: None).plain(inside(node))
            self.lose(f"picture ({name})", text or name, node)
        elif name in commands.ENVIRONMENTS:
            self._end_paragraph()
            self.lose("letter", self.words.plain(inside(node)), node)
        elif name == "thebibliography":
            self._end_paragraph()
            for point in self.lists.bibliography(node):
                self._add(point)
        elif name in ("rSection", "cvsection"):
            cursor = Cursor(inside(node))
            self._end_paragraph()
            group = cursor.group()
            title = self.words.line(inside(group)) if group is not None else ""
            self.group = ""
            self.sections.append(Section(title, self._place([node])))
            self._read(cursor)
            self._end_paragraph()
        else:
            self._end_paragraph()
            cursor = Cursor(inside(node))
            cursor.option()
            if name in (
                "minipage",
                "multicols",
                "adjustwidth",
                "spacing",
                "multicols*",
                "paracol",
                "columns",
            ):
                cursor.groups(2 if name == "adjustwidth" else 1)
            self._read(cursor)
            self._end_paragraph()

    def _list(self, points: list[Item], node: Any) -> None:
        """Add a list: items that begin like entries are some, others points."""
        place = self._place([node])
        for item in points:
            if (
                len(item.lines) > 1
                and not item.points
                and all(vocabulary.label(line) for line in item.lines)
            ):
                for line in item.lines:
                    self._row(line, item.place)
                continue
            entry = (
                guesses.entry(item.lines, item.place)
                if item.points or guesses.has_tab(item.lines)
                else None
            )
            if entry is not None:
                entry.points = [one.point() for one in item.points]
                self._add(entry)
            else:
                self._add(item.point())
        if not points:
            self.draft.lose("list without items", self.words.plain(inside(node)), place)

    def _taken(self) -> list[Any]:
        pending, self.pending = self.pending, []
        return pending

    def _end_paragraph(self) -> None:
        self._paragraph(self._taken())

    def _paragraph(self, nodes: list[Any]) -> None:
        """Add a paragraph: the head of an entry, a line with a label, or prose."""
        nodes = [node for node in nodes if not (isinstance(node, str) and not node)]
        if not any(not is_blank(node) for node in nodes):
            return
        place = self._place(nodes)
        lines = self.words.lines(nodes)
        if not lines:
            return
        if not self.sections:
            self._before_sections(lines, place)
            return
        entry = guesses.entry(lines, place) if guesses.is_head(lines) else None
        if entry is not None:
            self._add(entry)
            return
        if len(lines) > 1 and all(vocabulary.label(line) for line in lines):
            for line in lines:
                self._row(line, place)
            return
        text = styled.markdown(
            [run for line in lines for run in [*styled.flat(line), styled.Run(" ")]]
        )
        self._row(lines[0], place) if len(lines) == 1 else self._add(Prose(text, place))

    def _before_sections(self, lines: Lines, place: Span) -> None:
        """Read lines between the head's commands and the first section."""
        for line in lines:
            text = styled.plain(line)
            if people.is_document_title(text):
                continue
            if not self.head.names and not re.search(r"[@\d:]", text) and 1 < len(text.split()) < 6:
                self.head.names["given"] = text
            else:
                people.line(self.draft, line, place)

    def _row(self, line: list[styled.Run], place: Span) -> None:
        """Add a line: with a label, the columns of a table, or prose."""
        label = vocabulary.label(line)
        if label is not None:
            self._add(Keyed(label[0], label[1], place))
            return
        if any("\t" in run.text for run in line) and (entry := guesses.entry([line], place)):
            self._add(entry)
            return
        self._add(Prose(styled.markdown(styled.flat(line)), place))


def _arguments(cursor: Cursor) -> list[Any]:
    """Return the groups right after a command: they stay with it."""
    found: list[Any] = []
    while cursor.at < len(cursor.nodes) and kind(cursor.nodes[cursor.at]) == "Group":
        found.append(cursor.next())
    return found
