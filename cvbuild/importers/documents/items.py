"""Entries of a document as items of a kind: title, organization and the rest under its own keys.

Lines with a label may have one, too: "Thesis: …", "GPA: …", "Technologies: …".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from cvbuild.importers.documents import order, people, vocabulary
from cvbuild.importers.words import dates, descriptions
from cvbuild.importers.words.outline import Entry, Point, bullets, plain_texts
from cvbuild.model.contact import is_phone_number

#: What a kind calls title and organization; the first is required, but for education and volunteer.
NAMES = MappingProxyType(
    {
        "education": ("degree", "institution"),
        "experience": ("title", "employer"),
        "volunteer": ("title", "organization"),
        "project": ("name", "organization"),
        "publication": ("title", "venue"),
        "patent": ("title", "number"),
        "award": ("title", "awarder"),
        "grant": ("title", "funder"),
        "talk": ("title", "event"),
        "teaching": ("course", "institution"),
        "service": ("role", "organization"),
        "skill": ("name", "level"),
        "language": ("language", "level"),
        "certificate": ("name", "issuer"),
        "reference": ("name", "institution"),
        "entry": ("title", "organization"),
    }
)
#: Kinds whose items need an organization.
_NEEDS_SECOND = ("education", "volunteer")
#: Kinds whose titles may have the organization behind them.
_BEHIND = ("education", "experience", "volunteer", "service")
_FOR = re.compile(r"\s(?:at|bei[mj]?|bij|chez|for|@)(?: the)?\s(?=[A-ZÄÖÜÉ])")
#: Characters of what is still the name of a school.
_LONGEST_NAME = 80
_GPA = re.compile(r"[;,]\s+(?=C?GPA\b)")
#: Money: "€240,000", "1.2 million USD".
_AMOUNT = re.compile(r"[€$£¥]? ?\d[\d.,]* ?(?:k|K|M|million)? ?(?:€|EUR|USD|GBP|CHF)?")
#: An address at the end of what a referee's line says.
_EMAIL = re.compile(
    r"(?:^|[,:]?\s)[(\[]*([^\s@,;<>()|\[\]]+@[^\s@,;<>()|]+\.[A-Za-z]{2,})(?:\]\([^()]*\))?\)?$"
)


#: The labels that a key has.
_LABELS = {
    "grade": r"c?gpa|(?:final )?grade|note|abschlussnote|mention",
    "thesis": r"(?:(?:bachelor|master|diploma|doctoral|ph\.?d\.?)'?s?[ -]?)?thesis|thesis title"
              r"|(?:abschluss|master|bachelor)arbeit|dissertation",
    "advisor": r"advisors?|supervisors?|betreuer(?:in)?",
    "mentor": r"mentors?",
    "courses": r"(?:relevant )?(?:courses|coursework)|course|kurse",
    "keywords": r"technologies|technologien|tech stack|keywords|stack",
}  # fmt: skip


#: The name of a language: up to three words, the first with a capital where there are any.
_LANGUAGE = re.compile(r"(?![a-zß-öø-ÿ])[^\W\d_][^\s\d.,:()/&]*(?: [^\s\d.,:()/&]+){0,2}")


@dataclass
class Made:
    """An item, and what has no key in its kind: what it is, and its text.

    ``guessed`` are keys whose value may belong under another of them.
    """

    item: dict[str, Any]
    lost: list[tuple[str, str]]
    guessed: tuple[str, ...] = ()


def item_of(kind: str, entry: Entry) -> Made:
    """Return the item of a kind that an entry is."""
    was_sorted = entry.is_sorted
    if kind in _BEHIND and not was_sorted:
        order.part_place(entry)
    order.put_in_order(entry, kind)
    made = Made({}, [])
    more = _names(made, kind, entry, was_sorted=was_sorted)
    if entry.is_guessed and kind in _BEHIND:
        made.guessed = NAMES[kind]
    fields = descriptions.keys_of(kind)
    made.item["date"] = dates.normal(entry.date)
    _put(made, fields, "location", entry.location)
    _put(made, fields, "url", entry.url)
    paragraphs = [*(one for one in more if one), *entry.paragraphs]
    if kind == "education":
        made.item["degree"], *grades = _GPA.split(made.item["degree"], maxsplit=1)
        paragraphs[:0] = grades
    if entry.grade and "grade" in fields:
        made.item["grade"] = re.sub(r"^(\w+): ", r"\1 ", entry.grade)
    elif entry.grade:
        paragraphs.insert(0, entry.grade)
    if kind == "reference":
        paragraphs = _reachable(made.item, paragraphs)
    _texts_of(made, kind, paragraphs, list(entry.points))
    for role in entry.roles:
        _role(made.item, role)
    return made


def _reachable(item: dict[str, Any], lines: list[str]) -> list[str]:
    """Put what a referee's lines say under its keys; return the sentences."""
    told = [line for line in lines if line.endswith(".") and len(line) > _LONGEST_NAME]
    names: list[str] = []
    for line in [item["institution"], *(line for line in lines if line not in told)]:
        for cell in line.split(", "):
            text = cell
            if email := _EMAIL.search(cell):
                item.setdefault("email", email[1])
                text = re.sub(r"(?i)\W*\b(?:e-?mail)?\W*$", "", cell[: email.start()])
            if is_phone_number(number := people.number_in(text)):
                item.setdefault("phone", number)
            elif vocabulary.is_post(text) and not item.get("title"):
                item["title"] = text
            else:
                names += [text]
    item["institution"] = ", ".join(filter(None, names))
    return told


def _names(made: Made, kind: str, entry: Entry, *, was_sorted: bool) -> list[str]:
    """Put title and organization; return further texts."""
    texts = entry.texts if entry.is_sorted else [text for text in entry.texts if text]
    if kind == "grant":
        made.item["amount"] = next(filter(_AMOUNT.fullmatch, texts), "")
        texts = [text for text in texts if text != made.item["amount"]]
    title, organization, *more = [*texts, "", ""][: max(2, len(texts))]
    if (
        kind == "project"
        and not was_sorted
        and organization
        and not vocabulary.is_named(organization)
    ):
        # "Tinyqueue - a queue in Rust"
        more = [", ".join(filter(None, (organization, entry.location))), *more]
        organization = entry.location = ""
    optional = (*_NEEDS_SECOND, "experience")
    if (kind in _NEEDS_SECOND and not organization) or (not title and kind not in optional):
        title, organization = organization, title
        made.guessed = NAMES[kind][1:] if vocabulary.DEGREE.search(organization) else ()
    at = _FOR.search(title) if kind in _BEHIND and not organization else None
    if at and vocabulary.is_role(title[: at.start()]):
        title, organization = title[: at.start()], title[at.end() :]
    first, second = NAMES[kind]
    made.item |= {first: title, second: organization}
    return more


def _is_half(item: dict[str, Any], plain: str) -> bool:
    """Put a text that is the degree, or where it is from, if that is missing; return whether."""
    if item.get("degree"):
        return False
    known = item.get("institution", "")
    is_from = vocabulary.is_degree(known) and not vocabulary.ORGANIZATION.search(known)
    if is_from and vocabulary.ORGANIZATION.search(plain) and len(plain) < _LONGEST_NAME:
        item["degree"], item["institution"] = known, plain
    elif vocabulary.is_degree(plain, within=1 if is_from else 40):
        item["degree"] = plain
    return bool(item.get("degree"))


def _texts_of(made: Made, kind: str, paragraphs: list[str], points: list[Point]) -> None:
    """Put paragraphs and points under the keys that the kind has for them."""
    item, fields = made.item, descriptions.keys_of(kind)
    if kind == "education":
        paragraphs = [one for one in paragraphs if not _is_half(item, re.sub(r"[*_]", "", one))]
    take(item, fields, paragraphs, points)
    if paragraphs:
        key = next((one for one in ("summary", "quote", "note") if one in fields), "text")
        _put(made, fields, key, " ".join(paragraphs))
    if "bullets" in fields:
        item["bullets"] = bullets(points)
    elif points and "summary" in fields:
        item["summary"] = " ".join([item.get("summary", ""), *plain_texts(points)]).strip()
    else:
        made.lost += [("point", text) for text in plain_texts(points)]


def _put(made: Made, fields: frozenset[str], key: str, value: str) -> None:
    if not value:
        return
    if key in fields and not made.item.get(key):
        made.item[key] = value
    else:
        made.lost.append((key, value))


def _role(item: dict[str, Any], role: Entry) -> None:
    """Add a further position at the same employer."""
    title = ", ".join(one for one in role.texts if one)
    roles = item.setdefault("roles", [])
    if item.get("title"):
        # A title of its own is the first of the roles.
        own = {
            key: item.pop(key) for key in ("title", "date", "summary", "bullets") if item.get(key)
        }
        roles.append(own)
    roles.append(
        {
            "title": title,
            "date": dates.normal(role.date),
            "location": role.location,
            "summary": " ".join(role.paragraphs),
            "bullets": bullets(role.points),
        }
    )


def take(
    item: dict[str, Any], fields: frozenset[str], paragraphs: list[str], points: list[Point]
) -> None:
    """Take "Thesis: …", "GPA: …", "Technologies: …" out of the texts, where they have a key."""
    paragraphs[:] = [text for text in paragraphs if not put(item, fields, text)]
    points[:] = [one for one in points if one.points or not put(item, fields, one.text)]


def put(item: dict[str, Any], fields: frozenset[str], text: str) -> bool:
    """Put what a line says under the key of its label; return whether it has one."""
    label, value = vocabulary.keyed(re.sub(r"^(C?GPA) (?=\d)", r"\1: ", text)) or ("", "")
    of_label = (key for key in _LABELS if re.fullmatch(_LABELS[key], label, re.IGNORECASE))
    key = next(of_label, "")
    if key not in fields or item.get(key):
        return False
    value = value.strip("*") if value.count("*") == 2 else value
    if key in ("courses", "keywords", "mentor"):
        item[key] = split_list(value)
    else:
        item[key] = f"{label.upper()} {value}" if label.lower().endswith("gpa") else value
    return True


def split_list(text: str) -> list[str]:
    """Return the parts of an enumeration: "Python, C++ (since 2010, daily), Rust"."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if depth <= 0 and (char in ";•·|" or (char == "," and text[at + 1 : at + 2] == " ")):
            found.append(text[start:at])
            start = at + 1
    parts = [
        part.strip(" .") if at else part.strip() for at, part in enumerate([*found, text[start:]])
    ]
    return [part for part in parts if part]


def languages_in(text: str) -> list[str]:
    """Return the languages of a line that lists several: "English: C2, German: B2, French".

    Without any level, two parts may be a language and how well it is known: "English, Native".
    """
    many = split_list(text)
    names = [vocabulary.level(one)[0] or one.partition(": ")[0] for one in many]
    is_list = (len(many) > 2 or names != many) and sum(": " in one for one in many) != 1
    fits = all(map(_LANGUAGE.fullmatch, names))
    return many if is_list and fits else [text]
