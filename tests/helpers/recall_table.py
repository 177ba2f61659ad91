"""What imports keep, by format: the first table of docs/measurements/imports.md.

``importers/facts`` has what the source of each example says, written by hand from the source alone,
``importers/pdfs/people`` what PDFs show. ``recall`` compares it with what comes in.

    python tests/helpers/recall_table.py
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mutants
import pypdfium2
import recall
import yaml

from cvbuild.importers import registry, types

IMPORTERS = Path(__file__).parents[1] / "importers"
PAGE = Path(__file__).parents[2] / "docs/measurements/imports.md"
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
    """What came of a file: its fields, and of a PDF the part of its words that came or was told."""

    fields: dict[str, recall.Counts]
    words: float | None = None


@cache
def of_pdf(path: Path) -> Measured:
    """What comes of a PDF; its name ends in that of the person in ``pdfs/people``."""
    person = path.stem.rpartition(".")[2]
    facts = yaml.safe_load((IMPORTERS / "pdfs/people" / f"{person}.yaml").read_text("utf-8"))
    document = pypdfium2.PdfDocument(path)
    text = "\n".join(page.get_textpage().get_text_range() for page in document)
    # Without hyphens at the ends of lines.
    text = re.sub("[\x02\ufffe]\r?\n?", "", text).replace("\r", "")
    imported = registry.read(types.opened(path))
    lost = " ".join(one.note.message for one in imported.lost)
    came = json.loads(json.dumps(imported.data, default=str))
    return Measured(
        recall.compared(recall.said_by(facts), recall.said_by(came), text),
        recall.words_kept(came, lost, text),
    )


@cache
def of_example(case: str) -> Measured:
    """What comes of an example by its person.yaml, which ``test_examples`` compares with imports.

    ``facts`` has what its source says.
    """
    written = (mutants.EXAMPLES / case / "person.yaml").read_text("utf-8")
    came = yaml.load(written, Loader=yaml.BaseLoader)
    fields = recall.compared(facts_said()[case], recall.said_by(came))
    return Measured(fields)


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
    shares = {column: share(measured, *fields) for column, fields in COLUMNS.items()}
    shares["all"] = share(measured)
    words = [one.words for one in measured if one.words is not None]
    shares["words"] = sum(words) / len(words) if words else None
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
