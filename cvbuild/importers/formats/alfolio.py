"""The CV of an al-folio site as it was until 2025: ``_data/cv.yml``, a list of cards.

Each card has a title, a type and contents: names with values, a table of times, lists of texts.
"""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers import networks, parsers, values
from cvbuild.importers.documents import people, sections, vocabulary
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions, headings
from cvbuild.importers.words.descriptions import Block
from cvbuild.inputs.references import texts

_CARD = re.compile(
    rb"^- title:.*\n(?:[ \t]+.*\n|\n|#.*\n){0,9}?[ \t]+type: *[\"']?(?:map|time_table)",
    re.MULTILINE,
)
#: What a title and an institution are in each kind; other kinds are entries.
_KEYS = {
    "education": ("degree", "institution"), "experience": ("title", "employer"),
    "award": ("title", "awarder"), "certificate": ("name", "issuer"),
    "teaching": ("course", "institution"), "volunteer": ("title", "organization"),
    "service": ("role", "organization"), "project": ("name", "organization"),
    "talk": ("title", "event"), "publication": ("title", "venue"), "grant": ("title", "funder"),
}  # fmt: skip
_ENTRY = ("title", "organization")
#: What the names of the first card are.
_HEAD = {
    "name": "name", "full name": "name", "email": "contact.email", "e-mail": "contact.email",
    "phone": "contact.phone", "mobile": "contact.phone", "address": "contact.address",
    "location": "contact.address", "website": "contact.website", "homepage": "contact.website",
    "date of birth": "contact.birth-date", "birthday": "contact.birth-date",
    "nationality": "contact.nationality", "summary": "summary", "title": "headline",
}  # fmt: skip
#: Titles of that card, and the kinds whose headings have no place.
_FIRST = ("general information", "personal information", "contact information", "basics")
_KEPT = (headings.SUMMARY, headings.INTERESTS)
_LISTS = ("contact.email", "contact.phone", "contact.website", "contact.nationality")


class Format:
    """A CV as al-folio's data."""

    name = "alfolio"
    title = "al-folio"

    def recognises(self, given: Given) -> bool:
        """Return whether it is a list of such cards."""
        return bool(_CARD.search(given.head))

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML."""
        root = parsers.parse_yaml(given.data, given.name)
        draft = Draft(given.name)
        for card in root.data if isinstance(root.data, list) else ():
            title, sort = descriptions.inline_markdown(card.text("title")), card.text("type")
            kind = (headings.kind_of(title) or ("",))[0]
            is_told = title.lower() not in _FIRST if sort == "map" else kind in _KEPT
            if is_told and not headings.has_no_other_words(title):
                draft.lose("heading", title, card.place)
            if sort == "map":
                _head(draft, card)
            else:
                for one in card.items("contents"):
                    _content(draft, title, one)
        values.lose_unread(root, draft)
        draft.keep_order()
        return draft.done()


def _head(draft: Draft, card: Value) -> None:
    """Read names and values: those of the person, and languages."""
    for one in card.mappings("contents"):
        label, value = texts.line(one.text("name")), descriptions.inline_markdown(one.text("value"))
        path = _HEAD.get(label.lower(), "")
        if label.lower() in ("languages", "language"):
            for language in re.split(r",\s*(?![^(]*\))", value):
                name, level = vocabulary.level(language)
                said = {"language": name, "level": level} if name else language
                draft.add("language", said, one.place)
        elif path:
            draft.put(path, [value] if path in _LISTS else value, one.place)
        elif networks.key_of(label.lower()):
            networks.put(draft, label, value, place=one.place)
        elif label and value:
            people.put_other(draft, label, value)


def _content(draft: Draft, title: str, one: Value) -> None:
    """Read a row of a table of times, a text, or a list with a title."""
    kind = (headings.kind_of(title) or ("", ""))[0]
    heading = None if kind and title == headings.own_title(kind, "en") else title
    if isinstance(one.data, str):
        text, key = descriptions.inline_markdown(one.own_text()), kind
        if kind in ("summary", "interests"):
            draft.put(kind, [text] if kind == "interests" else text, one.place)
            return
        line = sections.item_of_line(kind, text, one.place) if kind in _KEYS else None
        key = kind if line or kind in ("skill", "language") else "bullets"
        draft.add(key, line or text, one.place, heading)
    elif isinstance(one.data, dict) and (one.get("items") or one.get("contents")):
        name = descriptions.inline_markdown(one.text("title")).rstrip(" .:")
        year = dates.normal(one.text("year", "date"))
        found = [descriptions.inline_markdown(text) for text in one.texts("items", "contents")]
        if kind == "interests":
            draft.put("interests", [{"name": name, "keywords": found}], one.place)
        elif kind == "skill":
            one.near = draft.add("skill", {"name": name, "keywords": found}, one.place, heading)
        elif kind in _KEYS:
            for text in found:
                made = sections.item_of_line(kind, text, one.place) or {_KEYS[kind][0]: text}
                one.near = draft.add(
                    kind, {**made, "date": made.get("date") or year}, one.place, heading, name
                )
        else:
            for text in found:
                draft.add("bullets", text, one.place, title, name or year)
    elif isinstance(one.data, dict):
        shown = kind if kind in _KEYS else "entry"
        one.near = draft.add(shown, _item(one, shown), one.place, heading)


def _item(row: Value, kind: str) -> dict[str, Any]:
    """Return the item of a row of a table of times."""
    main, place = _KEYS.get(kind, _ENTRY)
    made: dict[str, Any] = {
        main: descriptions.inline_markdown(row.text("title", "name", "position", "degree")),
        place: descriptions.inline_markdown(row.text("institution", "company", "organization")),
    }
    keys = descriptions.keys_of(kind)
    for key in ("location", "department", "url"):
        if key in keys:
            made[key] = descriptions.inline_markdown(row.text(key))
    made["date"] = dates.normal(row.text("year", "date", "years"))
    made = {key: value for key, value in made.items() if value}
    if "bullets" in keys:
        made["bullets"] = descriptions.nested([*_points(row.items("description"), 0)])
    else:
        said = [block.text for block in _points(row.items("description"), 0)]
        made |= {"summary": descriptions.joined(said)} if said and "summary" in keys else {}
    return made


def _points(values: list[Value], level: int) -> list[Block]:
    """Return texts, and those with a title and contents of their own, as points."""
    found: list[Block] = []
    for one in values:
        if isinstance(one.data, str):
            found.append(Block(descriptions.inline_markdown(one.own_text()), level))
        else:
            found.append(Block(descriptions.inline_markdown(one.text("title")), level))
            found += _points(one.items("contents", "items"), level + 1)
    return [block for block in found if block.text]
