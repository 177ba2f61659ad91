"""Parts of a section that commands make: what their arguments are say the tables of classes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import order, vocabulary
from cvbuild.importers.documents.latex import blocks
from cvbuild.importers.documents.latex.tables import Command
from cvbuild.importers.documents.latex.tree import inside, kind
from cvbuild.importers.documents.latex.words import Lines, Words
from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Block, Entry, Keyed, Part, Point, Run
from cvbuild.inputs.references import texts

#: Arguments and their nodes.
Slots = list[tuple[str, list[Any]]]

#: Bars and stars of a level.
_LEVELS = ("1", "2", "3", "4", "5")
#: The last argument of moderncv's entries is for a grade; many write a country there.
_GRADE = re.compile(
    r"(?i)[*\w]?\d[\d.,/% *]*|.*\b(?:gpa|grade|note|mention|mark|average|distinction|merit|class"
    r"|pass(?:ed)?|honou?rs?|laude|summa|cum|excellent|good|bien|[1-5][.,]\d|\d+ ?%|[a-f][+-]"
    r"|[\d.]+/\d+).*"
)
_GPA = re.compile(r"(?i)\bGPA\b")
_GRADUATED = re.compile(r"^Grad(?:uat\w+)?\.?:?\s+(?=\w+ \d{4}|\d{4})")
_BAR = re.compile(r"\s*\|\s*")
#: Marks before or after an argument, which part it from others.
_MARKS = " |,;·•–—"
#: Skills of a language, as Europass has them.
_ABILITIES = ("listening", "reading", "interaction", "production", "writing")
#: Labels of lines that are an entry together.
_LABELS = {
    "date": ("date", "dates", "period", "date (da - a)", "dauer", "zeitraum"),
    "title": ("occupation", "occupation or position held", "position", "title", "titel",
              "title of qualification awarded"),
    "organization": ("employer", "name and address of employer", "institution", "organisation",
                     "organization", "name and type of organisation"),
}  # fmt: skip
#: What parts the cells of a line: tabs, bars, dots.
_CELLS = re.compile(r"\s*(?:\t+|(?<=\s)[|·•│](?=\s)|\s{4,})\s*")


class Parts:
    """Makes parts of commands and adds them to blocks; ``place`` tells where nodes are from."""

    def __init__(
        self, words: Words, place: Callable[[list[Any]], Span], listed: list[Block]
    ) -> None:
        self.words = words
        self.place = place
        self.blocks = listed
        #: Labels that are no texts in the person's file: a key says the same.
        self.understood: set[str] = set()

    def add(self, part: Part, level: int = 0) -> None:
        """Add a part as a block; at level 1 it is a position at the entry above."""
        self.blocks.append(Block("part", [[]], level, span=part.place, part=part))

    def last(self, *over: str) -> Entry | None:
        """Return the entry that a command made last; blocks ``over`` it may follow it."""
        for block in reversed(self.blocks):
            if isinstance(block.part, Entry) or block.kind not in over:
                return block.part if isinstance(block.part, Entry) else None
        return None

    def new(self, title: Lines, place: Span) -> Entry:
        """Add an entry that begins with lines."""
        entry = Entry([outline.markdown(line) for line in title], place, is_sorted=False)
        self.add(entry)
        return entry

    def begun(self, slot: str, place: Span) -> Entry | None:
        """Return the entry that arguments belong to, of which the first is a ``slot``."""
        if self.blocks and self.blocks[-1].kind == "heading" and self.blocks[-1].level > 2:
            return self.new(self.blocks.pop().lines, place)
        return self.last(*(["paragraph"] if slot in ("facts", "label") else []))

    def more(self, slots: Slots, place: Span) -> None:
        """Add arguments to the entry that is being read; one that has them already is over."""
        last = self.begun(slots[0][0] if slots else "", place)
        if last is None or any(
            (slot in ("date", "location") and getattr(last, slot))
            or (slot in ("title", "organization") and last.is_sorted
                and last.texts[int(slot == "organization")])
            for slot, _ in slots
        ):  # fmt: skip
            last = self.new([], place)
        self.fill(last, slots)

    def under(self, slots: Slots, place: Span, *, is_begun: bool) -> Keyed | None:
        """Add a line with or without a label: the employer of an entry, then its description.

        Return the label and the text if there is no entry.
        """
        last = self.begun(slots[0][0] if slots else "", place)
        label = self.words.line(slots[0][1]) if len(slots) > 1 else ""
        nodes = slots[-1][1] if slots else []
        folded = label.lower().strip(" *:")
        what = next((slot for slot, words in _LABELS.items() if folded in words), "")
        if what:
            self.understood.add(label)
        if is_begun and what == "date":
            last = self.new([], place)
        text = self.words.line(nodes)
        if last is None:
            return Keyed(label, text, place)
        has_list = any(kind(one) == "Environment" for one in nodes)
        has_place = has_list or any(last.texts[1:]) or last.location
        if what or (not label and not has_place and 0 < len(text) < 100):
            self.fill(last, [(what or "text", nodes)])
        else:
            self.describe(last, nodes, label)
        return None

    def describe(self, entry: Entry, nodes: list[Any], label: str = "") -> None:
        """Add a description to an entry, perhaps with a label before it."""
        paragraphs, points = self.description(nodes)
        if label:
            paragraphs[:1] = [f"{label.rstrip(':')}: {' '.join(paragraphs[:1])}".strip()]
        entry.paragraphs += paragraphs
        entry.points += points

    def description(self, nodes: list[Any]) -> tuple[list[str], list[Point]]:
        """Return the paragraphs and the points of an argument."""
        return blocks.description(self.words, self.place, nodes)

    def of(self, command: Command, bodies: list[list[Any]], place: Span) -> list[Part]:
        """Return the parts of a section that a command and its arguments are."""
        slots = list(zip(command.slots, bodies, strict=False))
        lines = [self.words.line(nodes) for _, nodes in slots]
        match command.makes:
            case "entry" | "role":
                entry = Entry([], place, is_sorted=False)
                self.fill(entry, slots)
                return [entry]
            case "point":
                return [Point(line, place) for line in lines if line]
            case "keyword":
                return [Keyed("", " ".join(lines), place)]
            case "reference":
                # The e-mail address last: an item finds it there.
                name, *rest = [*lines, ""]
                rest.sort(key=lambda line: "@" in line)
                return [Entry([name, ", ".join(one for one in rest if one)], place)]
            case "bars":
                return self._bars(bodies, command.slots[0], place)
        return self._keyed(slots, place)

    def fill(self, entry: Entry, slots: Slots) -> None:
        """Put arguments into an entry, which may have others already."""
        names = {"title": "", "organization": ""}
        cells: list[list[Run]] = []
        for slot, nodes in _in_rows(slots, self.words):
            text = "" if slot == "body" else self.words.line(nodes).strip(_MARKS)
            if slot == "skip" or not (text or slot == "body"):
                continue
            if slot == "body":
                self._body(entry, nodes, cells)
            elif slot in names:
                names[slot] = text
            elif slot in ("text", "facts") and not (slot == "facts" and _GPA.search(text)):
                cells += _cells(self.words, nodes, is_right=slot == "facts")
            else:
                self._fact(entry, slot, nodes)
        _name(entry, names)
        if cells:
            # A town is no name, wherever it stands.
            cells.sort(key=lambda line: vocabulary.is_place(outline.plain(line)))
            _take_lines(cells, entry)
            order.split(entry)

    def _fact(self, entry: Entry, slot: str, nodes: list[Any]) -> None:
        """Set what has a key of its own; a second one is a paragraph."""
        text = self.words.line(nodes).strip(_MARKS)
        if slot == "date" and not entry.date:
            self._date(entry, nodes)
        elif slot == "grade":
            _grade(entry, text)
        elif slot == "facts":
            lines = [outline.plain(line) for line in self.words.lines(nodes)]
            entry.grade = "; ".join(one for one in (entry.grade, *lines) if one)
        elif slot == "location" and not entry.location:
            entry.location = text
        else:
            entry.paragraphs.append(text)

    def _date(self, entry: Entry, nodes: list[Any]) -> None:
        """Set the date; what is below it, or is no part of it, is a text."""
        lines = [outline.plain(line).strip(_MARKS) for line in self.words.lines(nodes)]
        entry.date = (" – " if all(map(dates.is_date, lines)) else " ").join(lines)
        if len(lines) > 1 and dates.is_date(lines[0]) and not dates.is_date(entry.date):
            entry.date = lines[0]
            entry.paragraphs += lines[1:]

    def _body(self, entry: Entry, nodes: list[Any], cells: list[list[Run]]) -> None:
        """Add a description; its first line in italics may be the position."""
        paragraphs, points = self.description(nodes)
        first = next(iter(self.words.lines(nodes)), [])
        is_marked = all(run.styles for run in first if run.text.strip())
        if (
            len(cells) == 1
            and paragraphs
            and is_marked
            and vocabulary.POSITION.search(paragraphs[0])
            and not vocabulary.POSITION.search(outline.plain(cells[0]))
        ):
            cells.append([Run(paragraphs.pop(0))])
        entry.paragraphs += paragraphs
        entry.points += points

    def _keyed(self, slots: Slots, place: Span) -> list[Part]:
        found: list[Part] = []
        keyed: Keyed | None = None
        comments: dict[str, str] = {}
        for slot, nodes in slots:
            text = self.words.line(nodes)
            if slot in ("label", "mother"):
                label = text.rstrip(":") if text.endswith(":") else text
                keyed = Keyed(label, "mother tongue" if slot == "mother" else "", place)
                found.append(keyed)
            elif keyed is None:
                continue
            elif slot == "text":
                paragraphs, keyed.points = self.description(nodes)
                keyed.text = " ".join(paragraphs)
            elif slot in _ABILITIES:
                comments[slot] = text
            elif text:
                text = {
                    "level": f"{text}/5" if text in _LEVELS else text,
                    "years": f"{text} years" if text.isdigit() else text,
                }.get(slot, text)
                keyed.comment = ", ".join(one for one in (keyed.comment, text) if one)
        levels = {slot: text for slot, text in comments.items() if text}
        if keyed is not None and levels:
            same = set(levels.values())
            every = ", ".join(f"{text} ({slot})" for slot, text in levels.items())
            keyed.comment = same.pop() if len(same) == 1 else every
        return [one for one in found if isinstance(one, Keyed) and (one.label or one.text)]

    def _bars(self, bodies: list[list[Any]], most: str, place: Span) -> list[Part]:
        """Return skills of ``{{Python/5}, {Rust/3}}``, each with the length of its bar."""
        found: list[Part] = []
        for group in [node for body in bodies for node in body if kind(node) == "Group"]:
            label, _, level = self.words.line(inside(group)).rpartition("/")
            is_level = bool(label) and re.fullmatch(r"[\d.]+", level)
            label = label if is_level else f"{label}/{level}".strip("/")
            found.append(Keyed(label, "", place, comment=f"{level}/{most}" if is_level else ""))
        return found


def _in_rows(slots: Slots, words: Words) -> Slots:
    """Return the slots of an entry of two rows: that with the date has the title, and is first."""
    if not slots or slots[0][0] != "left":
        return slots
    rows = [slots[at : at + 2] for at in range(0, len(slots), 2)]
    rows.sort(key=lambda row: not (len(row) > 1 and dates.ends_in(words.plain(row[1][1]))[1]))
    lefts = [("text", row[0][1]) for row in rows]
    return [*lefts, *(("facts", row[1][1]) for row in rows if len(row) > 1)]


def _cells(words: Words, nodes: list[Any], *, is_right: bool) -> list[list[Run]]:
    """Return the lines of an argument; a tab puts them at the right of others."""
    found: list[list[Run]] = []
    lines = words.lines(nodes)
    cells = [cell for one in lines for cell in outline.parts(one, _BAR)] if is_right else lines
    for line in cells:
        first = next((at for at, run in enumerate(line) if run.text.strip(_MARKS)), None)
        if first is None:
            continue
        text = _GRADUATED.sub("", line[first].text.lstrip(_MARKS))
        start = Run(text, line[first].styles, line[first].url)
        found.append([*([Run("\t")] if is_right else []), start, *line[first + 1 :]])
    return found


def _name(entry: Entry, names: dict[str, str]) -> None:
    """Set title and organization, which a command tells apart."""
    if names["title"].count(", ") > 1 and not vocabulary.POSITION.search(names["title"]):
        # What was used, not what the person was.
        entry.paragraphs.append(names["title"])
        names["title"] = ""
    if not any(names.values()):
        return
    known = [*entry.texts]
    if not entry.is_sorted and known:
        # What was known is the other of them.
        first = known.pop(0)
        known[:0] = ["", first] if names["title"] else [first, ""]
    title, organization, *rest = [*known, "", ""]
    entry.texts = [names["title"] or title, names["organization"] or organization]
    entry.texts += [one for one in rest if one]
    entry.is_sorted = True


def _grade(entry: Entry, text: str) -> None:
    if _GRADE.fullmatch(text):
        entry.grade = text
    elif vocabulary.is_town(text):
        entry.location = ", ".join(one for one in (entry.location, text) if one)
    else:
        entry.paragraphs.insert(0, text)


# -- arguments that a table calls texts or facts: words tell names, towns and dates apart ---------


@dataclass
class _Cell:
    runs: list[Run]
    is_right: bool

    @property
    def text(self) -> str:
        return outline.plain(self.runs)


def _take_lines(lines: list[list[Run]], found: Entry) -> None:
    """Put the cells of lines where they belong in an entry: texts, date, location, paragraphs."""
    for line in lines:
        for cell in _parted(line):
            _take(cell, found)


def _parted(line: list[Run]) -> list[_Cell]:
    """Return the cells of a line; those after a tab are at its right."""
    has_tab = any("\t" in run.text for run in line)
    parts = enumerate(outline.parts(line, _CELLS))
    return [_Cell(part, has_tab and at > 0) for at, part in parts if outline.plain(part)]


def _take(cell: _Cell, found: Entry) -> None:
    """Put a cell where it belongs in an entry."""
    text = cell.text
    if dates.is_date(dates.unbracketed(text)) and not found.date:
        found.date = dates.unbracketed(text)
        return
    # "**Initech**, London" has a name in it.
    is_place = vocabulary.is_place(text) and not _lead(cell.runs)[0]
    is_town = cell.is_right and bool(found.texts) and vocabulary.is_town(text)
    if not found.location and (is_town or (is_place and (found.texts or cell.is_right))):
        found.location = outline.markdown(cell.runs)
    else:
        _add_name(cell, found)


def _add_name(cell: _Cell, found: Entry) -> None:
    """Add a cell to the texts of an entry, without the town at its end."""
    text = cell.text
    place = re.search(r",\s+([^,]+,[^,]+)$", text)
    if (
        not found.location
        and place
        and vocabulary.is_place(place[1])
        and (
            vocabulary.is_named(text[: place.start()])
            or vocabulary.is_region(place[1].rpartition(", ")[2])
        )
    ):
        found.location = texts.plain(place[1])
        cell.runs = _until(cell.runs, len(text[: place.start()]))
    found.url = found.url or _only_link(cell.runs)
    first, after = _lead(cell.runs)
    if first and not found.texts:
        found.texts.append(outline.markdown(_bare(first)))
        cell.runs = after
    found.texts.append(outline.markdown(_bare(cell.runs)))


def _lead(runs: list[Run]) -> tuple[list[Run], list[Run]]:
    """Return the bold or slanted beginning of a cell, and what is after a comma or a dash."""
    shown = [at for at, run in enumerate(runs) if run.text.strip()]
    if len(shown) < 2 or not runs[shown[0]].styles & {"strong", "em"}:
        return [], runs
    at = shown[1]
    mark = re.match(r"\s*(?:[,;:]|[–—]|-{1,3}(?=\s)|(?:at|bei|chez)(?=\s))\s*", runs[at].text)
    if not mark:
        return [], runs
    cut = Run(runs[at].text[mark.end() :], runs[at].styles, runs[at].url)
    return runs[:at], [cut, *runs[at + 1 :]]


def _until(runs: list[Run], end: int) -> list[Run]:
    """Return runs up to a character."""
    kept = []
    for run in runs:
        kept.append(replace(run, text=run.text[: max(0, end)]))
        end -= len(run.text)
    return kept


def _only_link(runs: list[Run]) -> str:
    """Return the address of a cell that is a link as a whole."""
    found = {run.url for run in runs if run.text.strip()}
    return found.pop() if len(found) == 1 else ""


def _bare(runs: list[Run]) -> list[Run]:
    """Return runs without the link of the whole, and without bold: a title has its own style."""
    url = _only_link(runs)
    return [Run(one.text, one.styles - {"strong", "em"}, "" if url else one.url) for one in runs]
