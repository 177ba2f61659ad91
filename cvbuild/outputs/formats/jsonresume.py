"""``--format json``: JSON Resume 1.0.0 (https://jsonresume.org/schema), what a PDF has of a person.

Only what was selected, and nothing that only controls the build. docs/reference/pdf.md has the
table of which field becomes what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date as Day
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.files import file_state
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.contact import NETWORKS, Name
from cvbuild.model.kinds import Listed, Outlined, UnderHeading
from cvbuild.model.locales.dates import Date
from cvbuild.model.sections import MARKS, Author, Bullet, Link, Phrase
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.selection.selected import Selected, SelectedGroup, SelectedSection
from cvbuild.view.types import Item

SCHEMA = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json"
Object = dict[str, Any]


def resume(shown: Selected) -> dict[str, Any]:
    """Return what was selected of a profile as one JSON object; empty keys are left out."""
    profile, contact, values = shown.profile, shown.profile.contact, Values(shown.left_out)
    email, phone = (
        next((item for _, item in values.shown(getattr(contact, name), ("contact", name))), None)
        for name in ("email", "phone")
    )
    website = contact.website[0] if contact.website else None
    accounts = []
    for field, info in type(contact.profiles).model_fields.items():
        network = NETWORKS[info.alias or field]
        for handle in getattr(contact.profiles, field):
            is_address = handle.startswith(("http://", "https://"))
            username = {} if is_address else {"username": handle}
            accounts.append({"network": network.title, **username, "url": network.address(handle)})
    accounts += [{"network": link.label, "url": link.url or ""} for link in contact.links]
    basics = {
        "name": profile.name.display,
        "label": str(profile.headline) if profile.headline else None,
        "email": email.address if email else None,
        "phone": phone.number if phone else None,
        "url": website,
        "website": website,
        "summary": "\n\n".join(str(text) for _, text in shown.items("summary")),
        "profiles": accounts,
    }
    # Themes read what is in it without looking whether it is there.
    address = {"address": str(contact.address)} if contact.address else {}
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
    for section in shown.sections:
        for group in section.groups:
            for name, item in of_group(section, group, values):
                lists[name].append(item)
    meta: dict[str, Any] = {"version": "v1.0.0", "canonical": SCHEMA}
    if profile.updated:
        meta["lastModified"] = f"{profile.updated.isoformat()}T00:00:00"
    meta["language"] = profile.locale
    whole = {
        "$schema": SCHEMA,
        "basics": {key: value for key, value in basics.items() if value} | {"location": address},
        **{name: found for name, found in lists.items() if found},
        "meta": meta,
    }
    meta["cvbuild"] = {"of": digest(whole), "person": of(shown, values)}
    return whole


def to_bytes(shown: Selected) -> bytes:
    """Return the object as a file: UTF-8, indented, in a fixed order."""
    text = json.dumps(resume(shown), ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()


#: Fields with a form of their own there, and the numbers of items.
_OTHERWISE = ("place", "date", "doi", "arxiv", "authors")


class Format(Output):
    """JSON Resume 1.0."""

    name = "json"
    suffix = ".json"

    def make(self, shown: Shown) -> Made:
        """Return what is selected; raise DocumentError if a text of an item is missing from it."""
        # It has to be where all programs look, unless its kind has no list in JSON Resume.
        content = to_bytes(shown.selected)
        written = json.loads(content)
        del written["meta"]["cvbuild"]
        values = text_folding.in_json(json.dumps(written, ensure_ascii=False))
        items = tuple(
            # The name of the key of a grade says what it is: ``score``.
            replace(item, fields={n: v for n, v in item.fields.items() if n != "grade_label"})
            if isinstance(item, Item)
            else item
            for section in shown.view.sections
            if not isinstance(kinds.of(section.kind).json, Outlined)
            for item in section.items
        )
        expected = [text for text in checks.walk(items) if text.path[-1] not in _OTHERWISE]
        figures = checks.require(values, expected, shown.source, ordered=False)
        return Made(content, figures)


# -- as a person's file has it, so that an export comes home whole ---------------------------------
# It is in ``meta.cvbuild``, beside what all programs read.


#: The keys that such a form has, of the person and of a section.
PERSON = (
    "name", "headline", "contact", "summary", "interests", "sections", "closing", "locale",
    "updated",
)  # fmt: skip
SECTION = ("kind", "title", "note", "order", "numbering", "items", "groups")
#: Fields that only find the person among authors.
_FINDING = ("me", "short", "author")


def of(shown: Selected, values: Values) -> dict[str, Any]:
    """Return the person's file of what is shown: nothing that is left out, or steers the build."""
    profile = shown.profile
    closing = _fields(profile.closing, ("closing",), values) if profile.closing else {}
    person: dict[str, Any] = {
        "name": _value(profile.name, ("name",), values),
        "headline": profile.headline.markdown if profile.headline else None,
        "contact": _fields(profile.contact, ("contact",), values),
        "locale": profile.locale,
        "updated": profile.updated.isoformat() if profile.updated else None,
        # The picture of the signature stays beside its file.
        "closing": {key: value for key, value in closing.items() if key != "signature"},
        "sections": [_section(section, values) for section in shown.sections if section.source],
    }
    for section in (section for section in shown.sections if not section.source):
        placed = (item for group in section.groups for item in group.items)
        items = [_value(value, path, values) for path, value in placed]
        person[section.kind] = "\n\n".join(items) if section.kind == "summary" else items
    below = profile.own_sections[1]
    order = (*(key for key in PERSON if key not in below), *below)
    return {key: person[key] for key in order if person.get(key)}


def digest(resume: Mapping[str, Any]) -> str:
    """Return a hash of an export without its ``meta.cvbuild``: who edits it means the edit."""
    text = json.dumps(resume, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return file_state.hash_of(text)[:16]


def _section(section: SelectedSection, values: Values) -> dict[str, Any]:
    source, usual = section.source, type(section.source).model_fields
    whole: dict[str, Any] = {
        "kind": section.kind,
        "title": section.title.markdown if section.title else None,
        "note": source.note.markdown if source.note else None,
        "items": [],
        "groups": [],
    }
    for key in ("order", "numbering"):
        if key in usual and (value := getattr(source, key)) != usual[key].default:
            whole[key] = value
    for group in section.groups:
        items = [_value(value, path, values) for path, value in group.items]
        if group.title is None:
            whole["items"] += items
            continue
        note = {"note": group.note.markdown} if group.note else {}
        whole["groups"].append({"title": group.title.markdown, **note, "items": items})
    return {key: whole[key] for key in SECTION if whole.get(key)}


def _fields(model: BaseModel, path: FieldPath, values: Values) -> dict[str, Any]:
    """Return the fields of a model that are about the person, those with something in them."""
    unseen = ("given", "family") if isinstance(model, Name) and model.full else ()
    pairs = (
        (key, _value(value, place, values))
        for key, value, place in values.fields(model, path)
        if key not in (*_FINDING, *unseen)
    )
    return {key: value for key, value in pairs if value}


def _value(value: Any, path: FieldPath, values: Values) -> Any:
    """Return a value in the shortest form that a file may have; raises TypeError for no form."""
    match value:
        case Prose():
            return value.markdown
        case str():
            return str(value)
        case Day():
            return value.isoformat()
        case Date():
            if value.several:
                return [words(date) for date in value.several]
            return words(value) if value.start else {"text": value.text}
        case Author() if set(value.marks) <= set(MARKS):
            return value.name + value.marks
        case Link() if value.url is None:
            return value.label
        case Link() if value.label not in ("label", "url"):
            return {str(value.label): str(value.url)}
        case FrozenMap():
            return {str(key): inner.markdown for key, inner in value.items()}
        case tuple():
            return [_value(part, at, values) for at, part in values.shown(value, path)]
        case BaseModel():
            fields = _fields(value, path, values)
            if isinstance(value, Shorthand) and fields.keys() == {value.shorthand}:
                return fields[value.shorthand]
            return fields
    raise TypeError(f"{type(value).__name__} at {path} has no form in a person's file")


# -- sections and their items: each goes where its kind describes (``model.kinds``) ----------------


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

    def json(self, value: Any, path: FieldPath) -> Any:
        """Return a value as JSON: a text without its Markdown, a labelled link as an object."""
        # Raises TypeError for an unknown type: nothing is left out silently.
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
                texts: list[Any] = []
                for at, part in self.shown(value, path):
                    # JSON Resume has lists of texts: the bullets below one follow it.
                    texts.append(self.json(part, at))
                    if isinstance(part, Bullet):
                        texts += self.json(part.bullets, (*at, "bullets"))
                return texts
        raise TypeError(f"{type(value).__name__} at {path} has no form in JSON Resume")


def words(date: Date) -> str:
    """Return the date as a person's file has it: Fall 2019, 2019-03 to present."""
    if date.several:
        return ", ".join(map(words, date.several))
    if date.start is None:
        return date.text or ""
    end = "present" if date.present else date.end
    span = f"{date.start} to {end}" if end else str(date.start)
    return f"{span} (expected)" if date.expected else span


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
            # Keywords as one object; without a heading, each by itself.
            title = group.title or section.title
            words = [values.json(item, path) for path, item in group.items]
            objects = [{"name": str(title), "keywords": words}] if title else []
            objects = objects or [{"name": word} for word in words]
            objects = [{**item, "type": form.type} for item in objects]
        case Listed():
            objects = []
            for path, item in group.items:
                named = {key: (value, place) for key, value, place in values.fields(item, path)}
                parts, place = named.pop(form.parts, ((), ()))
                shared = {key: named[key] for key in form.shared if key in named}
                shown = list(values.shown(parts, place))
                # What an employer's entry says of itself belongs to no role.
                if not parts or len(shared) < len(named) or not shown:
                    objects.append(_object(named, form, values))
                # One with several roles is one object for each role.
                for at, part in shown:
                    own = {key: (value, where) for key, value, where in values.fields(part, at)}
                    objects.append(_object({**shared, **own}, form, values))
        case _:
            return
    # The person's own headings above it.
    titles = {"section": section.title, "group": group.title}
    above = {key: str(title) for key, title in titles.items() if title}
    for entry in objects:
        yield form.list, {**entry, **above}


def _object(fields: Mapping[str, tuple[Any, FieldPath]], form: Listed, values: Values) -> Object:
    item: Object = {}
    for name, (value, path) in fields.items():
        # short-venue is shortVenue.
        key = form.keys.get(name) or re.sub("-(.)", lambda letter: letter[1].upper(), name)
        if isinstance(value, Date):
            # The end of a range, or the start of an open one. Words have no key there.
            last = (value.end or value.start).iso if value.start else ""
            if value.start and form.date:
                item[form.date] = last
            elif value.start:
                # Without an end it ends as it starts: an absent endDate means that it continues.
                item["startDate"] = value.start.iso
                item |= {} if value.present else {"endDate": last}
        elif (written := values.json(value, path)) != []:
            item[key] = [written] if key == "roles" else written
    if form.list == "publications" and "url" not in item:
        # The page of one that has an identifier but no address.
        if "doi" in item:
            item["url"] = f"https://doi.org/{item['doi']}"
        elif "arxiv" in item:
            item["url"] = f"https://arxiv.org/abs/{item['arxiv']}"
    if "publishedBy" in item:
        item.setdefault("publisher", item["publishedBy"])
    item |= {old: item[key] for key, old in _OLDER.get(form.list, {}).items() if key in item}
    return {**item, "type": form.type} if form.type else item
