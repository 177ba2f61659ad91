"""Judge the pages of finished PDFs: ``python -m tools.page_gate [--style NAME]... PERSON...``.

Paragraphs, headings and items are those of the PDF's structure tree, so nothing is guessed from
white space; where letters stand, pdfminer says. What a page may not have is in ``LIMITS``.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LTChar
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage

import cvbuild
from cvbuild.outputs.styles.templates import Library

#: Faults of all documents of a style: a part of the paragraphs of several lines, or a count.
LIMITS = {"stray": 0.05, "cut": 0, "single": 0, "split": 0, "short": 0, "name": 0}
WORDS = {
    "stray": "a stray word is the last line",
    "cut": "a word is cut without a hyphen",
    "single": "one item of a section stands alone on its page",
    "split": "a reference of five lines or fewer is on two pages",
    "short": "no line comes within 9 mm of the right edge",
    "name": "a name of 40 letters or fewer has several lines",
}
#: A last line of so few words and letters is stray.
_WORDS, _LETTERS = 2, 16
#: Letters at the end of a line and at the start of the next; together so many are no two words.
_END, _START, _LONG = re.compile(r"[^\W\d_]+$"), re.compile(r"[^\W\d_]+"), 31
#: The most lines of a reference that stays whole; the most letters of a name on one line.
_WHOLE, _NAME = 5, 40
#: Lines of which a document has enough to judge its right edge; points that they may lack.
_ENOUGH, _EDGE = 20, 9 / 25.4 * 72
#: Points from the left edge of the paper where only a second column begins.
_SECOND = 300
#: Seconds since 1970: the same pages on every day.
_EPOCH = 1_767_225_600


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a paragraph: its text, page from 0, baseline and edges in pt."""

    text: str
    page: int
    base: float
    left: float
    right: float


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
    """The faults of a document, and how many paragraphs have two lines or more."""

    faults: list[Fault] = field(default_factory=list)
    paragraphs: int = 0


@dataclass(slots=True)
class _Part:
    """An element: its role, its marked pieces by page and the elements in it, in their order."""

    role: str
    children: list[tuple[int, int] | _Part] = field(default_factory=list)

    @property
    def parts(self) -> list[_Part]:
        """The elements in it."""
        return [child for child in self.children if isinstance(child, _Part)]

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield all pieces in reading order, but for those of lists in it."""
        for child in self.children:
            if not isinstance(child, _Part):
                yield child
            elif child.role != "L":
                yield from child.pieces()


class _Places(PDFPageAggregator):
    """Collects the letters of each marked piece of a page."""

    def __init__(self, resources: PDFResourceManager) -> None:
        super().__init__(resources)
        self.letters: dict[int, list[LTChar]] = defaultdict(list)
        self._open: list[int | None] = []

    def begin_tag(self, tag: Any, props: Any = None) -> None:  # noqa: ARG002
        """Note the number of a marked piece."""
        self._open.append(props.get("MCID") if isinstance(props, dict) else None)

    def end_tag(self) -> None:
        """Forget it."""
        self._open.pop()

    def render_char(self, *given: Any, **more: Any) -> float:
        """Place a letter, and keep it with the piece that it is in."""
        width = super().render_char(*given, **more)
        last = self.cur_item._objs[-1] if self.cur_item._objs else None  # noqa: SLF001
        number = next((one for one in reversed(self._open) if one is not None), None)
        if number is not None and isinstance(last, LTChar):
            self.letters[number].append(last)
        return width


def judge(path: Path) -> Judged:
    """Return what is wrong with the pages of a tagged PDF."""
    letters = list(_letters(path))
    with pikepdf.open(path) as pdf:
        top = _tree(pdf)
    judged = Judged()
    rows = {id(part): _rows(part, letters) for part in _each(top)}
    for part in _each(top):
        mine = rows[id(part)]
        if part.role in ("P", "LBody") and mine and not any(one.role == "P" for one in part.parts):
            judged.faults += paragraph(mine)
            judged.paragraphs += len(mine) > 1
    judged.faults += _name(top, rows)
    judged.faults += _breaks(top, rows)
    judged.faults += _edge(top, rows)
    return judged


def _each(part: _Part) -> Iterator[_Part]:
    yield part
    for one in part.parts:
        yield from _each(one)


def _letters(path: Path) -> Iterator[dict[int, list[LTChar]]]:
    resources = PDFResourceManager()
    with path.open("rb") as file:
        for page in PDFPage.get_pages(file):
            places = _Places(resources)
            PDFPageInterpreter(resources, places).process_page(page)
            yield places.letters


def _tree(pdf: pikepdf.Pdf) -> _Part:
    pages = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}

    def part(node: Any, page: int) -> _Part:
        page = pages[node.Pg.objgen] if "/Pg" in node else page
        made = _Part(str(node.S)[1:])
        kids = node.get("/K", pikepdf.Array())
        for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
            if isinstance(kid, int):
                made.children.append((page, kid))
            elif kid.get("/Type") == "/MCR":
                made.children.append((pages[kid.Pg.objgen], int(kid.MCID)))
            elif kid.get("/Type") != "/OBJR":
                made.children.append(part(kid, page))
        return made

    root: Any = pdf.Root.StructTreeRoot
    (top,) = root.K if isinstance(root.K, pikepdf.Array) else [root.K]
    return part(top, 0)


def _rows(part: _Part, letters: Sequence[dict[int, list[LTChar]]]) -> list[Row]:
    """Return the lines of an element without those of lists in it."""
    found: list[tuple[int, list[LTChar]]] = []
    for page, number in part.pieces():
        for letter in letters[page].get(number, ()):
            last = found[-1] if found else None
            # A space has no place of its own, and small marks are raised.
            if last and (not letter.get_text().strip() or _is_beside(letter, page, last)):
                last[1].append(letter)
            elif letter.get_text().strip():
                found.append((page, [letter]))
    return [
        Row(
            "".join(letter.get_text() for letter in line).strip(),
            page,
            line[0].matrix[5],
            line[0].x0,
            max(letter.x1 for letter in line if letter.get_text().strip()),
        )
        for page, line in found
    ]


def _is_beside(letter: LTChar, page: int, line: tuple[int, list[LTChar]]) -> bool:
    return line[0] == page and abs(line[1][0].matrix[5] - letter.matrix[5]) < 0.5 * letter.size


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


def _name(top: _Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    for part in _each(top):
        mine = rows[id(part)]
        if part.role == "H1" and len(mine) > 1 and sum(len(row.text) for row in mine) <= _NAME:
            yield Fault("name", 0, " / ".join(row.text for row in mine))


def _breaks(top: _Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    for section in _sections(top):
        items = [pages for parts in _items(section) if (pages := _on(parts, rows))]
        counts = Counter(page for pages in items for page in pages)
        if len(items) > 2 and len(counts) > 1:
            for page in (min(counts), max(counts)):
                if counts[page] == 1:
                    yield Fault("single", page, rows[id(section[0])][0].text)
        for part in (one for group in section if group.role == "L" for one in _each(group)):
            mine = rows[id(part)]
            is_cited = part.role == "LBody" and 1 < len(mine) <= _WHOLE
            if is_cited and len({row.page for row in mine}) > 1:
                yield Fault("split", mine[0].page, mine[0].text)


def _sections(top: _Part) -> Iterator[list[_Part]]:
    """Yield the elements of each section, its title first."""
    section: list[_Part] = []
    for part in top.parts:
        if part.role == "H2":
            if section:
                yield section
            section = [part]
        elif section:
            section.append(part)
    if section:
        yield section


def _items(section: Sequence[_Part]) -> list[list[_Part]]:
    """Return the items of a section, each with its elements: entries, or what lists hold."""
    items: list[list[_Part]] = []
    for part, below in pairwise([*section, _Part("")]):
        if part.role == "H3" and below.role == "P":
            items.append([part])
        elif items:
            items[-1].append(part)
    return items or [[one] for part in section if part.role == "L" for one in part.parts]


def _on(parts: Sequence[_Part], rows: dict[int, list[Row]]) -> set[int]:
    """Return the pages where elements are."""
    return {row.page for part in parts for one in _each(part) for row in rows[id(one)]}


def _edge(top: _Part, rows: dict[int, list[Row]]) -> Iterator[Fault]:
    """Running text comes as near to the right edge as the dates do."""
    text = [
        row
        for part in _each(top)
        if part.role in ("P", "LBody") and len(rows[id(part)]) > 1
        for row in rows[id(part)][:-1]
    ]
    # Of a page with two columns, the second begins far from the left.
    if len(text) < _ENOUGH or max(row.left for row in text) > _SECOND:
        return
    edge = max(row.right for part in _each(top) for row in rows[id(part)])
    widest = max(text, key=lambda row: row.right)
    if widest.right < edge - _EDGE:
        yield Fault("short", widest.page, widest.text)


def faults(judged: Iterable[Judged]) -> list[str]:
    """Return what goes beyond ``LIMITS`` in the documents of a style."""
    every = list(judged)
    counts = Counter(fault.kind for one in every for fault in one.faults)
    several = sum(one.paragraphs for one in every)
    return [
        f"{WORDS[kind]}: {counts[kind]} of {several}"
        for kind, limit in LIMITS.items()
        if counts[kind] > (limit * several if isinstance(limit, float) else limit)
    ]


def main() -> int:
    """Build CVs and print what is wrong with their pages."""
    parser = argparse.ArgumentParser(prog="page_gate")
    parser.add_argument("--style", action="append", choices=Library.at().names())
    parser.add_argument("person", nargs="+")
    given = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for style in given.style or Library.at().names():
            made = cvbuild.build(given.person, templates=[style], out=Path(folder), epoch=_EPOCH)
            judged = {one.person: judge(one.path) for one in made if one.path}
            told = faults(judged.values())
            wrong += bool(told)
            sys.stdout.write(f"{style}: {'; '.join(told) or 'fine'}\n")
            for person, one in judged.items():
                sys.stdout.writelines(f"  {person}: {fault}\n" for fault in one.faults)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
