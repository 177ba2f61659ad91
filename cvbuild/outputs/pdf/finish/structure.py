"""Build the structure tree of a document from the pieces of its pages and its links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pikepdf
from msgspec import Struct, field
from pikepdf import Array, Dictionary, Name, String

from cvbuild.outputs.pdf.finish.marks import Piece, Step, steps
from cvbuild.outputs.pdf.latex.escape import unescape

_Box = tuple[float, float, float, float]
#: The flags of an annotation that is printed, and nothing else.
_PRINTED = 4
#: What a target may have around the text that shows it.
_BEFORE = ("", "https://", "https://www.", "http://", "mailto:", "tel:")


class _Element(Struct):
    """An element: what it becomes in the PDF, its page (from 0), and its children."""

    made: Any
    page: int = -1
    children: list[Any] = field(default_factory=list)


class Tree:
    """The structure tree of a document; ``shows`` says what each picture shows, by its file."""

    def __init__(self, document: pikepdf.Pdf, shows: Mapping[str, str]) -> None:
        self._document, self._shows = document, shows
        self._pages = list(document.pages)
        self._figures: dict[int, list[_Box]] = {}  # by page, where one is asked for
        self._root = self._document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        self._elements: dict[int, _Element] = {}
        self._others: list[_Element] = []  # links of other code
        self._owners: list[list[Any]] = [[] for _ in self._pages]
        self._boxes: dict[int, list[_Box]] = {}

    def build(self, pieces: Iterable[Piece], ids: Sequence[int]) -> None:
        """Add the tree to the document; ``ids`` are the numbers of ids on each page."""
        self._owners = [[None] * count for count in ids]
        for piece in sorted(pieces, key=lambda one: one.order):
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
                    numbers += [after, self._link(annotation, page)]
                    after += 1
            if "/Annots" in page.obj:
                page.obj.Tabs = Name.S
        self._close()
        self._root.K = Array([self._top.made])
        self._root.ParentTree = self._document.make_indirect(Dictionary(Nums=Array(numbers)))
        self._root.ParentTreeNextKey = after
        self._document.Root.StructTreeRoot = self._root
        self._document.Root.MarkInfo = Dictionary(Marked=True)

    def _add(self, piece: Piece) -> None:
        element = self._open(piece.path)
        page = self._pages[piece.page].obj
        if element.page < 0:
            element.page, element.made.Pg = piece.page, page
        if element.page == piece.page:
            element.children.append(piece.mcid)
        else:
            element.children.append(Dictionary(Type=Name.MCR, Pg=page, MCID=piece.mcid))
        self._owners[piece.page][piece.mcid] = element.made
        if piece.figures and piece.path[-1].role == "Figure":
            if piece.page not in self._figures:
                self._figures[piece.page] = _figures(self._pages[piece.page])
            boxes = self._boxes.setdefault(piece.path[-1].number, [])
            boxes += [self._figures[piece.page][number] for number in piece.figures]

    def _link(self, annotation: Any, page: pikepdf.Page) -> Any:
        """Add an annotation to its element, which is made if the link has no text of its own."""
        path = _described(annotation)
        if path:
            element = self._open(steps(path))
        else:
            element = self._new(self._top, Step("Link", "", 0))
            self._others.append(element)
        element.children.append(Dictionary(Type=Name.OBJR, Pg=page.obj, Obj=annotation))
        return element.made

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
        element = self._element(step.role, parent.made)
        parent.children.append(element.made)
        if step.role == "L" and step.attribute:
            numbering = Name(f"/{step.attribute}")
            element.made.A = Dictionary(O=Name.List, ListNumbering=numbering)
        elif step.role == "Figure":
            name = bytes.fromhex(step.attribute).decode("utf-8", "replace")
            element.made.Alt = String(self._shows.get(name, name))
        elif step.attribute:
            element.made.Lang = String(step.attribute)
        return element

    def _element(self, role: str, parent: Any) -> _Element:
        element = Dictionary(Type=Name.StructElem, S=Name(f"/{role}"), P=parent)
        return _Element(self._document.make_indirect(element))

    def _close(self) -> None:
        """Write the children of all elements, and the boxes of figures."""
        for element in (self._top, *self._elements.values(), *self._others):
            element.made.K = Array(element.children)
        for number, boxes in self._boxes.items():
            left, bottom, right, top = zip(*boxes, strict=True)
            box = (min(left), min(bottom), max(right), max(top))
            self._elements[number].made.A = Dictionary(
                O=Name.Layout, Placement=Name.Block, BBox=Array([round(side, 3) for side in box])
            )


def _described(annotation: Any) -> str:
    """Write the target and description of a link; return the path of its element.

    The marks give target and text as they are in the .tex. A link that isn't cvbuild's keeps its
    target, and its path is empty; PDF/A wants it printed.
    """
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
    annotation.Contents = String(_description(target, shown))
    del annotation["/CvbP"], annotation["/CvbT"]
    return str(path)


def _description(target: str, text: str) -> str:
    """Return the text of a link, with its target unless the text is that."""
    bare = text.replace(" ", "")
    if any(target in (f"{before}{bare}", f"{before}{bare}/") for before in _BEFORE):
        return text
    return f"{text} ({target})" if text else target


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
                figures.append(_box(page, matrix, step.operands[0]))
    return figures


def _box(page: pikepdf.Page, matrix: pikepdf.Matrix, name: Any) -> _Box:
    """Return the box of what is drawn under a name."""
    drawn: Any = page.resources.get("/XObject", {}).get(name, {})
    left, bottom, right, top = 0.0, 0.0, 1.0, 1.0
    if drawn.get("/Subtype") == "/Form":
        left, bottom, right, top = map(float, drawn.BBox)
        own = drawn.get("/Matrix")
        if own is not None:
            matrix = pikepdf.Matrix(*map(float, own)) @ matrix
    corners = [matrix.transform((x, y)) for x in (left, right) for y in (bottom, top)]
    across, up = zip(*corners, strict=True)
    return (min(across), min(up), max(across), max(up))
