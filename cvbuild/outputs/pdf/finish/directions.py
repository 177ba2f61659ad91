"""Reorder the lines of pages that hold text from right to left (UAX #9, rule L2).

pdfTeX knows one direction: it sets all text from left to right in the order in which it is read,
with marks where a run begins and ends (templates/_core/cvb-scripts.sty). So lines break as they
should, and marks for the structure, colours and links nest. Here each line gets its own order:
glyphs of a run from right to left are mirrored within the run, runs within the run around them. A
page that runs right to left is mirrored as a whole: what TeX sets on the left is drawn right.

The content is pdfTeX's: text objects on lines of their own, fonts of one byte per glyph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

_MARK = re.compile(rb"/Cvb([RLE]) MP\s*")
_ARTIFACT = b"/Artifact BMC"
_BEGIN, _END = re.compile(rb"(?:BDC|BMC)\s*$"), re.compile(rb"EMC\s*$")
_TOKEN = re.compile(
    rb"\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>|[\[\]]|/[^\s/()<>\[\]]+|[-+]?[0-9]*\.?[0-9]+|[A-Za-z'\"*]+",
    re.DOTALL,
)
_MOVE = re.compile(rb"1 0 0 1 (\S+) (\S+) cm\s*")
_DRAWN = re.compile(rb"(/\S+) Do\s*")
_STRING = re.compile(rb"\\([0-7]{1,3}|\r\n|.)|(.)", re.DOTALL)
_ESCAPED = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"",
}  # fmt: skip
#: A line lies lower than the one before by more than this part of the size of its type.
_LINE = 0.75
#: No space is so narrow, as a part of the size of the type.
_SPACE = 0.1
#: Narrower than any glyph but a space of pdfTeX, in pt.
_WIDTH = 0.01
Widths = Mapping[int, float]
Box = tuple[float, float, float, float]


@dataclass(eq=False, slots=True)
class _Item:
    """Text that moves as a whole: where it is, and the operands of TJ."""

    font: bytes
    size: float
    stretch: float
    left: float
    right: float
    height: float
    shown: list[bytes | float]
    line: int = 0
    moved: float = 0.0


#: A part of a text object: text, or another operator, such as a colour's.
_Part = _Item | bytes


@dataclass(eq=False, slots=True)
class _Run:
    """Text in one direction: items and runs in the order in which they are read."""

    right: bool
    children: list[_Item | _Run] = field(default_factory=list)

    def items(self) -> Iterator[_Item]:
        """Yield all items in it."""
        for child in self.children:
            if isinstance(child, _Item):
                yield child
            else:
                yield from child.items()


@dataclass(slots=True)
class Fonts:
    """What a page refers to: widths of glyphs by font, in thousandths; left + right of forms."""

    widths: Mapping[bytes, Widths]
    forms: Mapping[bytes, float] = field(default_factory=dict)


class Directions:
    """Reads the pages of a document in their order."""

    def __init__(self) -> None:
        self._open: list[bool] = []
        """The directions of the runs that go on at the end of a page."""

    def concern(self, content: bytes) -> bool:
        """Return whether a page that isn't mirrored has something to reorder."""
        return bool(self._open) or _MARK.search(content) is not None

    def page(
        self, content: bytes, fonts: Fonts, width: float, *, mirrored: bool
    ) -> tuple[bytes, Moves]:
        """Return a page's content with its lines in order, and where its text has moved.

        A mirrored page of this width runs right to left as a whole.
        """
        reader = _Reader(fonts, _Run(mirrored))
        for right in self._open:
            reader.begin(right=right)
        parts = list(reader.read(content))
        self._open = [run.right for run in reader.stack[1:]]
        root = reader.stack[0]
        _layout(root, width)
        made = [part if isinstance(part, bytes) else _written(part) for part in parts]
        text = b"\n".join(made)
        if mirrored:
            text = _mirrored(text, fonts, width)
        return text, Moves(tuple(root.items()), width, mirrored)


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the text of a page was and where it is now."""

    items: tuple[_Item, ...]
    width: float
    mirrored: bool

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the box, such as a link's, around the same text."""
        inside = [
            one
            for one in self.items
            if bottom <= one.height <= top and left <= (one.left + one.right) / 2 <= right
        ]
        if not inside:
            if self.mirrored:
                left, right = self.width - right, self.width - left
            return left, bottom, right, top
        first = min(one.moved for one in inside)
        last = max(one.moved + one.right - one.left for one in inside)
        return first, bottom, last, top


class _Reader:
    """Takes a page's content apart: lines of other operators, and lists of items for text."""

    def __init__(self, fonts: Fonts, root: _Run) -> None:
        self._fonts = fonts
        self.stack = [root]
        self._saved: list[list[_Run] | None] = []
        self._line, self._height = 0, 0.0
        self._font, self._size = b"", 0.0
        self._stretch, self._x, self._y = 1.0, 0.0, 0.0
        self._across = 0.0
        self._depth = 0

    def begin(self, *, right: bool) -> None:
        """Begin a run."""
        made = _Run(right)
        self.stack[-1].children.append(made)
        self.stack.append(made)

    def read(self, content: bytes) -> Iterator[bytes | list[_Part]]:
        """Yield the content in its parts."""
        lines = iter(content.split(b"\n"))
        for line in lines:
            if line == b"BT" or line.startswith(b"BT "):
                text = line[2:]
                while not text.rstrip().endswith(b"ET"):
                    text += b"\n" + next(lines)
                if self._depth:
                    yield b"BT" + text
                else:
                    yield list(self._text(text.rstrip()[:-2]))
            elif found := _MARK.fullmatch(line):
                self._mark(found[1])
            else:
                self._other(line)
                yield line

    def _mark(self, kind: bytes) -> None:
        if kind != b"E":
            self.begin(right=kind == b"R")
        elif len(self.stack) > 1:
            self.stack.pop()

    def _other(self, line: bytes) -> None:
        """Note an artifact, such as a running head between two lines, and text that is turned."""
        if _BEGIN.search(line):
            artifact = line.rstrip() == _ARTIFACT
            self._saved.append(self.stack if artifact else None)
            if artifact:
                self.stack = self.stack[:1]
        elif _END.search(line) and self._saved:
            self.stack = self._saved.pop() or self.stack
        self._depth += line.split().count(b"q") - line.split().count(b"Q")

    def _text(self, text: bytes) -> Iterator[_Part]:
        operands: list[bytes] = []
        self._stretch, self._x, self._y, self._across = 1.0, 0.0, 0.0, 0.0
        for token in _TOKEN.findall(text):
            if not token[:1].isalpha() and token not in (b"'", b'"'):
                operands.append(token)
                continue
            match token:
                case b"Tf":
                    self._font, self._size = operands[0], float(operands[1])
                case b"Td":
                    self._x += float(operands[0]) * self._stretch
                    self._y += float(operands[1])
                    self._across = 0.0
                case b"Tm":
                    self._stretch, self._x, self._y = map(float, (operands[0], *operands[4:6]))
                    self._across = 0.0
                case b"TJ" | b"Tj":
                    yield from self._shown([one for one in operands if one not in b"[]"])
                case _:
                    yield b" ".join((*operands, token))
            operands = []

    def _shown(self, operands: Iterable[bytes]) -> Iterator[_Item]:
        """Yield what is shown: glyph by glyph in a run from right to left, else as a whole."""
        run = self.stack[-1]
        apart = run.right and len(self.stack) > 1
        made: _Item | None = None
        widths = self._fonts.widths.get(self._font, {})
        unit = self._size * self._stretch / 1000
        for one in operands:
            if one[:1] not in b"(<":
                self._across -= float(one) * unit
                if made:
                    made.shown.append(float(one))
                continue
            for code in _codes(one):
                at = self._x + self._across
                self._across += widths.get(code, 0.0) * unit
                if made is None or apart:
                    made = self._item(at)
                    yield made
                if made.shown and isinstance(made.shown[-1], bytes):
                    made.shown[-1] += bytes((code,))
                else:
                    made.shown.append(bytes((code,)))
                made.right = self._x + self._across

    def _item(self, at: float) -> _Item:
        if abs(self._y - self._height) > _LINE * self._size:
            self._line += 1
        self._height = self._y
        made = _Item(
            self._font, self._size, self._stretch, at, at, self._y, [], self._line, moved=at
        )
        self.stack[-1].children.append(made)
        return made


def _codes(string: bytes) -> Iterable[int]:
    if string[:1] == b"<":
        return bytes.fromhex(string[1:-1].decode("ascii"))
    made = bytearray()
    for escape, plain in _STRING.findall(string[1:-1]):
        if not escape:
            made += plain
        elif escape[:1].isdigit():
            made.append(int(escape, 8) & 255)
        else:
            made += _ESCAPED.get(escape, escape)
    return made


def _layout(root: _Run, width: float) -> None:
    """Set where the items are drawn."""
    for child in root.children:
        if isinstance(child, _Item):
            if root.right:
                child.moved = width - child.right
            continue
        lines: dict[int, list[_Item]] = {}
        for item in child.items():
            lines.setdefault(item.line, []).append(item)
        for line, items in lines.items():
            left, right = _extent(items)
            _place(child, line, width - right if root.right else left)


def _extent(items: Iterable[_Item]) -> tuple[float, float]:
    every = list(items)
    return min(one.left for one in every), max(one.right for one in every)


def _place(run: _Run, line: int, start: float) -> None:
    """Set where the items of a run's part on a line are drawn; it begins at ``start``."""
    parts = []
    for child in run.children:
        items = [child] if isinstance(child, _Item) else list(child.items())
        here = [item for item in items if item.line == line]
        if here:
            parts.append((child, *_extent(here)))
    first = min(left for _, left, _ in parts)
    last = max(right for _, _, right in parts)
    for child, left, right in parts:
        at = start + (last - right if run.right else left - first)
        if isinstance(child, _Item):
            child.moved = at
        else:
            _place(child, line, at)


def _as_read(parts: list[_Part]) -> Iterator[_Part]:
    """Yield the parts of a text object: words as they are read, their glyphs from left to right.

    So most readers of text expect them; those that sort by place don't care.
    """
    word: list[_Item] = []
    for one in parts:
        if word and (isinstance(one, bytes) or not _follows(word[-1], one)):
            yield from reversed(word)
            word = []
        if isinstance(one, bytes):
            yield one
        else:
            word.append(one)
    yield from reversed(word)


def _follows(before: _Item, one: _Item) -> bool:
    """Return whether an item stands left of the one before it, without a space."""
    if before.line != one.line or before.moved <= one.moved:
        return False
    gap = before.moved - one.moved - (one.right - one.left)
    is_space = min(before.right - before.left, one.right - one.left) < _WIDTH
    return abs(gap) < _SPACE * one.size and not is_space


def _written(parts: list[_Part]) -> bytes:
    """Return a text object."""
    made = [b"BT\n"]
    font, size, x, y, stretch = b"", 0.0, 0.0, 0.0, 1.0
    for one in _as_read(parts):
        if isinstance(one, bytes):
            made.append(one + b" ")
            continue
        if (one.font, one.size) != (font, size):
            font, size = one.font, one.size
            made.append(b"%s %s Tf " % (font, _number(size)))
        to_x, to_y = round(one.moved, 3), round(one.height, 3)
        if one.stretch != stretch:
            stretch = one.stretch
            made.append(b"%s 0 0 1 %s %s Tm " % tuple(map(_number, (stretch, to_x, to_y))))
        elif stretch != 1.0:
            made.append(b"%s 0 0 1 %s %s Tm " % tuple(map(_number, (stretch, to_x, to_y))))
        else:
            made.append(b"%s %s Td " % (_number(to_x - x), _number(to_y - y)))
        x, y = to_x, to_y
        shown = b"".join(_number(p) if isinstance(p, float) else _string(p) for p in one.shown)
        made.append(b"[%s]TJ " % shown)
    return b"".join(made).rstrip() + b"\nET"


def _number(value: float) -> bytes:
    return f"{value:.4f}".rstrip("0").rstrip(".").encode("ascii") or b"0"


def _string(codes: bytes) -> bytes:
    return (
        b"("
        + b"".join(
            bytes((code,)) if 32 <= code < 127 and code not in b"()\\" else b"\\%03o" % code
            for code in codes
        )
        + b")"
    )


def _mirrored(content: bytes, fonts: Fonts, width: float) -> bytes:
    """Return the content with lines and pictures on the other side of the page.

    pdfTeX draws them between q and Q, after it has moved the origin there and before it moves it
    back. They are mirrored, pictures twice; text that is turned stays where it is.
    """
    made: list[bytes] = []
    lines = content.split(b"\n")
    depth, moved, drawing = 0, 0.0, False
    for at, line in enumerate(lines):
        words = line.split()
        begins = depth == 0 and words == [b"q"]
        depth += words.count(b"q") - words.count(b"Q")
        if depth == 0 and (found := _MOVE.fullmatch(line)):
            moved += float(found[1])
            made.append(b"1 0 0 1 %s %s cm" % (_number(-float(found[1])), found[2]))
        elif begins:
            drawing = not _has_text(lines[at + 1 :])
            flip = (-1.0, width) if drawing else (1.0, 2 * moved)
            made += [line, b"%s 0 0 1 %s 0 cm" % tuple(map(_number, flip))]
        elif drawing and depth and (figure := _DRAWN.fullmatch(line)):
            # An image is drawn from 0 to 1.
            size = _number(fonts.forms.get(figure[1], 1.0))
            made += [b"q", b"-1 0 0 1 %s 0 cm" % size, line, b"Q"]
        else:
            made.append(line)
    return b"\n".join(made)


def _has_text(lines: Iterable[bytes]) -> bool:
    """Return whether there is text before the q that stands before these lines is ended."""
    depth = 1
    for line in lines:
        words = line.split()
        depth += words.count(b"q") - words.count(b"Q")
        if depth <= 0:
            return False
        if line[:2] == b"BT":
            return True
    return False
