"""The parts of a section: entries, points, prose, and the rows of tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates
from cvbuild.importers.documents import citations, items, vocabulary
from cvbuild.importers.outline import (
    Block,
    Entry,
    Keyed,
    Part,
    Point,
    Prose,
    Section,
    as_one,
    markdown,
    parts,
    plain,
    under,
)

#: Kinds of lines that are no entries, whatever they look like.
_OF_TEXT = ("summary", "interests", "skill", "language", "publication", "patent")
#: Kinds whose items have points: a text below one belongs to it.
_WITH_POINTS = ("education", "experience", "volunteer", "project")
#: Lines below the title of a publication.
_CITED = 4
#: What parts the cells of a line that has several.
CELLS = re.compile(r"\t|\s[|·•]\s")


class Parts:
    """Reads the blocks of a section into its parts; ``at`` is the next of them.

    ``entry`` is the one that points and paragraphs belong to.
    """

    def __init__(
        self, place: Callable[[Block], Span], section: Section, kind: str, blocks: list[Block]
    ) -> None:
        self.place = place
        self.section = section
        self.kind = kind
        self.blocks = blocks
        self.at = 0
        self.group = ""
        self.entry: Entry | Keyed | None = None
        #: The last entry, which may have positions below it.
        self.roles_of: Entry | None = None

    def read(self) -> None:
        """Read all blocks."""
        while self.at < len(self.blocks):
            block = self.blocks[self.at]
            self.at += 1
            match block.kind:
                case "heading":
                    self._heading(block)
                case "point":
                    self._point(block)
                case "row":
                    self._row(block)
                case "part":
                    self._part(block)
                case _:
                    self._paragraph(block)

    def _add(self, part: Part) -> None:
        part.group = self.group
        self.section.parts.append(part)

    def _part(self, block: Block) -> None:
        """Add an entry, or what a command of LaTeX is for certain."""
        part = block.part
        if isinstance(part, Keyed):
            self._keyed(part)
        elif block.level and self.roles_of is not None and self.kind == "experience":
            self.roles_of.roles.append(part)
            self.entry = part
        else:
            self.entry = self.roles_of = part
            self._add(part)

    def _keyed(self, part: Keyed) -> None:
        """Add a line with a label: a date begins an entry, others belong to the one above."""
        text = ", ".join(filter(None, (part.text, part.comment)))
        if dates.is_date(part.label) and self.kind not in _OF_TEXT:
            self.entry = items.split_text(f"{text.rstrip('. ')}, {part.label}", part.place)
            self.entry.points = part.points
            self._add(self.entry)
        elif not isinstance(self.entry, Entry):
            self._add(part)
        else:
            self.entry.paragraphs.append(f"{part.label}: {text}" if part.label else text)
            self.entry.points += part.points

    def _heading(self, block: Block) -> None:
        """Read the title of a group, of a list of skills, or of a publication."""
        after = self.blocks[self.at] if self.at < len(self.blocks) else None
        if self.kind in ("publication", "patent") and (cited := self._cited(block)):
            self._add(Point(cited, self.place(block)))
        elif after is None or after.kind == "heading":
            # There is nothing below it: it is none of a group.
            self._line(block.text, block)
        elif self.kind == "skill" and after.kind != "row" and not vocabulary.keyed(after.text):
            self.entry = Keyed(block.text, "", self.place(block))
            self._add(self.entry)
        else:
            self.group, self.entry = block.text, None

    def _line(self, text: str, block: Block) -> None:
        """Add a line that is an item, or belongs to the entry above."""
        point = Point(text, self.place(block))
        if isinstance(self.entry, Entry) and self.kind in _WITH_POINTS:
            self.entry.points.append(point)
        else:
            self._add(point)

    def _cited(self, block: Block) -> str:
        """Return the reference that a title and the few lines below it are; empty for none."""
        (title, *beside), *lines = parts(block.lines[0], CELLS), *block.lines[1:]
        below = [*takewhile(lambda one: one.kind == "paragraph", self.blocks[self.at :])]
        if lines or beside:
            below = []
        lines = [*beside, *lines, *(line for one in below for line in one.lines)]
        is_title = block.kind == "heading" or all("strong" in run.styles for run in title)
        if not is_title or not 0 < len(lines) <= _CITED:
            return ""
        cited = citations.of_lines(markdown(title).strip("*"), [markdown(line) for line in lines])
        if not citations.of_kind(self.kind, cited):
            return ""
        self.at += len(below)
        return cited

    def _point(self, block: Block) -> None:
        point = Point(block.text, self.place(block))
        if isinstance(self.entry, Entry | Keyed):
            under(self.entry.points, point, block.level)
            return
        last = self.section.parts[-1] if self.section.parts else None
        if block.level and isinstance(last, Point) and last.group == self.group:
            under(last.points, point, block.level - 1)
        else:
            self._add(point)

    def _paragraph(self, block: Block) -> None:
        place, lines = self.place(block), block.lines
        is_name = not block.plain.endswith((".", "!", "?"))
        first = dates.unbracketed(plain(lines[0]))
        if self.kind == "reference" and is_name and (block.cell or len(lines) > 1):
            self._referees(block)
        elif self.kind == "publication" and (cited := self._cited(block)):
            self._add(Point(cited, place))
        elif self.kind in _OF_TEXT and len(lines) > 1 and dates.is_date(first):
            self._add(Keyed(first, markdown(as_one(lines[1:])), place))
        elif self.kind in ("publication", "patent"):
            self._add(Prose(block.text, place))
        elif all(labels := [vocabulary.label(line) for line in lines]):
            for label, text in filter(None, labels):
                self._keyed(Keyed(label, text, place))
        elif isinstance(self.entry, Entry):
            self.entry.paragraphs.append(block.text)
        elif self.entry is not None and not all(
            "strong" in run.styles for run in block.runs if run.text.strip()
        ):
            self.entry.text = ", ".join(filter(None, (self.entry.text, block.text)))
        else:
            self.entry = None
            last = self.section.parts[-1] if self.section.parts else None
            is_below = self.kind in _WITH_POINTS and last and last.group == self.group
            if is_below and isinstance(last, Point | Keyed):
                last.points.append(Point(block.text, place))
            else:
                self._add(Prose(block.text, place))

    # -- tables ------------------------------------------------------------------------------------

    def _row(self, block: Block) -> None:
        """Read a row that labels call no entry: a label with its text, or an item."""
        cells = [cell for cell in parts(as_one(block.lines), re.compile(r"\t")) if plain(cell)]
        if block.level and not vocabulary.has_values(cells):
            # Markdown has no table without such a row: the first item may stand in it.
            return
        if len(cells) == 2 or self.kind in ("skill", "language"):
            label, *rest = (markdown(cell) for cell in cells)
            self._keyed(Keyed(label.strip("*").rstrip(": "), ", ".join(rest), self.place(block)))
        else:
            self._line(", ".join(markdown(cell) for cell in cells), block)

    # -- referees ----------------------------------------------------------------------------------

    def _referees(self, block: Block) -> None:
        """Add the referee that paragraphs up to the next one are: those of a cell are one."""
        lines = list(block.lines)
        for after in takewhile(lambda one: one.kind == "paragraph", self.blocks[self.at :]):
            is_whole = any("@" in plain(line) for line in lines) and not block.cell
            if block.cell != after.cell or is_whole:
                break
            lines += after.lines
            self.at += 1
        first, *rest = (cell for line in lines for cell in parts(line, CELLS) if plain(cell))
        texts = [markdown(one) for one in rest]
        self.entry = Entry([markdown(first).strip("*"), ""], self.place(block), paragraphs=texts)
        self._add(self.entry)
