"""What imports keep, by format: the first table of docs/measurements/imports.md.

``importers/facts`` has what the source of each example says, written by hand from the source alone,
``importers/pdfs/people`` what PDFs show. ``recall`` compares it with what comes in.

    python tests/recall_table.py
"""

from __future__ import annotations

import html
import json
import random
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import example_changes
import mutants
import pypdfium2
import recall
import yaml

from cvbuild.importers import files, registry

IMPORTERS = Path(__file__).parent / "importers"
PAGE = Path(__file__).parents[1] / "docs/measurements/imports.md"
#: Names of the parts of PDFs: see ``importers/test_pdfs.py``.
PARTS = ("known", "later", "unseen", "themes")
#: The columns of the table, and the fields of each.
COLUMNS = {
    "name": ("name",),
    "contact": ("email", "phone", "links"),
    "employers": ("organization",),
    "titles": ("title",),
    "degrees": ("degree",),
    "publications": ("publication",),
    "dates": ("date",),
}


@dataclass(frozen=True)
class Measured:
    """What came of a file: its fields, and the part of its words that came or was told."""

    fields: dict[str, recall.Counts]
    words: float


@cache
def of_pdf(path: Path) -> Measured:
    """What comes of a PDF; its name ends in that of the person in ``pdfs/people``."""
    person = path.stem.rpartition(".")[2]
    facts = yaml.safe_load((IMPORTERS / "pdfs/people" / f"{person}.yaml").read_text("utf-8"))
    document = pypdfium2.PdfDocument(path)
    text = "\n".join(page.get_textpage().get_text_range() for page in document)
    # Without hyphens at the ends of lines.
    text = re.sub("[\x02\ufffe]\r?\n?", "", text).replace("\r", "")
    came, lost = _imported(path)
    return Measured(
        recall.compared(recall.said_by(facts), recall.said_by(came), text),
        recall.words_kept(came, lost, text),
    )


@cache
def of_example(case: str) -> Measured:
    """What comes of an example, of which ``facts`` has what its source says."""
    (given,) = (mutants.EXAMPLES / case).glob("given*")
    came, lost = _imported(given)
    fields = recall.compared(facts_said()[case], recall.said_by(came))
    return Measured(fields, recall.words_kept(came, lost, shown(case)))


def _imported(path: Path) -> tuple[dict[str, Any], str]:
    """The person's file of a source, and what is told to be lost."""
    imported = registry.read(files.opened(path))
    notes = (one.note.message for one in imported.lost)
    return json.loads(json.dumps(imported.data, default=str)), " ".join(notes)


@cache
def facts_said() -> dict[str, recall.Said]:
    """What the sources of the examples say: ``facts`` has a line for each entry.

    A line is ``main text | organization | date``, under the kinds that its section may have.
    """
    found = {}
    for path in sorted((IMPORTERS / "facts").glob("*.yaml")):
        for name, facts in yaml.safe_load(path.read_text("utf-8")).items():
            items = []
            for key in sorted(facts.keys() - {"name", "email", "phone", "links"}):
                kinds = frozenset() if key == "any" else frozenset(key.split("/"))
                columns = (recall.MAIN.get(key, "title"), "organization", "date")
                for line in facts.pop(key):
                    parts = [[part.strip()] for part in line.split("|")]
                    values = dict(zip(columns, parts, strict=False))
                    items.append(
                        recall.Item(kinds, {one: it for one, it in values.items() if it[0]})
                    )
            case = f"latex-of-{name}" if path.stem == "latex" else name
            found[case] = recall.Said(
                {key: recall.listed(value) for key, value in facts.items()}, items
            )
    return found


def formats() -> dict[str, list[str]]:
    """The examples by format, without PDFs."""
    found: dict[str, list[str]] = {}
    for case in sorted(facts_said()):
        found.setdefault(case.split("-of-")[0], []).append(case)
    return found


def share(measured: list[Measured], *fields: str) -> float | None:
    """The part of the values of these fields, of all without any, that came; None if none are."""
    counts = [
        count
        for one in measured
        for field, count in one.fields.items()
        if not fields or field in fields
    ]
    asked = sum(one.asked for one in counts)
    return sum(one.came for one in counts) / asked if asked else None


def row(name: str, measured: list[Measured]) -> dict[str, str]:
    """The cells of a format in the table."""
    shares = {column: share(measured, *fields) for column, fields in COLUMNS.items()}
    shares["all"] = share(measured)
    shares["words"] = sum(one.words for one in measured) / len(measured)
    cells = {column: "" if one is None else f"{one:.2f}" for column, one in shares.items()}
    return {"format": name, "files": str(len(measured)), **cells}


def below(measured: dict[str, str], page: str) -> list[str]:
    """The columns in which a row is below what the table of a page says."""
    table = page[page.index("| format | files |") :].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table if line]
    row = next((row for row in rows if row[0] == measured["format"]), None)
    assert row is not None, f"{PAGE.name} has no row of {measured['format']}"
    said = dict(zip(head, row, strict=True))
    return [key for key in head[1:] if float(measured[key] or 0) < float(said[key] or 0)]


# -- words of sources --------


class _Texts(example_changes.Words):
    """Takes down the texts that words would be put into."""

    def __init__(self) -> None:
        super().__init__(random.Random(0))
        self.texts: list[str] = []

    def into(self, text: str) -> str:
        self.texts.append(text)
        return text


#: What TeX doesn't print: lengths, targets of links, options, names of commands.
_COMMANDS = re.compile(
    r"-?[\d.]+(?:pt|em|ex|cm|in)\b|\\href\s*\{[^{}]*\}|\\[A-Za-z@]+\*?(?:\[[^]]*\])*"
)


def shown(name: str) -> str:
    """Return the texts of an example that a reader of the source would see, each line once."""
    (given,) = (mutants.EXAMPLES / name).glob("given*")
    paths = sorted(path for path in given.rglob("*") if path.is_file()) or [given]
    text = "\n".join(_shown(path) for path in paths if mutants.is_read(path.as_posix()))
    text = re.sub(r"<[^>]*>", " ", html.unescape(html.unescape(text)))
    return "\n".join(dict.fromkeys(line.strip() for line in text.splitlines()))


def _shown(path: Path) -> str:
    suffix, data = path.suffix[1:], path.read_bytes()
    text = example_changes.content(path.name, data)
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    if suffix == "md" and text.startswith("---\n") and 'broken: "' not in head:
        return f"{_taken('yaml', head.encode())}\n{body}"
    if suffix in ("json", "yaml", "yml", "xml", "csv"):
        return _taken(suffix, data)
    if suffix == "docx":
        return re.sub(r"<[^>]*>", "", re.sub(r"</w:p>|<w:(?:tab|br)/>", "\n", text))
    if suffix in ("bib", "toml"):
        text = "\n".join(re.findall(r"(?m)=(.*)", text))
    if suffix == "tex":
        lines = re.sub(r"(?m)(?<!\\)%.*", "", text.rpartition("\\begin{document}")[2]).splitlines()
        text = "\n".join(line for line in lines if not example_changes.UNPRINTED.search(line))
    return _COMMANDS.sub(" ", text)


def _taken(suffix: str, data: bytes) -> str:
    texts = _Texts()
    example_changes.CHANGES[suffix](data, texts)
    return "\n".join(texts.texts)


def main() -> None:
    """Print each value of the examples that is lost or elsewhere, and the table."""
    rows = []
    for name, cases in formats().items():
        for case in cases:
            for field, count in of_example(case).fields.items():
                sys.stdout.writelines(f"{case}: {field}: {one}\n" for one in count.missed)
        rows.append(row(name, [of_example(case) for case in cases]))
    for part in PARTS:
        paths = sorted((IMPORTERS / "pdfs" / part).glob("*.pdf"))
        rows.append(row(f"pdf ({part})", [of_pdf(path) for path in paths]))
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(one.values()) for one in rows)]
    sys.stdout.writelines(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main()
