"""What was selected of a profile as a person's file has it, so that an export comes home whole.

It is in ``meta.cvbuild`` of our JSON Resume, beside what all programs read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date as Day
from typing import Any

from pydantic import BaseModel

from cvbuild.common import hashes
from cvbuild.common.diagnostics import FieldPath
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.contact import Name
from cvbuild.model.dates import Date
from cvbuild.model.parts import MARKS, Author, Link
from cvbuild.model.profile import Profile
from cvbuild.outputs.jsonresume.items import Values, words
from cvbuild.selection.selected import Selected, SelectedSection

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
    person: dict[str, Any] = {
        "name": _value(profile.name, ("name",), values),
        "headline": profile.headline.markdown if profile.headline else None,
        "contact": _fields(profile.contact, ("contact",), values),
        "locale": profile.locale,
        "updated": profile.updated.isoformat() if profile.updated else None,
        "closing": closing(profile, values),
        "sections": [_section(one, values) for one in shown.sections if one.source],
    }
    for section in (one for one in shown.sections if not one.source):
        placed = (one for group in section.groups for one in group.items)
        items = _items(placed, values)
        person[section.kind] = "\n\n".join(items) if section.kind == "summary" else items
    below = profile.own_sections[1]
    order = (*(key for key in PERSON if key not in below), *below)
    return {key: person[key] for key in order if person.get(key)}


def closing(profile: Profile, values: Values) -> dict[str, Any]:
    """Return where and when it is signed; the picture of the signature stays beside its file."""
    fields = _fields(profile.closing, ("closing",), values) if profile.closing else {}
    return {key: value for key, value in fields.items() if key != "signature"}


def digest(resume: Mapping[str, Any]) -> str:
    """Return a hash of an export without its ``meta.cvbuild``: who edits it means the edit."""
    text = json.dumps(resume, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashes.digest(text)[:16]


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
        items = _items(group.items, values)
        if group.title is None:
            whole["items"] += items
            continue
        note = {"note": group.note.markdown} if group.note else {}
        whole["groups"].append({"title": group.title.markdown, **note, "items": items})
    return {key: whole[key] for key in SECTION if whole.get(key)}


def _items(placed: Iterable[tuple[FieldPath, Any]], values: Values) -> list[Any]:
    return [_value(value, path, values) for path, value in placed]


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
                return [words(one) for one in value.several]
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
            return _items(values.shown(value, path), values)
        case BaseModel():
            fields = _fields(value, path, values)
            if isinstance(value, Shorthand) and fields.keys() == {value.shorthand}:
                return fields[value.shorthand]
            return fields
    raise TypeError(f"{type(value).__name__} at {path} has no form in a person's file")
