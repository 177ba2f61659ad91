"""Which author of a publication is the CV's person."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from cvbuild.inputs import person_names
from cvbuild.model.contact import Name
from cvbuild.model.parts import Author


def is_person(author: Author, names: frozenset[str]) -> bool:
    """Return whether an author is the person; ``names`` are those of the person in the list."""
    return author.me if author.me is not None else _key(author.name) in names


def of_person(authors: Iterable[Author], name: Name) -> frozenset[str]:
    """Return the names in a list of authors that are those of the person called ``name``.

    An author's ``me`` counts first; then the whole name and the forms that the person declared;
    then these without titles, then initials with the family name, if only one author matches.
    """
    others = list(authors)
    if any(other.me for other in others):
        return frozenset()
    keys = [_key(other.name) for other in others]
    declared = _declared(name)
    if not declared.isdisjoint(keys):
        return declared
    for forms in (frozenset(map(person_names.untitled, declared)), _initials(name)):
        answering = [key for key in keys if person_names.untitled(key) in forms]
        if answering:
            return frozenset(answering if len(answering) == 1 else ())
    return frozenset()


@lru_cache(maxsize=4096)
def _key(text: str) -> str:
    """Return a name without case, accents, full stops, hyphens and white space, to compare."""
    return " ".join(re.sub(r"[.\-‐‑'’]", " ", person_names.plain(text)).split())


def _declared(name: Name) -> frozenset[str]:
    forms = [name.display, name.native, name.short, *name.author]
    if name.given and name.family:
        forms += [f"{name.given} {name.family}", f"{name.family}, {name.given}"]
    return frozenset(_key(form) for form in forms if form)


def _initials(name: Name) -> frozenset[str]:
    """Return ``G. He``, ``G.-I. Yu`` and ``He, G.`` for a name of given and family parts."""
    given, family = name.given, name.family
    if not given or not family:
        given, _, family = person_names.untitled(_key(name.display)).rpartition(" ")
    given = person_names.TITLES.sub("", f"{_key(given)} ", count=1).strip()
    parts = re.split(r"[\s\-]+", given)
    if not parts or not parts[0] or not family:
        return frozenset()
    short, long = parts[0][0], " ".join(part[0] for part in parts if part)
    return frozenset(
        _key(form)
        for initials in (short, long)
        for form in (f"{initials} {family}", f"{family}, {initials}", f"{family} {initials}")
    )
