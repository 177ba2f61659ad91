"""The pages of everybody: who they are, and what they published, each publication once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from anyascii import anyascii

from cvbuild.model import language_tags
from cvbuild.model.locales.words import table
from cvbuild.outputs.html import style_sheet
from cvbuild.outputs.html.page import Page, Picture, direction, render
from cvbuild.outputs.html.style_sheet import StyleSheet
from cvbuild.outputs.site.facts import Author, Facts, Paper
from cvbuild.outputs.site.output import BESIDE, PEOPLE, PHOTO, PUBLICATIONS, beside


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a list of authors, and whose it is among the people of the site."""

    author: Author
    person: str | None


@dataclass(frozen=True, slots=True)
class Joined:
    """A publication with the people of the site who have it."""

    paper: Paper
    authors: tuple[Named, ...]
    people: tuple[str, ...]
    """Those of them who are in no list of names, such as under "et al."."""


@dataclass(frozen=True, slots=True)
class Year:
    """The publications of a year; None are those without one."""

    year: int | None
    papers: tuple[Joined, ...]


def by_year(people: Mapping[str, Facts]) -> tuple[Year, ...]:
    """Return everybody's publications, the newest year first, each once."""
    found = [_joined(group) for group in _groups(people)]
    found.sort(key=lambda one: (-(one.paper.year or 0), _letters(one.paper.title)))
    years = groupby(found, key=lambda one: one.paper.year)
    return tuple(Year(year, tuple(papers)) for year, papers in years)


_Own = tuple[str, Paper]


def _groups(people: Mapping[str, Facts]) -> list[list[_Own]]:
    """Return lists of the same publication, in the order of the people.

    Two are the same if they have the same DOI or, where not both have one, title and year.
    """
    groups: list[list[_Own]] = []
    by_key: dict[object, list[_Own]] = {}
    for name, facts in people.items():
        for paper in facts.papers:
            titled = (_letters(paper.title), paper.year)
            group = by_key.get(_doi(paper)) if paper.doi else None
            if group is None:
                near = by_key.get(titled)
                group = near if near and _agree(near, paper) else None
            if group is None:
                group = []
                groups.append(group)
            group.append((name, paper))
            by_key.setdefault(titled, group)
            if paper.doi:
                by_key.setdefault(_doi(paper), group)
    return groups


def _agree(group: Iterable[_Own], paper: Paper) -> bool:
    """Return whether no DOI in the group is another one than the paper's."""
    others = {_doi(one) for _, one in group if one.doi}
    return not paper.doi or others <= {_doi(paper)}


def _doi(paper: Paper) -> str:
    return f"doi:{(paper.doi or '').casefold()}"


def _letters(text: str) -> str:
    """Return the letters and digits of a text, without accents and case."""
    return re.sub(r"[\W_]+", "", anyascii(text).casefold())


def _joined(group: Sequence[_Own]) -> Joined:
    """Return the fullest of the same publications, with the people and the links of all."""
    paper = max(
        (one for _, one in group),
        key=lambda one: (bool(one.doi), len(one.authors), len(one.source)),
    )
    owners: dict[str, str] = {}
    places: dict[int, str] = {}
    for name, work in group:
        for place, author in enumerate(work.authors):
            if author.me:
                owners.setdefault(_letters(author.name), name)
                if len(work.authors) == len(paper.authors):
                    places.setdefault(place, name)
    named = tuple(
        Named(author, owners.get(_letters(author.name)) or places.get(place))
        for place, author in enumerate(paper.authors)
    )
    listed = {one.person for one in named}
    others = tuple(dict.fromkeys(name for name, _ in group if name not in listed))
    labels = {url: label for _, work in group for label, url in work.links}
    links = tuple((label, url) for url, label in labels.items())
    return Joined(replace(paper, links=links), named, others)


# -- the pages -----------------------------------------------------------------------------------


_HERE = Path(__file__).parent
#: The colour of links and lines.
ACCENT = "1F4E79"


@dataclass(frozen=True, slots=True)
class Site:
    """What a site is called, the language of its own words, and the other ones that it is in.

    ``languages`` are tags with the addresses of their pages, as links have them from the top.
    """

    title: str = ""
    language: str = "en"
    languages: tuple[tuple[str, str], ...] = ()

    @property
    def words(self) -> Mapping[str, str]:
        """The site's own words."""
        return table(self.language).words

    @property
    def others(self) -> Iterator[tuple[str, str, str]]:
        """The other languages: the tag, what it calls itself, and the address."""
        names = {tag: _own_name(tag) for tag, _ in self.languages}
        often = Counter(names.values())
        for tag, href in self.languages:
            name = names[tag]
            if tag != self.language:
                yield tag, f"{name} ({tag})" if often[name] > 1 else name, href


def _own_name(tag: str) -> str:
    """Return what a language calls itself; one without a table has another language's."""
    words = table(tag)
    same = words.language.partition("-")[0] == tag.partition("-")[0]
    return words.words["site-language"] if same else language_tags.own_name(tag)


@dataclass(frozen=True, slots=True)
class Group:
    """People below one heading, which has a language; without words they come first."""

    people: tuple[str, ...]
    heading: str = ""
    language: str = ""


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
    people: Mapping[str, Facts],
    photos: Mapping[str, bytes],
    site: Site,
    groups: Sequence[Group] = (),
) -> Mapping[str, bytes]:
    """Return the pages by file name, of people in this order; below headings in ``groups``."""
    years = by_year(people)
    cards = {name: _card(name, facts, photos.get(name)) for name, facts in people.items()}
    shown = [
        (group, [cards[name] for name in cards if name in group.people])
        for group in groups or [Group(tuple(people))]
    ]
    heading = site.words["site-people"]
    found = {PEOPLE: _page("people.html.j2", site, heading, groups=shown, years=years)}
    if years:
        names = {name: (facts.name, folder(name)) for name, facts in people.items()}
        found[PUBLICATIONS] = _page(
            "publications.html.j2", site, site.words["publication"], years=years, names=names
        )
    return found


def _page(template: str, site: Site, heading: str, **fields: object) -> bytes:
    light, dark = (
        style_sheet.written(style_sheet.palette(ACCENT, one))
        for one in (style_sheet.LIGHT, style_sheet.DARK)
    )
    own = (_HERE / "site.css").read_text(encoding="utf-8")
    sheet = StyleSheet(
        f"\n:root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{own}"
    )
    whole = f"{heading}, {site.title}" if site.title else heading
    # Words that the language lacks are English.
    frame = Page(table(site.language).language, whole, sheet, images="'self'")
    links = {"people": PEOPLE, "publications": PUBLICATIONS}
    return render(
        _HERE, template, frame, site=site, heading=heading, links=links, photo=PHOTO, **fields
    ).encode()


def _card(name: str, facts: Facts, photo: bytes | None) -> Card:
    files = tuple((text, f"{folder(name)}/{beside(name, one)}") for one, text in BESIDE.items())
    return Card(facts, folder(name), files, Picture(photo) if photo else None)
