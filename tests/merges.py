"""PDFs put together for tests, and looked at by qpdf."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Pdf

from cvbuild.applications.merge_pdf import About, Merged, Part
from cvbuild.common.diagnostics import Span

DATE = 1700000000
ABOUT = About("Application", "Zoë O’Brien-Łukasz", epoch=DATE)
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


def objects(opened: Pdf) -> Iterator[Dictionary | pikepdf.Stream]:
    """Every dictionary of a file, those in others too."""
    stack = [*opened.objects]
    while stack:
        one = stack.pop()
        if isinstance(one, Array):
            stack += [x for x in one.as_list() if not getattr(x, "is_indirect", True)]
        elif isinstance(one, Dictionary | pikepdf.Stream):
            yield one
            stack += [x for _, x in one.items() if not getattr(x, "is_indirect", True)]
