"""What a designer measures on pages: spaces between words, length of lines, vertical steps, fill.

Pure functions over the lines that ``text_lines`` reads; lengths in pt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from msgspec import Struct

from cvbuild.outputs.pdf.verify import find_texts
from cvbuild.outputs.pdf.verify.pdf_facts import Page
from cvbuild.outputs.pdf.verify.text_lines import Line, Word

#: A line of more characters is hard to read.
LONGEST = 115
#: A space between words is loose if it is wider than this many usual ones.
LOOSE = 2.0
#: Spaces of more em are not between words.
_WIDEST = 1.0
#: Letters are equally wide if their widths differ by fewer em.
_ALIKE = 0.01
#: Steps that differ by less are equal to the eye.
_STEP = 0.5
#: A line is full if it is at least this part of the longest one.
_FULL = 0.9
#: Type of more than this many times the usual size isn't text.
_LARGE = 1.3
#: Spaces between words (em) are counted in classes of this width; fonts have one of at least 0.2.
_CLASS, _USUAL = 0.02, 0.2
#: The first letter after all Latin ones; a smaller part of all spaces is no measure.
_LATIN_ENDS, _FEW = "\u0370", 0.1


class Gap(NamedTuple):
    """The space between two words of a line; ``width`` in em of the smaller one."""

    line: Line
    left: Word
    right: Word
    width: float


class Measures(Struct, frozen=True):
    """The figures of a document's pages.

    ``space`` is the usual space between words in em; ``full`` how many lines are full, ``median``
    and ``longest`` their characters, ``long`` how many have more than LONGEST; ``steps`` is the
    number of different distances between lines, ``fill`` the used part of the last page (0 to 1),
    ``last_lines`` its number of lines.
    """

    space: float
    full: int
    median: float
    longest: int
    long: int
    steps: int
    fill: float
    last_lines: int


def measures(
    pages: Sequence[Page], bodies: Sequence[Sequence[Line]], gaps: Sequence[Gap]
) -> Measures:
    """Return the figures of pages, of their :func:`bodies` and of the :func:`gaps` in these."""
    space = usual_space(gaps)
    full = [characters(line) for line in full_lines(bodies, space)]
    return Measures(
        space=round(space, 3),
        full=len(full),
        median=median(full) if full else 0,
        longest=max(full, default=0),
        long=sum(count > LONGEST for count in full),
        steps=len(steps(bodies)),
        fill=round(last_fill(pages, bodies), 3),
        last_lines=len(rows(bodies[-1])) if bodies else 0,
    )


def bodies(pages: Sequence[Page], name: str, footers: Sequence[str]) -> list[tuple[Line, ...]]:
    """Return the lines of each page without running heads, footers and page numbers."""
    bodies = []
    for number, page in enumerate(pages, start=1):
        lines = list(page.lines)
        feet = (*footers, name) if number > 1 else footers
        while lines and find_texts.matches(text(lines[-1]), feet, number, len(pages)):
            lines.pop()
        first = text(lines[0]) if lines and number > 1 else ""
        if first and find_texts.matches(first, (name,), number, len(pages)):
            del lines[0]
        bodies.append(tuple(lines))
    return bodies


def text(line: Line) -> str:
    """Return the words of a line with single spaces."""
    return " ".join(word.text for word in line)


def characters(line: Line) -> int:
    """Return how many characters a line has, with the spaces between its words."""
    return sum(len(word.text) for word in line) + len(line) - 1


def gaps(bodies: Sequence[Sequence[Line]]) -> list[Gap]:
    """Return all spaces between words that stand on one line, also those between columns."""
    return [
        Gap(line, left, right, (right[1] - left[3]) / min(left[4] - left[2], right[4] - right[2]))
        for lines in bodies
        for line in lines
        for left, right in pairwise(line)
    ]


def normal(gap: Gap, space: float) -> float:
    """Return how wide a space in the font of a gap is, in em, if the usual one is ``space``.

    All letters of typewriter type are as wide as its space.
    """
    size = min(gap.left.size, gap.right.size)
    letters = [(word.right - word.left) / len(word.text) / size for word in gap[1:3]]
    if max(letters) - min(letters) < _ALIKE:
        return max(space, *letters)
    # A comma in another font may follow.
    typewriter = any(abs(gap.width - width) < _ALIKE for width in letters)
    return max(space, gap.width) if typewriter else space


def usual_space(gaps: Sequence[Gap]) -> float:
    """Return the most frequent space between words in em: that of lines that aren't justified.

    Fonts of other scripts have smaller ones than those of Latin letters: the wider counts. What is
    beside a bullet or another sign doesn't.
    """
    inner = [
        gap
        for gap in gaps
        if 0.1 < gap.width < _WIDEST
        and gap.left.text[-1:].isalpha()
        and gap.right.text[0].isalpha()
    ]
    latin = [gap for gap in inner if max(gap.left.text + gap.right.text) < _LATIN_ENDS]
    usual = [_most_frequent(some) for some in (inner, latin) if len(some) > _FEW * len(inner)]
    return max([_USUAL, *usual])


def _most_frequent(gaps: Sequence[Gap]) -> float:
    classes = Counter(round(gap.width / _CLASS) for gap in gaps)
    # Of two that are equally frequent, the smaller: justified lines have wider ones.
    most = max(classes.values())
    return _CLASS * min(one for one, count in classes.items() if count == most)


def columns(line: Line, space: float) -> Iterator[Line]:
    """Yield the parts of a line between its wide gaps; ``space`` is the usual space in em."""
    start = 0
    for at, (left, right) in enumerate(pairwise(line), start=1):
        if right.left - left.right > LOOSE * space * min(left.size, right.size):
            yield line[start:at]
            start = at
    yield line[start:]


def full_lines(bodies: Sequence[Sequence[Line]], space: float) -> list[Line]:
    """Return the lines of running text that are as long as the document's column allows."""
    halves = [part for lines in bodies for line in lines for part in columns(line, space)]
    # A long name in large type is wider than the text below it.
    usual = median(word.size for part in halves for word in part) if halves else 0.0
    parts = [part for part in halves if part[0].size <= _LARGE * usual]
    widest = max((_width(part) for part in parts), default=0.0)
    return [part for part in parts if _width(part) >= _FULL * widest]


def rows(lines: Sequence[Line]) -> list[float]:
    """Return the baselines of a page's rows from the top: what stands beside each other is one."""
    rows: list[float] = []
    for baseline, size in sorted(map(_baseline, lines), reverse=True):
        if not rows or rows[-1] - baseline > 0.5 * size:
            rows.append(baseline)
    return rows


def steps(bodies: Sequence[Sequence[Line]]) -> Counter[float]:
    """Return the distances between lines below each other, and how many have each."""
    return Counter(
        round((upper - lower) / _STEP) * _STEP
        for lines in bodies
        for upper, lower in pairwise(rows(lines))
    )


def last_fill(pages: Sequence[Page], bodies: Sequence[Sequence[Line]]) -> float:
    """Return the used part of the last page's height, 0 to 1.

    The page is as high as the fullest one, or as that between equal margins at its top and foot.
    """
    tops = [max(word.top for line in lines for word in line) for lines in bodies if lines]
    feet = [min(word.bottom for line in lines for word in line) for lines in bodies if lines]
    if not tops or not bodies[-1]:
        return 0.0
    top, box = max(tops), pages[0].box
    foot = min(*feet, box.bottom + max(box.top - top, 0.0), top - 1)
    return min(1.0, (max(tops[-1], top) - feet[-1]) / (top - foot))


def _width(line: Line) -> float:
    return line[-1].right - line[0].left


def _baseline(line: Line) -> tuple[float, float]:
    """Return where the largest words of a line stand, and their size."""
    top = max(line, key=lambda word: word.size)
    return top.baseline, top.size
