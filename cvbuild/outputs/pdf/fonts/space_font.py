"""The font of pdfTeX's spaces between words: two glyphs without outlines.

The embedded TeX lacks the one of TeX Live, dummy-space, whose metrics these are.
"""

from __future__ import annotations

from cvbuild.outputs.pdf.fonts import tfm, type1
from cvbuild.outputs.pdf.fonts.tex_fonts import map_line

NAME = "cvbspace"
_POSTSCRIPT = "CvbSpace"
#: For a TeX Live, which has its own: the maps of pdfTeX may not be read.
MAP = "\\pdfmapline{=dummy-space <dummy-space.pfb}"


def files() -> tuple[tuple[str, bytes], ...]:
    """Return the font's files by name."""
    # Of 1 pt: PDFium takes two spaces of 10 pt on both sides of a short word for one drawn twice.
    parameters = (0, 0.001, 0, 0, 0.4, 0.002, 0.001)
    metrics = tfm.Metrics({32: tfm.Box(0.001)}, parameters, size=1)
    outlines = type1.to_bytes(type1.Info(_POSTSCRIPT), {"space": type1.Glyph(1)}, {32: "space"})
    return ((f"{NAME}.tfm", tfm.to_bytes(metrics)), (f"{NAME}.pfb", outlines))


def commands() -> str:
    """Return the TeX that makes pdfTeX use it; a format keeps neither of the two."""
    return f"\\pdfmapline{{{map_line(NAME)}}}\\pdfspacefont{{{NAME}}}"
