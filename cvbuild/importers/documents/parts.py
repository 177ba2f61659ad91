"""The parts of a section of Word or Markdown: entries, points, prose."""

from __future__ import annotations

import re
from itertools import takewhile

from cvbuild.importers.documents import (
    citations,
    dates,
    guesses,
    order,
    outline,
    tables,
    vocabulary,
)
from cvbuild.importers.documents.heads import OF_ENTRIES, OF_TEXT, is_dated
from cvbuild.importers.documents.outline import Entry, Keyed, Point, Prose
from cvbuild.importers.documents.rows import Rows
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.runs import as_one, markdown, plain

#: Lines below the title of a publication.
_CITED = 4


class Parts(Rows):
    """Reads the blocks of a section into its parts."""

    #: The employer of the positions below: a heading above those of entries.
    above: Entry | None = None
    level = 0
    #: The level of the heading that is the title of the group.
    group_level = 0
    #: The last entry of paragraphs, which may have positions below it.
    roles_of: Entry | None = None
    #: The last entry that a command of LaTeX is: words in bold below it are no other one.
    certain: Entry | None = None

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
                    self.row(block)
                case "part":
                    self._part(block)
                case _:
                    self._paragraph(block)

    def _part(self, block: Block) -> None:
        """Add what a command of LaTeX is for certain."""
        part = block.part
        if isinstance(part, Point) and isinstance(self.entry, Entry):
            self.entry.points.append(part)
        elif block.level and self.roles_of is not None:
            self.roles_of.roles.append(part)
            self.entry = self.certain = part
        else:
            self.entry = part if isinstance(part, Entry) else None
            self.roles_of = self.certain = self.entry
            self.add(part)

    def _heading(self, block: Block) -> None:
        after = self.next_block()
        deeper = after is not None and after.kind == "heading" and after.level > block.level
        has_date = bool(dates.ends_in(block.plain)[1] or dates.is_date(block.plain))
        if self.kind in ("experience", "volunteer") and (
            (deeper and not has_date) or self.has_roles(block)
        ):
            lines = [*block.lines, *self.further(block.lines)]
            self.above = guesses.entry(lines, self.place(block), is_heading=True)
            self.above = self.above or Entry([block.text], self.place(block))
            self.above.texts, self.above.is_sorted = ["", *self.above.texts], True
            self.level, self.entry = block.level, self.above
            self.add(self.above)
            return
        if block.level <= self.level:
            self.above = None
        if self.kind == "publication" and (cited := self._cited(block)):
            if block.level <= self.group_level:
                self.group = ""
            self.add(Point(cited, self.place(block)))
            return
        is_entry = (self.kind in OF_ENTRIES and self.has_dates) or has_date
        # A group has a title of one line, and something below it.
        is_alone = after is None or (after.kind == "heading" and not deeper)
        has_parts = after is not None and after.kind == "part"
        is_text = self.kind in OF_TEXT or has_parts
        has_items = is_text or not (is_entry or self.has_date_at(self.at))
        if deeper or (not is_alone and len(block.lines) == 1 and has_items):
            if self.kind == "skill" and after is not None and _is_text(after):
                self.entry = Keyed(block.text, "", self.place(block))
                self.add(self.entry)
                return
            self.group, self.group_level, self.entry = block.text, block.level, None
            return
        if self.kind in ("publication", "patent"):
            self.add(Point(block.text, self.place(block)))
            return
        lines = [*block.lines, *self.further(block.lines)]
        entry = guesses.entry(lines, self.place(block), is_heading=True)
        entry = entry or Entry([block.text], self.place(block), is_sorted=False)
        if isinstance(self.entry, Entry) and order.join(self.entry, entry, self.kind):
            return
        if len(entry.texts) == 1:
            self.subtitle(entry, is_certain=True)
        self._take_points(entry)
        self.entry = entry
        if self.above is not None:
            entry.is_sorted = True
            self.above.roles.append(entry)
            return
        self.add(entry)

    def _take_points(self, entry: Entry) -> None:
        """Take date and place, which may be the first points below a heading: RenderCV's form."""
        block = self.next_block()
        while block is not None and block.kind == "point" and not block.level:
            if not entry.date and dates.is_date(block.plain):
                entry.date = block.plain
            elif entry.date and not entry.location and vocabulary.is_place(block.plain):
                entry.location = block.text
            else:
                break
            self.at += 1
            block = self.next_block()

    def _cited(self, block: Block) -> str:
        """Return the reference that a title and the few lines below it are; empty for none."""
        (title, *beside), *lines = styled.parts(block.lines[0], tables.CELLS), *block.lines[1:]
        below = [*takewhile(lambda one: one.kind == "paragraph", self.blocks[self.at :])]
        if lines or beside:
            below = []
        lines = [*beside, *lines, *(line for one in below for line in one.lines)]
        is_title = block.kind == "heading" or all("strong" in run.styles for run in title)
        if not is_title or not 0 < len(lines) <= _CITED:
            return ""
        cited = citations.of_lines(markdown(title).strip("*"), [markdown(line) for line in lines])
        if not citations.of_kind(self.kind, cited, is_sure=True):
            return ""
        self.at += len(below)
        return cited

    def _point(self, block: Block) -> None:
        point = Point(block.text, self.place(block))
        level = block.level
        if isinstance(self.entry, Entry | Keyed):
            outline.under(self.entry.points, point, level)
            return
        parts = self.section.parts
        if level and parts and isinstance(parts[-1], Point) and parts[-1].group == self.group:
            outline.under(parts[-1].points, point, level - 1)
            return
        after = self.next_block()
        has_inner = after is not None and after.kind == "point" and after.level > level
        if (
            has_inner
            and self.kind in OF_ENTRIES
            and (entry := guesses.entry(block.lines, point.place))
        ):
            # A list of entries, with their points under them.
            self.add(entry)
            inner: list[Point] = []
            while after is not None and after.kind == "point" and after.level > level:
                outline.under(inner, Point(after.text, self.place(after)), after.level - level - 1)
                self.at += 1
                after = self.next_block()
            entry.points = inner
            return
        self.add(point)

    def _paragraph(self, block: Block) -> None:
        place = self.place(block)
        lines = block.lines
        is_told = isinstance(self.entry, Entry) and len(plain(lines[0])) > 60
        is_name = not (is_told and re.search(r"[.!?][\W]*$", block.plain))
        if (
            self.kind == "reference"
            and is_name
            and (block.cell or len(lines) > 1 or self.has_mail_after())
        ):
            self.referees(block)
            return
        if self.kind == "publication" and (cited := self._cited(block)):
            self.add(Point(cited, place))
            return
        is_below = self.entry is not None and self.entry is self.certain
        if head := [] if is_below and not guesses.has_tab(lines) else self.head_of(block):
            entry = guesses.entry(head, place, is_heading=not is_dated(head))
            if entry is not None:
                self.go_past(block, head)
                if self.roles_of is not None and self._is_role(entry, self.roles_of):
                    self.roles_of.roles.append(entry)
                    self.entry = entry
                    return
                order.without_town(entry, self.kind)
                if len(head) == 1 and len(entry.texts) == 1:
                    self.subtitle(entry)
                self.entry = self.roles_of = entry
                self.add(entry)
                return
        first = dates.unbracketed(plain(lines[0]))
        if self.kind in OF_TEXT and len(lines) > 1 and dates.is_date(first):
            self.add(Keyed(first, markdown(as_one(lines[1:])), place))
            return
        if self.certain is None or self.entry is not self.certain:
            self._labelled(block)
        elif self.kind == "education" and not any(self.certain.texts[1:]):
            self.add(Prose(block.text, place))
        else:
            self.certain.paragraphs.append(block.text)

    def _labelled(self, block: Block) -> None:
        """Add a paragraph that begins no entry: lines with labels, or prose."""
        place, lines = self.place(block), block.lines
        is_one = self.kind == "education" and len(lines) == 1 and not is_dated(lines)
        if is_one and isinstance(self.entry, Entry) and order.take_school(self.entry, lines[0]):
            return
        labels = [vocabulary.label(line) for line in lines]
        is_dated_line = labels[0] and dates.is_date(labels[0][0])
        if self.kind in ("publication", "patent") and not is_dated_line:
            self.add(Prose(block.text, place))
            return
        if all(labels):
            for label, text in filter(None, labels):
                if isinstance(self.entry, Entry):
                    self.entry.paragraphs.append(f"{label}: {text}")
                else:
                    self.add(Keyed(label, text, place))
            return
        if isinstance(self.entry, Entry):
            self.entry.paragraphs.append(block.text)
        elif self.entry is not None and not all(
            "strong" in run.styles for run in block.runs if run.text.strip()
        ):
            self.entry.text = ", ".join(one for one in (self.entry.text, block.text) if one)
        else:
            self.entry = None
            self.add(Prose(block.text, place))

    def _is_role(self, entry: Entry, above: Entry) -> bool:
        """Return whether an entry in italics is a position at the bold employer above it."""
        if self.kind not in ("experience", "volunteer"):
            return False
        is_slanted = entry.looks and all(look == {"em"} for look in entry.looks)
        if not is_slanted or above.looks[:1] != [frozenset(("strong",))]:
            return False
        if not above.is_sorted:
            # The first position may have been read with it: it is in italics, too.
            looks = [*above.looks, *[frozenset[str]()] * len(above.texts)]
            both = list(zip(above.texts, looks, strict=False))
            names = [text for text, look in both if look != {"em"}]
            if len(names) > 1 and not above.location and vocabulary.is_town(names[-1]):
                above.location = names.pop()
            title = ", ".join(text for text, look in both if look == {"em"})
            above.texts, above.is_sorted = [title, ", ".join(names)], True
        return True


def _is_text(block: Block) -> bool:
    """Return whether a block has words alone: no label, no cells of a table."""
    return block.kind in ("paragraph", "point") and not vocabulary.keyed(block.text)
