"""What a cell shows of itself and of what is around it: what its label is learned from."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import cache

from cvbuild.importers import dates, headings
from cvbuild.importers.documents import lexicon, vocabulary
from cvbuild.importers.documents.cells import Cell, Line
from cvbuild.model.text import texts

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_REACH = re.compile(r"\S@\S+\.\w|https?://|www\.|\b[\w-]+\.(?:com|org|net|io|edu|de|fr|me|dev)\b")
_PHONE = re.compile(r"(?:\+|\(|\b0)?\d[\d\s().-]{7,}\d")
_AUTHORS = re.compile(r"\b[A-Z]\.\s?(?:[A-Z]\.\s?)?[A-Z][a-zß-ü]+|[A-Z][a-zß-ü]+,?\s[A-Z]\.")
_QUOTED = re.compile(r"[“”„«»\"]")
_CITED = re.compile(
    r"(?i)\b(?:journal|proceedings|conference|transactions|vol|pp|doi|arxiv|in press|isbn|et al)\b"
)
_VERBS = re.compile(r"(?i)^(?:led|built|taught|responsible|wrote|\w{4,}ed|\w{4,}ing)\b")
#: What the words of a line may name that its neighbours are told.
_OF_LINES = frozenset(("org", "job", "deg", "cit", "reach", "verb", "place"))
#: Labels of what is about a person.
_CONTACTS = frozenset(
    texts.unaccented(label)
    for labels in vocabulary.TABLES["labels"].values()
    for label in labels.split("|")
)
#: Features by which cells look alike.
_LOOK = ("block=", "b=", "i=", "sz=", "up=", "k=", "isdate=")
_WORD = re.compile(r"[^\W_]+(?:['’.+#-][^\W_]+)*[+#]*")


def _step(value: float, *limits: float) -> int:
    """Return how many of rising limits a value reaches."""
    return sum(value >= limit for limit in limits)


@cache
def _hashed(word: str) -> str:
    """Return a word as a number: the words of people aren't kept."""
    return f"{zlib.crc32(texts.unaccented(word).encode()) & 0xFFFF:x}"


@cache
def _senses(text: str) -> frozenset[str]:
    """Return what the words of a cell may name."""
    found = {
        "org": vocabulary.ORGANIZATION,
        "job": vocabulary.POSITION,
        "deg": vocabulary.DEGREE,
        "cit": _CITED,
        "verb": _VERBS,
        "lvl": vocabulary.LEVEL,
        "reach": _REACH,
    }
    names = {name for name, pattern in found.items() if pattern.search(text)}
    said = {
        "place": vocabulary.is_place(text),
        "town": vocabulary.is_town(text),
        "region": vocabulary.is_region(text.rpartition(", ")[2]),
        "phone": not _YEAR.search(text) and _PHONE.search(text),
    }
    names |= {name for name, is_said in said.items() if is_said} | lexicon.senses(text)
    # What the text after a label such as "Employer:" is.
    label = text.rstrip(" :")
    if len(label) <= 40:
        key = "contact" if texts.unaccented(label) in _CONTACTS else vocabulary.column_of(label)
        names |= {f"key-{key}"} if key else set()
    return frozenset(names)


def features(lines: Sequence[Line]) -> list[list[str]]:
    """Return the features of each cell of all lines, in their order."""
    return _Features(lines).all()


def look(names: Sequence[str]) -> frozenset[str]:
    """Return what a cell looks like, by its features: cells of one look are mostly the same."""
    return frozenset(name for name in names if name.startswith(_LOOK))


class _Features:
    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.texts = [line.text for line in lines]
        #: The kind that a line announces if it is a title; None for others.
        self.kinds = [self._title(line) for line in lines]
        #: The size of the first cell's type in pt, 0 where it is unknown.
        sizes = [
            max((run.size for run in line.cells[0].runs if run.text.strip()), default=0.0)
            for line in lines
        ]
        self.looks: list[tuple[bool, bool, bool, str, int, float]] = []
        for line, size in zip(lines, sizes, strict=True):
            cell, block = line.cells[0], line.block
            kind = "paragraph" if block.kind in ("row", "part") else block.kind
            marks = cell.has("strong"), cell.has("em"), cell.text.isupper()
            self.looks.append((*marks, kind, block.level, round(size)))
        self.dated = [any(_is_date(cell) for cell in line.cells) for line in lines]
        body = Counter(look[5] for look in self.looks).most_common(1)[0][0] if lines else 0
        titles = Counter(look for look, kind in zip(self.looks, self.kinds, strict=True) if kind)
        often = Counter(self.looks)
        #: Looks that most titles have, and not many other lines.
        self.title_looks = {
            look
            for look, count in titles.items()
            if count >= 2
            and count * 3 >= often[look]
            and (look[:4] != (False, False, False, "paragraph") or look[5] != body)
        }
        letters: Counter[float] = Counter()
        for size, text in zip(sizes, self.texts, strict=True):
            letters[size] += len(text)
        usual = max(letters, key=letters.__getitem__, default=0.0) or 1.0
        #: How large each line is beside the size of most letters.
        self.heights = [_step(size / usual, 0.01, 0.95, 1.05, 1.2, 1.5) for size in sizes]
        self.briefs = [self._brief(at) for at in range(len(lines))]

    def _title(self, line: Line) -> str | None:
        text = line.text.strip()
        if line.at or len(line.cells) > 2 or len(text) > 60 or line.block.kind == "point":
            return None
        found = headings.kind_of(text)
        return found[0] if found else "contact" if headings.is_contact(text) else None

    def _brief(self, at: int) -> list[str]:
        line = self.lines[at]
        cell, text = line.cells[0], self.texts[at]
        senses = {name for one in line.cells for name in _senses(one.text)}
        return [
            f"b={cell.has('strong')}",
            f"i={cell.has('em')}",
            f"kind={line.block.kind}{line.block.level}",
            f"date={self.dated[at]}",
            f"len={_step(len(text), 12, 30, 60, 90)}",
            f"n={min(len(line.cells), 4)}",
            f"title={self.kinds[at] is not None}",
            f"tl={self.looks[at] in self.title_looks}",
            f"first={line.at == 0}",
            f"sz={self.heights[at]}",
            *(f"s={name}" for name in sorted(senses & _OF_LINES)),
        ]

    def all(self) -> list[list[str]]:
        """Return the features of all cells."""
        count, edge = len(self.lines), ["edge"]
        found: list[list[str]] = []
        kind, since, first, same_at, is_dated, was_dated = "top", 0, None, 0, False, False
        for at, line in enumerate(self.lines):
            is_title = self.looks[at] in self.title_looks and len(line.cells) == 1
            is_title = is_title and len(self.texts[at]) < 60 and line.block.kind != "point"
            stands_out = line.block.kind == "heading" or self.looks[at][0] or self.looks[at][2]
            if is_title or (self.kinds[at] and stands_out):
                kind, since = self.kinds[at] or "other", 0
            else:
                since += 1
            me = (*self.looks[at], line.at == 0)
            first = me if since == 1 else first
            same = since > 0 and me == first
            if same:
                same_at, was_dated, is_dated = 0, is_dated, self.dated[at]
            else:
                same_at, is_dated = same_at + 1, is_dated or self.dated[at]
            around = [
                "bias",
                f"sec={kind}",
                f"since={_step(since, 1, 2, 3, 6, 12)}",
                f"cells={min(len(line.cells), 5)}",
                f"block={line.block.kind}{line.block.level}",
                f"at={min(line.at, 3)}+{line.block.kind}",
                f"lines={_step(len(line.block.lines), 2, 3, 5)}",
                f"table={bool(line.block.cell)}",
                f"same={same}+{was_dated if same and since > 1 else None}",
                f"sameat={_step(same_at, 1, 2, 3, 4, 8)}+{is_dated}",
                f"pos={_step(at, 1, 2, 4, 8, 15, 30)}",
                f"end={_step(count - at, 2, 4, 10)}",
                f"title={self.kinds[at] is not None}+{line.block.kind}",
                f"tl={self.looks[at] in self.title_looks}",
                f"len={_step(len(self.texts[at]), 12, 30, 60, 90, 130)}",
                f"ldate={self.dated[at]}",
                f"sz={self.heights[at]}+{line.cells[0].has('strong')}",
                f"lyear={bool(_YEAR.search(self.texts[at]))}",
                f"dot={self.texts[at].rstrip()[-1:] in '.!?'}",
                *(f"P:{name}" for name in (self.briefs[at - 1] if at else edge)),
                *(f"N:{name}" for name in (self.briefs[at + 1] if at + 1 < count else edge)),
                *(f"NN:{name}" for name in (self.briefs[at + 2][2:8] if at + 2 < count else edge)),
            ]
            if at:
                around += [
                    f"pdot={self.texts[at - 1].rstrip()[-1:] in '.!?'}",
                    f"pb={self.looks[at][:2] == self.looks[at - 1][:2]}",
                ]
            found += (self._cell(at, number, kind, around) for number in range(len(line.cells)))
        return found

    def _cell(self, at: int, number: int, kind: str, around: list[str]) -> list[str]:
        line = self.lines[at]
        cell, text, count = line.cells[number], line.cells[number].text, len(line.cells)
        words = _WORD.findall(text)
        low = [word.casefold() for word in words]
        capitals = sum(word[:1].isupper() for word in words) / max(1, len(words))
        senses, date = _senses(text), _is_date(cell)
        found = [
            *around,
            f"k={min(number, 4)}",
            f"last={number == count - 1}",
            f"mark={cell.mark}",
            f"b={cell.has('strong')}",
            f"i={cell.has('em')}",
            f"url={any(run.url for run in cell.runs)}",
            f"up={text.isupper()}",
            f"nw={_step(len(words), 2, 3, 4, 6, 9, 14)}",
            f"cap={_step(capitals, 0.3, 0.6, 0.99)}",
            f"isdate={date}",
            f"year={bool(_YEAR.search(text))}",
            f"dig={_step(sum(char.isdigit() for char in text), 1, 3, 6, 9)}",
            f"low={text[:1].islower()}",
            f"endc={'a' if text[-1:].isalnum() else text[-1:]}",
            f"sec+k={kind}+{min(number, 2)}+{date}",
            f"auth={len(_AUTHORS.findall(text)) > 1}",
            f"nld={count}+{self.dated[at]}+{min(number, 3)}",
            f"quote={bool(_QUOTED.search(text))}",
        ]
        for name in sorted(senses):
            found += [f"s={name}", f"s={name}+{kind}"]
        key = "+".join(sorted(senses & {"org", "job", "deg", "place", "cit", "verb"}))
        found.append(f"ss={key}")
        found += [f"W:{_hashed(word)}" for word in low[:4]]
        found += [f"L:{_hashed(low[-1])}"] if low else []
        found += [f"E:{_hashed(word[-4:])}" for word in low[:3] if len(word) > 5]
        for step in (-1, 1):
            if 0 <= number + step < count:
                beside = line.cells[number + step]
                found += [
                    f"C{step}:b={beside.has('strong')}",
                    f"C{step}:date={_is_date(beside)}",
                    f"C{step}:{beside.mark}",
                    *(f"C{step}:s={name}" for name in sorted(_senses(beside.text))),
                ]
        return found


def _is_date(cell: Cell) -> bool:
    return dates.is_date(cell.text.strip(" .,;:()[]"))
