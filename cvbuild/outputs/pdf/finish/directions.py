"""Reorder the lines of pages that hold text from right to left (UAX #9, rule L2).

pdfTeX knows one direction: it sets all text from left to right in the order in which it is read,
with marks where a run begins and ends (templates/_core/cvb-scripts.sty). So lines break as they
should, and marks for the structure, colours and links nest. Here each line gets its own order:
glyphs of a run from right to left are mirrored within the run, runs within the run around them. A
page that runs right to left is mirrored as a whole: what TeX sets on the left is drawn right.

Text objects are on lines of their own, as are the marks; fonts have one byte per glyph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import pikepdf
from msgspec import Struct, field
from msgspec.structs import replace

_MOVE = re.compile(rb"1 0 0 1 (\S+) (\S+) cm\s*")
_DRAWN = re.compile(rb"(/\S+) Do\s*")
#: templates/_core/cvb-core-page.sty writes it for pages that are mirrored.
MIRRORED = "/CvbMirrored"


def ordered(document: pikepdf.Pdf, contents: Iterable[bytes]) -> list[bytes]:
    """Return pages with their lines in order, and move links; raises ValueError for odd content."""
    # The directions of the runs that go on at the end of a page; widths of glyphs by font.
    going_on: list[bool] = []
    known: dict[tuple[int, int], Widths] = {}
    turned = []
    for page, content in zip(document.pages, contents, strict=True):
        mirrored = MIRRORED in page.obj
        if mirrored:
            del page.obj[MIRRORED]
        if not (mirrored or going_on or _MARK.search(content)):
            turned.append(content)
            continue
        left, _, right, _ = map(float, page.mediabox)
        drawn: Any = page.resources
        widths: dict[bytes, Widths] = {}
        for name, font in drawn.get("/Font", {}).items():
            if font.objgen not in known:
                numbered = enumerate(font.get("/Widths", ()), start=int(font.get("/FirstChar", 0)))
                known[font.objgen] = {code: float(width) for code, width in numbered}
            widths[name.encode()] = known[font.objgen]
        forms = {
            name.encode(): float(form.BBox[0]) + float(form.BBox[2])
            for name, form in drawn.get("/XObject", {}).items()
            if form.get("/Subtype") == "/Form"
        }
        try:
            text, items, going_on = in_order(
                content, widths, left + right, going_on, forms if mirrored else None
            )
        except IndexError as error:
            raise ValueError("a text object lacks operands") from error
        turned.append(text)
        for link in page.obj.get("/Annots", ()):
            if "/Rect" not in link:
                continue
            # Around the same texts.
            start, low, end, high = map(float, link.Rect)
            inside = [
                item
                for item in items
                if low <= item.height <= high and start <= (item.left + item.right) / 2 <= end
            ]
            if inside:
                start = min(item.moved for item in inside)
                end = max(item.moved + item.width for item in inside)
            elif mirrored:
                start, end = left + right - end, left + right - start
            link.Rect = pikepdf.Array([round(side, 3) for side in (start, low, end, high)])
    return turned


def in_order(
    content: bytes,
    widths: Mapping[bytes, Widths],
    width: float,
    going_on: Iterable[bool] = (),
    forms: Mapping[bytes, float] | None = None,
) -> tuple[bytes, list[Item], list[bool]]:
    """Return a page with its lines in order, its items, and the runs that go on after it."""
    # ``widths`` are those of glyphs by font, in thousandths, ``width`` is the page's. ``forms`` are
    # left + right of the forms on a page that is mirrored; None of one that isn't.
    reader = _Reader(widths, [Run(forms is not None)])
    for right in going_on:
        reader.begin(right=right)
    parts = list(reader.read(content))
    root, *inner = reader.stack
    for child in root.children:
        if isinstance(child, Item):
            child.moved = width - child.right if root.right else child.moved
            continue
        sides: dict[int, tuple[float, float]] = {}
        for item in child.items():
            left, end = sides.get(item.line, (item.left, item.right))
            sides[item.line] = min(left, item.left), max(end, item.right)
        for line, (left, end) in sides.items():
            _place(child, line, width - end if root.right else left)
    _add_spaces(parts)
    text = b"\n".join(part if isinstance(part, bytes) else _written(part) for part in parts)
    if forms is not None:
        text = _mirrored(text, forms, width)
    return text, list(root.items()), [run.right for run in inner]


def _place(run: Run, line: int, start: float) -> None:
    """Set where the items of a run's part on a line are drawn; it begins at ``start``."""
    parts = []
    for child in run.children:
        items = [child] if isinstance(child, Item) else child.items()
        if here := [item for item in items if item.line == line]:
            parts.append((child, min(item.left for item in here), max(item.right for item in here)))
    _, lefts, rights = zip(*parts, strict=True)
    first, last = min(lefts), max(rights)
    for child, left, right in parts:
        at = start + (last - right if run.right else left - first)
        if isinstance(child, Item):
            child.moved = at
        else:
            _place(child, line, at)


def _add_spaces(parts: list[bytes | list[Part]]) -> None:
    """Put spaces of pdfTeX between words that lack one, such as those in different type."""
    # Readers see a gap on the right of a word, but not one on its left. What stands for other text
    # (ActualText) gets none.
    items = (item for part in parts if isinstance(part, list) for item in part)
    space = next((item for item in items if isinstance(item, Item) and item.is_space), None)
    if space is None:
        return
    last: tuple[Item, list[Part], bool] | None = None
    open_: list[bool] = []
    for part in parts:
        if isinstance(part, bytes):
            if _BEGIN.search(part):
                open_.append(b"/ActualText" in part)
            elif _END.search(part):
                del open_[-1:]
            continue
        actual = any(open_)
        for item in [each for each in part if isinstance(each, Item)]:
            before = last[0] if last and not (actual and last[2]) else item
            left, right = sorted((before, item), key=lambda each: each.moved)
            gap = right.moved - left.moved - left.width
            is_wide = gap > _SPACE * item.size and not before.is_space and not item.is_space
            if last and is_wide and abs(before.height - item.height) < item.size / 2:
                at = before.moved if item.moved < before.moved else before.moved + before.width
                added = replace(space, moved=at, height=item.height, line=item.line)
                if actual:
                    last[1].insert(last[1].index(before) + 1, added)
                else:
                    part.insert(part.index(item), added)
            last = (item, part, actual)


def _written(parts: list[Part]) -> bytes:
    """Return a text object, words from right to left with their glyphs reversed."""
    # So most readers of text expect them. ISO 32000-1 has a name for it (14.8.2.3.3): the strings
    # of ReversedChars have the opposite of the natural order, and only those.
    words: list[list[Item] | bytes] = []
    for part in parts:
        word = words[-1] if words else b""
        if isinstance(part, Item) and isinstance(word, list):
            # It stands left of the one before it, in the same type and near to it.
            before = word[0]
            is_same = (before.line, before.font) == (part.line, part.font)
            is_near = abs(before.moved - part.moved - part.width) < _SPACE * part.size
            is_left = before.moved > part.moved and not (before.is_space or part.is_space)
            if is_same and is_near and is_left:
                word.insert(0, part)
                continue
        words.append(part if isinstance(part, bytes) else [part])
    written: list[bytes] = []
    last, font, x, y = list[Item](), (b"", 0.0), 0.0, 0.0
    for word in words:
        if isinstance(word, bytes):
            written.append(word)
            continue
        written += [b"/ReversedChars BMC"] if len(word) > 1 else []
        for item in word:
            shown = b"".join(
                _number(part)
                if isinstance(part, float)
                else b"(%s)" % _ESCAPED.sub(lambda match: b"\\%03o" % match[0][0], part)
                for part in item.shown
            )
            gap = sum(before.moved + before.width - item.moved for before in last)
            is_same = [_TYPE(before) for before in last] == [_TYPE(item)]
            if is_same and abs(gap) < _SPACE * item.size and written[-1][-3:] == b"]TJ":
                # In the same string as the text before it, which it stands beside.
                kern = gap / (item.size * item.matrix[0] / 1000)
                more = (_number(kern) if abs(kern) > _NEAR else b"") + shown
                written[-1] = (written[-1][:-3] + more).replace(b")(", b"") + b"]TJ"
            else:
                if font != (item.font, item.size):
                    font = (item.font, item.size)
                    written.append(b"%s %s Tf" % (item.font, _number(item.size)))
                before_x, before_y = x, y
                x, y = round(item.moved, 3), round(item.height, 3)
                if all(each.matrix == _PLAIN for each in (item, *last)):
                    written.append(b"%s %s Td" % (_number(x - before_x), _number(y - before_y)))
                else:
                    place = map(_number, (*item.matrix, x, y))
                    written.append(b"%s %s %s %s %s %s Tm" % tuple(place))
                written.append(b"[%s]TJ" % shown)
            last = [item]
        written += [b"EMC"] if len(word) > 1 else []
    return b"BT\n" + b" ".join(written) + b"\nET"


def _mirrored(content: bytes, forms: Mapping[bytes, float], width: float) -> bytes:
    """Return the content with lines and pictures on the other side of the page."""
    # ``width`` is that of the page, ``forms`` are the sums of the left and right edges of forms.
    # pdfTeX draws them between q and Q, after it has moved the origin there and before it moves it
    # back. They are mirrored, pictures twice; text that is turned stays where it is.
    mirrored: list[bytes] = []
    lines = content.split(b"\n")
    depth, moved, drawing = 0, 0.0, False
    for at, line in enumerate(lines):
        words = line.split()
        begins = depth == 0 and words == [b"q"]
        depth += words.count(b"q") - words.count(b"Q")
        if depth == 0 and (match := _MOVE.fullmatch(line)):
            moved += float(match[1])
            mirrored.append(b"1 0 0 1 %s %s cm" % (_number(-float(match[1])), match[2]))
        elif begins:
            # Whether there is no text before its end.
            inside, drawing = 1, True
            for later in lines[at + 1 :]:
                inside += later.split().count(b"q") - later.split().count(b"Q")
                if inside <= 0:
                    break
                drawing = drawing and later[:2] != b"BT"
            flip = (-1.0, width) if drawing else (1.0, 2 * moved)
            mirrored += [line, b"%s 0 0 1 %s 0 cm" % tuple(map(_number, flip))]
        elif drawing and depth and (figure := _DRAWN.fullmatch(line)):
            # An image is drawn from 0 to 1.
            size = _number(forms.get(figure[1], 1.0))
            mirrored += [b"q", b"-1 0 0 1 %s 0 cm" % size, line, b"Q"]
        else:
            mirrored.append(line)
    return b"\n".join(mirrored)


# -- a page's content taken apart: text, its place and direction; and written again ----------------


#: The mark of a run: right to left, left to right, its end.
_MARK = re.compile(rb"/Cvb([RLE]) MP\s*")
#: The beginning and the end of marked content.
_BEGIN, _END = re.compile(rb"(?:BDC|BMC)\s*$"), re.compile(rb"EMC\s*$")
_TOKEN = re.compile(
    rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>|[\[\]]|/[^\s/()<>\[\]]+"
    rb"|[-+]?[0-9]*\.?[0-9]+|[A-Za-z'\"*]+",
    re.DOTALL,
)
#: What is escaped in a string.
_ESCAPED = re.compile(rb"[^ -~]|[()\\]")
#: A line lies lower than the one before by more than this part of the size of its type.
_LINE = 0.75
#: Narrower than any other glyph, in pt.
_WIDTH = 0.01
#: No space is so narrow, as a part of the size of the type.
_SPACE = 0.1
#: A kern that can't be seen, in thousandths of the size.
_NEAR = 0.4
Widths = Mapping[int, float]
Matrix = tuple[float, float, float, float]
_PLAIN: Matrix = (1.0, 0.0, 0.0, 1.0)


class Item(Struct, eq=False):
    """Text that moves as a whole: where it is, and the operands of TJ.

    ``matrix`` are the first four numbers of Tm: how the font is stretched or slanted.
    """

    font: bytes
    size: float
    matrix: Matrix
    left: float
    right: float
    height: float
    shown: list[bytes | float]
    line: int = 0
    moved: float = 0.0

    @property
    def width(self) -> float:
        """From its left to its right edge."""
        return self.right - self.left

    @property
    def is_space(self) -> bool:
        """Whether it is a space of pdfTeX, a glyph without width between words."""
        return self.width < _WIDTH


#: What two items in one string have in common.
_TYPE = attrgetter("font", "size", "matrix", "height")
#: A part of a text object: text, or another operator, such as a colour's.
Part = Item | bytes


class Run(Struct, eq=False):
    """Text in one direction: items and runs in the order in which they are read."""

    right: bool
    children: list[Item | Run] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """Yield all items in it."""
        for child in self.children:
            if isinstance(child, Item):
                yield child
            else:
                yield from child.items()


class _Reader(Struct):
    """Takes a page's content apart: lines of other operators, and lists of items for text."""

    _widths: Mapping[bytes, Widths]
    stack: list[Run]
    _saved: list[list[Run] | None] = field(default_factory=list)
    _line: int = 0
    _height: float = 0.0
    _font: bytes = b""
    _size: float = 0.0
    _matrix: Matrix = _PLAIN
    _x: float = 0.0
    _y: float = 0.0
    _across: float = 0.0
    _depth: int = 0

    def begin(self, *, right: bool) -> None:
        run = Run(right)
        self.stack[-1].children.append(run)
        self.stack.append(run)

    def read(self, content: bytes) -> Iterator[bytes | list[Part]]:
        """Yield the content in its parts."""
        lines = iter(content.split(b"\n"))
        for line in lines:
            if line == b"BT" or line.startswith(b"BT "):
                text = line[2:]
                while not text.rstrip().endswith(b"ET"):
                    text += b"\n" + next(lines, b"ET")
                if self._depth:
                    yield b"BT" + text
                else:
                    yield list(self._text(text.rstrip()[:-2]))
            elif match := _MARK.fullmatch(line):
                if match[1] != b"E":
                    self.begin(right=match[1] == b"R")
                elif len(self.stack) > 1:
                    self.stack.pop()
            else:
                # An artifact, such as a running head between two lines, is in no run.
                if _BEGIN.search(line):
                    artifact = line.rstrip() == b"/Artifact BMC"
                    self._saved.append(self.stack if artifact else None)
                    self.stack = self.stack[:1] if artifact else self.stack
                elif _END.search(line) and self._saved:
                    self.stack = self._saved.pop() or self.stack
                # Text between q and Q is turned.
                self._depth += line.split().count(b"q") - line.split().count(b"Q")
                yield line

    def _text(self, text: bytes) -> Iterator[Part]:
        operands: list[bytes] = []
        self._matrix, self._x, self._y, self._across = _PLAIN, 0.0, 0.0, 0.0
        for token in _TOKEN.findall(text):
            if not token[:1].isalpha() and token not in (b"'", b'"'):
                operands.append(token)
                continue
            match token:
                case b"Tf":
                    self._font, self._size = operands[0], float(operands[1])
                case b"Td":
                    self._x += float(operands[0]) * self._matrix[0]
                    self._y += float(operands[1]) * self._matrix[3]
                    self._across = 0.0
                case b"Tm":
                    a, b, c, d, self._x, self._y = map(float, operands)
                    self._matrix, self._across = (a, b, c, d), 0.0
                case b"TJ" | b"Tj":
                    yield from self._shown([item for item in operands if item not in b"[]"])
                case _:
                    yield b" ".join((*operands, token))
            operands = []

    def _shown(self, operands: Iterable[bytes]) -> Iterator[Item]:
        """Yield what is shown: glyph by glyph in a run from right to left, else as a whole."""
        run = self.stack[-1]
        apart = run.right and len(self.stack) > 1
        item: Item | None = None
        widths = self._widths.get(self._font, {})
        unit = self._size * self._matrix[0] / 1000
        for operand in operands:
            if operand[:1] not in b"(<":
                self._across -= float(operand) * unit
                if item:
                    item.shown.append(float(operand))
                continue
            for code in bytes(pikepdf.Object.parse(operand)):
                at = self._x + self._across
                self._across += widths.get(code, 0.0) * unit
                if item is None or apart:
                    if abs(self._y - self._height) > _LINE * self._size:
                        self._line += 1
                    self._height = self._y
                    item = Item(
                        self._font, self._size, self._matrix, at, at, self._y, [], self._line, at
                    )
                    run.children.append(item)
                    yield item
                if item.shown and isinstance(item.shown[-1], bytes):
                    item.shown[-1] += bytes((code,))
                else:
                    item.shown.append(bytes((code,)))
                item.right = self._x + self._across


def _number(value: float) -> bytes:
    return f"{value:.4f}".rstrip("0").rstrip(".").encode("ascii")
