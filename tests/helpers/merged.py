"""Parts of an application for tests of the one PDF of all of them, and that PDF on disk."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from cvbuild.applications.merge_pdf import About, Merged, Part
from cvbuild.common.diagnostics import Span

DATE = 1700000000
ABOUT = About("Application", "Zoë O’Brien-Łukasz", "en-GB", DATE)
PLACE = Span("applications/x.yaml", 9, 5, 9, 20)


def part(content: bytes, name: str = "transcript.pdf") -> Part:
    return Part("Transcript", content, name, span=PLACE)


def saved(merged: Merged, folder: Path) -> Path:
    """The merged file on disk, after qpdf has looked at it."""
    path = folder / "merged.pdf"
    path.write_bytes(merged.content)
    with pikepdf.open(path) as opened:
        assert opened.check_pdf_syntax() == []
    return path
