"""Measure a finished PDF against the limits of its document: pages, margins, type and faces.

The positions of words are those of ``text_lines``; size and name of their type are PDFium's.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from cvbuild.model.limits import Limits
from cvbuild.outputs.measured import Measure
from cvbuild.outputs.pdf.verify.pdf_facts import PDFIUM
from cvbuild.outputs.pdf.verify.text_lines import Line
from cvbuild.outputs.types import Shown

_MM = 25.4 / 72
#: What is less counts as rounding: pt of type, as TeX's are 0.4 % smaller, and mm, as hyphens and
#: round letters hang over the edge.
_SIZE, _EDGE = 0.05, 0.7
#: The heights of capitals and of x in parts of the type.
_CAPITALS, _X_HEIGHT = 0.7, 0.45
#: A word of fewer letters is a mark.
_LEAST = 2
#: The most bytes of a font's name.
_NAME = 256


def measure(shown: Shown, pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[Measure]:
    """Yield the limits on the finished PDF.

    ``bodies`` are the lines of its pages without running heads and feet.
    """
    if (limited := shown.limits) is None or shown.task.draft:
        return
    limits, _ = limited
    if limits.pages is not None:
        remedy = f"write limit: or since:, or options: {{pages: {limits.pages}}} to set it tighter"
        fits = len(bodies) <= limits.pages
        yield Measure("pages", f"{len(bodies)} of {limits.pages}", fits, remedy)
    if limits.margin is not None:
        yield from _margins(limits, pdf, bodies)
    if limits.size is None and not limits.font:
        return
    types = [*_types(pdf, bodies)]
    if limits.size is not None and types:
        least = min(types)
        fact = f'{least.size:.1f} pt at "{least.word}", the least is {limits.size:g} pt'
        fits = least.size >= limits.size - _SIZE
        yield Measure("size", fact, fits, _larger(shown, limits.size / least.size))
    if limits.font:
        allowed = [_plain(name) for name in limits.font]
        fonts = sorted({one.font for one in types})
        others = [one for one in fonts if not any(name in _plain(one) for name in allowed)]
        remedy = f"write options: {{font: …}} with {' or '.join(limits.font)}"
        yield Measure("font", ", ".join(others or fonts), not others, remedy)


def _larger(shown: Shown, factor: float) -> str:
    """Return what to write for type that is larger by a factor."""
    sizes = sorted(map(float, shown.template.manifest.options["size"].choices))
    needed = float(shown.options["size"]) * factor
    size = next((one for one in sizes if one >= needed - _SIZE), None)
    return f"write options: {{size: {size:g}}}" if size else "take a style without smaller type"


def _margins(limits: Limits, pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[Measure]:
    edges = dict.fromkeys(("sides", "top", "bottom"), math.inf)
    for (width, height), lines in zip(_sizes(pdf), bodies, strict=True):
        for word in (word for line in lines for word in line):
            capitals = word.baseline + _CAPITALS * word.size
            edges["sides"] = min(edges["sides"], word.left * _MM, (width - word.right) * _MM)
            edges["top"] = min(edges["top"], (height - capitals) * _MM)
            edges["bottom"] = min(edges["bottom"], word.baseline * _MM)
    for name, least in limits.margin or ():
        if least is not None and edges[name] < math.inf:
            fits = edges[name] >= least - _EDGE
            fact = f"{edges[name]:.1f} mm, the least is {least:g} mm"
            side = "left: {0:g}, right: {0:g}" if name == "sides" else f"{name}: {{0:g}}"
            remedy = f"write options: {{margin: {{{side.format(least)}}}}}"
            yield Measure(f"margin {name}", fact, fits, remedy)


class _Type(NamedTuple):
    """The type of a word: its size in pt, as PDF has them, 72 to the inch."""

    size: float
    font: str
    word: str


def _sizes(pdf: Path) -> list[tuple[float, float]]:
    """Return width and height of each page in pt."""
    with PDFIUM, pypdfium2.PdfDocument(pdf) as document:
        return [page.get_size() for page in document]


def _types(pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[_Type]:
    """Yield the type of each word of at least two letters or digits."""
    with PDFIUM, pypdfium2.PdfDocument(pdf) as document:
        for page, lines in zip(document, bodies, strict=True):
            passage = page.get_textpage()
            raw = passage.raw
            for word in (word for line in lines for word in line):
                if sum(map(str.isalnum, word.text)) < _LEAST:
                    continue
                # In its middle: what is raised, or a mark, stands before or after a word.
                middle = (word.left + word.right) / 2, word.baseline + _X_HEIGHT / 2 * word.size
                at = pdfium.FPDFText_GetCharIndexAtPos(raw, *middle, word.size, word.size)
                if at >= 0:
                    yield _Type(pdfium.FPDFText_GetFontSize(raw, at), _font(raw, at), word.text)


def _font(page: Any, at: int) -> str:
    """Return the name of a character's font, without the mark of a subset."""
    buffer, flags = ctypes.create_string_buffer(_NAME), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page, at, buffer, _NAME, flags)
    return re.sub(r"^[A-Z]{6}\+", "", buffer.value.decode("utf-8", "replace"))


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
