"""Reorder the lines of pages that hold text from right to left (UAX #9, rule L2).

pdfTeX knows one direction: it sets all text from left to right in the order in which it is read,
with marks where a run begins and ends (templates/_core/cvb-scripts.sty). So lines break as they
should, and marks for the structure, colours and links nest. Here each line gets its own order:
glyphs of a run from right to left are mirrored within the run, runs within the run around them. A
page that runs right to left is mirrored as a whole: what TeX sets on the left is drawn right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cvbuild.outputs.pdf.finish.mirror import mirrored as mirrored_drawings
from cvbuild.outputs.pdf.finish.mirror import number
from cvbuild.outputs.pdf.finish.text_runs import BEGIN, END, MARK, Item, Part, Reader, Run, Widths

#: No space is so narrow, as a part of the size of the type.
_SPACE = 0.1
#: A kern that can't be seen, in thousandths of the size.
_NEAR = 0.4
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
        _add_spaces(parts)
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
        last = max(one.moved + one.width for one in inside)
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


def _add_spaces(parts: list[bytes | list[Part]]) -> None:
    """Put spaces of pdfTeX between words that lack one, such as those in different type.

    Readers see a gap on the right of a word, but not one on its left. What stands for other text
    (ActualText) gets none.
    """
    objects = [part for part in parts if not isinstance(part, bytes)]
    items = (one for some in objects for one in some if isinstance(one, Item))
    space = next((one for one in items if one.is_space), None)
    if space is None:
        return
    last: tuple[Item, list[Part], bool] | None = None
    open_: list[bool] = []
    for part in parts:
        if isinstance(part, bytes):
            if BEGIN.search(part):
                open_.append(b"/ActualText" in part)
            elif END.search(part):
                del open_[-1:]
            continue
        actual = any(open_)
        for one in [one for one in part if isinstance(one, Item)]:
            if last and _lack_space(last[0], one) and not (actual and last[2]):
                before = last[0]
                at = before.moved if one.moved < before.moved else before.moved + before.width
                made = replace(space, moved=at, height=one.height, line=one.line)
                if actual:
                    last[1].insert(last[1].index(before) + 1, made)
                else:
                    part.insert(part.index(one), made)
            last = (one, part, actual)


def _lack_space(last: Item, one: Item) -> bool:
    left, right = sorted((last, one), key=lambda item: item.moved)
    gap = right.moved - left.moved - left.width
    same = abs(last.height - one.height) < one.size / 2
    return same and gap > _SPACE * one.size and not last.is_space and not one.is_space


def _words(parts: list[Part]) -> Iterator[bytes | list[Item]]:
    """Yield the parts of a text object, words from right to left with their glyphs reversed.

    So most readers of text expect them. ISO 32000-1 has a name for it (14.8.2.3.3): the strings of
    ReversedChars have the opposite of the natural order, and only those.
    """
    word: list[Item] = []
    for one in parts:
        if word and (isinstance(one, bytes) or not _follows(word[-1], one)):
            yield word[::-1]
            word = []
        if isinstance(one, bytes):
            yield one
        else:
            word.append(one)
    if word:
        yield word[::-1]


def _follows(before: Item, one: Item) -> bool:
    """Return whether an item stands left of the one before it, in the same type and near to it."""
    if (before.line, before.font) != (one.line, one.font) or before.moved <= one.moved:
        return False
    gap = before.moved - one.moved - one.width
    return abs(gap) < _SPACE * one.size and not before.is_space and not one.is_space


def _written(parts: list[Part]) -> bytes:
    """Return a text object."""
    writer = _Writer()
    for one in _words(parts):
        if isinstance(one, bytes):
            writer.made.append(one)
        elif len(one) == 1:
            writer.show(one[0])
        else:
            writer.made.append(b"/ReversedChars BMC")
            for item in one:
                writer.show(item)
            writer.made.append(b"EMC")
    return b"BT\n" + b" ".join(writer.made) + b"\nET"


@dataclass(slots=True)
class _Writer:
    """Writes the operators of a text object."""

    made: list[bytes] = field(default_factory=list)
    _font: tuple[bytes, float] = (b"", 0.0)
    _last: Item | None = None
    _x: float = 0.0
    _y: float = 0.0

    def show(self, item: Item) -> None:
        """Add text, to the same string as the text before it if it stands beside that."""
        shown = b"".join(number(p) if isinstance(p, float) else _string(p) for p in item.shown)
        gap = self._gap(item)
        if gap is not None and self.made[-1][-3:] == b"]TJ":
            kern = number(gap) if abs(gap) > _NEAR else b""
            self.made[-1] = (self.made[-1][:-3] + kern + shown).replace(b")(", b"") + b"]TJ"
        else:
            self._move(item)
            self.made.append(b"[%s]TJ" % shown)
        self._last = item

    def _gap(self, item: Item) -> float | None:
        """Return the kern between the last item and this one; None if it is elsewhere."""
        last = self._last
        if last is None or (last.font, last.size, last.matrix, last.height) != (
            item.font,
            item.size,
            item.matrix,
            item.height,
        ):
            return None
        gap = last.moved + last.width - item.moved
        unit = item.size * item.matrix[0] / 1000
        return gap / unit if abs(gap) < _SPACE * item.size else None

    def _move(self, item: Item) -> None:
        if self._font != (item.font, item.size):
            self._font = (item.font, item.size)
            self.made.append(b"%s %s Tf" % (item.font, number(item.size)))
        x, y = round(item.moved, 3), round(item.height, 3)
        if item.is_plain and (self._last is None or self._last.is_plain):
            self.made.append(b"%s %s Td" % (number(x - self._x), number(y - self._y)))
        else:
            place = (*item.matrix, x, y)
            self.made.append(b"%s %s %s %s %s %s Tm" % tuple(map(number, place)))
        self._x, self._y = x, y


def _string(codes: bytes) -> bytes:
    return (
        b"("
        + b"".join(
            bytes((code,)) if 32 <= code < 127 and code not in b"()\\" else b"\\%03o" % code
            for code in codes
        )
        + b")"
    )
