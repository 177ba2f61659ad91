"""Examples of the tests with the labels that follow from what is known of them."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from cvbuild.importers import dates, headings
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.cells import Cell, Line
from tools.learn.real import Document, seen

_TESTS = Path(__file__).parents[2] / "tests"
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_SHORT = re.compile(r"(?:['’]|\b\d{1,2}/)(\d\d)(?![\d/])")
_HALF = re.compile(r"(?<!\d)((?:19|20))\d\d\s*[-–/]\s*(\d\d)(?!\d)")
#: Most lines of an entry's head; the part of a cell's words that have to be known; most words.
_LINES, _SHARE, _WORDS = 5, 0.7, 30
#: What finding all words of a part is worth.
_WORTH = {"T": 2.0, "O": 2.0, "P": 0.3, "D": 1.5}

#: A line and a cell in it by their numbers.
_Place = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """What is known of an entry: the words of its parts, and the years of its date."""

    words: dict[str, frozenset[str]]
    years: frozenset[int]


@dataclass
class _Found:
    """Labels of cells that an entry may have."""

    labels: dict[_Place, str] = field(default_factory=dict)
    words: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in "TOP"})
    score: float = 0.0


def examples() -> Iterator[tuple[Document, bool]]:
    """Yield the examples of importers with their labels, and whether each is a PDF."""
    for path, entries in _sources():
        lines, names = seen(path)
        found = labels([line for line in lines if line.cells], entries)
        count = sum(label.startswith("B-") for label in found)
        is_known = count * 2 >= len(entries) or any(line.block.part for line in lines)
        if len(names) >= 4 and is_known and _are_dates_known(lines, found):
            yield (names, found), path.suffix == ".pdf"


def _are_dates_known(lines: Sequence[Line], found: Sequence[str]) -> bool:
    """Return whether most dates of posts and degrees are known: facts may name only some."""
    labels_of, kind, dated = iter(found), "", list[bool]()
    for line in (one for one in lines if one.cells):
        own = [next(labels_of) for _ in line.cells]
        if own[0] == "S":
            kind = (headings.kind_of(line.text.strip()) or ("", ""))[0]
        if kind in ("experience", "education", "volunteer"):
            both = zip(line.cells, own, strict=True)
            dated += [label.endswith("D") for cell, label in both if _is_date(cell.text)]
    return sum(dated) * 4 >= len(dated) * 3


def known(title: str, organization: str = "", location: str = "", date: str = "") -> Known:
    """Return what is known of an entry."""
    texts = {"T": title, "O": organization, "P": location}
    return Known({name: frozenset(_words(text)) for name, text in texts.items()}, _years(date))


def labels(lines: Sequence[Line], entries: Sequence[Known]) -> list[str]:
    """Return the labels of the cells of lines: those of entries, headings, head and text."""
    given, taken = dict[_Place, str](), set[int]()
    for entry in entries:
        ends = range(1, len(lines) + 1)
        spans = [range(at, end) for end in ends for at in range(max(0, end - _LINES), end)]
        tries = [_match(lines, span, entry, given, taken) for span in spans]
        best = max(tries, key=lambda one: one.score, default=_Found())
        if best.score < (1.9 if entry.words["O"] else 1.2):
            continue
        first, last = min(best.labels), max(best.labels)
        taken.update(range(first[0], last[0] + 1))
        for at in {at for at, _ in best.labels}:
            for number, cell in enumerate(lines[at].cells):
                if (at, number) not in given and _is_town(cell):
                    best.labels.setdefault((at, number), "P")
        first = min(best.labels)
        given |= best.labels | {first: f"B-{best.labels[first]}"}
    found, rest = list[str](), "H"
    for at, line in enumerate(lines):
        own = [given.get((at, number)) for number in range(len(line.cells))]
        is_title = not any(own) and _is_title(line)
        if is_title or any(own):
            rest = "X"
        found += ["S" if is_title else label or rest for label in own]
    return found


def _match(
    lines: Sequence[Line], span: range, entry: Known, given: Container[_Place], taken: set[int]
) -> _Found:
    """Return the labels that cells of some lines have if they are the head of an entry."""
    found, has_date = _Found(), False
    for at in span:
        for number, cell in enumerate(lines[at].cells):
            if (at, number) in given:
                continue
            if _is_date(cell.text):
                if not has_date and _years(cell.text) & entry.years:
                    found.labels[at, number], has_date = "D", True
            elif name := _part(cell.text, entry, found):
                found.labels[at, number] = name
                found.words[name] |= entry.words[name] & set(_words(cell.text))
    if not found.labels or min(found.labels)[0] != span[0]:
        return _Found()
    found.score = _WORTH["D"] * has_date - 0.12 * len(span)
    for name, words in found.words.items():
        found.score += _WORTH[name] * len(words) / max(1, len(entry.words[name]))
    found.score -= 0.8 * any(at in taken for at in span)
    return found


def _part(text: str, entry: Known, found: _Found) -> str:
    """Return the part of an entry that most words of a text are in, and new."""
    words = [word for word in _words(text) if word not in ("in", "at", "of")] or _words(text)
    if not words or len(set(words)) > _WORDS:
        return ""
    shares = {
        name: sum(word in there for word in words) / len(words)
        for name, there in entry.words.items()
        if (set(words) & there) - found.words[name]
    }
    best = max(shares, key=shares.__getitem__, default="")
    return best if shares.get(best, 0) >= _SHARE else ""


def _is_town(cell: Cell) -> bool:
    """Return whether a cell in the head of an entry is a place by its words."""
    if cell.mark not in ("TAB", "COMMA", "BAR", "AFTER", "BRACKET", "START", "TYPE"):
        return False
    is_short = len(cell.text.split()) <= 3 and not cell.text.endswith(":")
    return vocabulary.is_place(cell.text) or (is_short and vocabulary.is_town(cell.text))


def _is_title(line: Line) -> bool:
    text, block = line.text.strip(), line.block
    if line.at or block.kind == "point" or len(line.cells) > 2 or len(text) >= 60:
        return False
    stands_out = line.cells[0].has("strong") or text.isupper() or block.kind == "heading"
    return bool(headings.is_title(text)) and (stands_out or len(block.lines) == 1)


@cache
def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", plain)


@cache
def _is_date(text: str) -> bool:
    return dates.is_date(text.strip(" .,;:()[]"))


@cache
def _years(text: str) -> frozenset[int]:
    found = [int(year) for year in _YEAR.findall(text)]
    found += [(2000 if int(year) < 50 else 1900) + int(year) for year in _SHORT.findall(text)]
    return frozenset([*found, *(int(first + last) for first, last in _HALF.findall(text))])


def _sources() -> Iterator[tuple[Path, list[Known]]]:
    """Yield the files of examples, with what is known of their entries."""
    sys.path.insert(0, str(_TESTS / "helpers"))
    import mutants
    import recall
    import recall_table

    def entries(said: recall.Said) -> list[Known]:
        found = []
        for item in said.items:
            last = {name: str(values[-1]) for name, values in item.values.items() if values}
            title = last.get("title") or last.get("degree", "")
            if "publication" not in item.values:
                rest = [last.get(name, "") for name in ("organization", "location", "date")]
                found.append(known(title, *rest))
        return found

    for case, said in recall_table.facts_said().items():
        (path,) = (mutants.EXAMPLES / case).glob("given*")
        yield path, entries(said)
    pdfs = _TESTS / "importers/pdfs"
    for part in recall_table.PARTS:
        for path in sorted((pdfs / part).glob("*.pdf")):
            facts = pdfs / "people" / f"{path.stem.rpartition('.')[2]}.yaml"
            yield path, entries(recall.said_by(yaml.safe_load(facts.read_text("utf-8"))))
