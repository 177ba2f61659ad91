"""Lines in reading order as the blocks that Word and Markdown become: entries, points, prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cvbuild.importers.documents import citations
from cvbuild.importers.documents.pdf import lines, paragraphs
from cvbuild.importers.documents.pdf.lines import Line, is_aside, is_dated
from cvbuild.importers.documents.pdf.paragraphs import Measures
from cvbuild.importers.documents.pdf.pdfium import Style
from cvbuild.importers.documents.pdf.titles import Titles
from cvbuild.importers.words import headings
from cvbuild.importers.words.outline import Block, Run

#: Kinds of whose sections in a sidebar contact data may be lines; whose items are references; whose
#: items have a head of some lines with points under it; whose items are a line each.
_NEAR_CONTACT = frozenset(("summary", "skill", "language", "interests", ""))
_OF_REFERENCES = frozenset(("publication", "patent"))
_OF_ENTRIES = frozenset(("education", "experience", "volunteer", "project", "grant", ""))
_OF_LINES = frozenset(("skill", "language", "interests", "certificate", "award"))
_OF_LABELS = frozenset(("skill", "language"))
#: The gap between two references, by the usual leading.
_APART = 1.1
#: Lines of an entry's head, and of a reference.
_HEAD_LINES, _REFERENCE_LINES = 3, 8


@dataclass
class Blocks:
    """Blocks of the head, and of the sections."""

    head: list[Block] = field(default_factory=list)
    body: list[Block] = field(default_factory=list)


def write(lines: Sequence[Line], titles: Titles, known: set[str]) -> Blocks:
    """Return the blocks of lines; those before the first heading are the head's.

    ``known`` are the words of the document.
    """
    return _Writer(lines, titles, known).write()


class _Writer:
    """``open`` is the block that the next line may go on with, ``last`` the line before."""

    def __init__(self, lines: Sequence[Line], titles: Titles, known: set[str]) -> None:
        self.lines = lines
        self.titles = titles
        self.known = known
        self.measures = Measures(lines, titles)
        self.made = Blocks()
        self.kind = ""
        self.in_head = True
        #: Whether the line before was moved to the head.
        self.is_contact = False
        self.last: Line | None = None
        self.open: Block | None = None
        #: Whether the head of the entry that is open has its date.
        self.is_dated = False
        #: Where the points of each level begin, and the text of what is open.
        self.levels: list[float] = []
        self.text_x = 0.0
        #: How the paragraph that is open begins.
        self.style: Style | None = None
        #: Dates and places at the end of the paragraph that is open.
        self.beside = 0

    def write(self) -> Blocks:
        """Read all lines, and return their blocks."""
        for at, line in enumerate(self.lines):
            if self.titles.has(line) and not self._is_headline(at):
                self._title(line)
            else:
                self._line(line, self.lines[at + 1] if at + 1 < len(self.lines) else None)
        return self.made

    def _is_headline(self, at: int) -> bool:
        """Return whether the first line looks as the titles that follow, but is none of them."""
        titles = [one.first.text for one in self.lines if self.titles.has(one)]
        is_one = headings.is_title(self.lines[0].text)
        return at == 0 and not is_one and any(map(headings.is_title, titles))

    def _title(self, line: Line) -> None:
        text = " ".join(line.first.text.split()).strip(" :")
        self.in_head = headings.is_contact(text)
        self.kind = (headings.kind_of(text) or ("", ""))[0]
        self.open, self.last, self.levels, self.is_dated = None, None, [], False
        if not self.in_head:
            self.made.body.append(Block("heading", [[Run(text, size=line.first.size)]], 2))
        if line.cells[1:]:
            self._line(replace(line, cells=line.cells[1:]), None)

    def _line(self, line: Line, after: Line | None) -> None:
        """Add a line: to the head, as a point, to what is open, or as a paragraph of its own."""
        if not self.in_head and line.page == 0 and self._may_have(line) and lines.is_contact(line):
            # The contact data of a sidebar stand under any heading.
            self.made.head.append(Block("paragraph", [paragraphs.of_contact(line)]))
        elif not self.in_head and lines.is_bullet(line) and not self._has_head(line, after):
            self._point(line)
            self.beside = len(lines.asides(line))
        elif self._continues(line):
            into = self.open.lines[-1] if self.open else []
            paragraphs.join(into, paragraphs.of_line(line), self.beside, self.known)
            self.beside += len(lines.asides(line))
        elif self.in_head:
            self.open = Block("paragraph", [paragraphs.of_contact(line)])
            self.made.head.append(self.open)
            self.text_x, self.beside = line.first.x0, len(lines.asides(line))
        else:
            self._paragraph(line)
            self.beside = len(lines.asides(line))
        self.last = line

    def _may_have(self, line: Line) -> bool:
        """Return whether contact data may stand in this section: in a sidebar, or below all."""
        here = self.kind in _NEAR_CONTACT or self.is_contact
        own = here or (self.kind != "reference" and re.search(r"@|\+\d", line.text) is not None)
        self.is_contact = own and lines.is_contact(line)
        return own

    def _has_head(self, line: Line, after: Line | None) -> bool:
        """Return whether a bullet stands before the head of an entry: bold, and dated."""
        if self.kind not in _OF_ENTRIES:
            return False
        words = line.first.words[1:] or line.cells[-1].words
        beside = len(line.cells) > 1 and is_aside(line.cells[-1].text)
        below = after is not None and not lines.is_bullet(after) and is_dated(after)
        return all(word.style.bold for word in words) and (beside or below or is_dated(line))

    def _point(self, line: Line) -> None:
        x, inner = line.first.x0, lines.after_bullet(line)
        while self.levels and x < self.levels[-1] - 3:
            self.levels.pop()
        if not self.levels or x > self.levels[-1] + 3:
            self.levels.append(x)
        self.open = Block("point", [paragraphs.of_line(line, inner)], len(self.levels) - 1)
        self.text_x = inner[0].x0
        self.made.body.append(self.open)

    def _continues(self, line: Line) -> bool:
        """Return whether a line goes on with the text of the one before it."""
        last, block = self.last, self.open
        if last is None or block is None or (block.kind == "heading" and len(block.lines) > 3):
            return False
        # Prose only: short lines of a head are facts of their own.
        if self.in_head and line.text.startswith("("):
            return line.column == last.column
        is_fact = lines.is_contact(line) or (len(last.text) < 50 and not last.text.endswith(","))
        if self.in_head and is_fact and not last.text.endswith(("/", "-")):
            return False
        if block.kind == "heading" and is_aside(line.first.text):
            return False
        begins = self.kind in _OF_ENTRIES and lines.opens(line)
        if begins or (self.kind in _OF_LABELS and lines.has_label(line)):
            return False
        one, other = last.element, line.element
        if one and other and one != other:
            return False
        if one and one == other and one.endswith("item") and self.kind in _OF_REFERENCES:
            return True
        gap = last.y - line.y > _APART * self.measures.leading(line) * line.size
        if gap and self.kind in _OF_REFERENCES and citations.is_whole(block.plain):
            return False
        return self.measures.goes_on(last, line, self.text_x, hangs=block.kind != "heading")

    def _paragraph(self, line: Line) -> None:
        """Add a line to the head of the entry that is open, or begin a block with it."""
        runs = paragraphs.of_line(line)
        dated = is_dated(line)
        of_entries = self.kind in _OF_ENTRIES
        at_label = len(line.cells) == 2 and self.kind in _OF_LABELS
        after = len(line.cells) > 1 and (at_label or is_aside(line.first.text))
        self.text_x = line.cells[1].x0 if after else line.first.x0
        block = self.open
        if block is not None and self._is_listed(block, line):
            block.kind = "point"
            self.open = Block("point", [runs])
            self.made.body.append(self.open)
            return
        if block is not None and not self._begins(block, line, dated=dated):
            block.lines.append(runs)
            self.is_dated = self.is_dated or dated
            if dated and of_entries and len(block.lines) <= _HEAD_LINES:
                block.kind, block.level = "heading", 3
            return
        self.open, self.is_dated, self.levels = Block("paragraph", [runs]), dated, []
        self.style = line.first.style
        if self.kind in _OF_LABELS and len(line.cells) > 1 and not dated:
            *before, last = paragraphs.of_list(line)
            self.made.body += [Block("paragraph", [one]) for one in before]
            self.open = Block("paragraph" if before else "row", [last])
        elif self._is_head(line, dated=dated):
            self.open.kind, self.open.level = "heading", 3
        self.made.body.append(self.open)

    def _begins(self, block: Block, line: Line, *, dated: bool) -> bool:
        """Return whether a line begins a block, and doesn't belong to the one that is open."""
        last = self.last
        if last is None:
            return True
        was_bold = last.first.words[0].style.bold
        if block.kind == "heading" and len(block.lines) == 1 and is_aside(block.plain):
            # The date stands above the title.
            return not self.measures.is_tight(last, line)
        most = _REFERENCE_LINES if self.kind in _OF_REFERENCES else _HEAD_LINES
        return (
            block.kind == "point"
            or not self.measures.is_tight(last, line)
            or (dated and self.is_dated)
            or (self.kind in _OF_REFERENCES and citations.is_whole(block.plain))
            or (self.kind in _OF_LINES and self.style == line.first.style)
            or (self.is_dated and self.style == line.first.style != last.first.style)
            or (self.is_dated and block.kind == "heading" and lines.is_prose(line))
            or (line.first.words[0].style.bold and self.is_dated and not was_bold)
            or len(block.lines) > most
        )

    def _is_listed(self, block: Block, line: Line) -> bool:
        """Return whether lines under an entry are statements of their own, without bullets."""
        body, last = self.made.body, self.last
        if last is None or self.kind not in _OF_ENTRIES or not self.measures.is_tight(last, line):
            return False
        under = body[-2:-1] and (body[-2].kind, body[-2].level) in (("heading", 3), ("point", 0))
        is_list = block.kind == "point" and not self.levels
        is_first = block.kind == "paragraph" and len(block.lines) == 1 and bool(under)
        alike = line.first.style == self.style and not line.first.style.bold
        return (is_list or is_first) and alike and len(line.cells) == 1 and len(line.text) > 40

    def _is_head(self, line: Line, *, dated: bool) -> bool:
        """Return whether a line begins an entry or a group."""
        text = line.text
        has_label = line.first.text.endswith(":") or ": " in line.first.text[:40]
        alone = line.first.is_bold and not has_label
        if self.kind in _OF_LABELS:
            return False
        if self.kind in _OF_ENTRIES and len(text) < 140:
            return dated or alone
        is_short = len(line.cells) == 1 and len(text.split()) <= 6 and not re.search(r"\d", text)
        return alone and is_short and not dated
