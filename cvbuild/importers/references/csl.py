"""CSL-JSON, as Zotero and Pandoc write it, and Crossref's answers: one work, or a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.draft import Draft
from cvbuild.importers.references import drafts
from cvbuild.importers.sources import located_json
from cvbuild.importers.sources.located import Value, lose_unread
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import html_texts
from cvbuild.inputs.references import reference, texts
from cvbuild.inputs.references.reference import Reference

_KEYS = re.compile(
    rb'"(?:container-title|issued|publisher-place|non-dropping-particle|citation-key|date-parts|'
    rb'is-referenced-by-count|collection-title|event-place|title-short)"\s*:'
)
_TITLE = re.compile(rb'"(?:title|type|DOI)"\s*:')
#: What only the registry, or the program that wrote the file, uses.
_REGISTRY = frozenset(
    (
        "alternative-id", "archive", "assertion", "citation-key", "clinical-trial-number",
        "content-domain", "content-created", "content-updated", "created", "deposited",
        "funder", "id", "indexed",
        "is-referenced-by-count", "issn-type", "isbn-type", "journal-issue", "language", "license",
        "link", "member", "original-title", "prefix", "published", "published-online",
        "published-other", "published-print", "reference", "reference-count", "references-count",
        "relation", "resource", "score", "short-title", "source", "title-short", "update-policy",
        "update-to", "updated-by", "accessed", "categories", "free_to_read", "aliases", "subtype",
        "schema", "posted", "accepted", "approved", "institution-id", "citation-label",
        "version-of",
    )
)  # fmt: skip
_OF_NAMES = frozenset(("affiliation", "ORCID", "authenticated-orcid", "sequence", "role",
                       "parse-names", "comma-suffix", "static-ordering", "isInstitution",
                       "role-start", "role-end"))  # fmt: skip
_DATES = ("issued", "published-print", "published", "published-online", "posted", "created",
          "submitted", "available-date")  # fmt: skip
_PLAIN = {"volume": "volume", "issue": "issue", "chapter-number": "chapter", "page": "pages",
          "article-number": "pages"}  # fmt: skip
_RICH = {"publisher": "publisher", "publisher-place": "location", "publisher-location": "location",
         "annote": "summary"}  # fmt: skip


class Format:
    """Lists of publications as JSON."""

    name = "csl-json"
    title = "CSL-JSON"

    def recognises(self, given: Given) -> bool:
        """Return whether the file is JSON with keys that only such lists have."""
        head = given.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith((b"[", b"{")) or b'"orcid-identifier"' in head:
            return False
        return bool(_KEYS.search(head) and _TITLE.search(head))

    def read(self, given: Given) -> Imported:
        """Return the works; raise a located CvbuildError for a file without any."""
        root = located_json.parse(given.data, given.name)
        works = [] if root.text("status") == "failed" else list(_works(root))
        if not works:
            message = "the file has no list of works"
            hint = "export the list as CSL-JSON, or save what api.crossref.org/works/DOI answers"
            raise CvbuildError.because("csl", message, hint, Span(given.name))
        draft = Draft(given.name)
        hidden: dict[str, None] = {}
        for work in works:
            work.near = drafts.add(draft, _Reader(work, hidden).whole())
        drafts.name_person(draft)
        _pass_by(root, works)
        lose_unread(root, draft)
        draft.lose("what only databases use", ", ".join(sorted(hidden)), Span(given.name))
        return draft.done()


def _works(root: Value) -> Iterator[Value]:
    """Yield the works of a list, of Crossref's answer, or the one work."""
    message = root.get("message")
    if message is not None:
        root = message
    for key in ("items", "references"):
        inner = root.get(key)
        if inner is not None and isinstance(inner.data, list):
            root = inner
    if isinstance(root.data, list):
        yield from (one for one in root.data if isinstance(one.data, dict))
    elif root.get("title") or root.get("DOI"):
        yield root


def _pass_by(root: Value, works: list[Value]) -> None:
    """Mark what Crossref writes around the works as read."""
    for one in (root, root.get("message")):
        if one is None or not isinstance(one.data, dict) or one in works:
            continue
        for key in ("status", "message-type", "message-version", "total-results", "facets", "query",
                    "items-per-page", "next-cursor"):  # fmt: skip
            if inner := one.get(key):
                inner.read()


class _Reader:
    """Reads a work; ``hidden`` collects the names of keys for databases."""

    def __init__(self, work: Value, hidden: dict[str, None]) -> None:
        self.work, self.hidden = work, hidden
        self.type = drafts.of(work.text("type"))
        self.made = Reference(work.place, self.type)

    def whole(self) -> Reference:
        """Return all of it."""
        self._title()
        for key, own in (("author", "authors"), ("editor", "editors")):
            found = [name for one in self.work.items(key) if (name := self._name(one))]
            if own == "editors":
                found = [texts.plain(name) for name in found]
            self.made.put(own, found, self.work.where(key), key)
        self._source()
        self._numbers()
        self._date()
        for key, own in (("DOI", "doi"), ("URL", "url"), ("arxiv", "arxiv")):
            self.made.put(own, texts.line(self.work.text(key)), self.work.where(key), key)
        for key in ("status", "note"):
            if note := html_texts.inline(self.work.text(key)):
                self.made.notes.append(note)
        words = self.work.texts("keyword", "subject")
        words = [part for word in words for part in re.split(r"\s*[,;]\s*", word)]
        self.made.put("keywords", [texts.plain(word) for word in words if word.strip()])
        self._hide(self.work, _REGISTRY)
        return self.made

    def _hide(self, value: Value, keys: frozenset[str], prefix: str = "") -> None:
        for key in keys:
            inner = value.get(key)
            if inner is not None and any(not one.is_read for one in (inner, *inner.parts())):
                inner.read()
                self.hidden[prefix + key] = None

    def _first(self, *keys: str) -> str:
        """Return the first text of a key, which may be a list of one."""
        for key in keys:
            for one in self.work.items(key):
                if text := one.own_text().strip():
                    return text
        return ""

    def _title(self) -> None:
        title, sub = self._first("title"), self._first("subtitle")
        end = "" if title.rstrip().endswith((":", "?", "!")) else ":"
        whole = f"{title}{end} {sub}" if sub and sub not in title else title
        self.made.put("title", html_texts.inline(whole), self.work.where("title"))

    def _name(self, one: Value) -> str:
        if isinstance(one.data, str):
            return reference.of_inverted(one.own_text())
        particle = " ".join(
            part
            for key in ("dropping-particle", "non-dropping-particle")
            if (part := one.text(key))
        )
        name = reference.of_parts(
            one.text("given"), one.text("family"), particle, one.text("suffix")
        )
        self._hide(one, _OF_NAMES, "author.")
        return name or texts.line(one.text("literal", "name"))

    def _source(self) -> None:
        event = self.work.mapping("event")
        venue = self._first("container-title")
        if self.type in ("preprint", "report"):
            # Crossref's institutions are mappings.
            places = (one.text("name") for one in self.work.mappings("institution"))
            venue = venue or next(filter(None, places), "")
        venue = venue or event.text("name") or self._first("event-title")
        venue = venue or self._first("event") or self._first("group-title", "institution")
        if self.type in ("thesis", "report"):
            venue = venue or self.work.text("publisher")
        key = "book" if self.type == "incollection" else "venue"
        self.made.put(key, html_texts.inline(venue), self.work.where("container-title"))
        short = self._first("container-title-short", "short-container-title", "journalAbbreviation")
        if short != venue:
            self.made.put("short-venue", html_texts.inline(short))
        self.made.put("series", html_texts.inline(self._first("collection-title")))
        for name, own in _RICH.items():
            value = html_texts.inline(self._first(name))
            if value != self.made.item.get("venue"):
                self.made.put(own, value, self.work.where(name), name)

    def _numbers(self) -> None:
        for key, own in _PLAIN.items():
            value = texts.line(self.work.text(key))
            self.made.put(own, value.replace("--", "-"), self.work.where(key), key)
        number = texts.plain(self.work.text("number"))
        genre = html_texts.inline(self.work.text("genre", "degree") or self._first("degree"))
        if self.type == "patent":
            self.made.put("number", " ".join(part for part in (genre, number) if part))
            self.made.put("status", "", None)
        elif self.type == "report":
            kind = genre or reference.NOTES["report"]
            self.made.notes.append(" ".join(part for part in (kind, number) if part))
        else:
            if genre:
                self.made.notes.append(genre)
            if self.type in ("book", "incollection"):
                number = number or texts.plain(self.work.text("collection-number"))
            key = "volume" if self.type in ("book", "incollection") else "issue"
            self.made.put(key, number, self.work.where("number"), "number")
        if edition := texts.plain(self.work.text("edition", "edition-number")):
            self.made.notes.append(reference.edition(edition))
        if version := texts.plain(self.work.text("version")):
            self.made.notes.append(f"Version {version.removeprefix('v')}")

    def _date(self) -> None:
        for key in _DATES:
            one = self.work.get(key)
            if one is not None and (found := _of_date(one)):
                self.made.put("date", found, one.place, key)
                return


def _of_date(value: Value) -> object:
    """Return one of CSL's dates: parts, a text, or words."""
    if isinstance(value.data, str):
        return texts.line(value.own_text())
    parts = [
        [text for one in point.items("") or point.parts() if (text := one.own_text())]
        for point in value.items("date-parts")
    ]
    dates = [reference.date(*part[:3]) for part in parts if part]
    dates = [one for one in dates if one]
    if season := value.text("season"):
        word = {"1": "Spring", "2": "Summer", "3": "Fall", "4": "Winter"}.get(season, season)
        return f"{word} {dates[0]}" if dates else word
    if len(dates) == 2 and dates[0] != dates[1]:
        return f"{dates[0]} to {dates[1]}"
    if dates:
        value.read()
        return dates[0]
    words = texts.line(value.text("raw", "literal"))
    return words or None
