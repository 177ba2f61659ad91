"""Typefaces of packages, and what readers get from documents in them."""

from __future__ import annotations

from pathlib import Path

import papers
from papers import folded
from pdfminer.high_level import extract_text

from cvbuild.outputs.pdf.fonts import (
    typefaces,
)
from cvbuild.outputs.pdf.fonts.typefaces import TYPEFACES, Found

#: The typefaces that every machine has; the others are the system's.
NAMES = [name for name, one in TYPEFACES.items() if not one.package]


def found(name: str) -> Found:
    one = typefaces.find(name)
    assert one is not None, f"rendercv-fonts lacks {name}"
    return one


def texts(pdf: Path) -> dict[str, str]:
    """What each reader gets, without spaces; poppler's columns aside."""
    got = {**papers.texts(pdf), "poppler": "", "pdfminer": extract_text(pdf)}
    return {reader: folded(text) for reader, text in got.items() if text}
