"""Reorder the lines of pages that hold text from right to left (UAX #9, rule L2).

pdfTeX knows one direction: it sets all text from left to right in the order in which it is read,
with marks where a run begins and ends (templates/_core/cvb-scripts.sty). So lines break as they
should, and marks for the structure, colours and links nest. Here each line gets its own order:
glyphs of a run from right to left are mirrored within the run, runs within the run around them. A
page that runs right to left is mirrored as a whole: what TeX sets on the left is drawn right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pikepdf
from msgspec.structs import replace

from cvbuild.outputs.pdf.finish.text_runs import (
    BEGIN,
    END,
    MARK,
    SPACE,
    Item,
    Part,
    Reader,
    Run,
    Widths,
    Writer,
    number,
)

_MOVE = re.compile(rb"1 0 0 1 (\S+) (\S+) cm\s*")
_DRAWN = re.compile(rb"(/\S+) Do\s*")
#: templates/_core/cvb-core-page.sty writes it for pages that are mirrored.
MIRRORED = "/CvbMirrored"


def ordered(document: pikepdf.Pdf, contents: Iterable[bytes]) -> list[bytes]:
    """Return the contents of a document's pages with their lines in order.

    Links move with their texts. Raises ValueError for content that isn't as pdfTeX writes it.
    """
    # The directions of the runs that go on at the end of a page; widths of glyphs by font.
    going_on: list[bool] = []
    known: dict[tuple[int, int], Widths] = {}
    turned = []
    for page, content in zip(document.pages, contents, strict=True):
        mirrored = MIRRORED in page.obj
        if mirrored:
            del page.obj[MIRRORED]
        if not (mirrored or going_on or MARK.search(content)):
            turned.append(content)
            continue
        left, _, right, _ = map(float, page.mediabox)
        fonts: Any = page.resources.get("/Font", {})
        widths = {name.encode(): _widths(font, known) for name, font in fonts.items()}
        try:
            text, items, going_on = in_order(
                content, widths, left + right, going_on, _edges(page) if mirrored else None
            )
        except IndexError as error:
            raise ValueError("a text object lacks operands") from error
        turned.append(text)
        _move_links(page, items, left + right, mirrored=mirrored)
    return turned


def in_order(
    content: bytes,
    widths: Mapping[bytes, Widths],
    width: float,
    going_on: Iterable[bool] = (),
    forms: Mapping[bytes, float] | None = None,
) -> tuple[bytes, list[Item], list[bool]]:
    """Return a page with its lines in order, its items, and the runs that go on after it.

    ``widths`` are those of glyphs by font, in thousandths, ``width`` is the page's. ``forms`` are
    left + right of the forms on a page that is mirrored; None of one that isn't.
    """
    reader = Reader(widths, Run(forms is not None))
    for right in going_on:
        reader.begin(right=right)
    parts = list(reader.read(content))
    root, *inner = reader.stack
    _layout(root, width)
    _add_spaces(parts)
    text = b"\n".join(part if isinstance(part, bytes) else _written(part) for part in parts)
    if forms is not None:
        text = _mirrored(text, forms, width)
    return text, list(root.items()), [run.right for run in inner]


def _widths(font: Any, known: dict[tuple[int, int], Widths]) -> Widths:
    if font.objgen not in known:
        widths = enumerate(font.get("/Widths", ()), start=int(font.get("/FirstChar", 0)))
        known[font.objgen] = {code: float(width) for code, width in widths}
    return known[font.objgen]


def _edges(page: pikepdf.Page) -> dict[bytes, float]:
    """Return the sum of the left and right edges of each form that a page draws."""
    drawn: Any = page.resources.get("/XObject", {})
    return {
        name.encode(): float(form.BBox[0]) + float(form.BBox[2])
        for name, form in drawn.items()
        if form.get("/Subtype") == "/Form"
    }


def _move_links(page: pikepdf.Page, items: list[Item], width: float, *, mirrored: bool) -> None:
    """Put the boxes of a page's links around the same texts."""
    for annotation in page.obj.get("/Annots", ()):
        if "/Rect" not in annotation:
            continue
        left, bottom, right, top = map(float, annotation.Rect)
        inside = [
            item
            for item in items
            if bottom <= item.height <= top and left <= (item.left + item.right) / 2 <= right
        ]
        if inside:
            left = min(item.moved for item in inside)
            right = max(item.moved + item.width for item in inside)
        elif mirrored:
            left, right = width - right, width - left
        annotation.Rect = pikepdf.Array([round(side, 3) for side in (left, bottom, right, top)])


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
    return min(item.left for item in every), max(item.right for item in every)


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
    items = (item for some in objects for item in some if isinstance(item, Item))
    space = next((item for item in items if item.is_space), None)
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
        for item in [each for each in part if isinstance(each, Item)]:
            if last and _lack_space(last[0], item) and not (actual and last[2]):
                before = last[0]
                at = before.moved if item.moved < before.moved else before.moved + before.width
                added = replace(space, moved=at, height=item.height, line=item.line)
                if actual:
                    last[1].insert(last[1].index(before) + 1, added)
                else:
                    part.insert(part.index(item), added)
            last = (item, part, actual)


def _lack_space(before: Item, after: Item) -> bool:
    left, right = sorted((before, after), key=lambda item: item.moved)
    gap = right.moved - left.moved - left.width
    same = abs(before.height - after.height) < after.size / 2
    return same and gap > SPACE * after.size and not before.is_space and not after.is_space


def _words(parts: list[Part]) -> Iterator[bytes | list[Item]]:
    """Yield the parts of a text object, words from right to left with their glyphs reversed.

    So most readers of text expect them. ISO 32000-1 has a name for it (14.8.2.3.3): the strings of
    ReversedChars have the opposite of the natural order, and only those.
    """
    word: list[Item] = []
    for part in parts:
        if word and (isinstance(part, bytes) or not _follows(word[-1], part)):
            yield word[::-1]
            word = []
        if isinstance(part, bytes):
            yield part
        else:
            word.append(part)
    if word:
        yield word[::-1]


def _follows(before: Item, item: Item) -> bool:
    """Return whether an item stands left of the one before it, in the same type and near to it."""
    if (before.line, before.font) != (item.line, item.font) or before.moved <= item.moved:
        return False
    gap = before.moved - item.moved - item.width
    return abs(gap) < SPACE * item.size and not before.is_space and not item.is_space


def _written(parts: list[Part]) -> bytes:
    """Return a text object."""
    writer = Writer()
    for word in _words(parts):
        if isinstance(word, bytes):
            writer.operators.append(word)
        elif len(word) == 1:
            writer.show(word[0])
        else:
            writer.operators.append(b"/ReversedChars BMC")
            for item in word:
                writer.show(item)
            writer.operators.append(b"EMC")
    return b"BT\n" + b" ".join(writer.operators) + b"\nET"


def _mirrored(content: bytes, forms: Mapping[bytes, float], width: float) -> bytes:
    """Return the content with lines and pictures on the other side of the page.

    ``width`` is that of the page, ``forms`` are the sums of the left and right edges of forms.
    pdfTeX draws them between q and Q, after it has moved the origin there and before it moves it
    back. They are mirrored, pictures twice; text that is turned stays where it is.
    """
    mirrored: list[bytes] = []
    lines = content.split(b"\n")
    depth, moved, drawing = 0, 0.0, False
    for at, line in enumerate(lines):
        words = line.split()
        begins = depth == 0 and words == [b"q"]
        depth += words.count(b"q") - words.count(b"Q")
        if depth == 0 and (match := _MOVE.fullmatch(line)):
            moved += float(match[1])
            mirrored.append(b"1 0 0 1 %s %s cm" % (number(-float(match[1])), match[2]))
        elif begins:
            drawing = not _has_text(lines[at + 1 :])
            flip = (-1.0, width) if drawing else (1.0, 2 * moved)
            mirrored += [line, b"%s 0 0 1 %s 0 cm" % tuple(map(number, flip))]
        elif drawing and depth and (figure := _DRAWN.fullmatch(line)):
            # An image is drawn from 0 to 1.
            size = number(forms.get(figure[1], 1.0))
            mirrored += [b"q", b"-1 0 0 1 %s 0 cm" % size, line, b"Q"]
        else:
            mirrored.append(line)
    return b"\n".join(mirrored)


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
