"""Icons of contacts: outlines of Font Awesome, drawn as paths.

No font is embedded and no text is written, so that software which reads the PDF finds nothing.
The icons are Font Awesome Free's (CC BY 4.0), of PyPI's rendercv-fonts or the system's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from cvbuild.outputs.pdf.fonts import installed
from cvbuild.outputs.pdf.fonts.installed import FontError

if TYPE_CHECKING:
    from fontTools.pens.recordingPen import RecordingPen

_BRANDS = "Font Awesome 7 Brands-Regular-400.otf"
_SOLID = "Font Awesome 7 Free-Solid-900.otf"
#: Names of icons by kind of contact; the others have the name of their kind.
_NAMES = {
    "email": "envelope", "address": "location-dot", "website": "globe",
    "birth-date": "cake-candles", "nationality": "flag", "x": "x-twitter",
    "reddit": "reddit-alien",
}  # fmt: skip
#: The icon of what has none of its own.
_OTHER = "link"
#: Icons are 850 units of 1000 an em tall; Font Awesome has 512.
_SCALE = 850 / 512
_OPERATORS = {"moveTo": "m", "lineTo": "l", "curveTo": "c", "closePath": "h"}


def commands(kinds: Iterable[str]) -> str:
    r"""Return ``\CvbIconPath`` for each kind of contact; raise FontError without the font."""
    return "\n".join(
        rf"\CvbIconPath{{{kind}}}{{{width:g}}}{{{path}}}"
        for kind in dict.fromkeys(kinds)
        for width, path in [_icon(_NAMES.get(kind, kind))]
    )


@cache
def _icon(name: str) -> tuple[float, str]:
    """Return the width in em and the path, in units of 1000 an em."""
    from fontTools.pens.recordingPen import RecordingPen
    from fontTools.ttLib import TTFont

    paths = [installed.find((file,)) for file in (_BRANDS, _SOLID)]
    for path in filter(None, paths):
        with TTFont(path, lazy=True) as font:
            glyphs = font.getGlyphSet()
            if name in glyphs:
                pen = RecordingPen()
                glyphs[name].draw(pen)
                return round(glyphs[name].width * _SCALE / 1000, 3), _operators(pen)
    if None in paths:
        raise FontError("the icons of contacts need Font Awesome")
    return _icon(_OTHER)


def _operators(pen: RecordingPen) -> str:
    """Return a glyph's outline as operators of PDF."""
    operators = []
    for command, points in pen.value:
        numbers = " ".join(f"{round(part * _SCALE)}" for point in points for part in point)
        operators.append(f"{numbers} {_OPERATORS[command]}".strip())
    return " ".join(operators)
