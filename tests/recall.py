"""How much of the facts of a CV comes back from a document that shows them: by field and by word.

A field counts if its value is under the right key of an item of the right section's kind. Facts
that the document doesn't print aren't asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cvbuild.importers.documents import dates
from cvbuild.importers.words import foreign_dates, headings
from cvbuild.inputs.references.same_items import texts_of
from cvbuild.model.dates import Date

#: What the kinds call a title and an organization, and texts of items.
_TITLE = ("title", "degree", "name", "course", "role")
_ORGANIZATION = ("employer", "institution", "organization", "awarder", "issuer", "funder", "event")
_TEXTS = ("summary", "bullets", "text", "note")
#: Kinds whose items are lists of words.
_LISTS = ("skill", "language", "keywords")
#: Networks that a user name alone is an address in.
_SITES = {
    "github": "github.com", "linkedin": "linkedin.com/in", "orcid": "orcid.org",
    "google-scholar": "scholar.google.com/citations?user",
}  # fmt: skip

#: The values of a field by its name: what was meant, or what came.
Facts = dict[str, list[str]]


def words(text: str) -> list[str]:
    """The words of a text without accents, marks and addresses of links."""
    plain = re.sub(r"\]\([^()]*\)|[*`\\]", " ", text)
    plain = unicodedata.normalize("NFKD", plain).casefold()
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    return [word.removesuffix("s") for word in re.findall(r"\w+", plain)]


def fields_of(person: Mapping[str, Any]) -> Facts:
    """The values of each field of a person's file."""
    contact = person.get("contact", {})
    name = person.get("name", "")
    found: Facts = {
        "name": [name if isinstance(name, str) else " ".join(texts_of(name))],
        "email": list(texts_of(contact.get("email"))),
        "phone": [one for one in texts_of(contact.get("phone")) if re.search(r"\d{4}", one)],
        "links": [_bare(one) for one in texts_of(contact.get("website"))],
    }
    found["links"] += [_bare(one) for link in contact.get("links", ()) for one in texts_of(link)]
    for key, value in contact.get("profiles", {}).items():
        found["links"] += [
            _bare(one if "/" in one else f"{_SITES.get(key, key)}/{one}") for one in texts_of(value)
        ]
    found["text"] = list(texts_of(person.get("summary")))
    for section in person.get("sections", ()):
        found.setdefault("section", []).append(f"{section['kind']}|{section.get('title') or ''}")
        groups = [section, *section.get("groups", ())]
        for item in (one for group in groups for one in _list(group.get("items"))):
            _add_item(found, section["kind"], item)
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _add_item(found: Facts, kind: str, item: Any) -> None:
    if kind in _LISTS or not isinstance(item, Mapping):
        what = "skill" if kind in _LISTS else "text"
        found.setdefault(what, []).extend(texts_of(item))
        return
    title = "publication" if kind in ("publication", "patent") else "title"
    both = {title: _TITLE, "organization": _ORGANIZATION} if title == "title" else {title: _TITLE}
    for what, keys in both.items():
        values = [str(item[key]) for key in keys if item.get(key)]
        if what == "title" and item.get("area"):
            values = [" ".join([*values, item["area"]])]
        found.setdefault(what, []).extend(values[:1])
    found.setdefault("date", []).extend(texts_of(item.get("date")))
    found.setdefault("location", []).extend(texts_of(item.get("location")))
    for key in _TEXTS:
        found.setdefault("text", []).extend(texts_of(item.get(key)))


def _bare(address: str) -> str:
    return re.sub(r"^(?:mailto:)?(?:https?://)?(?:www\.)?|/+$", "", address.strip().casefold())


def _point(value: Any) -> tuple[int, int] | None:
    return (value.year, getattr(value, "month", None) or 0) if hasattr(value, "year") else None


def _span(text: str) -> tuple[Any, Any]:
    try:
        date = Date.of(dates.normal(text))
    except ValueError:
        return text, None
    return _point(getattr(date, "start", None)), _point(getattr(date, "end", None))


def agree(field: str, one: str, other: str) -> bool:
    """Whether two values are the same: dates to the month that both have, texts by their words."""
    if field == "date":
        return all(
            a == b or (a and b and a[0] == b[0] and 0 in (a[1], b[1]))
            for a, b in zip(_span(one), _span(other), strict=True)
        )
    if field == "phone":
        return re.sub(r"\D", "", one)[-8:] == re.sub(r"\D", "", other)[-8:]
    if field in ("email", "links"):
        return _bare(one) == _bare(other)
    if field == "section":
        return one.partition("|")[0] == other.partition("|")[0]
    left, right = words(one), words(other)
    common = (Counter(left) & Counter(right)).total()
    return bool(common) and 2 * common >= 0.85 * (len(left) + len(right))


def compared(meant: Facts, came: Facts, printed: str) -> dict[str, tuple[int, int, int]]:
    """For each field: how many values are printed, how many came, how many of these agree."""
    there = Counter(words(printed))
    found = {}
    for field, values in meant.items():
        asked = [one for one in values if _is_printed(field, one, there, printed)]
        left, hits = list(came.get(field, ())), 0
        for one in asked:
            at = next((at for at, other in enumerate(left) if agree(field, one, other)), None)
            if at is not None:
                hits += 1
                del left[at]
        found[field] = (len(asked), len(came.get(field, ())), hits)
    return found


def _is_printed(field: str, value: str, there: Counter[str], printed: str) -> bool:
    if field == "date":
        return all(year in printed for year in re.findall(r"\d{4}", value))
    if field == "phone":
        return re.sub(r"\D", "", value)[-6:] in re.sub(r"\D", "", printed)
    if field == "links":
        # Not the host of an e-mail address.
        shown = rf"(?<![\w@.-])(?:{re.escape(value)}|{re.escape(value.rpartition('/')[2])})"
        return re.search(shown, printed.casefold()) is not None
    if field == "section":
        return True
    its = words(value)
    return sum(there[word] > 0 for word in its) >= 0.85 * len(its)


def words_kept(person: Mapping[str, Any], lost: str, printed: str) -> float:
    """The part of the printed words of two letters or more that came, or are listed as lost.

    Known titles of sections don't count: the file has kinds instead.
    """
    lines = (line for line in printed.splitlines() if headings.exact_kind_of(line) is None)
    meant = Counter(word for line in lines for word in words(line) if _is_said(word))
    came = Counter(words(" ".join((*texts_of(person), *keys_in(person), lost))))
    return sum(min(count, came[word]) for word, count in meant.items()) / max(1, meant.total())


def _is_said(word: str) -> bool:
    """Whether a word stands in a person's file: not months, "now", and parts of addresses."""
    is_date = foreign_dates.is_month(word) or any(
        dates.is_date(date) for date in (f"{word} 2020", f"2020 – {word}")
    )
    return len(word) > 1 and not is_date and word not in ("www", "http", "com", "in")


def keys_in(value: Any) -> Iterator[str]:
    """All keys of a value: kinds of sections and labels of the contact."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)
