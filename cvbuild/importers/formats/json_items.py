"""Items of JSON Resume's lists: each kind describes how they are named there (``model.kinds``)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from cvbuild.importers.documents import citations
from cvbuild.importers.formats import wordings
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions
from cvbuild.inputs.references import same_items, texts
from cvbuild.model import kinds
from cvbuild.model.base import Prose
from cvbuild.model.sections import Author, Bullet, Link

#: The kind of a list; some have others besides, by their type.
KINDS = MappingProxyType(
    {
        "work": "experience", "volunteer": "volunteer", "education": "education",
        "awards": "award", "certificates": "certificate", "publications": "publication",
        "skills": "skill", "languages": "language", "references": "reference",
        "projects": "project",
    }
)  # fmt: skip
_TYPES = MappingProxyType({"presentation": "talk", "talks": "talk", "course": "teaching"})
#: Further names of a field: those of older versions, and what people write.
_OTHERWISE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "employer": ("company", "organization"),
        "institution": ("school", "university"),
        "url": ("website", "link"),
        "grade": ("gpa",),
        "degree": ("degree", "studyLevel"),
        "title": ("title", "role"),
        "language": ("name",),
        "level": ("level", "fluency"),
        "summary": ("summary", "description"),
        "quote": ("quote", "summary"),
        "relation": ("relation", "relationship"),
        "venue": ("journal", "venue"),
        "role": ("role",),
        "name": ("name", "title"),
    }
)
#: Keys of a date besides those of the version in use.
_DATES = ("date", "releaseDate")
_DAY = re.compile(r"((?:19|20)\d\d-(?:0[1-9]|1[0-2]))-(\d\d)")


def kind_of(name: str, item: Value) -> str:
    """Return the kind of an item of a list."""
    given = item.get("type")
    word = given.data.strip().lower() if given and isinstance(given.data, str) else ""
    for kind in kinds.KINDS.values():
        form = kind.json
        fixed = getattr(form, "fixed", {}).get("type")
        if getattr(form, "list", "") == name and fixed and word == fixed:
            item.text("type")
            return kind.name
    if name == "projects" and word in _TYPES:
        item.text("type")
        return _TYPES[word]
    return KINDS[name]


def read(item: Value, kind: str) -> dict[str, Any]:
    """Return an item with the keys of its kind; what has none stays unread."""
    form: Any = kinds.of(kind).json
    made: dict[str, Any] = {}
    for key, shape in fields(kind).items():
        name = form.keys.get(key) or camel(key)
        names = (name, *(one for one in _OTHERWISE.get(key, ()) if one not in form.keys.values()))
        if value := _value(item, shape, names):
            made[key] = value
    if date := _date(item, form.date):
        made["date"] = date
    _describe(made, kind)
    _tidy(made, item)
    return made


def _value(item: Value, shape: str, names: tuple[str, ...]) -> Any:
    """Return the value of a field of that shape under the first of the names that has one."""
    match shape:
        case "bullets":
            points = (wordings.blocks(text).blocks for text in item.texts(names[0]))
            return [point for blocks in points for point in descriptions.nested(blocks)]
        case "links":
            return None
        case "meanings":
            meanings = item.mapping(names[0])
            return {
                texts.line(mark): wordings.inline(one.own_text())
                for mark, one in dict(meanings.data or {}).items()  # type: ignore[arg-type]
            }
        case "lines" | "proses":
            read = texts.line if shape == "lines" else wordings.inline
            found = [read(one) for one in item.texts(*names)]
            is_one = len(found) == 1 and names[0] in ("authors", "inventors")
            return (is_one and citations.authors(found[0])) or found
        case "line":
            return texts.line(item.text(*names))
        case "summary":
            # Of work, the description is about the employer.
            parts = (item.text(name) for name in dict.fromkeys(("description", *names)))
            return wordings.blocks("\n\n".join(filter(None, parts)))
    return wordings.inline(item.text(*names)) or ", ".join(map(wordings.inline, item.texts(*names)))


def _date(item: Value, single: str) -> Any:
    """Return when, as JSON Resume has it."""
    start = dates.normal(item.text("startDate"))
    end = dates.normal(item.text("endDate"))
    one = dates.normal(item.text(*dict.fromkeys((single or "date", *_DATES))))
    if one and not (start or end):
        return one
    return dates.between(*_months(start, end))


def _months(start: str, end: str) -> tuple[str, str]:
    """Return both ends of a range without their days, where these only fill the form.

    Editors of JSON Resume write 2020-03-01 for March 2020, and that or 2020-03-31 for an end.
    """
    begun, ended = _DAY.fullmatch(start), _DAY.fullmatch(end)
    if begun and begun[2] != "01":
        return start, end
    if ended and int(ended[2]) not in (1, monthrange(int(end[:4]), int(end[5:7]))[1]):
        return start, end
    return begun[1] if begun else start, ended[1] if ended else end


def _describe(made: dict[str, Any], kind: str) -> None:
    """Put the paragraphs of a summary where they belong: points become bullets."""
    summary = made.pop("summary", None)
    if summary:
        bullets = made.pop("bullets", [])
        descriptions.put(made, kind, summary)
        if bullets:
            made["bullets"] = [*made.get("bullets", ()), *bullets]


def _tidy(made: dict[str, Any], item: Value) -> None:
    """Add links, and take out what only repeats something else."""
    links = []
    linked = set().union(*map(wordings.addresses, same_items.texts_of(made)))
    for one in item.mappings("links"):
        label, url = texts.line(one.text("label", "name")), texts.line(one.text("url"))
        if url not in linked:
            links.append({label: url} if label and url else label or url)
    if links:
        made["links"] = links
    doi, arxiv = made.get("doi"), made.get("arxiv")
    same = (f"https://doi.org/{doi}",) if doi else (f"https://arxiv.org/abs/{arxiv}",)
    if made.get("url") in same:
        del made["url"]
    if "publisher" in made and made.get("venue") == made["publisher"]:
        del made["venue"]


@cache
def fields(kind: str) -> dict[str, str]:
    """Return the shape of each field of an item that the source can have; not of its date."""
    skipped = ("tags", "priority", "keep", "private", "date", "roles")
    model = descriptions.item_model(kind)
    known = ((info.alias or name, info) for name, info in model.model_fields.items())
    return {key: _shape(key, info) for key, info in known if key not in skipped}


def _shape(key: str, info: Any) -> str:
    leaves = descriptions.leaves(info.annotation)
    if key == "summary":
        return "summary"
    for model, shape in ((Bullet, "bullets"), (Link, "links"), (Author, "lines")):
        if model in leaves:
            return shape
    if key == "marks":
        return "meanings"
    is_many = "tuple" in str(info.annotation)
    return ("prose" if Prose in leaves else "line") + ("s" if is_many else "")


def camel(name: str) -> str:
    """Return short-venue as shortVenue."""
    return re.sub("-(.)", lambda letter: letter[1].upper(), name)
