"""The pages of everybody: who they are, and what they published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from cvbuild.outputs.html import colours
from cvbuild.outputs.html.page import Page, Picture, direction, render
from cvbuild.outputs.html.style_sheet import StyleSheet
from cvbuild.outputs.site import papers
from cvbuild.outputs.site.facts import Facts
from cvbuild.outputs.site.output import BESIDE, PEOPLE, PHOTO, PUBLICATIONS, beside

_HERE = Path(__file__).parent
#: The colour of links and lines.
ACCENT = "1F4E79"
#: The language of the words that are the site's own.
_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Card:
    """A person on the list of people; ``page`` is the folder with their page, as links have it."""

    facts: Facts
    page: str
    files: tuple[tuple[str, str], ...]
    """Words and addresses of the links to their files."""
    photo: Picture | None = None

    @property
    def initials(self) -> str:
        """The first letters of the first and last word of the name."""
        words = ["".join(filter(str.isalpha, word)) for word in self.facts.name.split()]
        words = [word for word in words if word]
        return "".join(word[0] for word in dict.fromkeys((words[0], words[-1]))) if words else ""

    @property
    def direction(self) -> str:
        """Where the lines of the person's language run to."""
        return direction(self.facts.language)


def folder(person: str) -> str:
    """Return a person's folder of the site, as its pages link to it."""
    return f"people/{quote(person)}"


def pages(
    people: Mapping[str, Facts], photos: Mapping[str, bytes], title: str
) -> Mapping[str, bytes]:
    """Return the pages by the names of their files; ``people`` are in the order of the list."""
    years = papers.by_year(people)
    cards = [_card(name, facts, photos.get(name)) for name, facts in people.items()]
    found = {PEOPLE: _page("people.html.j2", title, "People", cards=cards, years=years)}
    if years:
        names = {name: (facts.name, folder(name)) for name, facts in people.items()}
        found[PUBLICATIONS] = _page(
            "publications.html.j2", title, "Publications", years=years, names=names
        )
    return found


def _page(template: str, title: str, heading: str, **fields: object) -> bytes:
    light, dark = (colours.palette(ACCENT, one) for one in (colours.LIGHT, colours.DARK))
    own = (_HERE / "site.css").read_text(encoding="utf-8")
    sheet = StyleSheet(
        f"\n:root {{ {_written(light)} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_written(dark)} }} }}\n{own}"
    )
    whole = f"{heading}, {title}" if title else heading
    frame = Page(_LANGUAGE, whole, sheet, images="'self'")
    links = {"site": title, "people": PEOPLE, "publications": PUBLICATIONS}
    return render(
        _HERE, template, frame, heading=heading, links=links, photo=PHOTO, **fields
    ).encode()


def _written(palette: Mapping[str, str]) -> str:
    return "; ".join(f"--{name}: {colour}" for name, colour in palette.items())


def _card(name: str, facts: Facts, photo: bytes | None) -> Card:
    files = tuple((text, f"{folder(name)}/{beside(name, one)}") for one, text in BESIDE.items())
    return Card(facts, folder(name), files, Picture(photo) if photo else None)
