"""Where the words of a page stand: lines of words with their boxes, and words over each other.

Read by PDFium from one page. A word's box is as high as its type, not as its letters, so the boxes
of two lines don't overlap where only an accent reaches into the line above.
"""

from __future__ import annotations

import ctypes
import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from msgspec import Struct

from cvbuild.outputs.pdf.latex import bidi

#: A font's box may extend this far over the page's edge, in pt: its glyphs don't.
_EDGE = 1.0
#: At most this many overlaps of a page are found.
_MANY = 12
#: White space, and what PDFium gives for a hyphen at the end of a line.
_WORD = re.compile("[^\\s\x00\x02\ufffe]+")
#: Parts of the height of type: the middle of x, the bottom and top of x. The baseline is at 0.23.
_MIDDLE, _LOW, _HIGH = 0.45, 0.25, 0.68
#: Parts of the height of type: words that far apart are on one line, or one word has a hole.
_SAME_LINE, _HOLE = 0.5, 0.5
#: Parts of the height of type by which words, and then their letters, lie over each other.
_OVER, _INK = 0.25, 0.1
#: Parts of the height of type, and of the narrower letter, by which no font moves a letter towards
#: the one before: W and a 0.28 and 0.68.
_KERN, _COVERED = 0.35, 0.8
#: The mark of what is no text of the document, as PDFium gives it.
_ARTIFACT = "Artifact\0"
#: Type of fewer pt is no text, or is turned.
_LEAST = 3.0


class Word(NamedTuple):
    """A word and its box in pt, y upwards; ``top - bottom`` is the size of its type.

    ``start`` and ``end`` say which characters of the page it is made of.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    start: int = 0
    end: int = 0

    @property
    def size(self) -> float:
        """The size of its type in pt."""
        return self.top - self.bottom

    @property
    def baseline(self) -> float:
        """About where its letters stand: the same for all words of a line in one font."""
        return self.bottom + 0.23 * self.size


#: The lefts, tops, rights and bottoms of characters.
Boxes = tuple[Sequence[float], Sequence[float], Sequence[float], Sequence[float]]
#: Words from left to right that stand on one line, and follow one another in the page's content.
Line = tuple[Word, ...]


class Box(NamedTuple):
    """A rectangle of a page in pt, y upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def is_within(self, other: Box) -> bool:
        """Return whether no part of it is outside of the other one."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.bottom <= self.bottom and self.top <= other.top


class Page(Struct, frozen=True):
    """A page: the part that is shown, and all text in the order of its content.

    The rest is without the running head and foot: ``lines``, ``overlaps`` of words over each other,
    ``characters`` and their ``boxes``. ``outside`` are the visible characters, of these too, that
    are not wholly on the page.
    """

    box: Box
    text: str
    lines: tuple[Line, ...] = ()
    overlaps: tuple[tuple[Word, Word], ...] = ()
    characters: str = ""
    boxes: Boxes = ((), (), (), ())
    outside: str = ""


def read(text: Any, box: Box) -> Page:
    """Return what stands on a page of this box; ``text`` is its text page of pypdfium2."""
    handle, boxes, plain = text.raw, _boxes(text), text.get_text_range()
    characters, count = plain, len(boxes[0])
    if len(plain) != count:
        # The text of a page may have more or fewer than it has boxes.
        codes = (pdfium.FPDFText_GetUnicode(handle, index) for index in range(count))
        characters = "".join(chr(code) if code <= 0x10FFFF else "\ufffd" for code in codes)
    # Without the artifacts at its head and foot.
    start = next((at for at in range(count) if not _is_artifact(handle, at)), count)
    last = (at for at in range(count, start, -1) if not _is_artifact(handle, at - 1))
    end = next(last, start)
    every = _words(characters, boxes)
    lines = _lines(word for word in every if start <= word.start and word.end <= end)
    overlaps = islice(_overlaps(chain.from_iterable(lines), handle), _MANY)
    lefts, tops, rights, bottoms = (side[start:end] for side in boxes)
    sides, beyond = (lefts, tops, rights, bottoms), outside(characters, boxes, box)
    return Page(box, plain, lines, tuple(overlaps), characters[start:end], sides, beyond)


def _is_artifact(handle: Any, at: int) -> bool:
    """Return whether a character is no text of the document; PDFium's own spaces are none."""
    drawn = pdfium.FPDFText_GetTextObject(handle, at)
    if not drawn or not pdfium.FPDFPageObj_CountMarks(drawn):
        return not drawn
    name, length = (ctypes.c_ushort * len(_ARTIFACT))(), ctypes.c_ulong()
    mark = pdfium.FPDFPageObj_GetMark(drawn, 0)
    pdfium.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), length)
    return bytes(name) == _ARTIFACT.encode("utf-16-le")


def outside(characters: str, boxes: Boxes, page: Box) -> str:
    """Return visible characters over the page's edge, by their loose box: their font's height."""
    edges = Box(page.left - _EDGE, page.bottom - _EDGE, page.right + _EDGE, page.top + _EDGE)
    lefts, tops, rights, bottoms = boxes
    if not lefts or Box(min(lefts), min(bottoms), max(rights), max(tops)).is_within(edges):
        return ""
    return "".join(
        character
        for character, *sides in zip(characters, lefts, bottoms, rights, tops, strict=True)
        if character > " " and not character.isspace() and not Box(*sides).is_within(edges)
    )


def _boxes(text: Any) -> tuple[array[float], array[float], array[float], array[float]]:
    """Return all characters' loose boxes: as wide as their advance, as high as their type."""
    # A page has thousands of characters, and each call of PDFium takes time, so nothing but the box
    # is asked for each of them.
    handle, find = text.raw, pdfium.FPDFText_GetLooseCharBox
    boxes = (pdfium.FS_RECTF * text.count_chars())()
    deque(map(find, repeat(handle), range(len(boxes)), boxes), maxlen=0)
    sides = array("f", bytes(boxes))
    return sides[0::4], sides[1::4], sides[2::4], sides[3::4]


def _words(characters: str, boxes: Sequence[array[float]]) -> Iterator[Word]:
    """Yield the words; one ends where its next letter stands elsewhere, or over its last letter."""
    # It goes on on the next line, or in another run of a reordered line; and PDFium puts no space
    # between the end of a text and what is printed over it.
    lefts, tops, rights, bottoms = boxes

    def covers(at: int) -> bool:
        # A letter stands over the one before it, where no font moves it.
        back = rights[at - 1] - lefts[at]
        if back <= _KERN * (tops[at] - bottoms[at]):
            return False
        narrow = min(rights[at] - lefts[at], rights[at - 1] - lefts[at - 1])
        # The letters of a ligature have one place.
        is_letter = lefts[at] != lefts[at - 1] and characters[at - 1 : at + 1].isalnum()
        return is_letter and back > _COVERED * narrow

    reordered = bidi.runs_right("".join(set(characters)))
    for match in _WORD.finditer(characters):
        start, end = match.span()
        left, right, size = lefts[start], rights[start], tops[start] - bottoms[start]
        for at in range(start + 1, end + 1):
            if (
                at < end
                and abs(bottoms[at] - bottoms[start]) <= _SAME_LINE * size
                and left - _HOLE * size <= rights[at]
                and lefts[at] <= right + _HOLE * size
                and (reordered or not covers(at))
            ):
                left, right = min(left, lefts[at]), max(right, rights[at])
                continue
            if size >= _LEAST:
                yield Word(
                    characters[start:at], left, bottoms[start], right, tops[start], start, at
                )
            if at < end:
                start, left, right, size = at, lefts[at], rights[at], tops[at] - bottoms[at]


def _lines(words: Iterable[Word]) -> tuple[Line, ...]:
    """Return the words in lines; a raised mark is on the line of its word."""
    lines: list[list[Word]] = []
    middle = size = 0.0
    for word in words:
        centre = word.bottom + _MIDDLE * word.size
        if lines and abs(centre - middle) < _SAME_LINE * min(size, word.size):
            lines[-1].append(word)
            continue
        lines.append([word])
        middle, size = centre, word.size
    return tuple(tuple(sorted(line, key=lambda word: word.left)) for line in lines)


def _overlaps(words: Iterable[Word], handle: Any) -> Iterator[tuple[Word, Word]]:
    """Yield pairs of words whose letters are printed over each other."""
    by_height = sorted(words, key=lambda word: word.bottom)
    for at, word in enumerate(by_height):
        for other in islice(by_height, at + 1, None):
            if other.bottom >= word.top:
                break
            size = min(word.size, other.size)
            across = min(word.right, other.right) - max(word.left, other.left)
            # Where all letters have ink: the middles of the two.
            along = min(each.bottom + _HIGH * each.size for each in (word, other))
            along -= max(each.bottom + _LOW * each.size for each in (word, other))
            if across <= _OVER * size or along <= _INK * size:
                continue
            # And not only the boxes of their type overlap.
            least, others = _INK * size, list(_ink(other, handle))
            if any(
                min(a[1], b[1]) - max(a[0], b[0]) > least
                and min(a[3], b[3]) - max(a[2], b[2]) > least
                for a in _ink(word, handle)
                for b in others
            ):
                yield (word, other) if word.start < other.start else (other, word)


def _ink(word: Word, handle: Any) -> Iterator[tuple[float, float, float, float]]:
    """Yield left, right, bottom and top of each letter's own shape."""
    sides = [ctypes.c_double() for _ in range(4)]
    for index in range(word.start, word.end):
        if pdfium.FPDFText_GetCharBox(handle, index, *sides):
            left, right, bottom, top = (side.value for side in sides)
            yield left, right, bottom, top
