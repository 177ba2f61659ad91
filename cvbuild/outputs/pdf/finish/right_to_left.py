"""Put the lines of pages in order that have text from right to left, where pdfTeX has set them."""

from __future__ import annotations

from typing import Any

import pikepdf
from pikepdf import Array

from cvbuild.outputs.pdf.finish.directions import Directions, Fonts
from cvbuild.outputs.pdf.finish.text_runs import Widths

#: templates/_core/cvb-core-page.sty writes it for pages that are mirrored.
_MIRRORED = "/CvbMirrored"


class RightToLeft:
    """Reads the pages of a document in their order."""

    def __init__(self) -> None:
        self._directions = Directions()
        self._widths: dict[tuple[int, int], Widths] = {}

    def page(self, page: pikepdf.Page, content: bytes) -> bytes:
        """Return a page's content with its lines in order; its links move with their texts.

        Raises ValueError for content that isn't as pdfTeX writes it.
        """
        mirrored = _MIRRORED in page.obj
        if not mirrored and not self._directions.concern(content):
            return content
        if mirrored:
            del page.obj[_MIRRORED]
        left, _, right, _ = map(float, page.mediabox)
        fonts = self._fonts(page)
        try:
            made, moves = self._directions.page(content, fonts, left + right, mirrored=mirrored)
        except IndexError as error:
            raise ValueError("a text object lacks operands") from error
        for annotation in page.obj.get("/Annots", ()):
            if "/Rect" in annotation:
                box = moves.box(*map(float, annotation.Rect))
                annotation.Rect = Array([round(side, 3) for side in box])
        return made

    def _fonts(self, page: pikepdf.Page) -> Fonts:
        drawn: Any = page.resources.get("/XObject", {})
        fonts: Any = page.resources.get("/Font", {})
        return Fonts(
            {name.encode(): self._widths_of(font) for name, font in fonts.items()},
            {
                name.encode(): float(one.BBox[0]) + float(one.BBox[2])
                for name, one in drawn.items()
                if one.get("/Subtype") == "/Form"
            },
        )

    def _widths_of(self, font: Any) -> Widths:
        if font.objgen not in self._widths:
            first = int(font.get("/FirstChar", 0))
            widths = enumerate(font.get("/Widths", ()), start=first)
            self._widths[font.objgen] = {code: float(width) for code, width in widths}
        return self._widths[font.objgen]
