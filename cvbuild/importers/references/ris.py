"""RIS, as EndNote, Zotero and publishers write it: a list of publications."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.draft import Draft
from cvbuild.importers.references import drafts
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import html_texts
from cvbuild.inputs.references import reference, texts
from cvbuild.inputs.references.reference import Reference

#: A tag, two blanks, a hyphen and a blank; many write other blanks, dashes or small letters.
_LINE = re.compile(
    r"[ \t]*(?:([A-Z][A-Z0-9])(?:[ \t]{0,6}[-\u2010-\u2014](?=\s|$)|[ \t]{1,6}[-\u2010-\u2014])"
    r"|([a-z][a-z0-9])[ \t]{2}[-\u2010-\u2014](?=\s|$))[ \t]?(.*)"
)
_BEGIN = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:[^\n]{0,200}\r?\n){0,20}?"
    rb"[ \t]*(?:TY[ \t]{0,6}(?:-|\xe2\x80[\x90-\x94])|ty  -)[ \t]{0,4}[A-Za-z]{2,}"
)
_WRITE = 'begin each work with a line such as "TY  - JOUR" and end it with "ER  -"'
#: Tags of databases and libraries.
_REGISTRY = frozenset(
    ("ID", "AN", "CN", "DB", "DP", "LB", "L1", "L4", "LA", "Y2", "RP", "AD", "ST", "C7", "C8")
)
_TITLES = ("TI", "T1", "CT")
_LINKS = {"L1": "PDF", "L2": "Full text"}


@dataclass
class _Work:
    """A work: its values by tag, each with its place, in the order of the file."""

    place: Span
    type: str
    values: dict[str, list[tuple[str, Span]]] = field(default_factory=dict)

    def take(self, *tags: str) -> list[tuple[str, Span]]:
        """Return the values of the first of the tags that there is, and count them as read."""
        for tag in tags:
            if tag in self.values:
                return self.values.pop(tag)
        return []


class Format:
    """Lists of publications in RIS."""

    name = "ris"
    title = "RIS"

    def recognises(self, given: Given) -> bool:
        """Return whether a work begins in the first lines."""
        return bool(_BEGIN.match(given.head))

    def read(self, given: Given) -> Imported:
        """Return the works; raise a located CvbuildError if there is none."""
        draft = Draft(given.name)
        found = [one for one in _works(texts.decoded(given.data), draft) if one.values]
        if not found:
            place = Span(given.name)
            raise CvbuildError.because("ris", "the file has no work", _WRITE, place)
        hidden: dict[str, None] = {}
        for work in found:
            item = drafts.add(draft, _reference(work))
            for tag, values in work.values.items():
                if tag in _REGISTRY:
                    hidden[tag] = None
                    continue
                for value, place in values:
                    draft.lose(tag, value, place, item)
        drafts.name_person(draft)
        draft.lose("tags that only databases use", ", ".join(sorted(hidden)), Span(given.name))
        return draft.done()


def _works(text: str, draft: Draft) -> Iterator[_Work]:
    """Yield the works; lines outside of them, or without a tag, are lost."""
    work: _Work | None = None
    last: list[tuple[str, Span]] = []
    for number, line in enumerate(text.split("\n"), 1):
        found = _LINE.fullmatch(line.rstrip())
        place = Span(draft.file, number, 1, number, len(line) + 1)
        if found is None:
            if line.strip() and work is not None and last:
                # A long value goes on.
                value, where = last[-1]
                last[-1] = (f"{value} {line.strip()}", where)
            else:
                draft.lose("line outside of a work", line.strip(), place)
            continue
        tag, value = (found[1] or found[2]).upper(), found[3].strip()
        if tag == "TY" or work is None:
            if work is not None:
                yield work
            work = _Work(place, value if tag == "TY" else "")
            last = []
            if tag == "TY":
                continue
        if tag == "ER":
            yield work
            work, last = None, []
        elif value:
            last = work.values.setdefault(tag, [])
            last.append((value, Span(draft.file, number, 7, number, len(line) + 1)))
    if work is not None:
        yield work


def _reference(work: _Work) -> Reference:
    """Return a work as a reference; what has no key stays in its values."""
    kind = drafts.of(work.type)
    if kind == "proceedings" and ("T2" in work.values or "BT" in work.values):
        kind = "inproceedings"  # CONF is both.
    made = Reference(work.place, kind)

    def put(key: str, *tags: str) -> None:
        for tag in tags:
            for value, place in work.take(tag):
                made.put(key, html_texts.inline(value), place, tag)

    put("title", *_TITLES)
    if "title" not in made.item:
        put("title", "BT")
    for key, tags in (("authors", ("AU", "A1")), ("editors", ("ED", "A2", "A3"))):
        people = [one for tag in tags for one in work.take(tag)]
        if people:
            found = [reference.of_inverted(name) for name, _ in people]
            found = found if key == "authors" else [texts.plain(name) for name in found]
            made.put(key, list(dict.fromkeys(found)), people[0][1], tags[0])
    put("book" if kind == "incollection" else "venue", "T2", "JF", "BT")
    put("short-venue" if {"venue", "book"} & made.item.keys() else "venue", "JO")
    put("short-venue", "J2", "JA")
    if made.item.get("short-venue") == made.item.get("venue"):
        made.item.pop("short-venue", None)
    put("series", "T3")
    if kind in ("thesis", "report"):
        put("venue", "PB")
    put("publisher", "PB")
    put("location", "CY", "PP")
    _numbers(work, made, kind)
    _identifiers(work, made)
    for value, _ in work.take("N1"):
        made.notes.append(html_texts.inline(value))
    words = [one for tag in ("KW", "DE") for one, _ in work.take(tag)]
    parts = [part for word in words for part in re.split(r"\s*[;\n]\s*", word) if part]
    made.put("keywords", [texts.plain(part) for part in parts])
    return made


def _numbers(work: _Work, made: Reference, kind: str) -> None:
    """Read volume, issue, pages, edition and the like, which depend on the kind of work."""
    for key, tags in (("volume", ("VL",)), ("chapter", ("SE",) if kind != "article" else ())):
        for tag in tags:
            for value, place in work.take(tag):
                made.put(key, texts.line(value), place, tag)
    number = " ".join(texts.plain(value) for value, _ in work.take("M1", "IS"))
    word = " ".join(texts.plain(value) for value, _ in work.take("M3"))
    if kind == "patent":
        made.put("number", " ".join(part for part in (word, number) if part))
    elif kind == "report":
        label = word or reference.NOTES["report"]
        made.notes.append(" ".join(part for part in (label, number) if part))
    else:
        made.put("issue", number)
        if word and drafts.of(word.replace(" ", "-")) != kind:
            made.notes.append(word)
    starts, ends = work.take("SP"), work.take("EP")
    if starts:
        start, end = texts.line(starts[0][0]), texts.line(ends[0][0]) if ends else ""
        whole = start if not end or "-" in start or end == start else f"{start}-{end}"
        made.put("pages", whole.replace("--", "-"), starts[0][1], "SP")
    elif ends:
        work.values["EP"] = ends
    for value, _ in work.take("ET"):
        is_version = kind == "software"
        word = texts.plain(value)
        made.notes.append(f"Version {word}" if is_version else reference.edition(word))


def _identifiers(work: _Work, made: Reference) -> None:
    for value, place in work.take("DO"):
        made.put("doi", texts.line(value), place, "DO")
    addresses = work.take("UR")
    for value, place in addresses:
        for one in re.split(r"\s*;\s*|\s+", value):
            made.put("url", texts.line(one), place, "UR")
    links = []
    for tag, label in _LINKS.items():
        values = work.values.get(tag, [])
        if values and values[0][0].startswith(("https://", "http://")):
            links += [{label: texts.line(value)} for value, _ in work.take(tag)]
    made.put("links", links)
    dates = work.take("DA") or work.take("PY", "Y1")
    if dates:
        year, month, day, rest = [*dates[0][0].replace("-", "/").split("/"), "", "", "", ""][:4]
        made.put("date", reference.date(year, month, day), dates[0][1])
        year, rest = year.strip(), rest.strip()
        if rest and made.item.get("date") == year:
            season = f"{rest.capitalize()} {year}"
            is_season = rest.casefold() in ("spring", "summer", "fall", "autumn", "winter")
            made.item["date"] = season if is_season else {"text": f"{rest} {year}"}
    for tag in ("PY", "Y1"):
        again = work.values.get(tag, [])
        if again and dates and again[0][0][:4] == dates[0][0][:4]:
            work.take(tag)
