"""The source of a site made with Hugo Academic, Wowchemy or HugoBlox."""

from __future__ import annotations

import re

from cvbuild.importers.draft import Draft
from cvbuild.importers.sites import hugo_author, hugo_works
from cvbuild.importers.sites.pages import Page, Site, names, skip
from cvbuild.importers.sources.located import Value
from cvbuild.importers.types import Given, Imported

# The widgets of Hugo Academic's first page that have parts of a CV: experience, skills, contact.
#
# They are files in content/home, or blocks of a landing page.

#: What a widget has, by its name, and the key of its list besides "items".
_KINDS = {
    "experience": ("experience", "experience"),
    "resume-experience": ("experience", "experience"),
    "accomplishments": ("certificate", "item"),
    "awards": ("award", "item"),
    "resume-awards": ("award", "item"),
    "education": ("education", "item"),
    "featurette": ("skill", "feature"),
    "features": ("skill", "feature"),
    "skills": ("skill", "feature"),
    "resume-skills": ("skill", "feature"),
    "resume-languages": ("language", "item"),
    "contact": ("contact", ""),
}
#: What places a widget on its page.
_TECHNICAL = (
    "widget", "headless", "active", "weight", "title", "subtitle", "design", "date_format",
    "advanced", "id", "block", "autolink", "email_form", "form", "directions", "coordinates",
    "appointment_url", "username", "view", "columns", "count", "type", "author",
)  # fmt: skip


def read(site: Site, content: str) -> None:
    """Read the widgets of the first page and of landing pages; ``content`` is their folder."""
    for name in site.names(rf"{content}(?:home/[^/]+|_index|(?:cv|resume|experience)/_?index)\.md"):
        page = site.page(name)
        if page is None or page.data.text("active").lower() == "false":
            continue
        sections = page.data.mappings("sections")
        for one in sections:
            inner = one.mapping("content")
            skip(one, *_TECHNICAL)
            _widget(site, page, one.text("block"), inner)
        if widget := page.data.text("widget"):
            inner = page.data.mapping("content")
            _widget(site, page, widget, inner if inner.data else page.data)
        elif not sections:
            skip(page.data, *_TECHNICAL)
            site.finish(page.data)
        site.draft.lose(f"text of {name}", page.body.strip(), page.text_place)


def _widget(site: Site, page: Page, name: str, data: Value) -> None:
    """Read a widget with parts of a CV; the texts of another are listed."""
    kind, key = _KINDS.get(name.rpartition("/")[2].removesuffix(".md"), ("", ""))
    if not kind:
        told = page.name if data is page.data else f"{page.name}: {data.path}"
        said = ": ".join(filter(None, (f'widget "{name[:60]}"', *map(data.text, _SAID))))
        site.draft.lose(f"{told} is no part of a CV", said, data.place)
        return
    skip(data, *_TECHNICAL)
    if kind == "contact":
        hugo_author.contact(site, data, is_whole=True)
    elif kind == "skill":
        for one in data.mappings("items", key):
            hugo_author.skills(site, one)
    else:
        hugo_author.entries(site, kind, data.mappings("items", key))
    site.finish(data)


#: What a widget says in words.
_SAID = ("title", "subtitle", "text")
#: A page of content may be in the folder of its language.
_CONTENT = r"content/(?:[a-z]{2}(?:-[a-z]{2,4})?/)?"
_AUTHOR = rf"{_CONTENT}authors?/([^/]+)/_?index\.md|data/authors/([^/]+)\.ya?ml"
_WORK = rf"{_CONTENT}(?:publications?|events?|talks?|projects?)/[^/]+(?:/index)?\.md"
_FOUND = re.compile(rf"((?:[^/]+/)?)(?:{_AUTHOR}|{_WORK})")
_CONFIG = re.compile(
    r"(?:config|hugo)\.(?:ya?ml|toml|json)|config/_default/(?:config|hugo|params)\.(?:ya?ml|toml|json)"
)
#: The author whose site it is, as the templates of these themes call it.
_OWNERS = ("admin", "me")
#: Folders around a page without a language: content/authors/admin/_index.md.
_FLAT = 2
_READERS = {
    "publication": hugo_works.publication,
    "event": hugo_works.talk,
    "talk": hugo_works.talk,
    "project": hugo_works.project,
}


class Format:
    """A site of Hugo Academic or HugoBlox: its folder, or the ZIP of its repository."""

    name = "hugo"
    title = "Hugo Academic, HugoBlox"

    def recognises(self, given: Given) -> bool:
        """Return whether there is the page of an author, or a page of a work."""
        return _root(given) is not None

    def read(self, given: Given) -> Imported:
        """Read the owner, the widgets and all works; pages that can't be read are lost."""
        site = Site(given, _root(given) or "", Draft(given.name))
        for name in site.names(_CONFIG.pattern):
            if config := site.data(name):
                _configure(site, config)
        content = f"content/{_language(site)}"
        owner, others = _authors(site, content)
        if owner:
            hugo_author.read(site, owner)
        read(site, content)
        site.put_website()
        for name in site.names(_WORK):
            if not re.fullmatch(_WORK.replace(_CONTENT, content), name):
                continue
            page = site.page(name)
            if page is None or name.endswith("/_index.md"):
                continue
            if page.data.text("draft").lower() == "true":
                title = page.data.text("title")
                site.draft.lose("a draft, which the site doesn't show", title, page.place)
                continue
            kind = name.removeprefix(content).partition("/")[0].removesuffix("s")
            skip(page.data, *hugo_works.TECHNICAL)
            _READERS[kind](site, page, others)
        site.list_unopened()
        return site.draft.done()


def _root(given: Given) -> str | None:
    """Return the folder of the site, at most one deep: an archive has one around all files."""
    found = [one[1] for name in names(given) if (one := _FOUND.fullmatch(name))]
    return min(found, key=len) if found else None


def _configure(site: Site, config: Value) -> None:
    """Take the address of the site and how to reach its owner."""
    for one in (config, config.mapping("params"), config.mapping("marketing")):
        if not site.address:
            site.address = one.text("baseURL", "baseurl").strip()
            site.address_place = one.where("baseURL")
        site.language = site.language or one.text("defaultContentLanguage").strip().lower()
    for one in (config, config.mapping("params")):
        hugo_author.contact(site, one, is_whole=False)


def _language(site: Site) -> str:
    """Return the folder of the language that is read: the site's own, else English; "" for none."""
    pages = [one for one in site.names(rf"(?:{_AUTHOR})|(?:{_WORK})") if one.startswith("content/")]
    folders = {one.split("/")[1] for one in pages if one.count("/") > _FLAT}
    languages = sorted(one for one in folders if re.fullmatch("[a-z]{2}(?:-[a-z]{2,4})?", one))
    if not languages:
        return ""
    wanted = next((one for one in (site.language, "en") if one in languages), languages[0])
    return f"{wanted}/"


def _authors(site: Site, content: str) -> tuple[Page | None, dict[str, str]]:
    """Return the page of the owner, and the names of all authors by their folders."""
    pages: dict[str, Page] = {}
    for name in site.names(_AUTHOR):
        if not name.startswith(("data/", content)):
            continue
        found = re.fullmatch(_AUTHOR, name)
        folder = (found[1] or found[2]) if found else ""
        if name.startswith("data/"):
            data = site.data(name)
            page = Page(name, data, "", 1) if data else None
        else:
            page = site.page(name)
        if page and folder != "_default":
            pages.setdefault(folder, page)
    shown = {folder: hugo_author.name_of(page.data) for folder, page in pages.items()}
    superusers = [
        folder for folder, page in pages.items() if page.data.text("superuser").lower() == "true"
    ]
    owners = [*superusers, *(one for one in _OWNERS if one in pages), *pages]
    owner = owners[0] if owners else ""
    for folder, page in pages.items():
        if folder != owner:
            others = f"author {folder}, who is not the owner of the site"
            site.draft.lose(others, shown[folder] or folder, page.place)
    return pages.get(owner), shown
