"""How long the lines of a Word file are, as far as can be told without Word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from cvbuild.outputs.docx.looks import HEAD, LIGHT, MM, Design
from cvbuild.outputs.docx.paragraphs import BREAK, TAB, Paragraph, Run

#: Width in em of a letter of which nothing is known, and of East Asian ones.
_UNKNOWN, _SQUARE = 0.54, 1.0
#: Where a line may break.
_PARTS = re.compile(r"[^ \t\n-]*(?:[ \t\n-]|$)")
#: Programs set lines a little wider than fonts say.
_WIDER = 1.01
#: Between a title and its date at least, in em; letters that a date has before it in a line.
_GAP, _ENOUGH = 1.0, 10
#: Styles whose first line begins on the left of the others.
_HANGING = ("Entry", "Reference")
#: How much longer, in pt, a program may find a line than was measured.
_SLACK = 6.0
#: The bit of a face that says that its typographic metrics are those of a line.
_TYPO = 1 << 7

#: How high a photo is, in pt.
_LOW, _HIGH = 20 * MM, 32 * MM
#: Between the photo and the text, in pt.
APART = 4 * MM


@dataclass(frozen=True)
class Widths:
    """Measures texts in a typeface; roughly, where its faces are unknown.

    ``line`` is the height in em that programs give a line of it.
    """

    regular: Mapping[str, float] = field(default_factory=dict)
    bold: Mapping[str, float] = field(default_factory=dict)
    line: float = 1.22

    def em(self, text: str, *, bold: bool) -> float:
        """Return the width of a text in em."""
        known = self.bold if bold else self.regular
        return sum(known.get(one, _SQUARE if one > "\u2e80" else _UNKNOWN) for one in text)


@cache
def widths(regular: Path, bold: Path) -> Widths:
    """Return what measures texts in the faces of these files."""
    from fontTools.ttLib import TTFont

    with TTFont(regular, lazy=True) as font:
        form, head, units = font["OS/2"], font["hhea"], font["head"].unitsPerEm
        line = head.ascent - head.descent + head.lineGap
        if form.fsSelection & _TYPO:
            line = form.sTypoAscender - form.sTypoDescender + form.sTypoLineGap
    return Widths(_advances(regular), _advances(bold), line / units)


def _advances(face: Path) -> dict[str, float]:
    from fontTools.ttLib import TTFont

    with TTFont(face, lazy=True) as font:
        units, widths = font["head"].unitsPerEm, font["hmtx"].metrics
        codes = font.getBestCmap().items()
        return {chr(code): widths[name][0] / units for code, name in codes if name in widths}


@dataclass(frozen=True)
class Ruler:
    """Measures paragraphs in a design; ``aspect`` is the photo's width by its height, if any."""

    design: Design
    widths: Widths
    aspect: float = 0.0

    def photo(self, paragraphs: Iterable[Paragraph]) -> float:
        """Return the height of the photo: about that of the head."""
        if not self.aspect:
            return 0.0
        head = sum(self._height(one) for one in paragraphs if one.style in HEAD)
        return min(max(head, _LOW), _HIGH)

    def dates_apart(self, paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
        """Yield the paragraphs; a date that has no room in the last line takes words with it."""
        for paragraph in paragraphs:
            text, tab, date = paragraph.text.rpartition(TAB)
            if not tab or not self.design.look(paragraph.style).tab:
                yield paragraph
                continue
            letters = self._letters(paragraph)
            room = self._room(paragraph) - _GAP - sum(wide for _, wide in letters[-len(date) :])
            ends = (
                self._lines(paragraph, letters[: len(text)], -less)[-1] for less in (0.0, _SLACK)
            )
            full = next((start for start, used in ends if used > room), None)
            runs = paragraph.runs if full is None else _broken(paragraph.runs, _cut(text, full))
            yield replace(paragraph, runs=runs)

    def _height(self, paragraph: Paragraph) -> float:
        look = self.design.look(paragraph.style)
        count = len(self._lines(paragraph, self._letters(paragraph)))
        return look.before + look.after + count * look.size * self.design.line

    def _room(self, paragraph: Paragraph, beside: float = 0.0) -> float:
        """Return how long a line can be, in em."""
        look = self.design.look(paragraph.style)
        return (self.design.page.column(paragraph.column) - look.left - beside) / look.size / _WIDER

    def _letters(self, paragraph: Paragraph) -> list[tuple[str, float]]:
        """Return the characters of a paragraph with their widths in em."""
        bold = self.design.look(paragraph.style).bold
        return [
            (letter, self.widths.em(letter, bold=_is_bold(run, bold)))
            for run in paragraph.runs
            for letter in run.text
        ]

    def _lines(
        self, paragraph: Paragraph, letters: Sequence[tuple[str, float]], beside: float = 0.0
    ) -> list[tuple[int, float]]:
        """Return where each line begins, and how much of it is used, in em."""
        look, room = self.design.look(paragraph.style), self._room(paragraph, beside)
        text = "".join(letter for letter, _ in letters)
        # What hangs before a list's text is its mark.
        hangs = look.name in _HANGING
        lines = [(0, look.first / look.size if hangs else 0.0)]
        for match in _PARTS.finditer(text):
            start, end = match.span()
            if start == end:
                continue
            wide = sum(width for letter, width in letters[start:end] if letter != BREAK)
            bare = wide - sum(width for letter, width in letters[start:end] if letter in " \t")
            begin, used = lines[-1]
            if text[start - 1 : start] == BREAK or (used > 0 and used + bare > room):
                begin, used = start, 0.0
                lines.append((begin, used))
            while used + bare > room:
                # A word that is longer than a line goes on in the next one.
                lines[-1] = (begin, room)
                wide, bare, begin, used = wide + used - room, bare + used - room, start, 0.0
                lines.append((begin, used))
            lines[-1] = (begin, used + wide)
        return lines


def _is_bold(run: Run, bold: bool) -> bool:
    """Return whether a run is bold in a style that is or isn't."""
    return "strong" in run.marks or run.style == "Own Name" or (bold and run.style not in LIGHT)


def _cut(text: str, start: int) -> int:
    """Return where the last line is broken, so that there is room for a date after it.

    That is before its last words, or after the text if a word is all that the line has.
    """
    spaces = [at for at, letter in enumerate(text) if letter == " " and at > start]
    enough = [at for at in spaces if len(text) - at > _ENOUGH]
    return max(enough, default=min(spaces, default=len(text)))


def _broken(runs: Iterable[Run], at: int) -> tuple[Run, ...]:
    """Return the runs with a break in place of the space at a position, or before a tab there."""
    broken, passed = [], 0
    for run in runs:
        here, text = at - passed, run.text
        if 0 <= here < len(text):
            rest = text[here:] if text[here] == TAB else text[here + 1 :]
            broken.append(replace(run, text=text[:here] + BREAK + rest))
        else:
            broken.append(run)
        passed += len(text)
    return tuple(broken)
