"""ORCID's record of a person, or a half of it, as JSON or XML: pub.orcid.org/v3.0/<iD>/record."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.records import orcid_activities
from cvbuild.importers.sources import located_json, located_xml
from cvbuild.importers.sources.located import Value, lose_unread
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.types import Given, Imported
from cvbuild.inputs.references import texts

_ROOT = re.compile(rb"<(?:[\w-]+:)?(?:record|person|activities-summary)\b[^>]*orcid\.org/ns/")
#: Keys that only a record has, or one of its halves.
_KEYS = (
    (b'"orcid-identifier"',),
    (b'"activities-summary"',),
    (b'"given-names"', b'"credit-name"'),
    (b'"given-names"', b'"researcher-urls"'),
    (b'"affiliation-group"', b'"last-modified-date"'),
)
_NUMBER = re.compile(r"(?:\d{4}-){3}\d{3}[\dX]")
#: What only the registry uses.
_REGISTRY = frozenset(
    (
        "put-code", "path", "visibility", "last-modified-date", "created-date", "source", "history",
        "display-index", "disambiguated-organization", "preferences", "review-group-id",
        "external-id-normalized", "external-id-normalized-error", "external-id-relationship",
        "source-work-id", "uri", "host", "language-code", "country-code", "primary", "verified",
    )
)  # fmt: skip


class Format:
    """An ORCID record."""

    name = "orcid"
    title = "ORCID record"

    def recognises(self, given: Given) -> bool:
        """Return whether the file is JSON with keys of a record, or XML of ORCID's."""
        head = given.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if head.startswith(b"<"):
            return bool(_ROOT.search(head))
        return head.startswith(b"{") and any(all(key in head for key in keys) for keys in _KEYS)

    def read(self, given: Given) -> Imported:
        """Return the person; raise a located CvbuildError for another version or another file."""
        is_xml = given.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        parse = _parsed_xml if is_xml else located_json.parse
        root = _whole(parse(given.data, given.name))
        person, activities = root.mapping("person"), root.mapping("activities-summary")
        if not person.data and not activities.data:
            message = "the file has neither a person nor activities of ORCID 3.0"
            hint = "save pub.orcid.org/v3.0/<iD>/record, asked for with Accept: application/json"
            raise CvbuildError.because("orcid", message, hint, Span(given.name))
        draft = Draft(given.name)
        hidden: dict[str, None] = {}
        _hide(root, hidden)
        if number := root.mapping("orcid-identifier").text("path"):
            networks.put(draft, "orcid", number, place=root.where("orcid-identifier"))
        _person(draft, person)
        orcid_activities.read(draft, activities)
        _lose_identifiers(draft, root, None)
        lose_unread(root, draft)
        draft.lose("what only ORCID uses", ", ".join(sorted(hidden)), Span(given.name))
        return draft.done()


def _whole(root: Value) -> Value:
    """Return a record; what is one of its halves is put into one."""
    halves = {"person": ("given-names", "emails", "keywords"), "activities-summary": ("works",)}
    for key, telling in halves.items():
        name = root.mapping("name")
        if key not in (root.data or ()) and any(root.get(one) or name.get(one) for one in telling):
            made = Value({key: root}, root.place)
            if number := _NUMBER.search(root.text("path")):
                path = Value(number[0], root.place, "path")
                made.add("orcid-identifier", Value({"path": path}, root.place))
            return made
    return root


def _hide(value: Value, hidden: dict[str, None]) -> None:
    """Mark what is for the registry as read; but paths and visibilities are read once more."""
    for key, inner in value.data.items() if isinstance(value.data, dict) else ():
        if key in _REGISTRY and inner.data is not None:
            inner.read()
            hidden[key] = None
    for one in value.parts():
        if not one.is_read:
            _hide(one, hidden)


def _lose_identifiers(draft: Draft, value: Value, near: object) -> None:
    """List each identifier that has no key on one line; those of other databases are for them."""
    near = value.near or near
    for key, inner in value.data.items() if isinstance(value.data, dict) else ():
        if key == "external-id":
            for one in inner.parts():
                number = one.get("external-id-value")
                if number is not None and not number.is_read:
                    kind, words = one.text("external-id-type"), number.own_text()
                    if kind != "source-work-id":
                        draft.lose(inner.path, f"{kind} {words}", one.place, near)
                    one.read()
    for inner in value.parts():
        _lose_identifiers(draft, inner, near)


def _person(draft: Draft, person: Value) -> None:
    name = person.mapping("name")
    given, family, credit = (
        texts.line(name.mapping(key).text("value"))
        for key in ("given-names", "family-name", "credit-name")
    )
    parts = {"given": given, "family": family}
    if credit and credit != f"{given} {family}":
        parts["full"] = credit
    draft.put("name", parts if given and family else credit or given or family, name.place)
    others = [texts.line(one.text("content")) for one in _all(person, "other-names", "other-name")]
    if others and isinstance(draft.data.get("name"), dict):
        draft.put("name.author", list(dict.fromkeys(others)))
    elif others:
        draft.lose("person.other-names", others, person.where("other-names"))
    biography = person.mapping("biography")
    paragraphs = [texts.plain(one) for one in texts.paragraphs(biography.text("content"))]
    draft.put("summary", paragraphs, biography.place)
    for one in _all(person, "emails", "email"):
        address = texts.line(one.text("email"))
        hidden = orcid_activities.is_hidden(one)
        draft.put("contact.email", [{"address": address, "private": "true"} if hidden else address])
    for one in _all(person, "addresses", "address"):
        code = texts.line(one.mapping("country").text("value"))
        if re.fullmatch("[A-Z]{2}", code):
            draft.put("contact.country", code, one.place)
        else:
            draft.lose("person.addresses", code, one.place)
    for one in _all(person, "researcher-urls", "researcher-url"):
        address = one.mapping("url").text("value")
        networks.put(draft, one.text("url-name"), url=address, place=one.place)
    for one in _all(person, "external-identifiers", "external-identifier"):
        address = one.mapping("external-id-url").text("value")
        kind, number = one.text("external-id-type"), one.text("external-id-value")
        known = networks.key_of(kind) is not None
        networks.put(draft, kind, number, "" if known else address, one.place)
    words = [texts.plain(one.text("content")) for one in _all(person, "keywords", "keyword")]
    draft.put("interests", words, person.where("keywords"))


def _all(value: Value, outer: str, inner: str) -> list[Value]:
    return value.mapping(outer).mappings(inner)


class _Part(Value):
    """A value whose text is also that under ``value``, as JSON has many of them."""

    __slots__ = ()

    def mapping(self, key: str) -> Value:
        one = self.get(key)
        if one is not None and isinstance(one.data, str):
            return _Part({"value": one}, one.place, one.path)
        return super().mapping(key)


def _parsed_xml(data: bytes, name: str) -> Value:
    """Return a record as XML as the tree that its JSON is: the same names, in another writing."""
    root = located_xml.parse(data, name)
    if root.name == "record":
        return _part(root)
    # A person or its activities by themselves are parts of a record.
    made = Value({}, root.place)
    made.add(root.name, _part(root))
    return made


def _part(element: Element) -> Value:
    """Return an element: a text, or a mapping of its attributes and children."""
    text = " ".join("".join(part for part in element.parts if isinstance(part, str)).split())
    if not element.attributes and not element.children:
        return _Part(text, element.place)
    made = _Part({}, element.place)
    for key, words in element.attributes.items():
        made.add(key, _Part(words, element.place))
    if text:
        made.add("value", _Part(text, element.place))
    names = [child.name for child in element.children]
    for key in dict.fromkeys(names):
        several = [child for child in element.children if child.name == key]
        if element.name == "affiliation-group" and key.endswith("-summary"):
            _add_all(made, "summaries", [_under(key, child) for child in several])
        elif len(several) == 1:
            made.add(key, _part(several[0]))
        else:
            _add_all(made, key, [_part(child) for child in several])
    return made


def _add_all(made: Value, key: str, values: list[Value]) -> None:
    several = _Part([], made.place)
    made.add(key, several)
    for value in values:
        several.add(None, value)


def _under(key: str, element: Element) -> Value:
    made = _Part({}, element.place)
    made.add(key, _part(element))
    return made
