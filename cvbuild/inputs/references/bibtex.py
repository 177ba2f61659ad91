"""An entry of BibTeX or BibLaTeX as a reference."""

from __future__ import annotations

import re
from collections.abc import Collection

from cvbuild.inputs.references import latex_text, reference, texts
from cvbuild.inputs.references.bibtex_file import Entry
from cvbuild.inputs.references.reference import Reference

_TYPES = {"techreport": "report", "online": "web", "electronic": "web", "www": "web",
          "data": "dataset", "booklet": "book"}  # fmt: skip
#: Types of BibLaTeX's field ``type`` for theses and reports.
_WORDS = {
    "phdthesis": "PhD thesis", "mathesis": "Master's thesis", "bathesis": "Bachelor's thesis",
    "candthesis": "Candidate thesis", "techreport": "Technical report",
    "resreport": "Research report", "software": "Software", "datacd": "Data CD",
    "patent": "Patent", "patentus": "US Patent", "patenteu": "European Patent",
    "patentde": "German Patent", "patentuk": "UK Patent", "patentfr": "French Patent",
    "patreq": "Patent application", "patrequs": "US Patent application",
    "patreqeu": "European Patent application", "patreqde": "German Patent application",
    "patrequk": "UK Patent application", "patreqfr": "French Patent application",
}  # fmt: skip
_IN_BOOK = frozenset(("incollection", "inbook", "suppbook", "inreference", "bookinbook"))
_BOOKS = frozenset(("book", "mvbook", "collection", "mvcollection", "proceedings", "mvproceedings"))
#: Fields as plain texts and as Markdown, by the key of a publication that they become.
_PLAIN = {"volume": "volume", "chapter": "chapter", "pages": "pages", "eid": "pages",
          "articleno": "pages", "article-number": "pages", "issue": "issue"}  # fmt: skip
_RICH = {"series": "series", "publisher": "publisher", "address": "location",
         "location": "location", "shortjournal": "short-venue", "shortbooktitle": "short-venue",
         "eventshort": "short-venue", "abbr": "short-venue", "annotation": "summary"}  # fmt: skip
_NOTES = ("note", "addendum", "pubstate")
#: What only reference managers, or bibliography styles, use.
MANAGERS = frozenset(
    (
        "timestamp", "biburl", "bibsource", "file", "groups", "owner", "creationdate",
        "modificationdate", "crossref", "xdata", "options", "sortkey", "sortname", "sortyear",
        "sorttitle", "presort", "ids", "langid", "hyphenation", "entrysubtype", "key",
        "readstatus", "ranking", "qualityassured", "relevance", "printed", "priority", "username",
        "__markedentry", "added-at", "interhash", "intrahash", "date-added", "date-modified",
        "local-url", "rating", "read", "preview", "posted-at", "posted_at", "bibtex_show",
        "urldate", "lastchecked", "accessdate",
    )
)  # fmt: skip


def is_work(entry: Entry, parents: Collection[str]) -> bool:
    """Return whether an entry is a work of its own, and doesn't only lend its fields to others."""
    if entry.type in ("xdata", "set"):
        return False
    return "author" in entry.fields or entry.key.lower() not in parents


def is_managed(name: str) -> bool:
    """Return whether a field is for reference managers, not for readers."""
    return name in MANAGERS or name.startswith(("bdsk-", "mendeley", "citeulike", "opt", "cvb-"))


def of(entry: Entry) -> Reference:
    """Return an entry as a reference."""
    return _Reader(entry).whole()


class _Reader:
    """Takes the fields of an entry one by one; what is left at the end has no key."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.rest = dict(entry.fields)
        self.type = _TYPES.get(entry.type, entry.type)
        self.made = Reference(entry.place, self.type)

    def whole(self) -> Reference:
        """Return all of it."""
        self._title()
        for name, key in (("author", "authors"), ("editor", "editors")):
            if values := reference.of_bibtex(self.take(name)):
                if key == "editors":
                    # They are rich text, as titles are.
                    values = [texts.plain(one) for one in values]
                self.put(key, values, name)
        self._source()
        self._numbers()
        self._date()
        self._identifiers()
        for name in _NOTES:
            if note := latex_text.markdown(self.take(name)):
                self.made.notes.append(note)
        words = re.split(r"\s*[,;]\s*", self.take("keywords") or self.take("keyword"))
        values = [latex_text.markdown(one) for one in words if one.strip()]
        self.put("keywords", list(dict.fromkeys(values)), "keywords")
        for name, value in self.rest.items():
            if not is_managed(name):
                text = latex_text.plain(value)
                self.made.lost.append((name, text, self.entry.places[name]))
        return self.made

    def take(self, *names: str) -> str:
        """Return the first of the fields that there is, and count it as read."""
        for name in names:
            if name in self.rest:
                return self.rest.pop(name)
        return ""

    def put(self, key: str, value: object, name: str) -> None:
        """Set a key to what the field ``name`` says."""
        self.made.put(key, value, self.entry.places.get(name), name)

    def move(self, key: str, *names: str) -> None:
        """Set a key to the first of the fields, as Markdown."""
        for name in names:
            if name in self.rest:
                self.put(key, latex_text.markdown(self.take(name)), name)

    def _title(self) -> None:
        title, sub = self.rest.get("title", ""), self.take("subtitle")
        name = "title" if title or self.type != "proceedings" else "booktitle"
        title = self.take(name)
        end = "" if latex_text.plain(title).endswith((":", "?", "!")) else ":"
        self.put("title", latex_text.markdown(f"{title}{end} {sub}" if sub else title), name)

    def _source(self) -> None:
        """Say where it appeared."""
        for name in ("book", "journal", "issue"):
            if sub := self.take(f"{name}subtitle"):
                key = f"{name}title" if f"{name}title" in self.rest else name
                self.rest[key] = f"{self.rest.get(key, '')}: {sub}".removeprefix(": ")
        self.move("venue", "journal", "journaltitle")
        self.move("book" if self.type in _IN_BOOK else "venue", "booktitle", "maintitle")
        if self.type.endswith("thesis"):
            self.move("venue", "school", "institution")
        elif self.type == "report":
            self.move("venue", "institution", "school")
        elif "publisher" not in self.rest:
            self.move("publisher", "organization", "institution", "school")
        if "venue" not in self.made.item and self.type != "patent":
            self.move("venue", "eventtitle", "howpublished")
        for name, key in _RICH.items():
            self.move(key, name)

    def _numbers(self) -> None:
        for name, key in _PLAIN.items():
            if name in self.rest:
                value = latex_text.plain(self.take(name))
                # BibTeX's double hyphens are a dash.
                self.put(key, re.sub(r"\s*[-–]+\s*", "-", value) if key == "pages" else value, name)
        word, number = self.take("type"), latex_text.markdown(self.rest.get("number", ""))
        kind = _WORDS.get(word.lower(), latex_text.markdown(word))
        if self.type == "patent":
            self.put("number", " ".join(part for part in (kind, number) if part), "number")
            self.take("number")
            for name in ("holder", "nationality"):
                if value := latex_text.plain(self.take(name)):
                    self.made.lost.append((name, value, self.entry.places[name]))
        elif self.type == "report":
            word = " ".join(part for part in (kind or "Technical report", number) if part)
            self.made.notes.append(word)
            self.take("number")
        elif kind:
            self.made.notes.append(kind)
        if "number" in self.rest:
            key = "volume" if self.type in _BOOKS | _IN_BOOK else "issue"
            self.put(key, latex_text.plain(self.take("number")), "number")
        if edition := latex_text.markdown(self.take("edition")):
            self.made.notes.append(reference.edition(edition))
        if version := latex_text.markdown(self.take("version")):
            self.made.notes.append(f"Version {version.removeprefix('v')}")

    def _date(self) -> None:
        if whole := self.take("date"):
            self.put("date", _iso(whole), "date")
        month, day = self.rest.get("month", ""), self.rest.get("day", "")
        # 10~March, or March 10: the day stands beside the month.
        beside = re.fullmatch(r"(?:(\d{1,2})[.~\s]*)?([A-Za-z]+)\.?(?:[~\s]*(\d{1,2}))?", month)
        if beside and not day:
            day, month = beside[1] or beside[3] or "", beside[2]
        year = latex_text.plain(self.rest.get("year", "")).strip("() ")
        if "year" in self.rest and "date" not in self.made.item:
            self.put("date", reference.date(year, latex_text.plain(month), day), "year")
            self.take("month")
            self.take("day")
            self.take("year")
        elif "date" in self.made.item and year == str(self.made.item["date"])[:4]:
            self.take("year")
            self.take("month")

    def _identifiers(self) -> None:
        for name, key in (("doi", "doi"), ("url", "url"), ("ee", "url")):
            if value := _address(self.take(name)):
                self.put(key, value, name)
        kind = self.rest.get("eprinttype", self.rest.get("archiveprefix", ""))
        if "eprint" in self.rest and kind.lower() in ("", "arxiv"):
            self.put("arxiv", _address(self.take("eprint")), "eprint")
            self.take("eprinttype")
            self.take("archiveprefix")
            # The subject, which the number leads to.
            self.take("primaryclass", "eprintclass")
        if value := _address(self.take("arxiv", "arxivid")):
            self.put("arxiv", value, "arxiv")
        links = []
        for name in ("pdf", "code", "slides", "video", "poster", "website"):
            value = _address(self.rest.get(name, ""))
            if value.startswith(("https://", "http://")):
                links.append({"PDF" if name == "pdf" else name.title(): value})
                self.take(name)
        self.made.put("links", links)


def _address(value: str) -> str:
    r"""Return an address or identifier as it is, but for \url and TeX's backslashes."""
    bare = re.sub(r"^\\(?:url|href|path)\s*\{([^{}]*)\}.*$", r"\1", value.strip())
    return texts.line(re.sub(r"\\([%#&_~$])", r"\1", bare).strip("{}<> "))


def _iso(value: str) -> object:
    """Return BibLaTeX's date: 2020-05, 2020-05/2020-07, 2020/.."""
    date = texts.line(value).strip("~?% ")
    start, slash, end = date.partition("/")
    if slash and re.fullmatch(r"\d{4}(-\d\d){0,2}", start):
        return f"{start} to present" if end in ("", "..") else f"{start} to {end}"
    return start if re.fullmatch(r"\d{4}(-\d\d){0,2}", start) else {"text": date}
