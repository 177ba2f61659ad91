"""How wide texts are and how high a document gets, by the letters of its typeface: roughly."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cvbuild.outputs import face_subsets
from cvbuild.outputs.docx.looks import ASIDE, Design
from cvbuild.outputs.docx.paragraphs import BELOW, BETWEEN, BREAK, Paragraph, Run

#: Width in em of a letter that the typeface lacks, and of an East Asian one.
_UNKNOWN, _SQUARE = 0.64, 1.0
#: Lines are as much longer, as words don't fill them, and bold letters are wider.
_LOOSE = 1.04
_BOLD = 1.1
#: How much of a line contacts may fill, as programs don't agree on its length.
_FULL = 0.98


class Widths:
    """Measures texts in the typeface of the options."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        paths = face_subsets.typeface(options)
        self.letters = _letters(paths[0], paths[0].stat().st_mtime_ns) if paths else {}

    def em(self, text: str) -> float:
        """Return the width of a text in em."""
        other = (_SQUARE if one > "\u2e80" else _UNKNOWN for one in text)
        return sum(map(self.letters.get, text, other))


@lru_cache(maxsize=16)
def _letters(path: Path, _changed: int) -> Mapping[str, float]:
    """Return the widths of letters in em; a file that changed is read anew."""
    from fontTools.ttLib import TTFont

    with TTFont(path, lazy=True) as font:
        widths, units = font["hmtx"].metrics, font["head"].unitsPerEm
        return {chr(code): widths[name][0] / units for code, name in font.getBestCmap().items()}


def beside(title: Paragraph, after: Paragraph, widths: Widths, room: float) -> Paragraph:
    """Return a title as it stands beside its section, in ``room`` em, if it can be there."""
    lines = math.ceil(widths.em(title.text) * _BOLD / room)
    is_wide = max(map(widths.em, title.text.split()), default=0) * _BOLD > room
    is_high = lines > 1 and after.is_last
    return title if is_wide or is_high else replace(title, lines_beside=lines)


def broken(paragraph: Paragraph, widths: Widths, room: float) -> Paragraph:
    """Return contacts in lines of ``room`` em; what is between two of them ends none."""
    runs, used = list[Run](), 0.0
    for is_between, found in groupby(paragraph.runs, lambda run: run == BETWEEN):
        part = [] if is_between else list(found)
        wide = widths.em("".join(run.text for run in part))
        if part and runs:
            used += widths.em(BETWEEN.text)
            fits = used + wide < room * _FULL
            runs.append(BETWEEN if fits else Run(BREAK))
            used = used if fits else 0.0
        runs, used = runs + part, used + wide
    return replace(paragraph, runs=tuple(runs))


def height(paragraphs: Iterable[Paragraph], design: Design, widths: Widths) -> float:
    """Return how high all of a document is in pt, as if on one page."""
    high, after = [0.0] * 4, 0.0
    for paragraph in paragraphs:
        look = design.look(paragraph.style)
        wide = ASIDE if paragraph.column == 2 else design.page.main
        used = widths.em(paragraph.text.replace(BREAK, "")) * look.size * _LOOSE
        lines = max(math.ceil(used / (wide - look.left)), 1 + paragraph.text.count(BREAK))
        if not paragraph.lines_beside:
            # Of two gaps the larger one counts.
            gap = max(look.before, after) + lines * look.size * design.density.leading
            high[paragraph.column] += gap
            is_end = paragraph.is_last and design.has_titles_beside
            after = max(look.after, design.gap * is_end)
    return high[0] + max(high[1:BELOW]) + high[BELOW]
