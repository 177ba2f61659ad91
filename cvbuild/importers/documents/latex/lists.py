"""Lists of a LaTeX source, and arguments that have lists in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cvbuild.common.diagnostics import Span
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
from cvbuild.importers.documents.outline import Point
from cvbuild.importers.words import runs as styled

_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass
class Lists:
    """Reads lists and descriptions; ``place`` tells where nodes are from."""

    words: Words
    place: Callable[[list[Any]], Span]
    is_block: Callable[[Any], bool]

    def has_blocks(self, node: Any) -> bool:
        """Return whether a group has lists, tables, sections or entries in it."""
        return any(
            kind(one) == "Environment"
            or self.is_block(one)
            or (kind(one) == "Group" and self.has_blocks(one))
            for one in inside(node)
        )

    def points(self, nodes: list[Any]) -> list[Item]:
        """Return the items of a list, with those of the lists in it."""
        found: list[Item] = []
        cursor = Cursor(nodes)
        cursor.option()
        here: list[Any] = []
        label = ""

        def end() -> None:
            if here and (label or any(not is_blank(one) for one in here)) and (found or is_item):
                inner, rest = self._split(here)
                item = Item(self.words.lines(rest), inner, self.place(here), label)
                if item.lines or inner or label:
                    found.append(item)

        is_item = False
        while (node := cursor.next()) is not None:
            if is_macro(node, "item"):
                end()
                is_item, here = True, []
                option = cursor.option()
                label = self.words.line(option).strip() if option else ""
                # A bullet of its own is no label.
                label = label if re.search(r"\w", label) else ""
            elif kind(node) == "Group" and not is_item and _has_item(node):
                found += self.points(inside(node))
            else:
                here.append(node)
        end()
        return found

    def _split(self, nodes: list[Any]) -> tuple[list[Item], list[Any]]:
        """Return the items of the lists among nodes, and the other nodes."""
        found: list[Item] = []
        rest: list[Any] = []
        for node in nodes:
            if kind(node) == "Environment" and _has_item(node):
                found += self.points(inside(node))
            elif kind(node) == "Environment":
                cursor = Cursor(inside(node))
                skip_arguments(cursor, node.environmentname)
                inner, other = self._split(cursor.nodes[cursor.at :])
                found += inner
                rest += other
            elif kind(node) == "Group" and self.has_blocks(node):
                inner, other = self._split(inside(node))
                found += inner
                rest += other
            else:
                rest.append(node)
        return found, rest

    def description(self, nodes: list[Any]) -> tuple[list[str], list[Point]]:
        """Return the paragraphs and the points of an argument."""
        items, rest = self._split(nodes)
        paragraphs = [styled.markdown(one) for one in _paragraphs(self.words, rest)]
        points = [item.point() for item in items]
        dashed = [one for one in paragraphs if re.match(r"(?:[-–•·∙*]|\\\*)\s+\S", one)]
        if len(dashed) > 1 or (dashed and len(paragraphs) == 1):
            # Points made by hand: lines that begin with a dash.
            points = [
                Point(re.sub(r"^(?:[-–•·∙*]|\\\*)\s+", "", one), self.place(nodes))
                for one in dashed
            ] + points
            paragraphs = [one for one in paragraphs if one not in dashed]
        return paragraphs, points

    def bibliography(self, node: Any) -> list[Point]:
        """Return the entries of a bibliography."""
        found: list[list[Any]] = []
        cursor = Cursor(inside(node))
        cursor.group()
        while (one := cursor.next()) is not None:
            if is_macro(one, "bibitem"):
                cursor.option()
                cursor.group()
                found.append([])
            elif found:
                found[-1].append(one)
        return [
            Point(
                self.words.line([one for one in nodes if not is_macro(one, "newblock")]),
                self.place(nodes or [node]),
            )
            for nodes in found
        ]


@dataclass
class Item:
    """An item of a list: its lines, and the items under it."""

    lines: Lines
    points: list[Item]
    place: Span
    label: str

    def line(self) -> list[styled.Run]:
        """Return it as a line."""
        return styled.as_one(self.lines)

    def point(self) -> Point:
        """Return it as a point."""
        text = styled.markdown(self.line())
        if self.label:
            mark = "" if self.label.endswith((":", ".", ")")) else ":"
            bold = self.label if "*" in self.label else f"**{self.label.rstrip(':')}:**"
            text = f"{bold if mark or self.label.endswith(':') else self.label} {text}".strip()
        return Point(text, self.place, [one.point() for one in self.points])


def _paragraphs(words: Words, nodes: list[Any]) -> Lines:
    """Return the paragraphs of nodes: parted by empty lines and by breaks."""
    found: Lines = []
    part: list[Any] = []
    for node in nodes:
        pieces = _PARAGRAPH.split(chars(node)) if kind(node) == "Chars" else []
        if len(pieces) > 1:
            for piece in pieces[:-1]:
                found += words.lines([*part, piece])
                part = []
            part = [pieces[-1]]
        else:
            part.append(node)
    return found + words.lines(part)


def _has_item(node: Any) -> bool:
    return any(is_macro(one, "item") for one in inside(node))


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
