"""The page _pages/cv.md of academicpages: headings with lists in Markdown."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers.resumes import wordings
from cvbuild.importers.sites.pages import Site, skip
from cvbuild.importers.words import descriptions, foreign_dates, headings
from cvbuild.importers.words.html_texts import Block

_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*")
_UNDERLINE = re.compile(r"(?:=|-){3,}[ \t]*")
#: The names of what an item has, in the order in which people write them.
_NAMES = {
    "education": ("degree", "institution", "location"),
    "experience": ("title", "employer", "location"),
    "volunteer": ("title", "organization", "location"),
    "service": ("role", "organization", "location"),
    "award": ("title", "awarder", "location"),
    "grant": ("title", "funder"),
    "certificate": ("name", "issuer"),
    "talk": ("title", "event", "location"),
    "teaching": ("course", "institution", "location"),
    "project": ("name",),
    "publication": ("title",),
}
#: Kinds whose only text is this one.
_ALONE = {"education": "institution", "volunteer": "organization"}
_DATE_FIRST = re.compile(r"([^:]{4,40}):\s+(.+)")
_DATE_LAST = re.compile(
    r"(.+?)(?:,\s*|\s+\(|\s+[–—-]\s+|\s+)([^,()]{0,30}\d{4}(?:\s*\(\w+\))?[^,()]{0,20})\)?"
)
#: Characters of a line that is looked through for dates and levels.
_LONGEST = 500
_KEYED = re.compile(r"\W{0,2}(supervisor|advisor|mentor)s?\W{0,2}:\W{0,2}\s*(.+)", re.IGNORECASE)


def read(site: Site, name: str) -> None:
    """Put the sections of the page into the draft, in its order."""
    page = site.page(name)
    if page is None:
        return
    skip(page.data, "layout", "title", "permalink", "author_profile", "redirect_from")
    site.finish(page.data)
    for title, line, text in _sections(page.body, page.line):
        place = Span(page.place.file, line, 1, line, 2)
        blocks = site.blocks(text)
        for lost in blocks.lost:
            site.draft.lose(title or page.name, lost, place)
        if blocks.blocks:
            _section(site, title, blocks.blocks, place)


def _sections(body: str, first: int) -> list[tuple[str, int, str]]:
    """Return title, line and text of each section; what is before the first has no title."""
    found: list[tuple[str, int, list[str]]] = [("", first, [])]
    lines = body.split("\n")
    for at, row in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        heading = _HEADING.fullmatch(row)
        if heading or (row.strip() and _UNDERLINE.fullmatch(following)):
            found.append((heading[1] if heading else row.strip(), first + at, []))
        elif not (_UNDERLINE.fullmatch(row) and at and not found[-1][2]):
            found[-1][2].append(row)
    return [(title, line, "\n".join(rows)) for title, line, rows in found]


def _section(site: Site, title: str, blocks: list[Block], place: Span) -> None:
    kind, _ = headings.kind_of(title) or ("", "")
    draft = site.draft
    listed = [one for one in blocks if one.level is not None]
    if kind in (headings.SUMMARY, headings.INTERESTS) or not title:
        key = headings.INTERESTS if kind == headings.INTERESTS else headings.SUMMARY
        draft.put(key, [one.text for one in blocks], place)
        return
    own = headings.own_title(kind, "en") if kind else ""
    shown = None if title.casefold() == own.casefold() else wordings.inline(title)
    if kind in _NAMES and listed:
        for one in _nested(blocks):
            draft.add(kind, _item(kind, one), place, shown)
    elif kind in ("skill", "language") and listed:
        for one in _nested(blocks):
            draft.add(kind, _known(kind, one), place, shown)
    else:
        for point in descriptions.nested(blocks):
            draft.add("bullets", point, place, wordings.inline(title))


def _nested(blocks: list[Block]) -> list[tuple[str, list[Block]]]:
    """Return each point with those under it."""
    found: list[tuple[str, list[Block]]] = []
    for one in blocks:
        if one.level and found:
            found[-1][1].append(Block(one.text, one.level - 1))
        else:
            found.append((one.text, []))
    return found


def _item(kind: str, point: tuple[str, list[Block]]) -> dict[str, Any]:
    """Return a point as an item: "2015: Ph.D. in Examples, Example University"."""
    text, inner = point
    item: dict[str, Any] = {}
    short = text if len(text) <= _LONGEST else ""
    first, last = _DATE_FIRST.fullmatch(short), _DATE_LAST.fullmatch(short)
    if first and foreign_dates.is_date(foreign_dates.read(first[1])):
        item["date"], text = foreign_dates.read(first[1]), first[2]
    elif last and foreign_dates.is_date(foreign_dates.read(last[2])):
        item["date"], text = foreign_dates.read(last[2]), last[1]
    told = [one.strip() for one in text.split(", ")]
    if any(one.count("[") != one.count("]") or one.count("*") % 2 for one in told):
        # A comma inside of a link or of bold words.
        told = [text]
    keys = _NAMES[kind]
    if len(told) == 1 and kind in _ALONE:
        keys = (_ALONE[kind],)
    if len(told) > len(keys):
        told = [", ".join(told[: len(told) - len(keys) + 1]), *told[len(told) - len(keys) + 1 :]]
    item |= dict(zip(keys, told, strict=False))
    if kind == "education" and "institution" not in item:
        item["institution"] = item.pop("degree")
    points: list[Block] = []
    for at, one in enumerate(inner):
        keyed = _KEYED.fullmatch(one.text)
        if keyed and kind in ("education", "experience"):
            key = "mentor" if keyed[1].lower() == "mentor" and kind == "experience" else "advisor"
            item[key] = keyed[2]
        elif at == 0 and kind == "experience" and "employer" not in item and ":" not in one.text:
            item["employer"] = one.text
        else:
            points.append(one)
    if points:
        item["bullets"] = descriptions.nested(points)
    return item


def _known(kind: str, point: tuple[str, list[Block]]) -> dict[str, Any]:
    """Return a skill with its keywords, or a language with its level."""
    text, inner = point
    name, _, rest = text.partition(": ")
    if kind == "skill":
        keywords = [one.strip() for one in rest.split(", ") if one.strip()]
        return {"name": name.strip("* "), "keywords": [*keywords, *(one.text for one in inner)]}
    found = len(text) <= _LONGEST and re.fullmatch(r"(.+?)\s*(?:\(([^()]+)\)|[,–—:-]\s+(.+))", text)
    level = (found[2] or found[3]) if found else ""
    return {"language": found[1] if found else text, "level": level}
