"""What both formats of Europass share: descriptions, places, names of countries and languages."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from cvbuild.importers.draft import Draft
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.words import descriptions
from cvbuild.inputs.references import texts
from cvbuild.model import cldr
from cvbuild.model.locales import words

#: Characters of what is a skill and no sentence.
_SHORT = 60
#: A code of NACE or ISCED, by itself or at the end of an address.
_CODE = re.compile(r"(?:\S+[/:])?(?:[A-U]|[A-U]?\d{2,4}|[A-U]?\d{1,2}(?:\.\d{1,2}){1,2})")
#: How a language of one's own is called.
_NATIVE = {
    "bg": "майчин език", "cs": "mateřský jazyk", "da": "modersmål", "de": "Muttersprache",
    "el": "μητρική γλώσσα", "es": "lengua materna", "et": "emakeel", "fi": "äidinkieli",
    "fr": "langue maternelle", "hu": "anyanyelv", "it": "madrelingua", "lt": "gimtoji kalba",
    "lv": "dzimtā valoda", "nl": "moedertaal", "pl": "język ojczysty", "pt": "língua materna",
    "ro": "limba maternă", "sk": "materinský jazyk", "sv": "modersmål",
}  # fmt: skip
#: The parts of knowing a language, by their names in both formats.
_DIMENSIONS = {
    "Listening": "listening", "Reading": "reading", "SpokenInteraction": "spoken interaction",
    "SpokenProduction": "spoken production", "Writing": "writing",
}  # fmt: skip


def put_language(draft: Draft, tag: str) -> None:
    """Set the person's locale, if cvbuild knows that language and it isn't English."""
    found = cldr.locale(tag.strip().replace("_", "-"))
    if found and found.language != "en" and words.language_of(found.language):
        draft.put("locale", found.id.replace("_", "-"))


def native(draft: Draft) -> str:
    """Return the level of a language of one's own, in the language of the CV."""
    return _NATIVE.get(str(draft.data.get("locale", "en")).partition("-")[0], "mother tongue")


def level(levels: dict[str, str]) -> str:
    """Return how well a language is known: one level if all parts have the same."""
    told = {name: found.upper() for name, found in levels.items() if found}
    if len(set(told.values())) == 1 and len(told) > 1:
        return next(iter(told.values()))
    return ", ".join(f"{_DIMENSIONS.get(name, name.lower())} {one}" for name, one in told.items())


def describe(
    draft: Draft, item: dict[str, Any], kind: str, element: Element | None, *path: str
) -> None:
    """Put the text at a path, with its paragraphs and points, into an item."""
    found = element.first(*path) if element else None
    if element and found:
        for value in descriptions.describe(item, kind, element.raw(*path)):
            draft.lose(found.name, value, found.place, item)


def inline(element: Element | None, *path: str) -> str:
    """Return the text at a path as Markdown on one line; empty if absent."""
    return descriptions.inline(element.raw(*path)) if element else ""


def words_or_code(element: Element | None) -> tuple[str, str]:
    """Return what an element says as words, or as a code of a classification: ``M``, ``0311``."""
    text = element.text() if element else ""
    if _CODE.fullmatch(text):
        return "", text
    has_parts = element is not None and any(one.name[:1].isupper() for one in element.children)
    return (texts.plain(text) if has_parts else inline(element)), ""


def add_skills(draft: Draft, element: Element, name: str, text: str) -> None:
    """Add skills under a name: a list of words as keywords, sentences as an entry."""
    found = descriptions.read(text)
    if not found.blocks:
        return
    if all(len(one) <= _SHORT and not one.endswith(".") for one in found.paragraphs):
        made = draft.add("skill", {"name": name, "keywords": found.paragraphs}, element.place)
    else:
        item: dict[str, Any] = {"title": name}
        descriptions.put(item, "entry", found)
        made = draft.add("entry", item, element.place, "Personal skills")
    element.item = made
    for value in found.lost:
        draft.lose(element.name, value, element.place, made)


def number(channel: Element) -> str:
    """Return a phone number with the code of its country."""
    dialling = channel.text("CountryDialing").lstrip("+0")
    own = " ".join(filter(None, (channel.text("AreaDialing"), channel.text("DialNumber"))))
    if dialling:
        channel.text("CountryCode")
    return f"+{dialling} {own}" if dialling and own else own


def address(street: str, code: str, town: str, country: str) -> str:
    """Return an address on one line."""
    place = " ".join(filter(None, (code, town)))
    return ", ".join(filter(None, (street, place, country)))


def country(code: str) -> str:
    """Return the English name of a country by its code of two or three letters, else the code."""
    key = code.strip().rpartition("/")[2].upper()
    key = {"EL": "GR"}.get(key, cldr.data()["aliases"]["territory"].get(key, key))
    return _countries().get(key, code.strip())


def language(code: str) -> str:
    """Return the English name of a language by its code, else what is given."""
    found = cldr.locale(code.strip().rpartition("/")[2].lower())
    return found.name.partition(" (")[0] if found and found.name else code.strip()


@cache
def _countries() -> dict[str, str]:
    """Return the names of countries, which are in those of locales: Romanian (Romania)."""
    found: dict[str, str] = {}
    for key, (name, _, _) in cldr.data()["locales"].items():
        inside = name.partition(" (")[2].rpartition(")")[0]
        territory = key.rpartition("_")[2]
        if inside and len(territory) == 2 and territory.isupper():
            found.setdefault(territory, inside.rpartition(", ")[2] or inside)
    return found
