"""The pages of a document in the order in which its text is read.

A page of two columns has its part of the main one before its part of the narrow one; the main one
goes on on the next page, and is read to its end before the narrow one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from cvbuild.outputs.pdf.expected import Expected
from cvbuild.outputs.pdf.verify import find_texts
from cvbuild.outputs.pdf.verify.pdf_facts import Page

#: The least space between two columns, in pt.
_GUTTER = 20.0


def parts(pages: Sequence[Page], expected: Expected) -> list[tuple[int, Page]]:
    """Return the pages, each with its number from 0; of two columns the narrow one's parts last."""
    edge = _gutter(pages, rtl=expected.rtl) if expected.has_columns and len(pages) > 1 else None
    if edge is None:
        return list(enumerate(pages))
    room = find_texts.room(expected.name, expected.footers)
    ends = [_narrow(page, edge, room, rtl=expected.rtl) for page in pages]
    main = [_without(page, *end) for page, end in zip(pages, ends, strict=True)]
    narrow = [_only(page, *end) for page, end in zip(pages, ends, strict=True)]
    return [*enumerate(main), *enumerate(narrow)]


def bodies(texts: Sequence[str], count: int, expected: Expected, *, bare: bool) -> list[str]:
    """Return the texts of parts of ``count`` pages without headers and footers."""
    pages = find_texts.bodies(texts[:count], expected.name, expected.footers, bare=bare)
    return [*pages, *texts[count:]]


def _gutter(pages: Iterable[Page], *, rtl: bool) -> float | None:
    """Return the middle of the last strip, from top to foot, in which no page has a word."""
    words = sorted(
        (word.left, word.right) for page in pages for line in page.lines for word in line
    )
    strips, end = [], words[0][0] if words else 0.0
    for left, right in words:
        if left - end > _GUTTER:
            strips.append((left + end) / 2)
        end = max(end, right)
    return strips[0 if rtl else -1] if strips else None


def _narrow(page: Page, edge: float, room: int, *, rtl: bool) -> tuple[int, int]:
    """Return where the narrow column begins and ends: last, but for a footer of some letters."""
    lefts, _, rights, _ = page.boxes
    where = [
        None if character.isspace() or right <= left else ((left + right) / 2 > edge) != rtl
        for character, left, right in zip(page.characters, lefts, rights, strict=True)
    ]
    end = len(where)
    while end and not where[end - 1]:
        end -= 1
    start = end
    while start and where[start - 1] is not False:
        start -= 1
    return (start, end) if len(page.characters) - end <= room else (end, end)


def _without(page: Page, start: int, end: int) -> Page:
    text = page.characters[:start] + page.characters[end:]
    lefts, tops, rights, bottoms = ([*side[:start], *side[end:]] for side in page.boxes)
    return replace(page, text=text, characters=text, boxes=(lefts, tops, rights, bottoms))


def _only(page: Page, start: int, end: int) -> Page:
    text = page.characters[start:end]
    lefts, tops, rights, bottoms = (side[start:end] for side in page.boxes)
    return replace(page, text=text, characters=text, boxes=(lefts, tops, rights, bottoms))
