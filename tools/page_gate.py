"""Judge the pages of finished PDFs, as tests/test_shapes.py does.

Paragraphs, headings and items are those of the PDF's structure tree, so nothing is guessed from
white space; where letters stand, pdfminer says. What a page may not have is in ``LIMITS``.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from statistics import median

from tools import pdf_parts
from tools.pdf_parts import Ink, Part, Row, each

#: Faults of all documents of a style: a part of the paragraphs of several lines and one more, or a
#: count. An item stands alone on its page where else there would be a hole.
LIMITS = {
    "stray": 0.1, "cut": 0, "single": 2, "split": 0, "hole": 0, "parted": 0, "name": 0,
    "touch": 0, "dead": 0, "stub": 0,
}  # fmt: skip
WORDS = {
    "stray": "a stray word is the last line",
    "cut": "a word is cut without a hyphen",
    "single": "one item of a section, of one line or two, stands alone on its page",
    "split": "a reference of five lines or fewer is on two pages",
    "hole": "more than 30 mm are empty at the foot of a page that isn't the last",
    "parted": "the last two of five bullets or more stand on a page that has room for a third",
    "name": "a name of 40 letters or fewer has several lines",
    "touch": "the ink of two lines is less than 1 pt apart",
    "dead": "a label in brackets links to nothing",
    "stub": "the last page is less than a quarter full",
}
#: Where lines of text that aren't the last of their paragraph end, in mm before the right edge: the
#: median, and the part of them that may end further off.
MEDIAN, FAR, PART = 10.0, 15.0, 0.3
#: Different distances between lines that a style may have: the median of its documents.
STEPS = 6
#: A last line of so few words and letters is stray.
_WORDS, _LETTERS = 2, 16
#: Letters at the end of a line and at the start of the next; together so many are no two words.
_END, _START, _LONG = re.compile(r"[^\W\d_]+$"), re.compile(r"[^\W\d_]+"), 31
#: Lines that don't look alone, as those of an entry.
_ENTRY = 3
#: The most lines of a reference that stays whole; the most letters of a name on one line.
_WHOLE, _NAME = 5, 40
#: Lines of which a style has enough to judge its right edge.
_ENOUGH = 60
#: Points at the foot of a page that are a hole; where a page's footer is, and where text may end.
_HOLE, _FOOTER, _FOOT = 30 / 25.4 * 72, 45, 23 / 25.4 * 72
#: Bullets of which no page begins with the last two; the height of a line, in pt.
_SEVERAL, _LINE = 5, 14
#: Points from the left edge of the paper where only a second column begins.
_SECOND = 300
#: Ink of two lines is so many pt apart at least, where letters are above each other.
_APART, _ABOVE = 1.0, 0.1
#: Distances between lines, in pt: more is a gap; those that differ by no more look equal.
_FARTHEST, _ALIKE = 60.0, 1.0
#: How full a last page is at least.
_FULL = 0.25
_LABEL = re.compile(r"\[[^\W\d_][\w ]{0,20}\]")
#: Seconds since 1970: the same pages on every day.
EPOCH = 1_767_225_600


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, with the text that it is about."""

    kind: str
    page: int
    text: str

    def __str__(self) -> str:
        return f"page {self.page + 1}: {WORDS[self.kind]}: {self.text[-60:]!r}"


@dataclass(slots=True)
class Judged:
    """The faults of a document, how many paragraphs have two lines or more, and its steps.

    ``steps`` are the different distances between the lines of a column, below the head; ``ends`` is
    how far before the right edge the lines end that others of their paragraph follow, in mm.
    """

    faults: list[Fault] = field(default_factory=list)
    paragraphs: int = 0
    steps: int = 0
    ends: list[float] = field(default_factory=list)


def judge(path: Path) -> Judged:
    """Return what is wrong with the pages of a tagged PDF."""
    letters = list(pdf_parts.letters(path))
    top = pdf_parts.tree(path)
    judged = Judged()
    rows = {id(part): pdf_parts.rows(part, letters) for part in each(top)}
    for part in each(top):
        mine = rows[id(part)]
        if part.role in ("P", "LBody") and mine and not any(one.role == "P" for one in part.parts):
            judged.faults += paragraph(mine)
            judged.faults += _dead(part, mine, letters)
            judged.paragraphs += len(mine) > 1
    judged.faults += _name(top, rows)
    judged.faults += _breaks(top, rows)
    judged.faults += _feet(top, rows)
    for page, lines in enumerate(pdf_parts.inks(path)):
        judged.faults += _touch(page, lines)
    judged.steps = _steps(top, rows)
    judged.ends = _ends(top, rows)
    return judged


def paragraph(rows: Sequence[Row]) -> Iterator[Fault]:
    """Yield what is wrong with the lines of a paragraph."""
    last, longest = rows[-1], max(row.right - row.left for row in rows)
    is_short = len(last.text.split()) <= _WORDS and len(last.text) < _LETTERS
    # In a narrow column a line of two words is no shorter than others.
    if len(rows) > 1 and is_short and last.right - last.left < longest / 3:
        yield Fault("stray", last.page, f"{rows[-2].text} / {last.text}")
    for row, below in pairwise(rows):
        parts = _END.search(row.text), _START.match(below.text)
        if all(parts) and sum(len(part[0]) for part in parts if part) >= _LONG:
            yield Fault("cut", row.page, f"{row.text} / {below.text}")


def _name(top: Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    for part in each(top):
        mine = rows[id(part)]
        if part.role == "H1" and len(mine) > 1 and sum(len(row.text) for row in mine) <= _NAME:
            yield Fault("name", 0, " / ".join(row.text for row in mine))


def _breaks(top: Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    for section in _sections(top):
        items = [lines for parts in _items(section) if (lines := _on(parts, rows))]
        pages = sorted({page for lines in items for page in lines})
        if len(items) > 2 and len(pages) > 1:
            for page in (pages[0], pages[-1]):
                alone = [len(lines[page]) for lines in items if page in lines]
                if len(alone) == 1 and alone[0] < _ENTRY:
                    yield Fault("single", page, rows[id(section[0])][0].text)
        for part in (one for group in section if group.role == "L" for one in each(group)):
            mine = rows[id(part)]
            is_cited = part.role == "LBody" and 1 < len(mine) <= _WHOLE
            if is_cited and len({row.page for row in mine}) > 1:
                yield Fault("split", mine[0].page, mine[0].text)


def _sections(top: Part) -> Iterator[list[Part]]:
    """Yield the elements of each section, its title first."""
    section: list[Part] = []
    for part in top.parts:
        if part.role == "H2":
            if section:
                yield section
            section = [part]
        elif section:
            section.append(part)
    if section:
        yield section


def _items(section: Sequence[Part]) -> list[list[Part]]:
    """Return the items of a section, each with its elements: entries, or what lists hold."""
    items: list[list[Part]] = []
    for part, below in pairwise([*section, Part("")]):
        if part.role == "H3" and below.role == "P":
            items.append([part])
        elif items:
            items[-1].append(part)
    return items or [[one] for part in section if part.role == "L" for one in part.parts]


def _on(parts: Sequence[Part], rows: dict[int, list[Row]]) -> dict[int, set[int]]:
    """Return the baselines of elements by their page."""
    lines = defaultdict[int, set[int]](set)
    for row in (row for part in parts for one in each(part) for row in rows[id(one)]):
        lines[row.page].add(round(row.base))
    return lines


def _ends(top: Part, rows: dict[int, list[Row]]) -> list[float]:
    text = [
        row
        for part in each(top)
        if part.role in ("P", "LBody") and len(rows[id(part)]) > 1
        for row in rows[id(part)][:-1]
    ]
    # Of a page with two columns, the second begins far from the left.
    if not text or max(row.left for row in text) > _SECOND:
        return []
    edge = max(row.right for part in each(top) for row in rows[id(part)])
    return [(edge - row.right) / 72 * 25.4 for row in text]


def _feet(top: Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    lowest: dict[int, Row] = {}
    head = 0.0
    for row in (row for part in each(top) for row in rows[id(part)] if row.base > _FOOTER):
        head = max(head, row.base)
        if row.page not in lowest or row.base < lowest[row.page].base:
            lowest[row.page] = row
    foot = min((row.base for row in lowest.values()), default=0)
    room = {page: row.base - min(foot, _FOOT) for page, row in lowest.items()}
    for page, row in lowest.items():
        if page < max(lowest) and room[page] > _HOLE:
            yield Fault("hole", page, row.text)
    final = max(lowest, default=0)
    if final and head - lowest[final].base + _LINE < _FULL * (head - min(foot, _FOOT) + _LINE):
        yield Fault("stub", final, lowest[final].text)
    for bullets in _bullets(top):
        third, *last = (_all(bullet, rows) for bullet in bullets[-3:])
        before, after = third[-1].page, last[0][0].page
        height = _LINE * len(third)
        has_room = room[after] > height and room[before] + height < _HOLE
        if third[0].page == before < after and has_room:
            yield Fault("parted", after, third[0].text)


def _bullets(top: Part) -> Iterator[list[Part]]:
    """Yield the bullets of each entry that has several."""
    entries = (entry for section in _sections(top) for entry in _items(section))
    lists = (part for entry in entries for part in entry if part.role == "L")
    yield from (part.parts for part in lists if len(part.parts) >= _SEVERAL)


def _dead(part: Part, mine: Sequence[Row], letters: pdf_parts.Letters) -> Iterator[Fault]:
    """A label such as [PDF] of a reference is a link."""
    unlinked = Part("P", [kid for kid in part.children if not isinstance(kid, Part)])
    text = " ".join(row.text for row in pdf_parts.rows(unlinked, letters))
    if part.role == "LBody" and (found := _LABEL.search(text)):
        yield Fault("dead", mine[0].page, found[0])


def _touch(page: int, lines: Sequence[Sequence[Ink]]) -> Iterator[Fault]:
    for number, upper in enumerate(lines):
        low = min(one.bottom for one in upper) - _APART
        # Of two columns the next line may be the other's.
        for lower in lines[number + 1 : number + 4]:
            near = [one for one in lower if one.top > low]
            if any(_is_above(*pair) for pair in product(upper, near)):
                text = ("".join(one.text for one in sorted(line)) for line in (upper, lower))
                yield Fault("touch", page, " / ".join(text))


def _is_above(one: Ink, other: Ink) -> bool:
    beside = min(one.right, other.right) - max(one.left, other.left)
    return beside > _ABOVE and one.bottom - other.top < _APART


def _text(rows: Sequence[Row]) -> str:
    return " ".join(row.text for row in rows)


def _steps(top: Part, rows: dict[int, list[Row]]) -> int:
    """Return how many different distances the lines of a column have; what occurs once is none."""
    body = [row for section in _sections(top) for part in section for row in _all(part, rows)]
    column, page, found = 0, 0, defaultdict[int, Counter[float]](Counter)
    for upper, lower in pairwise(body):
        if lower.page != page:
            column, page = 0, lower.page
        elif lower.base > upper.base + _FARTHEST:
            column += 1
        elif 1 < upper.base - lower.base < _FARTHEST:
            found[column][round(upper.base - lower.base, 1)] += 1
    return max((_different(counts) for counts in found.values()), default=0)


def _all(part: Part, rows: dict[int, list[Row]]) -> list[Row]:
    return [row for one in each(part) for row in rows[id(one)]]


def _different(counts: Counter[float]) -> int:
    groups: list[tuple[float, int]] = []
    for step, count in sorted(counts.items()):
        if groups and step - groups[-1][0] <= _ALIKE:
            groups[-1] = (groups[-1][0], groups[-1][1] + count)
        else:
            groups.append((step, count))
    return sum(count > 1 for _, count in groups)


def faults(judged: Iterable[Judged]) -> list[str]:
    """Return what goes beyond ``LIMITS`` in the documents of a style."""
    every = list(judged)
    counts = Counter(fault.kind for one in every for fault in one.faults)
    several = sum(one.paragraphs for one in every)
    told = [
        f"{WORDS[kind]}: {counts[kind]} of {several}"
        for kind, limit in LIMITS.items()
        if counts[kind] > (1 + limit * several if isinstance(limit, float) else limit)
    ]
    steps = median(one.steps for one in every) if every else 0
    if steps > STEPS:
        told.append(f"{steps:g} distances between lines, not {STEPS}")
    ends = [end for one in every for end in one.ends]
    if len(ends) >= _ENOUGH and (middle := median(ends)) > MEDIAN:
        told.append(f"half of the lines end {middle:.1f} mm before the right edge, or further")
    far = sum(end > FAR for end in ends)
    if len(ends) >= _ENOUGH and far > PART * len(ends):
        told.append(f"{far} of {len(ends)} lines end more than {FAR:g} mm before the right edge")
    return told
