"""Find the texts of a document's blocks in the text of its PDF, in their order.

Blocks follow one another; the texts of one block may come in any order (a style may set the title
before the authors), but no two of them may share letters.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from msgspec import Struct, field

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, path_of
from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf import PrintedBlock
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.text_folding import Folded, Interval
from cvbuild.view.types import Content

#: How many letters a template may add around a block.
_AROUND_BLOCK = 64
#: How many letters there may be between two pages: heads and feet that a style doesn't mark.
ROOM = 100


class ExpectedText(Struct, frozen=True):
    """A text of a block, folded; ``reordered`` is whether readers may give it in another order."""

    content: Content
    folded: Folded
    reordered: bool


class Reader(Struct):
    """A position in the PDF's text, moving forward block by block."""

    text: Folded
    at: int = 0
    used: list[Interval] = field(default_factory=list)
    """Parts of this block, none of which overlap, in their order."""
    used_parts: set[tuple[int, int]] = field(default_factory=set)
    letters: int = 0
    """How many this block has."""
    placed: dict[int, list[Interval]] = field(default_factory=dict)
    """The parts of this block's texts by their id(); none of those in another order."""
    reached: int = 0
    _next: dict[tuple[str, str], int] = field(default_factory=dict)
    """Where to look for one more of the same text: all before is used, or doesn't fit."""

    def block(self, texts: Sequence[ExpectedText]) -> list[ExpectedText]:
        """Move to the end of a block; return those of its texts that are not found from here on."""
        self.used, self.used_parts, self._next, self.placed = [], set(), {}, {}
        self.letters = sum(len(text.folded.letters) for text in texts)
        lost = []
        for text in sorted(texts, key=lambda each: (each.reordered, -len(each.folded.letters))):
            places = self._shapes(text) if text.reordered else self._find(text.folded)
            if places is None:
                lost.append(text)
            else:
                self.placed[id(text)] = places
                for place in places:
                    insort(self.used, place)
        self.at = max([self.at, self.reached, *(end for _, end in self.used)])
        return lost

    def _find(self, text: Folded) -> list[Interval] | None:
        if not text.letters:
            return []
        size = len(text.letters)
        same = (text.letters, text.text)
        for at in text_folding.occurrences(self.text, text, self._next.get(same, self.at)):
            if self._free(at, at + size):
                self._next[same] = at + size
                return [(at, at + size)]
        self._next[same] = len(self.text.letters)
        parts = text_folding.across_pages(self.text, text, self.at, ROOM)
        return list(parts) if parts and all(self._free(*part) for part in parts) else None

    def _shapes(self, text: ExpectedText) -> list[Interval] | None:
        """Find the letters in any order, on the shortest stretch from here on that has them all.

        No letter counts for two texts; a ligature is several letters. None if they are not there.
        """
        needed = text_folding.shapes(str(text.content))
        missing = sum(needed.values())
        here: set[tuple[int, int]] = set()
        stop = self.at + 3 * missing + _AROUND_BLOCK + ROOM + self.letters
        for number in range(self.at, min(len(self.text.letters), stop)):
            if not self._free(number, number + 1):
                continue
            # A joint stands before its letter.
            hyphens = self.text.joints.get(number, "").replace(text_folding.GAP, "")
            parts = unicodedata.normalize("NFKD", self.text.letters[number])
            shapes = (*text_folding.HYPHEN * len(hyphens), *text_folding.shapes(parts).elements())
            for part, shape in enumerate(shapes):
                if needed[shape] > 0 and (number, part) not in self.used_parts:
                    needed[shape] -= 1
                    missing -= 1
                    here.add((number, part))
            if missing <= 0:
                self.used_parts |= here
                self.reached = max(self.reached, number + 1)
                return []
        return None

    def _free(self, start: int, end: int) -> bool:
        at = bisect_left(self.used, (start, start))
        return not (
            (at and self.used[at - 1][1] > start)
            or (at < len(self.used) and self.used[at][0] < end)
        )


#: A text of a block, and its parts; none if its letters came in another order.
PlacedText = tuple[ExpectedText, Sequence[Interval]]


def places(
    text: Folded, blocks: Sequence[PrintedBlock], *, rtl: bool = False
) -> list[tuple[Interval, Sequence[PlacedText]]]:
    """Return where each block and each of its texts is, or nothing if one is lost."""
    reader = Reader(text)
    each_block: list[tuple[Interval, Sequence[PlacedText]]] = []
    for block in expected_texts(blocks, rtl=rtl):
        start = reader.at
        if reader.block(block):
            return []
        placed = [(text, reader.placed[id(text)]) for text in block]
        each_block.append(((start, reader.at), placed))
    return each_block


def anywhere(text: Folded, part: Folded) -> bool:
    """Return whether a text has this part at any place."""
    return not part.letters or any(True for _ in text_folding.occurrences(text, part))


def expected_texts(blocks: Sequence[PrintedBlock], *, rtl: bool) -> list[list[ExpectedText]]:
    """Return the texts of each block.

    A section's title joins a block that runs from right to left: if both are set on one line,
    readers reverse that line.
    """
    joined: list[list[ExpectedText]] = []
    title: PrintedBlock | None = None
    for block in blocks:
        texts = _of_block(block, rtl=rtl)
        if title and block.id.startswith(f"{title.id}.") and any(text.reordered for text in texts):
            texts = [*joined.pop(), *texts]
        joined.append(texts)
        path = path_of(block.id)
        # The title of a section: sections.3, summary.
        title = block if len(path) == (2 if path[0] == "sections" else 1) else None
    return joined


def _of_block(block: PrintedBlock, *, rtl: bool) -> list[ExpectedText]:
    """Return a block's texts; one that runs from right to left reverses the others on its line."""
    texts = [str(content) for content in block.contents]
    turned = rtl or any(bidi.runs_right(text) for text in texts)
    return [
        ExpectedText(content, text_folding.fold(text), turned or text_folding.is_reordered(text))
        for content, text in zip(block.contents, texts, strict=True)
    ]


# -- which texts are lost, and what is there instead ----------------------------------------------


#: The part of a text's letters that a stretch must have to count as the damaged text.
_ALIKE = 0.6
#: How many letters of a lost text are compared with what is there instead: the time for that grows
#: with the square of their number.
_COMPARED = 1000


def missing(
    text: Folded,
    blocks: Sequence[PrintedBlock],
    place: Callable[[FieldPath], Span | None],
    *,
    rtl: bool = False,
) -> list[Diagnostic]:
    """Return an error for each text that is not in the PDF's text, or not in the blocks' order.

    ``rtl``: the document runs from right to left, so that readers may reverse any of its lines.
    """
    reader = Reader(text)
    lost: list[Diagnostic] = []
    moved: list[Diagnostic] = []
    for block in expected_texts(blocks, rtl=rtl):
        start = reader.at
        faults = []
        for expected in reader.block(block):
            part = expected.folded
            is_there = anywhere(text, part) or text_folding.across_pages(text, part, 0, ROOM)
            if is_there and not expected.reordered:
                faults.append(_moved(expected, place))
            else:
                lost.append(_lost(text, expected, start, place))
        # One that is elsewhere also moves those after it out of place.
        moved = moved or faults
    return lost or moved


def _moved(expected: ExpectedText, place: Callable[[FieldPath], Span | None]) -> Diagnostic:
    plain = text_folding.short(str(expected.content))
    fact = f'"{plain}" is in the PDF, but not here or not so often'
    hint = "the template changes the order, or leaves one out"
    return Diagnostic("error", "verify-order", fact, place(expected.content.path), hint)


def _lost(
    text: Folded,
    expected: ExpectedText,
    at: int,
    place: Callable[[FieldPath], Span | None],
) -> Diagnostic:
    """Return the error for a text that is not there, with what is instead, soon after ``at``."""
    letters, plain = expected.folded.letters, text_folding.short(str(expected.content))
    start, end = _nearest(text, letters, at) or (0, 0)
    came = text_folding.short(text.raw(start, end))
    if came and text.letters[start:end] == letters:
        code, message = "space", f'"{plain}" is in the PDF as "{came}"'
        hint = "spaces or hyphens between its letters are not as they were written"
    else:
        code, message = "text", f'"{plain}" is not in the PDF'
        message += f', but "{came}"' if came else ""
        hint = "the font lacks a character, or the template doesn't print the field"
    return Diagnostic("error", f"verify-{code}", message, place(expected.content.path), hint)


def _nearest(text: Folded, letters: str, at: int) -> Interval | None:
    """Return a stretch soon after ``at`` that has most of the letters."""
    whole, letters = letters, letters[:_COMPARED]
    size = len(letters)
    window = text.letters[at : at + 2 * size + 5 * ROOM]
    blocks = SequenceMatcher(None, letters, window, autojunk=False).get_matching_blocks()
    longest = max(blocks, key=lambda block: block.size)
    # Those at the same distance from one another as in the text itself.
    near = [
        block
        for block in blocks
        if block.size and abs((block.b - block.a) - (longest.b - longest.a)) <= max(2, size // 8)
    ]
    if sum(block.size for block in near) < max(3, _ALIKE * size):
        return None
    start, end = at + near[0].b, at + near[-1].b + near[-1].size
    if text.letters.startswith(whole, start):
        return start, start + len(whole)
    # Add what replaces the first and last letters, as far as it belongs to the same word.
    for _ in range(near[0].a):
        start -= start > at and text.letters[start - 1].isalnum() and start not in text.joints
    for _ in range(size - near[-1].a - near[-1].size):
        inside = end < len(text.letters) and end not in text.joints
        end += inside and text.letters[end].isalnum()
    return start, end
