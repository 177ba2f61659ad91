"""Where on its pages each text of a document stands, and in which order they are read.

Only what is known: a text whose letters are found, one by one, where ``verify`` finds them. Of one
that readers reorder, each of its words must be there once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.verify import find_texts
from cvbuild.outputs.pdf.verify.find_texts import PlacedText
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.outputs.pdf.verify.text_lines import Box, Page
from cvbuild.outputs.text_folding import Folded, Interval
from cvbuild.view.types import Content

#: A text of fewer letters may be a part of a word that a template prints.
_SHORT = 4
#: The part of the lower one's height by which characters of one line overlap.
_SAME_LINE = 0.3

#: A character: the page, from 0, and its index there.
_Character = tuple[int, int]


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
    whole = text_folding.pages(texts)
    blocks = find_texts.places(whole, expected.blocks, rtl=expected.rtl)
    characters = _characters(texts)
    return [
        TextPlace(content.path, numbers_of[page], _from_top(box, pages[page].box), str(content))
        for content, numbers in (_found(whole, blocks) if characters else ())
        for page, box in _boxes([characters[number] for number in numbers], pages)
    ]


def _from_top(box: Box, page: Box) -> tuple[float, float, float, float]:
    return box.left - page.left, page.top - box.top, box.right - page.left, page.top - box.bottom


def _found(
    whole: Folded, blocks: Iterable[tuple[Interval, Sequence[PlacedText]]]
) -> Iterator[tuple[Content, list[int]]]:
    """Yield each text, and the numbers of its letters."""
    for within, texts in blocks:
        used = [part for _, known in texts for part in known]
        for text, known in sorted(texts, key=lambda each: -len(each[0].folded.letters)):
            parts = list(known) or _of_words(whole, text.folded, within, used)
            is_long = len(text.folded.letters) >= _SHORT
            if parts and (is_long or all(text_folding.is_whole(whole, part) for part in parts)):
                yield text.content, [number for part in parts for number in range(*part)]


def _of_words(
    whole: Folded, text: Folded, within: Interval, used: list[Interval]
) -> list[Interval]:
    """Return the parts of a text that readers reorder; none if they aren't sure."""
    start, end = within
    if (at := whole.letters.find(text.letters, start, end)) >= 0:
        intervals = [(at, at + len(text.letters))]
        if text.letters and _are_free(intervals, used):
            used += intervals
            return intervals
    edges = [0, *sorted(text.joints), len(text.letters)]
    intervals = []
    for first, last in pairwise(edges):
        word = text.letters[first:last]
        turned = dict.fromkeys((word, word[::-1]))
        parts = [part for text in turned for part in text_folding.word_places(whole, text, within)]
        free = [part for part in parts if _are_free([part], [*used, *intervals])]
        if word and len(free) != 1:
            return []
        intervals += free
    used += intervals
    return intervals


def _are_free(parts: Iterable[Interval], used: Iterable[Interval]) -> bool:
    known = list(used)
    return all(end <= low or high <= start for start, end in parts for low, high in known)


# -- from letters to boxes -------------------------------------------------------------------------


def _characters(texts: Sequence[str]) -> list[_Character]:
    """Return which character of the pages each letter is; nothing if that isn't known."""
    folded = [text_folding.fold(text) for text in texts]
    # Of a text that isn't in NFC it isn't known which characters became which.
    if any(part.text != text for part, text in zip(folded, texts, strict=True)):
        return []
    return [(page, number) for page, part in enumerate(folded) for number in part.origin]


def _boxes(characters: Sequence[_Character], pages: Sequence[Page]) -> Iterator[tuple[int, Box]]:
    """Yield the page and the box of each line of characters."""
    here, line = -1, Box(0, 0, 0, 0)
    for page, index in characters:
        lefts, tops, rights, bottoms = pages[page].boxes
        box = Box(lefts[index], bottoms[index], rights[index], tops[index])
        if box.right <= box.left or box.top <= box.bottom:
            continue
        overlap = min(box.top, line.top) - max(box.bottom, line.bottom)
        if page == here and overlap > _SAME_LINE * min(
            box.top - box.bottom, line.top - line.bottom
        ):
            line = Box(*map(min, line[:2], box[:2]), *map(max, line[2:], box[2:]))
            continue
        if here >= 0:
            yield here, line
        here, line = page, box
    if here >= 0:
        yield here, line


# -- the pages of a document in the order in which its text is read --------------------------------
# A page of two columns has its part of the main one before its part of the narrow one; the main one
# goes on on the next page, and is read to its end before the narrow one.


#: The least space between two columns, in pt.
_GUTTER = 20.0


def parts(pages: Sequence[Page], expected: Expected) -> list[tuple[int, Page]]:
    """Return the pages, each with its number from 0; of two columns the narrow one's parts last."""
    edge = _gutter(pages, rtl=expected.rtl) if expected.has_columns and len(pages) > 1 else None
    if edge is None:
        return list(enumerate(pages))
    starts = [_narrow(page, edge, rtl=expected.rtl) for page in pages]
    main = [_part(page, slice(start)) for page, start in zip(pages, starts, strict=True)]
    narrow = [_part(page, slice(start, None)) for page, start in zip(pages, starts, strict=True)]
    return [*enumerate(main), *enumerate(narrow)]


def _gutter(pages: Iterable[Page], *, rtl: bool) -> float | None:
    """Return the middle of the last strip, from top to foot, in which no page has a word."""
    words = sorted(
        (word.left, word.right) for page in pages for line in page.lines for word in line
    )
    strips, end = [], words[0][0] if words else 0.0
    for left, right in words:
        if left - end > _GUTTER:
            strips.append((left + end) / 2)
        end = max(end, right)
    return strips[0 if rtl else -1] if strips else None


def _narrow(page: Page, edge: float, *, rtl: bool) -> int:
    """Return where the narrow column begins, which is the last; at the end if there is none."""
    lefts, _, rights, _ = page.boxes
    where = [
        None if character.isspace() or right <= left else ((left + right) / 2 > edge) != rtl
        for character, left, right in zip(page.characters, lefts, rights, strict=True)
    ]
    start = len(where)
    while start and where[start - 1] is not False:
        start -= 1
    return start


def _part(page: Page, part: slice) -> Page:
    lefts, tops, rights, bottoms = (side[part] for side in page.boxes)
    return replace(page, characters=page.characters[part], boxes=(lefts, tops, rights, bottoms))
