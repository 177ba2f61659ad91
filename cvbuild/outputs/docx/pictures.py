"""The pictures of a Word file: the photo beside the head, and the signature of a letter."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from cvbuild.outputs.docx.measure import APART
from cvbuild.outputs.docx.styles import element

#: Word's units of drawings in a pt.
_EMU = 12700
_SHAPES = {"rectangle": "rect", "rounded": "roundRect", "circle": "ellipse"}
_SPACE = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"


@dataclass(frozen=True, slots=True)
class Picture:
    """A JPEG, ``height`` pt high; ``alt`` says what it shows.

    ``side`` and ``shape`` are the values of the options of the photo.
    """

    data: bytes
    height: float
    alt: str
    side: str = "right"
    shape: str = "rectangle"


def aspect(photo: bytes | None) -> float:
    """Return the width of a photo by its height; 0 if there is none."""
    if photo is None:
        return 0.0
    import PIL.Image

    with PIL.Image.open(io.BytesIO(photo)) as image:
        return image.width / image.height


def sign(document: Any, picture: Picture, style: str) -> None:
    """Add the picture of a signature as a paragraph."""
    paragraph = document.add_paragraph(style=style)
    # A line with exactly its height would cut the picture.
    spacing = element('<w:spacing w:line="240" w:lineRule="auto"/>')
    paragraph._p.get_or_add_pPr().append(spacing)  # noqa: SLF001 - it has no other name
    _inline(paragraph.add_run(), picture)


def stand_beside(document: Any, picture: Picture) -> None:
    """Put the photo beside the head, at the edge of the text."""
    from docx.oxml import parse_xml

    first = document.paragraphs[0]
    run = first.add_run()
    inline = _inline(run, picture)
    for shape in inline.xpath(".//a:prstGeom"):
        shape.set("prst", _SHAPES[picture.shape])
    gap = round(APART * _EMU)
    anchor = parse_xml(
        f'<wp:anchor xmlns:wp="{_SPACE}" distT="0" distB="{gap}" distL="{gap}" distR="{gap}"'
        ' simplePos="0" relativeHeight="1" behindDoc="0" locked="0" layoutInCell="1"'
        ' allowOverlap="0"><wp:simplePos x="0" y="0"/><wp:positionH relativeFrom="margin">'
        f"<wp:align>{picture.side}</wp:align></wp:positionH>"
        '<wp:positionV relativeFrom="margin"><wp:align>top</wp:align></wp:positionV></wp:anchor>'
    )
    extent, *rest = inline
    wrap = parse_xml(f'<wp:wrapSquare xmlns:wp="{_SPACE}" wrapText="bothSides"/>')
    anchor.extend([extent, wrap, *rest])
    inline.getparent().replace(inline, anchor)
    # The anchor comes before the name, which may take more than one line.
    first._p.insert(1, run._r)  # noqa: SLF001 - see above


def _inline(run: Any, picture: Picture) -> Any:
    """Add a picture to a run, and return its element."""
    from docx.shared import Pt

    shape = run.add_picture(io.BytesIO(picture.data), height=Pt(picture.height))
    inline = shape._inline  # noqa: SLF001 - see above
    inline.docPr.set("descr", picture.alt)
    return inline
