"""The parts of a section of Word or Markdown: entries, points, prose."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import (
    citations,
    dates,
    guesses,
    order,
    outline,
    parting,
    people,
    tables,
    vocabulary,
)
from cvbuild.importers.documents.heads import OF_ENTRIES, OF_TEXT, Heads, is_dated
from cvbuild.importers.documents.outline import Entry, Keyed, Part, Point, Prose, Section
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.runs import Run, as_one, markdown, plain

#: Lines below the title of a publication; names of an entry: a school and a subject.
_CITED, _NAMES = 4, 2


class Parts(Heads):
    """Reads the blocks of a section into its parts."""

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
        #: The employer of the positions below: a heading above those of entries.
        self.above: Entry | None = None
        self.level = 0
        #: The last entry of paragraphs, which may have positions below it.
        self.roles_of = Entry([], section.place)
        self.entry: Entry | Keyed | None = None
        #: The names of the columns of the table that is read.
        self.columns: list[str] = []
        #: The row of the names if they are none of ours, and what stands below each.
        self.header: Block | None = None
        self.labels: list[Keyed] = []

    def read(self) -> None:
        """Read all blocks."""
        while self.at < len(self.blocks):
            block = self.blocks[self.at]
            self.at += 1
            if self._is_label(block):
                continue
            match block.kind:
                case "heading":
                    self._heading(block)
                case "point":
                    self._point(block)
                case "row":
                    self._row(block)
                case _:
                    self._paragraph(block)
        for part in self.section.parts:
            is_one = isinstance(part, Entry) and len(part.roles) == 1
            if isinstance(part, Entry) and is_one and not part.texts[0] and not part.date:
                _join(part, part.roles.pop())

    def _is_label(self, block: Block) -> bool:
        """Read "Highlights" above points of an entry, or "Courses" and its points."""
        said, after = vocabulary.inner_label(block.plain), self.next_block()
        if not said or not isinstance(self.entry, Entry) or after is None or after.kind != "point":
            return False
        block.is_said = True
        courses: list[str] = []
        while said == "courses" and after is not None and after.kind == "point":
            courses.append(after.text)
            self.at += 1
            after = self.next_block()
        if courses:
            self.entry.paragraphs.append(f"{block.plain.strip(' :')}: {', '.join(courses)}")
        return True

    def _add(self, part: Part) -> None:
        part.group = self.group
        self.section.parts.append(part)

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
            self._add(self.above)
            return
        if block.level <= self.level:
            self.above = None
        if self._takes(block):
            return
        if self.kind == "publication" and (cited := self._cited(block)):
            self._add(Point(cited, self.place(block)))
            return
        is_entry = (self.kind in OF_ENTRIES and self.has_dates) or has_date
        # A group has a title of one line, and something below it.
        is_alone = after is None or (after.kind == "heading" and not deeper)
        has_items = self.kind in OF_TEXT or not (is_entry or self.has_date_at(self.at))
        if deeper or (not is_alone and len(block.lines) == 1 and has_items):
            if self.kind == "skill" and after is not None and _is_text(after):
                self.entry = Keyed(block.text, "", self.place(block))
                self._add(self.entry)
                return
            self.group, self.entry = block.text, None
            return
        if self.kind in ("publication", "patent"):
            self._add(Point(block.text, self.place(block)))
            return
        lines = [*block.lines, *self.further(block.lines)]
        entry = guesses.entry(lines, self.place(block), is_heading=True)
        entry = entry or Entry([block.text], self.place(block), is_sorted=False)
        if self._goes_on(entry):
            return
        if len(entry.texts) == 1:
            self._subtitle(entry, is_certain=True)
        self.entry = entry
        if self.above is not None:
            entry.is_sorted = True
            self.above.roles.append(entry)
            return
        self._add(entry)

    def _takes(self, block: Block) -> bool:
        """Give a date, a degree or a school to the entry above that has none; return whether so.

        Further lines are paragraphs of it.
        """
        last, (first, *more) = self.entry, block.lines
        if not isinstance(last, Entry) or last.points or last.roles:
            return False
        text = plain(first)
        is_school = self.kind == "education" and len(last.texts) <= _NAMES
        is_school &= not is_dated(block.lines)
        if not last.date and dates.is_date(dates.unbracketed(text)):
            last.date = dates.unbracketed(text)
        elif (
            is_school
            and " " not in text
            and vocabulary.is_degree(text)
            and not any(map(vocabulary.DEGREE.search, last.texts))
        ):
            last.texts.append(text)
        elif block.kind == "paragraph" and _lacks_school(last) and is_school and _is_name(first):
            text, _, rest = text.partition(", ")
            degree = sorted(last.texts, key=lambda one: not vocabulary.DEGREE.search(one))
            last.texts, last.is_sorted = [", ".join(degree), text], True
            last.paragraphs += [rest] if rest else []
        else:
            return False
        last.paragraphs += [markdown(line) for line in more]
        return True

    def _goes_on(self, entry: Entry) -> bool:
        """Join a heading to the one right above it: the position at an employer, or the reverse.

        One of them has a date. Below a degree it is the subject.
        """
        last = self.entry
        if self.kind not in ("education", "experience", "volunteer") or not isinstance(last, Entry):
            return False
        mark = vocabulary.DEGREE if self.kind == "education" else vocabulary.POSITION
        text, *more = entry.texts
        is_bare = not (last.paragraphs or last.points or last.roles or more)
        if is_bare and not entry.date and len(last.texts) == 2 and self.kind == "education":
            at = next((n for n, one in enumerate(last.texts) if mark.search(one)), None)
            if at is None or " " in last.texts[at] or vocabulary.is_named(text):
                return False
            last.texts[at] += f", {text}"
            last.paragraphs += entry.paragraphs
            return True
        if not is_bare or len(last.texts) != 1 or bool(last.date) == bool(entry.date):
            return False
        if mark.search(last.texts[0]) and mark.search(text):
            return False
        last.texts.append(text)
        last.looks += entry.looks
        last.date, last.url = last.date or entry.date, last.url or entry.url
        last.location = last.location or entry.location
        last.paragraphs += entry.paragraphs
        return True

    def _cited(self, block: Block) -> str:
        """Return the reference that a title and the few lines below it are; empty for none."""
        (title, *beside), *lines = styled.parts(block.lines[0], tables.CELLS), *block.lines[1:]
        below = [*takewhile(lambda one: one.kind == "paragraph", self.blocks[self.at :])]
        if lines or beside:
            # What is told of it.
            below = [one for one in below[:1] if _is_told(one)]
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
            self._add(entry)
            inner: list[Point] = []
            while after is not None and after.kind == "point" and after.level > level:
                outline.under(inner, Point(after.text, self.place(after)), after.level - level - 1)
                self.at += 1
                after = self.next_block()
            entry.points = inner
            if self.kind in ("experience", "volunteer"):
                parting.take_employer(entry)
            return
        self._add(point)

    def _row(self, block: Block) -> None:
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
            self._add(self.entry)
            return
        if self.kind == "reference":
            # A row is one referee, or each cell is one.
            is_one = not people.is_reachable(cells[:1]) and people.is_reachable(cells[1:])
            for lines in [[line, *further]] if is_one else [[cell] for cell in cells]:
                self._referee(lines, place)
            return
        entry = guesses.entry([line], place)
        if entry is not None and self.kind not in ("skill", "language"):
            if len(entry.texts) == 1 and further and _is_name(further[0]):
                guesses.add(entry, further.pop(0))
            entry.paragraphs += [markdown(one) for one in further]
            if len(entry.texts) == 1 and not further:
                self._subtitle(entry)
            self.entry = entry
            self._add(entry)
            return
        cells = [cell for cell in [*cells[:-1], last] if plain(cell)]
        styles = {run.styles for cell in cells for run in cell if run.text.strip()}
        is_list = len(styles) == 1 and vocabulary.are_items([plain(cell) for cell in cells])
        if self.kind == "skill" and is_list:
            self._skills([markdown(cell).strip("*") for cell in cells], place)
        elif len(cells) == 2 or self.kind in ("skill", "language"):
            label, *rest = (markdown(cell) for cell in cells)
            self._add(Keyed(label.strip("*").rstrip(": "), ", ".join(rest), place))
        else:
            self._add(Point(", ".join(markdown(cell) for cell in cells), place))

    def _skills(self, cells: list[str], place: Span) -> None:
        """Add the skills of a row: below names of columns, or each an item."""
        labels = self.labels if self.header and len(self.labels) == len(cells) else []
        if self.header and labels:
            self.header.is_said = True
        for label in labels:
            if not label.text:
                self._add(label)
        for at, cell in enumerate(cells):
            if labels:
                labels[at].text = f"{labels[at].text}, {cell}".removeprefix(", ")
            else:
                self._add(Keyed(cell, "", place))

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
            self._add(self.entry)

    def _referees(self, block: Block) -> None:
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
            self._referees(block)
            return
        if self.kind == "publication" and (cited := self._cited(block)):
            self._add(Point(cited, place))
            return
        if head := self.head_of(block):
            entry = guesses.entry(head, place, is_heading=not is_dated(head))
            if entry is not None:
                self.go_past(block, head)
                if self._is_role(entry):
                    self.roles_of.roles.append(entry)
                    self.entry = entry
                    return
                order.without_town(entry, self.kind)
                if len(head) == 1 and len(entry.texts) == 1:
                    self._subtitle(entry)
                self.entry = self.roles_of = entry
                self._add(entry)
                return
        first = dates.unbracketed(plain(lines[0]))
        if self.kind in OF_TEXT and len(lines) > 1 and dates.is_date(first):
            self._add(Keyed(first, markdown(as_one(lines[1:])), place))
            return
        self._labelled(block)

    def _labelled(self, block: Block) -> None:
        """Add a paragraph that begins no entry: lines with labels, or prose."""
        place, lines = self.place(block), block.lines
        if self._takes(block):
            return
        if isinstance(self.entry, Entry) and self.entry.date and dates.is_length(block.plain):
            block.is_said = True
            return
        labels = [vocabulary.label(line) for line in lines]
        is_dated_line = labels[0] and dates.is_date(labels[0][0])
        if self.kind in ("publication", "patent") and not is_dated_line:
            self._add(Prose(block.text, place))
            return
        if all(labels):
            for label, text in filter(None, labels):
                if isinstance(self.entry, Entry):
                    self.entry.paragraphs.append(f"{label}: {text}")
                else:
                    self._add(Keyed(label, text, place))
            return
        if isinstance(self.entry, Entry):
            self.entry.paragraphs.append(block.text)
        elif self.entry is not None and not all(
            "strong" in run.styles for run in block.runs if run.text.strip()
        ):
            self.entry.text = ", ".join(one for one in (self.entry.text, block.text) if one)
        else:
            self.entry = None
            self._add(Prose(block.text, place))

    def _is_role(self, entry: Entry) -> bool:
        """Return whether an entry in italics is a position at the bold employer above it."""
        if self.kind not in ("experience", "volunteer"):
            return False
        above = self.roles_of
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

    def _subtitle(self, entry: Entry, *, is_certain: bool = False) -> None:
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


def _is_told(block: Block) -> bool:
    """Return whether a paragraph is a sentence, and no reference."""
    text = block.plain
    is_one = citations.of_kind("publication", text, is_sure=True) is not None
    return text.endswith(".") and len(text.split()) > _CITED and not is_one


def _lacks_school(entry: Entry) -> bool:
    """Return whether an entry says a degree, and nobody who gives it."""
    said = [bool(vocabulary.DEGREE.search(one)) for one in entry.texts]
    return any(said) and not any(map(vocabulary.ORGANIZATION.search, entry.texts))


def _is_text(block: Block) -> bool:
    """Return whether a block has words alone: no label, no cells of a table."""
    return block.kind in ("paragraph", "point") and not vocabulary.keyed(block.text)


def _join(employer: Entry, role: Entry) -> None:
    """Make one entry of an employer and the only position there."""
    title, *further = role.texts
    employer.texts = [title, employer.texts[1], *further]
    employer.date, employer.url = role.date, role.url
    employer.location = employer.location or role.location
    employer.paragraphs += role.paragraphs
    employer.points += role.points
