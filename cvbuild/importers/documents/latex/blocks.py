"""Paragraphs and lists of a LaTeX source as blocks, those of Word and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.latex.tree import (
    Cursor,
    chars,
    inside,
    is_blank,
    is_macro,
    kind,
    skip_arguments,
)
from cvbuild.importers.documents.latex.words import Lines, Words
from cvbuild.importers.words import dates, headings, outline
from cvbuild.importers.words.outline import Block, Entry, Keyed, Point, Run

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LINE = re.compile(r"\n\s*")
#: A point made by hand.
_DASH = re.compile(r"(?:[-–•·∙*]|\\\*)\s+(?=\S)")


class Texts:
    """Reads nodes into paragraphs and points; commands are words of them."""

    def __init__(self, words: Words, place: Callable[[list[Any]], Span]) -> None:
        self.words = words
        self.place = place
        self.blocks: list[Block] = []
        #: Nodes of the paragraph that is being read.
        self.pending: list[Any] = []
        #: Whether lines end as in the source.
        self.has_lines = False
        #: Whether it is an item, whose list is begun and ended by commands of their own.
        self.is_item = False

    def read(self, nodes: list[Any]) -> None:
        """Read nodes to their end, which ends the paragraph."""
        self.go_on(Cursor(nodes))
        self.end()

    def go_on(self, cursor: Cursor) -> None:
        """Read nodes into the paragraph that is open, and others."""
        while (node := cursor.next()) is not None:
            match kind(node):
                case "Comment":
                    pass
                case "Chars":
                    first, *others = (_LINE if self.has_lines else _PARAGRAPH).split(chars(node))
                    self.pending.append(first if others else node)
                    for other in others:
                        self.end()
                        self.pending.append(other)
                case "Environment":
                    self.environment(node)
                case "Group" if self.has_blocks(node):
                    self.go_on(Cursor(inside(node)))
                case "Macro":
                    self.macro(node, cursor)
                case _:
                    self.pending.append(node)

    def end(self) -> None:
        """Add the present paragraph; the next begins."""
        nodes, self.pending = self.pending, []
        if lines := self.words.lines(nodes):
            self.add("point" if self.is_item else "paragraph", lines, nodes)
            self.is_item = False

    def add(self, what: str, lines: Lines, nodes: list[Any], level: int = 0) -> None:
        """Add a block, if there is something in its lines."""
        if any(run.text.strip() for line in lines for run in line):
            self.blocks.append(Block(what, lines, level, span=self.place(nodes)))

    def macro(self, node: Any, cursor: Cursor) -> None:
        """Read a command: one that ends the paragraph, or a word of it."""
        if node.macroname in ("par", "item"):
            self.end()
            self.is_item = node.macroname == "item"
            cursor.option()
        else:
            self.pending.append(node)

    def environment(self, node: Any) -> None:
        """Read an environment: a list, or what is in it."""
        nodes = inside(node)
        if has_items(nodes):
            self.end()
            self.listed(nodes)
            return
        cursor = Cursor(nodes)
        skip_arguments(cursor, self.words.table.environments.get(node.environmentname))
        self.go_on(cursor)

    def is_block(self, _node: Any) -> bool:
        """Return whether a node is a command that stands for itself: a title, an entry."""
        return False

    def has_blocks(self, node: Any) -> bool:
        """Return whether a group has lists, tables, sections or entries in it."""
        return any(
            kind(one) == "Environment"
            or self.is_block(one)
            or (kind(one) == "Group" and self.has_blocks(one))
            for one in inside(node)
        )

    def listed(self, nodes: list[Any], level: int = 0) -> None:
        """Add the items of a list as points, those of the lists in it below them."""
        cursor = Cursor(nodes)
        cursor.option()
        label: Lines | None = None
        here: list[Any] = []
        while (node := cursor.next()) is not None:
            if has_items([node]):
                self._item(label, here, level)
                here = []
                label = self.words.lines(cursor.option() or [])
                if is_macro(node, "bibitem"):
                    label = []
                    cursor.group()
            elif kind(node) == "Group" and label is None and has_items(inside(node)):
                self.listed(inside(node), level)
            else:
                here.append(node)
        self._item(label, here, level)

    def _item(self, label: Lines | None, nodes: list[Any], level: int) -> None:
        """Add an item; what stands before the first one only sets up the list."""
        if label is None:
            return
        inner = Texts(self.words, self.place)
        inner.read(nodes)
        lines = [line for one in inner.blocks if one.kind != "point" for line in one.lines]
        points = [one for one in inner.blocks if one.kind == "point"]
        # A bullet of its own is no label.
        if re.search(r"\w", text := " ".join(map(outline.plain, label)).strip()):
            is_number = text.endswith((".", ")"))
            shown = Run(text) if is_number else Run(f"{text.rstrip(':')}:", frozenset(("strong",)))
            lines[:1] = [[shown, Run(" "), *(lines[0] if lines else [])]]
        what = self.item_kind(lines, points) if not level else "point"
        self.add(what, lines, nodes, level)
        deeper = level + (what == "point" and bool(lines))
        self.blocks += [replace(one, level=one.level + deeper) for one in points]

    def item_kind(self, _lines: Lines, _points: list[Block]) -> str:
        """Return the kind of block that an item with these lines and points is."""
        return "point"


def description(
    words: Words, place: Callable[[list[Any]], Span], nodes: list[Any]
) -> tuple[list[str], list[Point]]:
    """Return the paragraphs and the points of an argument."""
    texts = Texts(words, place)
    texts.read(nodes)
    points: list[Point] = []
    lines: list[list[Run]] = []
    for block in texts.blocks:
        if block.kind == "point":
            outline.under(points, Point(block.text, place(nodes)), block.level)
        else:
            lines += block.lines
    paragraphs = [outline.markdown(line) for line in lines]
    dashed = [one for one in paragraphs if _DASH.match(one)]
    if len(dashed) > 1 or (dashed and len(paragraphs) == 1):
        points[:0] = [Point(_DASH.sub("", one, count=1), place(nodes)) for one in dashed]
        paragraphs = [one for one in paragraphs if one not in dashed]
    return paragraphs, points


def has_items(nodes: list[Any]) -> bool:
    """Return whether there are items of a list among nodes."""
    return any(is_macro(one, "item") or is_macro(one, "bibitem") for one in nodes)


def begins_with_group(nodes: list[Any]) -> bool:
    """Return whether a list begins with a group: no item."""
    first = next((node for node in nodes if not is_blank(node)), None)
    return first is not None and kind(first) == "Group"


def have_arguments(nodes: list[Any]) -> bool:
    """Return whether each item of a list has two arguments or more."""
    counts = []
    for at, node in enumerate(nodes):
        if is_macro(node, "item"):
            cursor = Cursor(nodes, at + 1)
            cursor.option()
            counts.append(len(cursor.groups(9)))
    return bool(counts) and min(counts) > 1


def are_points(lines: Lines) -> bool:
    """Return whether the lines of a paragraph are points: short, and all or none are sentences."""
    begins = next((run.styles for run in lines[0] if run.text.strip()), frozenset())
    if len(lines) < 2 or begins or outline.has_tab(lines) or outline.is_dated(lines):
        return False
    texts = [outline.plain(line) for line in lines]
    is_short = all(len(text) < 90 and text[-1:] not in ",;:" for text in texts)
    is_like = len({text.endswith(".") for text in texts}) == 1
    return is_short and is_like


def titled(listed: list[Block]) -> list[Block]:
    """Return blocks with an entry for each sub-heading that has one dated line below it."""
    kept: list[Block] = []
    for at, block in enumerate(listed):
        above, line = kept[-1] if kept else block, block.part
        is_alone = at + 1 == len(listed) or listed[at + 1].kind == "heading"
        is_title = above.kind == "heading" and above.level > 2
        is_title &= is_alone and not headings.is_title(above.plain)
        if is_title and isinstance(line, Keyed) and dates.is_date(line.label):
            texts = [above.text, line.text]
            entry = Entry(texts, line.place, date=line.label, points=line.points, is_sorted=False)
            kept[-1] = replace(block, part=entry)
        else:
            kept.append(block)
    return kept


def labelled(lines: Lines) -> Lines:
    """Return the cells of lines if there are several and each has a label; else none."""
    cells = [cell for line in lines for cell in outline.parts(line, re.compile(r"\t+"))]
    cells = [cell for cell in cells if outline.plain(cell)]
    return cells if len(cells) > 1 and all(map(vocabulary.label, cells)) else []
