"""CVs in Word's format: headings, paragraphs, lists and tables, text boxes, as blocks.

Styles are followed to those they are based on, so that a heading of any name is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, headings, parsers
from cvbuild.importers.documents import people
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block, Run, plain
from cvbuild.importers.parsers import Element
from cvbuild.importers.types import Given, Imported, Photo

_DOCUMENT = "word/document.xml"
_MEDIA = re.compile(r"media/[\w.-]+\.(?:png|jpe?g)", re.IGNORECASE)
#: Widest picture of a person, in Word's units of 1/360,000 cm: others are banners.
_WIDEST = 8 * 360_000
#: Height of a picture of a person, in its widths.
_LEAST, _MOST = 0.9, 2.0
#: How the note on a picture begins.
_LOST = "image: "
#: Bytes of all parts that are read, unpacked: a CV has a tenth of a megabyte.
_LARGEST = 4 << 20
_MARGINS = re.compile(r"word/(?:header|footer)\d*\.xml")
_EMBEDDED = re.compile(r"word/(?:embeddings|activeX|charts|diagrams/data)[^/]*/?[^/]*")
_CONTACT = re.compile(r"@|https?:|www\.|\+?\d[\d ()-]{7,}")
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|word/(?:document|styles|numbering|footnotes|endnotes"
    r"|header\d*|footer\d*)\.xml|word/_rels/[\w.]+\.rels"
)


class Format:
    """A CV of Word or LibreOffice; what its texts mean is guessed."""

    def recognises(self, given: Given) -> bool:
        """Return whether an archive is a text of Word."""
        is_archive = given.has_parts and not given.is_folder
        return is_archive and _DOCUMENT in given.files.names

    def read(self, given: Given) -> Imported:
        """Read the paragraphs; headers and footers first, which often have the address."""
        from cvbuild.importers.documents import rough

        draft = Draft(given.name, is_rough=True)
        trees = _trees(given, draft)
        blocks = _blocks(given, trees, draft)
        if not any(one.kind != "lost" for one in blocks):
            raise _error(given, "there is no text in it", "is the text a picture?")
        rough.fill(draft, _name_first(blocks))
        found = draft.done()
        data = _portrait(given, trees)
        note = next((one.note for one in found.lost if one.note.message.startswith(_LOST)), None)
        return replace(found, photo=Photo(data, note)) if data and note else found


def _error(given: Given, message: str, hint: str) -> CvbuildError:
    return CvbuildError.because("docx", message, hint, Span(given.name))


def _trees(given: Given, draft: Draft) -> dict[str, Element]:
    """Return the parts that have texts; raise CvbuildError for what no CV has."""
    found: dict[str, Element] = {}
    size = 0
    for name in filter(_PARTS.fullmatch, given.files.names):
        data = given.files.read(name) or b""
        size += len(data)
        if size > _LARGEST:
            message = f"more than {_LARGEST >> 20} MiB of text"
            raise _error(given, message, "is it a CV? Save it anew, or copy its text to a new file")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            message = f"{name} has a document type or another encoding, which Word doesn't write"
            raise _error(given, message, "save it with Word or LibreOffice as .docx")
        try:
            found[name] = parsers.parse_xml(data, name)
        except CvbuildError as error:
            # Only the text itself has to be whole.
            if name != _DOCUMENT:
                draft.lose("part that can't be read", name, Span(given.name))
                continue
            fact, hint = f"{name} is damaged", "open it in Word or LibreOffice and save it"
            if error.diagnostics[0].code == "xml-limit":
                fact = "too many tables or fields inside each other"
                hint = "copy the text to a new document"
            raise _error(given, fact, hint) from None
    return found


def _blocks(given: Given, trees: Mapping[str, Element], draft: Draft) -> list[Block]:
    """Return the blocks of the headers and footers that say something, then those of the text."""
    styles = _Styles(trees.get("word/styles.xml"))
    place = Span(given.name)

    def read(name: str) -> list[Block]:
        links = {
            key: one.attributes.get("Target", "")
            for key, one in _relations(trees, name).items()
            if one.attributes.get("TargetMode") == "External"
        }
        reader = _Reader(styles, links, lambda what, text: draft.lose(what, text, place))
        return reader.blocks(trees[name].first("body") or trees[name]) if name in trees else []

    body = read(_DOCUMENT)
    for note in (*read("word/footnotes.xml"), *read("word/endnotes.xml")):
        draft.lose("footnote", note.plain, place)
    whole = " ".join(one.plain for one in body)
    before: list[Block] = []
    for name in sorted(filter(_MARGINS.fullmatch, trees)):
        blocks = read(name)
        if all(one.plain in whole for one in blocks):
            continue
        text = " ".join(one.plain for one in blocks)
        whole += f" {text}"
        if "header" in name or _CONTACT.search(text):
            before += blocks
        elif re.search(r"[^\W\d_]{3}", re.sub(r"(?i)page|seite|of|von", "", text)):
            draft.lose("footer", text, place)
    for name in filter(_EMBEDDED.fullmatch, given.files.names):
        draft.lose("embedded object", name, place)
    return [*before, *body]


def _name_first(blocks: list[Block]) -> list[Block]:
    """Return blocks, first the only one in the largest type: the name, though a box may have it."""
    sizes = Counter(run.size for one in blocks for run in one.runs for _ in run.text)
    usual, largest = sizes.most_common(1)[0][0], max(sizes)
    found = [one for one in blocks if any(run.size == largest for run in one.runs)]
    if len(found) > 1 or largest < 1.5 * usual or not people.may_be_name(plain(found[0].lines[0])):
        return blocks
    rest = [one for one in blocks if one is not found[0]]
    return [replace(found[0], kind="heading", level=1, cell=0), *rest]


def _relations(trees: Mapping[str, Element], name: str) -> dict[str, Element]:
    """Return what a part refers to, by its id."""
    root = trees.get(f"word/_rels/{name.rpartition('/')[2]}.rels")
    return {one.attributes.get("Id", ""): one for one in (root.all("Relationship") if root else [])}


def _portrait(given: Given, trees: Mapping[str, Element]) -> bytes | None:
    """Return the picture of a person: the first one, upright, before the first section; or None."""
    inner: dict[str, Element] = {}
    for one in trees[_DOCUMENT].walk():
        if "pic" in inner or (one.name == "p" and headings.exact_kind_of(one.text)):
            break
        inner = {deep.name: deep for deep in one.walk()} if one.name == "drawing" else {}
    if not {"pic", "extent", "blip"} <= inner.keys():
        return None
    size = [inner["extent"].attributes.get(key, "") for key in ("cx", "cy")]
    width, height = (int(one) if re.fullmatch("[0-9]{1,9}", one) else 0 for one in size)
    linked = _relations(trees, _DOCUMENT).get(inner["blip"].attributes.get("embed", ""))
    target = linked.attributes.get("Target", "") if linked else ""
    if not (0 < width <= _WIDEST and _LEAST * width <= height <= _MOST * width):
        return None
    try:
        return given.files.read(f"word/{target}") if _MEDIA.fullmatch(target) else None
    except CvbuildError:
        return None


# -- what styles say -------------------------------------------------------------------------------

_HEADING = re.compile(
    r"(?i)(?:heading|überschrift|titre|t[íi]tulo|titolo|kop|rubrik|nagłówek|nadpis) ?([1-9])"
)
_TITLES = ("title", "name", "titel", "titre", "título")
_LIST = re.compile(r"(?i)(?:list (?:bullet|number)?|aufzählungszeichen) ?(\d)?")
#: Styles of other styles that are followed.
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class _Look:
    """What a style says: the level of a heading or -1 for none, that of a point, marks.

    ``size`` is that of the type in pt.
    """

    heading: int = -1
    point: int = -1
    marks: frozenset[str] = frozenset()
    size: float = 10.0


class _Styles:
    """The styles of a document by their ids."""

    def __init__(self, root: Element | None) -> None:
        listed = root.all("style") if root else []
        self._styles = {one.attributes.get("styleId", ""): one for one in listed}
        self._looks: dict[str, _Look] = {}
        base = root.first("docDefaults", "rPrDefault") if root else None
        self._default = _of_type(base, _Look()) if base else _Look()
        standard = (key for key, one in self._styles.items() if one.attributes.get("default"))
        self.normal = next(standard, "")

    def look(self, key: str, depth: int = 0) -> _Look:
        """Return what a style and those it is based on say."""
        style = self._styles.get(key)
        if style is None or depth > _DEEPEST:
            return self._default
        if key not in self._looks:
            base = self.look(_value(style.first("basedOn")), depth + 1)
            self._looks[key] = _of_style(style, base)
        return self._looks[key]


def _of_style(style: Element, look: _Look) -> _Look:
    """Return the look of a style by its name and its properties."""
    look = _of_type(style, look)
    if style.attributes.get("type") == "character":
        return look
    name = _value(style.first("name")).casefold()
    if found := _HEADING.fullmatch(name):
        return replace(look, heading=int(found[1]), point=-1)
    if name in _TITLES:
        return replace(look, heading=1)
    listed = _LIST.fullmatch(name)
    look = _of_paragraph(style, look)
    return replace(look, point=int(listed[1] or 1) - 1) if listed else look


def _of_paragraph(element: Element, look: _Look) -> _Look:
    """Return a look with the level in the outline, and in a list, that a paragraph or a style has.

    What a number stands for is no number in some documents.
    """
    outline = _number(element.first("pPr", "outlineLvl"))
    if outline is not None:
        look = replace(look, heading=outline + 1 if outline < 9 else -1)
    if listed := element.first("pPr", "numPr"):
        level = _number(listed.first("ilvl")) or max(look.point, 0)
        look = replace(look, point=-1 if _value(listed.first("numId")) == "0" else level)
    return look


def _of_type(element: Element, look: _Look) -> _Look:
    """Return a look with what the properties of a run, or of a style's, change."""
    marks = set(look.marks)
    for name, mark in (("b", "strong"), ("i", "em"), ("vanish", "hidden")):
        if one := element.first("rPr", name):
            is_on = one.attributes.get("val", "1") not in ("0", "false", "off")
            marks = marks | {mark} if is_on else marks - {mark}
    height = _value(element.first("rPr", "vertAlign"))
    marks |= {height[:3]} & {"sup", "sub"}
    size = (_number(element.first("rPr", "sz")) or 2 * look.size) / 2
    return replace(look, marks=frozenset(marks), size=size)


def _value(element: Element | None) -> str:
    return element.attributes.get("val", "") if element else ""


def _number(element: Element | None) -> int | None:
    """Return the number that is the value of an element; None for what isn't one in a document."""
    found = re.fullmatch(r"[0-9]{1,6}", _value(element))
    return int(found[0]) if found else None


# -- blocks ----------------------------------------------------------------------------------------

_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
#: Elements around runs that say nothing of their own; what is deleted is not among them.
_AROUND = frozenset(
    ("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml",
     "dir", "bdo", "oMath", "oMathPara", "sub", "sup", "e", "num", "den", "sSup", "sSub", "f")
)  # fmt: skip
#: A bullet that stands at a word.
_HYPHEN = re.compile(r"[-–*](?=[^\W\d_])")
#: Icons of fonts, which have no meaning as letters, and lines drawn with letters.
_ICONS = re.compile("[\ue000-\uf8ff]|_{4,}")
#: Numbers of cells.
_CELLS = count(1)


class _Reader:
    """Reads one part; ``links`` has the addresses by their ids, ``lose`` is told of images."""

    def __init__(
        self, styles: _Styles, links: Mapping[str, str], lose: Callable[[str, str], None]
    ) -> None:
        self.styles = styles
        self.links = links
        self.lose = lose
        #: Of the paragraph that is read: its lines, its text boxes.
        self._lines: list[list[Run]] = []
        self._boxes: list[Block] = []
        #: What the fields that are open say.
        self._fields: list[str] = []

    def blocks(self, parent: Element) -> list[Block]:
        """Return the blocks of a document, a header, a footer or a note."""
        found: list[Block] = []
        for child in parent.children:
            match child.name:
                case "p":
                    found += self._paragraph(child)
                case "tbl":
                    for row in _outermost(child, "tr"):
                        found += _row([self.blocks(cell) for cell in _outermost(row, "tc")])
                case "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "footnote" | "endnote":
                    found += self.blocks(child)
        return found

    def _paragraph(self, paragraph: Element) -> list[Block]:
        key = _value(paragraph.first("pPr", "pStyle")) or self.styles.normal
        look = _of_paragraph(paragraph, self.styles.look(key))
        outer = self._lines, self._boxes
        self._lines, self._boxes = [[]], []
        self._runs(paragraph, look, "")
        lines, boxes = [_trimmed(line) for line in self._lines if plain(line)], self._boxes
        self._lines, self._boxes = outer
        kind = "paragraph" if look.point < 0 else "point"
        if lines and look.heading < 1 and _HYPHEN.match(lines[0][0].text):
            kind, lines[0][0] = "point", replace(lines[0][0], text=lines[0][0].text[1:])
        block = Block(kind, lines, max(look.point, 0))
        if look.heading > 0:
            block = Block("heading", lines, look.heading)
        return [block, *boxes] if lines else boxes

    def _runs(self, parent: Element, look: _Look, url: str) -> None:
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

    def _run(self, run: Element, look: _Look, url: str) -> None:
        style = _value(run.first("rPr", "rStyle"))
        marks = look.marks | (self.styles.look(style).marks if style else frozenset())
        own = _of_type(run, replace(look, marks=marks))
        if "hidden" in own.marks:
            return
        for part in run.children:
            text = ""
            match part.name:
                case "t" if all("\n" in one for one in self._fields):
                    text = _ICONS.sub(" ", part.text.replace("\n", " "))
                case "tab" | "ptab":
                    text = "\t"
                case "br" | "cr":
                    self._lines.append([])
                case "noBreakHyphen":
                    text = "\u2011"
                case "sym":
                    text = "" if plain(self._lines[-1]) else "• "
                case "instrText" if self._fields:
                    self._fields[-1] += part.text
                case "fldChar":
                    self._field(part.attributes.get("fldCharType", ""))
                case "drawing" | "pict" | "object" | "AlternateContent":
                    self._drawn(part)
            found = _LINK.search(" ".join(self._fields))
            self._lines[-1].append(
                Run(text, own.marks, url or (found[1] if found else ""), own.size)
            )

    def _field(self, kind: str) -> None:
        """Go on in a field: its name stands before a line's end, behind it is what it shows."""
        if kind == "begin":
            self._fields.append("")
        elif kind == "separate" and self._fields:
            self._fields[-1] += "\n"
        elif kind == "end":
            self._fields = self._fields[:-1]

    def _drawn(self, drawing: Element) -> None:
        """Take the text of boxes, once: Word writes each in two forms."""
        forms = [one for one in drawing.children if one.name in ("Choice", "Fallback")] or [drawing]
        boxes = next(filter(None, (list(_outermost(one, "txbxContent")) for one in forms)), [])
        for box in boxes:
            self._boxes += self.blocks(box)
        inner = {one.name: one for one in forms[0].walk()}
        if not boxes and ("pic" in inner or "imagedata" in inner):
            words = inner["docPr"].attributes.get("descr", "") if "docPr" in inner else ""
            self.lose("image", words or "without a description")


def _row(cells: list[list[Block]]) -> list[Block]:
    """Return the blocks of a row: a line with tabs, and what is under it in its last cell.

    The further lines of its longest cell are further lines of the row. A title beside a text is a
    heading. Where other cells have several blocks, they are columns of a page: one after the
    other.
    """
    for cell in cells:
        lines = [line for block in cell for line in block.lines]
        # A date may be in several lines.
        for between in (" ", " – ") if len(lines) > 1 else ():
            if dates.is_date(between.join(map(plain, lines))):
                whole = [run for line in lines for run in (Run(between), *line)][1:]
                cell[:] = [replace(cell[0], kind="paragraph", lines=[whole])]
    full = [cell for cell in cells if cell]
    if len(full) == 2 and len(full[0]) == 1 and len(full[0][0].lines) == 1:
        (title,), text = full
        is_prose = len(text) > 1 or len(text[0].lines) > 1 or len(text[0].plain) > 40
        is_prose &= title.kind != "point" and all(one.kind != "heading" for one in text)
        if is_prose and headings.is_title(title.plain):
            return [replace(title, kind="heading", level=2), *_row([text])]
    is_line = len(full) > 1 and full[-1][0].kind == "paragraph"
    is_line &= all(len(cell) == 1 and cell[0].kind == "paragraph" for cell in full[:-1])
    if not is_line or sum(len(cell[0].lines) > 2 for cell in full) > 1:
        numbers = {id(cell): next(_CELLS) for cell in full}
        return [replace(one, cell=one.cell or numbers[id(cell)]) for cell in full for one in cell]
    runs: list[Run] = []
    longest = max((cell[0] for cell in full), key=lambda one: len(one.plain))
    for at, cell in enumerate(cells):
        runs += [Run("\t")] if at else []
        if cell:
            runs += cell[0].lines[0] if cell[0] is longest else cell[0].runs
    return [Block("row", [runs, *longest.lines[1:]]), *full[-1][1:]]


def _outermost(parent: Element, name: str) -> Iterator[Element]:
    """Yield the elements of a name that are in no other of them, such as a table's own rows."""
    for child in parent.children:
        if child.name == name:
            yield child
        else:
            yield from _outermost(child, name)


def _trimmed(line: list[Run]) -> list[Run]:
    """Return a line that has words without the blanks and tabs around it."""
    while not line[0].text.strip():
        line = line[1:]
    while not line[-1].text.strip():
        line = line[:-1]
    line = [replace(line[0], text=line[0].text.lstrip()), *line[1:]]
    return [*line[:-1], replace(line[-1], text=line[-1].text.rstrip())]
