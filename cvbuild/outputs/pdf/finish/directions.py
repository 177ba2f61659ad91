"""Reorder the lines of pages that hold text from right to left (UAX #9, rule L2).

pdfTeX knows one direction: it sets all text from left to right in the order in which it is read,
with marks where a run begins and ends (templates/_core/cvb-scripts.sty). So lines break as they
should, and marks for the structure, colours and links nest. Here each line gets its own order:
glyphs of a run from right to left are mirrored within the run, runs within the run around them. A
page that runs right to left is mirrored as a whole: what TeX sets on the left is drawn right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cvbuild.outputs.pdf.finish.mirror import mirrored as mirrored_drawings
from cvbuild.outputs.pdf.finish.mirror import number
from cvbuild.outputs.pdf.finish.text_runs import MARK, Item, Part, Reader, Run, Widths

#: No space is so narrow, as a part of the size of the type.
_SPACE = 0.1
#: Narrower than any glyph but a space of pdfTeX, in pt.
_WIDTH = 0.01
#: Glyphs that are so near to each other are shown together, in pt.
_NEAR = 0.004
Box = tuple[float, float, float, float]


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
        return bool(self._open) or MARK.search(content) is not None

    def page(
        self, content: bytes, fonts: Fonts, width: float, *, mirrored: bool
    ) -> tuple[bytes, Moves]:
        """Return a page's content with its lines in order, and where its text has moved.

        A mirrored page of this width runs right to left as a whole.
        """
        reader = Reader(fonts.widths, Run(mirrored))
        for right in self._open:
            reader.begin(right=right)
        parts = list(reader.read(content))
        self._open = [run.right for run in reader.stack[1:]]
        root = reader.stack[0]
        _layout(root, width)
        made = [part if isinstance(part, bytes) else _written(part) for part in parts]
        text = b"\n".join(made)
        if mirrored:
            text = mirrored_drawings(text, fonts.forms, width)
        return text, Moves(tuple(root.items()), width, mirrored)


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the text of a page was and where it is now."""

    items: tuple[Item, ...]
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


def _layout(root: Run, width: float) -> None:
    """Set where the items are drawn."""
    for child in root.children:
        if isinstance(child, Item):
            if root.right:
                child.moved = width - child.right
            continue
        lines: dict[int, list[Item]] = {}
        for item in child.items():
            lines.setdefault(item.line, []).append(item)
        for line, items in lines.items():
            left, right = _extent(items)
            _place(child, line, width - right if root.right else left)


def _extent(items: Iterable[Item]) -> tuple[float, float]:
    every = list(items)
    return min(one.left for one in every), max(one.right for one in every)


def _place(run: Run, line: int, start: float) -> None:
    """Set where the items of a run's part on a line are drawn; it begins at ``start``."""
    parts = []
    for child in run.children:
        items = [child] if isinstance(child, Item) else list(child.items())
        here = [item for item in items if item.line == line]
        if here:
            parts.append((child, *_extent(here)))
    first = min(left for _, left, _ in parts)
    last = max(right for _, _, right in parts)
    for child, left, right in parts:
        at = start + (last - right if run.right else left - first)
        if isinstance(child, Item):
            child.moved = at
        else:
            _place(child, line, at)


def _as_read(parts: list[Part]) -> Iterator[Part]:
    """Yield the parts of a text object: words as they are read, their glyphs from left to right.

    So most readers of text expect them; those that sort by place don't care.
    """
    word: list[Item] = []
    for one in parts:
        if word and (isinstance(one, bytes) or not _follows(word[-1], one)):
            yield from reversed(word)
            word = []
        if isinstance(one, bytes):
            yield one
        else:
            word.append(one)
    yield from reversed(word)


def _follows(before: Item, one: Item) -> bool:
    """Return whether an item stands left of the one before it, without a space."""
    if before.line != one.line or before.moved <= one.moved:
        return False
    gap = before.moved - one.moved - (one.right - one.left)
    is_space = min(before.right - before.left, one.right - one.left) < _WIDTH
    return abs(gap) < _SPACE * one.size and not is_space


def _written(parts: list[Part]) -> bytes:
    """Return a text object."""
    made = [b"BT\n"]
    font, size, x, y, end = b"", 0.0, 0.0, 0.0, 0.0
    plain = True
    for one in _as_read(parts):
        if isinstance(one, bytes):
            made.append(one + b" ")
            continue
        shown = b"".join(number(p) if isinstance(p, float) else _string(p) for p in one.shown)
        same = (one.font, one.size) == (font, size) and made[-1][-4:] == b"]TJ "
        if same and plain and one.is_plain and y == one.height and abs(end - one.moved) < _NEAR:
            made[-1] = made[-1][:-4] + shown + b"]TJ "
            end = one.moved + one.right - one.left
            continue
        if (one.font, one.size) != (font, size):
            font, size = one.font, one.size
            made.append(b"%s %s Tf " % (font, number(size)))
        to_x, to_y = round(one.moved, 3), round(one.height, 3)
        if plain and one.is_plain:
            made.append(b"%s %s Td " % (number(to_x - x), number(to_y - y)))
        else:
            numbers = (*one.matrix, to_x, to_y)
            made.append(b"%s %s %s %s %s %s Tm " % tuple(map(number, numbers)))
        plain, x, y, end = one.is_plain, to_x, to_y, one.moved + one.right - one.left
        made.append(b"[%s]TJ " % shown)
    return b"".join(made).rstrip() + b"\nET"


def _string(codes: bytes) -> bytes:
    return (
        b"("
        + b"".join(
            bytes((code,)) if 32 <= code < 127 and code not in b"()\\" else b"\\%03o" % code
            for code in codes
        )
        + b")"
    )
