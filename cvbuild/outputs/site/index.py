"""The page of all people of a site, with links to the page and the PDF of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from cvbuild.model import language_tags
from cvbuild.model.locales.words import table
from cvbuild.outputs.html import style_sheet
from cvbuild.outputs.html.page import Page, Picture, render
from cvbuild.outputs.html.style_sheet import StyleSheet
from cvbuild.outputs.site.output import PHOTO, Facts

_HERE = Path(__file__).parent
#: The colour of links and lines.
_ACCENT = "1F4E79"


class Card(Struct, frozen=True):
    """A person on the page; ``name`` is that of the folder."""

    name: str
    facts: Facts
    photo: Picture | None

    @property
    def folder(self) -> str:
        """The person's folder of the site, as the page links to it."""
        return f"people/{quote(self.name)}"

    @property
    def initials(self) -> str:
        """The first letters of the first and last word of the name."""
        letters = [word[0] for word in self.facts.name.split() if word[0].isalpha()]
        return "".join(dict.fromkeys((*letters[:1], *letters[-1:])))


class Group(NamedTuple):
    """People below one heading, which has a language; without words they come first."""

    people: list[Card]
    heading: str = ""
    language: str = ""


def page(title: str, language: str, places: dict[str, str], groups: Sequence[Group]) -> bytes:
    """Return the page in a language; ``places`` are the addresses of those in each."""
    words = table(language)
    others = [(tag, _own_name(tag), href) for tag, href in places.items() if tag != language]
    light, dark = (
        style_sheet.written(style_sheet.palette(_ACCENT, kind))
        for kind in (style_sheet.LIGHT, style_sheet.DARK)
    )
    sheet = StyleSheet(
        f"\n:root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"{_HERE.joinpath('site.css').read_text(encoding='utf-8')}"
    )
    heading = words.words["site-people"]
    whole = f"{heading}, {title}" if title else heading
    # Words that the language lacks are English.
    frame = Page(words.language, whole, sheet, images="'self'")
    fields = {"title": title, "heading": heading, "others": others, "groups": groups}
    return render(_HERE, "people.html.j2", frame, photo=PHOTO, **fields).encode()


def _own_name(tag: str) -> str:
    """Return what a language calls itself; one without a table has another language's."""
    words = table(tag)
    same = words.language.partition("-")[0] == tag.partition("-")[0]
    return words.words["site-language"] if same else language_tags.own_name(tag)
