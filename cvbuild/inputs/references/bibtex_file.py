"""A BibTeX file as entries with the place of each field; what can't be read, located.

Texts are still LaTeX. Joins (``#``), @string and the names of months are resolved, and fields of a
``crossref`` or ``xdata`` entry are inherited.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span, missing
from cvbuild.model.locales.dates import NAMES

#: Bytes of a file, and entries in it; a person with 2,000 publications has 1 MiB.
LARGEST, MOST = 8 << 20, 5_000
#: How long @string may make a value.
_LONGEST = 100_000
_MONTHS = {name[:3]: name.capitalize() for name in NAMES}
#: What a field of a parent is called in its child, by BibLaTeX's rules; others keep their name.
_INHERITED = {"title": "booktitle", "subtitle": "booksubtitle"}
#: Fields of a parent that say nothing of its children.
_OWN = frozenset(("author", "crossref", "xdata", "doi", "url", "note", "pages", "keywords", "ids"))
#: A part of a value without braces or quotes: a number or the name of a string.
_WORD = re.compile(r'[^\s"{}#=,]+')
_SIGN = re.compile(r'\\.|[{}"]')
#: A field outside of an entry, which ended too early.
_STRAY = re.compile(r"(?m)^[^%]*[\w-]\s*=\s*[{\"\w]")
_WRITE = "write it as @article{key, title = {…}, author = {…}, year = {…}}"


class Entry(Struct, frozen=True):
    """An entry: its type in lower case, its key, and its fields by their names in lower case."""

    type: str
    key: str
    place: Span
    fields: dict[str, str]
    places: dict[str, Span]


class BibFile(Struct, frozen=True):
    """What a file holds; ``texts`` are comments and preambles, ``faults`` its errors."""

    entries: tuple[Entry, ...] = ()
    texts: tuple[tuple[str, str, Span], ...] = ()
    faults: tuple[Diagnostic, ...] = ()
    parents: frozenset[str] = field(default_factory=frozenset)
    """Keys of entries that others refer to by ``crossref``."""


def read(text: str, name: str) -> BibFile:
    """Return what a file called ``name`` holds, with its faults; CvbuildError for a huge one."""
    try:
        from bibtexparser.splitter import Splitter
    except ImportError as error:
        raise missing("reading BibTeX", "formats", error) from None
    # It logs what is wrong; here that is told with its place.
    logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL)
    reader = _Reader(name, text)
    for block in Splitter(text.replace("\r\n", "\n").replace("\r", "\n")).split().blocks:
        reader.take(block)
    if len(reader.entries) > MOST:
        message = f"the file has {len(reader.entries):,} entries, more than {MOST:,}"
        hint = "save the person's own publications in a file of their own"
        raise CvbuildError.because("bib-large", message, hint, Span(name))
    entries = tuple(reader.inherited())
    return BibFile(entries, tuple(reader.texts), tuple(reader.faults), frozenset(reader.parents))


class _Reader:
    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.splitlines() or [""]
        self.entries: list[Entry] = []
        self.texts: list[tuple[str, str, Span]] = []
        self.faults: list[Diagnostic] = []
        self.parents: set[str] = set()
        self._strings: dict[str, str] = dict(_MONTHS)
        self._keys: set[str] = set()
        self._is_broken = False

    def take(self, block: Any) -> None:
        place = self._span(block.start_line, block.raw)
        match type(block).__name__:
            case "String":
                self._strings[block.key.lower()] = self._value(block.value, place, block.key)
            case "Preamble":
                self.texts.append(("@preamble", block.value, place))
            case "ExplicitComment":
                self.texts.append(("@comment", block.comment, place))
            case "ImplicitComment":
                self.texts.append(("comment", block.comment, place))
                if _STRAY.search(block.comment) and not self._is_broken:
                    line = block.comment.strip().splitlines()[0][:60]
                    self._fault("stray", f'"{line}" is in no entry', place, _STRAYED)
            case "Entry":
                self._entry(block)
            case "DuplicateBlockKeyBlock":
                self.take(block.ignore_error_block)
            case "DuplicateFieldKeyBlock":
                names = ", ".join(sorted(block.duplicate_keys))
                self._fault("field", f"the entry has {names} twice", place, "delete one of them")
                self._entry(block.ignore_error_block)
            case _:
                start = block.raw.strip().splitlines()[0][:60] if block.raw.strip() else "@"
                kind = re.match(r"@\s*(\w*)", start)
                hint = f"{_WRITE}, with a comma after each field"
                if kind and kind[1].lower() in ("comment", "string", "preamble"):
                    hint = f"write it as @{kind[1].lower()}{{…}}, each brace with its other half"
                self._fault("entry", f'can\'t read the entry that begins "{start}"', place, hint)
        # What comes after a broken entry is the rest of it.
        self._is_broken = type(block).__name__ == "ParsingFailedBlock"

    def _entry(self, block: Any) -> None:
        kind, key = block.entry_type.lower(), block.key.strip()
        place = self._span(block.start_line, block.raw)
        if key.lower() in self._keys:
            self._fault("key", f'the key "{key[:60]}" is used twice', place, _RENAME)
        self._keys.add(key.lower())
        fields: dict[str, str] = {}
        places: dict[str, Span] = {}
        for part in block.fields:
            name, raw, row = part.key.strip().lower(), str(part.value), int(part.start_line)
            text, end = self._line(row), row + raw.count("\n")
            match = re.search(rf"(?<![\w-]){re.escape(part.key.strip())}\s*=\s*", text)
            column = match.end() if match else len(text) - len(text.lstrip())
            last = column + len(raw) if end == row else len(self._line(end))
            where = Span(self.name, row + 1, column + 1, end + 1, last + 1)
            value = self._value(raw, where, name)
            # Of a field that is there twice, the first counts, as in BibTeX.
            if value.strip() and name not in fields:
                fields[name] = " ".join(value.split())
                places[name] = where
        for parent in ("crossref", "xdata"):
            self.parents.update(_keys(fields.get(parent, "")))
        self.entries.append(Entry(kind, key, place, fields, places))

    def _value(self, raw: str, place: Span, name: str) -> str:
        """Return a value with its joins and strings resolved; report what is undefined."""
        if len(raw) > _LONGEST:
            self._fault("long", f"{name[:60]} is too long", place, "shorten it")
            return ""
        parts: list[str] = []
        pieces: list[str] = []
        at = len(raw) - len(raw.lstrip())
        while at < len(raw):
            end = _end(raw, at)
            pieces.append(raw[at:end])
            after = raw[end:].lstrip()
            if after and after[0] != "#":
                self._fault("value", f"{name} has more than one value", place, _ONE_VALUE)
                return raw
            at = len(raw) - len(after[1:].lstrip())
        for bare in pieces:
            known = self._strings.get(bare.lower())
            if bare[:1] in ("{", '"'):
                parts.append(bare[1:-1])
            elif bare.isdecimal() or known is not None or not bare:
                parts.append(bare if known is None else known)
            else:
                message = f"there is no @string {bare[:60]} above"
                hint = f"write {name} = {{{bare[:60]}}}, or define it"
                self._fault("string", message, place, hint)
                parts.append(bare)
            if sum(map(len, parts)) > _LONGEST:
                self._fault("long", f"{name} is too long", place, "shorten it")
                return "".join(parts)[:100]
        return "".join(parts)

    def inherited(self) -> Iterator[Entry]:
        """Yield the entries, each with the fields of its parents that it lacks."""
        by_key = {one.key.lower(): one for one in reversed(self.entries)}
        for entry in self.entries:
            for name in ("xdata", "crossref"):
                for key in _keys(entry.fields.get(name, "")):
                    parent = by_key.get(key)
                    if parent is None or parent is entry:
                        what = "the entry itself" if parent else "which is not in the file"
                        message = f'{name} names "{key[:60]}", {what}'
                        place, hint = entry.places[name], "name an entry of the file"
                        self._fault("crossref", message, place, hint)
                        continue
                    renamed: Mapping[str, str] = _INHERITED if name == "crossref" else {}
                    for called, value in parent.fields.items():
                        own = renamed.get(called, called)
                        if own not in entry.fields and not (renamed and called in _OWN):
                            entry.fields[own] = value
                            entry.places[own] = parent.places[called]
            yield entry

    def _fault(self, code: str, message: str, place: Span, hint: str) -> None:
        self.faults.append(Diagnostic("error", f"bib-{code}", message, place, hint))

    def _span(self, line: int, raw: str) -> Span:
        first = self._line(line)
        start = raw.strip().split("\n", 1)[0]
        column = max(first.find(start), len(first) - len(first.lstrip())) + 1
        end = line + raw.strip().count("\n")
        return Span(self.name, line + 1, column, end + 1, len(self._line(end)) + 1)

    def _line(self, at: int) -> str:
        return self.lines[at] if 0 <= at < len(self.lines) else ""


_RENAME = "give one of them another key, or delete it"
_ONE_VALUE = "write a comma behind it, one pair of braces around all of it, or # between the parts"
_STRAYED = "delete the closing brace before it that is too many"


def _keys(value: str) -> list[str]:
    return [key.strip().lower() for key in value.split(",") if key.strip()]


def not_inherited(entry: Entry) -> Iterator[str]:
    """Yield the fields of an entry that those which refer to it by ``crossref`` don't get."""
    hidden = {called for name, called in _INHERITED.items() if name in entry.fields}
    return (name for name in entry.fields if name in _OWN or name in hidden)


def _end(raw: str, start: int) -> int:
    """Return where the braces, the quotes or the word at a place end."""
    if raw[start : start + 1] not in ("{", '"'):
        match = _WORD.match(raw, start)
        return match.end() if match else len(raw)
    depth = 0
    for match in _SIGN.finditer(raw, start):
        sign = match.group()
        depth += (sign == "{") - (sign == "}")
        is_end = sign == '"' and match.start() > start if raw[start] == '"' else sign == "}"
        if is_end and depth == 0:
            return match.end()
    return len(raw)


def nothing(bib: BibFile, name: str) -> CvbuildError:
    """Return the error for a file without an entry: what is wrong with those it has."""
    empty = Diagnostic("error", "bib-empty", "the file has no entry", Span(name), _WRITE)
    return CvbuildError(bib.faults or [empty])
