"""A document as linked data: the person and their publications in the words of schema.org.

Made from the view, so that it says only what the document shows; dates have the machine's form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cvbuild.model import Profile
from cvbuild.model.networks import NETWORKS
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.html import page
from cvbuild.view.types import Content, Document, Item

CONTEXT = "https://schema.org"
#: How the graph calls the person.
PERSON = "#person"

Node = dict[str, Any]


def of(view: Document, profile: Profile) -> Node:
    """Return the graph of a document: the person first, then each publication."""
    person = _person(view, profile)
    articles = [_article(item, profile, person["name"]) for item in view.items("publication")]
    return {"@context": CONTEXT, "@graph": [person, *articles]}


def _present(node: Node) -> Node:
    """Return a node without what is absent; a list of one is that one."""
    present = {}
    for key, value in node.items():
        has_texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
        listed = list(dict.fromkeys(value)) if has_texts else value
        if listed:
            single = isinstance(listed, list) and len(listed) == 1 and key != "@graph"
            present[key] = listed[0] if single else listed
    return present


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, Content) else ""


def _texts(values: Iterable[object]) -> list[str]:
    return [text for value in values if (text := _text(value))]


# -- the person ----------------------------------------------------------------------------------


def _person(view: Document, profile: Profile) -> Node:
    head = view.header
    known = [name for item in view.items("skill") for name in _texts(item.keywords or (item.name,))]
    summary = " ".join(_texts(view_texts.walk((*view.items("summary"),))))
    return _present(
        {
            "@type": "Person",
            "@id": PERSON,
            "name": _text(head.name),
            "alternateName": _texts((head.native, *(other.name for other in head.others))),
            "jobTitle": _text(head.headline),
            "description": summary,
            **_reach(view),
            "worksFor": [
                _organization(item.employer, item.url)
                for item in view.items("experience")
                if item.employer and _goes_on(item, profile)
            ],
            "alumniOf": _alumni(view),
            "hasCredential": [_degree(item) for item in view.items("education") if item.degree],
            "knowsLanguage": [
                _text(item.language) for item in view.items("language") if item.language
            ],
            "knowsAbout": [*known, *_texts(item.text for item in view.items("keywords"))],
            "award": [
                ", ".join(_texts((item.title, item.awarder, item.date)))
                for item in view.items("award")
            ],
        }
    )


def _reach(view: Document) -> Node:
    """Return the ways to reach the person, and the pages that are theirs."""
    ways: dict[str, list[str]] = {}
    texts = {one: one for one in ("email", "address", "nationality")} | {"phone": "telephone"}
    pages = {"website": "url", "link": "sameAs", **dict.fromkeys(NETWORKS, "sameAs")}
    for contact in view.header.contacts:
        if key := texts.get(contact.kind):
            ways.setdefault(key, []).append(_text(contact.text))
        elif key := pages.get(contact.kind):
            ways.setdefault(key, []).append(contact.url.url if contact.url else "")
    return ways


def _organization(name: Content, url: Any, kind: str = "Organization") -> Node:
    return _present({"@type": kind, "name": _text(name), "url": url.url if url else ""})


def _goes_on(item: Item, profile: Profile) -> bool:
    """Return whether a position, or a role in it, has no end."""
    paths = [(*item.path, "date"), *((*role.path, "date") for role in item.roles)]
    found = [page.date_at(path, profile) for path in paths]
    return any(date is not None and date.present for date in found)


def _alumni(view: Document) -> list[Node]:
    """Return each school once."""
    schools: dict[str, Node] = {}
    for item in view.items("education"):
        school = _organization(item.institution, item.url, "EducationalOrganization")
        schools.setdefault(school["name"], school)
    return list(schools.values())


def _degree(item: Item) -> Node:
    return _present(
        {
            "@type": "EducationalOccupationalCredential",
            "name": ", ".join(_texts((item.degree, item.area))),
            "credentialCategory": "degree",
            "recognizedBy": _organization(item.institution, item.url, "EducationalOrganization"),
        }
    )


# -- publications --------------------------------------------------------------------------------


def _article(item: Item, profile: Profile, name: str) -> Node:
    """Return a publication by the person called ``name`` and others."""
    date = page.date_at((*item.path, "date"), profile)
    doi = _text(item.doi)
    identifier = {"@type": "PropertyValue", "propertyID": "DOI", "value": doi}
    return _present(
        {
            "@type": "ScholarlyArticle",
            "name": _text(item.title),
            "author": [_author(author, name) for author in item.authors],
            "datePublished": (date.end or date.start).iso if date and date.start else "",
            "isPartOf": _venue(item),
            "pagination": _text(item.pages),
            "publisher": _organization(item.publisher, None) if item.publisher else None,
            "identifier": identifier if doi else None,
            "sameAs": f"https://doi.org/{doi}" if doi else "",
            "url": item.url.url if item.url else "",
            "abstract": _text(item.summary),
            "keywords": _texts(item.keywords),
        }
    )


def _author(author: Item, name: str) -> Node:
    """Return an author; the person is the one of the graph, with the whole name."""
    if author.me:
        return {"@type": "Person", "@id": PERSON, "name": name}
    return {"@type": "Person", "name": _text(author.name)}


def _venue(item: Item) -> Node | None:
    """Return what a publication is part of: a book, or a volume or an issue of a journal."""
    if item.book:
        return _present({"@type": "Book", "name": _text(item.book)})
    name = _text(item.venue) or _text(item.short_venue)
    if not name:
        return None
    volume, issue = _text(item.volume), _text(item.issue)
    venue: Node = {"@type": "Periodical" if volume or issue else "CreativeWork", "name": name}
    if volume:
        venue = {"@type": "PublicationVolume", "volumeNumber": volume, "isPartOf": venue}
    if issue:
        venue = {"@type": "PublicationIssue", "issueNumber": issue, "isPartOf": venue}
    return venue
