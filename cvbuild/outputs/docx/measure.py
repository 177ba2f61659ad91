"""How high the paragraphs of a Word file are, as far as can be told without Word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from cvbuild.outputs.docx.looks import MM, Design
from cvbuild.outputs.docx.paragraphs import BREAK, TAB, Paragraph, Run

#: Width in em of a letter of which nothing is known, and of East Asian ones.
_UNKNOWN, _SQUARE = 0.54, 1.0
#: Where a line may break.
_PARTS = re.compile(r"[^ \t\n-]*(?:[ \t-]|$)")
#: Programs set lines a little wider than fonts say.
_WIDER = 1.01

#: The head of a document, beside which the photo stands, and how high a photo is, in pt.
_HEAD = ("Title", "Subtitle", "Contact")
_LOW, _HIGH = 20 * MM, 32 * MM
#: Between the photo and the text, in pt.
APART = 4 * MM


@dataclass(frozen=True)
class Widths:
    """Measures texts in a typeface; roughly, where its faces are unknown."""

    regular: Mapping[str, float] = field(default_factory=dict)
    bold: Mapping[str, float] = field(default_factory=dict)

    def em(self, text: str, *, bold: bool) -> float:
        """Return the width of a text in em."""
        known = self.bold if bold else self.regular
        return sum(known.get(one, _SQUARE if one > "\u2e80" else _UNKNOWN) for one in text)


def widths(regular: Path, bold: Path) -> Widths:
    """Return what measures texts in the faces of these files."""
    return Widths(_advances(regular), _advances(bold))


def _advances(face: Path) -> dict[str, float]:
    from fontTools.ttLib import TTFont

    with TTFont(face, lazy=True) as font:
        units, table = font["head"].unitsPerEm, font["hmtx"]
        return {chr(code): table[name][0] / units for code, name in font.getBestCmap().items()}


@dataclass(frozen=True)
class Ruler:
    """Measures paragraphs in a design; ``aspect`` is the photo's width by its height, if any."""

    design: Design
    widths: Widths
    aspect: float = 0.0

    def height(self, paragraphs: Iterable[Paragraph]) -> float:
        """Return the height in pt of a page with these paragraphs."""
        found = list(paragraphs)
        tall = self.photo(found)
        beside = self.aspect * tall + APART if tall else 0.0
        columns: dict[int, float] = defaultdict(float)
        for one in found:
            is_beside = not one.column and columns[0] < tall
            columns[one.column] += self._height(one, beside if is_beside else 0.0)
        return max(columns[0], tall) + max(columns[1], columns[2])

    def photo(self, paragraphs: Iterable[Paragraph]) -> float:
        """Return the height of the photo: about that of the head."""
        if not self.aspect:
            return 0.0
        head = sum(self._height(one) for one in paragraphs if one.style in _HEAD)
        return min(max(head, _LOW), _HIGH)

    def dates_apart(self, paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
        """Yield the paragraphs; a date that has no room in the last line begins one of its own."""
        for one in paragraphs:
            text, tab, date = one.text.rpartition(TAB)
            if tab and self.design.look(one.style).tab:
                before, after = (self._lines(one, words)[0] for words in (text, f"{text}  {date}"))
                if after > before:
                    runs = (
                        replace(run, text=run.text.replace(TAB, BREAK + TAB)) for run in one.runs
                    )
                    yield replace(one, runs=tuple(runs))
                    continue
            yield one

    def _height(self, one: Paragraph, beside: float = 0.0) -> float:
        look = self.design.look(one.style)
        rule = 1.5 if look.line else 0.0
        count, _ = self._lines(one, one.text, beside)
        return look.before + look.after + rule + count * look.size * self.design.line

    def _lines(self, one: Paragraph, whole: str, beside: float = 0.0) -> tuple[int, float]:
        """Return how many lines a text takes, and how much of the last one, in em."""
        look = self.design.look(one.style)
        room = (self.design.page.column(one.column) - look.left - beside) / look.size / _WIDER
        count, used = 0, -look.first / look.size
        for text in whole.split(BREAK):
            count, used = count + 1, used if not count else 0.0
            for word in _PARTS.findall(text):
                wide = self.widths.em(word, bold=look.bold)
                if used and used + self.widths.em(word.rstrip(" \t"), bold=look.bold) > room:
                    count, used = count + 1, 0.0
                # A word that is longer than a line goes on in the next one.
                count, used = count + int((used + wide) // room), (used + wide) % room
        return count, used


def _apart(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs, with a break before the tab."""
    yield from (replace(run, text=BREAK + TAB) if run.text == TAB else run for run in runs)
