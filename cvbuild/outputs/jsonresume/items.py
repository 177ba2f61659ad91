"""Sections and their items; each goes where its kind describes (``model.kinds``).

Values are plain text, lists without what is left out, ISO dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Listed, UnderHeading
from cvbuild.model.sections import Author, Bullet, Link, Phrase
from cvbuild.selection.selected import SelectedGroup, SelectedSection

#: Fields that select and order, and aren't about the person.
EDITORIAL = frozenset({"keep", "tags", "priority", "private"})


class Values(Struct, frozen=True):
    """Reads values; ``left_out`` has the paths that are left out, with all that is below them."""

    left_out: frozenset[FieldPath]

    def fields(self, model: BaseModel, path: FieldPath) -> Iterator[tuple[str, Any, FieldPath]]:
        """Yield the fields of a model that are about the person: key of the file, value, path."""
        for name, info in type(model).model_fields.items():
            key = info.alias or name
            value = getattr(model, name)
            empty = value is None or (isinstance(value, tuple | str | FrozenMap) and not value)
            if name not in EDITORIAL and not empty:
                yield key, value, (*path, key)

    def shown(self, values: Iterable[Any], path: FieldPath) -> Iterator[tuple[FieldPath, Any]]:
        """Yield the elements of a list that are shown, each with its path."""
        for index, value in enumerate(values):
            if (*path, index) not in self.left_out:
                yield (*path, index), value

    def flat(self, placed: tuple[FieldPath, Any]) -> Iterator[tuple[FieldPath, Any]]:
        """Yield an element of a list, and the bullets below it: JSON Resume has lists of texts."""
        yield placed
        path, value = placed
        if isinstance(value, Bullet):
            yield from self.shown(value.bullets, (*path, "bullets"))

    def json(self, value: Any, path: FieldPath) -> Any:
        """Return a value as JSON: a text without its Markdown, a labelled link as an object.

        Raises TypeError for an unknown type: nothing is left out silently.
        """
        match value:
            case Prose() | str():
                return str(value)
            case Phrase():
                return str(value.text)
            case Author():
                return value.name + value.marks
            case Link():
                url = {"url": value.url} if value.url else {}
                return {"label": value.label, **url}
            case FrozenMap():
                return {key: str(meaning) for key, meaning in value.items()}
            case tuple():
                shown = self.shown(value, path)
                return [self.json(one, place) for below in shown for place, one in self.flat(below)]
        raise TypeError(f"{type(value).__name__} at {path} has no form in JSON Resume")


def ranged(date: Date) -> dict[str, str]:
    """Return keys for lists with startDate and endDate; without an end, a date ends as it starts.

    Why: in JSON Resume an absent endDate means that it continues. Words have no key there.
    """
    if date.start is None:
        return {}
    end = {} if date.present else {"endDate": (date.end or date.start).iso}
    return {"startDate": date.start.iso, **end}


def single(date: Date, key: str) -> dict[str, str]:
    """Return keys for lists with one date: the end of a range, or the start of an open one."""
    return {key: (date.end or date.start).iso} if date.start else {}


def words(date: Date) -> str:
    """Return the date as a person's file has it: Fall 2019, 2019-03 to present."""
    if date.several:
        return ", ".join(map(words, date.several))
    if date.start is None:
        return date.text or ""
    end = "present" if date.present else date.end
    span = f"{date.start} to {end}" if end else str(date.start)
    return f"{span} (expected)" if date.expected else span


Object = dict[str, Any]


# -- sections and their items --------------------------------------------------------------------


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
    """Yield the items of a group as (list, object), in their order; nothing of prose."""
    form = kinds.of(section.kind).json
    match form:
        case UnderHeading():
            objects = [{**one, **form.fixed} for one in _under_heading(section, group, values)]
        case Listed():
            objects = [one for path, item in group.items for one in _all(item, path, form, values)]
        case _:
            return
    # The person's own headings above it.
    titles = {"section": section.title, "group": group.title}
    place = {key: str(title) for key, title in titles.items() if title}
    for entry in objects:
        yield form.list, {**entry, **place}


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
    named = {key: (value, place) for key, value, place in values.fields(item, path)}
    if form.parts not in named:
        yield _object(named, form, values)
        return
    parts, place = named.pop(form.parts)
    shared = {key: named[key] for key in form.shared if key in named}
    shown = list(values.shown(parts, place))
    # What the employer's entry says of itself belongs to no role.
    if len(shared) < len(named) or not shown:
        yield _object(named, form, values)
    for at, part in shown:
        fields = {key: (value, where) for key, value, where in values.fields(part, at)}
        yield _object({**shared, **fields}, form, values)


def _object(fields: Mapping[str, tuple[Any, FieldPath]], form: Listed, values: Values) -> Object:
    item: Object = {}
    for name, (value, path) in fields.items():
        # short-venue is shortVenue.
        key = form.keys.get(name) or re.sub("-(.)", lambda letter: letter[1].upper(), name)
        if isinstance(value, Date):
            item |= single(value, form.date) if form.date else ranged(value)
        elif (written := values.json(value, path)) != []:
            item[key] = [written] if key == "roles" else written
    if form.list == "publications" and "url" not in item:
        item |= _identified(item)
    if "publishedBy" in item:
        item.setdefault("publisher", item["publishedBy"])
    item |= {old: item[key] for key, old in _OLDER.get(form.list, {}).items() if key in item}
    return {**item, **form.fixed}


def _identified(item: Object) -> dict[str, str]:
    """Return the page of a publication that has an identifier but no address."""
    if "doi" in item:
        return {"url": f"https://doi.org/{item['doi']}"}
    return {"url": f"https://arxiv.org/abs/{item['arxiv']}"} if "arxiv" in item else {}
