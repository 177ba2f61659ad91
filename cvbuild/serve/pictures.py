"""Pictures of the pages of a PDF, drawn when the browser asks for them."""

from __future__ import annotations

import base64
import hashlib
import io
import threading
import zlib
from collections import deque
from pathlib import Path
from typing import Any

from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES, PDFIUM

#: Pixels of the largest picture: a page of a poster is drawn less sharply.
_MOST_PIXELS = 12_000_000
#: So many PDFs are kept: a browser asks for all pages of one as soon as it is told of them.
_KEPT = 24
#: What a page shows doesn't depend on: its place in the document, and its structure for readers.
_BESIDE = ("/StructParents", "/StructParent", "/P", "/Metadata", "/Popup", "/Dest", "/A")

#: A PDF, the number of a page, and its scale.
_Page = tuple[bytes, int, float]


class Pictures:
    """The pages that browsers may ask for, by the hash of what they show. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: deque[dict[str, _Page]] = deque(maxlen=_KEPT)

    def add(self, path: Path, scale: float) -> list[dict[str, Any]]:
        """Return the address and the size in points of each page; raises OSError."""
        import pikepdf

        pdf = safe_files.read(path, MAX_BYTES, links=False)
        sizes, pages = list[dict[str, Any]](), dict[str, _Page]()
        with pikepdf.open(io.BytesIO(pdf)) as document:
            for number, page in enumerate(document.pages):
                left, bottom, right, top = (float(side) for side in page.cropbox)
                width, height = right - left, top - bottom
                sharp = min(scale, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
                # As a file of its own, which is the same for all pages that look the same.
                with pikepdf.new() as alone:
                    alone.pages.append(page)
                    copied = alone.pages[0].obj
                    for part in (copied, *copied.get("/Annots", ())):
                        for beside in _BESIDE:
                            if beside in part:
                                del part[beside]
                    stream = io.BytesIO()
                    alone.save(stream, deterministic_id=True)
                key = hashlib.sha256(f"{sharp:.3f}".encode() + stream.getvalue()).hexdigest()
                pages[key] = pdf, number, sharp
                address = f"/pictures/{key}.png"
                sizes.append({"picture": address, "width": width, "height": height})
        with self._lock:
            self._made.append(pages)
        return sizes

    def draw(self, key: str) -> bytes | None:
        """Return a page as PNG, which the browser keeps; None if it was made too long ago."""
        with self._lock:
            page = next((pages[key] for pages in self._made if key in pages), None)
        return draw(*page) if page else None


def draw(pdf: bytes, number: int, scale: float) -> bytes:
    """Return a page of a PDF, from 0, as PNG, with ``scale`` pixels for each point."""
    from pypdfium2 import PdfDocument

    with PDFIUM:
        document = PdfDocument(pdf)
        try:
            drawn = document[number].render(scale=scale, rev_byteorder=True).to_pil()
            picture = drawn.convert("RGB")
        finally:
            document.close()
    stream = io.BytesIO()
    # Why runs alone: pages are mostly white, and zlib's usual search takes half as long again.
    picture.save(stream, "PNG", compress_level=1, compress_type=zlib.Z_RLE)
    return stream.getvalue()


def first_page(path: Path, scale: float) -> str:
    """Return page 1 of a file as PNG in base64; raises OSError."""
    pdf = safe_files.read(path, MAX_BYTES, links=False)
    return base64.b64encode(draw(pdf, 0, scale)).decode()
