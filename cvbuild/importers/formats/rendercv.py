"""RenderCV 2.x: who it is, how it looks, and the sections with their entries.

The CV of an al-folio site, ``_data/cv.yml``, is of that form, too. Until 2025 it was a list of
cards: each has a title, a type and contents, which are names with values, a table of times, or
lists of texts.
"""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks, parsers, values
from cvbuild.importers.documents import items, people, sections, vocabulary
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions, headings
from cvbuild.importers.words.descriptions import Block, Blocks
from cvbuild.importers.words.descriptions import inline_markdown as inline
from cvbuild.inputs.references import identity, texts

_CV = re.compile(rb"^cv:", re.MULTILINE)
_PARTS = re.compile(
    rb"^\s+(sections|social_networks|name|headline|location):|^(design|locale|settings):",
    re.MULTILINE,
)


class Format:
    """A CV as RenderCV."""

    name = "rendercv"
    title = "RenderCV"

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV."""
        return bool(_CV.search(given.head) and _PARTS.search(given.head))

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML, or has no name."""
        root = parsers.parse_yaml(given.data, given.name)
        cv = root.get("cv")
        if cv is None or not isinstance(cv.data, dict):
            hint = "write name, email, sections below it"
            place = (cv or root).place
            raise CvbuildError.because("rendercv", '"cv" is no mapping', hint, place)
        name = texts.line(cv.text("name"))
        if not name:
            hint = 'write "name: …" below "cv:"'
            raise CvbuildError.because("rendercv", "the CV has no name", hint, cv.place)
        draft = Draft(given.name)
        draft.put("name", name)
        _head(draft, cv)
        language = root.text("locale.language")
        draft.put("locale", networks.tag_of(language), root.where("locale.language", "locale"))
        if design := root.get("design"):
            design.read()
            fact = "its look is not taken over: choose a template, and set options"
            draft.lose("design", fact, design.place)
        _sections(draft, cv.mapping("sections"))
        values.lose_unread(root, draft)
        draft.keep_order()
        return draft.done()


def _head(draft: Draft, cv: Value) -> None:
    """Read who it is, and how to reach the person."""
    draft.put("headline", inline(cv.text("headline", "label")), cv.where("headline"))
    photo = "cv.photo (save it beside the file, as photo: NAME)"
    draft.lose(photo, cv.text("photo"), cv.where("photo"))
    draft.put("contact.email", list(map(texts.line, cv.texts("email"))), cv.where("email"))
    numbers = [texts.line(one).removeprefix("tel:") for one in cv.texts("phone")]
    draft.put("contact.phone", numbers, cv.where("phone"))
    draft.put("contact.address", inline(cv.text("location")))
    draft.put("contact.website", list(map(texts.line, cv.texts("website"))), cv.where("website"))
    for one in cv.mappings("social_networks"):
        networks.put(draft, one.text("network"), one.text("username"), one.text("url"), one.place)
    for one in cv.mappings("custom_connections"):
        if url := texts.line(one.text("url")):
            draft.put("contact.links", [{texts.line(one.text("placeholder")) or url: url}])


def _sections(draft: Draft, sections: Value) -> None:
    """Read the sections in their order."""
    for key, value in sections.data.items() if isinstance(sections.data, dict) else ():
        title = _title(key.partition(" (earlier,")[0])
        announced = (headings.kind_of(title) or ("", ""))[0]
        # Some write one text without a dash.
        parts = [value] if isinstance(value.data, str) else value.parts()
        is_plain = all(isinstance(one.data, str) or one.get("bullet") for one in parts)
        if announced in _OWN and announced not in draft.data and is_plain:
            said = [inline(one.text("bullet") or one.own_text()) for one in parts]
            draft.put(announced, "\n\n".join(said) if announced == "summary" else said)
            continue
        for one in parts:
            if isinstance(one.data, str):
                draft.add("text", inline(one.own_text()), one.place, title)
        for one in parts:
            if not isinstance(one.data, dict) or (found := _item(one, announced, draft)) is None:
                continue
            kind, item = found
            heading = None if title == headings.own_title(kind, "en") else title
            made = draft.add(kind, item, one.place, heading)
            one.near = made if isinstance(made, dict) else {}


def _title(key: str) -> str:
    """Return a heading as RenderCV prints it: selected_honors is Selected Honors."""
    if " " in key or key != key.lower():
        return inline(key)
    return inline(
        re.sub(r"\S+", lambda word: word[0][:1].upper() + word[0][1:], key.replace("_", " "))
    )


# -- entries: which kind of item each is, by its keys and its section's heading -------------------

#: Kinds of headings that are keys of the person.
_OWN = (headings.SUMMARY, headings.INTERESTS)
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_MARKED = re.compile(r"\*+|_{2,}")
#: What the main text of an entry is, in the kinds that headings announce.
_MAIN = {
    **{kind: names[0] for kind, names in items.NAMES.items() if kind not in ("skill", "language")},
    "volunteer": "organization", "education": "institution",
}  # fmt: skip
#: Kinds whose items may be a line: "Example Prize, Example Society (2020)".
_LINES = ("talk", "patent", "publication", "award", "grant", "certificate", "service", "teaching")


def _item(entry: Value, announced: str, draft: Draft) -> tuple[str, Any] | None:
    """Return the kind of an entry, and its item; None for an entry without known keys.

    ``announced`` is the kind that the heading announces.
    """
    if line := entry.text("bullet", "number", "reversed_number"):
        return _line(announced, _point(line), entry)
    if entry.get("label") or entry.get("details"):
        return _labelled(entry, announced)
    kind = announced if announced in _MAIN else "entry"
    if entry.get("institution"):
        kind, keys = "education", {key: key for key in ("institution", "degree", "area")}
    elif entry.get("company") and kind == "education":
        # A degree that was written as a post.
        keys = {"institution": "company", "area": "position"}
    elif entry.get("company"):
        kind = "volunteer" if kind == "volunteer" else "experience"
        main = "organization" if kind == "volunteer" else "employer"
        keys = {main: "company", "title": "position"}
    elif entry.get("title") and (entry.get("authors") or kind == "publication"):
        kind, keys = "publication", {"title": "title", "venue": "journal"}
    elif main := next(filter(entry.get, ("name", "title")), ""):
        kind = "entry" if kind == "education" else kind
        keys = {_MAIN[kind]: main}
    else:
        return None
    return kind, _entry(entry, kind, keys, draft)


def _line(announced: str, item: Any, entry: Value) -> tuple[str, Any]:
    """Return what a line is below a heading: "Example Prize, Example Society (2020)"."""
    if announced not in _LINES or not isinstance(item, str):
        return "bullets", item
    made = sections.item_of_line(announced, item, entry.place)
    return announced, made or {_MAIN[announced]: item}


def _entry(entry: Value, kind: str, keys: dict[str, str], draft: Draft) -> dict[str, Any]:
    """Return an item with the keys that entries of any type have."""
    made: dict[str, Any] = {}
    for key, name in keys.items():
        text = entry.text(name)
        whole = _LINK.fullmatch(text.strip(" *"))
        if whole and "url" not in made:
            made[key], made["url"] = inline(whole[1]), texts.line(whole[2])
        elif text:
            made[key] = inline(text)
    if url := entry.text("url"):
        made["url"] = texts.line(url)
    made["location"] = inline(entry.text("location"))
    known = descriptions.keys_of(kind)
    if date := entry.text("date"):
        # It counts more than start and end.
        made["date"] = dates.normal(texts.line(date))
    else:
        made["date"] = dates.between(entry.text("start_date"), entry.text("end_date"))
    over = descriptions.put(made, kind, descriptions.read_markdown(entry.text("summary")))
    points = [_point(one) for one in entry.texts("highlights")]
    if points and "bullets" in known:
        made["bullets"] = [*made.get("bullets", ()), *points]
    elif points:
        flat = [text for one in points for text in identity.texts_of(one)]
        over += descriptions.put(made, kind, Blocks([*map(Block, flat)]))
    if "location" not in known and made["location"]:
        over.append(made.pop("location"))
    if not made["date"] and dates.is_date(str(made.get("summary", ""))):
        made["date"] = dates.normal(made.pop("summary"))
    if kind == "publication":
        made["authors"] = [texts.line(_MARKED.sub("", one)) for one in entry.texts("authors")]
        made["doi"] = texts.line(entry.text("doi"))
        if made.get("url") == f"https://doi.org/{made['doi']}":
            del made["url"]
    draft.lose(entry.path, over, entry.place, made)
    return made


def _point(text: str) -> Any:
    """Return a point; what follows " - " is under it, as RenderCV shows it."""
    first, *below = re.split(r"\s+- (?=\S)", text.strip().removeprefix("- "))
    inner = [made for one in below if (made := inline(one))]
    main = inline(first)
    return {"text": main, "bullets": inner} if inner else main


def _labelled(entry: Value, announced: str) -> tuple[str, Any]:
    """Return an entry of a label and details."""
    label, details = inline(entry.text("label")), entry.text("details")
    if announced == "language":
        return "language", {"language": label, "level": inline(details)}
    if announced in _LINES:
        return _line(announced, ", ".join(filter(None, (label, inline(details)))), entry)
    return "skill", {"name": label, "keywords": [*map(inline, _split(details))]}


def _split(text: str) -> list[str]:
    """Return the parts of a list in words; commas inside of brackets divide nothing."""
    mark = ";" if ";" in text else ","
    parts = [part.strip() for part in re.split(rf"{mark}(?![^(\[]*[)\]])", text) if part.strip()]
    return [*parts[:-1], parts[-1].removeprefix("and ")] if len(parts) > 1 else parts


# -- the cards of al-folio -------------------------------------------------------------------------

_CARD = re.compile(
    rb"^- title:.*\n(?:[ \t]+.*\n|\n|#.*\n){0,9}?[ \t]+type: *[\"']?(?:map|time_table)",
    re.MULTILINE,
)
#: Kinds of cards whose rows have a title and an institution; those of others are entries.
_ROWS = items.NAMES.keys() - {"entry", "language", "patent", "reference", "skill"}
#: What the names of the first card are.
_HEAD = {
    "name": "name", "full name": "name", "email": "contact.email", "e-mail": "contact.email",
    "phone": "contact.phone", "mobile": "contact.phone", "address": "contact.address",
    "location": "contact.address", "website": "contact.website", "homepage": "contact.website",
    "date of birth": "contact.birth-date", "birthday": "contact.birth-date",
    "nationality": "contact.nationality", "summary": "summary", "title": "headline",
}  # fmt: skip
_FIRST = ("general information", "personal information", "contact information", "basics")
_LISTS = ("contact.email", "contact.phone", "contact.website", "contact.nationality")


class AlFolio:
    """A CV as al-folio's cards."""

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
            title, is_map = inline(card.text("title")), card.text("type") == "map"
            kind = (headings.kind_of(title) or ("",))[0]
            # The headings of these cards have no place.
            is_told = title.lower() not in _FIRST if is_map else kind in _OWN
            if is_told and not headings.has_no_other_words(title):
                draft.lose("heading", title, card.place)
            for one in card.items("contents"):
                if not is_map:
                    _content(draft, title, kind, one)
                elif isinstance(one.data, dict):
                    _pair(draft, one)
        values.lose_unread(root, draft)
        draft.keep_order()
        return draft.done()


def _pair(draft: Draft, one: Value) -> None:
    """Read a name and its value: of the person, or languages."""
    label, value = texts.line(one.text("name")), inline(one.text("value"))
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


def _content(draft: Draft, title: str, kind: str, one: Value) -> None:
    """Read a row of a table of times, a text, or a list with a title."""
    heading = None if kind and title == headings.own_title(kind, "en") else title
    name, year, listed = "", "", [one]
    if isinstance(one.data, dict):
        listed = one.items("items", "contents")
        name = inline(one.text("title")).rstrip(" .:") if listed else ""
        year = dates.normal(one.text("year", "date")) if listed else ""
    words = [inline(text.own_text()) for text in listed if isinstance(text.data, str)]
    if kind in _OWN:
        keywords = {"name": name, "keywords": words}
        draft.put(kind, [keywords] if name else words, one.place)
    elif kind == "skill" and name:
        one.near = draft.add(kind, {"name": name, "keywords": words}, one.place, heading)
    elif listed:
        for text in words:
            as_is = kind in ("skill", "language")
            shown, item = (kind, text) if as_is else _line(kind, text, one)
            if isinstance(item, dict):
                item["date"] = item.get("date") or year
            group = name or ("" if isinstance(item, dict) else year)
            draft.add(shown, item, one.place, heading, group)
    else:
        shown = kind if kind in _ROWS else "entry"
        one.near = draft.add(shown, _row(one, shown), one.place, heading)


def _row(row: Value, kind: str) -> dict[str, Any]:
    """Return the item of a row of a table of times."""
    main, place = items.NAMES[kind]
    keys = descriptions.keys_of(kind)
    made: dict[str, Any] = {
        main: inline(row.text("title", "name", "position", "degree")),
        place: inline(row.text("institution", "company", "organization")),
        **{key: inline(row.text(key)) for key in ("location", "department", "url") if key in keys},
        "date": dates.normal(row.text("year", "date", "years")),
    }
    descriptions.put(made, kind, Blocks(_points(row.items("description"), 0)))
    return made


def _points(described: list[Value], level: int) -> list[Block]:
    """Return texts, and those with a title and contents of their own, as points."""
    found: list[Block] = []
    for one in described:
        found.append(Block(inline(one.own_text() or one.text("title")), level))
        found += _points(one.items("contents", "items"), level + 1)
    return [block for block in found if block.text]
