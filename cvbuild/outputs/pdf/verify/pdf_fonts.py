"""The fonts of a PDF: whether they are embedded and map their glyphs to characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    import pikepdf

_CODE_RANGES = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)


class Font(Struct, frozen=True):
    """A font of a PDF.

    ``kind`` is Type1, TrueType, Type0, Type3; ``embedded`` whether the PDF holds its file;
    ``mapped`` whether it says which characters its glyphs are; ``ligatures`` are the characters
    U+FB00 to U+FB06 that it shows.
    """

    name: str
    kind: str
    embedded: bool
    mapped: bool
    ligatures: str = ""


def fonts(document: pikepdf.Pdf) -> Iterator[Font]:
    """Yield each font of the pages and of the forms and patterns drawn on them, once."""
    seen: set[tuple[int, int]] = set()
    for page in document.pages:
        pending = [_resources(page.obj)]
        while pending:
            resources = pending.pop()
            for name, font in (resources or {}).get("/Font", {}).items():
                if _new(font, seen):
                    yield _font(font, name, document.pages)
            pending += [
                drawn.Resources
                for drawn in (*_values(resources, "/XObject"), *_values(resources, "/Pattern"))
                if _new(drawn, seen) and "/Resources" in drawn
            ]


def _values(resources: Any, key: str) -> Iterator[Any]:
    yield from (value for _, value in (resources or {}).get(key, {}).items())


def _new(thing: Any, seen: set[tuple[int, int]]) -> bool:
    """Return whether an object was not seen before; one without a number is always new."""
    number = thing.objgen
    if number != (0, 0) and number in seen:
        return False
    seen.add(number)
    return True


def _resources(page: Any) -> Any:
    """Return the resources of a page, which it may inherit; None if there are none."""
    for _ in range(50):
        if "/Resources" in page:
            return page.Resources
        if "/Parent" not in page:
            break
        page = page.Parent
    return None


def _font(font: Any, name: str, pages: Iterable[Any]) -> Font:
    kind = str(font.get("/Subtype", "/?")).removeprefix("/")
    inner = font.DescendantFonts[0] if kind == "Type0" else font
    descriptor = inner.get("/FontDescriptor", {})
    files = ("/FontFile", "/FontFile2", "/FontFile3")
    mapping = font.get("/ToUnicode")
    data = mapping.read_bytes() if hasattr(mapping, "read_bytes") else b""
    return Font(
        name=str(font.get("/BaseFont", name)).removeprefix("/"),
        kind=kind,
        embedded=any(file in descriptor for file in files),
        mapped=bool(data),
        ligatures=_ligatures(data, pages, name, 2 if kind == "Type0" else 1),
    )


def _ligatures(mapping: bytes, pages: Iterable[Any], name: str, width: int) -> str:
    """Return the ligature characters that a font maps glyphs to, and that a page shows.

    PDFium reads them as single letters, other readers don't.
    """
    codes: dict[int, str] = {}
    for match in _CODE_RANGES.finditer(mapping):
        numbers = [int(number, 16) for number in re.findall(rb"<([0-9A-Fa-f]+)>", match[2])]
        step = 2 if match[1] == b"char" else 3
        for row in zip(*[iter(numbers)] * step, strict=False):
            first, last, target = row[0], row[-2], row[-1]
            for code in range(first, min(last, first + 256) + 1):
                if 0xFB00 <= target + code - first <= 0xFB06:
                    codes[code] = chr(target + code - first)
    if not codes:
        return ""
    used = {code for page in pages for code in _codes(page, name, width)}
    return "".join(sorted({character for code, character in codes.items() if code in used}))


def _codes(page: Any, name: str, width: int) -> set[int]:
    """Return the character codes that a page shows in the font of this name."""
    import pikepdf

    used: set[int] = set()
    current = None
    for step in pikepdf.parse_content_stream(page, "Tf Tj TJ ' \""):
        if str(step.operator) == "Tf":
            current = str(step.operands[0])
        elif current == name and len(step.operands):
            shown: Any = step.operands[-1]
            parts = [shown] if isinstance(shown, pikepdf.String) else shown
            for part in parts:
                data = bytes(part) if isinstance(part, pikepdf.String) else b""
                used.update(
                    int.from_bytes(data[at : at + width]) for at in range(0, len(data), width)
                )
    return used
