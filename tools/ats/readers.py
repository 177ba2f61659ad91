"""The five readers of a PDF's text, and the way back from visual to logical order."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import pypdf
import pypdfium2
from bidi import get_display
from pdfminer.high_level import extract_text

#: Direction controls: they can't be seen.
CONTROLS = "[\u200e\u200f\u202a-\u202e\u2066-\u2069]"


def _poppler(mode: str, pdf: Path) -> list[str]:
    command = ["pdftotext", mode, "-enc", "UTF-8", str(pdf), "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return done.stdout.decode().split("\f")[:-1]


def _pdfium(pdf: Path) -> list[str]:
    with pypdfium2.PdfDocument(pdf) as document:
        return [page.get_textpage().get_text_bounded().replace("\r\n", "\n") for page in document]


READERS: dict[str, Callable[[Path], list[str]]] = {
    "poppler raw": partial(_poppler, "-raw"),
    "poppler layout": partial(_poppler, "-layout"),
    "pdfium": _pdfium,
    "pypdf": lambda pdf: [page.extract_text() for page in pypdf.PdfReader(pdf).pages],
    "pdfminer": lambda pdf: extract_text(pdf).split("\f")[:-1],
}


def read(pdf: Path, names: Iterable[str] = tuple(READERS)) -> dict[str, list[str]]:
    """Return the pages' texts by reader; without poppler's if it isn't installed."""
    there = shutil.which("pdftotext")
    return {name: READERS[name](pdf) for name in names if there or "poppler" not in name}


def turned(text: str) -> str:
    """Return an expected text after the same conversion: to visual order and back.

    The way back is not exact for numbers next to Latin words: "+1 202" in a line from right to left
    comes back as "202 1+". A text without letters of such a script looks as it is.
    """
    runs_left = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in text)
    seen = get_display(text, base_dir="R") if runs_left else text
    return str(get_display(seen, base_dir="R"))


def logical(pages: Sequence[str]) -> list[str]:
    """Return the pages of a document that runs from right to left, each line in logical order.

    Poppler marks the directions of a line's parts by controls, which give the visual order. From
    there the bidirectional algorithm leads back: words of one direction are reversed, numbers and
    Latin words inside stay.
    """

    def line(text: str) -> str:
        seen = str(get_display(text, base_dir="R"))
        return str(get_display(re.sub(CONTROLS, "", seen), base_dir="R"))

    return ["\n".join(line(text) for text in page.split("\n")) for page in pages]
