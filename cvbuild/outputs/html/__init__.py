"""``--format html``: a document as a web page, for a site of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from typing import Any

from cvbuild.model import Profile
from cvbuild.model.contact import NETWORKS
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.html import page, style_sheet
from cvbuild.outputs.html.page import Link, Page, Picture
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.view.types import Content, Document, Item


class Format(Output):
    """One file of HTML that loads nothing."""

    name = "html"
    suffix = ".html"
    shows_letters = has_look = True

    def make(self, shown: Shown) -> Made:
        """Return the page; raises DocumentError if it lacks a text, else as ``html``."""
        text = html(shown)
        expected = tuple(checks.contents(shown.view))
        figures = checks.require(text_of(text), expected, shown.task.source)
        return Made(text.encode(), figures)

    def text_of(self, content: bytes) -> str:
        """Return all that the page says, to people or to programs."""
        return all_of(content.decode())


def html(shown: Shown, links: Sequence[Link] = ()) -> str:
    """Return the page of a document, with links above it; raises ProfileError and TemplateError."""
    view = shown.view
    texts = "".join(map(str, checks.contents(view)))
    sheet = style_sheet.of(shown.template, shown.options, texts)
    letter = view.letter
    name, headline = str(view.header.name), str(view.header.headline or "")
    frame = Page(
        language=view.language,
        title=str(letter.title) if letter else ", ".join(filter(None, (name, headline))),
        sheet=sheet,
        description=" – ".join(filter(None, (name, headline))),
        classes=sheet.classes,
    )
    return page.render(
        page.FOLDER,
        "letter.html.j2" if letter else "cv.html.j2",
        frame,
        view=view,
        profile=shown.profile,
        blocks=page.blocks(view),
        linked_data=graph(view, shown.profile),
        links=links,
        photo=Picture(shown.photo) if shown.photo else None,
        logo=Picture(shown.logo) if shown.logo else None,
        signature=Picture(shown.signature) if shown.signature else None,
        sent=shown.task.draft.date.isoformat() if shown.task.draft else "",
        footer=shown.options.get("footer"),
    )


# -- reading a page back -------------------------------------------------------------------------


#: Elements whose content is no text of the page.
_SILENT = frozenset(("style", "script", "title"))
#: Attributes that readers meet: where a link leads to, what a picture shows.
_SPOKEN = ("href", "alt")
#: Elements in a line; others end one.
_INLINE = frozenset(("a", "bdi", "code", "em", "span", "strong", "sub", "sup", "time"))


def text_of(page: str) -> str:
    """Return the texts of a page, and the addresses of its links after their words."""
    return "".join(_read(page).texts)


def all_of(page: str) -> str:
    """Return all that is in a page for people or programs: attributes and linked data as well."""
    reader = _read(page)
    return "\n".join((*reader.values, *reader.lines))


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


class _Reader(HTMLParser):
    """Gathers what readers meet as ``texts``, all texts as ``lines``, attributes as ``values``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.lines: list[str] = [""]
        self.values: list[str] = []
        self._open: list[str] = []
        self._links: list[str] = []

    @property
    def _silent(self) -> bool:
        return bool(self._open) and self._open[-1] in _SILENT

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._open.append(tag)
        self.values += [value for _, value in attrs if value and not value.startswith("data:")]
        spoken = " ".join(value for name, value in attrs if name in _SPOKEN and value)
        self._end_line(tag)
        if tag == "a":
            self._links.append(spoken)
        elif spoken and tag != "link":
            self.texts.append(spoken)

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            self._open.pop()
        if tag == "a" and self._links:
            self.texts.append(f" ({self._links.pop()})")
        self._end_line(tag)

    def _end_line(self, tag: str) -> None:
        if tag not in _INLINE:
            self.texts.append("\n")
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.append(data)
        is_data = self._silent and self._open[-1] == "script"
        self.lines[-1] += text_folding.in_json(data) if is_data else data


# -- linked data: the person and their publications in the words of schema.org ---------------------
# Made from the view, so that it says only what the document shows; dates have the machine's form.


CONTEXT = "https://schema.org"
#: How the graph calls the person.
PERSON = "#person"

Node = dict[str, Any]


def graph(view: Document, profile: Profile) -> Node:
    """Return the graph of a document: the person first, then each publication."""
    person = _person(view, profile)
    articles = [_article(item, profile, person["name"]) for item in view.items("publication")]
    return {"@context": CONTEXT, "@graph": [person, *articles]}


def _present(node: Node) -> Node:
    """Return a node without what is absent; a list of one is that one."""
    present = {}
    for key, value in node.items():
        has_texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
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
    summary = " ".join(_texts(checks.walk((*view.items("summary"),))))
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
    texts = {key: key for key in ("email", "address", "nationality")} | {"phone": "telephone"}
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
    dates = [page.date_at(path, profile) for path in paths]
    return any(date is not None and date.present for date in dates)


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
