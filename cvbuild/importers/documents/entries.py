"""Labelled lines as the blocks of sections: headings, entries that are certain, text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates, headings
from cvbuild.importers.documents import items, people, vocabulary
from cvbuild.importers.documents.cells import Cell, Line, aside, date_of, is_blank, is_label, joined
from cvbuild.importers.documents.labels import PROSE, Labelled
from cvbuild.importers.outline import Block, Entry, Run, as_one, markdown, parts, plain

#: Labels of the parts of an entry: title, organization, place, date.
NAMES = ("T", "O", "P", "D")
#: Kinds of text, in which labels of entries mean nothing.
_OF_TEXT = frozenset(
    ("summary", "interests", "skill", "language", "publication", "patent", "reference")
)
_CONTACT = "contact"
#: Kinds whose items are lines.
_OF_LINES = frozenset(("award", "certificate", "talk", "teaching", "service", "grant"))
_DATED = frozenset(("education", "experience", "volunteer", ""))
_TAB = re.compile(r"\t")
#: Labels by what a word before a colon says.
_KEYS = {"title": "T", "organization": "O", "location": "P", "date": "D"}
#: How likely a label is that stands against what a heading's level says.
_CERTAIN = 0.97


@dataclass
class _Head:
    """An entry that is being read: its cells by their label, and its lines."""

    block: Block
    entry: Entry
    first: str
    lines: list[list[Run]] = field(default_factory=list)
    cells: dict[str, list[Cell]] = field(default_factory=lambda: {name: [] for name in NAMES})
    #: Whether text stands below its first lines.
    has_text: bool = False


class Builder:
    """Makes blocks of labelled lines; ``reach`` takes those that belong to the head."""

    def __init__(self, place: Callable[[Block], Span], reach: Callable[[Line], None]) -> None:
        self.place, self.reach = place, reach
        self.blocks: list[Block] = []
        self.head: _Head | None = None
        self.kind = ""
        #: The block that lines of text were taken from last: they stay together.
        self.source: Block | None = None
        #: Whether a command of LaTeX has said what the entry above is: text below it is no other.
        self.is_certain = False
        #: The levels of the heading that began the section, and of those of groups in it.
        self.level = self.below = 0
        #: A section's title that may be text, since nothing is below it yet; and that text.
        self.bare: tuple[Block, Block] | None = None
        #: The names of the columns of the table that is read.
        self.columns: list[str] = []
        #: The entry whose organization the roles below it are at.
        self.employer: Entry | None = None

    def read(self, lines: Iterable[Labelled]) -> list[Block]:
        """Return the blocks of lines."""
        for line, own, self.chance in lines:
            self._add(line, own)
        self._close()
        self._end_section()
        return self.blocks

    def _add(self, line: Line, own: list[str]) -> None:
        if line.block.part is not None:
            self._part(line, own)
            return
        own = self._as_heading(line, own)
        is_text = self.kind in _OF_TEXT or own[0] == "S" or (own[0] == "H" and not self.kind)
        if not is_text and dates.is_date(line.text.strip()):
            known = self.head.cells["D"] if self.head else []
            if not known or (own[0] != "B-D" and dates.is_date(date_of([*known, *line.cells]))):
                own = [own[0] if own[0] == "B-D" else "D", *["D"] * (len(own) - 1)]
            elif self.head and (self.head.has_text or self.head.first == "D"):
                own = ["B-D", *["D"] * (len(own) - 1)]
        own = self._as_named(line, own)
        if {*own} == {"P"} and line.block.kind == "point" and self.head:
            own = ["X"] * len(own)
        is_below = self.is_certain and line.block.kind == "paragraph"
        if own[0] in ("S", "G") and not is_below:
            self._heading(line, own)
        elif set(own) == {"H"} and (
            self.kind in ("", _CONTACT) or people.is_reachable([line.runs])
        ):
            self.reach(line)
        elif self._is_of_table(line):
            self.source = None
        elif self.is_certain and "\t" not in line.text:
            self._text(line)
        elif self.kind not in _OF_TEXT and any(_bare(label) in NAMES for label in own):
            self._entry(line, own)
        elif entry := self._of_line(line):
            self._close()
            self.blocks.append(replace(line.block, kind="part", lines=[[]], level=0, part=entry))
            self.source = None
        else:
            self._text(line)

    def _part(self, line: Line, own: list[str]) -> None:
        """Add what a command makes: an entry by its cells, or what is whole."""
        self._close()
        self.source, self.is_certain = None, True
        if not line.cells:
            kind = "part" if line.block.kind == "row" else line.block.kind
            self.blocks.append(replace(line.block, kind=kind))
            return
        is_dated = any(cell.said[-1:] == "D" for cell in line.cells)
        for at, (cell, label) in enumerate(zip(line.cells, own, strict=True)):
            # A name has a date in it, where the date is said; a reference isn't taken apart.
            is_name = is_dated if _bare(label) == "D" else self.kind in _OF_TEXT
            if cell.said[-1:] == "?" and is_name:
                own[at] = f"{label[:-1]}T"
        if "X" in own and not {"T", "O"} & {*map(_bare, own)}:
            # No entry is without a name.
            own[own.index("X")] = "T"
        self._entry(line, own)

    def _as_heading(self, line: Line, own: list[str]) -> list[str]:
        """Return labels of a line where headings are no text: sections, or titles of groups."""
        block = line.block
        if not set(own) <= {"X", "G"} or block.kind != "heading" or line.at:
            return own
        is_section = block.level <= (2 if block.span else self.level)
        is_title = block.span or is_section or self.kind in _OF_TEXT
        return ["S" if is_section else "G"] * len(own) if is_title else own

    def _as_named(self, line: Line, own: list[str]) -> list[str]:
        """Return labels of a line that a label of its own begins: "Company: Example Corp"."""
        first, at = line.cells[0].text, own.index("D") - 1 if {*own} == {"X", "D"} else -1
        if self.head and at >= 0 and is_label(line.cells[at].text):
            # "Expected in 2027" is of the entry, if that has no date.
            return ["X"] * len(own) if self.head.cells["D"] else [*own[:at], "", *own[at + 1 :]]
        name = _KEYS.get(vocabulary.column_of(first), "")
        if not first.endswith(":") and {name, *map(_bare, own[1:])} != {"D"}:
            return own
        is_bare = name and not vocabulary.other_words([[*line.cells[0].runs]])
        if self.kind not in _DATED or not is_bare or len(line.text) > PROSE or own[0] in "SH":
            return own
        if self.head and plain(self.head.lines[0]).startswith(first):
            # The label that the entry began with begins another.
            own[1:2] = [f"B-{name}"] * len(own[1:2])
        name = f"B-{name}" if self.head and self.head.cells[name] else name
        # The label is no name, whatever stands behind it.
        return ["", *(label if _bare(label) in NAMES else name for label in own[1:])]

    def _is_of_table(self, line: Line) -> bool:
        """Add a row that names columns, or is below one that does; return whether it is one."""
        block = line.block
        if block.kind != "row" or (block.level and not line.at):
            self.columns = []
        cells = parts(as_one(block.lines), _TAB) if block.kind == "row" and not line.at else []
        if not vocabulary.has_values(cells) and (names := vocabulary.columns(cells)):
            self._close()
            is_bare = self.kind in _DATED and "organization" not in names
            # Where a post or degree was is its organization, if no other column has that.
            place = "organization" if is_bare else "location"
            self.columns = [place if name == "location" else name for name in names]
            # Names of columns that are none of ours are written with the values.
            block.lines[0] = [Run(" ".join(vocabulary.other_words(cells)))]
        elif cells and self.columns:
            is_entry = len(cells) == len(self.columns) and self.kind not in ("skill", "language")
            part = items.of_columns(self.columns, cells, self.place(block)) if is_entry else None
            self.blocks.append(replace(block, kind="part", part=part) if part else block)
        return bool(self.columns)

    def _of_line(self, line: Line) -> Entry | None:
        """Return the entry that a line of text with a date is, in a section of such."""
        of_lines = _OF_LINES if line.block.kind == "point" else _OF_LINES | _DATED | {"project"}
        if self.kind not in of_lines or len(line.text.strip()) > PROSE:
            return None
        entry = items.split_text(markdown(line.runs), self.place(line.block))
        entry.chance = 0.0
        return entry if entry.date else None

    def _heading(self, line: Line, own: list[str]) -> None:
        self._close()
        self.source, self.is_certain, first = None, False, own[0]
        if line.block.kind == "heading":
            # Below that of a section it is no section of another kind.
            kind, level = headings.exact_kind_of(line.text.strip()), line.block.level
            is_alike = kind == self.kind or (kind is None and self.chance <= _CERTAIN)
            is_alike |= bool(line.block.span) and level == self.below
            is_inner = 0 < self.level < level and self.kind != _CONTACT
            if first == "G" or (is_inner and is_alike):
                first, own = "G", ["G" if label == "S" else label for label in own]
                self.below = level
            else:
                self.level, self.below = level, 0
        count = next((at for at, label in enumerate(own) if label != first), len(own))
        title = line.cut(0, count)
        level = 1 if first == "S" else 3
        block = replace(line.block, kind="heading", lines=[title.runs], level=level)
        if first == "S":
            self._end_section()
            name = title.text.strip()
            found = headings.kind_of(name) or (_CONTACT if headings.is_contact(name) else "",)
            is_known = (
                line.block.kind == "heading" or headings.exact_kind_of(name) or not self.blocks
            )
            self.bare = None if is_known else (block, replace(block, kind="paragraph"))
            self.kind, self.employer = found[0], None
        self.blocks.append(block)
        if own[count:]:
            self._add(line.cut(count), own[count:])

    def _end_section(self) -> None:
        """Take the title of a section that has nothing for text of what is above it."""
        if self.bare and self.blocks[-1] is self.bare[0]:
            self.blocks[-1] = self.bare[1]

    def _entry(self, line: Line, own: list[str]) -> None:
        for at, (cell, label) in enumerate(zip(line.cells, own, strict=True)):
            name = _bare(label)
            if name not in NAMES:
                if not at or _bare(own[at - 1]) in NAMES:
                    rest = (n for n, other in enumerate(own) if n > at and _bare(other) in NAMES)
                    if own[at]:
                        self._beside(line.cut(at, next(rest, None)))
                continue
            head = self.head
            # A point is one entry. What labels seldom miss: a name with a date, below one of both.
            is_point = line.block.kind == "point" and head and head.lines[:1] == [line.runs]
            is_dated = bool({"D", "B-D"} & {*own}) and not at and name != "D"
            is_both = is_dated and head and head.cells[name] and head.cells["D"]
            if head is None or ((label != name or is_both) and not is_point):
                self._close()
                entry = line.block.part or Entry([], self.place(line.block))
                part = replace(line.block, kind="part", lines=[[]], level=0, part=entry)
                head = self.head = _Head(part, entry, name)
                self.blocks.append(part)
                self.source = None
            head.cells[name].append(cell)
            if line.runs not in head.lines[-1:]:
                head.lines.append(line.runs)
            head.entry.chance = min(head.entry.chance, self.chance)

    def _beside(self, line: Line) -> None:
        """Add text that stands beside names, but for what says nothing, and labels of names."""
        text = aside(line.runs)
        if is_blank(text):
            return
        if self.head is None:
            self._text(line)
        elif self.kind == "education" and dates.HONOURS.fullmatch(text):
            self.head.entry.grade = text
        elif text:
            self.head.entry.paragraphs.append(text)

    def _text(self, line: Line) -> None:
        """Add a line of text to the block that it is of; below a date alone, it is a name."""
        head, text = self.head, line.text.strip()
        if head and vocabulary.inner_label(text):
            return
        is_named = head and (head.has_text or head.cells["T"] or head.cells["O"])
        if head and not is_named and len(text) <= PROSE:
            head.cells["T"], head.entry.chance = list(line.cells), 0.0
            return
        if head and not (head.has_text or head.cells["P"]) and vocabulary.is_place(line.text):
            head.cells["P"] = list(line.cells)
            return
        if head is not None:
            head.has_text = True
        if self.source is line.block:
            self.blocks[-1].lines.append(line.runs)
            return
        kind = "paragraph" if line.block.kind == "heading" else line.block.kind
        self.blocks.append(replace(line.block, kind=kind, lines=[line.runs]))
        self.source = line.block

    def _close(self) -> None:
        """Put what was read of an entry where it belongs."""
        head, self.head = self.head, None
        if head is None:
            return
        if self.kind == "education":
            # "Chemistry", "PhD"
            head.cells["T"].sort(key=lambda cell: not vocabulary.is_degree(cell.text, within=1))
        title, organization, head.entry.location = (joined(head.cells[name]) for name in "TOP")
        below = self.employer if title and not organization else None
        if below and self.kind != "experience":
            organization = below.texts[1]
        head.entry.texts = [title, organization] if organization else [title]
        # One cell may name both, and words know better which is which.
        is_posted = self.kind in ("experience", "volunteer") and not title
        head.entry.is_sorted = bool(organization) or is_posted
        own = head.cells["D"]
        said = [cell for cell in own if cell.said[-1:] == "D"]
        dated = [cell for cell in own if dates.is_date(cell.text)]
        dated = said if dates.is_date(date_of(said)) else dated or said
        dated = dated or [cell for cell in own if re.search(r"\d\d", cell.text)]
        others = [
            one for one in own if not (dated and dates.is_length(one.text)) and one not in dated
        ]
        head.entry.paragraphs[:0] = [aside(one.runs) for one in others if one.text[-1:] != ":"]
        head.entry.date = date_of(dated)
        names = [cell for name in "TOP" for cell in head.cells[name]]
        addresses = [*dict.fromkeys(run.url for cell in names for run in cell.runs if run.url)]
        head.entry.url = next(iter(addresses), "")
        head.entry.paragraphs += [f"<{address}>" for address in addresses[1:]]
        if below or head.entry.is_role:
            head.block.level = int(self.kind == "experience")
        elif organization:
            self.employer = head.entry if head.first == "O" else None


def _bare(label: str) -> str:
    return label.removeprefix("B-")
