"""How high the paragraphs of a Word file are, as far as can be told without Word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from cvbuild.outputs.docx.looks import Design, Look
from cvbuild.outputs.docx.paragraphs import BREAK, Paragraph

#: Width in em of a letter of which nothing is known, and of East Asian ones.
_UNKNOWN, _SQUARE = 0.55, 1.0
#: Where a line may break.
_PARTS = re.compile(r"[^ \t\n-]*(?:[ \t-]|$)")
#: Programs set lines a little wider than fonts say.
_WIDER = 1.01

#: The width in em of a text.
Width = Callable[[str], float]


def widths(face: Path | None) -> Width:
    """Return the function that measures texts in a face; a rough one if there is none."""
    advances: dict[str, float] = {}
    if face is not None:
        from fontTools.ttLib import TTFont

        with TTFont(face, lazy=True) as font:
            units, table = font["head"].unitsPerEm, font["hmtx"]
            for code, name in font.getBestCmap().items():
                advances[chr(code)] = table[name][0] / units

    def width(text: str) -> float:
        return sum(advances.get(one, _SQUARE if one > "\u2e80" else _UNKNOWN) for one in text)

    return width


def height(
    paragraphs: Iterable[Paragraph], design: Design, regular: Width, bold: Width,
    photo: tuple[float, float] = (0.0, 0.0),
) -> float:  # fmt: skip
    """Return the height in pt of a page with these paragraphs.

    ``photo`` is the room that the photo takes beside the first lines, its width and height.
    """
    columns: dict[int, float] = defaultdict(float)
    for one in paragraphs:
        look = design.look(one.style)
        room = design.page.column(one.column) - look.left
        if not one.column and columns[0] < photo[1]:
            room -= photo[0]
        width = bold if look.bold else regular
        count = _lines(one.text, room / look.size / _WIDER, width, -look.first / look.size)
        columns[one.column] += _height(look, design, count)
    return max(columns[0], photo[1]) + max(columns[1], columns[2])


def _height(look: Look, design: Design, count: int) -> float:
    rule = 1.5 if look.line else 0.0
    return look.before + look.after + rule + count * look.size * design.line


def _lines(text: str, room: float, width: Width, first: float) -> int:
    """Return how many lines a text takes; ``room`` is their width in em."""
    count = 0
    for part in text.split(BREAK):
        count, used = count + 1, -first if not count else 0.0
        for word in _PARTS.findall(part):
            wide = width(word)
            if used + width(word.rstrip(" \t")) > room and used > 0:
                count, used = count + 1, 0.0
            used += wide
            while used > room * 1.001 and wide > room:
                count, used = count + 1, used - room
    return count
