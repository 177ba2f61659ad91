"""``--format academicpages``: the folders of a site made from academicpages (Jekyll)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from cvbuild.outputs.markdown import export, pages
from cvbuild.outputs.markdown.pages import Entry
from cvbuild.outputs.types import Shown
from cvbuild.view.types import Document

#: Where the theme has a person's accounts by their addresses, and where by their user names.
_BY_ADDRESS = {
    "google-scholar": "googlescholar", "orcid": "orcid", "researchgate": "researchgate",
    "mastodon": "mastodon", "medium": "medium", "semantic-scholar": "semantic", "scopus": "scopus",
    "telegram": "telegram",
}  # fmt: skip
_BY_NAME = {
    "github": "github", "linkedin": "linkedin", "x": "twitter", "bluesky": "bluesky",
    "stack-overflow": "stackoverflow", "youtube": "youtube", "instagram": "instagram",
    "facebook": "facebook", "xing": "xing", "kaggle": "kaggle", "bitbucket": "bitbucket",
    "dribbble": "dribbble",
}  # fmt: skip
_ADVICE = "# Put this block into the _config.yml of your site, in the place of its own.\n"
#: Its lists of publications.
_CATEGORIES = {"chapter": "books", "paper-conference": "conferences"}
_Front = tuple[str | None, dict[str, Any]]


class Format(pages.Site):
    """Pages, publications, talks, teaching and portfolio with their front matter."""

    name = "academicpages"
    suffix = ".academicpages"

    def files(self, shown: Shown) -> Iterator[tuple[str, bytes]]:
        """Yield the page of the CV, then the others."""
        front = {"layout": "archive", "title": "CV", "permalink": "/cv/", "author_profile": True}
        yield "_pages/cv.md", pages.page(front, export.text(shown.view, 2))
        yield "_config.yml", _author(shown.view)
        yield from _collection(shown, "publication", "publications", _publication)
        yield from _collection(shown, "talk", "talks", _talk)
        yield from _collection(shown, "teaching", "teaching", _teaching)
        yield from _collection(shown, "project", "portfolio", _project)


def _author(view: Document) -> bytes:
    """Return the author block of the site's settings."""
    import yaml

    header = view.header
    author: dict[str, Any] = {"name": pages.safe(header.name)}
    if header.headline:
        author["bio"] = pages.safe(header.headline)
    for line in header.contacts:
        url = line.url.url if line.url else ""
        match line.kind:
            case "address":
                author.setdefault("location", pages.safe(line.text))
            case "website":
                author.setdefault("uri", url)
            case "email":
                author.setdefault("email", pages.safe(line.text))
            case kind if kind in _BY_ADDRESS:
                author.setdefault(_BY_ADDRESS[kind], url)
            case kind if kind in _BY_NAME:
                user = url.rstrip("/").rpartition("/")[2].removeprefix("@")
                author.setdefault(_BY_NAME[kind], user)
    block = yaml.safe_dump({"author": author}, sort_keys=False, allow_unicode=True, width=10**6)
    return f"{_ADVICE}{block}".encode()


def _collection(
    shown: Shown, kind: str, folder: str, front_of: Callable[[Entry], _Front]
) -> Iterator[tuple[str, bytes]]:
    names = pages.Names()
    for entry in pages.entries(shown, kind):
        title, others = front_of(entry)
        name = names.of(title, entry.date)
        front = {
            "title": title,
            "collection": folder,
            **others,
            "date": entry.date,
            "permalink": f"/{folder}/{name}/",
        }
        yield f"_{folder}/{name}.md", pages.page(front, entry.body())


def _publication(entry: Entry) -> _Front:
    links = {label.lower(): url for label, url in entry.links}
    doi = entry.model.doi
    return entry.text("title"), {
        "category": _CATEGORIES.get(entry.form, "manuscripts"),
        "authors": entry.texts_of_authors(),
        "venue": entry.text("venue") or entry.text("short_venue") or entry.text("book"),
        "excerpt": entry.text("summary"),
        "doi": doi,
        "paperurl": links.get("pdf") or entry.url or (f"https://doi.org/{doi}" if doi else None),
        "slidesurl": links.get("slides"),
        "citation": entry.citation(),
    }


def _talk(entry: Entry) -> _Front:
    return entry.text("title"), {
        "type": entry.text("type") or "Talk",
        "venue": entry.text("event"),
        "location": entry.text("location"),
    }


def _teaching(entry: Entry) -> _Front:
    return entry.text("course"), {
        "type": entry.text("role"),
        "venue": entry.text("institution"),
        "location": entry.text("location"),
    }


def _project(entry: Entry) -> _Front:
    return entry.text("name"), {"excerpt": entry.text("summary")}
