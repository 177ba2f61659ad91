"""``--format hugo``: the content of a Hugo site with the theme Academic, now HugoBlox."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cvbuild.outputs import bib
from cvbuild.outputs.markdown import export, pages
from cvbuild.outputs.markdown.pages import Entry
from cvbuild.outputs.types import Shown
from cvbuild.view import lines
from cvbuild.view.types import ContactLine

#: The name under which the theme knows the owner of the site.
_OWNER = "admin"
#: Icons of the theme: pack and name.
_ICONS = {
    "email": ("fas", "envelope"), "phone": ("fas", "phone"), "website": ("fas", "globe"),
    "google-scholar": ("ai", "google-scholar"), "orcid": ("ai", "orcid"), "dblp": ("ai", "dblp"),
    "researchgate": ("ai", "researchgate"), "semantic-scholar": ("ai", "semantic-scholar"),
    "scopus": ("ai", "scopus"), "x": ("fab", "x-twitter"),
}  # fmt: skip
#: Networks whose icon has their own name.
_BRANDS = (
    "github", "gitlab", "linkedin", "mastodon", "bluesky", "stack-overflow", "youtube", "telegram",
    "whatsapp", "line", "instagram", "facebook", "threads", "reddit", "medium", "xing", "kaggle",
    "bitbucket", "imdb", "behance", "dribbble",
)  # fmt: skip
_OTHER = ("fas", "link")
#: Links for which the theme has a button.
_BUTTONS = {
    label: f"url_{label}"
    for label in ("pdf", "code", "slides", "video", "dataset", "poster", "project")
}


class Format(pages.Site):
    """The owner, a page of the CV, publications, events and projects."""

    name = "hugo"
    suffix = ".hugo"

    def files(self, shown: Shown) -> Iterator[tuple[str, bytes]]:
        """Yield the page of the CV, then the others."""
        front = {"title": "CV", "type": "page"}
        yield "content/cv/index.md", pages.page(front, export.text(shown.view, 2))
        yield f"content/authors/{_OWNER}/_index.md", _owner(shown)
        yield from _section(shown, "publication", "publication", _publication)
        yield from _section(shown, "talk", "event", _event)
        yield from _section(shown, "project", "project", _project)


def _owner(shown: Shown) -> bytes:
    header = shown.view.header
    employers = (entry.text("employer") for entry in pages.entries(shown, "experience"))
    courses = [
        {
            "course": ", ".join(filter(None, (entry.text("degree"), entry.text("area")))) or None,
            "institution": entry.text("institution"),
            "year": entry.date.year if entry.date else None,
        }
        for entry in pages.entries(shown, "education")
    ]
    front = {
        "title": pages.safe(header.name),
        "authors": [_OWNER],
        "superuser": True,
        "role": pages.safe(header.headline) if header.headline else None,
        "organizations": [{"name": one, "url": ""} for one in employers if one][:1],
        "interests": [
            name for entry in pages.entries(shown, "interests") if (name := entry.text("name"))
        ],
        "education": {"courses": [pages.present(one) for one in courses]} if courses else None,
        "social": [_account(line) for line in header.contacts if line.url],
        "highlight_name": True,
    }
    about = [
        block
        for section in shown.view.sections
        if section.kind == "summary"
        for item in section.items
        for block in export.item_blocks(lines.of_item(section, item, shown.view.words))
    ]
    return pages.page(front, export.joined(about) if about else "")


def _account(line: ContactLine) -> dict[str, str]:
    own = ("fab", str(line.kind)) if line.kind in _BRANDS else _OTHER
    pack, icon = _ICONS.get(line.kind, own)
    return {"icon": icon, "icon_pack": pack, "link": line.url.url if line.url else ""}


def _section(
    shown: Shown, kind: str, folder: str, front_of: Callable[[Entry], dict[str, Any]]
) -> Iterator[tuple[str, bytes]]:
    names = pages.Names()
    for entry in pages.entries(shown, kind):
        front = front_of(entry)
        name = names.of(front["title"])
        place = f"content/{folder}/{name}"
        yield f"{place}/index.md", pages.page(front, entry.body(links=False))
        if kind == "publication":
            yield f"{place}/cite.bib", bib.text(entry.selected(shown.selected)).encode()


def _publication(entry: Entry) -> dict[str, Any]:
    links = [(_BUTTONS.get(label.lower()), label, url) for label, url in entry.links]
    return {
        "title": entry.text("title"),
        "authors": entry.texts_of_authors(_OWNER),
        "date": entry.date,
        "publication_types": [entry.form],
        "publication": entry.text("venue") or entry.text("book"),
        "publication_short": entry.text("short_venue"),
        "doi": entry.model.doi,
        "summary": entry.text("summary"),
        "tags": entry.texts("keywords"),
        **{key: url for key, _, url in links if key},
        "links": [{"name": label, "url": url} for key, label, url in links if not key],
    }


def _event(entry: Entry) -> dict[str, Any]:
    return {
        "title": entry.text("title"),
        "event": entry.text("event"),
        "event_url": entry.url,
        "location": entry.text("location"),
        "summary": entry.text("summary"),
        "date": entry.date,
        "all_day": True,
        "authors": [_OWNER],
        "tags": [kind] if (kind := entry.text("type")) else None,
        "links": [{"name": label, "url": url} for label, url in entry.links],
    }


def _project(entry: Entry) -> dict[str, Any]:
    return {
        "title": entry.text("name"),
        "summary": entry.text("summary"),
        "date": entry.date,
        "tags": entry.texts("keywords"),
        "external_link": entry.url,
        "links": [{"name": label, "url": url} for label, url in entry.links],
    }
