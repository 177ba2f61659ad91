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
from cvbuild.importers.documents import items, order, people, sections, vocabulary
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
#: Our template for a theme; without one, that of most people.
_TEMPLATES = {
    "moderncv": "banking", "engineeringresumes": "industry", "engineeringclassic": "industry",
}  # fmt: skip


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
        _look(draft, root)
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
        label, url = texts.line(one.text("placeholder")), one.text("url")
        if url:
            draft.put("contact.links", [{label or texts.line(url): texts.line(url)}])
        elif label:
            kind = texts.line(one.text("fontawesome_icon")).replace("-", " ").capitalize()
            people.put_other(draft, kind or label, label)


def _look(draft: Draft, root: Value) -> None:
    """Read template, paper, colour and language, as far as there is the like."""
    theme, paper = root.text("design.theme"), root.text("design.page.size")
    if theme in _TEMPLATES:
        draft.put("template", _TEMPLATES[theme])
    elif theme not in ("", "classic"):
        draft.lose("design.theme", theme, root.where("design.theme"))
    if paper in ("us-letter", "letter"):
        draft.put("options.paper", "letter")
    elif paper not in ("", "a4"):
        draft.lose("design.page.size", paper, root.where("design.page.size"))
    for key in ("section_titles", "name"):
        colour = root.get(f"design.colors.{key}")
        found = _hexadecimal(colour.data) if colour and isinstance(colour.data, str) else ""
        if colour and found and "accent" not in draft.data.get("options", {}):
            draft.put("options.accent", found)
            colour.read()
    language = root.text("locale.language")
    draft.put("locale", networks.tag_of(language), root.where("locale.language", "locale"))


def _hexadecimal(colour: str) -> str:
    """Return rgb(0, 79, 144) and #004F90 as 004F90; "" for another form, and for black."""
    if found := re.fullmatch(r"\s*rgb\((\d{1,3}),\s*(\d{1,3}),\s*(\d{1,3})\)\s*", colour):
        parts = [min(int(part), 255) for part in found.groups()]
        colour = "".join(f"{part:02X}" for part in parts)
    found = re.fullmatch(r"\s*#?([0-9A-Fa-f]{6})\s*", colour)
    return found[1].upper() if found and int(found[1], 16) else ""


def _sections(draft: Draft, sections: Value) -> None:
    """Read the sections in their order."""
    last = sections.data.items() if isinstance(sections.data, dict) else ()
    for key, value in (*sections.repeated, *last):
        title = _title(key)
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
            kind, item, numbering = found
            heading = None if title == headings.own_title(kind, "en") else title
            made = draft.add(kind, item, one.place, heading)
            one.near = made if isinstance(made, dict) else {}
            if numbering:
                draft.section(kind, heading)["numbering"] = numbering


def _title(key: str) -> str:
    """Return a heading as RenderCV prints it: selected_honors is Selected Honors."""
    if " " in key or key != key.lower():
        return inline(key)
    words = re.sub(r"\S+", lambda word: word[0][:1].upper() + word[0][1:], key.replace("_", " "))
    return inline(re.sub(rf"(?i)(?<= )(?:{_SMALL})(?= |$)", lambda word: word[0].lower(), words))


# -- entries: which kind of item each is, by its keys and its section's heading -------------------

_SMALL = "and|of|the|in|for|to|on|with|a|at|by"
#: Kinds of headings that are keys of the person.
_OWN = (headings.SUMMARY, headings.INTERESTS)
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_MARKED = re.compile(r"\*+|_{2,}")
#: What the main text of an entry is, in the kinds that headings announce.
_MAIN = {
    **{kind: names[0] for kind, names in items.NAMES.items() if kind not in ("skill", "language")},
    "volunteer": "organization", "education": "institution",
}  # fmt: skip
#: Kinds whose items may have numbers.
_NUMBERED = ("talk", "patent", "publication")
#: Kinds whose items may be a line: "Example Prize, Example Society (2020)".
_LINES = (*_NUMBERED, "award", "grant", "certificate", "service", "teaching")
#: Lines of an education that have a key.
_NAMED = re.compile(
    r"\**(GPA|Grade|Thesis|Dissertation|Advisors?|Supervisors?|Coursework|Courses)\**:\**\s*(.+)",
    re.IGNORECASE,
)


def _item(entry: Value, announced: str, draft: Draft) -> tuple[str, Any, str] | None:
    """Return the kind of an entry, its item, and how its section is numbered.

    ``announced`` is the kind that the heading announces. None for an entry without known keys.
    """
    for key, numbering in (("bullet", ""), ("number", "forward"), ("reversed_number", "reversed")):
        if entry.text(key):
            item = _point(entry.text(key))
            if announced not in _LINES or not isinstance(item, str):
                return "bullets", item, ""
            made = sections.item_of_line(announced, item, entry.place) or {_MAIN[announced]: item}
            return announced, made, numbering if announced in _NUMBERED else ""
    if entry.get("label") or entry.get("details"):
        return (*_one_line(entry, announced), "")
    if entry.get("institution"):
        return "education", _education(entry, draft), ""
    if entry.get("company") and announced == "education":
        # A degree that was written as a post; its summary may be its date.
        made = _common(entry, "education", {"institution": "company", "area": "position"}, draft)
        if not made["date"] and dates.is_date(str(made.get("summary", ""))):
            made["date"] = dates.normal(made.pop("summary"))
        return "education", made, ""
    if entry.get("company"):
        kind = "volunteer" if announced == "volunteer" else "experience"
        keys = {"organization" if kind == "volunteer" else "employer": "company"}
        return kind, _common(entry, kind, keys | {"title": "position"}, draft), ""
    if entry.get("title") and (entry.get("authors") or announced == "publication"):
        return "publication", _publication(entry, draft), ""
    main = next(filter(entry.get, ("name", "title")), "")
    if main == "name" and announced == "education":
        # "BSc in Physics, Example University"
        made = _common(entry, "education", {"institution": "name"}, draft)
        told = order.split_text(made.get("institution", ""), entry.place)
        order.put_in_order(told, "education")
        degree, institution, *_ = [*told.texts, "", ""]
        if institution:
            made |= {"degree": degree, "institution": institution}
            made["location"] = made.get("location") or told.location
        return "education", made, ""
    kind = announced if announced in _MAIN and announced != "education" else "entry"
    return (kind, _common(entry, kind, {_MAIN[kind]: main}, draft), "") if main else None


def _common(entry: Value, kind: str, keys: dict[str, str], draft: Draft) -> dict[str, Any]:
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
    if (link := _LINK.fullmatch(entry.text("date").strip())) and "links" in known:
        # The column of dates is where an entry's link stands out.
        made["links"] = [{"label": inline(link[1]), "url": texts.line(link[2])}]
    elif date := entry.text("date"):
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
    draft.lose(entry.path, over, entry.place, made)
    return made


def _point(text: str) -> Any:
    """Return a point; what follows " - " is under it, as RenderCV shows it."""
    first, *below = re.split(r"\s+- (?=\S)", text.strip().removeprefix("- "))
    inner = [made for one in below if (made := inline(one))]
    main = inline(first)
    return {"text": main, "bullets": inner} if inner else main


def _education(entry: Value, draft: Draft) -> dict[str, Any]:
    """Return a degree; lines such as "GPA: 3.9" go to the key that they have."""
    keys = {key: key for key in ("institution", "degree", "area")}
    made = _common(entry, "education", keys, draft)
    for key in ("summary", "bullets"):
        lines = made.pop(key, [])
        kept = []
        for line in [lines] if isinstance(lines, str) else lines:
            found = _NAMED.fullmatch(line) if isinstance(line, str) else None
            name, value = _named(found[1].lower(), found[2]) if found else ("", "")
            if not name or made.setdefault(name, value) is not value:
                kept.append(line)
        if kept:
            made[key] = kept[0] if key == "summary" else kept
    return made


def _named(name: str, text: str) -> tuple[str, str | list[str]]:
    """Return the key of a line, and its value."""
    if name.startswith("course"):
        return "courses", _split(text.rstrip("."))
    if name.startswith(("advisor", "supervisor")):
        return "advisor", _split(text.rstrip(".") if text.count(".") == 1 else text)
    if name in ("gpa", "grade"):
        return "grade", f"GPA {text}" if name == "gpa" else text
    return "thesis", text.strip(' "“”').rstrip(".")


def _publication(entry: Value, draft: Draft) -> dict[str, Any]:
    made = _common(entry, "publication", {"title": "title", "venue": "journal"}, draft)
    made["authors"] = [texts.line(_MARKED.sub("", one)) for one in entry.texts("authors")]
    made["doi"] = texts.line(entry.text("doi"))
    if made.get("url") == f"https://doi.org/{made['doi']}":
        del made["url"]
    return made


def _one_line(entry: Value, announced: str) -> tuple[str, Any]:
    """Return an entry of a label and details."""
    label, details = inline(entry.text("label")), entry.text("details")
    shown = inline(details)
    if announced == "language":
        return "language", {"language": label, "level": shown}
    if announced not in _LINES:
        return "skill", {"name": label, "keywords": [*map(inline, _split(details))]}
    if dates.is_date(label):
        # 2019: Example Prize
        label, shown = shown, label
    made = sections.item_of_line(announced, f"{label}, {shown}", entry.place)
    # Small words say more than whose it is, and when.
    is_name = all(word[0].isupper() for word in re.findall(r"[^\W\d_]{4,}", shown))
    if made and made[_MAIN[announced]] == label and is_name and "location" not in made:
        return announced, made
    has_summary = "summary" in descriptions.keys_of(announced)
    rest = {"summary": shown} if has_summary else {"bullets": [shown]}
    return announced, {_MAIN[announced]: label, **rest}


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
    listed = [inline(text) for text in one.texts("items", "contents")]
    if isinstance(one.data, str):
        text = inline(one.own_text())
        if kind in _OWN:
            draft.put(kind, [text] if kind == "interests" else text, one.place)
            return
        line = sections.item_of_line(kind, text, one.place) if kind in _ROWS else None
        key = kind if line or kind in ("skill", "language") else "bullets"
        draft.add(key, line or text, one.place, heading)
    elif isinstance(one.data, dict) and (one.get("items") or one.get("contents")):
        name = inline(one.text("title")).rstrip(" .:")
        year = dates.normal(one.text("year", "date"))
        if kind == "interests":
            draft.put("interests", [{"name": name, "keywords": listed}], one.place)
        elif kind == "skill":
            one.near = draft.add("skill", {"name": name, "keywords": listed}, one.place, heading)
        for text in listed if kind not in ("interests", "skill") else ():
            if kind in _ROWS:
                made = sections.item_of_line(kind, text, one.place) or {items.NAMES[kind][0]: text}
                made["date"] = made.get("date") or year
                one.near = draft.add(kind, made, one.place, heading, name)
            else:
                draft.add("bullets", text, one.place, title, name or year)
    elif isinstance(one.data, dict):
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
    points = _points(row.items("description"), 0)
    if "bullets" in keys:
        made["bullets"] = descriptions.nested(points)
    elif "summary" in keys:
        made["summary"] = descriptions.joined([point.text for point in points])
    return made


def _points(described: list[Value], level: int) -> list[Block]:
    """Return texts, and those with a title and contents of their own, as points."""
    found: list[Block] = []
    for one in described:
        found.append(Block(inline(one.own_text() or one.text("title")), level))
        found += _points(one.items("contents", "items"), level + 1)
    return [block for block in found if block.text]
