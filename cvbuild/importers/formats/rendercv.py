"""RenderCV 2.x: who it is, how it looks, and the sections with their entries."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks, parsers, values
from cvbuild.importers.documents import items, order, people, sections
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions, headings
from cvbuild.importers.words.descriptions import Block, Blocks
from cvbuild.inputs.references import texts

_CV = re.compile(rb"^cv:", re.MULTILINE)
_PARTS = re.compile(
    rb"^\s+(sections|social_networks|name|headline|location):|^(design|locale|settings):",
    re.MULTILINE,
)
#: Our template for a theme; without one, that of most people.
_TEMPLATES = {
    "moderncv": "banking", "engineeringresumes": "industry", "engineeringclassic": "industry",
}  # fmt: skip
_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt",
    "italian": "it", "dutch": "nl", "danish": "da", "turkish": "tr", "russian": "ru",
    "hindi": "hi", "japanese": "ja", "korean": "ko", "indonesian": "id", "hebrew": "he",
    "persian": "fa", "arabic": "ar", "polish": "pl", "norwegian": "nb", "norwegian_bokmål": "nb",
    "norwegian_bokmal": "nb", "norwegian_nynorsk": "nn", "swedish": "sv", "finnish": "fi",
    "czech": "cs", "greek": "el", "hungarian": "hu", "ukrainian": "uk", "vietnamese": "vi",
    "mandarin_chinese": "zh", "mandarin_chineese": "zh", "chinese": "zh",
}  # fmt: skip
_PHOTO = "save it beside the file, as photo: NAME"


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
        draft.put(
            "headline",
            descriptions.inline_markdown(cv.text("headline", "label")),
            cv.where("headline"),
        )
        _head(draft, cv)
        _look(draft, root)
        draft.lose(f"cv.photo ({_PHOTO})", cv.text("photo"), cv.where("photo"))
        _sections(draft, cv.mapping("sections"))
        values.lose_unread(root, draft)
        draft.keep_order()
        return draft.done()


def _head(draft: Draft, cv: Value) -> None:
    """Read how to reach the person."""
    draft.put("contact.email", list(map(texts.line, cv.texts("email"))), cv.where("email"))
    numbers = (texts.line(one).removeprefix("tel:") for one in cv.texts("phone"))
    draft.put("contact.phone", list(numbers), cv.where("phone"))
    draft.put("contact.address", descriptions.inline_markdown(cv.text("location")))
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
    design, locale = root.mapping("design"), root.mapping("locale")
    theme = design.text("theme")
    if theme in _TEMPLATES:
        draft.put("template", _TEMPLATES[theme])
    elif theme not in ("", "classic"):
        draft.lose("design.theme", theme, design.where("theme"))
    options: dict[str, Any] = {}
    page = design.mapping("page")
    paper = page.text("size")
    if paper in ("us-letter", "letter"):
        options["paper"] = "letter"
    elif paper not in ("", "a4"):
        draft.lose("design.page.size", paper, page.where("size"))
    for key in ("section_titles", "name"):
        colour = design.mapping("colors").get(key)
        found = _hexadecimal(colour.data) if colour and isinstance(colour.data, str) else ""
        if found and colour and "accent" not in options:
            options["accent"] = found
            colour.read()
    draft.put("options", options)
    language = locale.text("language")
    tag = _LANGUAGES.get(language.strip().lower(), texts.line(language))
    draft.put("locale", tag, locale.where("language"))


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
        strings = [one for one in parts if isinstance(one.data, str)]
        if announced in (headings.SUMMARY, headings.INTERESTS):
            plain = all(isinstance(one.data, str) or one.get("bullet") for one in parts)
            if plain and announced not in draft.data:
                written = (one.text("bullet") or one.own_text() for one in parts)
                said = [descriptions.inline_markdown(one) for one in written]
                draft.put(announced, "\n\n".join(said) if announced == "summary" else said)
                continue
        for one in strings:
            draft.add("text", descriptions.inline_markdown(one.own_text()), one.place, title)
        entries = [one for one in parts if isinstance(one.data, dict)]
        for one in entries:
            found = _item(one, announced, draft)
            if found is None:
                continue
            kind, item, numbering = found
            heading = None if title == headings.own_title(kind, "en") else title
            one.near = draft.add(kind, item, one.place, heading)
            if not isinstance(one.near, dict):
                one.near = {}
            if numbering:
                draft.section(kind, heading)["numbering"] = numbering


def _title(key: str) -> str:
    """Return a heading as RenderCV prints it: selected_honors is Selected Honors."""
    if " " in key or key != key.lower():
        return descriptions.inline_markdown(key)
    words = key.replace("_", " ").split()
    small = ("and", "of", "the", "in", "for", "to", "on", "with", "a", "at", "by")
    shown = (word if at and word in small else word[:1].upper() + word[1:]
             for at, word in enumerate(words))  # fmt: skip
    return descriptions.inline_markdown(" ".join(shown))


# -- entries: which kind of item each is, by its keys and its section's heading -------------------

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
            if announced in _LINES and isinstance(item, str):
                kind, line = announced, sections.item_of_line(announced, item, entry.place)
                made = line or {_MAIN[kind]: item}
            else:
                kind, made = "bullets", item
            return kind, made, numbering if kind in _NUMBERED else ""
    if entry.get("label") or entry.get("details"):
        return (*_one_line(entry, announced), "")
    if entry.get("institution"):
        return "education", _education(entry, draft), ""
    if entry.get("company") and announced == "education":
        return "education", _dated_education(entry, draft), ""
    if entry.get("company"):
        kind = "volunteer" if announced == "volunteer" else "experience"
        keys = {"organization" if kind == "volunteer" else "employer": "company"}
        return kind, _common(entry, kind, keys | {"title": "position"}, draft), ""
    if entry.get("title") and (entry.get("authors") or announced == "publication"):
        return "publication", _publication(entry, draft), ""
    if entry.get("name") and announced == "education":
        return "education", _named_education(entry, draft), ""
    if entry.get("name") or entry.get("title"):
        kind = announced if announced in _MAIN and announced != "education" else "entry"
        main = "name" if entry.get("name") else "title"
        return kind, _common(entry, kind, {_MAIN[kind]: main}, draft), ""
    return None


def _named_education(entry: Value, draft: Draft) -> dict[str, Any]:
    """Return an education that has but a name: "BSc in Physics, Example University"."""
    made = _common(entry, "education", {"institution": "name"}, draft)
    told = order.split_text(made["institution"], entry.place)
    order.put_in_order(told, "education")
    degree, institution, *_ = [*told.texts, "", ""]
    if institution:
        made |= {"degree": degree, "institution": institution}
        made["location"] = made.get("location") or told.location
    return made


def _dated_education(entry: Value, draft: Draft) -> dict[str, Any]:
    """Return a degree that was written as a post; its summary may be its date."""
    made = _common(entry, "education", {"institution": "company", "area": "position"}, draft)
    if "date" not in made and dates.is_date(str(made.get("summary", ""))):
        made["date"] = dates.normal(made.pop("summary"))
    return made


def _common(entry: Value, kind: str, keys: dict[str, str], draft: Draft) -> dict[str, Any]:
    """Return an item with the keys that entries of any type have."""
    made: dict[str, Any] = {}
    for key, name in keys.items():
        text = entry.text(name)
        whole = _LINK.fullmatch(text.strip(" *"))
        if whole and "url" not in made:
            made[key], made["url"] = descriptions.inline_markdown(whole[1]), texts.line(whole[2])
        elif text:
            made[key] = descriptions.inline_markdown(text)
    if url := entry.text("url"):
        made["url"] = texts.line(url)
    made["location"] = descriptions.inline_markdown(entry.text("location"))
    known = descriptions.keys_of(kind)
    if (link := _LINK.fullmatch(entry.text("date").strip())) and "links" in known:
        # The column of dates is where an entry's link stands out.
        made["links"] = [
            {"label": descriptions.inline_markdown(link[1]), "url": texts.line(link[2])}
        ]
    elif date := _date(entry):
        made["date"] = date
    over = descriptions.put(made, kind, descriptions.read_markdown(entry.text("summary")))
    points = [_point(one) for one in entry.texts("highlights")]
    if points and "bullets" in known:
        made["bullets"] = [*made.get("bullets", ()), *points]
    elif points:
        flat = [Block(one if isinstance(one, str) else one["text"]) for one in points]
        over += descriptions.put(made, kind, Blocks(flat))
    if "location" not in known and made["location"]:
        over.append(made.pop("location"))
    draft.lose(entry.path, over, entry.place, made)
    return made


def _date(entry: Value) -> str:
    """Return when; a date that is given by itself counts more than start and end."""
    date = entry.text("date")
    if date:
        return dates.normal(texts.line(date))
    return dates.between(entry.text("start_date"), entry.text("end_date"))


def _point(text: str) -> Any:
    """Return a point; what follows " - " is under it, as RenderCV shows it."""
    first, *below = re.split(r"\s+- (?=\S)", text.strip().removeprefix("- "))
    inner = [made for one in below if (made := descriptions.inline_markdown(one))]
    main = descriptions.inline_markdown(first)
    return {"text": main, "bullets": inner} if inner else main


def _education(entry: Value, draft: Draft) -> dict[str, Any]:
    keys = {key: key for key in ("institution", "degree", "area")}
    made = _common(entry, "education", keys, draft)
    for key in ("summary", "bullets"):
        kept = []
        lines = made.pop(key, [])
        for line in [lines] if isinstance(lines, str) else lines:
            found = _NAMED.fullmatch(line) if isinstance(line, str) else None
            if not found or not _named(made, found[1].lower(), found[2]):
                kept.append(line)
        if kept:
            made[key] = kept[0] if key == "summary" else kept
    return made


def _named(made: dict[str, Any], name: str, text: str) -> bool:
    """Put a line such as "GPA: 3.9" into the key that it has; return whether it was free."""
    value: str | list[str]
    if name.startswith("course"):
        key, value = "courses", _split(text.rstrip("."))
    elif name.startswith(("advisor", "supervisor")):
        key, value = "advisor", _split(text.rstrip(".") if text.count(".") == 1 else text)
    elif name in ("gpa", "grade"):
        key, value = "grade", f"GPA {text}" if name == "gpa" else text
    else:
        key, value = "thesis", text.strip(' "“”').rstrip(".")
    return made.setdefault(key, value) is value


def _publication(entry: Value, draft: Draft) -> dict[str, Any]:
    made = _common(entry, "publication", {"title": "title", "venue": "journal"}, draft)
    made["authors"] = [texts.line(_MARKED.sub("", one)) for one in entry.texts("authors")]
    made["doi"] = texts.line(entry.text("doi"))
    if made.get("url") == f"https://doi.org/{made['doi']}":
        del made["url"]
    return made


def _one_line(entry: Value, announced: str) -> tuple[str, Any]:
    """Return an entry of a label and details."""
    label, details = descriptions.inline_markdown(entry.text("label")), entry.text("details")
    shown = descriptions.inline_markdown(details)
    if announced == "language":
        return "language", {"language": label, "level": shown}
    if announced in _LINES:
        if dates.is_date(label):
            # 2019: Example Prize
            label, shown = shown, label
        made = sections.item_of_line(announced, f"{label}, {shown}", entry.place)
        # Small words say more than whose it is, and when.
        is_name = all(word[0].isupper() for word in re.findall(r"[^\W\d_]{4,}", shown))
        if made and made[_MAIN[announced]] == label and is_name and "location" not in made:
            return announced, made
        key = "summary" if "summary" in descriptions.keys_of(announced) else "bullets"
        rest = {key: shown if key == "summary" else [shown]}
        return announced, {_MAIN[announced]: label, **rest}
    parts = [descriptions.inline_markdown(one) for one in _split(details)]
    return "skill", {"name": label, "keywords": parts}


def _split(text: str) -> list[str]:
    """Return the parts of a list in words; commas inside of brackets divide nothing."""
    mark = ";" if ";" in text else ","
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == mark and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    found = [part.strip() for part in parts if part.strip()]
    if len(found) > 1 and found[-1].startswith("and "):
        found[-1] = found[-1].removeprefix("and ")
    return found
