"""Turn what TeX wrote into the finished PDF: tagged, with metadata, links and attachment.

TeX writes marks and no more (``marks``). Here the marks become a structure tree, the file says what
it is and what it is about, and it is written once. The same input gives the same bytes.
"""

from __future__ import annotations

import io
from typing import Any

import pikepdf
from pikepdf import Array

from cvbuild.common.errors import DocumentError, reading_errors
from cvbuild.outputs.pdf.expected import About
from cvbuild.outputs.pdf.finish import metadata
from cvbuild.outputs.pdf.finish.directions import Directions, Fonts
from cvbuild.outputs.pdf.finish.marks import Marks
from cvbuild.outputs.pdf.finish.structure import Tree
from cvbuild.outputs.pdf.finish.text_runs import Widths

#: templates/_core/cvb-core-page.sty writes it for pages that are mirrored.
_MIRRORED = "/CvbMirrored"


def finish(pdf: bytes, about: About, epoch: int, ident: str) -> bytes:
    """Return TeX's PDF, finished.

    ``epoch`` is its date in seconds since 1970, ``ident`` 64 hexadecimal digits from which its ids
    are made. Raises DocumentError if it can't be read, or if its marks don't nest.
    """
    try:
        with pikepdf.open(io.BytesIO(pdf)) as document:
            _structure(document, about)
            metadata.add(document, about, epoch, ident)
            metadata.add_colours(document)
            for key in ("/OpenAction", "/Names", "/Outlines", "/PageMode", "/Dests"):
                if key in document.Root:
                    del document.Root[key]
            if about.attachment is not None:
                metadata.attach(document, about.attachment, epoch)
            if "/ID" in document.trailer:
                del document.trailer["/ID"]
            result, mode = io.BytesIO(), pikepdf.ObjectStreamMode.generate
            document.save(
                result, force_version="1.7", object_stream_mode=mode, deterministic_id=True
            )
    except reading_errors() as error:
        fact = f"the PDF that TeX made can't be finished: {str(error)[:200]}"
        hint = "the template's code changes the PDF in a way that cvbuild doesn't know"
        raise DocumentError.because("finish", fact, hint) from error
    return result.getvalue()


def _structure(document: pikepdf.Pdf, about: About) -> None:
    marks, order, ids = Marks(), RightToLeft(), []
    for page in document.pages:
        page.contents_coalesce()
        content, count = marks.page(order.page(page, page.Contents.read_bytes()))
        page.Contents = document.make_stream(content)
        ids.append(count)
    marks.finish()
    Tree(document, about.shows).build(marks.pieces, ids)


class RightToLeft:
    """Puts the lines of pages in order that have text from right to left.

    pdfTeX has set them from left to right. It reads the pages of a document in their order.
    """

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
            turned, moves = self._directions.page(content, fonts, left + right, mirrored=mirrored)
        except IndexError as error:
            raise ValueError("a text object lacks operands") from error
        for annotation in page.obj.get("/Annots", ()):
            if "/Rect" in annotation:
                box = moves.box(*map(float, annotation.Rect))
                annotation.Rect = Array([round(side, 3) for side in box])
        return turned

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
