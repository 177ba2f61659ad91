"""Read the marks in the content of pages, and put marked-content ids in their place.

templates/_core/cvb-core-marks.sty writes the marks, each on a line of its own and outside of text
objects. They nest, and may begin on one page and end on another. What a PDF may hold is flat: a
sequence with an id belongs to one element, so the outer one is ended before an inner one begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pikepdf
from msgspec import Struct, field
from msgspec.structs import replace
from pikepdf import Array, Dictionary, Name, String

from cvbuild.outputs.pdf.latex import unescape

#: A mark; its number counts marks and elements, its path holds the open elements.
_MARK = re.compile(rb"/Cvb<</N (\d+)/P\(([^()\\]*)\)>>BDC")
_ARTIFACT = b"/Artifact BMC"
_BEGIN = re.compile(rb"(?:BDC|BMC)\s*$")
#: Operators that paint a path, a shading, an image or form; other code may write several in a line.
_PAINTS = re.compile(rb"(?:^|\s)(?:S|s|f|F|f\*|B|B\*|b|b\*|sh|Do|EI)(?=\s|$)")
_FIGURES = re.compile(rb"/\S+\s+Do\s*$")
_ACTUAL = re.compile(rb"/ActualText\s*(?:<[^<>]*>|\((?:[^()\\]|\\.)*\))")
#: The element for text that a template prints without a mark, or with a role that PDF doesn't have.
_ADOPTED = "P"
#: The roles of ISO 32000-1, 14.8.4, that a CV may need.
_ROLES = frozenset((
    "P", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Span", "Link", "Figure",
    "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "Quote", "Note", "Reference", "Code",
))  # fmt: skip


class UnbalancedError(ValueError):
    """A mark that ends nothing, or that nothing ends."""


class Step(Struct, frozen=True):
    """An open element: its role, the attribute beside it, and the number that tells it apart."""

    role: str
    attribute: str
    number: int


class Piece(Struct, frozen=True):
    """A part of a page that belongs to one element.

    ``order`` sorts the pieces of a document as they are read; ``path`` is from the outermost
    element in; ``figures`` are the numbers of the images on the page that are drawn in it, from 0.
    """

    order: tuple[int, int, int]
    page: int
    mcid: int
    path: tuple[Step, ...]
    figures: tuple[int, ...] = ()


class _Mark(Struct):
    """A mark that was begun: a piece's, an artifact's (no path), or a sequence of other code."""

    key: int = 0
    path: tuple[Step, ...] = ()
    foreign: bytes = b""
    """How the sequence of other code begins."""
    begun: bool = False
    """Whether that stands in the content, and is not ended yet."""
    shown: bool = False
    """Whether it stood there before: its text is read once."""


class Marks(Struct):
    """Reads the pages of a document, in their order."""

    pieces: list[Piece] = field(default_factory=list)
    adopted: int = 0
    """How many texts had no mark."""
    _stack: list[_Mark] = field(default_factory=list)
    _key: int = 0
    _page: int = -1
    _lines: list[bytes] = field(default_factory=list)
    _ids: int = 0
    _open: bool = False
    _piece: Piece | None = None
    """The open sequence, unless that is an artifact."""
    _figures: list[int] = field(default_factory=list)
    _drawn: int = 0

    def read(self, pages: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
        """Yield each page's content with ids, and how many there are; raises UnbalancedError."""
        for self._page, content in enumerate(pages):
            self._lines, self._ids, self._drawn = [], 0, 0
            in_text = False
            for line in content.split(b"\n"):
                is_begun = not in_text and (line == b"BT" or line.startswith(b"BT "))
                if is_begun:
                    self._begin(text=True)
                if in_text or is_begun:
                    in_text = line.rstrip()[-2:] != b"ET"
                    self._lines.append(line)
                else:
                    self._line(line)
            self._end()
            yield b"\n".join(self._lines), self._ids
        if self._stack:
            raise UnbalancedError("a mark is not ended")

    def _line(self, line: bytes) -> None:
        if line[:5] == b"/Cvb<" and (match := _MARK.fullmatch(line.rstrip())):
            self._end()
            self._key = int(match[1])
            self._stack.append(_Mark(self._key, steps(match[2].decode("latin-1"))))
        elif line.rstrip() == _ARTIFACT:
            self._end()
            self._stack.append(_Mark())
        elif line.rstrip() == b"EMC":
            if not self._stack:
                raise UnbalancedError(f"a mark on page {self._page + 1} ends nothing")
            if self._stack[-1].foreign:
                self._lines += [b"EMC"] if self._stack[-1].begun else []
                self._stack.pop()
                return
            self._end()
            last = self._stack.pop()
            for outer in self._stack:
                # What follows inside of an outer element is read after this one.
                outer.key = max(outer.key, last.key)
        elif _BEGIN.search(line):
            self._stack.append(_Mark(foreign=line))
        elif _PAINTS.search(line):
            self._begin()
            if _FIGURES.search(line):
                self._figures.append(self._drawn)
                self._drawn += 1
            self._lines.append(line)
        else:
            self._lines.append(line)

    def _begin(self, *, text: bool = False) -> None:
        """Begin the sequences that what follows belongs to, unless they are open."""
        # Where the innermost mark is in the stack; -1 if there is none.
        last = max((at for at, mark in enumerate(self._stack) if not mark.foreign), default=-1)
        if not self._open:
            mark = self._stack[last] if last >= 0 else _Mark()
            if last < 0 and text:
                self.adopted += 1
                mark = _Mark(self._key, (Step(_ADOPTED, "", -self.adopted),))
            self._open, self._figures = True, []
            if mark.path:
                role = mark.path[-1].role.encode("ascii")
                self._lines.append(b"/%s<</MCID %d>>BDC" % (role, self._ids))
                order = (mark.key, self._page, self._ids)
                self._piece = Piece(order, self._page, self._ids, mark.path)
                self._ids += 1
            else:
                self._lines.append(_ARTIFACT)
        for part in self._stack[last + 1 :]:
            if not part.begun:
                # The glyphs of a part that follows stand for nothing.
                again = _ACTUAL.sub(b"/ActualText<FEFF>", part.foreign)
                self._lines.append(again if part.shown else part.foreign)
                part.begun = part.shown = True

    def _end(self) -> None:
        """End the open sequence, and what other code has begun inside of it."""
        if not self._open:
            return
        for part in self._stack:
            if part.begun:
                self._lines.append(b"EMC")
                part.begun = False
        self._lines.append(b"EMC")
        if self._piece:
            self.pieces.append(replace(self._piece, figures=tuple(self._figures)))
        self._open, self._piece = False, None


def steps(path: str) -> tuple[Step, ...]:
    """Return the elements of a path, which names the innermost first: LBody:5/LI:4/L;Disc:3/."""
    every = []
    for part in filter(None, reversed(path.split("/"))):
        what, _, number = part.rpartition(":")
        role, _, attribute = what.partition(";")
        every.append(Step(role if role in _ROLES else _ADOPTED, attribute, int(number)))
    return tuple(every)


# -- the structure tree ---------------------------------------------------------------------------


_Box = tuple[float, float, float, float]
#: The flags of an annotation that is printed, and nothing else.
_PRINTED = 4
#: What a target may have around the text that shows it.
_BEFORE = ("", "https://", "https://www.", "http://", "mailto:", "tel:")


class _Element(Struct):
    """An element: what it becomes in the PDF, its page (from 0), and its children."""

    node: Any
    page: int = -1
    children: list[Any] = field(default_factory=list)


class Tree:
    """The structure tree of a document; ``shows`` says what each picture shows, by its file."""

    def __init__(self, document: pikepdf.Pdf, shows: Mapping[str, str]) -> None:
        self._document, self._shows, self._pages = document, shows, list(document.pages)
        self._figures: dict[int, list[_Box]] = {}  # by page, where one is asked for
        self._root = self._document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        top = Dictionary(Type=Name.StructElem, S=Name.Document, P=self._root)
        self._top = _Element(self._document.make_indirect(top))
        self._elements: dict[int, _Element] = {}
        self._others: list[_Element] = []  # links of other code
        self._owners: list[list[Any]] = [[] for _ in self._pages]
        self._boxes: dict[int, list[_Box]] = {}

    def build(self, pieces: Iterable[Piece], ids: Sequence[int]) -> None:
        """Add the tree to the document; ``ids`` are the numbers of ids on each page."""
        self._owners = [[None] * count for count in ids]
        for piece in sorted(pieces, key=lambda item: item.order):
            self._add(piece)
        numbers: list[Any] = []
        for number, (page, owners) in enumerate(zip(self._pages, self._owners, strict=True)):
            page.obj.StructParents = number
            numbers += [number, self._document.make_indirect(Array(owners))]
        after = len(self._pages)
        for page in self._pages:
            for annotation in page.obj.get("/Annots", ()):
                if annotation.get("/Subtype") == "/Link":
                    annotation.StructParent = after
                    if path := _described(annotation):
                        element = self._open(steps(path))
                    else:
                        # A link that has no text of its own.
                        element = self._new(self._top, Step("Link", "", 0))
                        self._others.append(element)
                    part = Dictionary(Type=Name.OBJR, Pg=page.obj, Obj=annotation)
                    element.children.append(part)
                    numbers += [after, element.node]
                    after += 1
            if "/Annots" in page.obj:
                page.obj.Tabs = Name.S
        for element in (self._top, *self._elements.values(), *self._others):
            element.node.K = Array(element.children)
        for number, boxes in self._boxes.items():
            left, bottom, right, top = zip(*boxes, strict=True)
            box = (min(left), min(bottom), max(right), max(top))
            self._elements[number].node.A = Dictionary(
                O=Name.Layout, Placement=Name.Block, BBox=Array([round(side, 3) for side in box])
            )
        self._root.K = Array([self._top.node])
        self._root.ParentTree = self._document.make_indirect(Dictionary(Nums=Array(numbers)))
        self._root.ParentTreeNextKey = after
        self._document.Root.StructTreeRoot = self._root
        self._document.Root.MarkInfo = Dictionary(Marked=True)

    def _add(self, piece: Piece) -> None:
        element = self._open(piece.path)
        page = self._pages[piece.page].obj
        if element.page < 0:
            element.page, element.node.Pg = piece.page, page
        if element.page == piece.page:
            element.children.append(piece.mcid)
        else:
            element.children.append(Dictionary(Type=Name.MCR, Pg=page, MCID=piece.mcid))
        self._owners[piece.page][piece.mcid] = element.node
        if piece.figures and piece.path[-1].role == "Figure":
            if piece.page not in self._figures:
                self._figures[piece.page] = _figures(self._pages[piece.page])
            boxes = self._boxes.setdefault(piece.path[-1].number, [])
            boxes += [self._figures[piece.page][number] for number in piece.figures]

    def _open(self, path: Iterable[Step]) -> _Element:
        """Return the element at the end of a path; those that don't exist are made."""
        element = self._top
        for step in path:
            inner = self._elements.get(step.number)
            if inner is None:
                inner = self._elements[step.number] = self._new(element, step)
            element = inner
        return element

    def _new(self, parent: _Element, step: Step) -> _Element:
        element = Dictionary(Type=Name.StructElem, S=Name(f"/{step.role}"), P=parent.node)
        node = self._document.make_indirect(element)
        parent.children.append(node)
        if step.role == "L" and step.attribute:
            node.A = Dictionary(O=Name.List, ListNumbering=Name(f"/{step.attribute}"))
        elif step.role == "Figure":
            name = bytes.fromhex(step.attribute).decode("utf-8", "replace")
            node.Alt = String(self._shows.get(name, name))
        elif step.attribute:
            node.Lang = String(step.attribute)
        return _Element(node)


def _described(annotation: Any) -> str:
    """Write the target and description of a link; return the path of its element."""
    # The marks give target and text as they are in the .tex. A link that isn't cvbuild's keeps its
    # target, and its path is empty; PDF/A wants it printed.
    path, text = annotation.get("/CvbP"), annotation.get("/CvbT")
    action = annotation.get("/A")
    if path is None or text is None or action is None or "/URI" not in action:
        if "/Contents" not in annotation:
            annotation.Contents = String(str(action.get("/URI", "")) if action is not None else "")
        annotation.F = _PRINTED
        return ""
    target = unescape(bytes(action.URI).decode("utf-8", "replace"))
    shown = unescape(bytes(text).decode("utf-8", "replace"))
    action.URI = String(target)
    # With its target, unless the text is that.
    bare = shown.replace(" ", "")
    if all(target not in (f"{before}{bare}", f"{before}{bare}/") for before in _BEFORE):
        shown = f"{shown} ({target})" if shown else target
    annotation.Contents = String(shown)
    del annotation["/CvbP"], annotation["/CvbT"]
    return str(path)


def _figures(page: pikepdf.Page) -> list[_Box]:
    """Return left, bottom, right and top, in pt, of all images and forms that a page draws."""
    figures = []
    matrix, saved = pikepdf.Matrix(), []
    for step in pikepdf.parse_content_stream(page, "q Q cm Do"):
        match str(step.operator):
            case "q":
                saved.append(matrix)
            case "Q":
                matrix = saved.pop() if saved else pikepdf.Matrix()
            case "cm":
                matrix = pikepdf.Matrix(*map(float, step.operands)) @ matrix
            case "Do":
                name: Any = step.operands[0]
                drawn: Any = page.resources.get("/XObject", {}).get(name, {})
                here, (left, bottom, right, top) = matrix, (0.0, 0.0, 1.0, 1.0)
                if drawn.get("/Subtype") == "/Form":
                    left, bottom, right, top = map(float, drawn.BBox)
                    if (transform := drawn.get("/Matrix")) is not None:
                        here = pikepdf.Matrix(*map(float, transform)) @ matrix
                corners = [here.transform((x, y)) for x in (left, right) for y in (bottom, top)]
                across, up = zip(*corners, strict=True)
                figures.append((min(across), min(up), max(across), max(up)))
    return figures
