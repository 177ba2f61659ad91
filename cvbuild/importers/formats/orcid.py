"""ORCID's record of a person, as JSON or XML: pub.orcid.org/v3.0/<iD>/record."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import bibtex
from cvbuild.importers.sources import located, located_xml
from cvbuild.importers.sources.located import Value, lose_unread
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import dates
from cvbuild.inputs.references import reference, texts
from cvbuild.inputs.references.reference import Reference

_ROOT = re.compile(rb"<(?:[\w-]+:)?(?:record|person|activities-summary)\b[^>]*orcid\.org/ns/")
#: Keys that only a record has, or one of its halves, which by itself is refused.
_KEYS = (
    (b'"orcid-identifier"',),
    (b'"activities-summary"',),
    (b'"given-names"', b'"credit-name"'),
    (b'"given-names"', b'"researcher-urls"'),
    (b'"affiliation-group"', b'"last-modified-date"'),
)
#: What only the registry uses.
_REGISTRY = frozenset(
    (
        "put-code", "path", "visibility", "last-modified-date", "created-date", "source", "history",
        "display-index", "disambiguated-organization", "preferences", "review-group-id",
        "external-id-normalized", "external-id-normalized-error", "external-id-relationship",
        "source-work-id", "uri", "host", "language-code", "country-code", "primary", "verified",
    )
)  # fmt: skip


#: In JSON the summaries of such a group are a list.
_LISTED = {"affiliation-group": "summaries"}


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
        if is_xml:
            root = located_xml.as_value(located_xml.parse(given.data, given.name), _LISTED)
        else:
            root = located.parse_json(given.data, given.name)
        person, activities = root.mapping("person"), root.mapping("activities-summary")
        if not person.data and not activities.data:
            message = "the file has neither a person nor activities of ORCID 3.0"
            hint = "save pub.orcid.org/v3.0/<iD>/record, asked for with Accept: application/json"
            raise CvbuildError.because("orcid", message, hint, Span(given.name))
        draft = Draft(given.name)
        _hide(root)
        if number := root.mapping("orcid-identifier").text("path"):
            networks.put(draft, "orcid", number, place=root.where("orcid-identifier"))
        _person(draft, person)
        _activities(draft, activities)
        _lose_identifiers(draft, root, None)
        lose_unread(root, draft)
        return draft.done()


def _hide(value: Value) -> None:
    """Mark what is for the registry as read; but paths and visibilities are read once more."""
    for key, inner in value.data.items() if isinstance(value.data, dict) else ():
        if key in _REGISTRY and inner.data is not None:
            inner.read()
    for one in value.parts():
        if not one.is_read:
            _hide(one)


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
        hidden = is_hidden(one)
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


# -- activities -----------------------------------------------------------------------------------


def _activities(draft: Draft, activities: Value) -> None:
    """Put all activities into a draft."""
    for name, kind, title in _AFFILIATIONS:
        for group in activities.mapping(f"{name}s").mappings(
            "affiliation-group", f"{name}-summary"
        ):
            _pass_by(group)
            entries = group.mappings("summaries") or [group]
            for entry in entries:
                one = entry.mapping(f"{name}-summary") if entry.get(f"{name}-summary") else entry
                one.near = draft.add(kind, _shown(_affiliation(one, kind), one), one.place, title)
    for group in activities.mapping("fundings").mappings("group"):
        _pass_by(group)
        for one in group.mappings("funding-summary"):
            kind, item = _funding(one)
            one.near = draft.add(kind, _shown(item, one), one.place)
    _works(draft, activities.mapping("works"))
    _reviews(draft, activities.mapping("peer-reviews"))
    for group in activities.mapping("research-resources").mappings("group"):
        _pass_by(group)
        for one in group.mappings("research-resource-summary"):
            item = _resource(one.mapping("proposal"))
            one.near = draft.add("project", _shown(item, one), one.place, "Research resources")


def is_hidden(value: Value) -> bool:
    """Return whether not everybody may see it."""
    return value.text("visibility").lower() in ("limited", "private")


def _shown(item: dict[str, Any], one: Value) -> dict[str, Any]:
    return {**item, "private": "true"} if is_hidden(one) else item


def _pass_by(group: Value) -> None:
    """Mark the identifiers of a group as read: its members have them, too."""
    if inner := group.get("external-ids"):
        inner.read()


# -- posts, degrees, prizes ------------------------------------------------------------------------


#: The kinds of affiliations: kind and title of their section.
_AFFILIATIONS: tuple[tuple[str, str, str | None], ...] = (
    ("employment", "experience", None),
    ("invited-position", "experience", "Invited Positions"),
    ("education", "education", None),
    ("qualification", "certificate", None),
    ("distinction", "award", None),
    ("membership", "service", "Memberships"),
    ("service", "service", None),
)


def _affiliation(one: Value, kind: str) -> dict[str, Any]:
    """Return what an affiliation says under the keys of a kind."""
    found = _common(one, goes_on=kind not in ("certificate", "award"))
    organization = found.pop("organization")
    if kind == "experience":
        return {"employer": organization, **found}
    title, department = found.pop("title"), found.pop("department")
    if kind == "education":
        return {"institution": organization, "degree": title, "area": department, **found}
    whole = _joined(department, organization)
    if kind == "certificate":
        issuer = _joined(whole, found.pop("location"))
        return {"name": title or "Qualification", "issuer": issuer, **found}
    if kind == "award":
        return {"title": title or "Distinction", "awarder": whole, **found}
    return {"role": title or "Member", "organization": whole, **found}


def _common(one: Value, *, goes_on: bool) -> dict[str, Any]:
    organization = one.mapping("organization")
    return {
        "organization": texts.plain(organization.text("name")),
        "department": texts.plain(one.text("department-name")),
        "title": texts.plain(one.text("role-title")),
        "location": _town(organization),
        "date": _range(one, goes_on=goes_on),
        "url": one.mapping("url").text("value"),
    }


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _town(organization: Value) -> str:
    address = organization.mapping("address")
    return texts.plain(_joined(*(address.text(key) for key in ("city", "region", "country"))))


def _date(value: Value) -> Any:
    return reference.date(*(value.mapping(key).text("value") for key in ("year", "month", "day")))


def _range(one: Value, *, goes_on: bool) -> Any:
    """Return from when to when; ORCID leaves out the end of what goes on."""
    start, end = _date(one.mapping("start-date")), _date(one.mapping("end-date"))
    if isinstance(start, dict) or isinstance(end, dict):
        words = [one["text"] if isinstance(one, dict) else one for one in (start, end) if one]
        return {"text": " to ".join(words)}
    return dates.between(start or "", end or "", goes_on=goes_on)


# -- funding, works, reviews -----------------------------------------------------------------------


def _funding(one: Value) -> tuple[str, dict[str, Any]]:
    organization = one.mapping("organization")
    title = texts.plain(one.mapping("title").mapping("title").text("value"))
    kind = one.text("type").lower()
    number, address = "", ""
    for which in one.mapping("external-ids").mappings("external-id"):
        kinds = ("grant_number", "award", "proposal-id")
        if not number and which.text("external-id-type") in kinds:
            number = texts.plain(which.text("external-id-value"))
            address = which.mapping("external-id-url").text("value")
    found = {"title": title, "date": _range(one, goes_on=False)}
    url = one.mapping("url").text("value") or address
    where = texts.plain(organization.text("name"))
    town = _town(organization)
    if kind == "award":
        return "award", {**found, "awarder": where, "location": town, "url": url}
    place = f"{where}, {town}" if town else where
    return "grant", {**found, "funder": place, "number": number, "url": url}


def _works(draft: Draft, works: Value) -> None:
    for group in works.mappings("group"):
        _pass_by(group)
        versions = group.mappings("work-summary")
        # The person prefers the one with the highest index; the others describe the same work.
        versions.sort(key=lambda one: -_number(one.text("display-index")))
        shown: list[tuple[Value, Reference]] = []
        for one in versions:
            if shown and _same(one, versions[0]):
                _complete(shown[0][1], _work(one), one.path)
                one.read()
            else:
                shown.append((one, _work(one)))
        for one, made in shown:
            one.near = bibtex.add_work(draft, made)
            if is_hidden(one):
                one.near["private"] = "true"


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0


def _complete(made: Reference, other: Reference, path: str) -> None:
    """Add what a further version of a work says besides, and list what it says in other words."""
    for key, value in other.item.items():
        known, found = (_bare(item.get(key)) for item in (made.item, other.item))
        if key in _TOLD and known not in ("", found):
            made.lost.append((f"{path}: {key}", value, other.places.get(key, other.place)))
        # A page, often that of a database, is for a work that has no number.
        elif key != "url" or not made.item.keys() & {"doi", "arxiv"}:
            made.item.setdefault(key, value)
    made.lost += [one for one in other.lost if one[:2] not in {known[:2] for known in made.lost}]


#: What is listed if versions of a work differ in it.
_TOLD = ("title", "venue", "book", "doi", "arxiv")


def _bare(value: object) -> str:
    return str(value or "").casefold().rpartition("doi.org/")[2]


def _same(one: Value, other: Value) -> bool:
    """Return whether two versions of a work say the same title."""
    titles = (each.mapping("title").mapping("title").text("value") for each in (one, other))
    first, second = (texts.line(title).casefold() for title in titles)
    return first == second


def _work(one: Value) -> Reference:
    made = Reference(one.place, bibtex.type_of(one.text("type")))
    title = one.mapping("title")
    main, sub = title.mapping("title").text("value"), title.mapping("subtitle").text("value")
    made.put("title", texts.plain(f"{main}: {sub}" if sub else main), title.place)
    people = one.mapping("contributors").mappings("contributor")
    found = [
        reference.of_inverted(person.mapping("credit-name").text("value")) for person in people
    ]
    made.put("authors", [name for name in found if name])
    venue = texts.plain(one.mapping("journal-title").text("value"))
    key = "book" if made.type == "incollection" else "venue"
    made.put(key, venue, one.where("journal-title"))
    made.put("date", _date(one.mapping("publication-date")))
    for which in one.mapping("external-ids").mappings("external-id"):
        kind = which.text("external-id-type").lower()
        if which.text("external-id-relationship").lower() == "part-of":
            # It is the number of the book or the series.
            continue
        if kind in ("doi", "arxiv"):
            made.put(kind, texts.line(which.text("external-id-value")), which.place, kind)
        elif kind == "pat":
            made.put("number", texts.plain(which.text("external-id-value")), which.place, kind)
        elif kind == "uri":
            made.put("url", texts.line(which.text("external-id-value")), which.place, kind)
        else:
            continue
        which.read()
    address = texts.line(one.mapping("url").text("value"))
    if address and address != made.item.get("url"):
        made.put("url", address, one.where("url"), "url")
    return made


#: What the heading of the section says of each review.
_REVIEWS = ("", "review", "evaluation")


def _reviews(draft: Draft, reviews: Value) -> None:
    """Put reviews, of which there may be hundreds, as one item for each role and organisation."""
    items: dict[tuple[str, str], dict[str, Any]] = {}
    for group in reviews.mappings("group"):
        _pass_by(group)
        for inner in group.mappings("peer-review-group"):
            _pass_by(inner)
            for one in inner.mappings("peer-review-summary"):
                organization = one.mapping("convening-organization")
                role = texts.plain(one.text("reviewer-role")).replace("-", " ").capitalize()
                key = (role or "Reviewer", texts.plain(organization.text("name")))
                if key not in items:
                    made = {"role": key[0], "organization": key[1], "location": _town(organization)}
                    items[key] = draft.add("service", made, one.place, "Peer Review")
                    items[key]["date"] = []
                if (town := _town(organization)) not in ("", items[key].get("location")):
                    draft.lose(organization.path, town, organization.place, items[key])
                year = str(_date(one.mapping("completion-date")) or "")[:4]
                if year and year not in items[key]["date"]:
                    items[key]["date"].append(year)
                kind = one.text("review-type")
                if kind.lower() not in _REVIEWS:
                    draft.lose("review-type", kind, one.where("review-type"), items[key])
                one.near = items[key]
    for item in items.values():
        item["date"].sort()
        if len(item["date"]) == 1:
            item["date"] = item["date"][0]


def _resource(proposal: Value) -> dict[str, Any]:
    hosts = proposal.mapping("hosts").mappings("organization")
    return {
        "name": texts.plain(proposal.mapping("title").mapping("title").text("value")),
        "organization": ", ".join(texts.plain(one.text("name")) for one in hosts),
        "location": "; ".join(_town(one) for one in hosts),
        "date": _range(proposal, goes_on=False),
        "url": proposal.mapping("url").text("value"),
    }
