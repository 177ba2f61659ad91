"""The text of a part of Word's format as blocks: headings, paragraphs, points, rows of tables.

Styles are followed to those they are based on, so that a heading of any name is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from cvbuild.importers.parsers import Element
from cvbuild.importers.words.outline import Block, Run, plain, row_of

_HEADING = re.compile(
    r"(?i)(?:heading|überschrift|titre|t[íi]tulo|titolo|kop|rubrik|nagłówek|nadpis) ?([1-9])"
)
_TITLES = ("title", "name", "titel", "titre", "título")
_LIST = re.compile(r"(?i)list (?:bullet|number|paragraph)? ?(\d)?|aufzählungszeichen ?(\d)?")
#: Styles of other styles that are followed.
_DEEPEST = 20


_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
#: Elements around runs that say nothing of their own; what is deleted is not among them.
_AROUND = frozenset(
    ("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml",
     "dir", "bdo", "oMath", "oMathPara", "sub", "sup", "e", "num", "den", "sSup", "sSub", "f")
)  # fmt: skip
#: Icons of fonts, which have no meaning as letters.
_ICONS = re.compile("[\ue000-\uf8ff]")
_WHITE = " \t\u00a0"


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says: the level of a heading or -1 for none, that of a point, marks.

    ``size`` is that of the type in pt.
    """

    heading: int = -1
    point: int = -1
    marks: frozenset[str] = frozenset()
    size: float = 10.0


class Styles:
    """The styles of a document by their ids."""

    def __init__(self, root: Element | None) -> None:
        listed = root.all("style") if root else []
        self._styles = {one.attributes.get("styleId", ""): one for one in listed}
        self._looks: dict[str, Look] = {}
        base = root.first("docDefaults", "rPrDefault", "rPr") if root else None
        standard = (key for key, one in self._styles.items() if one.attributes.get("default"))
        self._default = of_run(base, Look())
        self._normal = next(standard, "")

    def look(self, key: str) -> Look:
        """Return what a style and those it is based on say; the standard one's without a key."""
        chain: list[Element] = []
        step = key or self._normal
        while step in self._styles and len(chain) < _DEEPEST:
            chain.append(self._styles[step])
            step = value(chain[-1].first("basedOn"))
        if key not in self._looks:
            look = self._default
            for one in reversed(chain):
                look = _of_style(one, look)
            self._looks[key] = look
        return self._looks[key]


def _of_style(style: Element, look: Look) -> Look:
    name = value(style.first("name")).casefold()
    look = of_run(style.first("rPr"), look)
    if style.attributes.get("type") == "character":
        return look
    outline = number(style.first("pPr", "outlineLvl"))
    if found := _HEADING.fullmatch(name):
        return replace(look, heading=int(found[1]), point=-1)
    if name in _TITLES:
        return replace(look, heading=1)
    if outline is not None:
        return replace(look, heading=outline + 1 if outline < 9 else -1)
    listed = _LIST.fullmatch(name)
    if listed and "paragraph" not in name:
        return replace(look, point=int(listed[1] or listed[2] or 1) - 1)
    return of_numbers(style.first("pPr"), look)


def of_numbers(properties: Element | None, look: Look) -> Look:
    """Return a look with the level of a list that a paragraph is in."""
    listed = properties.first("numPr") if properties else None
    if listed is None:
        return look
    if value(listed.first("numId")) == "0":
        return replace(look, point=-1)
    return replace(look, point=number(listed.first("ilvl")) or max(look.point, 0))


def of_run(properties: Element | None, look: Look) -> Look:
    """Return a look with what a run's properties change."""
    if properties is None:
        return look
    marks = set(look.marks)
    for name, mark in (("b", "strong"), ("i", "em"), ("caps", "caps"), ("vanish", "hidden")):
        if element := properties.first(name):
            is_on = element.attributes.get("val", "1") not in ("0", "false", "off")
            marks = marks | {mark} if is_on else marks - {mark}
    height = value(properties.first("vertAlign"))
    marks |= {"sup"} if height == "superscript" else {"sub"} if height == "subscript" else set()
    half_points = number(properties.first("sz"))
    return replace(look, marks=frozenset(marks), size=half_points / 2 if half_points else look.size)


def value(element: Element | None) -> str:
    """Return the value of an element, empty if there is none."""
    return element.attributes.get("val", "") if element else ""


def number(element: Element | None) -> int | None:
    """Return the number that is the value of an element; None for what isn't one in a document."""
    found = re.fullmatch(r"[0-9]{1,6}", value(element))
    return int(found[0]) if found else None


@dataclass(eq=False)
class Reader:
    """Reads one part; ``links`` has the addresses by their ids, ``lose`` is told of images."""

    styles: Styles
    links: Mapping[str, str]
    lose: Callable[[str, str], None]

    def __post_init__(self) -> None:
        self._lines: list[list[Run]] = []
        self._size = 0.0
        self._boxes: list[Block] = []
        #: Fields that are open: what they say, and whether their text has begun.
        self._fields: list[list[str]] = []

    def read(self, root: Element) -> list[Block]:
        """Return the blocks of a document, a header, a footer or a note."""
        return self._blocks(root.first("body") or root)

    def _blocks(self, parent: Element) -> list[Block]:
        blocks: list[Block] = []
        for child in parent.children:
            match child.name:
                case "p":
                    blocks += self._paragraph(child)
                case "tbl":
                    blocks += self._table(child)
                case "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "footnote" | "endnote":
                    blocks += self._blocks(child)
        return blocks

    def _table(self, table: Element) -> list[Block]:
        blocks: list[Block] = []
        for row in _inside(table, "tr"):
            cells = [self._blocks(cell) for cell in _inside(row, "tc")]
            blocks += row_of(cells)
        return blocks

    def _paragraph(self, paragraph: Element) -> list[Block]:
        properties = paragraph.first("pPr")
        key = value(properties.first("pStyle")) if properties else ""
        look = of_numbers(properties, self.styles.look(key))
        outline = number(properties.first("outlineLvl")) if properties else None
        if outline is not None and outline < 9:
            look = replace(look, heading=outline + 1)
        outer = self._lines, self._boxes
        self._lines, self._boxes = [[]], []
        self._runs(paragraph, look, "")
        lines, boxes = [_trimmed(line) for line in self._lines if plain(line)], self._boxes
        self._lines, self._boxes = outer
        if not lines:
            return boxes
        if look.heading > 0:
            block = Block("heading", lines, look.heading)
        else:
            block = Block("point" if look.point >= 0 else "paragraph", lines, max(look.point, 0))
        return [block, *boxes]

    def _runs(self, parent: Element, look: Look, url: str) -> None:
        for child in parent.children:
            if child.name == "r":
                self._run(child, look, url)
            elif child.name in _AROUND:
                key = child.attributes.get("id", "") if child.name == "hyperlink" else ""
                instruction = _LINK.search(child.attributes.get("instr", ""))
                inner = instruction[1] if instruction else self.links.get(key, url)
                self._runs(child, look, inner)
            elif child.name == "AlternateContent":
                self._drawn(child)

    def _run(self, run: Element, look: Look, url: str) -> None:
        properties = run.first("rPr")
        style = self.styles.look(value(properties.first("rStyle"))) if properties else Look()
        style = style if properties and properties.first("rStyle") else Look()
        own = of_run(properties, replace(look, marks=look.marks | style.marks))
        if "hidden" in own.marks:
            return
        marks = own.marks & {"strong", "em", "sup", "sub"}
        self._size = own.size
        for part in run.children:
            match part.name:
                case "t":
                    text = "".join(one for one in part.parts if isinstance(one, str))
                    self._text(_ICONS.sub(" ", text.replace("\n", " ")), marks, url)
                case "tab" | "ptab":
                    self._text("\t", marks, url)
                case "br" | "cr":
                    self._lines.append([])
                case "noBreakHyphen":
                    self._text("\u2011", marks, url)
                case "sym":
                    self._text("" if plain(self._lines[-1]) else "• ", marks, url)
                case "instrText" if self._fields:
                    self._fields[-1][0] += "".join(map(str, part.parts))
                case "fldChar":
                    self._field(part.attributes.get("fldCharType", ""))
                case "drawing" | "pict" | "object" | "AlternateContent":
                    self._drawn(part)

    def _text(self, text: str, marks: frozenset[str], url: str) -> None:
        code = next((one[0] for one in reversed(self._fields) if one[1]), "")
        if len(self._fields) > sum(bool(one[1]) for one in self._fields):
            return  # The name of a field, not what it shows.
        found = _LINK.search(code)
        self._lines[-1].append(Run(text, marks, url or (found[1] if found else ""), self._size))

    def _field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(["", ""])
        elif kind == "separate" and self._fields:
            self._fields[-1][1] = "shown"
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _drawn(self, drawing: Element) -> None:
        """Take the text of boxes, once: Word writes each in two forms."""
        parts = [one for one in drawing.children if one.name in ("Choice", "Fallback")]
        with_text = [one for one in parts if any(e.name == "txbxContent" for e in one.walk())]
        root = next(iter([*with_text, *parts]), drawing)
        boxes = [one for one in root.walk() if one.name == "txbxContent"]
        inner = {id(deep) for box in boxes for deep in box.walk() if deep is not box}
        for box in boxes:
            if id(box) not in inner:
                self._boxes += self._blocks(box)
        pictures = [one for one in root.walk() if one.name in ("pic", "imagedata")]
        if pictures and not boxes:
            told = next((one for one in root.walk() if one.name == "docPr"), None)
            words = told.attributes.get("descr", "") if told else ""
            self.lose("image", words or "without a description")


def _inside(parent: Element, name: str) -> Iterator[Element]:
    """Yield the elements of a name, also those in what an editor fills in."""
    for child in parent.children:
        if child.name == name:
            yield child
        elif child.name in ("sdt", "sdtContent", "customXml", "ins"):
            yield from _inside(child, name)


def _trimmed(line: list[Run]) -> list[Run]:
    """Return a line that has words without the blanks and tabs around it."""
    while not line[0].text.strip(_WHITE):
        line = line[1:]
    while not line[-1].text.strip(_WHITE):
        line = line[:-1]
    line = [replace(line[0], text=line[0].text.lstrip(_WHITE)), *line[1:]]
    return [*line[:-1], replace(line[-1], text=line[-1].text.rstrip(_WHITE))]
