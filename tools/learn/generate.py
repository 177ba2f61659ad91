"""Invented CVs with labels, from which the labeller of the importers learns.

``documents`` makes them from a seed, and ``labelled`` turns one into lines and labels of cells.
"""

from __future__ import annotations

import random
import re
import string
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.importers.documents.cells import Line, lines_of
from cvbuild.importers.documents.features import features
from cvbuild.importers.outline import Block, Run
from tools.learn.real import Document

_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
_FORMS = {name: text.strip().splitlines() for name, text in _TABLES.pop("forms").items()}
#: Kinds of the first and of the further lines of an entry, and whether they are one block.
_KINDS = {
    name: [tuple(line.split()) for line in text.strip().splitlines()]
    for name, text in _TABLES.pop("kinds").items()
}
#: By kind: titles, organizations, and how many dates are ranges; styles of texts.
_ENTRIES, _TEXTS = _TABLES.pop("entries"), _TABLES.pop("texts")
_LANGUAGES = ["en"] * 8 + ["de"] * 3 + ["fr"] * 3 + ["es", "it", "pt"] * 2 + ["nl", "pl"]
_STRONG, _EM, _PLAIN = frozenset({"strong"}), frozenset({"em"}), frozenset[str]()
_LOOKS = [_PLAIN] * 4 + [_STRONG] * 4 + [_EM] * 2 + [_STRONG | _EM]
_MARKS = [" | ", " – ", " - ", ", ", " · ", "\t", "; ", " / ", " — ", " • ", ", "]
_RANGES = [" – ", " - ", "-", "–", " — ", " to "]


@dataclass(frozen=True)
class Labelled:
    """A block, with the label of each run of each of its lines; empty for marks between facts."""

    block: Block
    labels: list[list[str]]


#: A text, its label and its looks.
Piece = tuple[str, str, frozenset[str]]


def documents(seed: int, count: int) -> Iterator[list[Labelled]]:
    """Yield invented CVs; the same ones for the same seed."""
    for number in range(count):
        yield _Writer(random.Random(f"{seed}/{number}")).document()


def invented(seed: int, count: int) -> list[Document]:
    """Return the features and the labels of invented CVs."""
    made = (labelled(one) for one in documents(seed, count))
    return [(features(lines), labels) for lines, labels in made]


def labelled(document: Sequence[Labelled]) -> tuple[list[Line], list[str]]:
    """Return the lines of a document, and the label of each cell: that of its first fact, or X."""
    lines = lines_of(one.block for one in document)
    known = {id(one.block): one.labels for one in document}
    labels = []
    for line in lines:
        runs = zip(line.runs, known[id(line.block)][line.at], strict=True)
        letters = [label if char.isalnum() else "" for run, label in runs for char in run.text]
        at, has_begun = 0, False
        for cell in line.cells:
            text = "".join(run.text for run in cell.runs)
            at = line.text.index(text, at) + len(text)
            names = [name for name in letters[at - len(text) : at] if name]
            facts = [name for name in names if name != "X"]
            is_fact = facts and (names[0] != "X" or len(facts) * 2 >= len(names))
            label = facts[0] if is_fact else "X"
            labels.append(label.removeprefix("B-") if has_begun else label)
            has_begun = has_begun or label.startswith("B-")
    return lines, labels


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.language = rng.choice(_LANGUAGES)
        own = _TABLES[self.language]
        self.words = _TABLES["all"] | own
        self.words["skills"] = f"{_TABLES['all']['skills']}|{own['skills']}"
        self.words |= {f"titles of {kind}": words for kind, words in own["titles"].items()}
        self.made: list[Labelled] = []
        self.name = f"{self.one('given')} {self.one('family')}"
        self.medium = rng.choice(list(_KINDS))
        self.words["author"] = rng.choice(self.listed("author"))
        self.mark, self.comma = rng.choice(_MARKS), rng.choice([", ", ", ", ", ", " - ", " · "])
        self.looks = {name: rng.choice(_LOOKS) for name in "TOPD"}
        if self.medium == "markdown" or self.chance(0.5):
            self.looks["P"] = self.looks["D"] = _PLAIN
        self.capitals = {name for name in "TO" if self.chance(0.08)}
        self.range, self.dates = rng.choice(_RANGES), rng.choice("MMSSSNNYYYIDsq")
        self.years = rng.choice([0.1, 0.3, 1.0])
        self.has = {name: rng.choice([1, 1, 1, 0.7, 0.0 if name == "P" else 1]) for name in "OPD"}
        self.kinds = rng.choice(_KINDS[self.medium])
        brief = [("point0", "point0", "one")] * 2 + [("paragraph", "paragraph", "each")]
        self.short_kinds = rng.choice([self.kinds, *brief, ("row", "row", "one")])
        self.long, self.short = rng.choice(_FORMS["long"]), rng.choice(_FORMS["short"])
        self.education = rng.choice([self.long, rng.choice(_FORMS["long"])])
        self.text = rng.choice(["points"] * 5 + ["paragraph", "lines", "none"])
        self.has_groups = self.chance(0.12)
        self.cell = rng.choice([0] * 9 + [1])

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def listed(self, key: str) -> list[str]:
        return str(self.words[key]).replace("\n", "").split("|")

    def one(self, key: str) -> str:
        """Return a word of a list, in which other words are filled in."""
        return self.filled(self.rng.choice(self.listed(key)))

    def filled(self, text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: self.word(found[1]), text)

    def word(self, name: str) -> str:
        """Return what stands for a name in braces: a word of the list of that name, mostly."""
        match name:
            case "town":
                return re.split(r",| - | \(", self.one("towns"))[0]
            case "number":
                return str(self.rng.randint(10, 99))
            case "year":
                return str(self.rng.randint(1998, 2024))
            case "date":
                return self.date(is_range=self.chance(0.5))
            case "list":
                return ", ".join(self.one("skills") for _ in range(self.rng.randint(1, 8)))
            case "authors":
                return ", ".join(self.one("author") for _ in range(self.rng.randint(1, 6)))
        return self.one(name if name in self.words else f"{name}s")

    # Lines and blocks.

    def add(self, kind: str, *lines: list[Piece]) -> None:
        """Add a block of a kind, with its level after it."""
        name, level = kind.rstrip(string.digits), int(kind[-1]) if kind[-1].isdigit() else 0
        if lines := tuple(line for line in lines if line):
            runs = [[Run(text, looks) for text, _, looks in line] for line in lines]
            block = Block(name, runs, level, cell=self.cell if self.made else 0)
            self.made.append(Labelled(block, [[label for _, label, _ in line] for line in lines]))

    def say(self, kind: str, text: str, label: str = "X", looks: frozenset[str] = _PLAIN) -> None:
        """Add a block of one line."""
        self.add(kind, [(text, label, looks)])

    def tell(self, kind: str, style: str, looks: frozenset[str], label: str = "X") -> None:
        """Add the lines that a style says: ``words.toml`` has what its marks mean."""
        for line in style.split("/"):
            parts = self.filled(line.lstrip("#")).split("_")
            pieces = [(text, label, looks if at % 2 else _PLAIN) for at, text in enumerate(parts)]
            if line[0] == "#":
                self.say("heading3", parts[0], "G", looks)
            else:
                self.add(kind, [piece for piece in pieces if piece[0]])

    def point(self, kind: str) -> None:
        """Add a point, now and then one that a reader cut in two."""
        text = self.one("bullet")
        at = text.find(" ", len(text) // 2) + 1
        is_cut = at and self.medium == "pdf" and len(text) > 45 and self.chance(0.15)
        self.say(kind, text[:at].rstrip() if is_cut else text)
        if is_cut:
            self.say(self.rng.choice([kind, "paragraph", "heading3"]), text[at:])

    # Facts.

    def moment(self, year: int) -> str:
        month, day = self.rng.randint(1, 12), self.rng.randint(1, 28)
        if self.dates == "Y" or (self.dates not in "ID" and self.chance(self.years)):
            return str(year)
        name = self.listed("shorts" if self.dates in "Ss" else "months")[month - 1]
        name = name if self.language in ("fr", "es", "it") else name.title()
        forms = {
            "N": f"{month:02}/{year}",
            "I": f"{year}-{month:02}",
            "D": f"{day:02}.{month:02}.{year}",
            "s": f"{name} '{year % 100:02}",
            "q": f"{self.one('seasons')} {year}",
        }
        return forms.get(self.dates, f"{name} {year}")

    def date(self, *, is_range: bool) -> str:
        year = self.rng.randint(1998, 2024)
        first = self.moment(year)
        if not is_range:
            return self.one("expected") * self.chance(0.06) + first
        ends = [self.moment(year + self.rng.randint(1, 5))] * 6 + [self.one("present")]
        whole = first + self.range + self.rng.choice(ends)
        return self.rng.choice([whole] * 16 + [first, self.one("since") + first])

    def facts(self, kind: str) -> dict[str, list[Piece]]:
        """Return the parts of an entry of a kind of section by their letters."""
        titles, organizations, ranges = _ENTRIES[kind]
        texts = {
            "T": self.filled(self.rng.choice(titles.split("|"))),
            "O": self.filled(self.rng.choice(organizations.split("|"))),
            "P": self.one("towns"),
            "D": self.date(is_range=self.chance(ranges)),
        }
        if kind == "education" and self.chance(0.85):
            texts["T"] = self.one("degrees") + self.one("joins") + self.one("subjects")
        for name in "OPD":
            is_rare = name == "P" and kind in ("project", "award", "certificate", "service")
            if is_rare or ((name, kind) != ("O", "experience") and not self.chance(self.has[name])):
                texts[name] = ""
        texts |= {name: texts[name].upper() for name in self.capitals}
        found = {
            name: [(text, name, self.looks[name])] if text else [] for name, text in texts.items()
        }
        if kind == "education" and self.chance(0.3):
            degree, mark, subject = texts["T"].partition(" in ")
            if mark:
                found["T"] = [(degree, "T", self.looks["T"]), (mark + subject, "T", _PLAIN)]
        return found

    # Entries.

    def lines(self, form: str, facts: dict[str, list[Piece]]) -> list[list[Piece]]:
        """Return the lines that a form makes of facts; what is missing takes its mark along."""
        marks = {",": self.comma, "~": self.mark, ">": "\t", ":": ": ", "_": " "}
        marks["@"] = self.one("at") if facts["O"] else self.comma
        lines: list[list[Piece]] = [[]]
        mark, begin = "", "B-"
        for token in form.split():
            pieces = facts.get(token.strip("f()"), [])
            if token == "/":
                lines, mark = [*lines, []], ""
            elif token in marks:
                mark = mark or marks[token]
            elif pieces:
                if token[0] == "f":
                    looks = self.rng.choice([_PLAIN, _STRONG])
                    lines[-1].append((f"{self.one('fields')}: ", "X", looks))
                is_aside = token[0] == "("
                before = (mark or " " * is_aside) if lines[-1] else ""
                text, label, looks = pieces[0]
                lines[-1] += [(before + "(" * is_aside, "", _PLAIN)] if before or is_aside else []
                lines[-1] += [(text, begin + label, looks), *pieces[1:]]
                lines[-1] += [(")", "", _PLAIN)] if is_aside else []
                mark, begin = "", ""
        return [line for line in lines if line]

    def entry(self, form: str, kinds: tuple[str, ...], facts: dict[str, list[Piece]]) -> None:
        """Add the head of an entry."""
        lines = self.lines(form, facts)
        if lines and self.chance(0.08):
            extra = self.one("extra")
            if self.chance(0.5):
                lines.append([(extra, "X", _PLAIN)])
            else:
                lines[-1].append((f"{self.mark}{extra}", "X", _PLAIN))
        first, rest, is_one = kinds
        if is_one == "one":
            self.add(first, *lines)
        else:
            for at, line in enumerate(lines):
                self.add(rest if at else first, line)

    def description(self, kinds: tuple[str, ...], kind: str) -> None:
        """Add the text below an entry."""
        how = self.text
        if kind == "education":
            how = self.rng.choice(["none", "none", "lines", "lines", how])
        point = "point1" if kinds[0] == "point0" and self.chance(0.7) else "point0"
        if how == "paragraph" or (how == "points" and self.chance(0.12)):
            self.say("paragraph", self.one("told"))
        if how == "points":
            for _ in range(self.rng.randint(1, 5)):
                self.point(point)
        if how == "lines" or (how == "points" and self.chance(0.15)):
            block = self.rng.choice([point, "paragraph", kinds[0]])
            looks = self.rng.choice([_PLAIN, _STRONG, _EM])
            for _ in range(self.rng.randint(1, 2)):
                self.tell(block, "_{inner}_: {detail}", looks)

    # Sections.

    def entries(self, kind: str) -> None:
        """Add entries with text below them; some have an employer, and posts below it."""
        form = self.education if kind == "education" else self.long
        employer, post = self.rng.choice(_FORMS["employer"]), self.rng.choice(_FORMS["post"])
        share = self.rng.choice([0, 0, 0, 0, 0.3, 0.6])
        for number in range(self.rng.randint(1, 5)):
            facts = self.facts(kind)
            self.group(number)
            forms = [(form, facts)]
            if facts["O"] and self.chance(share):
                self.entry(employer, self.kinds, facts)
                forms = [(post, self.facts(kind)) for _ in range(self.rng.randint(2, 4))]
            for own, of_post in forms:
                self.entry(own, self.kinds, of_post)
                self.description(self.kinds, kind)

    def items(self, kind: str) -> None:
        """Add entries of a line or two, or with words of what they are behind them."""
        form = self.rng.choice([self.short, self.rng.choice(_FORMS["short"]), "T"])
        if "T" not in form and kind != "service":
            form = "T , O , D"
        is_told = kind == "project" or self.chance(0.15)
        told = self.rng.choice(["T > D", "D > T", "T (D)", "T ~ D", "T", "T", "T"])
        mark = self.rng.choice([": ", " – ", " - ", ". ", " "])
        for number in range(self.rng.randint(1, 6)):
            facts = self.facts(kind)
            self.group(number)
            if is_told and told.endswith("T") and self.chance(0.7):
                facts["T"] += [(mark, "", _PLAIN), (self.one("bullet"), "X", _PLAIN)]
            self.entry(told if is_told else form, self.short_kinds, facts)
            if is_told and self.chance(0.5):
                self.description(self.short_kinds, kind)

    def group(self, number: int) -> None:
        """Add the heading of a group before some entries, where the document has such."""
        if self.has_groups and number % 3 == 0:
            looks = self.rng.choice([_STRONG, _STRONG, _PLAIN])
            kind = self.rng.choice(["heading3", "paragraph"])
            self.say(kind, self.one("grouped"), "G", looks)

    def texts(self, kind: str, label: str = "X") -> None:
        """Add a section without entries, or the head, in one style."""
        style, looks = self.rng.choice(_TEXTS[kind]), self.rng.choice(_LOOKS)
        block = self.rng.choice(["paragraph", "paragraph", "point0", "row", "heading3"])
        for number in range(self.rng.randint(1, 6)):
            if kind == "publication":
                self.group(number)
            self.tell(block, style, looks, label)

    def section(self, kind: str) -> None:
        """Add a section with its title."""
        kinds, looks, case = self.heading
        text = self.one(f"titles of {kind}")
        cases = {"upper": text.upper(), "spaced": " ".join(text.upper()), "colon": f"{text}:"}
        self.say(kinds, cases.get(case, text), "S", looks)
        is_long = kind in ("project", "volunteer", "teaching", "certificate") and self.chance(0.45)
        if kind in _TEXTS:
            self.texts(kind, "H" if kind == "contact" else "X")
        elif is_long or kind in ("experience", "education"):
            self.entries(kind)
        else:
            self.items(kind)

    def document(self) -> list[Labelled]:
        """Return a CV in one design."""
        rng = self.rng
        case = rng.choice(["plain"] * 5 + ["upper"] * 3 + ["colon", "spaced"])
        levels = {"pdf": ["heading2"], "markdown": ["heading2", "heading2", "heading1"]}
        by_hand = ["heading1", "heading2", "heading3", "paragraph", "paragraph", "paragraph"]
        kind = rng.choice(levels.get(self.medium, by_hand))
        is_bold = (kind == "paragraph" and case != "upper") or self.chance(0.5)
        self.heading = (kind, _STRONG if is_bold else _PLAIN, case)
        name = self.name.upper() if self.chance(0.25) else self.name
        looks = rng.choice([_STRONG, _PLAIN])
        self.say(rng.choice(["heading1", "heading1", "paragraph", "row"]), name, "H", looks)
        if self.chance(0.4):
            self.say(rng.choice(["paragraph", "heading2"]), self.one("headlines"), "H")
        if self.chance(0.12):
            self.say(rng.choice(["paragraph", "heading1"]), "Curriculum Vitae", "H")
        late = self.chance(0.15)
        if not late and self.chance(0.93):
            self.texts("contact", "H")
        main = rng.sample(["experience", "education"], 2)
        more = rng.sample(sorted({*_ENTRIES, *_TEXTS} - {*main, "summary", "contact"}), 6)
        more = more[: rng.randint(2, 6)]
        order = [*["summary"] * self.chance(0.4), *main, *more, *["contact"] * late]
        if self.chance(0.3):
            rng.shuffle(order)
        if self.chance(0.15):
            order = order[: rng.randint(1, 2)]
        for section in order:
            self.section(section)
        return self.made
