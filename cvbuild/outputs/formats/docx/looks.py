"""How the paragraphs of a Word file look: the style's options, as sizes, colours and distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.outputs.styles.manifests import FONT, Paper
from cvbuild.outputs.styles.typefaces import TYPEFACES

#: Paragraphs that a date in the column on the left begins, and those that are in no column.
_DATED = ("Heading 2", "Heading 3", "Entry")
_WHOLE = ("Title", "Subtitle", "Contact", "Heading 1", "Footer")
#: Points in a millimetre.
MM = 72 / 25.4
#: Width and height in pt.
_PAPER = {"a4": (595.3, 841.9), "letter": (612.0, 792.0)}
_GAPS = {"airy": 1.25, "normal": 1.0, "tight": 0.75}
_BULLETS = {"disc": "•", "dash": "–", "square": "▪"}
#: The size of titles of sections, by that of the text.
_TITLE = 1.2
#: The column on the left with dates.
_DATES = 39 * MM
#: The options with the sizes of these, in percent.
_SIZES = {"Title": "name-size", "Heading 1": "title-size"}
#: The thickness of rules in pt, by the option; that of any style.
_RULES = {"thin": 0.25, "medium": 0.75, "thick": 1.5}
_RULE = 0.5
#: The colour of what is quiet.
GREY = "555555"


class Look(Struct, frozen=True):
    """A paragraph style: lengths in pt; ``first`` is the indent of the first line, from ``left``.

    ``tab`` says that dates stand at the right edge, ``line`` where a rule is: below, above or
    nowhere.
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
    line: str = ""
    centred: bool = False
    capitals: str = ""
    """capitals, small-capitals or nothing."""


class Design(Struct, frozen=True):
    """All that decides how a document looks; lengths in pt."""

    paper: tuple[float, float]
    """The width and the height of the sheet."""
    margins: tuple[float, ...]
    """At the top, the bottom, the left and the right."""
    font: str
    substitute: str
    """Fonts that Word has if the first is missing."""
    has_serifs: bool
    size: float
    """Of the text."""
    accent: str
    bullet: str
    rule: float
    """The thickness of rules."""
    looks: Mapping[str, Look]
    has_even_lines: bool
    """Whether no letter is too high for lines of one height."""


def design(options: Mapping[str, Any], paper: Paper, characters: str, *, is_letter: bool) -> Design:
    """Return the look of a document with these options, in the style's way on paper."""
    size = float(options.get("size", 10))
    accent = str(options.get("accent", "000000"))
    font = str(options.get(FONT, "Source Sans"))
    face = TYPEFACES.get(font)
    name, substitute = face.word if face else (font, "Calibri")
    return Design(
        paper=_PAPER[options.get("paper", "a4")],
        margins=tuple(side * MM for side in options.get("margin", (20.0,) * 4)),
        font=name,
        substitute=substitute,
        has_serifs=face is not None and not face.sans,
        size=size,
        accent=accent,
        bullet=_BULLETS[options.get("bullet", "disc")],
        rule=_RULES.get(str(options.get("rule")), _RULE),
        looks={
            look.name: _of_style(look, options, paper, accent, is_letter=is_letter)
            for look in _looks(size, _GAPS[options.get("density", "normal")], accent)
        },
        has_even_lines=not any("\u0590" < letter < "\u1e00" for letter in characters),
    )


def _of_style(
    look: Look, options: Mapping[str, Any], paper: Paper, accent: str, *, is_letter: bool
) -> Look:
    """Return a look in the size of its option, with the style's marks and rule, in its column."""
    percent = options.get(_SIZES.get(look.name, ""), 100)
    look = replace(look, size=round(look.size * float(percent) / 100, 1))
    given = {"Title": paper.name, "Subtitle": paper.headline, "Heading 1": paper.titles,
             "Entry Detail": paper.who}  # fmt: skip
    changes: dict[str, dict[str, Any]] = {
        "bold": {"bold": True},
        "regular": {},
        "italic": {"italic": True},
        "small": {"size": round(look.size / _TITLE, 1)},
        "capitals": {"capitals": "capitals"},
        "small-capitals": {"capitals": "small-capitals"},
        "accent": {"colour": accent},
        "muted": {"colour": GREY},
    }
    for mark in given.get(look.name, ()):
        look = replace(look, **changes[mark])
    column = _DATES if options.get("dates") == "left" else 0.0
    has_rules = options.get("rule") != "none"
    if look.name == "Heading 1":
        if options.get("title-case", "style") != "style":
            look = replace(look, capitals="")
        if is_letter:
            return replace(look, left=column, bold=True, capitals="")
        if has_rules:
            ruled = paper.line == "titles" and options.get("titles", "rule") == "rule"
            line = "above" if paper.line == "above" else "below" if ruled else ""
            look = replace(look, line=line)
    if look.name == "Contact" and has_rules and paper.line == "head":
        look = replace(look, line="below", after=look.size)
    if look.name in ("Title", "Subtitle", "Contact"):
        look = replace(look, centred=paper.head == "centre")
    if look.name in _WHOLE:
        return look
    if column and look.name in _DATED:
        return replace(look, left=column, first=-column)
    return replace(look, left=look.left + column)


def _looks(size: float, gap: float, accent: str) -> list[Look]:
    """Return all styles; ``size`` in pt, ``gap`` is a factor for what is between blocks."""
    hang, body, small = 1.35 * size, size * 0.08 * gap, size * 0.3 * gap
    cited, apart, above = 1.9 * size, size * 0.8 * gap, size * 0.45 * gap
    return [
        Look("Title", round(size * 2.3, 1), after=size * 0.1, with_next=True),
        Look("Subtitle", round(size * 1.15, 1), after=size * 0.2 * gap),
        Look("Contact", size, after=small),
        Look("Heading 1", round(size * _TITLE, 1), size * gap, small, colour=accent,
             with_next=True),
        Look("Heading 2", size, above, body, bold=True, with_next=True, tab=True),
        Look("Heading 3", size, above, body, bold=True, with_next=True, tab=True),
        Look("Note", size, after=body, italic=True, colour=GREY, with_next=True),
        Look("Entry", size, body, body, hang, -hang, tab=True),
        Look("Entry Detail", size, after=body, with_next=True, tab=True),
        Look("Body Text", size, after=body),
        Look("Reference", size, body, small, cited, -cited),
        Look("Reference Detail", size, after=small, left=cited),
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
        Look("Footer", round(size * 0.85, 1), colour=GREY),
    ]  # fmt: skip
