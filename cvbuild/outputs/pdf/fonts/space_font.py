"""The font of pdfTeX's spaces between words: two glyphs without outlines.

The embedded TeX lacks the one of TeX Live, dummy-space, whose metrics these are.
"""

from __future__ import annotations

from pathlib import Path

from cvbuild.outputs.pdf.fonts import face_cache

NAME = "cvbspace"
_POSTSCRIPT = "CvbSpace"
#: For a TeX Live, which has its own: the maps of pdfTeX may not be read.
MAP = "\\pdfmapline{=dummy-space <dummy-space.pfb}"


def make_ready(place: Path) -> None:
    """Put it where TeX finds it, in the cache folder ``place``; raises OSError."""
    face_cache.put_once(face_cache.folder(place), NAME, files)


def files() -> tuple[bytes, bytes]:
    """Return the font's metrics and outlines."""
    from cvbuild.outputs.pdf.fonts import tfm, type1  # few runs make it

    # Of 1 pt: PDFium takes two spaces of 10 pt on both sides of a short word for one drawn twice.
    parameters = (0, 0.001, 0, 0, 0.4, 0.002, 0.001)
    metrics = tfm.Metrics({32: tfm.Box(0.001)}, parameters, size=1)
    outlines = type1.to_bytes(type1.Info(_POSTSCRIPT), {"space": type1.Glyph(1)}, {32: "space"})
    return tfm.to_bytes(metrics), outlines


def commands() -> str:
    """Return the TeX that makes pdfTeX use it; a format keeps neither of the two."""
    return f"\\pdfmapline{{={NAME} <{NAME}.pfb}}\\pdfspacefont{{{NAME}}}"
