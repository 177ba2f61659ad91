"""Who a name is of, and whether two items tell of the same thing, however they are written.

Names are found without case and accents. Two items are one if they have the same DOI or arXiv id,
else the same main texts and, where both have a date, a year in common. Works of one title are still
two if they are of other authors or of another type.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.contact import Name
from cvbuild.model.locales.dates import Date
from cvbuild.model.sections import Author
from cvbuild.model.text import texts

#: Latin letters that Unicode doesn't decompose, and marks that are written without.
_LATIN = str.maketrans(
    {
        "æ": "ae", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ŋ": "ng", "ø": "o",
        "œ": "oe", "þ": "th", "ŧ": "t", "ə": "e", "ɓ": "b", "ɗ": "d", "ɖ": "d", "ɛ": "e",
        "ƒ": "f", "ɣ": "g", "ƙ": "k", "ɔ": "o", "ŀ": "l", "ƴ": "y", "ʋ": "v", "ĸ": "k",
        "ʻ": "", "ʼ": "", "ʾ": "", "ʿ": "", "ʹ": "",
    }
)  # fmt: skip
#: How these are written where there are no such letters: Mueller, Soerensen, Aarhus.
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
#: Titles before a name and after it.
_TITLES = re.compile(
    r"(?:(?:dr|doctor|prof|professor|mr|mrs|ms|mx|sir|dame|dipl|ing|habil|rer nat|h c) )+"
)
_SUFFIXES = re.compile(
    r"(?:[ ,]+(?:ph ?d|m ?d|d ?phil|sc ?d|[bm] ?sc|[bm] ?a|[bm] ?eng|mba|jr|sr|ii|iii|iv|esq))+$"
)
#: What is between white space and punctuation; marks of Indic scripts are a part of it.
_WORD = re.compile(r"[^\s.,;:/&_()\"“”„«»\-‐‑–]+")
#: Letters of a word that may be initials without full stops: Smith AB.
_INITIALS = 3


def plain_name(text: str) -> str:
    """Return a text in small letters without accents; Latin letters are those of ASCII."""
    parts = unicodedata.normalize("NFKD", text.casefold()).translate(_LATIN)
    kept = "".join(char for char in parts if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", kept)


@lru_cache(maxsize=4096)
def spellings(text: str) -> frozenset[str]:
    """Return the words of a text without accents, and with two letters for one: muller, mueller."""
    composed = unicodedata.normalize("NFC", text.casefold())
    forms = (plain_name(text), plain_name(composed.translate(_DIGRAPHS)))
    return frozenset(" ".join(_words(form)) for form in forms)


def untitled_name(key: str) -> str:
    """Return a name in small letters without its titles; the same if one word would be left."""
    rest = bare_name(key)
    return rest if " " in rest else key


def bare_name(key: str) -> str:
    """Return what is left of a name in small letters without its titles."""
    return _SUFFIXES.sub("", _TITLES.sub("", f"{key} ", count=1).rstrip())


@lru_cache(maxsize=4096)
def agree(one: str, other: str) -> bool:
    """Return whether two names may be one person's.

    Each word of the shorter one is in the other, in any order; an initial stands for a word.
    """
    return any(
        _contains(*sorted((these, those), key=len, reverse=True))
        for these in _readings(one)
        for those in _readings(other)
    )


def has_family(name: str, known: str) -> bool:
    """Return whether the family name of a known one stands in a name, not just its initial.

    It is what comes last, or before a comma: Z. Wei isn't Wei Zhang.
    """
    before = known.partition(",")[0]
    (last,) = before.split()[-1:] or [""]
    family = _readings(before)[0][-max(1, len(_words(last))) :]
    there = {spelling for word in _readings(name)[0] for spelling in spellings(word)}
    return all(not there.isdisjoint(spellings(word)) for word in family)


def _words(text: str) -> list[str]:
    return _WORD.findall(re.sub("['’]", "", text))


def _readings(name: str) -> list[list[str]]:
    """Return the words of a name without titles; once more with initials that stand together."""
    words = untitled_name(" ".join(_words(name.casefold()))).split()
    capitals = {word.casefold() for word in _words(name) if word.isupper()}
    is_short = {word for word in capitals if 1 < len(word) <= _INITIALS}
    if not is_short or len(capitals) == len(words):
        return [words]
    return [words, [part for word in words for part in (word if word in is_short else [word])]]


def _contains(longer: Iterable[str], shorter: list[str]) -> bool:
    left = [spellings(word) for word in longer]
    sought = [spellings(word) for word in shorter]
    if {"".join(map(min, left))} == {"".join(map(min, sought))}:
        return True
    whole = 0
    # Whole words first: an initial may stand for any that is left then.
    for word in sorted(sought, key=lambda forms: -len(min(forms))):
        same = next((one for one in left if one & word), None)
        whole += same is not None and len(min(word)) > 1
        if same is None:
            pairs = ((one, this, that) for one in left for this in one for that in word)
            initials = (
                one for one, *two in pairs if min(map(len, two)) == 1 and two[0][0] == two[1][0]
            )
            same = next(initials, None)
        if same is None:
            return False
        left.remove(same)
    return whole > 0


def slug(name: str) -> str:
    """Return the stem of a person's file: lower case, letters and digits joined by hyphens.

    Latin letters are those of ASCII, without accents: ü is u, since only German writes it ue.
    Letters of other scripts stay. Empty if nothing is left.
    """
    return re.sub(r"[\W_]+", "-", plain_name(name)).strip("-")[:80].strip("-")


def name_forms(name: object) -> list[str]:
    """Return all forms of a written name, those among authors too; the usual one comes first."""
    try:
        whole = Name.model_validate(name)
    except ValidationError:
        return []
    forms = (*whole.displays, whole.native, whole.short, *whole.author)
    return [*dict.fromkeys(filter(None, forms))]


# -- whether two items of plain data tell of the same thing ----------------------------------------

#: The texts that tell items of a kind apart; of other kinds it is the first of ``_MAIN``.
TELLING = {
    "experience": ("employer", "title"),
    "volunteer": ("organization", "title", "role"),
    "education": ("institution", "degree", "area"),
}
_MAIN = ("title", "name", "text", "role", "organization", "language", "label")
#: "M.Sc. in Physics" is a degree "M.Sc." with the area "Physics".
_BETWEEN = re.compile(r"\s(?:in|im|en)\s", re.IGNORECASE)
_LETTERS = re.compile(r"[\W_]+")
#: A work that isn't a paper, by its note.
_TYPE = re.compile("thesis|dataset|software")
_RESOLVER = re.compile(r"^(https?://)?(dx\.)?(doi\.org/|arxiv\.org/abs/|arxiv:|doi:)")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def is_same_item(kind: str, one: Any, other: Any) -> bool:
    """Return whether two items tell of the same thing."""
    mains = [folded(_main(kind, item)) for item in (one, other)]
    if not isinstance(one, dict) or not isinstance(other, dict):
        return mains[0] == mains[1] != ""
    for key in ("doi", "arxiv"):
        ids = [_RESOLVER.sub("", first_text(item.get(key)).lower()) for item in (one, other)]
        if all(ids):
            if ids[0] == ids[1]:
                return True
            if key == "doi":
                return False
    years = [set(_YEAR.findall(" ".join(texts_of(item.get("date"))))) for item in (one, other)]
    is_one = mains[0] == mains[1] != "" and (not all(years) or bool(years[0] & years[1]))
    types = [
        "paper" if work.keys() & {"volume", "issue", "pages", "book"} else found and found[0]
        for work in (one, other)
        for found in [_TYPE.search(first_text(work.get("note")).casefold())]
    ]
    return is_one and have_same_author(one, other) and (not all(types) or types[0] == types[1])


def have_same_author(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two works may have one first author; of names in two scripts nobody knows."""
    names = [first_text(work.get("authors")).rstrip("*†‡§¶") for work in (one, other)]
    are_comparable = all(re.search("[a-z]", texts.unaccented(name)) for name in names)
    return not are_comparable or agree(*names)


def is_same_post(kind: str, one: Any, other: Any) -> bool:
    """Return whether two posts are one: same place and months, one title within the other."""
    names = TELLING.get(kind)
    if names is None or not isinstance(one, dict) or not isinstance(other, dict):
        return False
    words, others = (
        {folded(word) for name in names[1:] for word in first_text(post.get(name)).split()}
        for post in (one, other)
    )
    # A name may go on, as "Example Cloud Ltd." does.
    places = [first_text(post.get(names[0])) for post in (one, other)]
    first, second = map(folded, places)
    begins = [[*accumulate(map(folded, name.split()))] for name in places]
    return (
        bool(first and second and (first in begins[1] or second in begins[0]))
        and bool(words and others)
        and (words <= others or others <= words)
        and is_same_month(one.get("date"), other.get("date"))
    )


def is_alike(one: str, other: str) -> bool:
    """Return whether three of five words of the shorter text are in the other: one is reworded."""
    words = [{folded(word) for word in text.split()} - {""} for text in (one, other)]
    fewest = min(map(len, words))
    return fewest > 0 and len(words[0] & words[1]) >= fewest * 0.6


def is_same_month(one: object, other: object) -> bool:
    """Return whether two values of ``date`` are one, whatever days they have."""
    try:
        dates = [Date.of(one), Date.of(other)]
    except PydanticCustomError:
        return False
    for at, date in enumerate(dates):
        start, end = (point and replace(point, day=None) for point in (date.start, date.end))
        dates[at] = replace(date, start=start, end=end)
    return dates[0] == dates[1]


def _main(kind: str, item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    names = TELLING.get(kind)
    if names:
        roles = item.get("roles")
        parts = roles if isinstance(roles, list) else []
        more = [first_text(one.get("title")) for one in parts if isinstance(one, dict)]
        text = " ".join([*(first_text(item.get(name)) for name in names), *more])
        return _BETWEEN.sub(" ", text) if kind == "education" else text
    return next((first_text(item[name]) for name in _MAIN if item.get(name)), "")


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


def first_text(value: Any) -> str:
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


# -- which author of a publication is the person ---------------------------------------------------


#: Characters of a name that is compared.
_LONG = 200


def persons(authors: Iterable[Author], name: Name) -> list[bool]:
    """Return of each author in a list whether it is the person called ``name``.

    An author's ``me`` counts first; then the whole name and the forms that the person declared;
    then these without titles; then names that agree with one of them, if only one author's does.
    """
    others = list(authors)
    if any(other.me for other in others):
        return [bool(other.me) for other in others]
    keys = [_key(other.name) for other in others]
    spellings = (name.display, name.native, name.short, *name.author)
    forms = [spelling for spelling in spellings if spelling]
    if name.given and name.family:
        forms += [f"{name.given} {name.family}", f"{name.family}, {name.given}"]
    mine = {*map(_key, forms)}
    if mine.isdisjoint(keys):
        untitled = {*map(untitled_name, mine)}
        answering = [key for key in keys if untitled_name(key) in untitled]
        if not answering:
            whole = [form for form in forms if " " in bare_name(_key(form))]
            answering = [
                key
                for other, key in zip(others, keys, strict=True)
                if " " in bare_name(key)
                and any(
                    agree(other.name[:_LONG], form) and has_family(other.name, form)
                    for form in whole
                )
            ]
        mine = {*answering} if len(answering) == 1 else set()
    known = zip(others, keys, strict=True)
    return [key in mine if other.me is None else other.me for other, key in known]


@lru_cache(maxsize=4096)
def _key(text: str) -> str:
    """Return a name without case, accents, full stops, hyphens and white space, to compare."""
    return " ".join(re.sub(r"[.\-‐‑'’]", " ", plain_name(text)).split())
