"""PDFium's view of a document as plain characters; the only module here that calls it.

It runs in a process of its own, which needs nothing else of ours: a few bytes can unpack to
gigabytes, and PDFium, which is C++, ends its process when memory runs out.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

#: A CV has a dozen pages and some 4,000 characters on each.
MAX_PAGES, _CHARACTERS, _ALL_CHARACTERS = 40, 60_000, 200_000
_OBJECTS, _LINKS, _LONGEST_LINK, _DOTS = 20_000, 2_000, 2_000, 400
#: Type of fewer pt is hidden, or a trick for machines that read applications.
_LEAST = 3.0
#: Each part of the colour of letters that can't be read on white.
_WHITE = 250
Box = tuple[float, float, float, float]


#: Characters that stand before a point of a list.
BULLETS = "•●▪■◦○‣⁃∙·➢►✓✔▸▹◆◇❖⦁⚫–—∗*-›»→➤▶"
#: Codes of symbol fonts, which say nothing of themselves; ligatures by their places in TeX's
#: encodings, where the font doesn't say what they are; hyphens, of which the first two are PDFium's
#: marks of one at the end of a line.
_LETTERS = {
    0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF076: "❖", 0xF0FC: "✓", 0xF02D: "-", 0xF06C: "●",
    0xF06E: "■", 0xF0E0: "→", 0x0095: "•", 0x0B: "ff", 0x0C: "fi", 0x0E: "ffi", 0x0F: "ffl",
    0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl",
    0x02: "-", 0xFFFE: "-", 0xAD: "-", 0x2010: "-", 0x2011: "-",
}  # fmt: skip
_BOLD = re.compile(r"(?i)bold|black|heavy|demi|semib|extrab|medi(?:um)?$|cmbx|cmssbx|bx\d|-bd\b")
_ITALIC = re.compile(r"(?i)italic|oblique|slant|cmti|cmsl|cmssi|-it\b|ital\b|itshape")
_SAYS_WEIGHT = re.compile(r"(?i)regular|roman|light|book|cmr|bold|italic")
_ICON_FONTS = re.compile(
    r"(?i)awesome|fa-?(?:solid|brands|regular)|icon|material|academicons|marvosym|glyphs|dingbat"
    r"|fontello|entypo|feather|webdings|wingdings|typicons"
)
#: Estimated weight from which a font is bold whose name says nothing.
_HEAVY = 650


class _RefusedError(Exception):
    """Why a document isn't read."""


def child(path: str, result: str) -> None:
    """Read the PDF at ``path``, and write JSON: ``sheets``, or ``refused``."""
    try:
        made: dict[str, Any] = {"sheets": list(_sheets(Path(path).read_bytes()))}
    except _RefusedError as error:
        made = {"refused": str(error)}
    Path(result).write_bytes(msgspec.json.encode(made))


def _sheets(data: bytes) -> Iterator[Sheet]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        raise _RefusedError("locked" if locked else "damaged") from None
    if len(document) > MAX_PAGES:
        raise _RefusedError(f"it has {len(document)} pages, more than {MAX_PAGES}")
    total = 0
    for number in range(len(document)):
        try:
            sheet = _sheet(document, number)
        except pypdfium2.PdfiumError:
            raise _RefusedError("damaged") from None
        total += len(sheet.chars)
        if total > _ALL_CHARACTERS:
            raise _RefusedError(f"it has more than {_ALL_CHARACTERS} characters")
        yield sheet


def _sheet(document: Any, number: int) -> Sheet:
    page = document[number]
    left, bottom, right, top = box = page.get_bbox()
    painted, dots = _drawn(page)
    boxes = list(_links(document, page))
    sheet = Sheet(number, right - left, top - bottom)
    sheet.dots = [(x - left, y - bottom) for x, y in dots]
    for char in _chars(page.get_textpage(), box):
        x, y = (char.x0 + char.x1) / 2, char.y + 0.3 * char.style.size
        if min(char.style.colour) >= _WHITE and not any(_inside(one, x, y) for one in painted):
            sheet.hidden += char.text + " " * char.space
            continue
        char.url = next((url for one, url in boxes if _inside(one, x, y)), "")
        char.x0, char.x1 = round(char.x0 - left, 2), round(char.x1 - left, 2)
        char.y = round(char.y - bottom, 2)
        sheet.chars.append(char)
    return sheet


def _inside(box: Box, x: float, y: float) -> bool:
    return box[0] - 0.5 <= x <= box[2] + 0.5 and box[1] <= y <= box[3]


def _chars(text: Any, box: Box) -> Iterator[Char]:
    """Yield the characters that a reader sees, in PDFium's order."""
    import pypdfium2.raw as pdfium

    handle, count = text.raw, text.count_chars()
    if count > _CHARACTERS:
        raise _RefusedError(f"a page of it has {count} characters, more than {_CHARACTERS}")
    styles: dict[int, Style] = {}
    loose, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    last: Char | None = None
    for at in range(count):
        code = pdfium.FPDFText_GetUnicode(handle, at)
        if code in (0x0D, 0x0A):
            continue
        if code in (0x20, 0xA0, 0x09) or pdfium.FPDFText_IsGenerated(handle, at) == 1:
            # The blanks that PDFium makes up know the font's own; their boxes are empty.
            if last is not None:
                last.space = True
            continue
        if abs(math.remainder(pdfium.FPDFText_GetCharAngle(handle, at), 2 * math.pi)) > 0.1:
            continue
        # Five calls for a character; the rest once for the object that it belongs to.
        whole = pdfium.FPDFText_GetTextObject(handle, at)
        key = ctypes.cast(whole, ctypes.c_void_p).value or 0
        if not key or key not in styles:
            styles[key] = _style(handle, at)
        style = styles[key]
        pdfium.FPDFText_GetLooseCharBox(handle, at, loose)
        pdfium.FPDFText_GetCharOrigin(handle, at, x, y)
        inside = box[0] - 2 <= loose.left <= box[2] + 2 and box[1] - 2 <= y.value <= box[3] + 2
        shown, is_icon = _letter(code, style)
        if shown and inside and style.size >= _LEAST:
            if last is not None:
                yield last
            last = Char(shown, loose.left, loose.right, y.value, style, is_icon)
    if last is not None:
        yield last


def _style(handle: Any, at: int) -> Style:
    """Return the style of a character."""
    import pypdfium2.raw as pdfium

    name, flags, matrix = ctypes.create_string_buffer(256), ctypes.c_int(), pdfium.FS_MATRIX()
    pdfium.FPDFText_GetFontInfo(handle, at, name, 256, flags)
    pdfium.FPDFText_GetMatrix(handle, at, matrix)
    # The size is that without the matrix.
    size = pdfium.FPDFText_GetFontSize(handle, at) * (math.hypot(matrix.c, matrix.d) or 1)
    parts = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFText_GetFillColor(handle, at, *parts)
    red, green, blue, _ = (part.value for part in parts)
    # Bold and italic come from the font's name first.
    font = re.sub(r"^[A-Z]{6}\+", "", name.value.decode("utf-8", "replace"))
    is_heavy = pdfium.FPDFText_GetFontWeight(handle, at) >= _HEAVY
    bold = bool(_BOLD.search(font)) or (is_heavy and not _SAYS_WEIGHT.search(font))
    return Style(
        font,
        round(size, 1),
        bold or bool(flags.value & 1 << 18),
        bool(_ITALIC.search(font)) or bool(flags.value & 1 << 6),
        (red, green, blue),
    )


def _drawn(page: Any) -> tuple[list[Box], list[tuple[float, float]]]:
    """Return what is painted in other colours than white, and small shapes, which are bullets."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    painted: list[Box] = []
    dots: list[tuple[float, float]] = []
    parts = [ctypes.c_uint() for _ in range(4)]
    for count, one in enumerate(page.get_objects(max_depth=1)):
        if count > _OBJECTS:
            break
        if one.type == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        try:
            box = x0, y0, x1, y1 = one.get_bounds()
        except pypdfium2.PdfiumError:
            continue
        if 1.2 < x1 - x0 < 7 and 1.2 < y1 - y0 < 7 and 0.7 < (x1 - x0) / (y1 - y0) < 1.4:
            dots.append(((x0 + x1) / 2, (y0 + y1) / 2))
        elif min(x1 - x0, y1 - y0) > 5:
            if one.type == pdfium.FPDF_PAGEOBJ_PATH:
                pdfium.FPDFPageObj_GetFillColor(one, *parts)
                if min(part.value for part in parts[:3]) >= _WHITE:
                    continue
            painted.append(box)
    return painted, dots if 2 <= len(dots) <= _DOTS else []


def _links(document: Any, page: Any) -> Iterator[tuple[Box, str]]:
    """Yield the rectangles of links, and their addresses."""
    import pypdfium2.raw as pdfium

    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    rect, quad = pdfium.FS_RECTF(), pdfium.FS_QUADPOINTSF()
    for _ in range(_LINKS):
        if not pdfium.FPDFLink_Enumerate(page, position, link):
            break
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < size < _LONGEST_LINK:
            continue
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
        url = buffer.value.decode("utf-8", "replace").strip()
        quads = min(pdfium.FPDFLink_CountQuadPoints(link), 50)
        for at in range(quads):
            if pdfium.FPDFLink_GetQuadPoints(link, at, quad):
                xs = (quad.x1, quad.x2, quad.x3, quad.x4)
                ys = (quad.y1, quad.y2, quad.y3, quad.y4)
                yield (min(xs), min(ys), max(xs), max(ys)), url
        if not quads and pdfium.FPDFLink_GetAnnotRect(link, rect):
            yield (rect.left, rect.bottom, rect.right, rect.top), url


class Style(msgspec.Struct, frozen=True, array_like=True):
    """How a character is set; ``colour`` is red, green, blue from 0 to 255."""

    font: str
    size: float
    bold: bool
    italic: bool
    colour: tuple[int, int, int]


class Char(msgspec.Struct, array_like=True):
    """A character from ``x0`` to ``x1`` on the baseline ``y``, in pt from the page's lower left.

    ``icon`` marks a picture of a font; ``space`` that a blank follows.
    """

    text: str
    x0: float
    x1: float
    y: float
    style: Style
    icon: bool = False
    space: bool = False
    url: str = ""


class Sheet(msgspec.Struct, array_like=True):
    """A page: its size, its characters, drawn dots, and letters that are white on white."""

    number: int
    width: float
    height: float
    chars: list[Char] = []
    dots: list[tuple[float, float]] = []
    hidden: str = ""


def _letter(code: int, style: Style) -> tuple[str, bool]:
    """Return the text of a character, empty for none, and whether it is a picture."""
    is_icon = bool(_ICON_FONTS.search(style.font))
    if code in _LETTERS and not (is_icon and code > 0xF000):
        return _LETTERS[code], False
    text = chr(code)
    if 0xFB00 <= code <= 0xFB06 or 0x1D400 <= code <= 0x1D7FF:
        return unicodedata.normalize("NFKC", text), False
    category = unicodedata.category(text)
    if category in ("Cc", "Cf", "Cs", "Cn"):
        return "", False
    is_icon |= category == "Co" or (category == "So" and text not in "°©®™№")
    return text, is_icon and text not in BULLETS
