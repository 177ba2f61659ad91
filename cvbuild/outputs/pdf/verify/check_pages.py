"""Check how pages look: texts outside or over each other, loose and long lines, the last page.

Pure: from the lines of a PDF's pages and what was expected to diagnostics and figures.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from statistics import median
from typing import NamedTuple

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Severity, Span
from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf.expected import STUB, Expected
from cvbuild.outputs.pdf.verify import find_texts
from cvbuild.outputs.pdf.verify.pdf_facts import Facts, Page
from cvbuild.outputs.pdf.verify.text_lines import Line, Word
from cvbuild.view.types import FOOTER

#: This many letters of a text identify it.
_SAME = 30
_MM = 25.4 / 72
#: Characters without width, which readers leave out.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


class _Document(Struct, frozen=True):
    """The pages, their lines without running heads and feet, and the measures of these."""

    facts: Facts
    expected: Expected
    bodies: Sequence[Sequence[Line]]
    gaps: Sequence[Gap]
    measures: Measures

    def where(self, word: Word) -> str:
        """Return where a word of ``bodies`` is, for people."""
        number = next(
            at
            for at, lines in enumerate(self.bodies)
            if any(word is one for line in lines for one in line)
        )
        return _where(self.facts, number, word)


def check(facts: Facts, expected: Expected | None) -> tuple[list[Diagnostic], dict[str, float]]:
    """Return what is wrong with the look of the pages, and the figures that were measured.

    Without ``expected`` there are no figures, and only texts over each other or outside are found.
    """
    diagnostics = [*_outside(facts, expected), *_overlaps(facts, expected)]
    if expected is None:
        return diagnostics, {}
    lines = bodies(facts.pages, expected.name, expected.footers)
    spaces = gaps(lines)
    figures = measures(facts.pages, lines, spaces)
    document = _Document(facts, expected, lines, spaces, figures)
    widest, loose = _loose(document)
    diagnostics += [*loose, *_long(document), *_stub(document)]
    return diagnostics, {
        "widest_space": round(widest, 2),
        "line_median": figures.median,
        "line_longest": figures.longest,
        "lines_long": figures.long,
        "lines_full": figures.full,
        "vertical_steps": figures.steps,
        "last_page_fill": figures.fill,
        "last_page_lines": figures.last_lines,
    }


def _outside(facts: Facts, expected: Expected | None) -> Iterator[Diagnostic]:
    for number, page in enumerate(facts.pages, start=1):
        if page.outside:
            message = f'"{text_folding.short(page.outside)}" is outside of page {number}'
            path = _field_of(page.outside, expected) if expected else None
            hint = "give long words a place to break"
            if path == FOOTER:
                hint = "a footer is one line: make it shorter"
            yield _told("error", "box", message, hint, _span(path, expected))


def _overlaps(facts: Facts, expected: Expected | None) -> Iterator[Diagnostic]:
    """Yield one error for each text that is printed over another."""
    for number, page in enumerate(facts.pages):
        seen: set[int] = set()
        for words in page.overlaps:
            lines = [next((one for one in page.lines if word in one), (word,)) for word in words]
            if {*map(id, lines)} <= seen:
                continue
            seen.update(map(id, lines))
            texts = [text(line) for line in reversed(lines)]
            names = (*texts, words[1].text, words[0].text)
            paths = (_field_of(text, expected) for text in names) if expected else ()
            shown = " and ".join(f'"{text_folding.short(text)}"' for text in dict.fromkeys(texts))
            where = _where(facts, number, words[1])
            fact = f'"{words[1].text}" is printed over "{words[0].text}", {where}: {shown}'
            hint = "the template's code places them so; a shorter text may have room"
            span = _span(next(filter(None, paths), None), expected)
            yield _told("error", "overlap", fact, hint, span)


def _loose(document: _Document) -> tuple[float, list[Diagnostic]]:
    """Return the widest space in a text, as a factor on the usual, and warnings for loose lines.

    Only spaces between words that follow each other in one text count: others are between columns.
    """
    fields = [content.path for content in document.expected.contents]
    texts = _texts(document.expected)
    every = "\n".join(texts)
    widest: dict[int, tuple[float, Gap, FieldPath]] = {}
    most = 0.0
    for factor, gap in _widest_first(document):
        if factor <= LOOSE and most:
            break
        words = next((some for some in _around(gap, document) if some in every), None)
        if words is None:
            continue
        most = max(most, factor)
        if factor > LOOSE and id(gap.line) not in widest:
            at = next(number for number, text in enumerate(texts) if words in text)
            widest[id(gap.line)] = (factor, gap, fields[at])
    return most, [
        _told(
            "warning",
            "loose",
            f"line is loose: its spaces are up to {factor:.1f} times as wide as usual, "
            f'{document.where(gap.left)}: "{text_folding.short(text(gap.line))}"',
            "long words can't be divided: another wording, or a style with ragged lines",
            document.expected.place(path),
        )
        for factor, gap, path in widest.values()
    ]


def _texts(expected: Expected) -> list[str]:
    """Return all texts with one space before, between and after their words."""
    texts = (str(content).split() for content in expected.contents)
    return _plain("\n".join(f" {' '.join(words)} " for words in texts)).split("\n")


def _widest_first(document: _Document) -> list[tuple[float, Gap]]:
    """Return the gaps by their factor on what is usual, the widest first."""
    space = document.measures.space

    def factor(gap: Gap) -> float:
        return gap.width / (normal(gap, space) if gap.width > LOOSE * space else space)

    pairs = ((factor(gap), gap) for gap in document.gaps)
    return sorted(pairs, key=itemgetter(0), reverse=True)


def _around(gap: Gap, document: _Document) -> Iterator[str]:
    """Yield the words of a line around a gap which, if a text has them, show that it is in a text.

    These are three; two may also meet where columns do, unless the line has wide gaps everywhere.
    """
    words = [_plain(word.text) for word in gap.line]
    at = next(number for number, word in enumerate(gap.line) if word is gap.right)
    for some in (words[max(at - 2, 0) : at + 1], words[at - 1 : at + 2]):
        yield f" {' '.join(some)} "
    widths = [one.width for one in gaps([[gap.line]])]
    if median(widths) > LOOSE * document.measures.space:
        yield f" {words[at - 1]} {words[at]} "


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("…", "...").translate(_UNSEEN))


def _long(document: _Document) -> Iterator[Diagnostic]:
    """Yield a note if lines are too long to be read well: one for all, with the longest."""
    measures = document.measures
    if not measures.long:
        return
    lines = full_lines(document.bodies, measures.space)
    longest = max(lines, key=characters)
    fact = f"{measures.long} of {measures.full} full lines have more than {LONGEST} characters"
    fact += f"; the longest has {measures.longest}, {document.where(longest[0])}"
    hint = "up to 105 are read with ease: larger type, or wider margins"
    yield _told("note", "measure", fact, hint)


def _stub(document: _Document) -> Iterator[Diagnostic]:
    """Yield a note on a last page that is nearly empty."""
    fill, lines = document.measures.fill, document.measures.last_lines
    if len(document.facts.pages) > 1 and lines and (fill < STUB or lines == 1):
        shown = "1 line" if lines == 1 else f"{lines} lines"
        message = f"the last page is {fill:.0%} full: {shown}".replace("%", " %")
        yield _told("note", "stub", message, "leave something out, or add something")


def _field_of(text: str, expected: Expected) -> FieldPath | None:
    """Return the field that has the beginning of the text; None if none or several have it."""
    letters = text_folding.fold(text).letters[:_SAME]
    footers = [content for content in expected.preamble if content.path == FOOTER]
    contents = [*expected.contents, *footers]
    fields = {one.path for one in contents if letters in text_folding.fold(str(one)).letters}
    return fields.pop() if len(fields) == 1 else None


def _span(path: FieldPath | None, expected: Expected | None) -> Span | None:
    return expected.place(path) if expected and path else None


def _where(facts: Facts, number: int, word: Word) -> str:
    """Return where a word is, for people; pages count from 0."""
    box = facts.pages[number].box
    left, down = (word.left - box.left) * _MM, (box.top - word.top) * _MM
    return f"on page {number + 1}, {down:.0f} mm from the top and {left:.0f} mm from the left"


def _told(
    severity: Severity, code: str, message: str, hint: str, span: Span | None = None
) -> Diagnostic:
    return Diagnostic(severity, f"verify-{code}", message, span, hint)


# -- measures -------------------------------------------------------------------------------------


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
