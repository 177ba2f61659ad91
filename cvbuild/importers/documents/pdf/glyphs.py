"""Characters of a page with what a reader sees of them: place, size, weight, colour, link, tag.

The process that reads a PDF imports this: it needs nothing else of ours.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import NamedTuple

#: What an icon of Font Awesome, which stands before a bare account, says.
ICONS = {
    0xF09B: "GitHub", 0xF092: "GitHub", 0xF113: "GitHub", 0xF08C: "LinkedIn", 0xF0E1: "LinkedIn",
    0xF099: "Twitter", 0xF081: "Twitter", 0xE61B: "Twitter", 0xF16C: "Stack Overflow",
    0xF8D2: "ORCID", 0xF296: "GitLab", 0xF4F6: "Mastodon", 0xF19A: "WordPress",
    0xF181: "ResearchGate", 0xF1A0: "Google Scholar",
}  # fmt: skip
#: Characters that stand before a point of a list.
BULLETS = "•●▪■◦○‣⁃∙·➢►✓✔▸▹◆◇❖⦁⚫–—∗*-›»→➤▶"
#: Codes of symbol fonts, which say nothing of themselves.
_SYMBOLS = {0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF076: "❖", 0xF0FC: "✓", 0xF02D: "-",
            0xF06C: "●", 0xF06E: "■", 0xF0E0: "→", 0x0095: "•"}  # fmt: skip
#: Ligatures by their places in TeX's encodings, where the font doesn't say what they are.
_LIGATURES = {0x0B: "ff", 0x0C: "fi", 0x0E: "ffi", 0x0F: "ffl", 0x1B: "ff", 0x1C: "fi",
              0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl"}  # fmt: skip
#: Hyphens; the first two are PDFium's marks of one at the end of a line.
_HYPHENS = (0x02, 0xFFFE, 0xAD, 0x2010, 0x2011)
_BOLD = re.compile(r"(?i)bold|black|heavy|demi|semib|extrab|medi(?:um)?$|cmbx|cmssbx|bx\d|-bd\b")
_ITALIC = re.compile(r"(?i)italic|oblique|slant|cmti|cmsl|cmssi|-it\b|ital\b|itshape")
_SAYS_WEIGHT = re.compile(r"(?i)regular|roman|light|book|cmr|bold|italic")
_ICON_FONTS = re.compile(
    r"(?i)awesome|fa-?(?:solid|brands|regular)|icon|material|academicons|marvosym|glyphs|dingbat"
    r"|fontello|entypo|feather|webdings|wingdings|typicons"
)
#: Estimated weight from which a font is bold whose name says nothing.
_HEAVY = 650


class Style(NamedTuple):
    """How a character is set; ``colour`` is red, green, blue from 0 to 255."""

    font: str
    size: float
    bold: bool
    italic: bool
    colour: tuple[int, int, int]


@dataclass(slots=True)
class Char:
    """A character from ``x0`` to ``x1`` on the baseline ``y``, in pt from the page's lower left.

    ``icon`` marks a picture of a font; ``space`` that a blank follows; ``tag`` is the number of the
    marked content, -1 for none.
    """

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    tag: int
    icon: bool = False
    space: bool = False
    url: str = ""


@dataclass
class Sheet:
    """A page: its size, its characters, drawn dots, and role and block of each marked content.

    ``hidden`` are letters that are white on white.
    """

    number: int
    width: float
    height: float
    chars: list[Char] = field(default_factory=list)
    dots: list[tuple[float, float]] = field(default_factory=list)
    tags: dict[int, tuple[str, int]] = field(default_factory=dict)
    hidden: str = ""


@dataclass
class Paper:
    """A document: its pages, and its author by the information dictionary."""

    sheets: list[Sheet]
    author: str = ""


def style_of(
    font: str, size: float, weight: int, flags: int, colour: tuple[int, int, int]
) -> Style:
    """Return a style; bold and italic come from the font's name first."""
    name = re.sub(r"^[A-Z]{6}\+", "", font)
    heavy = not _SAYS_WEIGHT.search(name) and weight >= _HEAVY
    bold = bool(_BOLD.search(name)) or heavy or bool(flags & 1 << 18)
    italic = bool(_ITALIC.search(name)) or bool(flags & 1 << 6)
    return Style(name, round(size, 1), bold, italic, colour)


def letter(code: int, style: Style) -> tuple[str, bool]:
    """Return the text of a character, empty for none, and whether it is a picture."""
    is_icon = bool(_ICON_FONTS.search(style.font))
    if code in _HYPHENS:
        return "-", False
    if code in _SYMBOLS and not is_icon:
        return _SYMBOLS[code], False
    if code in _LIGATURES:
        return _LIGATURES[code], False
    text = chr(code)
    if code in ICONS or 0xE000 <= code <= 0xF8FF or code >= 0xF0000:
        return text, True
    if 0xFB00 <= code <= 0xFB06 or 0x1D400 <= code <= 0x1D7FF:
        return unicodedata.normalize("NFKC", text), False
    category = unicodedata.category(text)
    if category[0] == "C":
        return "", False
    picture = is_icon or (category == "So" and text not in "°©®™№")
    return text, picture and text not in BULLETS
