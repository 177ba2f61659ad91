"""Check how pages look: texts outside or over each other, long lines, the last page.

Pure: from the lines of a PDF's pages and what was expected to diagnostics and figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Severity, Span
from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf.expected import STUB, Expected
from cvbuild.outputs.pdf.verify import find_texts
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
from cvbuild.outputs.pdf.verify.text_lines import Line, Page, Word
from cvbuild.view.types import FOOTER

#: This many letters of a text identify it.
_SAME = 30
_MM = 25.4 / 72
#: A line of more characters is hard to read.
LONGEST = 115
#: Columns are so many em apart at least: no space between words is so wide.
_APART = 0.6


def check(facts: Facts, expected: Expected | None) -> tuple[list[Diagnostic], dict[str, float]]:
    """Return what is wrong with the look of the pages, and the figures that were measured.

    Without ``expected`` there are no figures, and only texts over each other or outside are found.
    """
    diagnostics = [*_outside(facts, expected), *_overlaps(facts, expected)]
    if expected is None:
        return diagnostics, {}
    lines = bodies(facts.pages, expected.name, expected.footers)
    lengths = [
        (characters(part), number, part)
        for number, page in enumerate(lines)
        for line in page
        for part in _columns(line)
    ]
    long = [length for length in lengths if length[0] > LONGEST]
    fill, last = last_fill(facts.pages, lines), len(rows(lines[-1])) if lines else 0
    diagnostics += [*_long(facts, long), *_stub(facts, fill, last)]
    return diagnostics, {
        "line_longest": max((length[0] for length in lengths), default=0),
        "lines_long": len(long),
        "last_page_fill": round(fill, 3),
        "last_page_lines": last,
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


def _long(facts: Facts, long: Sequence[tuple[int, int, Line]]) -> Iterator[Diagnostic]:
    """Yield a note if lines are too long to be read well: one for all, with the longest."""
    if long:
        count, number, line = max(long)
        fact = f"lines with more than {LONGEST} characters: {len(long)}; the longest has {count}"
        hint = "up to 105 are read with ease: larger type, or wider margins"
        yield _told("note", "measure", f"{fact}, {_where(facts, number, line[0])}", hint)


def _stub(facts: Facts, fill: float, lines: int) -> Iterator[Diagnostic]:
    """Yield a note on a last page that is nearly empty."""
    if len(facts.pages) > 1 and lines and (fill < STUB or lines == 1):
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


def _columns(line: Line) -> Iterator[Line]:
    """Yield the parts of a line between its wide gaps."""
    start = 0
    for at, (left, right) in enumerate(pairwise(line), start=1):
        if right.left - left.right > _APART * min(left.size, right.size):
            yield line[start:at]
            start = at
    yield line[start:]


def rows(lines: Sequence[Line]) -> list[float]:
    """Return the baselines of a page's rows from the top: what stands beside each other is one."""
    rows: list[float] = []
    for baseline, size in sorted(map(_baseline, lines), reverse=True):
        if not rows or rows[-1] - baseline > 0.5 * size:
            rows.append(baseline)
    return rows


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


def _baseline(line: Line) -> tuple[float, float]:
    """Return where the largest words of a line stand, and their size."""
    top = max(line, key=lambda word: word.size)
    return top.baseline, top.size
