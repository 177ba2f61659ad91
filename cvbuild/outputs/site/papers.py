"""Everybody's publications as one list: the same one is joined, whoever has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from anyascii import anyascii

from cvbuild.outputs.site.facts import Author, Facts, Paper


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
    paper = max((one for _, one in group), key=_fullness)
    owners: dict[str, str] = {}
    places: dict[int, str] = {}
    for name, one in group:
        for place, author in enumerate(one.authors):
            if author.me:
                owners.setdefault(_letters(author.name), name)
                if len(one.authors) == len(paper.authors):
                    places.setdefault(place, name)
    named = tuple(
        Named(author, owners.get(_letters(author.name)) or places.get(place))
        for place, author in enumerate(paper.authors)
    )
    listed = {one.person for one in named}
    others = tuple(dict.fromkeys(name for name, _ in group if name not in listed))
    links = tuple(dict(_links(one for _, one in group)).items())
    shown = tuple((label, url) for url, label in links)
    return Joined(replace(paper, links=shown), named, others)


def _fullness(paper: Paper) -> tuple[bool, int, int]:
    return bool(paper.doi), len(paper.authors), len(paper.source)


def _links(papers: Iterable[Paper]) -> Iterator[tuple[str, str]]:
    """Yield addresses with their labels."""
    for paper in papers:
        yield from ((url, label) for label, url in paper.links)
