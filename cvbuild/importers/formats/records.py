"""Records of works: BibTeX, BibLaTeX, and ORCID's as JSON (pub.orcid.org/v3.0/ID/record)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, descriptions, networks, values
from cvbuild.importers.documents import items
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value
from cvbuild.inputs.references import bibtex, bibtex_file, reference
from cvbuild.inputs.references.reference import Reference
from cvbuild.model.text import texts

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_TYPES = {str(word): str(kind) for kind, row in _TABLES["types"].items() for word in row.split()}

# -- BibTeX ----------------------------------------------------------------------------------------

#: Characters of an entry that can't be read, in a comment.
_LONGEST = 2000


class BibTeX(Importer):
    """Lists of publications in BibTeX: an entry begins in the first part, which is text."""

    signs = (
        rb"\A(?!%PDF|PK\x03\x04|\0)",
        rb"^[ \t]*@[ \t]*([A-Za-z]+)[ \t]*[{(]\s*[^\s{}(),=\"#%']+[ \t]*(?:,|\})",
    )

    def read(self, given: Given) -> Imported:
        """Return its publications and patents; raises CvbuildError if no entry can be read."""
        found = bibtex_file.read(texts.decoded(given.data), given.name)
        if not found.entries:
            raise bibtex_file.nothing(found, given.name)
        draft = Draft(given.name)
        works: list[Reference] = []
        for entry in found.entries:
            if bibtex.is_work(entry, found.parents):
                works.append(bibtex.of(entry))
                add_work(draft, works[-1])
                continue
            # Others inherit of its fields.
            for name in bibtex_file.not_inherited(entry):
                if not bibtex.is_managed(name):
                    draft.lose(f"{entry.key}: {name}", entry.fields[name], entry.places[name])
        for fault in bibtex.unread(works):
            draft.lose(fault.message, fault.hint, fault.span)
        lines = [*map(str.strip, texts.decoded(given.data).split("\n"))]
        for fault in found.faults:
            begin, end = (fault.span.line, fault.span.end_line) if fault.span else (1, len(lines))
            shown = "\n".join(lines[begin - 1 : max(begin, end)])[:_LONGEST]
            draft.lose(f"{fault.message} ({fault.hint})", shown, fault.span)
        for what, value, place in found.texts:
            draft.lose(what, value.strip(), place)
        return draft.done()


# -- references in a draft, of ORCID, too: as publications and patents -----------------------------


def add_work(draft: Draft, reference: Reference) -> dict[str, Any]:
    """Add a work to a draft, with notes of what has no key; return its item."""
    is_patent = reference.type == "patent"
    item = reference.patent() if is_patent else reference.publication()
    if isinstance(words := item.get("date"), dict):
        item["date"] = words["text"]
    if item.get("title"):
        item = draft.add("patent" if is_patent else "publication", item, reference.place)
    else:
        draft.lose("work without a title", item, reference.place)
    for what, value, place in reference.lost:
        draft.lose(what, value, place, item)
    return item


def type_of(word: str) -> str:
    """Return the kind of work; the word itself if it says nothing that a reader must be told."""
    bare = word.strip().lower().replace("_", "-").replace(" ", "-")
    return _TYPES.get(bare, bare)


# -- ORCID -----------------------------------------------------------------------------------------

_ROOT = rb"<(?:[\w-]+:)?(?:record|person|activities-summary)\b[^>]*orcid\.org/ns/"
_JSON = "save pub.orcid.org/v3.0/<iD>/record, asked for with Accept: application/json"
#: What only the registry uses.
_REGISTRY = frozenset(_TABLES["registry"].split())


class Orcid(Importer):
    """An ORCID record: JSON with its keys, or XML, which is refused."""

    signs = (
        rb"\A(?:\xef\xbb\xbf)?\s*[<{]",
        rb'"(?:orcid-identifier|activities-summary|researcher-urls)"|' + _ROOT,
    )

    def read(self, given: Given) -> Imported:
        """Return the person; raise a located CvbuildError for another version or another file."""
        if re.search(_ROOT, given.head):
            fact = "this is ORCID's record as XML, of which nothing is read"
            raise CvbuildError.because("orcid", fact, _JSON, Span(given.name))
        root = values.parse_json(given.data, given.name)
        person, activities = root.mapping("person"), root.mapping("activities-summary")
        if not person.data and not activities.data:
            message = "the file has neither a person nor activities of ORCID 3.0"
            raise CvbuildError.because("orcid", message, _JSON, Span(given.name))
        draft = Draft(given.name)
        for value in root.walk():
            for key, inner in value.fields.items():
                # Paths and visibilities are read once more.
                if key in _REGISTRY and inner.data is not None:
                    inner.read()
        if number := root.text("orcid-identifier.path"):
            networks.put(draft, "orcid", number, place=root.where("orcid-identifier"))
        _person(draft, person)
        for name, (kind, *title) in _TABLES["activities"].items():
            for group in activities.mappings(f"{name}s.affiliation-group", f"{name}s.group"):
                # The identifiers of a group are those of its members, too.
                group.mapping("external-ids").read()
                for entry in group.mappings("summaries", f"{name}-summary"):
                    one = (entry.mappings(f"{name}-summary") or [entry])[0]
                    known = "award" if one.text("type").lower() == "award" else kind
                    item = _item(one, known)
                    if _is_hidden(one):
                        item["private"] = "true"
                    one.near = draft.add(known, item, one.place, *title)
        for group in activities.mappings("works.group"):
            _put_work(draft, group)
        # Each word of reviews, of which there may be hundreds, is listed once.
        reviews, path = activities.mapping("peer-reviews"), "group.peer-review-group"
        above = ("group", path, f"{path}.peer-review-summary")
        for one in (one for path in above for one in reviews.all(path)):
            one.mapping("external-ids").read()
        leaves = (f"{path}.peer-review-summary.{leaf}" for leaf in _TABLES["review"].split())
        told = (one.own_text() for leaf in leaves for one in reviews.all(leaf))
        draft.lose("peer reviews", [*filter(None, dict.fromkeys(told))], reviews.place)
        values.lose_unread(root, draft)
        return draft.done()


def _is_hidden(value: Value) -> bool:
    return value.text("visibility").lower() in ("limited", "private")


def _plain(value: Value, key: str) -> str:
    return texts.plain(value.text(key))


def _date(one: Value, key: str) -> str:
    date = reference.date(*(one.text(f"{key}.{part}.value") for part in ("year", "month", "day")))
    return str(date["text"] if isinstance(date, dict) else date or "")


def _person(draft: Draft, person: Value) -> None:
    given, family, credit = (
        texts.line(person.text(f"name.{key}.value"))
        for key in ("given-names", "family-name", "credit-name")
    )
    name: dict[str, Any] = {"given": given, "family": family}
    if not (given and family):
        name = {}
    if credit not in ("", f"{given} {family}") or not name:
        name["full"] = credit or given or family
    others = [texts.line(one.text("content")) for one in person.mappings("other-names.other-name")]
    draft.put("name", {**name, "author": list(dict.fromkeys(others))}, person.where("name"))
    paragraphs = map(texts.plain, re.split(r"\n\s*\n", person.text("biography.content")))
    draft.put("summary", [*filter(None, paragraphs)], person.where("biography"))
    for one in person.mappings("emails.email"):
        address = texts.line(one.text("email"))
        shown = {"address": address, "private": "true"} if _is_hidden(one) else address
        draft.put("contact.email", [shown])
    for one in person.mappings("addresses.address"):
        code = texts.line(one.text("country.value"))
        draft.put("contact.address", networks.country(code), one.place)
    for one in person.mappings("researcher-urls.researcher-url"):
        networks.put(draft, one.text("url-name"), url=one.text("url.value"), place=one.place)
    for one in person.mappings("external-identifiers.external-identifier"):
        address = one.text("external-id-url.value")
        kind, number = one.text("external-id-type"), one.text("external-id-value")
        known = networks.key_of(kind) is not None
        networks.put(draft, kind, number, "" if known else address, one.place)
        one.read()
    words = [_plain(one, "content") for one in person.mappings("keywords.keyword")]
    draft.put("interests", words, person.where("keywords"))


#: What stands for a title that an activity lacks; where its department has a key of its own.
_UNTITLED = {"certificate": "Qualification", "award": "Distinction", "service": "Member"}
_TOWN = ("city", "region", "country")
_DEPARTMENTS = {"experience": "department", "education": "area"}


def _item(one: Value, kind: str) -> dict[str, Any]:
    # Time on an instrument is asked for in a proposal.
    one = one.mapping("proposal") if kind == "project" else one
    main, host = items.NAMES[kind]
    title = _plain(one, "role-title") or _plain(one, "title.title.value")
    organization = (one.mappings("organization", "hosts.organization") or [one])[0]
    parts = (_plain(organization, f"address.{key}") for key in _TOWN)
    town = ", ".join(filter(None, parts))
    # It leaves out the end of what goes on.
    goes_on = kind in ("experience", "education", "service")
    item: dict[str, Any] = {
        main: title or _UNTITLED.get(kind, ""),
        "date": dates.between(_date(one, "start-date"), _date(one, "end-date"), goes_on=goes_on),
        "url": one.text("url.value"),
    }
    hosts, department = [_plain(organization, "name")], _plain(one, "department-name")
    if department and kind in _DEPARTMENTS:
        item[_DEPARTMENTS[kind]] = department
    else:
        hosts.insert(0, department)
    if "location" in descriptions.keys_of(kind):
        item["location"] = town
    else:
        hosts.append(town)
    item[host] = ", ".join(filter(None, hosts))
    for which in one.mappings("external-ids.external-id")[:1] if kind == "grant" else ():
        item["number"] = _plain(which, "external-id-value")
        item["url"] = item["url"] or which.text("external-id-url.value")
        which.read()
    return item


# -- works -----------------------------------------------------------------------------------------


def _put_work(draft: Draft, group: Value) -> None:
    group.mapping("external-ids").read()
    versions = group.mappings("work-summary")
    # The person prefers the one with the highest index; the others describe the same work.
    versions.sort(key=lambda one: one.text("display-index").rjust(9, "0"), reverse=True)
    works = [*map(_work, versions)]
    for version, other in zip(versions[1:], works[1:], strict=True):
        work = works[0]
        for key, value in other.item.items():
            # A page, often that of a database, is for a work that has no number.
            is_needed = key != "url" or not work.item.keys() & {"doi", "arxiv"}
            known = str(work.item.get(key) or "").casefold()
            if is_needed and not known.startswith(str(value).casefold()):
                place = other.places.get(key, other.place)
                work.put(key, value, place, f"{version.path}: {key}")
        work.lost += other.lost
    item = add_work(draft, works[0]) if works else {}
    for version in versions:
        version.near = item
        if _is_hidden(version):
            item["private"] = "true"


#: The keys of identifiers by their type.
_NUMBERS = {"doi": "doi", "arxiv": "arxiv", "pat": "number", "uri": "url"}


def _work(one: Value) -> Reference:
    made = Reference(one.place, type_of(one.text("type")))
    main, sub = one.text("title.title.value"), one.text("title.subtitle.value")
    made.put("title", texts.plain(f"{main}: {sub}" if sub else main), one.where("title"))
    names = (each.text("credit-name.value") for each in one.mappings("contributors.contributor"))
    made.put("authors", [*filter(None, map(reference.of_inverted, names))])
    key = "book" if made.type == "incollection" else "venue"
    made.put(key, _plain(one, "journal-title.value"), one.where("journal-title"))
    made.put("date", _date(one, "publication-date"))
    for which in one.mappings("external-ids.external-id"):
        kind, relation = (
            str(value.data).lower() if (value := which.get(f"external-id-{key}")) else ""
            for key in ("type", "relationship")
        )
        # What it is part of, the book or the series, has a number of its own.
        if kind == "source-work-id":
            which.read()
        elif relation != "part-of" and kind in _NUMBERS:
            clean = texts.plain if kind == "pat" else texts.line
            number = clean(which.text("external-id-value"))
            made.put(_NUMBERS[kind], number, which.place, kind)
            which.read()
    address = texts.line(one.text("url.value"))
    if address and address != made.item.get("url"):
        made.put("url", address, one.where("url"), "url")
    return made
