"""Check how pages look: texts outside or over each other, loose and long lines, the last page.

Pure: from the lines of a PDF's pages and what was expected to diagnostics and figures.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from operator import itemgetter
from statistics import median

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Severity, Span
from cvbuild.outputs.checks import text_folding
from cvbuild.outputs.pdf.expected import STUB, Expected
from cvbuild.outputs.pdf.verify import page_measures
from cvbuild.outputs.pdf.verify.page_measures import LONGEST, LOOSE, Gap, Measures
from cvbuild.outputs.pdf.verify.pdf_facts import Facts
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
    bodies = page_measures.bodies(facts.pages, expected.name, expected.footers)
    gaps = page_measures.gaps(bodies)
    measures = page_measures.measures(facts.pages, bodies, gaps)
    document = _Document(facts, expected, bodies, gaps, measures)
    widest, loose = _loose(document)
    diagnostics += [*loose, *_long(document), *_stub(document)]
    return diagnostics, {
        "widest_space": round(widest, 2),
        "line_median": measures.median,
        "line_longest": measures.longest,
        "lines_long": measures.long,
        "lines_full": measures.full,
        "vertical_steps": measures.steps,
        "last_page_fill": measures.fill,
        "last_page_lines": measures.last_lines,
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
            texts = [page_measures.text(line) for line in reversed(lines)]
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
            f'{document.where(gap.left)}: "{text_folding.short(page_measures.text(gap.line))}"',
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
        return gap.width / (
            page_measures.normal(gap, space) if gap.width > LOOSE * space else space
        )

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
    widths = [one.width for one in page_measures.gaps([[gap.line]])]
    if median(widths) > LOOSE * document.measures.space:
        yield f" {words[at - 1]} {words[at]} "


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("…", "...").translate(_UNSEEN))


def _long(document: _Document) -> Iterator[Diagnostic]:
    """Yield a note if lines are too long to be read well: one for all, with the longest."""
    measures = document.measures
    if not measures.long:
        return
    lines = page_measures.full_lines(document.bodies, measures.space)
    longest = max(lines, key=page_measures.characters)
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
