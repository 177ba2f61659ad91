"""Publications, talks and projects of a site of Hugo Academic: a page for each."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers.references import bibtex
from cvbuild.importers.resumes import wordings
from cvbuild.importers.sites import hugo_author
from cvbuild.importers.sites.pages import Page, Site, inline, skip
from cvbuild.importers.sources.located import Value
from cvbuild.importers.types import Given
from cvbuild.importers.words import foreign_dates

#: What only places a page on the site.
TECHNICAL = (
    "image", "projects", "slides", "draft", "publishDate", "lastmod", "all_day", "math",
    "highlight", "weight", "type", "layout", "share", "profile", "aliases", "reading_time",
    "commentable", "editable", "featured_image", "show_related", "show_date", "header",
    "external_source", "gallery_item", "slug", "url", "cover", "show_breadcrumb", "diagram",
)  # fmt: skip
_LABELS = {
    "url_pdf": "PDF", "url_preprint": "Preprint", "url_code": "Code", "url_dataset": "Dataset",
    "url_poster": "Poster", "url_project": "Project", "url_slides": "Slides",
    "url_source": "Source", "url_video": "Video", "url_custom": "Link",
}  # fmt: skip
_TYPES = {
    "pdf": "PDF", "preprint": "Preprint", "code": "Code", "dataset": "Dataset",
    "poster": "Poster", "project": "Project", "slides": "Slides", "source": "Source",
    "video": "Video", "site": "Site", "live": "Site",
}  # fmt: skip
#: Sub-headings by CSL's type, and by the older numbers.
_GROUPS = {
    "1": "Conference papers", "paper-conference": "Conference papers",
    "2": "Journal articles", "article-journal": "Journal articles",
    "3": "Preprints", "manuscript": "Preprints", "article": "Preprints",
    "4": "Reports", "report": "Reports",
    "5": "Books", "book": "Books",
    "6": "Book chapters", "chapter": "Book chapters",
    "7": "Theses", "thesis": "Theses",
}  # fmt: skip
_PATENT = ("8", "patent")
_MARKS = "*†‡§¶"


def publication(site: Site, page: Page, authors: dict[str, str]) -> None:
    """Add a publication or a patent; the BibTeX file beside it fills what the page lacks."""
    data = page.data
    types = data.texts("publication_types")
    ids = data.mapping("hugoblox").mapping("ids")
    links = _links(site, data)
    item: dict[str, Any] = {
        "title": inline(data, "title"),
        "venue": _venue(inline(data, "publication")),
        "short-venue": _venue(inline(data, "publication_short")),
        "date": foreign_dates.read(data.text("date")),
        "doi": data.text("doi") or ids.text("doi"),
        "arxiv": data.text("arxiv") or ids.text("arxiv"),
        "url": _first_link(data, links),
        "links": links,
        "keywords": [wordings.inline(one) for one in data.texts("tags")],
    }
    item["authors"], marks = _authors(data, authors)
    item["marks"] = marks
    _feature(data, item)
    if any(one in _PATENT for one in types):
        keys = {key: key for key in ("title", "date", "url", "links", "tags")}
        keys |= {"venue": "number", "authors": "inventors"}
        made = {keys[key]: value for key, value in item.items() if key in keys}
        for key in [one for one in item if one not in keys]:
            site.draft.lose(key, item[key], page.place, made)
        site.summarise(made, "patent", page, "summary", "abstract")
        site.add("patent", made, page)
        return
    _fill(site, page, item)
    site.summarise(item, "publication", page, "summary", "abstract")
    groups = [_GROUPS[one] for one in types if one in _GROUPS]
    # "0" is for what has no type.
    others = [one for one in types if one != "0" and _GROUPS.get(one) not in groups[:1]]
    site.draft.lose("publication_types", others, data.where("publication_types"), item)
    site.add("publication", item, page, groups[0] if groups else None)


def _venue(text: str) -> str:
    """Return a venue without "In"; a name all in italics is the style's to set."""
    text = re.sub("^(?:In:?|in) (?=[*_A-Z])", "", text)
    whole = re.fullmatch(r"[*_]([^*_]+)[*_]", text)
    return whole[1] if whole else text


def talk(site: Site, page: Page, authors: dict[str, str]) -> None:
    """Add a talk."""
    data = page.data
    address = data.mapping("address")
    location = inline(data, "location")
    place = hugo_author.place_of(address)
    links = _links(site, data)
    item: dict[str, Any] = {
        "title": inline(data, "title"),
        "event": inline(data, "event"),
        "location": ", ".join(dict.fromkeys(filter(None, (location, place)))),
        "date": _days(data),
        "url": site.link(data.get("event_url")) or _first_link(data, links),
        "links": links,
    }
    _lose_others(site, data, authors, "speakers", item)
    _feature(data, item)
    site.summarise(item, "talk", page, "summary", "abstract")
    site.add("talk", item, page)


def project(site: Site, page: Page, authors: dict[str, str]) -> None:
    """Add a project, with the text of its page."""
    data = page.data
    links = _links(site, data)
    item: dict[str, Any] = {
        "name": inline(data, "title"),
        "date": foreign_dates.read(data.text("date")),
        "url": site.link(data.get("external_link")) or _first_link(data, links),
        "links": links,
        "keywords": [wordings.inline(one) for one in data.texts("tags")],
    }
    _lose_others(site, data, authors, "authors", item)
    _feature(data, item)
    site.summarise(item, "project", page, "summary", "abstract")
    site.add("project", item, page)


def _days(data: Value) -> str:
    """Return the day of a talk; several days only if it ends on another one."""
    start, end = foreign_dates.read(data.text("date")), foreign_dates.read(data.text("date_end"))
    return foreign_dates.between(start, end, goes_on=False)


def _feature(data: Value, item: dict[str, Any]) -> None:
    """Give what the site features a tag, by which variants can select it."""
    if data.text("featured").lower() == "true":
        item["tags"] = ["featured"]


def _lose_others(
    site: Site, data: Value, known: dict[str, str], what: str, item: dict[str, Any]
) -> None:
    """List who else there is at a talk or a project than the owner."""
    owner = {known.get(one) for one in ("admin", "me")}
    names = (known.get(one) or one for one in data.texts("authors"))
    others = [one for one in names if one not in owner]
    site.draft.lose(what, others, data.where("authors"), item)


def _authors(data: Value, known: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the names of a page's authors with marks, and what the marks mean."""
    names = [known.get(one) or one for one in data.texts("authors")]
    marks: dict[str, str] = {}
    for at, one in enumerate(data.items("author_notes")[: len(names)]):
        is_known = isinstance(one.data, str) and one.data in marks
        if (is_known or len(marks) < len(_MARKS)) and (note := one.own_text()):
            marks.setdefault(note, _MARKS[len(marks) % len(_MARKS)])
            names[at] += marks[note]
    return names, {mark: wordings.inline(note) for note, mark in marks.items()}


def _links(site: Site, data: Value) -> list[dict[str, str]]:
    """Return the labelled links of a page."""
    found: list[dict[str, str]] = []
    for key, label in _LABELS.items():
        if url := site.link(data.get(key)):
            found.append({label: url})
    for one in data.mappings("links"):
        skip(one, "icon", "icon_pack")
        if url := site.link(one.get("url") or one.get("link")):
            kind = one.text("type").lower()
            label = one.text("name", "label") or _TYPES.get(kind, kind.upper())
            found.append({label or "Link": url})
    return found


def _first_link(data: Value, links: list[dict[str, str]]) -> str:
    """Return the address of the page on another site, taken out of the links."""
    for at, one in enumerate(links):
        if not data.text("doi") and set(one) & {"Site", "Project"}:
            return next(iter(links.pop(at).values()))
    return ""


def _fill(site: Site, page: Page, item: dict[str, Any]) -> None:
    """Fill what a publication lacks from the file cite.bib beside its page."""
    name = page.name.rpartition("/")[0] + "/cite.bib"
    data = site.given.files.read(site.root + name)
    if not page.name.endswith("/index.md") or data is None:
        return
    site.opened.add(site.root + name)
    file = f"{site.given.name}/{site.root}{name}"
    try:
        found = bibtex.Format().read(Given(file, data, site.given.files))
    except CvbuildError as error:
        for one in error.diagnostics:
            site.draft.lose(f"{name} was not read", one.message, one.span, item)
        return
    works = [
        one
        for section in found.data.get("sections", ())
        for group in [section, *section.get("groups", ())]
        for one in group.get("items", ())
    ]
    for key, value in works[0].items() if works else ():
        if key != "summary" and not item.get(key) and not (key == "book" and item.get("venue")):
            item[key] = value
    for lost in found.lost:
        what, _, value = lost.note.message.partition(": ")
        site.draft.lose(f"cite.bib {what}", value or what, lost.note.span, item)
