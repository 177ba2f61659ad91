"""Which author of a publication is the CV's person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from cvbuild.inputs import person_names
from cvbuild.model.contact import Name
from cvbuild.model.parts import Author

_PARTICLES = frozenset(
    ("af", "al", "auf", "bin", "da", "das", "de", "dei", "del", "della", "den", "der", "di", "do",
     "dos", "du", "el", "la", "le", "ten", "ter", "van", "vom", "von", "y", "zu", "zum", "zur")
)  # fmt: skip
#: A particle after the given names: Example, L. van der
_AFTER = re.compile(
    rf"\A([^,]+), *([^,]+?) ((?:(?:{'|'.join(sorted(_PARTICLES))})(?: |$))+)$", re.IGNORECASE
)
#: Initials without full stops: Example AB.
_TOGETHER = re.compile(r"(?<![\w.])[^\W\d_a-z]{2,3}(?![\w.])")
#: Characters and words of a name that is taken to parts.
_LONG, _MOST = 200, 12
#: The words of the given names, and the letters of the family name.
_Parts = tuple[tuple[str, ...], str]


def is_person(author: Author, names: frozenset[str]) -> bool:
    """Return whether an author is the person; ``names`` are those of the person in the list."""
    return author.me if author.me is not None else _key(author.name) in names


def of_person(authors: Iterable[Author], name: Name) -> frozenset[str]:
    """Return the names in a list of authors that are those of the person called ``name``.

    An author's ``me`` counts first; then the whole name and the forms that the person declared;
    then these without titles; then family name with given names or initials, if only one author
    matches.
    """
    others = list(authors)
    if any(other.me for other in others):
        return frozenset()
    keys = [_key(other.name) for other in others]
    declared = frozenset(map(_key, _forms(name)))
    if not declared.isdisjoint(keys):
        return declared
    untitled = frozenset(map(person_names.untitled, declared))
    answering = [key for key in keys if person_names.untitled(key) in untitled]
    if not answering:
        parts = _parts(name)
        answering = [_key(other.name) for other in others if _fits(other.name, parts)]
    return frozenset(answering if len(answering) == 1 else ())


@lru_cache(maxsize=4096)
def _key(text: str) -> str:
    """Return a name without case, accents, full stops, hyphens and white space, to compare."""
    return " ".join(re.sub(r"[.\-‐‑'’]", " ", person_names.plain(text)).split())


def _forms(name: Name) -> Iterator[str]:
    both = name.given and name.family
    reversed_ = f"{name.family}, {name.given}" if both else None
    whole = f"{name.given} {name.family}" if both else None
    return filter(None, (name.display, name.native, name.short, *name.author, whole, reversed_))


@lru_cache(maxsize=64)
def _parts(name: Name) -> frozenset[_Parts]:
    """Return the given and family names that the forms of a name may have."""
    pairs = {(name.given, name.family)} if name.given and name.family else set()
    for form in (name.native, name.short, *name.author, *([] if pairs else [name.display])):
        family, comma, given = (form or "").partition(", ")
        if comma and not person_names.is_suffix(given):
            pairs.add((given, family))
        words = re.sub(r"(?i),? (?:jr|sr)\.?$", "", family[:_LONG]).split()[:_MOST]
        pairs |= {(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))}
    return frozenset(
        (given, "".join(family[at:]))
        for one, other in pairs
        for given in _readings(one)
        for family in _readings(other)
        for at in {0, next((n for n, word in enumerate(family) if word not in _PARTICLES), 0)}
        if not person_names.TITLES.fullmatch(f"{' '.join(given)} ")
    )


def _fits(author: str, parts: Iterable[_Parts]) -> bool:
    """Return whether an author may be the person: the family name, before or after the others."""
    author = _AFTER.sub(r"\3 \1, \2", author[:_LONG])
    return any(
        ("".join(words[at:]) == family and _agree(words[:at], given))
        or ("".join(words[:at]) == family and _agree(words[at:], given))
        for words in _readings(author)
        for at in range(1, len(words))
        for given, family in parts
    )


@lru_cache(maxsize=4096)
def _readings(text: str) -> frozenset[tuple[str, ...]]:
    """Return a name's words, with and without titles; initials that stand together, apart too."""
    apart = _TOGETHER.sub(lambda match: " ".join(match[0]), text)
    forms = {form for one in (text, apart) for form in person_names.spellings(one)}
    forms |= {person_names.bare(form) for form in forms}
    return frozenset(words for form in forms if 0 < len(words := (*form.split(),)) <= _MOST)


def _agree(these: Sequence[str], those: Sequence[str]) -> bool:
    """Return whether given names may be the same: the first ones, and those that both have."""
    if "".join(these) == "".join(those):
        return True
    shorter, longer = sorted((these, those), key=len)
    rest = iter(longer[1:])
    return _alike(these[0], those[0]) and all(
        any(_alike(word, other) for other in rest) for word in shorter[1:]
    )


def _alike(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])
