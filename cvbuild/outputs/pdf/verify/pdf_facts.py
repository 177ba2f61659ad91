"""Read a PDF by two independent libraries: PDFium for its text, pikepdf for its structure.

A template's code may have written what it likes: anything wrong raises a DocumentError.
"""

from __future__ import annotations

import ctypes
import html
import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium
from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import DocumentError, reading_errors
from cvbuild.model.profile import Limits
from cvbuild.outputs.pdf.verify import text_lines
from cvbuild.outputs.pdf.verify.text_lines import Box, Line, Page

if TYPE_CHECKING:
    import pikepdf

    from cvbuild.outputs.measured import Measure
    from cvbuild.outputs.types import Shown

#: The largest files that are read, in bytes and pages.
MAX_BYTES, MAX_PAGES = 100_000_000, 1000
#: PDFium may be entered by one thread at a time.
PDFIUM = threading.Lock()
#: XMP elements that name programs, which are not the document's own metadata.
_PROGRAMS = re.compile(r"<(pdf:Producer|xmp:CreatorTool)>.*?</\1>", re.DOTALL)
_TAGS = re.compile(r"<[^<>]*>")


class LinkAnnotation(Struct, frozen=True):
    """An annotation that opens ``url``; ``page`` counts from 1."""

    page: int
    url: str


class Facts(Struct, frozen=True):
    """Everything about a PDF that is checked.

    ``metadata`` are names and texts of the information dictionary and XMP, without the names of
    programs; ``active`` names everything that acts, other than links to web addresses.
    """

    pages: tuple[Page, ...]
    links: tuple[LinkAnnotation, ...] = ()
    fonts: tuple[Font, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    attachments: tuple[tuple[str, bytes], ...] = ()
    active: tuple[str, ...] = ()


def read(path: Path) -> Facts:
    """Read a finished PDF; raises DocumentError if a template's code has made it unreadable."""
    import pikepdf

    try:
        with pikepdf.open(path) as document:
            facts = _structure(document)
        with PDFIUM, closing(pypdfium2.PdfDocument(path)) as document:
            if not 0 < len(document) <= MAX_PAGES:
                raise ValueError(f"it has {len(document)} pages")
            pages = []
            for number in range(len(document)):
                with closing(document[number]) as page, closing(page.get_textpage()) as text:
                    pages.append(text_lines.read(text, Box(*page.get_cropbox())))
        return replace(facts, pages=tuple(pages))
    except reading_errors() as error:
        fact = f"{path} can't be read as a PDF: {str(error)[:200]}"
        hint = "the template's code changes the PDF in a way that cvbuild doesn't know"
        raise DocumentError.because("pdf", fact, hint) from error


# -- structure, by pikepdf ----------------------------------------------------------------------


def _structure(document: pikepdf.Pdf) -> Facts:
    """Return all facts but the pages."""
    import pikepdf

    links: list[LinkAnnotation] = []
    # What the document does when it is opened, or contains that can act.
    active, root = list[str](), document.Root
    opening = root.get("/OpenAction")
    # hyperref writes an array: a destination, the page to show.
    if isinstance(opening, pikepdf.Dictionary) and opening.get("/S") != "/GoTo":
        active.append(f"an action when it is opened ({opening.get('/S')})")
    acting = {"/AA": "actions of the document", "/AcroForm": "a form"}
    active += [words for key, words in acting.items() if key in root]
    active += ["JavaScript"] if "/JavaScript" in root.get("/Names", {}) else []
    for number, page in enumerate(document.pages, start=1):
        if "/AA" in page.obj:
            active.append("an action of a page")
        for annotation in page.obj.get("/Annots", ()):
            action: Any = annotation.get("/A")
            kind = action.get("/S") if action is not None else None
            is_link = annotation.get("/Subtype") == "/Link" and kind == "/URI"
            if is_link and "/Next" not in action and "/AA" not in annotation:
                links.append(LinkAnnotation(number, str(action.URI)))
                continue
            does = f" with {kind}" if kind else ""
            active.append(f"an annotation {annotation.get('/Subtype')}{does}")
    attached = document.attachments.items()
    programs = ("/Producer", "/Creator", "/PTEX.Fullbanner")
    metadata = [
        (key.removeprefix("/"), str(value))
        for key, value in document.docinfo.items()
        if key not in programs
    ]
    if "/Metadata" in document.Root:
        xml = document.Root.Metadata.read_bytes().decode("utf-8", "replace")
        metadata.append(("XMP", html.unescape(_TAGS.sub("\n", _PROGRAMS.sub("", xml)))))
    return Facts(
        pages=(),
        links=tuple(links),
        fonts=tuple(fonts(document)),
        metadata=tuple(metadata),
        attachments=tuple((name, item.get_file().read_bytes()) for name, item in attached),
        active=tuple(active),
    )


# -- fonts ----------------------------------------------------------------------------------------


_CODE_RANGES = re.compile(rb"beginbf(char|range)(.*?)endbf", re.DOTALL)


class Font(Struct, frozen=True):
    """A font of a PDF.

    ``kind`` is Type1, TrueType, Type0, Type3; ``embedded`` whether the PDF holds its file;
    ``mapped`` whether it says which characters its glyphs are; ``ligatures`` are those of the
    characters U+FB00 to U+FB06.
    """

    name: str
    kind: str
    embedded: bool
    mapped: bool
    ligatures: str = ""


def fonts(document: pikepdf.Pdf) -> Iterator[Font]:
    """Yield each font of the pages and of the forms and patterns drawn on them, once."""
    seen: set[tuple[int, int]] = set()

    def is_new(thing: Any) -> bool:
        # One without a number always is.
        number = thing.objgen
        if number != (0, 0) and number in seen:
            return False
        seen.add(number)
        return True

    for page in document.pages:
        pending: list[Any] = [page.resources]
        while pending:
            resources = pending.pop()
            for name, font in resources.get("/Font", {}).items():
                if is_new(font):
                    yield _font(font, name)
            pending += [
                drawn.Resources
                for key in ("/XObject", "/Pattern")
                for _, drawn in resources.get(key, {}).items()
                if is_new(drawn) and "/Resources" in drawn
            ]


def _font(font: Any, name: str) -> Font:
    kind = str(font.get("/Subtype", "/?")).removeprefix("/")
    inner = font.DescendantFonts[0] if kind == "Type0" else font
    descriptor = inner.get("/FontDescriptor", {})
    files = ("/FontFile", "/FontFile2", "/FontFile3")
    mapping = font.get("/ToUnicode")
    data = mapping.read_bytes() if hasattr(mapping, "read_bytes") else b""
    codes: set[int] = set()
    for match in _CODE_RANGES.finditer(data):
        numbers = [int(number, 16) for number in re.findall(rb"<([0-9A-Fa-f]+)>", match[2])]
        step = 2 if match[1] == b"char" else 3
        for row in zip(*[iter(numbers)] * step, strict=False):
            codes.update(range(row[-1], row[-1] + min(row[-2] - row[0], 256) + 1))
    return Font(
        name=str(font.get("/BaseFont", name)).removeprefix("/"),
        kind=kind,
        embedded=any(file in descriptor for file in files),
        mapped=bool(data),
        # PDFium reads them as single letters, other readers don't.
        ligatures="".join(chr(code) for code in range(0xFB00, 0xFB07) if code in codes),
    )


# -- what limits are on: pages, margins, type and faces --------------------------------------------


_MM = 25.4 / 72
#: What is less counts as rounding: pt of type, as TeX's are 0.4 % smaller, and mm, as hyphens and
#: round letters hang over the edge.
_SIZE, _EDGE = 0.05, 0.7
#: The heights of capitals and of x in parts of the type.
_CAPITALS, _X_HEIGHT = 0.7, 0.45
#: A word of fewer letters is a mark.
_LEAST = 2
#: The most bytes of a font's name.
_NAME = 256


def measure(shown: Shown, pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[Measure]:
    """Yield the limits on the PDF; ``bodies`` are its lines without running heads and feet."""
    if (limited := shown.limited) is None or shown.draft:
        return
    from cvbuild.outputs.measured import Measure  # few documents have limits

    limits, _ = limited
    if limits.pages is not None:
        remedy = f"write limit: or since:, or options: {{pages: {limits.pages}}} to set it tighter"
        fits = len(bodies) <= limits.pages
        yield Measure("pages", f"{len(bodies)} of {limits.pages}", fits, remedy)
    if limits.margin is not None:
        yield from _margins(limits, pdf, bodies)
    if limits.size is None and not limits.font:
        return
    types = [*_types(pdf, bodies)]
    if limits.size is not None and types:
        least, _, word = min(types)
        fact = f'{least:.1f} pt at "{word}", the least is {limits.size:g} pt'
        sizes = sorted(map(float, shown.template.manifest.options["size"].choices))
        needed = float(shown.options["size"]) * limits.size / least
        size = next((size for size in sizes if size >= needed - _SIZE), None)
        remedy = (
            f"write options: {{size: {size:g}}}" if size else "take a style without smaller type"
        )
        yield Measure("size", fact, least >= limits.size - _SIZE, remedy)
    if limits.font:
        allowed = [_plain(name) for name in limits.font]
        fonts = sorted({font for _, font, _ in types})
        others = [font for font in fonts if not any(name in _plain(font) for name in allowed)]
        remedy = f"write options: {{font: …}} with {' or '.join(limits.font)}"
        yield Measure("font", ", ".join(others or fonts), not others, remedy)


def _margins(limits: Limits, pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[Measure]:
    from cvbuild.outputs.measured import Measure

    edges = dict.fromkeys(("sides", "top", "bottom"), math.inf)
    with PDFIUM, pypdfium2.PdfDocument(pdf) as document:
        sizes = [page.get_size() for page in document]
    for (width, height), lines in zip(sizes, bodies, strict=True):
        for word in (word for line in lines for word in line):
            capitals = word.baseline + _CAPITALS * word.size
            edges["sides"] = min(edges["sides"], word.left * _MM, (width - word.right) * _MM)
            edges["top"] = min(edges["top"], (height - capitals) * _MM)
            edges["bottom"] = min(edges["bottom"], word.baseline * _MM)
    for name, least in limits.margin or ():
        if least is not None and edges[name] < math.inf:
            fits = edges[name] >= least - _EDGE
            fact = f"{edges[name]:.1f} mm, the least is {least:g} mm"
            side = "left: {0:g}, right: {0:g}" if name == "sides" else f"{name}: {{0:g}}"
            remedy = f"write options: {{margin: {{{side.format(least)}}}}}"
            yield Measure(f"margin {name}", fact, fits, remedy)


def _types(pdf: Path, bodies: Sequence[Sequence[Line]]) -> Iterator[tuple[float, str, str]]:
    """Yield the type of each word of two letters or digits: its size in pt, its font, the word."""
    with PDFIUM, pypdfium2.PdfDocument(pdf) as document:
        for page, lines in zip(document, bodies, strict=True):
            passage = page.get_textpage()
            raw = passage.raw
            for word in (word for line in lines for word in line):
                if sum(map(str.isalnum, word.text)) < _LEAST:
                    continue
                # In its middle: what is raised, or a mark, stands before or after a word.
                middle = (word.left + word.right) / 2, word.baseline + _X_HEIGHT / 2 * word.size
                at = pdfium.FPDFText_GetCharIndexAtPos(raw, *middle, word.size, word.size)
                if at >= 0:
                    buffer, flags = ctypes.create_string_buffer(_NAME), ctypes.c_int()
                    pdfium.FPDFText_GetFontInfo(raw, at, buffer, _NAME, flags)
                    name = buffer.value.decode("utf-8", "replace")
                    # Without the mark of a subset.
                    font = re.sub(r"^[A-Z]{6}\+", "", name)
                    yield (pdfium.FPDFText_GetFontSize(raw, at), font, word.text)


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
