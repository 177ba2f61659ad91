"""How the paragraphs of a Word file look: the style's options, as sizes, colours and distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.outputs.manifests import FONT, Paper
from cvbuild.outputs.typefaces import TYPEFACES

#: Paragraphs of the head below the name.
_HEAD = ("Subtitle", "Contact")
#: Those that a date in the column on the left begins, and those that are in no column.
_DATED = ("Heading 2", "Heading 3", "Entry")
_WHOLE = ("Title", *_HEAD, "Heading 1", "Footer")
#: Points in a millimetre.
MM = 72 / 25.4
#: Width and height in pt.
_PAPER = {"a4": (595.3, 841.9), "letter": (612.0, 792.0)}
_GAPS = {"airy": 1.25, "normal": 1.0, "tight": 0.75}
_BULLETS = {"disc": "•", "dash": "–", "square": "▪"}
#: The size of titles of sections, by that of the text.
_TITLE = 1.2
#: The height of lines in em.
LEADING = 1.25
#: The column on the left with dates, and that with titles of sections.
_DATES, _TITLES = 39 * MM, 34 * MM
#: How wide titles beside sections are.
BESIDE = _TITLES - 3 * MM
#: The options with the sizes of these, in percent.
_SIZES = {"Title": "name-size", "Heading 1": "title-size"}
#: The thickness of rules in pt, by the option; that of any style.
_RULES = {"thin": 0.25, "medium": 0.75, "thick": 1.5}
_RULE = 0.5
#: The colour of what is quiet.
_GREY = "555555"


class Fonts(Struct, frozen=True):
    """The fonts of a document; ``substitute`` are some that Word has if the first is missing."""

    name: str
    substitute: str
    has_serifs: bool


class Look(Struct, frozen=True):
    """A paragraph style: lengths in pt; ``first`` is the indent of the first line, from ``left``.

    ``tab`` says that dates stand at the right edge, ``line`` where a rule is: below, above or
    nowhere; ``whole`` that all lines are on one page; ``beside`` that it stands in the column on
    the left, beside the next one.
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
    whole: bool = False
    tab: bool = False
    line: str = ""
    beside: bool = False
    centred: bool = False
    capitals: str = ""
    """capitals, small-capitals or nothing."""
    rule: float = _RULE
    """The thickness of the rule under the text in pt."""


class Page(Struct, frozen=True):
    """The sheet: lengths in pt, margins from the top clockwise."""

    width: float
    height: float
    top: float
    right: float
    bottom: float
    left: float

    @property
    def text(self) -> float:
        """The width of the text."""
        return self.width - self.left - self.right


class Design(Struct, frozen=True):
    """All that decides how a document looks."""

    page: Page
    fonts: Fonts
    size: float
    """Of the text in pt."""
    accent: str
    bullet: str
    looks: tuple[Look, ...]
    gap: float
    """Between sections in pt."""
    has_even_lines: bool = True
    """Whether no letter is too high for lines of one height."""

    def look(self, style: str) -> Look:
        """Return the look of a paragraph style."""
        return next(look for look in self.looks if look.name == style)

    @property
    def has_titles_beside(self) -> bool:
        """Whether titles of sections have a column on the left."""
        return self.look("Heading 1").beside


def tinted(colour: str, share: float) -> str:
    """Return white with that share of a colour, as RRGGBB."""
    return bytes(round(255 - (255 - part) * share) for part in bytes.fromhex(colour)).hex()


def design(options: Mapping[str, Any], paper: Paper, *, is_letter: bool) -> Design:
    """Return the look of a document with these options, in the style's way on paper."""
    top, bottom, left, right = (side * MM for side in options.get("margin", (20.0,) * 4))
    page = Page(*_PAPER[options.get("paper", "a4")], top, right, bottom, left)
    size = float(options.get("size", 10))
    density = options.get("density", "normal")
    gap = _GAPS.get(density, density)
    accent = str(options.get("accent", "000000"))
    font = str(options.get(FONT, "Source Sans"))
    face = TYPEFACES.get(font)
    name, substitute = face.word if face else (font, "Calibri")
    has_serifs = face is not None and not face.sans
    fonts = Fonts(name, substitute, has_serifs)
    looks = tuple(
        _placed(_marked(_scaled(look, options), paper, accent), options, paper, is_letter=is_letter)
        for look in _looks(size, gap, accent)
    )
    bullet = _BULLETS[options.get("bullet", "disc")]
    return Design(page, fonts, size, accent, bullet, looks, size * gap)


def has_dates_left(options: Mapping[str, Any]) -> bool:
    """Return whether dates have a column on the left."""
    return options.get("dates") == "left"


def _marked(look: Look, paper: Paper, accent: str) -> Look:
    """Return a look with the marks that the style has for it."""
    given = {"Title": paper.name, "Subtitle": paper.headline, "Heading 1": paper.titles,
             "Entry Detail": paper.who}  # fmt: skip
    for mark in given.get(look.name, ()):
        if mark == "small":
            look = replace(look, size=round(look.size / _TITLE, 1))
        elif mark in ("accent", "muted"):
            look = replace(look, colour=accent if mark == "accent" else _GREY)
        elif mark.endswith("capitals"):
            look = replace(look, capitals=look.capitals or mark)
        elif mark != "regular":
            look = replace(look, bold=look.bold or mark == "bold", italic=mark == "italic")
    if look.name in ("Title", *_HEAD):
        look = replace(look, centred=paper.head == "centre")
    return look


def _placed(look: Look, options: Mapping[str, Any], paper: Paper, *, is_letter: bool) -> Look:
    """Return a look in its column and with its rule."""
    is_title = look.name == "Heading 1"
    if is_title and not is_letter and options.get("rule") != "none":
        ruled = paper.line == "titles" and options.get("titles", "rule") == "rule"
        look = replace(look, line="above" if paper.line == "above" else "below" if ruled else "")
    if is_title and is_letter:
        look = replace(look, bold=True, capitals="")
    if look.name == "Contact" and paper.line == "head" and options.get("rule") != "none":
        look = replace(look, line="below", after=look.size)
    side = _DATES if has_dates_left(options) else 0.0
    if options.get("titles") == "side" and not (side or is_letter):
        if is_title:
            size = round(look.size / _TITLE, 1)
            return replace(look, beside=True, before=0.0, after=0.0, size=size)
        side = _TITLES
    elif side and look.name in _DATED:
        return replace(look, left=side, first=-side)
    if look.name not in _WHOLE or (is_title and is_letter):
        look = replace(look, left=look.left + side)
    return look


def _scaled(look: Look, options: Mapping[str, Any]) -> Look:
    """Return the look of a name or a title as the options change it."""
    option = _SIZES.get(look.name)
    if option:
        look = replace(look, size=round(look.size * float(options.get(option, 100)) / 100, 1))
    if look.name == "Heading 1" and options.get("title-case", "style") != "style":
        look = replace(look, capitals="none")
    return replace(look, rule=_RULES.get(str(options.get("rule")), _RULE))


def _looks(size: float, gap: float, accent: str) -> list[Look]:
    """Return all styles; ``size`` in pt, ``gap`` is a factor for what is between blocks."""
    hang, body, small = 1.35 * size, size * 0.08 * gap, size * 0.3 * gap
    apart = size * 0.8 * gap
    above = size * 0.45 * gap
    return [
        Look("Title", round(size * 2.3, 1), after=size * 0.1, with_next=True),
        Look("Subtitle", round(size * 1.15, 1), after=size * 0.2 * gap),
        Look("Contact", size, after=small),
        Look("Heading 1", round(size * _TITLE, 1), size * gap, small, colour=accent,
             with_next=True),
        Look("Heading 2", size, above, body, bold=True, with_next=True, tab=True),
        Look("Heading 3", size, above, body, bold=True, with_next=True, tab=True),
        Look("Note", size, after=body, italic=True, colour=_GREY, with_next=True),
        Look("Entry", size, body, body, hang, -hang, whole=True, tab=True),
        Look("Entry Detail", size, after=body, tab=True),
        Look("Body Text", size, after=body),
        Look("Reference", size, body, small, hang, -hang, whole=True),
        Look("Numbered Reference", size, body, small, 1.9 * size, -1.9 * size, whole=True),
        Look("Reference Detail", size, after=small, left=1.9 * size),
        Look("List Bullet", size, after=body, left=hang, first=-hang * 0.75, whole=True),
        Look("List Bullet 2", size, after=body, left=2 * hang, first=-hang * 0.75, whole=True),
        Look("List Number", size, after=body, left=1.6 * hang, first=-hang),
        Look("Recipient", size, apart * 2, apart),
        Look("Date", size, apart, apart),
        Look("Salutation", size, apart, apart * 0.8),
        Look("Letter Text", size, apart * 0.8, apart * 0.8),
        Look("Closing", size, apart, with_next=True),
        Look("Signature", size, body, body),
        Look("Enclosures", size, apart * 2),
        Look("Footer", round(size * 0.85, 1), colour=_GREY),
    ]  # fmt: skip
