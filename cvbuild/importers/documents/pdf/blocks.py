"""Lines in reading order as the blocks that Word and Markdown become: headings, points, prose.

Known titles of sections teach how the others look. A line goes on with the one above, belongs to
its block, or begins one; what it means is said by the labels of its cells.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cvbuild.importers import dates, headings
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.pdf import lines
from cvbuild.importers.documents.pdf.lines import BULLET, RANGE, Line, Piece, is_aside
from cvbuild.importers.documents.pdf.pdfium import Style
from cvbuild.importers.outline import Block, Run, is_dated, plain

#: Part of all letters that titles of a look have at most; of a look's lines that are known titles;
#: of the size of most titles that others have.
_LETTERS, _KNOWN, _LEAST = 0.15, 0.3, 0.8
#: The most between the lines of a paragraph, in em and of the usual leading.
_TIGHT, _LOOSE = 1.75, 1.22
#: Kinds whose items have a head of some lines with text under it; are a line each.
_OF_ENTRIES = frozenset(("education", "experience", "volunteer", "project", "grant", ""))
_OF_LINES = frozenset(("skill", "language", "interests", "certificate", "award"))
_OF_LABELS = frozenset(("skill", "language"))
#: Kinds of whose sections in a sidebar contact data may be lines.
_NEAR_REACH = frozenset(("summary", "skill", "language", "interests", ""))
#: Lines of an entry's head.
_HEAD_LINES = 3
#: Characters of a line that is no list of short facts, and of contact data.
_STATEMENT, _CONTACT = 40, 60
#: Blanks before an e-mail address, a number or a label of one, and after an address.
_REACH = re.compile(
    r"(?i)(?<!:)\s+(?=\S+@\S|\+\d|(?:e-?mail|phone|mobile|tel|web(?:site)?|linkedin|github) ?:)"
    r"|(?<=\.\w\w)\s+(?=\+?\d)|(?<=\.\w{3})\s+(?=\+?\d)"
)
#: "Languages: …"
_LABEL = re.compile(r"[^\W\d_][\w &/,.-]{1,30} ?:\s")
#: Before the rest of a name in the next line.
_OPEN = re.compile(r"(?:[-/,&:(]|\s[a-zß-ÿ]{1,3})$")
_PARTED = re.compile(r"([^\W\d_]+)-$")
#: How a piece looks: font, size, colour, capitals.
Look = tuple[str, float, tuple[int, int, int], bool]


def of_lines(main: Sequence[Line], side: Sequence[Line]) -> list[Block]:
    """Return the blocks of the lines of the main column and a sidebar.

    What is before the first heading of each is the head, which comes first.
    """
    both = [*main, *side]
    text = " ".join(cell.text for line in both for cell in line.cells)
    # The words of the document tell which hyphens belong to one.
    words = {word.casefold() for word in re.findall(r"[^\W\d_][\w-]+(?<!-)", text)}
    titles = titles_of(both)
    writers = [_Writer(part, words) for part in (main, side)]
    for one in writers:
        for at, line in enumerate(one.lines):
            # A headline may look as the titles that follow.
            if id(line) in titles and (at or headings.is_title(line.first.text)):
                one.title(line)
            else:
                one.line(line)
    head = [block for one in writers for block in one.head]
    return [*head, *(block for one in writers for block in one.body)]


def titles_of(found: Sequence[Line]) -> set[int]:
    """Return the ids of lines that are headings: those that look as the known ones among them."""
    letters, seen, known, exact = (Counter[Look]() for _ in range(4))
    for line in found:
        for cell in line.cells:
            letters[_look(cell)] += len(cell.text)
    short = [
        line
        for line in found
        if len(text := line.first.text.strip(" :")) <= _CONTACT and len(text.split()) <= 8
        if len(re.findall(r"[^\W\d_]", text)) > 1 and not BULLET.match(text)
        # There is nothing beside it but a link, or its text; a title in the margin has more.
        if not any(
            is_aside(cell.text) or RANGE.search(cell.text)
            for cell in line.cells[1 : 2 if line.cells[2:] and headings.is_title(text) else None]
        )
    ]
    for line in short:
        look, text = _look(line.first), line.first.text
        seen[look] += 1
        known[look] += headings.is_title(text)
        exact[look] += headings.exact_kind_of(text) is not None
    looks = {
        look
        for look, count in known.items()
        if exact[look] and count >= _KNOWN * seen[look]
        if letters[look] < _LETTERS * letters.total()
    }
    if sum(known[look] for look in looks) < 2:
        return {id(line) for line in short if headings.kind_of(line.first.text)}
    top = max(looks, key=lambda look: (known[look], look[1]))
    looks = {look for look in looks if look[1] >= _LEAST * top[1] and look[3] >= top[3]}
    return {id(line) for line in short if _look(line.first) in looks}


def _look(piece: Piece) -> Look:
    style = piece.style
    return style.font, round(style.size * 2) / 2, style.colour, piece.text.isupper()


def _is_contact(line: Line) -> bool:
    """Return whether a line says only how to reach the person."""
    return len(line.text) < _CONTACT and people.is_reachable([lines.runs_of(line.all)])


@dataclass
class _Writer:
    """``open`` is the block that the next line may go on with, ``last`` the line before."""

    lines: Sequence[Line]
    words: set[str]
    head: list[Block] = field(default_factory=list)
    body: list[Block] = field(default_factory=list)
    kind: str = ""
    in_head: bool = True
    last: Line | None = None
    open: Block | None = None
    #: Whether the block that is open has a date, and how it begins.
    is_dated: bool = False
    style: Style | None = None
    #: Where the points of each level begin, and the text of what is open.
    levels: list[float] = field(default_factory=list)
    text_x: float = 0.0

    def __post_init__(self) -> None:
        gaps: dict[int, list[float]] = {}
        ends: dict[tuple[int, int], list[float]] = {}
        for last, line in zip(self.lines, self.lines[1:], strict=False):
            gap = (last.y - line.y) / line.size
            if last.column == line.column and 0 < gap < 2:
                gaps.setdefault(line.order, []).append(round(gap, 2))
        for line in self.lines:
            if inner := [cell.x1 for cell in line.cells if not is_aside(cell.text)]:
                ends.setdefault(line.column, []).append(inner[-1])
        #: The usual distance of the baselines of each column in em, and where its text ends.
        self.leading = {order: statistics.median(found) for order, found in gaps.items()}
        self.right = {place: sorted(xs)[-1 - len(xs) // 20] for place, xs in ends.items()}

    def title(self, line: Line) -> None:
        """Begin a section."""
        text = " ".join(line.first.text.split()).strip(" :")
        self.in_head = headings.is_contact(text)
        self.kind = (headings.kind_of(text) or ("", ""))[0]
        self.open, self.last, self.levels, self.is_dated = None, None, [], False
        if not self.in_head:
            self.body.append(Block("heading", [[Run(text, size=line.first.size)]], 2))
        if line.cells[1:]:
            self.line(replace(line, cells=line.cells[1:]))

    def line(self, line: Line) -> None:
        """Add a line: as a point, to what is open, or as a block of its own."""
        runs, inner = lines.runs_of(line.all), [] if self.in_head else lines.point_of(line)
        is_near = line.page == 0 and self.kind in _NEAR_REACH
        if not self.in_head and is_near and _is_contact(line):
            self.head.append(Block("paragraph", [runs]))
        elif inner:
            x = line.first.x0
            while self.levels and x < self.levels[-1] - 3:
                self.levels.pop()
            if not self.levels or x > self.levels[-1] + 3:
                self.levels.append(x)
            inner_runs = lines.runs_of([*inner, *line.beside])
            self.open = Block("point", [inner_runs], len(self.levels) - 1)
            self.text_x = inner[0].x0
            self.body.append(self.open)
        elif self.open and self.last and self._continues(self.open, self.last, line):
            join(self.open.lines[-1], runs, self.words)
        elif self.kind in _OF_LABELS and vocabulary.are_items([cell.text for cell in line.cells]):
            self.body += [Block("paragraph", [lines.runs_of([cell])]) for cell in line.cells]
            self.open = None
        else:
            self._paragraph(line, runs)
        self.last = line

    def _paragraph(self, line: Line, runs: list[Run]) -> None:
        """Add a line to the block that is open, or begin one with it."""
        block, last = self.open, self.last or line
        self.text_x = line.first.x0
        if self.in_head:
            runs = [replace(run, text=_REACH.sub("\t", run.text)) for run in runs]
            self.open = Block("paragraph", [runs])
            self.head.append(self.open)
            return
        dated, is_alike = is_dated([runs]), self.style == line.first.style
        # It follows as closely as the lines of an entry's head do.
        usual = self.leading.get(line.order, 1.2) * max(line.size, last.size)
        is_tight = 0 < last.y - line.y <= max(_LOOSE * usual, 1.3 * line.size)
        is_tight &= last.column == line.column
        is_first = block is not None and block.kind == "paragraph" and len(block.lines) == 1
        is_text = len(line.cells) == 1 and len(line.text) > _STATEMENT
        if block and is_first and is_text and is_tight and is_alike and self.kind in _OF_ENTRIES:
            # A statement without a bullet, below another or the head of an entry.
            block.kind = "point"
            self.open = Block("point", [runs])
            self.body.append(self.open)
            return
        if (
            not block
            or not is_tight
            or block.kind == "point"
            or (dated and (self.is_dated or last.text.endswith(".")))
            or (self.kind in _OF_LINES and is_alike)
            or len(block.lines) > _HEAD_LINES
        ):
            block = self.open = Block("paragraph", [runs])
            self.levels, self.is_dated, self.style = [], dated, line.first.style
            self.body.append(block)
        else:
            block.lines.append(runs)
            self.is_dated |= dated
        if self.kind in _OF_ENTRIES and (dated or line.first.is_bold):
            block.kind, block.level = "heading", 3

    def _continues(self, block: Block, last: Line, line: Line) -> bool:
        """Return whether a line goes on with the text of the one before it."""
        first, is_head, above = line.first, block.kind == "heading", plain(block.lines[-1])
        small = first.text[:1].islower()
        is_name = is_head and first.text[:1].isupper() and len(above) < _CONTACT
        if is_name and not _OPEN.search(above):
            # A name below another, rather than its end.
            return False
        if self.in_head and line.text.startswith("("):
            return last.column == line.column
        # Prose only: short lines of a head are facts of their own.
        if self.in_head and (_is_contact(line) or len(last.text) < 50):
            return False
        if self.kind in _OF_ENTRIES and (dates.is_date(first.text) or RANGE.match(first.text)):
            return False
        if self.kind in _OF_LABELS and _LABEL.match(line.text):
            return False
        end, right = last.cells[-1], self.right.get(line.column, line.right)
        if is_aside(end.text) and len(last.cells) > 1:
            # The text before a date goes on if it comes near.
            end, right = last.cells[-2], min(right, end.x0)
            if end.x1 < last.left + 0.8 * (last.cells[-1].x0 - last.left):
                return False
        # Both look alike, and one follows closely below the other.
        pairs = ((end.style, first.style), (end.words[-1].style, first.words[0].style))
        are_alike = any(
            abs(one.size - other.size) <= 0.08 * one.size and one.bold == other.bold
            for one, other in pairs
        )
        is_row = len(line.cells) > 1 and not is_aside(line.cells[-1].text)
        if is_row or not are_alike:
            return False
        gap, usual = last.y - line.y, self.leading.get(line.order, 1.2)
        if last.page != line.page or not 0 < gap <= min(_TIGHT, _LOOSE * usual) * line.size:
            return small and not end.text.endswith(".")
        if small and end.text.endswith("-"):
            return True
        # It begins where the text does, hangs, or is centred.
        indent = first.x0 - self.text_x
        is_under = any(abs(first.x0 - cell.x0) < 2.5 for cell in last.cells)
        is_under |= abs(indent) <= 2.5 or (not is_head and 0 < indent < 4 * line.size)
        is_under |= abs((first.x0 + first.x1) - (end.x0 + end.x1)) < 6
        # Where its first word had room, the line above was ended on purpose.
        fits = end.x1 + 0.3 * line.size + first.words[0].x1 - first.x0 < right
        return is_under and (not fits or (small and len(end.text) > _STATEMENT))


def join(into: list[Run], more: list[Run], known: set[str]) -> None:
    """Add the next line of a paragraph, before dates and places at the end of what is there.

    ``known`` are the words of the document.
    """
    tail: list[Run] = []
    while tabs := [at for at, run in enumerate(into) if run.text == "\t"]:
        if not is_aside("".join(run.text for run in into[tabs[-1] :])):
            break
        into[tabs[-1] :], tail = [], [*into[tabs[-1] :], *tail]
    last, first = into[-1], more[0]
    text, word, rest = last.text, _PARTED.search(last.text), re.match(r"[^\W\d_]+", first.text)
    if word and rest and rest[0].islower() and f"{word[1]}-{rest[0]}".casefold() not in known:
        # A hyphen that only parts a word at the line's end.
        text = text[:-1]
    if text == last.text and not text.endswith(("-", "/")):
        text += " "
    if (last.styles, last.url) == (first.styles, first.url):
        into[-1:], more = [], [replace(first, text=text + first.text), *more[1:]]
    else:
        into[-1] = replace(last, text=text)
    into += [*more, *tail]
