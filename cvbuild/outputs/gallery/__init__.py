"""A page that shows one person's CV in every style: pictures of first pages, how to choose one.

It is no format of a document, but made from finished PDFs and from the manifests of their styles.
It is one file without scripts, which loads nothing. Every text is escaped once, by Jinja.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple
from urllib.parse import quote

from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES
from cvbuild.outputs.styles.manifests import Manifest

#: Pixels: a picture of half this width is sharp on a screen with two pixels per point.
WIDTH = 800
#: Of WebP, 0 to 100: text stays sharp, and nine pages are under 1 MB.
QUALITY = 80


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
        with PdfDocument(safe_files.read(pdf, MAX_BYTES, links=False)) as document:
            page = document[0]
            # Drawn at twice the size and made smaller, which keeps thin lines even.
            large = page.render(scale=2 * WIDTH / page.get_width()).to_pil().convert("RGB")
    except (OSError, PdfiumError) as error:
        raise CvbuildError.because("gallery", f"{pdf} can't be read: {error}") from None
    small = large.resize((WIDTH, round(large.height * WIDTH / large.width)), Image.Resampling.BOX)
    stream = io.BytesIO()
    small.save(stream, "WEBP", quality=QUALITY, method=6)
    return Picture(stream.getvalue(), *small.size)


_TEMPLATE = "page.html.j2"


@dataclass(frozen=True, slots=True)
class Card:
    """A person's CV in one style; without ``picture`` it failed, and ``faults`` say why.

    ``pdf`` is relative to the page; ``left_out`` is how many parts had no room on one page.
    """

    style: str
    manifest: Manifest
    picture: Picture | None = None
    pdf: PurePath | None = None
    pages: int = 0
    typeface: str = ""
    left_out: int = 0
    chosen: bool = False
    faults: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """What the style makes of this CV, in a few words each."""
        missing = f"without {self.left_out} that had no room" if self.left_out else ""
        pages = f"{self.pages} page" + ("" if self.pages == 1 else "s") if self.pages else ""
        return tuple(filter(None, (pages, self.manifest.layout, self.typeface, missing)))

    @property
    def source(self) -> str:
        """The picture as an address that holds all of it."""
        data = base64.b64encode(self.picture.data).decode() if self.picture else ""
        return f"data:image/webp;base64,{data}"

    @property
    def link(self) -> str:
        """The address of the PDF; empty if there is none."""
        return quote(self.pdf.as_posix()) if self.pdf else ""


def html(name: str, file: str, cards: Sequence[Card]) -> str:
    """Return the page for a person's name and the name of their file."""
    from cvbuild.outputs.html.page import environment

    template = environment(Path(__file__).parent).get_template(_TEMPLATE)
    return template.render(name=name, file=file, cards=cards)
