"""How the paragraphs of a Word file look: the style's options, as sizes, colours and distances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cvbuild.outputs.styles.manifests import FONT, Paper

#: The paragraphs of the head.
HEAD = ("Title", "Subtitle", "Contact")
#: Points in a millimetre.
MM = 72 / 25.4
#: Width and height in pt.
_PAPER = {"a4": (595.3, 841.9), "letter": (612.0, 792.0)}
_GAPS = {"airy": 1.25, "normal": 1.0, "tight": 0.75}
_BULLETS = {"disc": "•", "dash": "–", "square": "▪"}
#: Between the columns of a template with two, and the part of the page that the first has.
_GUTTER, _MAIN = 20.0, 0.66
#: Typefaces by the name of the option: the font's name, one that Word has, whether it has serifs.
_FONTS = {
    "XCharter": ("XCharter", "Charter, Cambria, Georgia", True),
    "EB Garamond": ("EB Garamond", "Garamond, Cambria", True),
    "Gentium": ("Gentium Book Plus", "Cambria", True),
    "Source Sans": ("Source Sans 3", "Calibri", False),
    "Lato": ("Lato", "Calibri", False),
    "Open Sans": ("Open Sans", "Segoe UI", False),
    "Roboto": ("Roboto", "Arial", False),
    "Noto Sans": ("Noto Sans", "Segoe UI", False),
    "Ubuntu": ("Ubuntu", "Calibri", False),
    "TeX Gyre Termes": ("Times New Roman", "Liberation Serif", True),
    "TeX Gyre Heros": ("Arial", "Liberation Sans", False),
}
#: Fonts that Word has for East Asian letters, by language or script: with and without serifs.
_EAST = {
    "ja": ("Yu Mincho", "Yu Gothic"),
    "ko": ("Batang", "Malgun Gothic"),
    "zh-Hant": ("PMingLiU", "Microsoft JhengHei"),
    "zh": ("SimSun", "Microsoft YaHei"),
}
#: The options with the sizes of these, in percent.
_SIZES = {"Title": "name-size", "Heading 1": "title-size"}
#: The thickness of rules in pt, by the option; that of any style.
_RULES = {"thin": 0.25, "medium": 0.75, "thick": 1.5}
_RULE = 0.5
#: Character styles that take a title's weight from what stands beside it.
LIGHT = ("Entry Date", "Beside Title")
_TRADITIONAL = ("zh-Hant", "zh-TW", "zh-HK", "zh-MO")


@dataclass(frozen=True, slots=True)
class Fonts:
    """The fonts of a document; ``substitute`` are some that Word has if the first is missing."""

    name: str
    substitute: str
    has_serifs: bool
    east: str


@dataclass(frozen=True, slots=True)
class Density:
    """How much room there is: size of the text in pt, factors for the lines and for the gaps."""

    size: float
    leading: float
    gap: float


@dataclass(frozen=True, slots=True)
class Look:
    """A paragraph style: lengths in pt; ``first`` is the indent of the first line, from ``left``.

    ``tab`` says that dates stand at the right edge, ``line`` that a rule is under the text.
    """

    name: str
    size: float
    before: float = 0.0
    after: float = 0.0
    left: float = 0.0
    first: float = 0.0
    bold: bool = False
    italic: bool = False
    colour: str | None = None
    with_next: bool = False
    tab: bool = False
    line: bool = False
    centred: bool = False
    capitals: str = ""
    """capitals, small-capitals or nothing."""
    rule: float = _RULE
    """The thickness of the rule under the text in pt."""


@dataclass(frozen=True, slots=True)
class Page:
    """The sheet: lengths in pt, margins from the top clockwise."""

    width: float
    height: float
    top: float
    right: float
    bottom: float
    left: float
    columns: int

    def column(self, number: int) -> float:
        """Return the width of a column: 0 is as wide as the page's text."""
        text = self.width - self.left - self.right
        if not number or self.columns == 1:
            return text
        main = round((text - _GUTTER) * _MAIN, 1)
        return main if number == 1 else text - _GUTTER - main


@dataclass(frozen=True, slots=True)
class Like:
    """What a design has from its style."""

    paper: Paper
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Design:
    """All that decides how a document looks."""

    page: Page
    fonts: Fonts
    density: Density
    accent: str
    bullet: str
    looks: tuple[Look, ...]

    def look(self, style: str) -> Look:
        """Return the look of a paragraph style."""
        return next(one for one in self.looks if one.name == style)


def density(options: Mapping[str, Any]) -> Density:
    """Return the density that the options ask for."""
    return Density(float(options.get("size", 10)), 1.0, _GAPS[options.get("density", "normal")])


def design(options: Mapping[str, Any], room: Density, language: str, like: Like) -> Design:
    """Return the look of a document with these options."""
    top, bottom, left, right = (side * MM for side in options.get("margin", (20.0,) * 4))
    page = Page(*_PAPER[options.get("paper", "a4")], top, right, bottom, left, like.columns)
    accent = str(options.get("accent", "000000"))
    font = str(options.get(FONT, "Source Sans"))
    name, substitute, has_serifs = _FONTS.get(font, (font, "Calibri", False))
    east = _EAST[_east(language)][0 if has_serifs else 1]
    fonts = Fonts(name, substitute, has_serifs, east)
    by_name = _looks(room, accent, ruled=options.get("titles", "rule") == "rule")
    looks = tuple(_scaled(_as_in(one, like.paper), options) for one in by_name)
    bullet = _BULLETS[options.get("bullet", "disc")]
    return Design(page, fonts, room, accent, bullet, looks)


def _as_in(look: Look, paper: Paper) -> Look:
    """Return a look as the style has it."""
    if look.name in HEAD:
        bold = look.bold and paper.name == "bold"
        return replace(look, bold=bold, centred=paper.head == "centre")
    if look.name == "Heading 1" and paper.titles != "bold":
        return replace(look, bold=paper.titles == "capitals", capitals=paper.titles)
    return look


def _scaled(look: Look, options: Mapping[str, Any]) -> Look:
    """Return the look of a name or a title as the options change it."""
    option = _SIZES.get(look.name)
    if option:
        look = replace(look, size=round(look.size * float(options.get(option, 100)) / 100, 1))
    if look.name == "Heading 1":
        rule = str(options.get("rule", "style"))
        look = replace(look, line=look.line and rule != "none", rule=_RULES.get(rule, _RULE))
        if options.get("title-case", "style") != "style":
            look = replace(look, capitals="")
    return look


def _east(language: str) -> str:
    if language.startswith(_TRADITIONAL):
        return "zh-Hant"
    main = language.partition("-")[0]
    return main if main in _EAST else "zh"


def _looks(room: Density, accent: str, *, ruled: bool) -> list[Look]:
    size, gap = room.size, room.gap
    grey, hang = "555555", 1.35 * size
    body = size * 0.12 * gap
    title = Look("Title", round(size * 2.1, 1), after=size * 0.1, bold=True, colour=accent,
                 with_next=True)  # fmt: skip
    heading = Look("Heading 1", round(size * 1.2, 1), size * 0.9 * gap, size * 0.25 * gap,
                   bold=True, colour=accent, with_next=True, line=ruled)  # fmt: skip
    item = Look("Heading 2", size, size * 0.4 * gap, body, bold=True, with_next=True, tab=True)
    part = Look("Heading 3", size, size * 0.3 * gap, body, bold=True, with_next=True, tab=True)
    apart = size * 0.8 * gap
    return [
        title,
        Look("Subtitle", round(size * 1.15, 1), after=size * 0.2 * gap, colour=grey),
        Look("Contact", size, after=size * 0.3 * gap),
        heading,
        item,
        part,
        Look("Note", size, after=body, italic=True, colour=grey, with_next=True),
        Look("Entry", size, body, body, hang, -hang, tab=True),
        Look("Entry Detail", size, after=body, colour=grey),
        Look("Body Text", size, after=body),
        Look("Reference", size, body, size * 0.3 * gap, hang, -hang),
        Look("Numbered Reference", size, body, size * 0.3 * gap, 1.9 * size, -1.9 * size),
        Look("Reference Detail", size, after=size * 0.3 * gap, left=1.9 * size),
        Look("List Bullet", size, after=body, left=hang, first=-hang * 0.75),
        Look("List Bullet 2", size, after=body, left=2 * hang, first=-hang * 0.75),
        Look("List Number", size, after=body, left=1.6 * hang, first=-hang),
        Look("Recipient", size, apart * 2, apart),
        Look("Date", size, apart, apart),
        Look("Salutation", size, apart, apart * 0.8),
        Look("Letter Text", size, apart * 0.8, apart * 0.8),
        Look("Closing", size, apart, with_next=True),
        Look("Signature", size, body, body),
        Look("Enclosures", size, apart * 2),
        Look("Footer", round(size * 0.85, 1), colour=grey),
    ]
