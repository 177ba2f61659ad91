"""Sections and their items: which list of JSON Resume each goes to, under which keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.dates import Date
from cvbuild.model.kinds import Experience
from cvbuild.outputs.jsonresume import values as dates
from cvbuild.outputs.jsonresume.values import Values
from cvbuild.selection.selected import SelectedGroup, SelectedSection

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """What items of a kind become: the list, keys that differ from ours, what all of them say.

    ``date`` is the key of the one date that the list has; empty: startDate and endDate.
    """

    list: str
    keys: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)


_PROJECT = {"summary": "description", "bullets": "highlights", "role": "roles"}
#: By kind of section. A field without a key here keeps its name, in camel case.
SHAPES: Mapping[str, Shape] = {
    "education": Shape("education", {"degree": "studyType", "grade": "score"}),
    "experience": Shape("work", {"employer": "name", "title": "position", "bullets": "highlights"}),
    "project": Shape("projects", {**_PROJECT, "organization": "entity"}),
    "publication": Shape("publications", {"title": "name", "venue": "publisher"}, "releaseDate"),
    "patent": Shape("publications", {"title": "name"}, "releaseDate", {"type": "patent"}),
    "award": Shape("awards", {}, "date"),
    "talk": Shape(
        "projects",
        {**_PROJECT, "title": "name", "event": "entity", "type": "format"},
        fixed={"type": "talk"},
    ),
    "teaching": Shape(
        "projects",
        {**_PROJECT, "course": "name", "institution": "entity"},
        fixed={"type": "teaching"},
    ),
    "service": Shape("volunteer", {"role": "position"}),
    "skill": Shape("skills"),
    "language": Shape("languages", {"level": "fluency"}),
    "certificate": Shape("certificates", {}, "date"),
    "reference": Shape("references", {"quote": "reference"}),
    "entry": Shape(
        "projects", {**_PROJECT, "title": "name", "organization": "entity"}, fixed={"type": "entry"}
    ),
    "interests": Shape("interests"),
    "keywords": Shape("skills"),
}
#: Kinds without a list of their own: their texts stand in `meta.sections`.
PROSE = ("text", "bullets")
#: Fields of an employer that its roles repeat; the others would be said of each role again.
_SHARED = ("employer", "department", "location", "url", "date")


def of_group(
    section: SelectedSection, group: SelectedGroup, values: Values
) -> Iterator[tuple[str, Object]]:
    """The items of a group as (list of JSON Resume, object), in their order."""
    kind = section.kind
    # What has no list stands in meta.sections, the summary in basics.
    if kind not in SHAPES:
        return
    place = _place(section, group)
    if kind == "interests":
        objects: Iterable[Object] = (_named(item, path, values) for path, item in group.items)
    elif kind == "keywords":
        objects = _keywords(section, group, values)
    else:
        objects = (one for path, item in group.items for one in _objects(item, path, kind, values))
    for one in objects:
        yield SHAPES[kind].list, {**one, **place}


def outline(section: SelectedSection, values: Values) -> Object:
    """A section's own words for `meta.sections`: kind, title, note, groups; prose in full."""
    title, note = section.title, section.source.note
    found = _heading(section.kind, title, note, section.path, values)
    groups = []
    for group in section.groups:
        text = {}
        if section.kind in PROSE:
            path, shown = group.path, tuple(item for _, item in group.items)
            text = {"text": values.json(shown, path), **_links(values.links(shown, path))}
        if group.title is None:
            found |= text
        else:
            groups.append({**_heading(None, group.title, group.note, group.path, values), **text})
    return {**found, "groups": groups} if groups else found


def _heading(kind: str | None, title: Any, note: Any, path: FieldPath, values: Values) -> Object:
    linked = [link for prose in (title, note) for link in values.links(prose, path)]
    found = {
        "kind": kind,
        "title": str(title) if title else None,
        "note": str(note) if note else None,
        "headLinks": linked,
    }
    return {key: value for key, value in found.items() if value}


def _place(section: SelectedSection, group: SelectedGroup) -> Object:
    """Under which headings of the person's own an item stands."""
    found = {"section": section.title, "group": group.title}
    return {key: str(value) for key, value in found.items() if value}


def _named(item: Any, path: FieldPath, values: Values) -> Object:
    return {"name": values.json(item, path), **_links(values.links(item, path))}


def _keywords(section: SelectedSection, group: SelectedGroup, values: Values) -> Iterator[Object]:
    """Keywords under a heading are one skill; without one each stands for itself."""
    title = group.title or section.title
    if title is None:
        yield from (_named(item, path, values) for path, item in group.items)
        return
    words = [values.json(item, path) for path, item in group.items]
    linked = [link for path, item in group.items for link in values.links(item, path)]
    yield {"name": str(title), "keywords": words, **_links(linked)}


def _objects(item: Any, path: FieldPath, kind: str, values: Values) -> Iterator[Object]:
    """An item as one object; an employer with several roles as one for each of them."""
    shape = SHAPES[kind]
    own = {key: (value, place) for key, value, place in values.fields(item, path)}
    if not isinstance(item, Experience) or "roles" not in own:
        yield _object(own, shape, values)
        return
    roles, place = own.pop("roles")
    shared = {key: own[key] for key in _SHARED if key in own}
    shown = list(values.shown(roles, place))
    # What the employer's entry says of itself belongs to no role.
    if len(shared) < len(own) or not shown:
        yield _object(own, shape, values)
    for at, role in shown:
        fields = {key: (value, where) for key, value, where in values.fields(role, at)}
        yield _object({**shared, **fields}, shape, values)


def _object(fields: Mapping[str, tuple[Any, FieldPath]], shape: Shape, values: Values) -> Object:
    found: Object = {}
    linked: list[dict[str, str]] = []
    for name, (value, path) in fields.items():
        key = shape.keys.get(name) or _camel(name)
        if isinstance(value, Date):
            found |= dates.single(value, shape.date) if shape.date else dates.ranged(value)
        elif (made := values.json(value, path)) != []:
            found[key] = [made] if key == "roles" else made
            linked.extend(values.links(value, path))
    if shape.list == "publications" and "url" not in found:
        found |= _identified(found)
    found |= shape.fixed
    return found | _links([*found.get("links", ()), *linked])


def _identified(found: Object) -> dict[str, str]:
    """The page of a publication that has an identifier and no address of its own."""
    if "doi" in found:
        return {"url": f"https://doi.org/{found['doi']}"}
    return {"url": f"https://arxiv.org/abs/{found['arxiv']}"} if "arxiv" in found else {}


def _links(found: Iterable[dict[str, str]]) -> Object:
    links = list(found)
    return {"links": links} if links else {}


def _camel(name: str) -> str:
    """short-venue as shortVenue."""
    return re.sub("-(.)", lambda letter: letter[1].upper(), name)
