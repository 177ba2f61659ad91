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
            objects: Iterable[Object] = (
                {"name": values.json(item, path)} for path, item in group.items
            )
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


def _place(section: SelectedSection, group: SelectedGroup) -> Object:
    """Return the person's own headings above an item."""
    found = {"section": section.title, "group": group.title}
    return {key: str(value) for key, value in found.items() if value}


def _under_heading(
    section: SelectedSection, group: SelectedGroup, values: Values
) -> Iterator[Object]:
    """Yield keywords under a heading as one object; without one, each by itself."""
    title = group.title or section.title
    if title is None:
        yield from ({"name": values.json(item, path)} for path, item in group.items)
        return
    words = [values.json(item, path) for path, item in group.items]
    yield {"name": str(title), "keywords": words}


def _all(item: Any, path: FieldPath, form: Listed, values: Values) -> Iterator[Object]:
    """Yield an item as one object; an employer with several roles as one for each role."""
    own = {key: (value, place) for key, value, place in values.fields(item, path)}
    if form.parts not in own:
        yield _object(own, form, values)
        return
    parts, place = own.pop(form.parts)
    shared = {key: own[key] for key in form.shared if key in own}
    shown = list(values.shown(parts, place))
    # What the employer's entry says of itself belongs to no role.
    if len(shared) < len(own) or not shown:
        yield _object(own, form, values)
    for at, part in shown:
        fields = {key: (value, where) for key, value, where in values.fields(part, at)}
        yield _object({**shared, **fields}, form, values)


def _object(fields: Mapping[str, tuple[Any, FieldPath]], form: Listed, values: Values) -> Object:
    found: Object = {}
    for name, (value, path) in fields.items():
        key = form.keys.get(name) or _camel(name)
        if isinstance(value, Date):
            found |= dates.single(value, form.date) if form.date else dates.ranged(value)
        elif (made := values.json(value, path)) != []:
            found[key] = [made] if key == "roles" else made
    if form.list == "publications" and "url" not in found:
        found |= _identified(found)
    if "publishedBy" in found:
        found.setdefault("publisher", found["publishedBy"])
    found |= {old: found[key] for key, old in _OLDER.get(form.list, {}).items() if key in found}
    return {**found, **form.fixed}


def _identified(found: Object) -> dict[str, str]:
    """Return the page of a publication that has an identifier but no address."""
    if "doi" in found:
        return {"url": f"https://doi.org/{found['doi']}"}
    return {"url": f"https://arxiv.org/abs/{found['arxiv']}"} if "arxiv" in found else {}


def _camel(name: str) -> str:
    """Return short-venue as shortVenue."""
    return re.sub("-(.)", lambda letter: letter[1].upper(), name)
