"""Take the content of pdfTeX's pages apart: text, its place and direction; and write text objects.

Text objects are on lines of their own; fonts have one byte per glyph. cvb-scripts.sty marks where a
run in one direction begins and ends, on lines of their own, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter

from msgspec import Struct, field

#: The mark of a run: right to left, left to right, its end.
MARK = re.compile(rb"/Cvb([RLE]) MP\s*")
_ARTIFACT = b"/Artifact BMC"
#: The beginning and the end of marked content.
BEGIN, END = re.compile(rb"(?:BDC|BMC)\s*$"), re.compile(rb"EMC\s*$")
_TOKEN = re.compile(
    rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>|[\[\]]|/[^\s/()<>\[\]]+"
    rb"|[-+]?[0-9]*\.?[0-9]+|[A-Za-z'\"*]+",
    re.DOTALL,
)
_STRING = re.compile(rb"\\([0-7]{1,3}|\r\n|.)|(.)", re.DOTALL)
_ESCAPED = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"",
}  # fmt: skip
#: A line lies lower than the one before by more than this part of the size of its type.
_LINE = 0.75
#: Narrower than any other glyph, in pt.
_WIDTH = 0.01
#: No space is so narrow, as a part of the size of the type.
SPACE = 0.1
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

    @property
    def is_plain(self) -> bool:
        """Whether the font is neither stretched nor slanted."""
        return self.matrix == _PLAIN


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


class Reader:
    """Takes a page's content apart: lines of other operators, and lists of items for text."""

    def __init__(self, widths: Mapping[bytes, Widths], root: Run) -> None:
        self._widths = widths
        self.stack = [root]
        self._saved: list[list[Run] | None] = []
        self._line, self._height = 0, 0.0
        self._font, self._size = b"", 0.0
        self._matrix, self._x, self._y, self._across = _PLAIN, 0.0, 0.0, 0.0
        self._depth = 0

    def begin(self, *, right: bool) -> None:
        """Begin a run."""
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
            elif match := MARK.fullmatch(line):
                if match[1] != b"E":
                    self.begin(right=match[1] == b"R")
                elif len(self.stack) > 1:
                    self.stack.pop()
            else:
                self._other(line)
                yield line

    def _other(self, line: bytes) -> None:
        """Note an artifact, such as a running head between two lines, and text that is turned."""
        if BEGIN.search(line):
            artifact = line.rstrip() == _ARTIFACT
            self._saved.append(self.stack if artifact else None)
            if artifact:
                self.stack = self.stack[:1]
        elif END.search(line) and self._saved:
            self.stack = self._saved.pop() or self.stack
        self._depth += line.split().count(b"q") - line.split().count(b"Q")

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
            for code in _codes(operand):
                at = self._x + self._across
                self._across += widths.get(code, 0.0) * unit
                if item is None or apart:
                    item = self._item(at)
                    yield item
                if item.shown and isinstance(item.shown[-1], bytes):
                    item.shown[-1] += bytes((code,))
                else:
                    item.shown.append(bytes((code,)))
                item.right = self._x + self._across

    def _item(self, at: float) -> Item:
        if abs(self._y - self._height) > _LINE * self._size:
            self._line += 1
        self._height = self._y
        item = Item(self._font, self._size, self._matrix, at, at, self._y, [], self._line, moved=at)
        self.stack[-1].children.append(item)
        return item


def _codes(string: bytes) -> Iterable[int]:
    if string[:1] == b"<":
        return bytes.fromhex(string[1:-1].decode("ascii"))
    codes = bytearray()
    for escape, plain in _STRING.findall(string[1:-1]):
        if not escape:
            codes += plain
        elif escape[:1].isdigit():
            codes.append(int(escape, 8) & 255)
        else:
            codes += _ESCAPED.get(escape, escape)
    return codes


class Writer(Struct):
    """Writes the operators of a text object."""

    operators: list[bytes] = field(default_factory=list)
    _font: tuple[bytes, float] = (b"", 0.0)
    _last: Item | None = None
    _x: float = 0.0
    _y: float = 0.0

    def show(self, item: Item) -> None:
        """Add text, to the same string as the text before it if it stands beside that."""
        shown = b"".join(number(p) if isinstance(p, float) else _string(p) for p in item.shown)
        gap = self._gap(item)
        if gap is not None and self.operators[-1][-3:] == b"]TJ":
            more = (number(gap) if abs(gap) > _NEAR else b"") + shown
            self.operators[-1] = (self.operators[-1][:-3] + more).replace(b")(", b"") + b"]TJ"
        else:
            self._move(item)
            self.operators.append(b"[%s]TJ" % shown)
        self._last = item

    def _gap(self, item: Item) -> float | None:
        """Return the kern between the last item and this one; None if it is elsewhere."""
        last = self._last
        if last is None or _TYPE(last) != _TYPE(item):
            return None
        gap = last.moved + last.width - item.moved
        unit = item.size * item.matrix[0] / 1000
        return gap / unit if abs(gap) < SPACE * item.size else None

    def _move(self, item: Item) -> None:
        if self._font != (item.font, item.size):
            self._font = (item.font, item.size)
            self.operators.append(b"%s %s Tf" % (item.font, number(item.size)))
        x, y = round(item.moved, 3), round(item.height, 3)
        if item.is_plain and (self._last is None or self._last.is_plain):
            self.operators.append(b"%s %s Td" % (number(x - self._x), number(y - self._y)))
        else:
            place = (*item.matrix, x, y)
            self.operators.append(b"%s %s %s %s %s %s Tm" % tuple(map(number, place)))
        self._x, self._y = x, y


def _string(codes: bytes) -> bytes:
    shown = (
        bytes((code,)) if 32 <= code < 127 and code not in b"()\\" else b"\\%03o" % code
        for code in codes
    )
    return b"(%s)" % b"".join(shown)


def number(value: float) -> bytes:
    """Return a number as PDF writes it."""
    return f"{value:.4f}".rstrip("0").rstrip(".").encode("ascii")
