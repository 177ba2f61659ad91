"""What Word's styles say of paragraphs and runs, followed to those they are based on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from cvbuild.importers.sources.located_xml import Element

_HEADING = re.compile(
    r"(?i)(?:heading|überschrift|titre|t[íi]tulo|titolo|kop|rubrik|nagłówek|nadpis) ?([1-9])"
)
_TITLES = ("title", "name", "titel", "titre", "título")
_LIST = re.compile(r"(?i)list (?:bullet|number|paragraph)? ?(\d)?|aufzählungszeichen ?(\d)?")
#: Styles of other styles that are followed.
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says: the level of a heading or -1 for none, that of a point, marks, points."""

    heading: int = -1
    point: int = -1
    marks: frozenset[str] = frozenset()
    size: int = 0


class Styles:
    """The styles of a document by their ids."""

    def __init__(self, root: Element | None) -> None:
        listed = root.all("style") if root else []
        self._styles = {one.attributes.get("styleId", ""): one for one in listed}
        self._looks: dict[str, Look] = {}
        names = {value(one.first("name")) for one in listed}
        #: Whether cvbuild wrote it, which breaks long lines so that no word stands alone.
        self.is_own = {"Entry Detail", "Numbered Reference"} <= names
        base = root.first("docDefaults", "rPrDefault", "rPr") if root else None
        standard = (key for key, one in self._styles.items() if one.attributes.get("default"))
        self._default = of_run(base, Look())
        self._normal = next(standard, "")

    def look(self, key: str) -> Look:
        """Return what a style and those it is based on say; the standard one's without a key."""
        chain: list[Element] = []
        step = key or self._normal
        while step in self._styles and len(chain) < _DEEPEST:
            chain.append(self._styles[step])
            step = value(chain[-1].first("basedOn"))
        if key not in self._looks:
            look = self._default
            for one in reversed(chain):
                look = _of_style(one, look)
            self._looks[key] = look
        return self._looks[key]


def _of_style(style: Element, look: Look) -> Look:
    name = value(style.first("name")).casefold()
    look = of_run(style.first("rPr"), look)
    if style.attributes.get("type") == "character":
        bold = {"strong"} if name in ("strong", "fett", "intense emphasis") else set[str]()
        slanted = {"em"} if name in ("emphasis", "hervorhebung") else set[str]()
        return replace(look, marks=look.marks | bold | slanted)
    outline = number(style.first("pPr", "outlineLvl"))
    if found := _HEADING.fullmatch(name):
        return replace(look, heading=int(found[1]), point=-1)
    if name in _TITLES:
        return replace(look, heading=1)
    if outline is not None:
        return replace(look, heading=outline + 1 if outline < 9 else -1)
    listed = _LIST.fullmatch(name)
    if listed and "paragraph" not in name:
        return replace(look, point=int(listed[1] or listed[2] or 1) - 1)
    return of_numbers(style.first("pPr"), look)


def of_numbers(properties: Element | None, look: Look) -> Look:
    """Return a look with the level of a list that a paragraph is in."""
    listed = properties.first("numPr") if properties else None
    if listed is None:
        return look
    if value(listed.first("numId")) == "0":
        return replace(look, point=-1)
    return replace(look, point=number(listed.first("ilvl")) or max(look.point, 0))


def of_run(properties: Element | None, look: Look) -> Look:
    """Return a look with what a run's properties change."""
    if properties is None:
        return look
    marks = set(look.marks)
    for name, mark in (("b", "strong"), ("i", "em"), ("caps", "caps"), ("vanish", "hidden")):
        if element := properties.first(name):
            is_on = element.attributes.get("val", "1") not in ("0", "false", "off")
            marks = marks | {mark} if is_on else marks - {mark}
    height = value(properties.first("vertAlign"))
    marks |= {"sup"} if height == "superscript" else {"sub"} if height == "subscript" else set()
    size = number(properties.first("sz"))
    return replace(look, marks=frozenset(marks), size=look.size if size is None else size)


def value(element: Element | None) -> str:
    """Return the value of an element, empty if there is none."""
    return element.attributes.get("val", "") if element else ""


def number(element: Element | None) -> int | None:
    """Return the number that is the value of an element; None for what isn't one in a document."""
    found = re.fullmatch(r"[0-9]{1,6}", value(element))
    return int(found[0]) if found else None
