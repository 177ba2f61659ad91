"""The source of a site made with academicpages: a Jekyll site with a page for each work."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

from cvbuild.importers.documents import citations, rough
from cvbuild.importers.draft import Draft
from cvbuild.importers.resumes import jsonresume, wordings
from cvbuild.importers.sites import markup
from cvbuild.importers.sites.pages import Page, Site, inline, names, skip
from cvbuild.importers.sources.located import Value
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import foreign_dates, headings

_FOLDERS = ("_publications", "_talks", "_teaching", "_portfolio")
_FOUND = re.compile(
    rf"((?:[^/]+/)?)(?:(_config\.ya?ml)|(?:{'|'.join(_FOLDERS)})/[^/]+\.(?:md|markdown|html)"
    r"|_pages/cv\.md)"
)
_PAGE = r"/[^/]+\.(?:md|markdown|html)"
_Read = Callable[[Site, Page], None]
#: What places a page on the site.
_TECHNICAL = (
    "collection", "permalink", "layout", "redirect_from", "author_profile", "published",
    "share", "comments", "related", "read_time", "header", "classes", "order", "lang",
)  # fmt: skip


class Format:
    """A site of academicpages: its folder, or the ZIP of its repository."""

    name = "academicpages"
    title = "academicpages"

    def recognises(self, given: Given) -> bool:
        """Return whether there are a configuration and a folder of works, or two such folders."""
        return _root(given) is not None

    def read(self, given: Given) -> Imported:
        """Read the author, the CV's page and all works; pages that can't be read are lost."""
        site = Site(given, _root(given) or "", Draft(given.name))
        config = next(
            (found for one in ("_config.yml", "_config.yaml") if (found := site.data(one))), None
        )
        groups: dict[str, str] = {}
        if config:
            site.address = (config.text("url") + config.text("baseurl")).strip()
            site.address_place = config.where("url")
            groups = {
                key: inline(one, "title")
                for key, one in _mappings(config.mapping("publication_category"))
            }
            _author(site, config.mapping("author"))
            site.put_website()
        _about(site)
        _cv(site)
        if not site.draft.data.get("sections"):
            _data(site)
        readers: list[_Read] = [partial(_publication, groups), _talk, _teaching, _project]
        for folder, read in zip(_FOLDERS, readers, strict=True):
            for name in site.names(folder + _PAGE):
                if page := site.page(name):
                    skip(page.data, *_TECHNICAL)
                    read(site, page)
        site.list_unopened()
        return site.draft.done()


def _root(given: Given) -> str | None:
    """Return the folder of the site, at most one deep: an archive has one around all files."""
    roots: dict[str, set[str]] = {}
    for name in names(given):
        if found := _FOUND.fullmatch(name):
            kind = found[2] or name[len(found[1]) :].partition("/")[0]
            roots.setdefault(found[1], set()).add(kind)
    ours = [root for root, kinds in roots.items() if len(kinds) >= 2 and kinds & {*_FOLDERS}]
    return min(ours, key=len) if ours else None


def _mappings(value: Value) -> list[tuple[str, Value]]:
    data = value.data if isinstance(value.data, dict) else {}
    return [(key, one) for key, one in data.items() if isinstance(one.data, dict)]


def _author(site: Site, author: Value) -> None:
    put, draft = site.draft.put, site.draft
    put("name", author.text("name"), author.where("name"))
    put("headline", inline(author, "bio"), author.where("bio"))
    put("contact.address", inline(author, "location"), author.where("location"))
    if employer := inline(author, "employer"):
        put("contact.other.Employer", employer, author.where("employer"))
    if pronouns := inline(author, "pronouns"):
        put("contact.other.Pronouns", pronouns, author.where("pronouns"))
    if email := author.text("email"):
        put("contact.email", [email], author.where("email"))
    for key in ("uri", "website"):
        if url := site.link(author.get(key)):
            put("contact.website", [url], author.where(key))
    if avatar := author.text("avatar"):
        path = avatar if "/" in avatar else f"images/{avatar}"
        hint = f"{path}; copy it beside this file and write: photo: {path.rpartition('/')[2]}"
        draft.lose("author.avatar", hint, author.where("avatar"))
    for key, value in (author.data if isinstance(author.data, dict) else {}).items():
        if isinstance(value.data, str) and value.data.strip() and not value.is_read:
            site.account(_NAMES.get(key, key), value)
    site.finish(author)


#: What a key of the author is called in a label.
_NAMES = {"arxiv": "arXiv", "pubmed": "PubMed", "semantic": "semantic-scholar", "zotero": "Zotero"}


def _cv(site: Site) -> None:
    """Put the sections of the page that is a CV into the draft, in its order."""
    page = site.page("_pages/cv.md")
    if page is None:
        return
    skip(page.data, "layout", "title", "permalink", "author_profile", "redirect_from")
    site.finish(page.data)
    # Empty lines for those of the data: places are those in the file.
    text = "\n" * (page.line - 1) + page.body
    blocks = markup.read(text, site.absolute)
    # The site makes the lists below known titles without a text: they have pages of their own.
    empty = {
        id(one)
        for one, after in zip_longest(blocks, blocks[1:])
        if one.kind == "heading" and (after is None or after.kind == "heading")
    }
    shown = [
        one for one in blocks if id(one) not in empty or headings.exact_kind_of(one.plain) is None
    ]
    rough.fill_sections(site.draft, shown, page.place.file)


def _data(site: Site) -> None:
    """Put the sections of the CV that the site keeps as JSON Resume, where its page has none."""
    root = site.data("_data/cv.json")
    if root is None or not isinstance(root.data, dict):
        return
    reader = jsonresume.Reader(root, site.draft.file)
    reader.draft = site.draft
    basics = root.mapping("basics")
    if "name" not in site.draft.data and basics.text("name"):
        reader.basics(basics)
    if "summary" not in site.draft.data:
        site.draft.put("summary", [wordings.inline(basics.text("summary"))])
    # The configuration has them, too, perhaps in other words.
    there = f"{site.draft.data.get('name')} {site.draft.data.get('contact')}"
    for key in ("name", "email"):
        if basics.text(key) not in there:
            site.draft.lose(key, basics.text(key), basics.where(key))
    for key in _LISTS:
        reader.list(key)
    if not site.names("_publications" + _PAGE):
        reader.list("publications")
    elif listed := root.get("publications"):
        listed.read()
        said = listed.plain()
        site.draft.lose("publications, which have pages of their own", said, listed.place)
    site.finish(root)


#: Lists of the CV that have no pages of their own.
_LISTS = ("education", "work", "volunteer", "skills", "languages", "interests", "awards",
          "certificates", "references")  # fmt: skip


def _about(site: Site) -> None:
    """Put the site's first page as the summary: it is about its author."""
    page = site.page("_pages/about.md")
    if page is None:
        return
    # What follows the first heading is about the site.
    heading = re.search(r"(?m)^(?:#+ .*|.+\n[=-]{3,}[ \t]*)$", page.body)
    at = heading.start() if heading else len(page.body)
    found, rest = site.blocks(page.body[:at]), site.blocks(page.body[at:])
    site.draft.put("summary", found.paragraphs, page.text_place)
    for lost in (*found.lost, *rest.paragraphs, *rest.lost):
        site.draft.lose(f"{page.name}: further text", lost, page.text_place)
    skip(page.data, *_TECHNICAL, "title")
    site.finish(page.data)


def _publication(groups: dict[str, str], site: Site, page: Page) -> None:
    data = page.data
    item: dict[str, Any] = {
        "title": inline(data, "title"),
        "venue": inline(data, "venue"),
        "date": foreign_dates.read(data.text("date")),
        "doi": data.text("doi"),
        "url": site.link(data.get("paperurl")) or site.link(data.get("link")),
        "authors": data.texts("authors", "author"),
    }
    labels = {"slidesurl": "Slides", "bibtexurl": "BibTeX", "codeurl": "Code", "videourl": "Video"}
    item["links"] = [
        {label: url} for key, label in labels.items() if (url := site.link(data.get(key), item))
    ]
    citation = data.text("citation")
    if parsed := citations.parsed(citation):
        item |= {key: parsed[key] for key in parsed if not item.get(key) and key != "links"}
        # It may say the title and the venue in other words; where its title ends is not sure.
        said = ". ".join(parsed[key] for key in ("title", "venue") if parsed.get(key))
        site.draft.lose("citation", markup.left(said, item), data.where("citation"), item)
    elif citation:
        site.draft.lose("citation", markup.left(citation, item), data.where("citation"), item)
    site.summarise(item, "publication", page, "excerpt", "abstract")
    category = data.text("category")
    site.add("publication", item, page, groups.get(category) or category.capitalize() or None)


def _talk(site: Site, page: Page) -> None:
    data = page.data
    item: dict[str, Any] = {
        "title": inline(data, "title"),
        "type": inline(data, "type"),
        "event": inline(data, "venue"),
        "location": inline(data, "location"),
        "date": foreign_dates.read(data.text("date")),
        "url": site.link(data.get("talkurl")) or site.link(data.get("link")),
    }
    labels = {"slidesurl": "Slides", "videourl": "Video", "paperurl": "Paper"}
    item["links"] = [
        {label: url} for key, label in labels.items() if (url := site.link(data.get(key), item))
    ]
    site.summarise(item, "talk", page, "excerpt", "abstract")
    site.add("talk", item, page)


def _teaching(site: Site, page: Page) -> None:
    data = page.data
    item: dict[str, Any] = {
        "course": inline(data, "title"),
        "role": inline(data, "role"),
        "institution": inline(data, "venue"),
        "location": inline(data, "location"),
        "date": foreign_dates.read(data.text("date")),
        "url": site.link(data.get("link")),
        "summary": inline(data, "type"),
    }
    site.put(item, "teaching", site.blocks(data.text("excerpt")), "excerpt", page.place)
    site.describe(item, "teaching", page)
    site.add("teaching", item, page)


def _project(site: Site, page: Page) -> None:
    data = page.data
    item: dict[str, Any] = {
        "name": inline(data, "title"),
        "date": foreign_dates.read(data.text("date")),
        "url": site.link(data.get("link")) or site.link(data.get("projecturl")),
        "keywords": [wordings.inline(one) for one in data.texts("tags")],
    }
    excerpt = site.blocks(data.text("excerpt"))
    site.put(item, "project", excerpt, "excerpt", data.where("excerpt"))
    site.describe(item, "project", page)
    site.add("project", item, page)
