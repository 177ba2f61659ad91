"""A person's file as RenderCV's input, text for text, for the kinds that the measured CV has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import yaml

ONLY_PDF = ("--dont-generate-markdown", "--dont-generate-html", "--dont-generate-png", "--quiet")
_NETWORKS = {"github": "GitHub", "linkedin": "LinkedIn", "google-scholar": "Google Scholar"}
#: Titles of sections that the file doesn't give.
_TITLES = {"education": "Education", "publication": "Publications", "patent": "Patents"}
_Entry = dict[str, Any]


def translated(text: str) -> dict[str, Any]:
    """Return RenderCV's data of a person's YAML; raise KeyError for an unknown kind of section."""
    # All scalars stay as they are written: RenderCV reads texts in every place that is used.
    data = yaml.load(text, yaml.BaseLoader)
    name, contact = data["name"], data.get("contact", {})
    sections = {
        title: entries
        for section in data["sections"]
        for title, entries in _sections(section, data)
    }
    website = contact.get("website")
    cv = {
        "name": name if isinstance(name, str) else f"{name['given']} {name['family']}",
        "headline": data.get("headline"),
        "location": contact.get("address"),
        "email": contact.get("email"),
        "website": f"https://{website}" if website else None,
        "social_networks": [
            {"network": _NETWORKS[network], "username": user}
            for network, user in contact.get("profiles", {}).items()
        ],
        "sections": sections,
    }
    return {"cv": {key: value for key, value in cv.items() if value}}


def _sections(section: _Entry, data: _Entry) -> Iterator[tuple[str, list[Any]]]:
    """Yield a section, or one for each of its groups: RenderCV has no groups."""
    kind = section["kind"]
    title = section.get("title") or _TITLES[kind]
    if note := section.get("note"):
        yield title, [note]
    groups = section.get("groups", [{"title": title, "items": section.get("items")}])
    for group in groups:
        items = group["items"] if isinstance(group["items"], list) else [group["items"]]
        yield group["title"], [_KINDS[kind](item, data) for item in items]


def _text(item: str, data: _Entry) -> str:
    del data
    return item


def _education(item: _Entry, data: _Entry) -> _Entry:
    del data
    highlights = [*_people("Advisor", item.get("advisor")), *_given(item, "grade")]
    return {
        "institution": item["institution"],
        "area": item.get("degree", ""),
        **_where_and_when(item),
        "highlights": highlights,
    }


def _experience(item: _Entry, data: _Entry) -> _Entry:
    del data
    return {
        "company": item["employer"],
        "position": item["title"],
        **_where_and_when(item),
        "highlights": [
            *_people("Advisor", item.get("advisor")),
            *_people("Mentor", item.get("mentor")),
            *item.get("bullets", []),
        ],
    }


def _publication(item: _Entry, data: _Entry) -> _Entry:
    marks = (f"\\{mark}{words}" for mark, words in item.get("marks", {}).items())
    links = (f"[{label}]" for label in item.get("links", []))
    summary = ". ".join([*marks, *_given(item, "note"), *links])
    return {
        "title": item["title"],
        "authors": _authors(item["authors"], data),
        **({"summary": summary} if summary else {}),
        "journal": item["venue"],
        **_where_and_when(item),
    }


def _patent(item: _Entry, data: _Entry) -> _Entry:
    return {
        "title": item["title"],
        "authors": _authors(item["inventors"], data),
        "journal": item["number"],
        **_where_and_when(item),
    }


def _award(item: _Entry, data: _Entry) -> _Entry:
    del data
    return {"name": item["title"], "summary": item["awarder"], **_where_and_when(item)}


def _teaching(item: _Entry, data: _Entry) -> _Entry:
    del data
    summary = f"{item['role']}, {item['institution']}"
    return {"name": item["course"], "summary": summary, **_where_and_when(item)}


_KINDS: dict[str, Callable[[Any, _Entry], Any]] = {
    "text": _text,
    "education": _education,
    "experience": _experience,
    "publication": _publication,
    "patent": _patent,
    "award": _award,
    "teaching": _teaching,
}


def _authors(authors: Iterable[str], data: _Entry) -> list[str]:
    """Return names, the person's own in bold type as ours is; a mark isn't Markdown."""
    name = data["name"]
    own = {f"{name['given']} {name['family']}", name.get("author")} if "given" in name else {name}
    return [
        (f"**{plain}**" if plain in own else plain) + author[len(plain) :].replace("*", "\\*")
        for author in authors
        for plain in [author.rstrip("*")]
    ]


def _people(label: str, named: str | list[str] | None) -> list[str]:
    names = [named] if isinstance(named, str) else named or []
    return [f"{label}: {', '.join(names)}"] if names else []


def _given(item: _Entry, key: str) -> list[str]:
    return [item[key]] if key in item else []


def _where_and_when(item: _Entry) -> _Entry:
    """Return location and dates: "2017-03 to present" is two keys, and "Fall 2019" one."""
    date = item.get("date", {})
    words = date.get("text") if isinstance(date, dict) else date
    found = {"location": item["location"]} if "location" in item else {}
    if bounds := re.fullmatch(r"([\d-]+) to ([\d-]+|present)", words or ""):
        return {**found, "start_date": bounds[1], "end_date": bounds[2]}
    if not words:
        return found
    # A year alone is a number there: the text "2022" would be shown as January.
    return {**found, "date": int(words) if re.fullmatch(r"\d{4}", words) else words}
