"""``--format png``: a folder with a picture of each page of the PDF, which is built before it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from cvbuild.common import safe_files
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES, PDFIUM
from cvbuild.outputs.types import Made, Output, Show

#: Pixels per inch: A4 is 1654 by 2339 pixels, sharp on screens and in slides.
DPI = 200
#: Points per inch.
_POINTS = 72


class Format(Output):
    """The pages of the PDF as PNG."""

    name = "png"
    suffix = ".pages"
    made_from, made_as = "pdf", f"{DPI} dpi"

    def complete(self, shown: Any, epoch: int, ident: str, show: Show | None = None) -> Made:  # noqa: ARG002
        """Draw the pages of the PDF that was verified; raises CvbuildError if it can't be read."""
        pictures = pages(shown.origin.path)
        content = {f"page-{number}.png": data for number, data in enumerate(pictures, start=1)}
        return Made(content, {"pages": len(pictures)}, pages=len(pictures))


def pages(pdf: Path) -> list[bytes]:
    """Return each page of a PDF as PNG; raise CvbuildError if it can't be read."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        data = safe_files.read(pdf, MAX_BYTES, links=False)
        with PDFIUM, PdfDocument(data) as document:
            drawn = [page.render(scale=DPI / _POINTS).to_pil() for page in document]
    except (OSError, PdfiumError) as error:
        fact = f"{pdf} can't be read: {getattr(error, 'strerror', 'it is damaged')}"
        raise CvbuildError.because("png", fact, "build it once more") from None
    pictures = []
    for picture in drawn:
        stream = io.BytesIO()
        picture.convert("RGB").save(stream, "PNG", dpi=(DPI, DPI))
        pictures.append(stream.getvalue())
    return pictures
