"""The parts of a section of Word or Markdown: entries, points, prose."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import dates, guesses, vocabulary
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point, Prose, Section
from cvbuild.importers.words.markdown_blocks import Block
from cvbuild.importers.words.runs import Run, flat, markdown, plain
from cvbuild.inputs.references import texts

#: Kinds whose sub-headings are entries; those of others are groups.
_OF_ENTRIES = frozenset(("education", "experience", "volunteer", "project", "entry", "grant", ""))


class Parts:
    """Reads the blocks of a section into its parts."""

    def __init__(
        self,
        place: Callable[[Block], Span],
        section: Section,
        kind: str,
        blocks: list[Block],
    ) -> None:
        self.place = place
        self.section = section
        self.kind = kind
        self.blocks = blocks
        self.at = 0
        self.group = ""
        #: What a heading above those of entries says: their employer.
        self.above = ""
        self.entry: Entry | Keyed | None = None

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
                case _:
                    self._paragraph(block)

    def _add(self, part: Part) -> None:
        part.group = self.group
        self.section.parts.append(part)

    def _next(self) -> Block | None:
        return self.blocks[self.at] if self.at < len(self.blocks) else None

    def _heading(self, block: Block) -> None:
        after = self._next()
        deeper = after is not None and after.kind == "heading" and after.level > block.level
        has_date = bool(dates.ends_in(block.plain)[1] or dates.is_date(block.plain))
        if deeper and self.kind in ("experience", "volunteer") and not has_date:
            self.above = block.text
            return
        if self.above and block.level <= min(
            one.level for one in self.blocks if one.kind == "heading"
        ):
            self.above = ""
        is_entry = self.kind in _OF_ENTRIES or has_date
        if deeper or (not is_entry and not self._is_dated(after)):
            if self.kind == "skill":
                self.entry = Keyed(block.text, "", self.place(block))
                self._add(self.entry)
                return
            self.group, self.entry = block.text, None
            return
        lines = [*block.lines, *self._further(block.lines)]
        entry = guesses.entry(lines, self.place(block), is_heading=True)
        entry = entry or Entry([block.text], self.place(block), is_sorted=False)
        if self.above:
            entry.texts = [entry.texts[0], self.above, *entry.texts[1:]]
            entry.is_sorted = True
        self.entry = entry
        self._add(entry)

    def _is_dated(self, block: Block | None) -> bool:
        """Return whether a block is the line of a date under a heading."""
        return (
            block is not None
            and block.kind == "paragraph"
            and any(
                dates.is_date(part.strip("*() "))
                for part in re.split(r"[|·•\t]|, ", plain(block.lines[0]))
            )
        )

    def _further(self, lines: list[list[Run]]) -> list[list[Run]]:
        """Return the lines after a heading that belong to the head of its entry."""
        found: list[list[Run]] = []
        block = self._next()
        while block is not None and block.kind == "paragraph" and len(found) < 3:
            taken = 0
            for line in block.lines:
                text = plain(line)
                is_head = guesses.is_head([line]) or bool(
                    dates.ends_in(text)[1] or dates.begins_with(text)[1] or dates.is_date(text)
                )
                if not is_head or len(text) > 120 or vocabulary.label(line):
                    break
                taken += 1
            found += block.lines[:taken]
            if taken < len(block.lines):
                block.lines = block.lines[taken:]
                break
            self.at += 1
            if any(
                dates.ends_in(plain(line))[1] or dates.is_date(plain(line))
                for line in [*lines, *found]
            ):
                break
            block = self._next()
        return found

    def _point(self, block: Block) -> None:
        point = Point(block.text, self.place(block))
        level = block.level
        if isinstance(self.entry, Entry | Keyed):
            _under(self.entry.points, point, level)
            return
        parts = self.section.parts
        if level and parts and isinstance(parts[-1], Point) and parts[-1].group == self.group:
            _under(parts[-1].points, point, level - 1)
            return
        after = self._next()
        has_inner = after is not None and after.kind == "point" and after.level > level
        if (
            has_inner
            and self.kind in _OF_ENTRIES
            and (entry := guesses.entry(block.lines, point.place))
        ):
            # A list of entries, with their points under them.
            self._add(entry)
            inner: list[Point] = []
            while after is not None and after.kind == "point" and after.level > level:
                _under(inner, Point(after.text, self.place(after)), after.level - level - 1)
                self.at += 1
                after = self._next()
            entry.points = inner
            return
        self._add(point)

    def _row(self, block: Block) -> None:
        line, *further = block.lines
        entry = guesses.entry([line], self.place(block))
        if entry is not None and self.kind not in ("skill", "language"):
            entry.paragraphs += [markdown(one) for one in further]
            self.entry = entry
            self._add(entry)
            return
        line = [*line, *(run for one in further for run in [Run(" "), *one])]
        cells = [
            cell for cell in re.split(r"\t", "".join(run.text for run in line)) if cell.strip()
        ]
        if len(cells) == 2:
            at = next((n for n, run in enumerate(line) if "\t" in run.text), 0)
            before, _, after = line[at].text.partition("\t")
            label = markdown([*line[:at], replace(line[at], text=before)])
            text = markdown(flat([replace(line[at], text=after), *line[at + 1 :]]))
            self._add(Keyed(label.strip("*"), text, self.place(block)))
        else:
            self._add(Point(", ".join(texts.plain(cell) for cell in cells), self.place(block)))

    def _paragraph(self, block: Block) -> None:
        place = self.place(block)
        lines = block.lines
        if self.kind not in ("summary", "interests", "skill", "language") and guesses.is_head(
            lines
        ):
            head = lines
            if len(lines) == 1 and not is_dated(lines):
                after = self._next()
                if (
                    after is not None
                    and after.kind == "paragraph"
                    and is_dated(after.lines[:2])
                    and guesses.is_head(after.lines)
                ):
                    head = [*lines, *after.lines]
            entry = guesses.entry(head, place) if is_dated(head) else None
            if entry is not None:
                self.at += head is not lines
                if head is lines and len(lines) == 1 and len(entry.texts) == 1:
                    self._subtitle(entry)
                self.entry = entry
                self._add(entry)
                return
        found = [vocabulary.label(line) for line in lines]
        if all(found):
            for label in found:
                if label and isinstance(self.entry, Entry):
                    self.entry.paragraphs.append(f"{label[0]}: {label[1]}")
                elif label:
                    self._add(Keyed(label[0], label[1], place))
            return
        if isinstance(self.entry, Entry):
            self.entry.paragraphs.append(block.text)
        else:
            self._add(Prose(block.text, place))

    def _subtitle(self, entry: Entry) -> None:
        """Add a second line in italics or bold: the position, under the employer and its date."""
        after = self._next()
        if (
            after is None
            or after.kind != "paragraph"
            or len(after.lines) != 1
            or is_dated(after.lines)
        ):
            return
        styles = [run.styles for run in after.lines[0] if run.text.strip()]
        if all(styles) and len(after.plain) < 100 and not vocabulary.label(after.lines[0]):
            entry.texts.append(markdown([replace(run, styles=frozenset()) for run in after.runs]))
            self.at += 1


def is_dated(lines: list[list[Run]]) -> bool:
    """Return whether a cell of the lines is a date, or ends or begins with one."""
    found = [
        part for line in lines for part in re.split(r"[\t|·•]", "".join(run.text for run in line))
    ]
    return any(
        dates.is_date(part.strip(" ()"))
        or dates.ends_in(part.strip())[1]
        or dates.begins_with(part.strip())[1]
        for part in found
    )


def _under(points: list[Point], point: Point, level: int) -> None:
    """Add a point at a level below a list of points."""
    while level > 0 and points:
        points, level = points[-1].points, level - 1
    points.append(point)
