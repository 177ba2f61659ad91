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
from cvbuild.importers.documents.pdf.lines import BULLET, Line, Piece, is_aside
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
#: A gap that parts a text from what it has nothing to do with.
_FAR = 3
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
    writers = [_Writer(part, titles, words) for part in (main, side)]
    for one in writers:
        one.write()
    head = [block for one in writers for block in one.head]
    return [*head, *(block for one in writers for block in one.body)]


def titles_of(found: Sequence[Line]) -> set[int]:
    """Return the ids of lines that are headings: those that look as the known ones among them."""
    letters, seen, known, exact = (Counter[Look]() for _ in range(4))
    for line in found:
        for cell in line.cells:
            letters[_look(cell)] += len(cell.text)
    short = [line for line in found if _may_be_title(line)]
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


def _may_be_title(line: Line) -> bool:
    """Return whether a line is short, with nothing beside it but a link, or its text."""
    text = line.first.text.strip(" :")
    is_margin = len(line.cells) > 2 and headings.is_title(text)
    beside = line.cells[1:2] if is_margin else line.cells[1:]
    return (
        len(text.split()) <= 8
        and len(re.findall(r"[^\W\d_]", text)) > 1
        and not BULLET.match(text)
        and not re.search(r"@|https?:", text)
        and not (re.search(r"\d", text) and is_aside(text))
        and not any(is_aside(cell.text) or lines.RANGE.search(cell.text) for cell in beside)
    )


def _is_contact(line: Line) -> bool:
    """Return whether a line says only how to reach the person."""
    return len(line.text) < _CONTACT and people.is_reachable([lines.runs_of(line.all)])


@dataclass
class _Writer:
    """``open`` is the block that the next line may go on with, ``last`` the line before."""

    lines: Sequence[Line]
    titles: set[int]
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

    def write(self) -> None:
        """Read all lines."""
        for at, line in enumerate(self.lines):
            # A headline may look as the titles that follow.
            if id(line) in self.titles and (at or headings.is_title(line.first.text)):
                self._title(line)
            else:
                self._line(line)

    def _title(self, line: Line) -> None:
        text = " ".join(line.first.text.split()).strip(" :")
        self.in_head = headings.is_contact(text)
        self.kind = (headings.kind_of(text) or ("", ""))[0]
        self.open, self.last, self.levels, self.is_dated = None, None, [], False
        if not self.in_head:
            self.body.append(Block("heading", [[Run(text, size=line.first.size)]], 2))
        if line.cells[1:]:
            self._line(replace(line, cells=line.cells[1:]))

    def _line(self, line: Line) -> None:
        """Add a line: as a point, to what is open, or as a block of its own."""
        block = self.open
        is_near = line.page == 0 and self.kind in _NEAR_REACH
        if not self.in_head and is_near and _is_contact(line):
            self.head.append(Block("paragraph", [lines.runs_of(line.all)]))
        elif not self.in_head and lines.is_bullet(line):
            self._point(line)
        elif block and self._continues(block, line):
            join(block.lines[-1], lines.runs_of(line.all), self.words)
        else:
            self._paragraph(line)
        self.last = line

    def _point(self, line: Line) -> None:
        x, inner = line.first.x0, lines.after_bullet(line)
        while self.levels and x < self.levels[-1] - 3:
            self.levels.pop()
        if not self.levels or x > self.levels[-1] + 3:
            self.levels.append(x)
        runs = lines.runs_of([*inner, *line.beside])
        self.open = Block("point", [runs], len(self.levels) - 1)
        self.text_x = inner[0].x0
        self.body.append(self.open)

    def _paragraph(self, line: Line) -> None:
        """Add a line to the block that is open, or begin one with it."""
        if self.kind in _OF_LABELS and vocabulary.are_items([cell.text for cell in line.cells]):
            self.body += [Block("paragraph", [lines.runs_of([cell])]) for cell in line.cells]
            self.open = None
            return
        runs = lines.runs_of(line.all)
        dated = is_dated([runs])
        if self.in_head:
            runs = [replace(run, text=_REACH.sub("\t", run.text)) for run in runs]
        self.text_x = line.first.x0
        if self.open and self._is_listed(self.open, line):
            self.open.kind = "point"
            self.open = Block("point", [runs])
            self.body.append(self.open)
            return
        if self.open and not self.in_head and not self._begins(self.open, line, dated=dated):
            self.open.lines.append(runs)
            self.is_dated |= dated
        else:
            self.open = Block("paragraph", [runs])
            self.levels, self.is_dated, self.style = [], dated, line.first.style
            (self.head if self.in_head else self.body).append(self.open)
        if not self.in_head and self._is_head(line, dated=dated):
            self.open.kind, self.open.level = "heading", 3

    def _is_listed(self, block: Block, line: Line) -> bool:
        """Return whether a line below the head of an entry is a statement without a bullet."""
        is_first = block.kind == "paragraph" and len(block.lines) == 1
        is_list = is_first or (block.kind == "point" and not self.levels)
        is_text = len(line.cells) == 1 and len(line.text) > _STATEMENT
        is_alike = self.style == line.first.style and self.kind in _OF_ENTRIES
        return is_list and is_text and is_alike and self._is_tight(line)

    def _is_head(self, line: Line, *, dated: bool) -> bool:
        """Return whether a line makes a block the head of an entry: by a date, or in bold."""
        if self.kind in _OF_ENTRIES:
            return dated or line.first.is_bold
        is_short = len(line.text.split()) <= 6 and not re.search(r"\d", line.text)
        return self.kind not in _OF_LABELS and line.first.is_bold and is_short

    def _begins(self, block: Block, line: Line, *, dated: bool) -> bool:
        """Return whether a line begins a block, and doesn't belong to the one that is open."""
        last = self.last
        if last is None or not self._is_tight(line):
            return True
        return (
            block.kind == "point"
            or (dated and (self.is_dated or last.text.endswith(".")))
            or (self.kind in _OF_LINES and self.style == line.first.style)
            or (self.is_dated and self.style == line.first.style != last.first.style)
            or len(block.lines) > _HEAD_LINES
        )

    def _is_tight(self, line: Line) -> bool:
        """Return whether a line follows the last as closely as the lines of an entry's head."""
        last = self.last or line
        usual = self.leading.get(line.order, 1.2) * max(line.size, last.size)
        close = 0 < last.y - line.y <= max(_LOOSE * usual, 1.3 * line.size)
        return close and last.column == line.column

    def _continues(self, block: Block, line: Line) -> bool:
        """Return whether a line goes on with the text of the one before it."""
        last, is_head = self.last, block.kind == "heading"
        if last is None or (is_head and is_aside(line.first.text)):
            return False
        above = plain(block.lines[-1])
        is_name = is_head and line.first.text[:1].isupper() and len(above) < _CONTACT
        if is_name and not _OPEN.search(above):
            # A name below another, rather than its end.
            return False
        if self.in_head and line.text.startswith("("):
            return last.column == line.column
        # Prose only: short lines of a head are facts of their own.
        is_fact = _is_contact(line) or len(last.text) < 50
        if self.in_head and is_fact and not last.text.endswith(("/", "-")):
            return False
        text = line.first.text
        if self.kind in _OF_ENTRIES and (dates.is_date(text) or lines.RANGE.match(text)):
            return False
        if self.kind in _OF_LABELS and _LABEL.match(line.text):
            return False
        return self._goes_on(last, line, hangs=not is_head)

    def _goes_on(self, last: Line, line: Line, *, hangs: bool) -> bool:
        """Return whether a line goes on with the one above; ``hangs``: it may be indented."""
        first, end = line.first, _end(last)
        is_row = len(line.cells) > 1 and not is_aside(line.cells[-1].text)
        if end is None or is_row or not _are_alike(end, first):
            return False
        small = first.text[:1].islower()
        gap, usual = last.y - line.y, self.leading.get(line.order, 1.2)
        if last.page != line.page or not 0 < gap <= min(_TIGHT, _LOOSE * usual) * line.size:
            return small and not end.text.endswith(".")
        if small and end.text.endswith("-"):
            return True
        indent = first.x0 - self.text_x
        # What stands far behind another text goes on below itself.
        before = max((cell.x1 for cell in last.cells if cell.x1 <= end.x0), default=end.x0)
        above = [end] if end.x0 - before > _FAR * line.size else last.cells
        under = any(abs(first.x0 - cell.x0) < 2.5 for cell in above)
        under |= hangs and 0 < indent < 4 * line.size
        centred = abs((first.x0 + first.x1) - (end.x0 + end.x1)) < 6
        is_below = above == last.cells and abs(indent) <= 2.5
        if not (is_below or under or centred):
            return False
        column, word = self.right.get(line.column, line.right), first.words[0]
        right = min([column, *(cell.x0 for cell in last.cells if cell.x0 > end.x1)])
        fits = end.x1 + 0.3 * line.size + word.x1 - word.x0 < right - 0.01 * (right - line.left)
        return not fits or (small and len(end.text) > _STATEMENT)


def _are_alike(end: Piece, first: Piece) -> bool:
    """Return whether the last cell of a line may go on with one: in size, and if it is bold."""
    pairs = ((end.style, first.style), (end.words[-1].style, first.words[0].style))
    is_small = first.text[:1].islower()
    return any(
        abs(one.size - other.size) <= 0.08 * one.size and (one.bold == other.bold or is_small)
        for one, other in pairs
    )


def _end(last: Line) -> Piece | None:
    """Return the last cell of a line's text; None if a date stands far from it."""
    end = last.cells[-1]
    if is_aside(end.text) and len(last.cells) > 1:
        before = last.cells[-2]
        return before if before.x1 >= last.left + 0.8 * (end.x0 - last.left) else None
    return end


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
