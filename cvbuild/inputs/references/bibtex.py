"""The works of a BibTeX file as items; an entry of BibTeX or BibLaTeX as a reference."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from pydantic import TypeAdapter, ValidationError

from cvbuild.common.diagnostics import Diagnostic, Span, suggest
from cvbuild.inputs.references import bibtex_file, latex_text, reference
from cvbuild.inputs.references.bibtex_file import Entry
from cvbuild.inputs.references.reference import TABLES, Reference
from cvbuild.model.locales.dates import SEASONS
from cvbuild.model.sections import ARXIV, Tag
from cvbuild.model.text import texts

_TYPES = {"techreport": "report", "online": "web", "electronic": "web", "www": "web",
          "data": "dataset", "booklet": "book"}  # fmt: skip
_KNOWN_TYPES = frozenset(TABLES["types"].split())
_IN_BOOK = frozenset(("incollection", "inbook", "suppbook", "inreference", "bookinbook"))
_BOOKS = frozenset(("book", "mvbook", "collection", "mvcollection", "proceedings", "mvproceedings"))
_WHOLE = _BOOKS | {"phdthesis", "mastersthesis", "thesis"}
#: Types of entries whose field ``type`` nobody prints.
_UNTYPED = _IN_BOOK | {"article", "inproceedings", "conference"}
MANAGERS = frozenset(TABLES["managers"].split())
_EXTRA = re.compile(
    rf"\\?(?:{'|'.join(TABLES['extra'].split())})\s?:\s?\S.*|(?:Last |Online; ?)?accessed\b.*|"
    ".*Times Cited:.*",
    re.IGNORECASE,
)
_HREF = re.compile(r'\bhref="(https?://[^"\s<>]+)"')
_ADDRESS = re.compile(r"\\url\s*\{[^{}]*\}|https?://\S+")
#: Marks of authors, and what they are for, by the words of author+an.
_MARKS = "*†‡§¶"
_MEANINGS = {word: key for key, words in TABLES["annotations"].items() for word in words.split()}
_ANNOTATION = re.compile(r'\s*(\d+)\s*=\s*("[^"]*"|[^";]*)\s*(?:;|$)')


class Work(Struct, frozen=True):
    """An entry of a BibTeX file as an item; ``places`` has those of its keys."""

    type: str
    key: str
    keywords: frozenset[str]
    item: Mapping[str, Any]
    place: Span
    places: Mapping[str, Span]


@lru_cache(maxsize=4)
def works(data: bytes, name: str) -> tuple[tuple[Work, ...], tuple[Diagnostic, ...]]:
    """Return the works of a file called ``name``, and its faults; CvbuildError for a huge one."""
    bib = bibtex_file.read(texts.decoded(data), name)
    listed, references, tag = list[Work](), list[Reference](), TypeAdapter(Tag)
    for entry in bib.entries:
        if not is_work(entry, bib.parents):
            continue
        reference = of(entry)
        references.append(reference)
        item = reference.publication()
        words = item.pop("keywords", [])
        # Keywords as words to select by: machine-learning.
        names = (re.sub(r"[^\w.+-]+", "-", word.casefold()).strip("-.+") for word in words)
        tags: dict[str, None] = {}
        for one in names:
            # No word of rules, and no sign that is a letter only for Python: CO₂.
            with contextlib.suppress(ValidationError):
                tags[tag.validate_python(one)] = None
        if tags:
            item["tags"] = [*tags]
        known = frozenset(word.casefold() for word in words)
        listed.append(Work(entry.type, entry.key, known, item, entry.place, reference.places))
    return tuple(listed), (*bib.faults, *unread(references))


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
    reader = _Reader(entry)
    title, sub = reader.rest.get("title", ""), reader.take("subtitle")
    name = "title" if title or reader.type != "proceedings" else "booktitle"
    title = reader.take(name)
    end = "" if latex_text.plain(title).endswith((":", "?", "!")) else ":"
    reader.put("title", reader.read(name, f"{title}{end} {sub}" if sub else title), name)
    for name, key in (("author", "authors"), ("editor", "editors")):
        unread: latex_text.Unread = []
        guesses: list[tuple[str, str]] = []
        values = reference.of_bibtex(reader.take(name), unread, guesses)
        reader.tell(name, unread)
        for fact, remedy in guesses:
            reader.warn("names", fact, remedy, name)
        # Editors are rich text, as titles are.
        annotated = reader.annotated(values) if key == "authors" else map(texts.plain, values)
        reader.put(key, list(annotated), name)
    reader.source()
    reader.numbers()
    reader.date()
    reader.identifiers()
    reader.notes()
    words = re.split(r"\s*[,;]\s*", reader.take("keywords") or reader.take("keyword"))
    values = [latex_text.markdown(word) for word in words if word.strip()]
    reader.put("keywords", list(dict.fromkeys(values)), "keywords")
    for name, value in reader.rest.items():
        if not is_managed(name):
            text = latex_text.plain(value)
            reader.made.lost.append((name, text, reader.entry.places[name]))
    return reader.made


class _Reader:
    """Takes the fields of an entry one by one; what is left at the end has no key."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.rest = dict(entry.fields)
        self.type = _TYPES.get(entry.type, entry.type)
        self.made = Reference(entry.place, self.type)
        if entry.type not in _KNOWN_TYPES:
            fact = f'there is no type of entry "{entry.type[:60]}": it is printed as @misc is'
            self.warn("type", fact, suggest(entry.type, sorted(_KNOWN_TYPES), "there is"))

    def take(self, *names: str) -> str:
        for name in names:
            if name in self.rest:
                return self.rest.pop(name)
        return ""

    def put(self, key: str, value: object, name: str) -> None:
        self.made.put(key, value, self.entry.places.get(name), name)

    def move(self, key: str, *names: str) -> None:
        for name in names:
            if name in self.rest:
                self.put(key, self.read(name), name)

    def read(self, name: str, latex: str | None = None) -> str:
        """Return a field, which is taken, or LaTeX of it as Markdown."""
        unread: latex_text.Unread = []
        text = latex_text.markdown(self.take(name) if latex is None else latex, unread)
        self.tell(name, unread)
        return text

    def tell(self, name: str, unread: latex_text.Unread) -> None:
        place = self.entry.places.get(name, self.entry.place)
        self.made.unread += [(command, text, place) for command, text in unread]

    def warn(self, code: str, fact: str, remedy: str, name: str = "") -> None:
        place = self.entry.places.get(name, self.entry.place)
        self.made.warnings.append(Diagnostic("warning", f"bib-{code}", fact, place, remedy))

    def annotated(self, names: list[str]) -> list[str]:
        meanings = {"*": "equal contribution", "†": "corresponding author"}
        marks: dict[int, str] = {}
        whole = self.take("author+an")
        parts = _ANNOTATION.findall(whole)
        wrong = [whole] if whole and not parts else []
        for number, value in parts:
            at, is_text = int(number[:9]), value[:1] == '"'
            for word in [value.strip('"')] if is_text else re.split(r"\s*,\s*", value):
                meaning = _MEANINGS.get(word.strip().casefold(), word if is_text else None)
                free = [mark for mark in _MARKS if meanings.get(mark, meaning) == meaning]
                if meaning is None or not free or not 0 < at <= len(names):
                    wrong.append(f"{number}={word}")
                elif meaning:
                    meanings[free[0]] = meaning
                    marks[at] = marks.get(at, "") + free[0]
        hint = (
            "write author+an = {1=equal; 2=equal,corresponding}, the numbers those of the authors"
        )
        for part in wrong:
            fact = f'author+an isn\'t understood: "{part[:60]}" is left out'
            self.warn("annotation", fact, hint, "author+an")
        used = set("".join(marks.values()))
        self.put("marks", {mark: meanings[mark] for mark in _MARKS if mark in used}, "author+an")
        return [name + marks.get(at, "") for at, name in enumerate(names, 1)]

    def notes(self) -> None:
        for name in ("note", "addendum"):
            if name in self.rest and not _EXTRA.fullmatch(self.rest[name]):
                self.made.notes.append(self.read(name))
        state = self.take("pubstate")
        self.made.notes.append(TABLES["pubstate"].get(state, "") or self.read("pubstate", state))
        group = self.read("collaboration")
        authors = " ".join(self.made.item.get("authors", ())).casefold()
        if group and group.split()[0].casefold() not in authors:
            ending = "s" * bool(re.search(", | and ", group))
            word = "" if "ollaboration" in group or " Group" in group else " Collaboration" + ending
            self.made.notes.append(group + word)
        self.made.notes = [note for note in self.made.notes if note]

    def source(self) -> None:
        for name in ("howpublished", "note"):
            # An address that stands where it isn't one of the text.
            if _ADDRESS.fullmatch(self.rest.get(name, "").rstrip(". ")):
                value = self.take(name).rstrip(". ")
                self.rest.setdefault("url", value)
        for name in ("book", "journal", "issue"):
            if sub := self.take(f"{name}subtitle"):
                key = f"{name}title" if f"{name}title" in self.rest else name
                self.rest[key] = f"{self.rest.get(key, '')}: {sub}".removeprefix(": ")
        self.move("venue", "journal", "journaltitle")
        self.move("book" if self.type in _IN_BOOK else "venue", "booktitle", "maintitle")
        if self.type.endswith("thesis"):
            self.move("venue", "school", "institution", "university")
        elif self.type == "report":
            self.move("venue", "institution", "school")
        elif "publisher" not in self.rest:
            self.move("publisher", "organization", "institution", "school")
        if "venue" not in self.made.item and self.type != "patent":
            self.move("venue", "eventtitle", "howpublished")
        for name, key in TABLES["rich"].items():
            self.move(key, name)

    def numbers(self) -> None:
        if self.type in _WHOLE and self.rest.get("pages", "").isdecimal():
            # How many it has.
            self.made.lost.append(("pages", self.take("pages"), self.entry.places["pages"]))
        for name, key in TABLES["plain"].items():
            value = latex_text.plain(self.take(name))
            if key == "pages":
                # BibTeX's double hyphens are a dash; "-+" is the Web of Science's.
                value = re.sub(r"\s*[-–]+\s*", "-", value).removesuffix("-+")
            self.put(key, value, name)
        word, number = self.rest.get("type", ""), self.read("number", self.rest.get("number", ""))
        kind = "" if self.entry.type in _UNTYPED else self.read("type")
        kind = TABLES["names"].get(word.lower(), kind)
        if self.type == "patent":
            self.put("number", " ".join(part for part in (kind, number) if part), "number")
            self.take("number")
            for name in ("holder", "nationality"):
                if value := latex_text.plain(self.take(name)):
                    self.made.lost.append((name, value, self.entry.places[name]))
        elif self.type == "report":
            word = " ".join(part for part in (kind or "Technical report", number) if part)
            self.made.notes.append(word)
            self.made.type = ""
            self.take("number")
        elif kind:
            self.made.notes.append(kind)
            # It stands in place of the word for the entry.
            self.made.type = ""
        if "number" in self.rest:
            key = "volume" if self.type in _BOOKS | _IN_BOOK else "issue"
            self.put(key, latex_text.plain(self.take("number")), "number")
        # EndNote has there when an article was online.
        edition = self.read("edition")
        if edition and not re.fullmatch(r"\d{4}/.*", edition):
            self.made.notes.append(reference.edition(edition))
        if version := self.read("version"):
            self.made.notes.append(f"Version {version.removeprefix('v')}")

    def date(self) -> None:
        if whole := self.take("date"):
            self.put("date", _iso(whole), "date")
        month, day = self.rest.get("month", ""), self.rest.get("day", "")
        # 10~March, or March 10: the day stands beside the month.
        beside = re.fullmatch(r"(?:(\d{1,2})[.~\s]*)?([A-Za-z]+)\.?(?:[~\s]*(\d{1,2}))?", month)
        if beside and not day:
            day, month = beside[1] or beside[3] or "", beside[2]
        elif days := re.fullmatch(r"([A-Za-z]+)\.?[~\s]*\d+\s*[-–]+\s*\d+", month):
            month = days[1]
        year = latex_text.plain(self.rest.get("year", "")).strip("() ")
        year = re.sub(r"^(\d{4})[a-z]$", r"\1", year)
        if iso := re.match(rf"{re.escape(year)}-(\d\d)-(\d\d)(?!\d)", month):
            month, day = iso.groups()
        if "year" in self.rest and "date" not in self.made.item:
            self.put("date", _of_months(year, latex_text.plain(month), day), "year")
            self.take("month")
            self.take("day")
            self.take("year")
        elif "date" in self.made.item and year == str(self.made.item["date"])[:4]:
            self.take("year")
            self.take("month")
        words = self.made.item.get("date")
        if isinstance(words, dict) and re.search(r"\d", words["text"]):
            fact = f'"{words["text"][:60]}" is no date: it is printed as it is written'
            place = "date" if "date" in self.entry.fields else "year"
            self.warn("date", fact, "write date = {2020-05}", place)

    def identifiers(self) -> None:
        doi = latex_text.address(self.take("doi"))
        self.put("doi", unquote(doi) if "%" in doi else doi, "doi")
        for name in ("url", "ee"):
            # Mendeley writes several into one field.
            value = re.split(r" (?=https?://)", latex_text.address(self.rest.get(name, "")))[0]
            if value and not texts.address(value) and (link := _HREF.search(value)):
                value = link[1]
            if value and not texts.address(value):
                self.take(name)
                fact = f'"{value[:60]}" can\'t be a link: it is left out'
                self.warn("url", fact, "write an address such as https://example.org/page", name)
            elif value:
                self.put("url", value, name)
                self.take(name)
        kind = self.rest.get("eprinttype", self.rest.get("archiveprefix", ""))
        number = re.sub("(?i)^arxiv:", "", latex_text.address(self.rest.get("eprint", "")))
        if kind.lower() in ("", "arxiv") and ARXIV.fullmatch(number):
            self.put("arxiv", number, "eprint")
            # The subject, which the number leads to.
            for name in ("eprint", "eprinttype", "archiveprefix", "primaryclass", "eprintclass"):
                self.take(name)
        if value := latex_text.address(self.take("arxiv", "arxivid")):
            self.put("arxiv", value, "arxiv")
        links = []
        for name in ("pdf", "code", "slides", "video", "poster", "website"):
            value = latex_text.address(self.rest.get(name, ""))
            if value.startswith(("https://", "http://")):
                links.append({"PDF" if name == "pdf" else name.title(): value})
                self.take(name)
        self.made.put("links", links)


def unread(references: Iterable[Reference]) -> Iterator[Diagnostic]:
    """Yield a warning for each thing of a file that isn't understood, once, where it is first."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, Span]] = {}
    for made in references:
        yield from made.warnings
        for command, text, place in made.unread:
            counts[command] += 1
            first.setdefault(command, (text, place))
    for command, (text, place) in first.items():
        printed = f'"{text[:60]}" is printed' if text else "nothing is printed"
        fact = f"\\{command[:60]} is no command that is read: {printed}"
        if not command:
            fact = "braces are nested too deep: the text is printed without them"
        times = f" ({counts[command]:,} times)" if counts[command] > 1 else ""
        remedy = "write what it stands for, in Unicode" if command else "write it with fewer braces"
        yield Diagnostic("warning", "bib-command", fact + times, place, remedy)


def _of_months(year: str, month: str, day: str) -> object:
    """Return a date of a year and a month or season, or of two months."""
    if two := re.fullmatch(r"(\w+?)\.?\s?[-/–]+\s?(\w+)\.?", month):
        dates = [reference.date(year, part) for part in two.groups()]
        if all(isinstance(value, str) and "-" in value for value in dates):
            return f"{dates[0]} to {dates[1]}"
    return reference.date(year, month, day)


def _iso(value: str) -> object:
    """Return BibLaTeX's date: 2020-05, 2020-05/2020-07, 2020/.., 2020-21; or words with a year."""
    date = texts.line(value).strip("~?% ")
    start, slash, end = (part.partition("T")[0] for part in date.partition("/"))
    point = r"\d{4}(-(0[1-9]|1[0-2])(-\d\d)?)?"
    if slash and re.fullmatch(point, start):
        if end in ("", ".."):
            return f"{start} to present"
        if start[:4] == end[:4]:
            # Days of a conference, or from submission to print: what they have in common.
            return start[:7] if start[:7] == end[:7] else start[:4]
        return f"{start} to {end}"
    if re.fullmatch(point, start):
        return start
    if season := re.fullmatch(r"(\d{4})-2([1-4])", start):
        return f"{SEASONS[int(season[2]) - 1]} {season[1]}"
    if words := re.fullmatch(r"(?:(\d\d?)\.? )?([A-Za-z]+)\.?(?: (\d\d?))?,? (\d{4})", date):
        return _of_months(words[4], words[2], words[1] or words[3] or "")
    return {"text": date}
