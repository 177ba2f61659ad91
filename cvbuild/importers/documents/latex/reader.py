"""A LaTeX source as the blocks that Word and Markdown become, too.

What the table of a class names is a part of a section at once; all else is a heading, a row, a
point or a paragraph, and means what it would mean in any document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import people, rough
from cvbuild.importers.documents.latex import blocks, head, tables
from cvbuild.importers.documents.latex.commands import Parts, Slots
from cvbuild.importers.documents.latex.source import Source
from cvbuild.importers.documents.latex.tables import Command, Table
from cvbuild.importers.documents.latex.tree import (
    Cursor,
    inside,
    is_macro,
    kind,
    skip_arguments,
    skip_layout,
    span,
)
from cvbuild.importers.documents.latex.words import Lines, Shown, Words
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import dates, headings, outline
from cvbuild.importers.words.outline import Block, Keyed, Part, Run, Section

#: Characters of an argument that is no name.
_LONG = 90


class Reader(blocks.Texts):
    """Reads nodes into blocks; the head's commands go to the draft at once."""

    def __init__(self, draft: Draft, source: Source, table: Table) -> None:
        super().__init__(Words(self.lose, table), self._place)
        self.draft = draft
        self.source = source
        self.table = table
        self.head = head.Head(draft, self.words, self._place)
        self.parts = Parts(self.words, self._place, self.blocks)
        #: Labels and titles that are no texts in the person's file: a key says the same.
        self.understood = self.parts.understood
        #: Skills that are drawn beside the text.
        self.bars: list[Part] = []
        #: What stands in the margins of all pages.
        self.margins: list[Any] = []
        #: Whether a section, or a part of one, has begun.
        self.is_begun = False
        #: Whether the section says how to reach the person.
        self.is_contact = False
        #: The label of the paragraph that comes.
        self._label = ""
        #: Commands of titles that no table has, and those with several arguments.
        self._titles: set[str] = set()
        self.unknown: list[str] = []
        self._told: set[object] = set()

    def lose(self, what: str, value: str, node: Any) -> None:
        """List what has no place in the person's file."""
        known = (what, value, span(node))
        if known not in self._told:
            self._told.add(known)
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
            elif name in tables.MARGINS:
                cursor.option()
                self.margins += [node, *cursor.groups(tables.MARGINS[name])]
            elif name in head.BIBLIOGRAPHIES or not (
                command or tables.is_known(name) or tables.is_setting(name)
            ):
                self.head.unknown(node, cursor)
            else:
                cursor.star()
                while cursor.option() is not None or cursor.groups(9):
                    pass
        self.end()

    def _place(self, nodes: list[Any]) -> Span:
        spans = [span(node) for node in nodes if not isinstance(node, str)] or [(0, 1)]
        return self.source.place(spans[0][0], spans[-1][1])

    def sections(self) -> list[Section]:
        """Return the sections of what was read; what stands before them is the head."""
        self.head.finish()
        found = rough.sections_of(self.draft, blocks.titled(self.blocks))
        if self.bars:
            found.append(Section("Skills", self.bars[0].place, self.bars))
        return found

    def shown(self, nodes: list[Any]) -> Iterator[tuple[Span, str]]:
        """Yield the lines of nodes without what a key says in another way, with their places."""
        said = map(re.escape, sorted(self.understood, key=len))
        gone = re.compile("|".join(said) or "(?!)")
        for start, text in Shown(self.table).by_line([*self.margins, *nodes]):
            yield self.source.place(start, start + len(text)), gone.sub(" ", text)

    # -- blocks ------------------------------------------------------------------------------------

    def end(self) -> None:
        """Add the present paragraph; with a label before it, it is what belongs to that."""
        nodes = self.pending
        if not self._label or not (lines := self.words.lines(nodes)):
            super().end()
            return
        self.pending = []
        text = outline.markdown(outline.as_one(lines))
        is_short = text.endswith(".") and len(text) < 100 and ". " not in text
        place = self._place(nodes)
        self._part(Keyed(self._label, text[:-1] if is_short else text, place))
        self._label = ""

    def add(self, what: str, lines: Lines, nodes: list[Any], level: int = 0) -> None:
        """Add a block; below a heading such as "Contact" it is a part of the head."""
        if what in ("paragraph", "point") and not level and (cells := blocks.labelled(lines)):
            for cell in cells:
                super().add("paragraph", [cell], nodes)
        elif what == "paragraph" and self.is_begun and blocks.are_points(lines):
            for line in lines:
                super().add("point", [line], nodes)
        else:
            super().add(what, lines, nodes, level)

    def _part(self, part: Part, level: int = 0) -> None:
        """Add what a command makes."""
        self.is_begun = True
        self.parts.add(part, level)

    def _heading(self, lines: Lines, nodes: list[Any], level: int) -> None:
        self.end()
        line = outline.as_one(lines)
        self.is_begun = True
        if level <= 2:
            folded = headings.folded(outline.plain(line))
            is_beside = folded == "links" or (folded == "about" and self.has_lines)
            self.is_contact = is_beside or headings.is_contact(outline.plain(line))
            if is_beside:
                self.understood.add(outline.plain(line))
                line = [Run("Contact")]
        self.add("heading", [line], nodes, level)

    def item_kind(self, lines: Lines, points: list[Block]) -> str:
        """Return the kind of block that an item is: one with a tab and a date begins an entry."""
        is_entry = outline.has_tab(lines) and outline.is_dated(lines)
        return "paragraph" if is_entry or (blocks.labelled(lines) and not points) else "point"

    def is_block(self, node: Any) -> bool:
        """Return whether a node is a command that stands for itself: a title, an entry."""
        if kind(node) != "Macro":
            return False
        command = self.table.commands.get(node.macroname)
        return command is not None and command.makes not in ("head", "letter", "keyword")

    def _has_text(self) -> bool:
        """Return whether the present paragraph has more than white space and switches."""
        return bool(self.words.plain(self.pending[:20]))

    # -- commands ----------------------------------------------------------------------------------

    def macro(self, node: Any, cursor: Cursor) -> None:
        """Read a command."""
        name: str = node.macroname
        command = self.table.commands.get(name)
        if command and command.makes == "head" and command.is_usual and self.is_begun:
            # Words such as \title and \location mean something else there.
            is_text = self._has_text() or command.slots[0] in ("headline", "quote")
            if is_text or (command.slots[0] in ("given", "address") and not self.is_contact):
                command = None
        if command is not None:
            self.end()
            self._command(node, command, cursor)
        elif name in ("makelettertitle", "makeletterhead"):
            self.end()
            self._letter(cursor)
        elif name in head.BIBLIOGRAPHIES:
            self.head.unknown(node, cursor)
        elif name in ("printbibliography", "printbibsection"):
            title = re.search(r"title=([^,]+)", self.words.plain(cursor.option() or []))
            self.lose("a list of publications", title[1] if title else "", node)
        elif name in ("par", "item"):
            super().macro(node, cursor)
        elif not tables.is_known(name):
            self._unknown(node, cursor)
        elif name in tables.LAYOUT or name in tables.MARGINS:
            if name == "vspace" and not self.is_begun:
                self.end()
            skip_layout(name, cursor)
        else:
            self.pending.append(node)
            self.pending += cursor.near_groups() if name not in tables.SWITCHES else []

    def _command(self, node: Any, command: Command, cursor: Cursor) -> None:
        """Read a command that a table has."""
        name: str = node.macroname
        cursor.star()
        if command.makes == "head":
            self.head.read(command.slots, node, cursor)
            return
        option = cursor.option()
        command, groups = self._arguments(command, cursor)
        bodies = [inside(group) for group in groups]
        match command.makes:
            case "section" | "group" | "column":
                level = 2 if command.makes == "section" else 3
                level += name in ("subsubsection", "paragraph")
                title = self.words.lines(bodies[0]) if bodies else []
                if bodies and (beside := cursor.option()):
                    title += [[Run("\t"), *outline.as_one(self.words.lines(beside))]]
                self._heading(title, [node], level)
                for body in bodies[1:]:
                    self.read(body)
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
                self.read(bodies[-1] if bodies else [])
            case "dated":
                self._label = self.words.line(option or [])
            case "more" | "under":
                slots = list(zip(command.slots, bodies, strict=False))
                self._more(command.makes, slots, self._place([node, *groups]))
            case "bars":
                self.bars += self.parts.of(command, bodies, self._place([node]))
            case _:
                self._parts(command, bodies, self._place([node, *groups]))

    def _arguments(self, command: Command, cursor: Cursor) -> tuple[Command, list[Any]]:
        """Return the arguments of a command; forks of a class put more before the date."""
        groups = cursor.groups(len(command.slots)) if command.makes != "dated" else []
        if command.makes == "entry" and command.slots[-1] == "date":
            more = Cursor(cursor.nodes, cursor.at).group(is_near=True)
            if more is not None and dates.is_date(self.words.plain(inside(more))):
                groups.append(cursor.group())
                command = replace(command, slots=(*command.slots[:-1], "text", "date"))
        return command, groups

    def _parts(self, command: Command, bodies: list[list[Any]], place: Span) -> None:
        """Add the parts that a command makes."""
        for part in self.parts.of(command, bodies, place):
            if isinstance(part, Keyed) and (self.is_contact or not self.is_begun):
                self._contact(part, bodies[-1])
                continue
            self._part(part, int(command.makes == "role"))

    def _contact(self, keyed: Keyed, nodes: list[Any]) -> None:
        """Add a label and its text as a line of the head."""
        if keyed.label.lower() in people.LABELS:
            self.understood.add(keyed.label)
        label = [Run(f"{keyed.label}: ")] if keyed.label else []
        self.add("paragraph", [[*label, *outline.as_one(self.words.lines(nodes))]], nodes)

    def _more(self, makes: str, slots: Slots, place: Span) -> None:
        """Add arguments to the entry that is being read."""
        nodes = slots[-1][1] if slots else []
        if slots and slots[0][0] == "facts" and self.words.plain(slots[0][1]).endswith(":"):
            # The label of the paragraph that comes.
            self.pending += slots[0][1]
        elif makes == "more":
            self.parts.more(slots, place)
            self.is_begun = True
        elif keyed := self.parts.under(slots, place, is_begun=self.is_begun):
            self._part(keyed) if self.is_begun else self._contact(keyed, nodes)

    def _letter(self, cursor: Cursor) -> None:
        """Lose the text of a letter, up to its end."""
        nodes: list[Any] = []
        while (node := cursor.next()) is not None and not is_macro(node, "makeletterclosing"):
            nodes.append(node)
        if nodes:
            self.lose("letter", self.words.line(nodes), nodes[0])

    # -- what no table has -------------------------------------------------------------------------

    def _unknown(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a title, a row of cells, or words of a text."""
        name: str = node.macroname
        peek = Cursor(cursor.nodes, cursor.at)
        peek.star()
        option = peek.option() or []
        bodies = [inside(group) for group in peek.groups(9)]
        if dates.is_date(self.words.plain(option)):
            bodies.insert(0, option)
        if not self._has_text() and self._guess(name, bodies, node):
            cursor.nodes, cursor.at = peek.nodes, peek.at
        else:
            self.pending.append(node)
            self.pending += cursor.near_groups()

    def _guess(self, name: str, bodies: list[list[Any]], node: Any) -> bool:
        """Read the arguments of what nobody knows if they are a title, or cells of a row."""
        title = self.words.plain(bodies[0]) if len(bodies) == 1 else ""
        is_title = "sect" in name.lower() or name in self._titles or headings.is_title(title)
        if is_title and 0 < len(title) < 60:
            self._titles.add(name)
            self._heading(self.words.lines(bodies[0]), [node], 3 if "sub" in name.lower() else 2)
        elif len(bodies) > 1 and (self.is_begun or kind(node) == "Environment"):
            if kind(node) == "Macro" and name not in self.unknown:
                self.unknown.append(name)
                self.words.tell(name, node, is_kept=True)
            self._row(bodies, node)
        else:
            return False
        return True

    def _row(self, bodies: list[list[Any]], node: Any) -> None:
        """Add arguments that nobody knows: short ones as the cells of a row, others below it."""
        self.end()
        long = [
            body
            for body in bodies
            if any(kind(one) == "Environment" for one in body)
            or len(self.words.plain(body)) > _LONG
        ]
        cells = [self.words.lines(body) for body in bodies if body not in long]
        line = [run for cell in cells if cell for run in [*outline.as_one(cell), Run("\t")]][:-1]
        self.add("row", [line], [node])
        for body in long:
            self.read(body)

    # -- environments ------------------------------------------------------------------------------

    def environment(self, node: Any) -> None:
        """Read an environment."""
        name: str = node.environmentname
        nodes = inside(node)
        command = self.table.environments.get(name) or Command("")
        makes = command.makes
        has_items = blocks.has_items(nodes)
        is_list = makes == "list" or (
            not makes and has_items and not blocks.begins_with_group(nodes)
        )
        if is_list and (blocks.have_arguments(nodes) or not any(map(self.is_block, nodes))):
            self._list(node)
            return
        self.end()
        cursor = Cursor(nodes)
        if makes in ("picture", "letter"):
            # Drawing commands are no texts: only what is between them is told.
            text = Words(lambda *_: None, self.table).plain(nodes)
            self.lose(f"picture ({name})" if makes == "picture" else makes, text or name, node)
        elif makes != "hidden":
            self._open(node, command, cursor)
            outer, self.has_lines = self.has_lines, self.has_lines or makes == "lines"
            rest = cursor.nodes[cursor.at :]
            if makes == "table":
                self._table(rest, node)
            elif makes in ("", "entry") and has_items and not any(map(self.is_block, rest)):
                self.listed(rest)
            else:
                self.go_on(cursor)
                self.end()
            self.has_lines = outer

    def _table(self, nodes: list[Any], node: Any) -> None:
        """Read a table: what stands below a row's last cell alone are further lines of it."""
        rows: list[Lines] = []
        for line in self.words.lines(nodes):
            text = "".join(run.text for run in line)
            is_more = bool(rows) and not text.partition("\t")[0].strip() and text.count("\t") == 1
            if is_more and "\t" in "".join(run.text for run in rows[-1][0]):
                rows[-1].append([replace(run, text=run.text.replace("\t", "")) for run in line])
            else:
                rows.append([line])
        for lines in rows:
            is_row = outline.has_tab(lines) and not (lines[1:] and outline.is_dated(lines))
            self.add("row" if is_row else "paragraph", lines, [node])

    def _list(self, node: Any) -> None:
        """Read a list: items, of which each may have arguments."""
        self.end()
        if not blocks.have_arguments(inside(node)):
            self.listed(inside(node))
            return
        cursor = Cursor(inside(node))
        while (one := cursor.next()) is not None:
            if is_macro(one, "item"):
                self.end()
                option = cursor.option()
                groups = cursor.groups(9)
                self._row([*map(inside, groups), *([option] if option else [])], one)
            else:
                self.go_on(Cursor([one]))
        self.end()

    def _open(self, node: Any, command: Command, cursor: Cursor) -> None:
        """Read the arguments of an environment."""
        if command.makes in ("", "section", "entry"):
            cursor.option()
            groups = cursor.groups(len(command.slots) or 9, is_near=not command.makes)
            bodies = [inside(group) for group in groups]
            if not command.makes:
                # Columns and widths are no words.
                shown = [re.search(r"[^\W\d_]{3}", self.words.plain(body)) for body in bodies]
                bodies = bodies if any(shown) else []
            if command.makes == "section":
                self._heading(self.words.lines(bodies[0]) if bodies else [], [node], 2)
            elif command.makes == "entry" and any(map(self.words.plain, bodies)):
                self._parts(command, bodies, self._place([node]))
            elif not command.makes and not self._guess(node.environmentname, bodies, node):
                self.pending += [one for body in bodies for one in body]
        elif command.makes == "under":
            if (last := self.parts.last()) is not None:
                self.parts.describe(last, cursor.nodes[cursor.at :])
                cursor.at = len(cursor.nodes)
        elif command.makes == "plain":
            cursor.option()
            cursor.groups(len(command.slots))
        else:
            skip_arguments(cursor, command)
