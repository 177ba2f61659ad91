"""Read the elements of a tagged PDF, and where the lines of each stand.

The structure tree says what a paragraph, a heading or an item is; where its letters stand, pdfminer
says; what ink they have, PDFium.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pikepdf
import pypdfium2
import pypdfium2.raw as pdfium
from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LTChar
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a paragraph: its text, page from 0, baseline and edges in pt."""

    text: str
    page: int
    base: float
    left: float
    right: float


@dataclass(slots=True)
class Part:
    """An element: its role, its marked pieces by page and the elements in it, in their order."""

    role: str
    children: list[tuple[int, int] | Part] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        """The elements in it."""
        return [child for child in self.children if isinstance(child, Part)]

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Yield all pieces in reading order, but for those of lists in it."""
        for child in self.children:
            if not isinstance(child, Part):
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


def each(part: Part) -> Iterator[Part]:
    """Yield an element and all in it, in reading order."""
    yield part
    for one in part.parts:
        yield from each(one)


#: The letters of each marked piece, of each page.
Letters = Sequence[dict[int, list[LTChar]]]


def letters(path: Path) -> Iterator[dict[int, list[LTChar]]]:
    """Yield the letters of each page by the number of their marked piece."""
    resources = PDFResourceManager()
    with path.open("rb") as file:
        for page in PDFPage.get_pages(file):
            places = _Places(resources)
            PDFPageInterpreter(resources, places).process_page(page)
            yield places.letters


def tree(path: Path) -> Part:
    """Return the document's element, with all others in it."""
    with pikepdf.open(path) as pdf:
        return _tree(pdf)


def _tree(pdf: pikepdf.Pdf) -> Part:
    pages = {page.obj.objgen: number for number, page in enumerate(pdf.pages)}

    def part(node: Any, page: int) -> Part:
        page = pages[node.Pg.objgen] if "/Pg" in node else page
        made = Part(str(node.S)[1:])
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


def rows(part: Part, letters: Letters) -> list[Row]:
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


class Ink(NamedTuple):
    """A drawn letter: its text, baseline, size and the edges of its ink, in pt, y upwards."""

    text: str
    base: float
    size: float
    left: float
    bottom: float
    right: float
    top: float


def inks(path: Path) -> Iterator[list[list[Ink]]]:
    """Yield the lines of each page from the top, each with the ink of its letters."""
    with pypdfium2.PdfDocument(path) as document:
        for page in document:
            text = page.get_textpage()
            found = [_ink(text, at) for at in range(text.count_chars())]
            yield _lines([one for one in found if one.text.strip() and one.top > one.bottom])


def _ink(text: pypdfium2.PdfTextPage, at: int) -> Ink:
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, at, x, y)
    letter = chr(pdfium.FPDFText_GetUnicode(text, at)).strip("\0\ufffe")
    size = pdfium.FPDFText_GetFontSize(text, at)
    return Ink(letter, y.value, size, *text.get_charbox(at))


def _lines(letters: Sequence[Ink]) -> list[list[Ink]]:
    """Return letters by their baselines: what is raised a little belongs to the line below."""
    found: list[list[Ink]] = []
    for one in sorted(letters, key=lambda one: -one.base):
        if found and found[-1][-1].base - one.base < 0.5 * max(one.size, found[-1][-1].size):
            found[-1].append(one)
        else:
            found.append([one])
    return found
