"""Pictures of the pages of a PDF, drawn when the browser asks for them."""

from __future__ import annotations

import hashlib
import io
import struct
import threading
import zlib
from collections import deque
from typing import Any

from msgspec import Struct

from cvbuild.outputs.pdf.verify.pdf_facts import PDFIUM

#: Pixels of the largest picture: a page of a poster is drawn less sharply.
_MOST_PIXELS = 12_000_000
#: So many PDFs are kept: a browser asks for all pages of one as soon as it is told of them.
_KEPT = 24
#: zlib's level: pages are mostly white, and drawing them is quick.
_LEVEL = 1
#: What every PNG begins with, and its kind of picture: eight bits for each of red, green and blue.
_BEGIN, _RGB = b"\x89PNG\r\n\x1a\n", bytes((8, 2, 0, 0, 0))


class PageSize(Struct, frozen=True):
    """The address of a page's picture, and the page's size in points."""

    picture: str
    width: float
    height: float


class _Page(Struct, frozen=True):
    pdf: bytes
    number: int
    scale: float


class Pictures:
    """The pages that browsers may ask for, by the hash of what they show. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: deque[dict[str, _Page]] = deque(maxlen=_KEPT)

    def add(self, pdf: bytes, scale: float) -> list[PageSize]:
        """Return each page of a PDF; its picture will have ``scale`` pixels for each point."""
        import pikepdf

        sizes, pages = list[PageSize](), dict[str, _Page]()
        with pikepdf.open(io.BytesIO(pdf)) as document:
            for number, page in enumerate(document.pages):
                left, bottom, right, top = (float(side) for side in page.cropbox)
                width, height = right - left, top - bottom
                sharp = min(scale, (_MOST_PIXELS / max(width * height, 1)) ** 0.5)
                name = hashlib.sha256(f"{sharp:.3f}".encode())
                _update(name, page.obj, set())
                key = name.hexdigest()
                pages[key] = _Page(pdf, number, sharp)
                sizes.append(PageSize(f"/pictures/{key}.png", width, height))
        with self._lock:
            self._made.append(pages)
        return sizes

    def draw(self, key: str) -> bytes | None:
        """Return a page as PNG, which the browser keeps; None if it was made too long ago."""
        with self._lock:
            page = next((pages[key] for pages in self._made if key in pages), None)
        return _drawn(page) if page else None


def draw(pdf: bytes, number: int, scale: float) -> bytes:
    """Return a page of a PDF, from 0, as PNG, with ``scale`` pixels for each point."""
    return _drawn(_Page(pdf, number, scale))


def _drawn(page: _Page) -> bytes:
    from pypdfium2 import PdfDocument

    with PDFIUM:
        document = PdfDocument(page.pdf)
        try:
            sheet = document[page.number]
            drawn = sheet.render(scale=page.scale, rev_byteorder=True)
            pixels, width, stride = bytes(drawn.buffer), drawn.width, drawn.stride
            drawn.close()
            sheet.close()
        finally:
            document.close()
    return _png(pixels, width, stride)


def _png(pixels: bytes, width: int, stride: int) -> bytes:
    """Return a PNG of pixels of three bytes, in rows of ``stride`` bytes.

    Why not Pillow: it tries each of PNG's filters on each row, which takes three times as long as
    all the rest, and doesn't make pages smaller.
    """
    size, rows = 3 * width, range(0, len(pixels), stride)
    # Each row begins with the number of its filter: none.
    data = zlib.compress(b"".join([b"\0" + pixels[at : at + size] for at in rows]), _LEVEL)
    head = struct.pack(">II", width, len(rows)) + _RGB
    return _BEGIN + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    """Return a part of a PNG: its length, its kind, its content, and a sum of these two."""
    whole = kind + content
    return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))


#: What a page shows doesn't depend on: its place in the document, and its structure for readers.
_BESIDE = ("/Parent", "/StructParents", "/StructParent", "/P", "/Metadata", "/Popup", "/Dest", "/D")


def _update(name: Any, value: Any, seen: set[tuple[int, int]]) -> None:
    """Add all that a page's object leads to to a hash."""
    import pikepdf

    if isinstance(value, pikepdf.Object) and value.is_indirect:
        if value.objgen in seen:
            return
        seen.add(value.objgen)
    if isinstance(value, pikepdf.Stream):
        name.update(value.read_raw_bytes())
    if isinstance(value, pikepdf.Stream | pikepdf.Dictionary):
        for key in sorted(value.keys()):
            if key not in _BESIDE:
                name.update(key.encode())
                _update(name, value.get(key), seen)
    elif isinstance(value, pikepdf.Array):
        for element in value:
            _update(name, element, seen)
    else:
        name.update(repr(value).encode())
