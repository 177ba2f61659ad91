"""Pictures of the pages of a PDF."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files

#: Pixels: a picture of half this width is sharp on a screen with two pixels per point.
WIDTH = 800
#: Of WebP, 0 to 100: text stays sharp, and nine pages are under 1 MB.
QUALITY = 80
#: Bytes: a PDF of more isn't a CV.
_MOST = 100_000_000


class Picture(NamedTuple):
    """A page as WebP, and its size in pixels."""

    data: bytes
    width: int
    height: int


def first_page(pdf: Path) -> Picture:
    """Return page 1 of a PDF; raise CvbuildError if it can't be read. The same gives the same."""
    from PIL import Image
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        with PdfDocument(safe_files.read(pdf, _MOST, links=False)) as document:
            page = document[0]
            # Drawn at twice the size and made smaller, which keeps thin lines even.
            large = page.render(scale=2 * WIDTH / page.get_width()).to_pil().convert("RGB")
    except (OSError, PdfiumError) as error:
        raise CvbuildError.because("gallery", f"{pdf} can't be read: {error}") from None
    small = large.resize((WIDTH, round(large.height * WIDTH / large.width)), Image.Resampling.BOX)
    stream = io.BytesIO()
    small.save(stream, "WEBP", quality=QUALITY, method=6)
    return Picture(stream.getvalue(), *small.size)
