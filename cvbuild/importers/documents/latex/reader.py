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
from cvbuild.importers import dates, descriptions, headings, outline
from cvbuild.importers.documents import rough, vocabulary
from cvbuild.importers.documents.latex import arguments, tables
from cvbuild.importers.documents.latex.arguments import Slots
from cvbuild.importers.documents.latex.nodes import (
    Cursor,
    Lines,
    Words,
    chars,
    in_environment,
    inside,
    kind,
    macro,
    skip_layout,
)
from cvbuild.importers.documents.latex.source import Source
from cvbuild.importers.documents.latex.tables import Command, Table
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block, Entry, Keyed, Part, Point, Run, Section

#: Characters of an argument that is no name.
_LONG = 90
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LINE = re.compile(r"\n\s*")
_ITEMS = ("item", "bibitem")
_TAB = re.compile(r"\t+")


class Reader:
    """Reads nodes into blocks; the head's commands go to the draft at once."""

    def __init__(self, draft: Draft, source: Source, table: Table) -> None:
        self.draft = draft
        self.source = source
        self.table = table
        self.words = Words(table, self.lose)
        self.head = arguments.Head(draft, self.words, self._place)
        self.blocks: list[Block] = []
        #: Nodes of the paragraph that is being read.
        self.pending: list[Any] = []
        #: The date of the paragraph that comes, or another label.
        self.date = ""
        #: Whether lines end as in the source.
        self.has_lines = False
        #: The sub-heading that entries are below.
        self.group: Block | None = None
        #: What is known of the entry that commands make one after another.
        self.named: set[str] = set()
        #: Skills that are drawn beside the text.
        self.bars: list[Part] = []
        #: Whether a section, or a part of one, has begun; whether it says how to reach the person.
        self.is_begun = False
        self.is_contact = False
        #: Commands of titles that no table has, and those with several arguments.
        self._titles: set[str] = set()
        self.unknown: list[str] = []
        self._lost: set[tuple[str, str]] = set()

    def lose(self, what: str, value: str, node: Any) -> None:
        """List what has no place in the person's file, once."""
        if (what, value) not in self._lost:
            self._lost.add((what, value))
            self.draft.lose(what, value, self._place([node]))

    def preamble(self, nodes: list[Any]) -> None:
        """Read what stands before the document: commands of the head, and texts of others."""
        cursor = Cursor(nodes)
        while (node := cursor.next()) is not None:
            if kind(node) != "Macro":
                continue
            name: str = node.macroname
            command = self.table.commands.get(name)
            if command and command.makes in ("head", "bars", "inside", "lost"):
                self._command(node, command, cursor)
            elif not (command or tables.is_known(name) or name.startswith(tables.SETTINGS)):
                self.head.unknown(node, cursor)
        self.end()

    def sections(self) -> list[Section]:
        """Return the sections of what was read; what stands before them is the head."""
        self.head.finish()
        bars = [Section("Skills", self.bars[0].place, self.bars)] if self.bars else []
        return [*rough.sections_of(self.draft, self.blocks), *bars]

    def shown(self, nodes: list[Any]) -> Iterator[tuple[Span, str]]:
        """Yield the lines of nodes, whatever they mean, with their places."""
        words = Words(self.table, lambda *_: None, between="\t")
        line: list[Any] = []
        for node in [*nodes, "\n"]:
            is_apart = kind(node) == "Environment"
            line += [] if is_apart else [node]
            if is_apart or ("\n" in chars(node) and chars(node)[-1].isspace()):
                for runs in words.lines(line):
                    # Where marks of Markdown stand, a word ends.
                    for text in " ".join(run.text for run in runs).split("\t"):
                        yield self._place(line), text
                line = []
            if is_apart:
                yield from self.shown(in_environment(node, self.table))

    def _place(self, nodes: list[Any]) -> Span:
        return self.source.place(next((one.pos for one in nodes if not isinstance(one, str)), 0))

    # -- blocks ------------------------------------------------------------------------------------

    def read(self, nodes: list[Any], *, is_open: bool = False) -> None:
        """Read nodes to their end, which ends the paragraph, unless that is still open."""
        cursor = Cursor(nodes)
        while (node := cursor.next()) is not None:
            match kind(node):
                case "Chars":
                    first, *others = (_LINE if self.has_lines else _PARAGRAPH).split(chars(node))
                    self.pending.append(first if others else node)
                    for other in others:
                        self.end()
                        self.pending.append(other)
                case "Environment":
                    self._environment(node)
                case "Group" if any(
                    kind(one) == "Environment" or self._is_block(one) for one in inside(node)
                ):
                    # With lists, tables, sections or entries in it.
                    self.read(inside(node), is_open=True)
                case "Macro":
                    self._macro(node, cursor)
                case _:
                    self.pending.append(node)
        if not is_open:
            self.end()

    def end(self) -> None:
        """Add the present paragraph; the next begins."""
        nodes, self.pending = self.pending, []
        lines = self.words.lines(nodes)
        if lines and self.date:
            text = outline.markdown(outline.as_one(lines))
            self._part(Keyed(self.date, text.removesuffix("."), self._place(nodes)))
            self.date = ""
        else:
            self._add("paragraph", lines, nodes)

    def _add(self, what: str, lines: Lines, nodes: list[Any], level: int = 0) -> None:
        """Add a block, if there is something in its lines."""
        if any(run.text.strip() for line in lines for run in line):
            self.blocks.append(Block(what, lines, level, span=self._place(nodes)))

    def _part(self, part: Part, level: int = 0) -> None:
        """Add what a command makes; at level 1 it is a position at the entry above."""
        self.is_begun = True
        self.blocks.append(Block("part", [[]], level, span=part.place, part=part))

    def _heading(self, lines: Lines, nodes: list[Any], level: int) -> None:
        self.end()
        line = outline.as_one(lines)
        if level <= 2 and outline.plain(line).lower() == "about" and self.has_lines:
            line = [Run("Contact")]
        self.is_begun = True
        self.is_contact = headings.is_contact(outline.plain(line))
        self._add("heading", [line], nodes, level)
        self.group = self.blocks[-1] if level > 2 and self.blocks else None

    def _apart(self, nodes: list[Any]) -> list[Block]:
        """Return the blocks of nodes by themselves: of an item, of an argument."""
        outer = self.blocks, self.pending
        self.blocks, self.pending = [], []
        self.read(nodes)
        inner = self.blocks
        self.blocks, self.pending = outer
        return inner

    def _described(self, nodes: list[Any]) -> tuple[Lines, list[Point]]:
        """Return the lines of an argument, and the points below them, some made by hand."""
        points: list[Point] = []
        lines: Lines = []
        for block in self._apart(nodes):
            for line in block.lines:
                text = outline.markdown(line)
                sign = descriptions.SIGN.match(text)
                if block.kind == "point" or sign:
                    point = Point(text[sign.end() :] if sign else text, self._place(nodes))
                    outline.under(points, point, block.level)
                else:
                    lines.append(line)
        return lines, points

    def _is_block(self, node: Any) -> bool:
        """Return whether a node is a command that stands for itself: a title, an entry."""
        command = self.table.commands.get(macro(node))
        return command is not None and command.makes not in ("head", "lost")

    # -- commands ----------------------------------------------------------------------------------

    def _macro(self, node: Any, cursor: Cursor) -> None:
        """Read a command."""
        name: str = node.macroname
        command = self.table.commands.get(name)
        if command and command.makes == "head" and self.is_begun and not self.is_contact:
            # Words such as \title and \location mean something else there.
            command = None
        if command is not None:
            self.end()
            self._command(node, command, cursor)
        elif name in (*_ITEMS, "par"):
            self.end()
            if name != "par":
                self._item(node, cursor)
        elif not tables.is_known(name):
            self._unknown(node, cursor)
        elif name in tables.LAYOUT:
            if name == "vspace" and not self.is_begun:
                self.end()
            skip_layout(name, cursor)
        else:
            self.pending.append(node)

    def _command(self, node: Any, command: Command, cursor: Cursor) -> None:
        """Read a command that a table has."""
        name: str = node.macroname
        if command.makes == "head":
            self.head.read(command.slots, node, cursor)
            return
        option = cursor.option() or []
        slots = self._arguments(command, cursor)
        if command.makes == "keyed" and len(more := cursor.groups(9)) > 1:
            self._row([*(body for _, body in slots), *more], node)
            return
        bodies = [body for _, body in slots]
        match command.makes:
            case "section" | "group":
                level = 2 if command.makes == "section" else 3
                title = self.words.lines(bodies[0]) if bodies else []
                if bodies and (beside := cursor.option()):
                    title += [[Run("\t"), *outline.as_one(self.words.lines(beside))]]
                self._heading(title, [node], level)
                for body in bodies[1:]:
                    self.read(body)
            case "lost":
                shown = [option, *(body for slot, body in slots if slot != "skip")]
                if text := ", ".join(filter(None, map(self.words.line, shown))):
                    is_bib = "bib" in name and "publications in a file that can be imported, too"
                    self.lose(is_bib or f"\\{name}", text, node)
            case "letter":
                letter = cursor.until(lambda one: macro(one) == "makeletterclosing")
                self.lose("letter", self.words.line(letter), node)
            case "inside":
                self.read(bodies[-1] if bodies else [])
            case "dated":
                self.date = self.words.line(option)
            case "bars":
                self.bars += arguments.bars(self.words, slots, self._place([node]))
            case _:
                self._made(command, slots, node)

    def _arguments(self, command: Command, cursor: Cursor) -> Slots:
        """Return the arguments of a command; it goes on after them."""
        groups = cursor.groups(len(command.slots))
        slots = command.slots
        if command.makes == "entry" and len(groups) == len(slots):
            # Forks of a class have more arguments before the last one.
            last = self.words.plain(groups[-1])
            is_far = slots[-1] == "body" and dates.is_date(last)
            groups += (more := cursor.groups(9, is_near=not is_far))
            slots = (*slots[:-1], *["text"] * len(more), slots[-1])
        return list(zip(slots, groups, strict=False))

    def _made(self, command: Command, slots: Slots, node: Any) -> None:
        """Add the parts that a command makes."""
        place = self._place([node])
        is_text = any(block.kind not in ("heading", "part") for block in self.blocks[-1:])
        makes = command.makes if slots else ""
        if self.blocks[-1:] == [self.group] and makes == "keyed":
            # Below the name of an entry, what begins with a date is no label.
            makes = "cells" if dates.is_date(self.words.plain(slots[0][1])) else makes
        match makes:
            case "keyed" | "row" if self.is_contact or not self.is_begun:
                self._row([body for _, body in slots], node, "paragraph")
            case "entry" | "role":
                entry = arguments.entry(self.words, slots, place, self._described)
                entry.part.is_role = makes == "role"
                self._below(entry, slots)
                self.named = {slot for slot, _ in slots}
            case "more":
                self._more(slots, node)
            case "row" if slots[0][0] != "label" or is_text:
                self._row([body for slot, body in slots if slot != "body"], node, "paragraph")
                self.read([one for slot, body in slots if slot == "body" for one in body])
            case "cells":
                inner = [one for _, body in slots for one in body if kind(one) == "Environment"]
                self._row([[one for one in body if one not in inner] for _, body in slots], node)
                self.read(inner)
            case "point":
                for line in [outline.as_one(self.words.lines(body)) for _, body in slots]:
                    if outline.plain(line):
                        self.blocks.append(Block("point", [line], span=place, part=True))
            case "keyed" | "row":
                for keyed in arguments.keyed(self.words, slots, place, self._described):
                    self._part(keyed)

    def _below(self, entry: Block, slots: Slots) -> None:
        """Add an entry; a sub-heading may name the organization that the posts below are at."""
        own = [self.words.plain(body) for slot, body in slots if slot == "organization"]
        is_named = self.group and vocabulary.ORGANIZATION.search(self.group.text)
        if self.group and is_named and own and not any(own):
            if self.blocks[-1] is self.group:
                self.blocks.pop()
            entry.lines[0] += [Run("\t"), *(replace(run, said="O") for run in self.group.runs)]
        self.is_begun = True
        self.blocks.append(entry)

    def _more(self, slots: Slots, node: Any) -> None:
        """Add arguments to the entry above, or begin another."""
        if slots[0][0] == "text" and self.words.plain(slots[0][1]).endswith(":"):
            # The label of the paragraph that comes.
            self.pending += slots[0][1]
            return
        more = arguments.entry(self.words, slots, self._place([node]), self._described)
        named = {slot for slot, _ in slots} - {"text"}
        above = self.blocks[-1] if self.blocks else more
        if above.kind == "heading" and above.level > 2:
            # It is the name of an entry.
            name = [replace(run, said="B-?") for run in above.runs]
            above = replace(more, lines=[name], part=Entry([], above.span or self._place([node])))
            self.blocks[-1], self.named = above, set()
        if isinstance(above.part, Entry) and above.kind == "row" and not named & self.named:
            above.lines[0] += [Run("\t"), *(replace(run, said=run.said[-1:]) for run in more.runs)]
            above.part.paragraphs += more.part.paragraphs
            self.named |= named
        elif named:
            self.named = named
            self.blocks.append(more)
        else:
            self._row([body for _, body in slots], node)

    # -- what no table has -------------------------------------------------------------------------

    def _unknown(self, node: Any, cursor: Cursor) -> None:
        """Read a command that nobody knows: a title, a row of cells, or words of a text."""
        start = cursor.nodes, cursor.at
        option = cursor.option() or []
        bodies = cursor.groups(9)
        if dates.is_date(self.words.plain(option)):
            bodies.insert(0, option)
        if not self._guess(node.macroname, bodies, node):
            cursor.nodes, cursor.at = start
            self.pending.append(node)

    def _guess(self, name: str, bodies: list[list[Any]], node: Any) -> bool:
        """Read the arguments of what nobody knows if they are a title, or cells of a row."""
        title = self.words.plain(bodies[0]) if len(bodies) == 1 else ""
        is_title = "sect" in name.lower() or name in self._titles or headings.is_title(title)
        if is_title and 0 < len(title) < 60:
            self._titles.add(name)
            self._heading(self.words.lines(bodies[0]), [node], 3 if "sub" in name.lower() else 2)
        elif len(bodies) > 1:
            if kind(node) == "Macro" and name not in self.unknown:
                self.unknown.append(name)
                self.lose("unknown command, its text is kept", f"\\{name}", node)
            self._row(bodies, node)
        else:
            return False
        return True

    def _row(self, bodies: list[list[Any]], node: Any, what: str = "row") -> None:
        """Add arguments that nobody knows: short ones as the cells of a row, others below it."""
        self.end()
        line: list[Run] = []
        long: list[list[Any]] = []
        for body in bodies:
            cell = self.words.lines(body)
            is_list = any(kind(one) == "Environment" for one in body)
            if is_list or len(outline.plain(outline.as_one(cell))) > _LONG:
                long.append(body)
            elif cell:
                line += [*([Run("\t")] if line else []), *outline.as_one(cell)]
        self._add(what, [line], [node])
        for body in long:
            self.read(body)

    # -- environments ------------------------------------------------------------------------------

    def _environment(self, node: Any) -> None:
        """Read an environment."""
        name: str = node.environmentname
        command = self.table.environments.get(name) or Command("")
        cursor = Cursor(in_environment(node, self.table))
        self.end()
        if command.makes == "lost":
            text = Words(self.table, lambda *_: None).plain(cursor.nodes)
            self.lose(name, text or name, node)
            return
        bodies: list[list[Any]] = []
        if command.makes in ("", "section", "entry"):
            bodies = cursor.groups(len(command.slots) or 9, is_near=not command.makes)
        if command.makes == "section":
            self._heading(self.words.lines(bodies[0]) if bodies else [], [node], 2)
        elif not any(re.search(r"[^\W\d_]{3}", self.words.plain(body)) for body in bodies):
            # Columns and widths are no words.
            pass
        elif command.makes == "entry":
            self._made(command, list(zip(command.slots, bodies, strict=False)), node)
        elif not self._guess(name, bodies, node):
            self.pending += [one for body in bodies for one in body]
        nodes = cursor.nodes[cursor.at :]
        if command.makes == "table":
            for line in self.words.lines(nodes):
                self._add("row" if outline.has_tab([line]) else "paragraph", [line], [node])
            return
        outer, self.has_lines = self.has_lines, self.has_lines or command.makes == "lines"
        self.read(nodes)
        self.has_lines = outer

    def _item(self, node: Any, cursor: Cursor) -> None:
        """Add an item as a point, those of the lists in it below it; entries stay what they are."""
        text = self.words.plain(cursor.option() or [])
        if macro(node) == "bibitem":
            cursor.groups(1)
            text = ""
        nodes = cursor.until(lambda one: macro(one) in _ITEMS or self._is_block(one))
        inner = self._apart(nodes)
        lines = [line for one in inner if one.kind != "point" for line in one.lines]
        # A bullet of its own is no label.
        if re.search(r"\w", text):
            is_number = text.endswith((".", ")"))
            shown = Run(text) if is_number else Run(f"{text.rstrip(':')}:", frozenset(("strong",)))
            lines[:1] = [[shown, Run(" "), *(lines[0] if lines else [])]]
        cells = [
            cell for line in lines for cell in outline.parts(line, _TAB) if outline.plain(cell)
        ]
        are_labels = len(cells) > 1 and all(map(vocabulary.label, cells))
        is_entry = are_labels or (outline.has_tab(lines) and outline.is_dated(lines))
        lines = cells if are_labels else lines
        self._add("paragraph" if is_entry else "point", lines, nodes)
        deeper = int(bool(lines) and not is_entry)
        self.blocks += [
            replace(one, level=one.level + deeper) for one in inner if one.kind == "point"
        ]
