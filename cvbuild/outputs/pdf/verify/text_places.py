"""Find the texts of a document's blocks in the text of its PDF: all of them, where they stand.

Blocks follow one another; the texts of one block may come in any order (a style may set the title
before the authors), but no two of them may share letters.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, path_of
from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf import Expected, PrintedBlock
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.outputs.pdf.verify.text_lines import Box, Page
from cvbuild.outputs.text_folding import Folded, Interval, fold, short
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


#: A text of a block, and its parts; none if its letters came in another order.
PlacedText = tuple[ExpectedText, Sequence[Interval]]


class Reader(Struct):
    """A position in the PDF's text, moving forward block by block."""

    text: Folded
    at: int = 0
    used: list[Interval] = field(default_factory=list)
    """Parts of this block, none of which overlap, in their order."""
    used_parts: set[tuple[int, int]] = field(default_factory=set)
    letters: int = 0
    """How many this block has."""
    placed: list[PlacedText] = field(default_factory=list)
    """This block's texts with their parts; none of those in another order."""
    reached: int = 0
    _next: dict[tuple[str, str], int] = field(default_factory=dict)
    """Where to look for one more of the same text: all before is used, or doesn't fit."""

    def block(self, texts: Sequence[ExpectedText]) -> list[ExpectedText]:
        """Move to the end of a block; return those of its texts that are not found from here on."""
        self.used, self.used_parts, self._next, self.placed = [], set(), {}, []
        self.letters = sum(len(text.folded.letters) for text in texts)
        lost = []
        for text in sorted(texts, key=lambda each: (each.reordered, -len(each.folded.letters))):
            places = self._shapes(text) if text.reordered else self._find(text.folded)
            if places is None:
                lost.append(text)
            else:
                self.placed.append((text, places))
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
        """Find the letters in any order, on the shortest stretch from here on that has them all."""
        # No letter counts for two texts; a ligature is several letters. None if they are not there.
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


def anywhere(text: Folded, part: Folded) -> bool:
    """Return whether a text has this part at any place."""
    return not part.letters or any(True for _ in text_folding.occurrences(text, part))


def expected_texts(blocks: Sequence[PrintedBlock], *, rtl: bool) -> list[list[ExpectedText]]:
    """Return the texts of each block."""
    # A section's title joins a block that runs from right to left: if both are set on one line,
    # readers reverse that line.
    joined: list[list[ExpectedText]] = []
    title: PrintedBlock | None = None
    for block in blocks:
        written = [str(content) for content in block.contents]
        # A block that runs from right to left reverses the others on its line.
        turned = rtl or any(map(bidi.runs_right, written))
        texts = [
            ExpectedText(content, fold(text), turned or text_folding.is_reordered(text))
            for content, text in zip(block.contents, written, strict=True)
        ]
        if title and block.id.startswith(f"{title.id}.") and any(text.reordered for text in texts):
            texts = [*joined.pop(), *texts]
        joined.append(texts)
        path = path_of(block.id)
        # The title of a section: sections.3, summary.
        title = block if len(path) == (2 if path[0] == "sections" else 1) else None
    return joined


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
    """Return an error for each text that is not in the PDF's text, or not in the blocks' order."""
    # ``rtl``: the document runs from right to left, so that readers may reverse any of its lines.
    reader = Reader(text)
    lost: list[Diagnostic] = []
    moved: list[Diagnostic] = []
    for block in expected_texts(blocks, rtl=rtl):
        start = reader.at
        faults = []
        for expected in reader.block(block):
            part, plain = expected.folded, short(str(expected.content))
            span = place(expected.content.path)
            is_there = anywhere(text, part) or text_folding.across_pages(text, part, 0, ROOM)
            if is_there and not expected.reordered:
                fact = f'"{plain}" is in the PDF, but not here or not so often'
                hint = "the template changes the order, or leaves one out"
                faults.append(Diagnostic("error", "verify-order", fact, span, hint))
                continue
            # What is there instead, soon after the start of the block.
            first, last = _nearest(text, part.letters, start) or (0, 0)
            came = short(text.raw(first, last))
            if came and text.letters[first:last] == part.letters:
                code, fact = "space", f'"{plain}" is in the PDF as "{came}"'
                hint = "spaces or hyphens between its letters are not as they were written"
            else:
                code, fact = "text", f'"{plain}" is not in the PDF'
                fact += f', but "{came}"' if came else ""
                hint = "the font lacks a character, or the template doesn't print the field"
            lost.append(Diagnostic("error", f"verify-{code}", fact, span, hint))
        # One that is elsewhere also moves those after it out of place.
        moved = moved or faults
    return lost or moved


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


# -- where on its pages each text stands, and in which order they are read -------------------------
# Only what is known: a text whose letters are found, one by one, where ``missing`` finds them. Of
# one that readers reorder, each of its words must be there once.


#: A text of fewer letters may be a part of a word that a template prints.
_SHORT = 4
#: The part of the lower one's height by which characters of one line overlap.
_SAME_LINE = 0.3


class TextPlace(Struct, frozen=True):
    """One line of a text: its field, and its box on a page, counted from 0.

    The box has left, top, right and bottom, in pt from the page's top left. ``words`` are the whole
    text, as it is printed.
    """

    path: FieldPath
    page: int
    box: tuple[float, float, float, float]
    words: str


def find(facts: Facts, expected: Expected) -> list[TextPlace]:
    """Return the places of all texts of a document that was verified, as far as they are known."""
    numbers_of, pages = zip(*parts(facts.pages, expected), strict=True)
    texts = [page.characters for page in pages]
    folded = [fold(text) for text in texts]
    # Of a text that isn't in NFC it isn't known which characters became which.
    if any(part.text != text for part, text in zip(folded, texts, strict=True)):
        return []
    characters = [(page, at) for page, part in enumerate(folded) for at in part.origin]
    reader, blocks = Reader(text_folding.pages(texts)), []
    for block in expected_texts(expected.blocks, rtl=expected.rtl):
        start = reader.at
        if reader.block(block):
            return []
        blocks.append(((start, reader.at), reader.placed))
    every: list[TextPlace] = []
    for within, texts_of in blocks:
        used = [part for _, known in texts_of for part in known]
        for text, known in sorted(texts_of, key=lambda each: -len(each[0].folded.letters)):
            intervals = list(known) or _of_words(reader.text, text.folded, within, used)
            are_whole = all(text_folding.is_whole(reader.text, part) for part in intervals)
            if are_whole or len(text.folded.letters) >= _SHORT:
                letters = [characters[at] for part in intervals for at in range(*part)]
                path, words = text.content.path, str(text.content)
                boxes = _boxes(letters, pages)
                every += [TextPlace(path, numbers_of[page], box, words) for page, box in boxes]
    return every


def _of_words(
    whole: Folded, text: Folded, within: Interval, used: list[Interval]
) -> list[Interval]:
    """Return the parts of a text that readers reorder; none if they aren't sure."""

    def is_free(part: Interval) -> bool:
        return all(part[1] <= low or high <= part[0] for low, high in (*used, *intervals))

    intervals: list[Interval] = []
    at = whole.letters.find(text.letters, *within)
    whole_text = at, at + len(text.letters)
    if at >= 0 and text.letters and is_free(whole_text):
        used.append(whole_text)
        return [whole_text]
    edges = [0, *sorted(text.joints), len(text.letters)]
    for first, last in pairwise(edges):
        word = text.letters[first:last]
        turned = dict.fromkeys((word, word[::-1]))
        parts = [part for text in turned for part in text_folding.word_places(whole, text, within)]
        free = [part for part in parts if is_free(part)]
        if word and len(free) != 1:
            return []
        intervals += free
    used += intervals
    return intervals


def _boxes(
    characters: Iterable[tuple[int, int]], pages: Sequence[Page]
) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    """Yield the page and the box of each line of characters, which have a page and an index."""
    lines: list[tuple[int, Box]] = []
    for page, index in characters:
        lefts, tops, rights, bottoms = pages[page].boxes
        box = Box(lefts[index], bottoms[index], rights[index], tops[index])
        if box.right <= box.left or box.top <= box.bottom:
            continue
        here, line = lines[-1] if lines else (-1, box)
        overlap = min(box.top, line.top) - max(box.bottom, line.bottom)
        least = min(box.top - box.bottom, line.top - line.bottom)
        if page == here and overlap > _SAME_LINE * least:
            lines[-1] = page, Box(*map(min, line[:2], box[:2]), *map(max, line[2:], box[2:]))
        else:
            lines.append((page, box))
    for page, (left, bottom, right, top) in lines:
        edge = pages[page].box
        yield page, (left - edge.left, edge.top - top, right - edge.left, edge.top - bottom)


# -- the pages of a document in the order in which its text is read --------------------------------
# A page of two columns has its part of the main one before its part of the narrow one; the main one
# goes on on the next page, and is read to its end before the narrow one.


#: The least space between two columns, in pt.
_GUTTER = 20.0


def parts(pages: Sequence[Page], expected: Expected) -> list[tuple[int, Page]]:
    """Return the pages, each with its number from 0; of two columns the narrow one's parts last."""
    if not expected.has_columns or len(pages) == 1:
        return list(enumerate(pages))
    words = sorted(
        (word.left, word.right) for page in pages for line in page.lines for word in line
    )
    # The middles of strips, from top to foot, in which no page has a word.
    strips, end = list[float](), words[0][0] if words else 0.0
    for left, right in words:
        if left - end > _GUTTER:
            strips.append((left + end) / 2)
        end = max(end, right)
    if not strips:
        return list(enumerate(pages))
    edge = strips[0 if expected.rtl else -1]
    columns: tuple[list[Page], list[Page]] = [], []
    for page in pages:
        # The narrow column is the last in the page's content; there may be none.
        lefts, _, rights, _ = page.boxes
        start = len(lefts)
        for character, left, right in reversed(
            list(zip(page.characters, lefts, rights, strict=True))
        ):
            is_seen = not character.isspace() and right > left
            if is_seen and ((left + right) / 2 > edge) == expected.rtl:
                break
            start -= 1
        for column, part in zip(columns, (slice(start), slice(start, None)), strict=True):
            lefts, tops, rights, bottoms = (side[part] for side in page.boxes)
            sides = lefts, tops, rights, bottoms
            column.append(replace(page, characters=page.characters[part], boxes=sides))
    return [*enumerate(columns[0]), *enumerate(columns[1])]
