"""Entries of a document as items of a kind: title, organization and the rest under its own keys.

The names of an entry are parted by their marks, and told apart by their words. Lines with a label
may have a key, too: "Thesis: …", "GPA: …", "Technologies: …".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates, descriptions
from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.outline import Entry, Point, Run, bullets, markdown, plain, plain_texts
from cvbuild.model.contact import is_phone_number

#: What a kind calls title and organization; the first is required, but for education and volunteer.
NAMES = {kind: tuple(keys.split()) for kind, keys in vocabulary.TABLES["names"].items()}
#: Kinds whose titles may have the organization behind them.
_BEHIND = ("education", "experience", "volunteer", "service")
_FOR = re.compile(r"([^()]+?)\sfor(?: the)?\s(?=[A-ZÄÖÜÉ])")
#: Characters of what is still the name of a school.
_LONGEST_NAME = 80
_GPA = re.compile(r"[;,]\s+(?=C?GPA\b)")
#: Money: "€240,000", "1.2 million USD".
_AMOUNT = re.compile(r"[€$£¥]? ?\d[\d.,]* ?(?:k|K|M|million)? ?(?:€|EUR|USD|GBP|CHF)?")
#: An address at the end of what a referee's line says.
_EMAIL = re.compile(
    r"(?:^|[,:]?\s)[(\[]*([^\s@,;<>()|\[\]]+@[^\s@,;<>()|]+\.[A-Za-z]{2,})(?:\]\([^()]*\))?\)?$"
)
#: Labels of lines, regular expressions, by the key that they have.
_LABELS = vocabulary.TABLES["lines"]
_ADDRESS = re.compile(r"(?:[\w-]+\.)+[a-z]{2,6}(?:/\S*)?")


@dataclass
class Made:
    """An item, and what has no key in its kind: what it is, and its text.

    ``guessed`` are keys whose value may belong under another of them.
    """

    item: dict[str, Any]
    lost: list[tuple[str, str]]
    guessed: tuple[str, ...] = ()


def order_of(kind: str, entry: Entry) -> int:
    """Return 1 if by its words the title of an entry is first, -1 if second, 0 if unknown."""
    if entry.is_sorted or len(entry.texts) < 2 or kind == "project":
        return 0
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    first, second = (re.sub(r"\([^()]*\)", "", text) for text in entry.texts[:2])
    named = vocabulary.ORGANIZATION
    # No title is an address.
    score = bool(mark.search(first)) - bool(mark.search(second)) or bool(_ADDRESS.fullmatch(second))
    return score or bool(named.search(second)) - bool(named.search(first))


def item_of(kind: str, entry: Entry, usual: int = 0) -> Made:
    """Return the item of a kind that an entry is; ``usual`` is the order of others' names."""
    made, fields = Made({}, []), descriptions.keys_of(kind)
    more = _names(made, kind, entry, usual)
    made.item["date"] = dates.normal(entry.date)
    for key in ("location", "url"):
        if value := getattr(entry, key):
            _put(made, fields, key, value)
    paragraphs = [*more, *entry.paragraphs]
    if entry.grade and "grade" in fields:
        made.item["grade"] = re.sub(r"^(\w+): ", r"\1 ", entry.grade)
    elif entry.grade:
        paragraphs.insert(0, entry.grade)
    if kind == "reference":
        paragraphs = _reachable(made.item, paragraphs)
    if kind in ("education", "experience"):
        paragraphs = [one for one in paragraphs if not _is_half(made.item, kind, one)]
    if kind == "education":
        made.item["degree"], *grades = _GPA.split(made.item["degree"], maxsplit=1)
        paragraphs[:0] = grades
    _texts_of(made, kind, paragraphs, list(entry.points))
    for role in entry.roles:
        if made.item.get("title"):
            # A title of its own is the first position at the same employer.
            own = [key for key in ("title", "date", "summary", "bullets") if made.item.get(key)]
            made.item["roles"] = [{key: made.item.pop(key) for key in own}]
        further = {
            "title": ", ".join(filter(None, role.texts)),
            "date": dates.normal(role.date),
            "location": role.location,
            "summary": " ".join(role.paragraphs),
            "bullets": bullets(role.points),
        }
        made.item.setdefault("roles", []).append(further)
    return made


def _names(made: Made, kind: str, entry: Entry, usual: int) -> list[str]:
    """Put title and organization, in the order that their words say; return further texts."""
    was_sorted, mark = entry.is_sorted, vocabulary.POSITION
    organizations = vocabulary.ORGANIZATION
    if kind == "education":
        mark = vocabulary.DEGREE
    if kind in _BEHIND and not was_sorted and len(entry.texts) == 1 and entry.location:
        # "Initech, London"
        first, _, rest = entry.location.partition(", ")
        is_person = vocabulary.is_role(entry.texts[0]) and not vocabulary.is_region(rest)
        is_person |= kind == "education" and vocabulary.is_degree(entry.texts[0])
        if is_person or organizations.search(first):
            entry.texts, entry.location = [*entry.texts, first], rest
    if (
        len(entry.texts) == 1
        and not was_sorted
        and (kind in ("experience", "volunteer") or organizations.search(entry.texts[0]))
    ):
        split(entry)
    texts = entry.texts if entry.is_sorted else [*filter(None, entry.texts)]
    if kind == "experience" and len(texts) == 1 and organizations.search(texts[0]):
        texts = texts if mark.search(texts[0]) else ["", *texts]
    elif not entry.is_sorted and len(texts) > 1:
        score = order_of(kind, replace(entry, texts=texts))
        texts[:2] = texts[1::-1] if (score or usual) < 0 else texts[:2]
        if kind in _BEHIND and entry.chance == 1:
            # Labels have said which of its cells is which.
            entry.texts = texts
            _part_town(entry)
            made.guessed = () if score else NAMES[kind]
    if kind == "grant":
        made.item["amount"] = next(filter(_AMOUNT.fullmatch, texts), "")
        texts = [text for text in texts if text != made.item["amount"]]
    title, organization, *more = [*texts, "", ""][: max(2, len(texts))]
    is_bare = kind == "project" and not was_sorted and organization
    if is_bare and not vocabulary.is_named(organization):
        # "Tinyqueue - a queue in Rust"
        more = [", ".join(filter(None, (organization, entry.location))), *more]
        organization = entry.location = ""
    is_needed = kind in ("education", "volunteer")
    if (is_needed and not organization) or not (title or is_needed or kind == "experience"):
        title, organization = organization, title
        made.guessed = NAMES[kind][1:] if vocabulary.DEGREE.search(organization) else ()
    if kind == "service" and not organization and (at := _FOR.match(title)):
        title, organization = at[1], title[at.end() :]
    made.item |= dict(zip(NAMES[kind], (title, organization), strict=True))
    return [*filter(None, more)]


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
            elif vocabulary.is_post(text):
                item.setdefault("title", text)
            else:
                names += [text]
    item["institution"] = ", ".join(filter(None, names))
    return told


def _texts_of(made: Made, kind: str, paragraphs: list[str], points: list[Point]) -> None:
    """Put paragraphs and points under the keys that the kind has for them."""
    item, fields = made.item, descriptions.keys_of(kind)
    # "Thesis: …", "GPA: …", "Technologies: …"
    paragraphs = [text for text in paragraphs if not put(item, fields, text)]
    points = [one for one in points if one.points or not put(item, fields, one.text)]
    if paragraphs:
        key = next((one for one in ("summary", "quote", "note") if one in fields), "text")
        _put(made, fields, key, " ".join(paragraphs))
    if "bullets" in fields:
        item["bullets"] = bullets(points)
    elif "summary" in fields:
        item["summary"] = " ".join([item.get("summary", ""), *plain_texts(points)]).strip()
    else:
        made.lost += [("point", text) for text in plain_texts(points)]


def _is_half(item: dict[str, Any], kind: str, text: str) -> bool:
    """Put a text that is a post or degree, or where it is from, if that is missing; say whether."""
    title, organization = NAMES[kind]
    plain, named = re.sub(r"[*_]", "", text), vocabulary.ORGANIZATION
    is_name = len(plain) < _LONGEST_NAME and not plain.endswith(".") and not vocabulary.keyed(plain)
    if kind == "experience" and item.get(title) and not item.get(organization) and is_name:
        item[organization] = plain if named.search(plain) else ""
        return bool(item[organization])
    if item.get(title) or item.get("roles") or vocabulary.keyed(plain):
        return False
    known = item.get(organization, "")
    is_from = vocabulary.is_degree(known) and not named.search(known)
    if kind == "experience":
        is_post = vocabulary.is_post(plain) and len(plain) < _LONGEST_NAME
        item[title] = plain if is_post and not plain.endswith(".") else ""
    elif is_from and named.search(plain) and len(plain) < _LONGEST_NAME:
        item[title], item[organization] = known, plain
    elif vocabulary.is_degree(plain, within=1 if is_from else 40):
        item[title] = plain
    return bool(item.get(title))


def _put(made: Made, fields: Mapping[str, Any], key: str, value: str) -> None:
    if key in fields and not made.item.get(key):
        made.item[key] = value
    else:
        made.lost.append((key, value))


def put(item: dict[str, Any], fields: Mapping[str, Any], text: str) -> bool:
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


# -- what a line says ------------------------------------------------------------------------------

#: The name of a language: up to three words, the first with a capital where there are any.
_LANGUAGE = re.compile(r"(?![a-zß-öø-ÿ])[^\W\d_][^\s\d.,:()/&]*(?: [^\s\d.,:()/&]+){0,2}")
_COMMAS = re.compile(r",\s+(?![^()]*\))(?!(?:Inc|LLC|Ltd|GmbH|Co|Jr|Ph\.?D|(?:19|20)\d\d)\b)")
#: A title in bold or italics, or between quotation marks, before the rest.
_MARKED = r"(\*\*|\*|“|\")([^*“”\"]{3,200})(?:\1|”)(?=\Z|[\s,.:;–—-])(.*)"
_AT = re.compile(r"\s+(?:at|bei|chez|from|@)(?: the| der)?\s+(?=[A-ZÄÖÜÉ])|\s+[–—]\s+|\s+-{1,3}\s+")
_BARS = re.compile(r"\s+[|•·]\s+")


def split_list(text: str) -> list[str]:
    """Return the parts of an enumeration: "Python, C++ (since 2010, daily), Rust"."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if depth <= 0 and (char in ";•·|" or (char == "," and text[at + 1 : at + 2] == " ")):
            found.append(text[start:at])
            start = at + 1
    first, *others = *found, text[start:]
    return [*filter(None, (first.strip(), *(part.strip(" .") for part in others)))]


def languages_in(text: str) -> list[str]:
    """Return the languages of a line that lists several: "English: C2, German: B2, French".

    Without any level, two parts may be a language and how well it is known: "English, Native".
    """
    many = split_list(text)
    names = [vocabulary.level(one)[0] or one.partition(": ")[0] for one in many]
    is_list = (len(many) > 2 or names != many) and sum(": " in one for one in many) != 1
    return many if is_list and all(map(_LANGUAGE.fullmatch, names)) else [text]


def split_text(text: str, place: Span) -> Entry:
    """Return the entry that a text says in a line: "Example Prize, Example Society, 2019".

    ``text`` is Markdown.
    """
    entry = Entry([text], place, is_sorted=False)
    rest, entry.date = dates.ends_in(text)
    if not entry.date:
        rest, entry.date = dates.begins_with(text)
    if rest and not any(rest.count(mark) % 2 for mark in "*`"):
        text = rest
    if link := re.match(r"\[([^\[\]]+)\]\(([^()]+)\)(?=\Z|[,.:]?\s)", text):
        text, entry.url = link[1] + text[link.end() :], link[2]
    marked = re.match(_MARKED, text)
    if lead := marked or link:
        title = marked[2].rstrip(".:").strip() if marked else lead[1]
        rest = (marked[3] if marked else text[len(title) :]).strip(" ,:;–—-")
        is_sentence = marked and rest.endswith(".") and len(rest.split()) > 2
        entry.texts = [title, rest] if rest and not is_sentence else [title]
        entry.paragraphs += [rest] if is_sentence else []
        entry.is_sorted = bool(marked)
        _part_town(entry)
    elif 1 < len(cells := _BARS.split(text)) < 6:
        entry.texts = cells
    else:
        entry.texts = [text]
        split(entry)
    return entry


def split(entry: Entry) -> None:
    """Part the one text of an entry into title, organization and town."""
    texts = [dates.without_length(text).rstrip(":") for text in entry.texts]
    if len(texts) == 1 and len(texts[0]) <= 160 and "](" not in texts[0]:
        parts = _AT.split(texts[0], maxsplit=1)
        if len(parts) == 1:
            parts, towns = _COMMAS.split(texts[0]), list[str]()
            while len(parts) > 2 and len(towns) < 2 and vocabulary.is_town(parts[-1]):
                towns.insert(0, parts.pop())
            if len(parts) > 4 or not (vocabulary.is_named(texts[0]) or len(parts) == 2):
                parts = texts
            elif entry.location:
                parts += towns
            else:
                entry.location = ", ".join(towns)
        named = (at for at, part in enumerate(parts) if at and vocabulary.ORGANIZATION.search(part))
        at = next(named, 1)
        texts = [", ".join(part) for part in (parts[:at], parts[at:]) if part]
    entry.texts = texts
    _part_town(entry)


def _part_town(entry: Entry) -> None:
    """Take the town behind the second text of an entry."""
    if len(entry.texts) != 2 or entry.location:
        return
    before, _, last = entry.texts[1].rpartition(", ")
    is_behind = vocabulary.ORGANIZATION.search(before) or len(last.split()) == 1
    if before and "](" not in before and is_behind and vocabulary.is_town(last):
        entry.texts[1], entry.location = before, last


def of_columns(names: list[str], cells: list[list[Run]], place: Span) -> Entry:
    """Return the entry of a row; a column that has no key becomes a line with its name."""
    entry = Entry(["", ""], place)
    for name, cell in zip(names, cells, strict=True):
        text = markdown(cell).strip()
        at = ("title", "organization").index(name) if name in ("title", "organization") else -1
        if text and name == "date":
            entry.date = f"{entry.date} – {plain(cell)}" if entry.date else plain(cell)
        elif text and at >= 0:
            entry.texts[at] = text
        elif text and name in ("grade", "location"):
            setattr(entry, name, text)
        elif text:
            label = name.capitalize() if vocabulary.column_of(name) == name else name
            entry.paragraphs.append(f"{label}: {text}" if name else text)
    return entry
