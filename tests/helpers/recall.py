"""How much of the facts of a CV comes back from a file that has them: by field and by word.

A field counts if its value is under the right key, and those of an entry if they are together in
one item of a section of the right kind.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from cvbuild.importers import dates, headings
from cvbuild.inputs.references.identity import texts_of
from cvbuild.model.contact import NETWORKS
from cvbuild.model.locales.dates import Date

#: Where a kind has its main text, an organization, and a town; education's main text is a degree.
_KEYS = {
    "title": ("degree", "name", "course", "title", "role"),
    "organization": (
        "employer", "institution", "organization", "awarder", "issuer", "funder", "event",
    ),
    "location": ("location",),
}  # fmt: skip
#: What a main text is called here, where it is more than the title of a post or a thing.
MAIN = {"education": "degree", "publication": "publication", "patent": "publication"}
#: Texts of items.
_TEXTS = ("summary", "bullets", "text", "note")
#: Kinds whose items are lists of words.
_LISTS = ("skill", "language", "keywords")

#: The values of a field by its name: what was meant, or what came.
Facts = dict[str, list[str]]


@dataclass(frozen=True)
class Item:
    """An entry: the kinds that its section may have, none for any; each field's values."""

    kinds: frozenset[str]
    values: dict[str, list[Any]]

    @property
    def asked(self) -> dict[str, Any]:
        """The one value of each field that is asked for: a degree with its area."""
        return {field: values[-1] for field, values in self.values.items() if values}


@dataclass(frozen=True)
class Said:
    """What a person's file says, or a document: facts of the person, and of the entries."""

    facts: Facts
    items: list[Item]


def words(text: str) -> list[str]:
    plain = re.sub(r"[*`\\]", "", re.sub(r"\]\([^()]*\)", " ", text))
    plain = re.sub(r"([~^])(\w+)\1", r"\2", plain)
    plain = unicodedata.normalize("NFKD", plain).casefold()
    plain = "".join(one for one in plain if not unicodedata.combining(one))
    return [word.removesuffix("s") for word in re.findall(r"\w+", plain)]


def said_by(person: Mapping[str, Any]) -> Said:
    contact = person.get("contact", {})
    name = person.get("name", "")
    if isinstance(name, dict):
        name = name.get("full") or f"{name.get('given', '')} {name.get('family', '')}"
    links = [*texts_of(contact.get("website")), *texts_of(contact.get("links"))]
    for key, value in contact.get("profiles", {}).items():
        links += [NETWORKS[key].address(one) for one in texts_of(value)]
    facts: Facts = {
        "name": [str(name)],
        "email": list(texts_of(contact.get("email"))),
        "phone": [one for one in texts_of(contact.get("phone")) if re.search(r"(?:\d\W*){6}", one)],
        "links": links,
        "text": list(texts_of(person.get("summary"))),
    }
    items: list[Item] = []
    for section in person.get("sections", ()):
        facts.setdefault("section", []).append(section["kind"])
        groups = [section, *section.get("groups", ())]
        for item in (one for group in groups for one in listed(group.get("items"))):
            if isinstance(item, Mapping) and section["kind"] not in _LISTS:
                items += _items(section["kind"], item)
                texts = [text for key in _TEXTS for text in texts_of(item.get(key))]
                facts["text"] += texts
            else:
                what = "skill" if section["kind"] in _LISTS else "text"
                facts.setdefault(what, []).extend(texts_of(item))
    return Said(facts, items)


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def _items(kind: str, item: Mapping[str, Any]) -> Iterator[Item]:
    """The entries of an item: one for each role, if it has several."""
    for role in listed(item.get("roles")) or [{}]:
        one = {**item, **role}
        values = {}
        for field, keys in _KEYS.items():
            there = [list(texts_of(one[key])) for key in keys if one.get(key)]
            if kind != "teaching" and field == "title":
                there = there[:1]
            values[field] = [text for texts in there for text in texts]
        main = values.pop("title")
        area = " ".join(texts_of(one.get("area")))
        values[MAIN.get(kind, "title")] = [*main, *(f"{text} {area}" for text in main if area)]
        values["date"] = [one["date"]] if one.get("date") else []
        yield Item(frozenset([kind]), values)


def _bare(address: str) -> str:
    bare = re.sub(r"^(?:mailto:)?(?:https?://)?(?:www\.)?|/+$", "", address.strip().casefold())
    return bare.replace("twitter.com/", "x.com/")


def _date(value: Any) -> Date | str:
    try:
        date = Date.of(dates.normal(value) if isinstance(value, str) else value)
    except ValueError:
        return str(value)
    return date if date.start else str(date.text)


def _same_months(one: Date | str, other: Date | str) -> bool:
    """Whether two dates are the same, as far as both say the month."""
    if isinstance(one, str) or isinstance(other, str) or one.present != other.present:
        return one == other
    return all(
        a is b is None
        or (a and b and a.year == b.year and (a.month == b.month or not (a.month and b.month)))
        for a, b in ((one.start, other.start), (one.end, other.end))
    )


def agree(field: str, one: Any, other: Any) -> bool:
    """Whether two values are the same; texts are by their words."""
    if field == "date":
        return _date(one) == _date(other)
    if field == "phone":
        return re.sub(r"\D", "", one)[-8:] == re.sub(r"\D", "", other)[-8:]
    if field in ("email", "links"):
        return _bare(one) == _bare(other)
    left, right = words(one), words(other)
    common = (Counter(left) & Counter(right)).total()
    return bool(common) and 2 * common >= 0.85 * (len(left) + len(right))


@dataclass
class Counts:
    """How many values of a field are asked for, and those that didn't come."""

    asked: int = 0
    missed: list[str] = dataclasses.field(default_factory=list)

    @property
    def came(self) -> int:
        return self.asked - len(self.missed)


def compared(meant: Said, came: Said, printed: str | None = None) -> dict[str, Counts]:
    found: dict[str, Counts] = defaultdict(Counts)
    there = Counter(words(printed or ""))

    def count(field: str, value: Any, came: bool) -> None:
        if printed is None or _is_printed(field, str(value), there, printed):
            found[field].asked += 1
            found[field].missed += [] if came else [str(value)]

    for field, values in meant.facts.items():
        left = list(came.facts.get(field, ()))
        for one in values:
            at = next((at for at, other in enumerate(left) if agree(field, one, other)), None)
            count(field, one, at is not None)
            if at is not None:
                del left[at]
    for item, other in _paired(meant.items, came.items, exactly=printed is None):
        for field, value in item.asked.items():
            count(field, value, other is not None and field in _hits(item, other, printed is None))
    return found


def _hits(item: Item, other: Item, exactly: bool) -> set[str]:
    def same(field: str, one: Any, other: Any) -> bool:
        if field == "date" and not exactly:
            return _same_months(_date(one), _date(other))
        return agree(field, one, other)

    return {
        field
        for field, value in item.asked.items()
        if any(same(field, value, one) for one in other.values.get(field, ()))
    }


def _paired(
    meant: list[Item], came: list[Item], exactly: bool
) -> Iterator[tuple[Item, Item | None]]:
    """Each entry with the one that has most of its fields, in a section of its kind."""
    pairs = [
        (len(_hits(item, other, exactly)), -at, -to)
        for at, item in enumerate(meant)
        for to, other in enumerate(came)
        if not item.kinds or item.kinds & other.kinds
    ]
    chosen: dict[int, int] = {}
    for hits, at, to in sorted(pairs, reverse=True):
        if hits and -at not in chosen and -to not in chosen.values():
            chosen[-at] = -to
    for at, item in enumerate(meant):
        yield item, came[chosen[at]] if at in chosen else None


def _is_printed(field: str, value: str, there: Counter[str], printed: str) -> bool:
    if field == "date":
        return all(year in printed for year in re.findall(r"\d{4}", value))
    if field == "phone":
        return re.sub(r"\D", "", value)[-6:] in re.sub(r"\D", "", printed)
    if field == "links":
        # Not the host of an e-mail address.
        bare = _bare(value)
        shown = rf"(?<![\w@.-])(?:{re.escape(bare)}|{re.escape(bare.rpartition('/')[2])})"
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


@cache
def _is_said(word: str) -> bool:
    """Whether a word stands in a person's file: not months, "now", and parts of addresses."""
    is_date = dates.month_of(word) is not None or any(
        dates.is_date(date) for date in (f"{word} 2020", f"2020 – {word}")
    )
    return len(word) > 1 and not is_date and word not in ("www", "http", "com", "in")


def keys_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from keys_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner)
