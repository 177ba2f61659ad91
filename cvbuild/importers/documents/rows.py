"""Rows of a section: entries, skills and referees in cells, and what their columns are called."""

from __future__ import annotations

import re
from collections.abc import Callable

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import guesses, people, tables, vocabulary
from cvbuild.importers.documents.heads import OF_ENTRIES, Heads, is_dated
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point, Section
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.runs import Run, markdown, plain


class Rows(Heads):
    """Reads the rows of a section; ``entry`` is the one that points and paragraphs belong to."""

    def __init__(
        self,
        place: Callable[[Block], Span],
        section: Section,
        kind: str,
        blocks: list[Block],
    ) -> None:
        super().__init__(kind, blocks)
        self.place = place
        self.section = section
        self.group = ""
        self.entry: Entry | Keyed | None = None
        #: The names of the columns of the table that is read.
        self.columns: list[str] = []
        #: The row of the names if they are none of ours, and what stands below each.
        self.header: Block | None = None
        self.labels: list[Keyed] = []

    def add(self, part: Part) -> None:
        """Add a part to the section."""
        part.group = self.group
        self.section.parts.append(part)

    def row(self, block: Block) -> None:
        """Read a row: names of columns, an item, or several."""
        line, *further = block.lines
        cells = styled.parts(line, re.compile(r"\t"))
        place = self.place(block)
        last = [*cells[-1], *(run for one in further for run in [Run(" "), *one])]
        if self._is_header(block, cells):
            self.header = None if self.columns else block
            self.labels = [Keyed(plain(cell), "", place) for cell in cells]
            return
        if len(cells) == len(self.columns) and self.kind not in ("skill", "language"):
            self.entry = tables.item(self.columns, [*cells[:-1], last], place)
            self.add(self.entry)
            return
        entry = guesses.entry([line], place)
        if entry is not None and self.kind not in ("skill", "language"):
            if len(entry.texts) == 1 and further and _is_name(further[0]):
                guesses.add(entry, further.pop(0))
            entry.paragraphs += [markdown(one) for one in further]
            if len(entry.texts) == 1 and not further:
                self.subtitle(entry)
            self.entry = entry
            self.add(entry)
            return
        cells = [cell for cell in [*cells[:-1], last] if plain(cell)]
        styles = {run.styles for cell in cells for run in cell if run.text.strip()}
        is_list = len(styles) == 1 and vocabulary.are_items([plain(cell) for cell in cells])
        if self.kind == "skill" and is_list:
            self._skills([markdown(cell).strip("*") for cell in cells], place)
        elif len(cells) == 2 or self.kind in ("skill", "language"):
            label, *rest = (markdown(cell) for cell in cells)
            self.add(Keyed(label.strip("*").rstrip(": "), ", ".join(rest), place))
        else:
            self.add(Point(", ".join(markdown(cell) for cell in cells), place))

    def _skills(self, cells: list[str], place: Span) -> None:
        """Add the skills of a row: below names of columns, or each an item."""
        labels = self.labels if self.header and len(self.labels) == len(cells) else []
        if self.header and labels:
            self.header.is_said = True
        for label in labels:
            if not label.text:
                self.add(label)
        for at, cell in enumerate(cells):
            if labels:
                labels[at].text = f"{labels[at].text}, {cell}".removeprefix(", ")
            else:
                self.add(Keyed(cell, "", place))

    def _is_header(self, block: Block, cells: list[list[Run]]) -> bool:
        """Read the names of the columns of the rows below, if a row has them."""
        before = self.blocks[self.at - 2] if self.at > 1 else None
        if not block.level and before is not None and before.kind == "row":
            return False
        self.columns = tables.columns(cells)
        if self.columns:
            # Names of columns that are none of ours are written with the values.
            others = tables.other_words(cells)
            block.is_said, block.lines = not others, [[Run(" ".join(others))]]
        # Markdown has no table without such a row: the first item may stand in it.
        return bool(self.columns or (block.level and not tables.has_values(cells)))

    def _referee(self, lines: list[list[Run]], place: Span) -> None:
        """Add a referee: the lines of a cell, or of a paragraph."""
        lines = [line for line in lines if plain(line)]
        if lines:
            first, *rest = (
                cell for line in lines for cell in styled.parts(line, tables.CELLS) if plain(cell)
            )
            texts = [markdown(one) for one in rest]
            self.entry = Entry([markdown(first).strip("*")], place, paragraphs=texts)
            self.entry.texts += [""]
            self.add(self.entry)

    def referees(self, block: Block) -> None:
        """Add the referee that paragraphs up to the next one are: those of a cell are one."""
        lines = list(block.lines)
        while (after := self.next_block()) is not None and after.kind == "paragraph":
            is_cell = bool(block.cell) and after.cell == block.cell
            has_mail = any("@" in plain(line) for line in lines)
            if block.cell != after.cell or (not is_cell and (has_mail or len(lines) > 8)):
                break
            if not is_cell and not people.is_reachable(after.lines) and len(block.lines) > 1:
                break
            lines += after.lines
            self.at += 1
        self._referee(lines, self.place(block))

    def subtitle(self, entry: Entry, *, is_certain: bool = False) -> None:
        """Add a second line: the position under the employer and its date, or the other way round.

        It is in italics or bold, or names something, or ``is_certain`` if the first is a heading.
        """
        after = self.next_block()
        if (
            after is None
            or after.kind != "paragraph"
            or len(after.lines) != 1
            or is_dated(after.lines)
        ):
            return
        styles = [run.styles for run in after.lines[0] if run.text.strip()]
        is_last = (
            is_certain
            or self.at + 1 >= len(self.blocks)
            or self.blocks[self.at + 1].kind != "paragraph"
            or is_dated(self.blocks[self.at + 1].lines[:1])
        )
        is_name = is_last and (
            _is_name(after.lines[0])
            or (is_certain and bool(re.search(r"^.{,69}[^.!?]$", after.plain)))
        )
        is_fit = all(styles) or (is_name and self.kind in OF_ENTRIES - {""})
        if is_fit and len(after.plain) < 100 and not vocabulary.label(after.lines[0]):
            guesses.add(entry, after.lines[0])
            self.at += 1


def _is_name(line: list[Run]) -> bool:
    """Return whether a line names an employer or a position, and is no sentence."""
    text = plain(line)
    return vocabulary.is_named(text) and len(text) < 100 and not text.endswith((".", "!", "?"))
