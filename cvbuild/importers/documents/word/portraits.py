"""The picture of a person in Word's format: the first one, upright, before the first section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from cvbuild.common.errors import CvbuildError
from cvbuild.importers.sources import located_xml
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.types import Given
from cvbuild.importers.words import headings
from cvbuild.importers.words.blocks import Block

_DOCUMENT, _RELATIONS = "word/document.xml", "word/_rels/document.xml.rels"
_MEDIA = re.compile(r"media/[\w.-]+\.(?:png|jpe?g)", re.IGNORECASE)
#: Widest picture of a person, in Word's units of 1/360,000 cm: others are banners.
_WIDEST = 8 * 360_000
#: Height of a picture of a person, in its widths.
_LEAST, _MOST = 0.9, 2.0


def find(given: Given, parts: Mapping[str, bytes], blocks: Iterable[Block]) -> bytes | None:
    """Return the file of the picture; None if the first one in the text is none of a person."""
    try:
        root = located_xml.parse(parts[_DOCUMENT], _DOCUMENT)
        relations = located_xml.parse(parts.get(_RELATIONS, b"<none/>"), _RELATIONS)
    except CvbuildError:
        return None
    drawing, before = _first(root)
    sections = {one.plain for one in blocks if headings.exact_kind_of(one.plain)}
    if drawing is None or sections & before or not _is_upright(drawing):
        return None
    key = next((one.attributes.get("embed") for one in drawing.walk() if one.name == "blip"), None)
    for one in relations.all("Relationship"):
        target = one.attributes.get("Target", "")
        if key and one.attributes.get("Id") == key and _MEDIA.fullmatch(target):
            return _read(given, f"word/{target}")
    return None


def _first(root: Element) -> tuple[Element | None, set[str]]:
    """Return the first drawing with a picture, and the lines before it."""
    before: set[str] = set()
    for one in root.walk():
        if one.name == "p":
            before.add(" ".join("".join(_texts(one)).split()))
        if one.name == "drawing" and any(inner.name == "pic" for inner in one.walk()):
            return one, before
    return None, before


def _texts(paragraph: Element) -> Iterator[str]:
    for one in paragraph.walk():
        if one.name == "t":
            yield from (part for part in one.parts if isinstance(part, str))


def _is_upright(drawing: Element) -> bool:
    extent = next((one for one in drawing.walk() if one.name == "extent"), None)
    try:
        width, height = (int(extent.attributes[key]) for key in ("cx", "cy")) if extent else (0, 0)
    except (KeyError, ValueError):
        return False
    return 0 < width <= _WIDEST and _LEAST * width <= height <= _MOST * width


def _read(given: Given, name: str) -> bytes | None:
    try:
        return given.files.read(name)
    except CvbuildError:
        return None
