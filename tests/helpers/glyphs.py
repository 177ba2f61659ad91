"""What stands where on a page: each character with its place, its type and its colour."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

MM = 72 / 25.4
Place = Callable[[str], tuple[float, float, float]]


class Glyph(NamedTuple):
    """A character: where it stands in pt from the page's bottom left, and how it is drawn."""

    text: str
    page: int
    left: float
    right: float
    base: float
    size: float
    bold: bool
    italic: bool
    colour: tuple[int, int, int]


def read(path: Path) -> list[Glyph]:
    found = []
    document = pypdfium2.PdfDocument(path)
    for number, page in enumerate(document):
        text = page.get_textpage()
        for at in range(text.count_chars()):
            box = text.get_charbox(at, loose=True)
            name, flags = ctypes.create_string_buffer(100), ctypes.c_int()
            pdfium.FPDFText_GetFontInfo(text, at, name, 100, flags)
            rgba = [ctypes.c_uint() for _ in range(4)]
            pdfium.FPDFText_GetFillColor(text, at, *rgba)
            x, y = ctypes.c_double(), ctypes.c_double()
            pdfium.FPDFText_GetCharOrigin(text, at, x, y)
            face = name.value.decode()
            found.append(
                Glyph(
                    chr(pdfium.FPDFText_GetUnicode(text, at)),
                    number,
                    box[0],
                    box[2],
                    y.value,
                    pdfium.FPDFText_GetFontSize(text, at),
                    re.search("Bold|Semibold", face) is not None,
                    re.search("Ital|Slant|Obli", face) is not None,
                    (rgba[0].value, rgba[1].value, rgba[2].value),
                )
            )
    document.close()
    return found


def find(page: list[Glyph], words: str) -> list[Glyph]:
    letters = [one for one in page if not one.text.isspace() and one.text != "\0"]
    whole = "".join(one.text for one in letters)
    at = whole.find("".join(words.split()))
    assert at >= 0, f"{words!r} is not in {whole!r}"
    return letters[at : at + len("".join(words.split()))]


def lines(page: list[Glyph]) -> list[str]:
    rows: dict[tuple[int, int], list[Glyph]] = {}
    for one in page:
        if one.text.strip("\r\n\0"):
            rows.setdefault((one.page, -round(one.base)), []).append(one)
    texts = []
    for key in sorted(rows):
        row = sorted(rows[key], key=lambda one: one.left)
        texts.append("".join(one.text for one in row).strip())
    return texts


def places(pdf: Path) -> Place:
    page = read(pdf)

    def place(words: str) -> tuple[float, float, float]:
        found = find(page, words)
        return found[0].left / MM, found[0].base / MM, found[-1].right / MM

    return place
