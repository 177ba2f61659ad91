"""Paragraphs, lists and rows of a LaTeX source: entries, lines with a label, points, or prose."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import guesses, people, vocabulary
from cvbuild.importers.documents.latex import symbols
from cvbuild.importers.documents.latex.head import Head
from cvbuild.importers.documents.latex.lists import Item
from cvbuild.importers.documents.latex.sections import Sections
from cvbuild.importers.documents.latex.tree import inside, is_blank, kind
from cvbuild.importers.documents.latex.words import TAB, Lines
from cvbuild.importers.documents.outline import Keyed, Point, Prose
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.runs import Run


class Paragraphs:
    """Adds what has no command of its own to the sections; before the first, to the head."""

    def __init__(self, out: Sections, head: Head, place: Callable[[list[Any]], Span]) -> None:
        self.out = out
        self.head = head
        self.draft = head.draft
        self.words = head.words
        self.place = place
        #: Nodes of the paragraph that is being read.
        self.pending: list[Any] = []

    def taken(self) -> list[Any]:
        """Take the nodes of the present paragraph."""
        pending, self.pending = self.pending, []
        return pending

    def end(self) -> None:
        """Add the present paragraph; the next begins."""
        self.read(self.taken())

    def is_begun(self) -> bool:
        """Return whether the present paragraph has more than white space and switches."""
        return any(map(_shows, self.pending))

    def listed(self, points: list[Item], node: Any) -> None:
        """Add a list: items that begin like entries are some, others points."""
        place = self.place([node])
        for item in points:
            lines = [cell for line in item.lines for cell in _labelled(line)]
            is_keyed = len(lines) > 1 and not item.points and not item.label
            if not self.out.sections or self.out.is_contact():
                self.head.lines([*item.lines, *(one.line() for one in item.points)], item.place)
                continue
            if is_keyed and all(vocabulary.label(line) for line in lines):
                for line in lines:
                    self.row(line, item.place)
                continue
            entry = (
                guesses.entry(item.lines, item.place)
                if item.points or guesses.has_tab(item.lines)
                else None
            )
            if entry is not None and not item.label:
                entry.points = [one.point() for one in item.points]
                self.out.add(entry)
            else:
                self.out.add_points([item.point()])
        if not points:
            self.draft.lose("list without items", self.words.plain(inside(node)), place)

    def read(self, nodes: list[Any]) -> None:
        """Add a paragraph: the head of an entry, a line with a label, or prose."""
        lines = self.words.lines(nodes)
        if not lines:
            return
        place = self.place(nodes)
        if not self.out.sections:
            self._before_sections(lines, place)
            return
        if self.out.is_contact():
            self.head.lines(lines, place)
            return
        text = styled.markdown(styled.as_one(lines))
        if self.out.label:
            is_short = text.endswith(".") and len(text) < 100 and ". " not in text
            self.out.add(Keyed(self.out.label, text[:-1] if is_short else text, place))
            self.out.label = ""
            return
        # Below an entry of the class, words in bold are no other one.
        is_below = self.out.made is not None and self.out.last() is self.out.made
        is_head = guesses.is_head(lines) and not (is_below and not guesses.has_tab(lines))
        entry = guesses.entry(lines, place) if is_head else None
        if entry is not None:
            self.out.add(entry)
            return
        are_rows = len(lines) == 1 or all(map(vocabulary.label, lines))
        are_points = not are_rows and not is_below and _are_points(lines)
        for line in lines if are_rows or are_points else ():
            self.row(line, place, is_point=are_points)
        if not (are_rows or are_points):
            self.out.add(Prose(text, place))

    def _before_sections(self, lines: Lines, place: Span) -> None:
        """Read lines between the head's commands and the first section."""
        for line in lines:
            for cell in styled.parts(line, re.compile(r"\t+")):
                text = styled.plain(cell)
                is_known = text == " ".join(self.head.names.values())
                if not text or is_known or people.is_document_title(text):
                    continue
                is_name = not re.search(r"[@\d:]", text) and 1 < len(text.split()) < 6
                if not self.head.names and is_name:
                    self.head.names["given"] = text
                elif (
                    re.search(r"\d", text)
                    or any(run.url for run in cell)
                    or ("headline" in self.draft.data and vocabulary.is_town(text))
                ):
                    self.head.lines(_apart(cell), place)
                else:
                    people.line(self.draft, cell, place)

    def row(self, line: list[Run], place: Span, *, is_point: bool = False) -> None:
        """Add a line: with a label, the columns of a table, or prose."""
        if not self.out.sections:
            self._before_sections([line], place)
            return
        if self.out.is_contact():
            self.head.lines([line], place)
            return
        if len(cells := _labelled(line)) > 1:
            for cell in cells:
                self.row(cell, place)
            return
        label = vocabulary.label(line)
        if label is not None:
            self.out.add(Keyed(label[0], label[1], place))
            return
        if guesses.has_tab([line]) and (entry := guesses.entry([line], place)):
            self.out.add(entry)
            return
        text = styled.markdown(line)
        self.out.add(Point(text, place) if is_point else Prose(text, place))


def _labelled(line: list[Run]) -> Lines:
    """Return the cells of a line of which each has a label, else the line."""
    cells = [cell for cell in styled.parts(line, re.compile(r"\t+")) if styled.plain(cell)]
    return cells if len(cells) > 1 and all(map(vocabulary.label, cells)) else [line]


def _are_points(lines: Lines) -> bool:
    """Return whether the lines of a paragraph are points: short, and all or none are sentences."""
    texts = [styled.plain(line) for line in lines]
    ends = [text.endswith(".") for text in texts]
    return all(len(text) < 90 and text[-1:] not in ",;:" for text in texts) and len(set(ends)) == 1


def _apart(line: list[Run]) -> Lines:
    """Return the links of a line apart from a number between them."""
    outside = "".join(" " if run.url else run.text for run in line)
    if not any(run.url for run in line) or not re.search(r"\d[\d ()./-]{6,}", outside):
        return [line]
    found: Lines = [[]]
    for run in line:
        if found[-1] and run.url != found[-1][-1].url:
            found.append([])
        found[-1].append(run)
    return [cell for cell in found if re.search(r"\w", styled.plain(cell))]


def _shows(node: Any) -> bool:
    """Return whether a node of a paragraph is more than white space or a switch."""
    if kind(node) == "Macro":
        name = node.macroname
        return name in symbols.SYMBOLS or name in symbols.COMBINING or bool(symbols.known(name))
    return not is_blank(node) and node != TAB
