"""Whether two items of plain data tell of the same thing, whoever wrote them.

They do if they have the same DOI or arXiv id, else the same main texts and, where both have a date,
a year in common. Works of one title are still two if they are of other authors or of another type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import person_names
from cvbuild.inputs.references import texts
from cvbuild.model.dates import Date

#: The texts that tell items of a kind apart; of other kinds it is the first of ``_MAIN``.
TELLING = {
    "experience": ("employer", "title"),
    "volunteer": ("organization", "title", "role"),
    "education": ("institution", "degree", "area"),
}
_MAIN = ("title", "name", "text", "role", "organization", "language", "label")
#: "M.Sc. in Physics" is a degree "M.Sc." with the area "Physics".
_BETWEEN = re.compile(r"\s(?:in|im|en)\s", re.IGNORECASE)
#: What a company is by law, as the last words of its name: one source has them, another hasn't.
_LEGAL_FORMS = frozenset((
    "ab", "ag", "aps", "as", "asa", "bv", "co", "corp", "corporation", "doo", "ev", "gmbh", "ggmbh",
    "inc", "kft", "kg", "kgaa", "kk", "limited", "llc", "llp", "ltd", "nv", "ohg", "oy", "oyj",
    "plc", "pte", "pty", "sa", "sarl", "sas", "se", "sl", "spa", "spzoo", "srl", "sro", "ug",
))  # fmt: skip
_LETTERS = re.compile(r"[\W_]+")
#: A work that isn't a paper, by its note.
_TYPE = re.compile("thesis|dataset|software")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def is_same(kind: str, one: Any, other: Any) -> bool:
    """Return whether two items tell of the same thing."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        mains = [folded(_main(kind, item)) for item in (one, other)]
        return mains[0] == mains[1] != ""
    for key in ("doi", "arxiv"):
        ids = [_identifier(first(item.get(key))) for item in (one, other)]
        if all(ids):
            if ids[0] == ids[1]:
                return True
            if key == "doi":
                return False
    mains = [folded(_main(kind, item)) for item in (one, other)]
    years = [set(_YEAR.findall(" ".join(texts_of(item.get("date"))))) for item in (one, other)]
    is_one = mains[0] == mains[1] != "" and (not all(years) or bool(years[0] & years[1]))
    return is_one and have_same_author(one, other) and _have_same_type(one, other)


def have_same_author(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two works may have one first author; of names in two scripts nobody knows."""
    names = [first(work.get("authors")).rstrip("*†‡§¶") for work in (one, other)]
    are_comparable = all(re.search("[a-z]", texts.unaccented(name)) for name in names)
    return not are_comparable or person_names.agree(*names)


def _have_same_type(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    types = [
        "paper" if work.keys() & {"volume", "issue", "pages", "book"} else found and found[0]
        for work in (one, other)
        for found in [_TYPE.search(first(work.get("note")).casefold())]
    ]
    return not all(types) or types[0] == types[1]


def is_same_post(kind: str, one: Any, other: Any) -> bool:
    """Return whether two posts are one at the same place and of the same months.

    The title of one of them has all words of the other's: "Engineer", "Senior engineer".
    """
    names = TELLING.get(kind)
    if names is None or not isinstance(one, dict) or not isinstance(other, dict):
        return False
    place, *titles = names
    posts = [
        (
            folded(without_legal_form(first(post.get(place)))),
            {folded(word) for name in titles for word in first(post.get(name)).split()},
        )
        for post in (one, other)
    ]
    (here, words), (there, others) = posts
    return (
        here == there != ""
        and bool(words and others)
        and (words <= others or others <= words)
        and is_same_month(one.get("date"), other.get("date"))
    )


def is_alike(one: str, other: str) -> bool:
    """Return whether two texts have most of their words in common: one may be the other reworded.

    At least three of five words of the shorter one are in the other.
    """
    words = [{folded(word) for word in text.split()} - {""} for text in (one, other)]
    fewest = min(map(len, words))
    return fewest > 0 and len(words[0] & words[1]) >= fewest * 0.6


def is_same_month(one: object, other: object) -> bool:
    """Return whether two values of ``date`` are one, whatever days they have."""
    try:
        return _without_days(Date.of(one)) == _without_days(Date.of(other))
    except PydanticCustomError:
        return False


def _without_days(date: Date) -> Date:
    start, end = (point and replace(point, day=None) for point in (date.start, date.end))
    return replace(date, start=start, end=end)


def _main(kind: str, item: Any) -> str:
    """Return the text that tells an item apart."""
    if not isinstance(item, dict):
        return str(item)
    names = TELLING.get(kind)
    if names:
        roles = item.get("roles")
        parts = roles if isinstance(roles, list) else []
        more = [first(one.get("title")) for one in parts if isinstance(one, dict)]
        where, *what = (first(item.get(name)) for name in names)
        text = " ".join([without_legal_form(where), *what, *more])
        return _BETWEEN.sub(" ", text) if kind == "education" else text
    return next((first(item[name]) for name in _MAIN if item.get(name)), "")


def _identifier(text: str) -> str:
    return re.sub(r"^(https?://)?(dx\.)?(doi\.org/|arxiv\.org/abs/|arxiv:|doi:)", "", text.lower())


def without_legal_form(name: str) -> str:
    """Return a company's name without what it is by law: "Example Cloud" for "… Cloud Ltd."."""
    words = name.split()
    while size := next((size for size in (3, 2, 1) if _ends_in_form(words, size)), 0):
        words = words[:-size]
    return " ".join(words)


def _ends_in_form(words: Sequence[str], size: int) -> bool:
    """Return whether the last words are a legal form, or the sign before one; "s. r. o." has 3."""
    last = folded("".join(words[-size:]))
    return len(words) > size and (last in _LEGAL_FORMS or (size == 1 and not last))


def items_in(section: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    """Yield the items of a section of a file, then those of its groups, each with its path."""
    groups = section.get("groups")
    holders = [(path, section)]
    for at, group in enumerate(groups if isinstance(groups, list) else ()):
        holders.append(((*path, "groups", at), group))
    for place, holder in holders:
        items = holder.get("items") if isinstance(holder, Mapping) else None
        for at, item in enumerate(items if isinstance(items, list) else ()):
            yield (*place, "items", at), item


def first(value: Any) -> str:
    """Return the first text in a value; empty if it has none."""
    return next(texts_of(value), "")


def folded(text: str) -> str:
    """Return the letters and digits of a text, without case, accents and Markdown."""
    return _LETTERS.sub("", texts.unaccented(re.sub(r"\]\([^)]*\)", "", text)))


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts in a value."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)
    elif value is not None:
        yield str(value)
