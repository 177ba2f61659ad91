"""``--format json``: JSON Resume 1.0.0 (https://jsonresume.org/schema), what a PDF has of a person.

Only what was selected: what a variant leaves out is not in it, nor what only controls the build
(tags, priorities, options, spellings for finding the person among authors). docs/reference/pdf.md
has the table of which field becomes what. Pure: the same input gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date as Day
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common import hashes
from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.contact import NETWORKS, Name, Profiles, is_national_number, phone_link
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Outlined
from cvbuild.model.profile import Profile
from cvbuild.model.sections import MARKS, Author, Link
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.jsonresume import items
from cvbuild.outputs.jsonresume.items import Values, words
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.selection.selected import Selected, SelectedSection
from cvbuild.view.types import Content, Item


def _basics(shown: Selected, values: Values) -> dict[str, Any]:
    """Return name, headline, addresses, accounts and summary; further addresses as lists."""
    profile, contact = shown.profile, shown.profile.contact
    emails = _labelled(values, contact.email, ("contact", "email"), "address")
    numbers = _labelled(values, contact.phone, ("contact", "phone"), "number")
    if contact.country:
        country = {"country": contact.country}
        # A number without its country is one of that country, if it can be.
        numbers = [
            one | country
            if is_national_number(one["number"]) and phone_link(one["number"], contact.country)
            else one
            for one in numbers
        ]
    basics = {
        "name": profile.name.display,
        "label": str(profile.headline) if profile.headline else None,
        "email": emails[0]["address"] if emails else None,
        "phone": numbers[0]["number"] if numbers else None,
        "url": contact.website[0] if contact.website else None,
        "website": contact.website[0] if contact.website else None,
        "summary": "\n\n".join(str(text) for _, text in shown.items("summary")),
        "birthDate": words(contact.birth_date) if contact.birth_date else None,
        "nationalities": list(map(str, contact.nationality)),
        "other": [{"label": name, "text": str(text)} for name, text in contact.other.items()],
        "profiles": _accounts(contact.profiles, contact.links),
        **_names(profile.name),
        "emails": emails if _says_more(emails) else None,
        "phones": numbers if _says_more(numbers) else None,
        "websites": list(contact.website) if len(contact.website) > 1 else None,
    }
    # Themes read what is in it without looking whether it is there.
    address = {"address": str(contact.address)} if contact.address else {}
    return {key: value for key, value in basics.items() if value} | {"location": address}


def _labelled(
    values: Values, entries: tuple[Any, ...], path: tuple[str, ...], key: str
) -> list[dict[str, str]]:
    """Return the addresses with their labels."""
    return [
        {key: getattr(one, key)} | ({"label": one.label} if one.label else {})
        for _, one in values.shown(entries, path)
    ]


def _says_more(entries: list[dict[str, str]]) -> bool:
    """Return whether the list has more than its first address, which has its own key."""
    return len(entries) > 1 or any(len(one) > 1 for one in entries)


def _names(name: Name) -> dict[str, Any]:
    """Return the printed forms of the name besides its main form.

    Forms that only find the person among authors (short, author, the parts of a full name) are in
    no document, so they stay out.
    """
    parts = {} if name.full else {"givenName": name.given, "familyName": name.family}
    others = [{"label": other.label, "name": other.name} for other in name.others]
    return {**parts, "nativeName": name.native, "otherNames": others}


def _accounts(accounts: Profiles, links: Iterable[Link]) -> list[dict[str, str]]:
    listed = []
    for field, info in type(accounts).model_fields.items():
        network = NETWORKS[info.alias or field]
        for handle in getattr(accounts, field):
            address = handle.startswith(("http://", "https://"))
            username = {} if address else {"username": handle}
            listed.append({"network": network.title, **username, "url": network.address(handle)})
    listed += [{"network": link.label, "url": link.url or ""} for link in links]
    return listed


SCHEMA = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json"


def resume(shown: Selected) -> dict[str, Any]:
    """Return what was selected of a profile as one JSON object; empty keys are left out."""
    profile = shown.profile
    values = Values(shown.left_out)
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in items.LISTS}
    for section in shown.sections:
        for group in section.groups:
            for name, item in items.of_group(section, group, values):
                lists[name].append(item)
    meta: dict[str, Any] = {"version": "v1.0.0", "canonical": SCHEMA}
    if profile.updated:
        meta["lastModified"] = f"{profile.updated.isoformat()}T00:00:00"
    meta["language"] = profile.locale
    signed = {key: str(getattr(profile.closing, key)) for key in closing(profile, values)}
    whole = {
        "$schema": SCHEMA,
        "basics": _basics(shown, values),
        **{name: found for name, found in lists.items() if found},
        **({"closing": signed} if signed else {}),
        "meta": meta,
    }
    meta["cvbuild"] = {"of": digest(whole), "person": of(shown, values)}
    return whole


def to_bytes(shown: Selected) -> bytes:
    """Return the object as a file: UTF-8, indented, in a fixed order."""
    text = json.dumps(resume(shown), ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()


# -- the format ----------------------------------------------------------------------------------


#: Labels that the names of keys say there: ``score``.
_LABELS = ("grade_label",)


class Format(Output):
    """JSON Resume 1.0."""

    name = "json"
    suffix = ".json"

    def make(self, shown: Shown) -> Made:
        """Return what is selected; raise DocumentError if a text of an item is missing from it.

        It has to be where all programs look, unless its kind has no list in JSON Resume.
        """
        content = to_bytes(shown.selected)
        written = json.loads(content)
        del written["meta"]["cvbuild"]
        values = text_folding.in_json(json.dumps(written, ensure_ascii=False))
        items = tuple(
            _values(item)
            for section in shown.view.sections
            if not isinstance(kinds.of(section.kind).json, Outlined)
            for item in section.items
        )
        expected = [*filter(checks.is_as_written, checks.walk(items))]
        figures = checks.require(values, expected, shown.task.source, ordered=False)
        return Made(content, figures)


def _values(item: Item | Content) -> object:
    if isinstance(item, Item):
        return replace(item, fields={n: v for n, v in item.fields.items() if n not in _LABELS})
    return item


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
