"""``--format site``: one person's part of ``cvbuild site``, a folder with page, facts and photo."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from anyascii import anyascii
from msgspec import Struct

from cvbuild.common.errors import DocumentError
from cvbuild.model import language_tags
from cvbuild.model.locales import table
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs import html as html_output
from cvbuild.outputs.html import style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture, render
from cvbuild.outputs.html.style_sheet import StyleSheet
from cvbuild.outputs.types import Made, Output, Shown

PAGE, FACTS, PHOTO = "index.html", "facts.json", "photo.jpg"
#: Longest side of the photo in pixels: a card shows half of it.
_SIDE = 320


@dataclass(frozen=True, slots=True)
class Facts:
    """What the index shows of a person: nothing but what the public document shows."""

    name: str
    native: str
    headline: str
    language: str
    sort: str
    """What people are sorted by: the family name, then the others, without accents."""


class Format(Output):
    """The page of a person with its links, and what the index shows."""

    name = "site"
    suffix = ".site"
    has_look = True

    def make(self, shown: Shown) -> Made:
        """Return page, facts and photo; raise DocumentError for what a site can't show."""
        task, view = shown.task, shown.view
        if task.private:
            fact = f"the document {task.name}, which is private, can't be on a site"
            hint = "name a public template: -t TEMPLATE"
            raise DocumentError.because("site", fact, hint, task.source.span(()))
        words = table(view.language)
        code = "" if words.language.partition("-")[0] == view.language.partition("-")[0] else "en"
        links = [
            Link(words.words["site-people"], f"../../{PAGE}", code),
            Link("PDF", quote(f"{task.person.name}.pdf")),
        ]
        page = html_output.html(shown, links)
        expected = tuple(checks.contents(view))
        figures = checks.require(html_output.text_of(page), expected, task.source)
        facts = json.dumps(asdict(_facts(shown)), ensure_ascii=False, indent=1)
        return Made({PAGE: page.encode(), FACTS: facts.encode(), **dict(_photo(shown))}, figures)

    def text_of(self, content: Mapping[str, bytes]) -> str:
        """Return all that the page and the facts say."""
        page = html_output.all_of(content[PAGE].decode())
        return f"{page}\n{text_folding.in_json(content[FACTS].decode())}"


def _facts(shown: Shown) -> Facts:
    header, name = shown.view.header, shown.profile.name
    sort = f"{name.family or name.display.rpartition(' ')[2]} {name.display}"
    texts = str(header.name), str(header.native or ""), str(header.headline or "")
    return Facts(*texts, shown.view.language, anyascii(sort).casefold())


def _photo(shown: Shown) -> Iterator[tuple[str, bytes]]:
    """Yield a small photo, if the document shows one."""
    import PIL.Image

    if shown.photo is None:
        return
    with PIL.Image.open(io.BytesIO(shown.photo), formats=("JPEG",)) as picture:
        picture.thumbnail((_SIDE, _SIDE))
        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=85, optimize=True)
    yield PHOTO, stream.getvalue()


# -- the page of all people, with links to the page and the PDF of each ----------------------------


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
