"""Sections and their items; each goes where its kind describes (``model.kinds``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.model import kinds
from cvbuild.model.dates import Date
from cvbuild.model.kinds import describe
from cvbuild.model.kinds.describe import InBasics, Listed, Named, Outlined, UnderHeading
from cvbuild.outputs.jsonresume import values as dates
from cvbuild.outputs.jsonresume.values import Values
from cvbuild.selection.selected import SelectedGroup, SelectedSection

Object = dict[str, Any]


#: The lists of JSON Resume in the order of its schema.
LISTS = (
    "work", "volunteer", "education", "awards", "certificates", "publications", "skills",
    "languages", "interests", "references", "projects",
)  # fmt: skip
#: Names that keys had before version 1, which themes still read.
_OLDER: Mapping[str, Mapping[str, str]] = {
    "work": {"name": "company", "url": "website"},
    "volunteer": {"url": "website"},
    "education": {"score": "gpa"},
    "publications": {"url": "website"},
}
#: What a section says of its items' order, and how it usually is.
_SHOWN = (("order", "newest"), ("numbering", "none"))


def of_group(
    section: SelectedSection, group: SelectedGroup, values: Values
) -> Iterator[tuple[str, Object]]:
    """Yield the items of a group as (list of JSON Resume, object), in their order.

    Raises CvbuildError for a kind without a description for JSON Resume.
    """
    form = _form(section.kind)
    match form:
        case Outlined() | InBasics():
            return
        case Named():
            objects: Iterable[Object] = (_named(item, path, values) for path, item in group.items)
        case UnderHeading():
            fixed = form.fixed
            objects = ({**one, **fixed} for one in _under_heading(section, group, values))
        case Listed():
            listed = form
            objects = (
                one for path, item in group.items for one in _all(item, path, listed, values)
            )
    place = _place(section, group)
    for one in objects:
        yield form.list, {**one, **place}


def _form(name: str) -> describe.Json:
    kind = kinds.of(name)
    form: describe.Json = kind.require("json")
    if not isinstance(form, Outlined | InBasics) and form.list not in LISTS:
        message = f'the kind "{name}" goes to the list "{form.list}", which JSON Resume lacks'
        hint = f"write one of {', '.join(LISTS)} in {kind.place}"
        raise CvbuildError.because("kind", message, hint)
    return form


def outline(section: SelectedSection, values: Values) -> Object:
    """Return the words of a section for `meta.sections`: kind, title, note, groups; all prose."""
    title, note = section.title, section.source.note
    found = _heading(section.kind, title, note, section.path, values)
    found |= {key: shown for key, usual in _SHOWN if (shown := _own(section, key)) != usual}
    groups = []
    for group in section.groups:
        text = {}
        if isinstance(_form(section.kind), Outlined):
            path, shown = group.path, tuple(item for _, item in group.items)
            text = {"text": values.json(shown, path), **_links(values.links(shown, path))}
            text |= _nested({"text": values.nested(shown, path)})
        if group.title is None:
            found |= text
        else:
            groups.append({**_heading(None, group.title, group.note, group.path, values), **text})
    return {**found, "groups": groups} if groups else found


def _own(section: SelectedSection, key: str) -> Any:
    return getattr(section.source, key, None) or "none"


def _heading(kind: str | None, title: Any, note: Any, path: FieldPath, values: Values) -> Object:
    linked = [link for prose in (title, note) for link in values.links(prose, path)]
    found = {
        "kind": kind,
        "title": values.plain(title) if title else None,
        "note": values.plain(note) if note else None,
        "headLinks": linked,
    }
    return {key: value for key, value in found.items() if value}


def _place(section: SelectedSection, group: SelectedGroup) -> Object:
    """Return the person's own headings above an item."""
    found = {"section": section.title, "group": group.title}
    return {key: str(value) for key, value in found.items() if value}


def _named(item: Any, path: FieldPath, values: Values) -> Object:
    return {"name": values.json(item, path), **_links(values.links(item, path))}


def _under_heading(
    section: SelectedSection, group: SelectedGroup, values: Values
) -> Iterator[Object]:
    """Yield keywords under a heading as one object; without one, each by itself."""
    title = group.title or section.title
    if title is None:
        yield from (_named(item, path, values) for path, item in group.items)
        return
    words = [values.json(item, path) for path, item in group.items]
    linked = [link for path, item in group.items for link in values.links(item, path)]
    yield {"name": values.plain(title), "keywords": words, **_links(linked)}


def _all(item: Any, path: FieldPath, form: Listed, values: Values) -> Iterator[Object]:
    """Yield an item as one object; an employer with several roles as one for each role."""
    own = {key: (value, place) for key, value, place in values.fields(item, path)}
    if form.parts not in own:
        yield _object(own, form, values)
        return
    parts, place = own.pop(form.parts)
    # Which objects belong together: a number for each employer.
    entry = {"entry": ".".join(str(step) for step in path[1:] if isinstance(step, int))}
    shared = {key: own[key] for key in form.shared if key in own}
    shown = list(values.shown(parts, place))
    # What the employer's entry says of itself belongs to no role.
    if len(shared) < len(own) or not shown:
        yield _object(own, form, values) | entry
    for at, part in shown:
        fields = {key: (value, where) for key, value, where in values.fields(part, at)}
        yield _object({**shared, **fields}, form, values) | entry


def _object(fields: Mapping[str, tuple[Any, FieldPath]], form: Listed, values: Values) -> Object:
    found: Object = {}
    linked: list[dict[str, str]] = []
    nested: dict[str, list[int]] = {}
    for name, (value, path) in fields.items():
        key = form.keys.get(name) or _camel(name)
        if isinstance(value, Date):
            found |= dates.single(value, form.date) if form.date else dates.ranged(value)
        elif (made := values.json(value, path)) != []:
            found[key] = [made] if key == "roles" else made
            nested[key] = values.nested(value, path) if isinstance(value, tuple) else []
            linked.extend(values.links(value, path))
    if form.list == "publications" and "url" not in found:
        found |= _identified(found)
    if "publishedBy" in found:
        found.setdefault("publisher", found["publishedBy"])
    found |= {old: found[key] for key, old in _OLDER.get(form.list, {}).items() if key in found}
    found |= {**form.fixed, **_nested(nested)}
    return found | _links([*found.get("links", ()), *linked])


def _identified(found: Object) -> dict[str, str]:
    """Return the page of a publication that has an identifier but no address."""
    if "doi" in found:
        return {"url": f"https://doi.org/{found['doi']}"}
    return {"url": f"https://arxiv.org/abs/{found['arxiv']}"} if "arxiv" in found else {}


def _links(found: Iterable[dict[str, str]]) -> Object:
    links = list(found)
    return {"links": links} if links else {}


def _nested(found: Mapping[str, list[int]]) -> Object:
    """Return which points of each list are under the one before."""
    nested = {key: places for key, places in found.items() if places}
    return {"nested": nested} if nested else {}


def _camel(name: str) -> str:
    """Return short-venue as shortVenue."""
    return re.sub("-(.)", lambda letter: letter[1].upper(), name)
