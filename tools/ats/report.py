"""Write docs/measurements/ats.md: what five readers get of every CV in every template.

    python -m tools.ats [FOLDER]

FOLDER stores what was built, so that an interrupted run can go on; by default a temporary one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from tools.ats.documents import CVS, Document, Extracted, extracted, measured
from tools.ats.figures import FOLDS, Figures
from tools.ats.readers import READERS
from tools.ats.required import EXEMPTIONS, REQUIRED, RIGHT_TO_LEFT, TEMPLATES, least, short_of

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "measurements" / "ats.md"
INTRODUCTION = """\
# What software reads from the PDFs

<!-- Written by `make ats`; don't edit. -->

Employers' systems (applicant tracking systems) take a CV's text out of its PDF. Here five readers
do so with {cvs} invented CVs ([tools/ats/corpus](../../tools/ats/corpus)) in {templates} styles.
Their text is compared with the CVs' data: {facts} facts (names, dates, phone numbers, every author,
every bullet).

A CV is read perfectly if every fact is there exactly, at its own entry, with the entries in order
(at least {order}), and if plain regular expressions find the name and all contacts in the first 15
lines. Each cell has the number of CVs that are read perfectly, and the smallest share of facts that
is found in any of them. The last rows are the CVs that are written from right to left, in all
styles. One page shows a selection: what it leaves out is not expected.
"""
FOLDED = """\
`make ats` prints every fact that is missed, and fails if none of the reasons below explains it.

## What is missed, and why

{notes}

## What counts as the same text

{folds}.

A line may end after a hyphen, a dash or a mark of an address, beside a letter of a script
without spaces, and inside long words. Page numbers and the running name are taken off. What runs
from right to left is compared in the order of reading.
"""


def main() -> int:
    """Build, measure, write; return 1 if a figure is too low or a CV can't be built."""
    if len(sys.argv) > 1:
        return _report(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        return _report(Path(folder))


def _report(folder: Path) -> int:
    documents = [Document(cv, template) for cv in CVS for template in TEMPLATES]
    with ProcessPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(_one, documents, [folder] * len(documents)))
    rows = dict(zip(documents, results, strict=True))
    PAGE.write_text(page(rows), encoding="utf-8")
    bad = [line for document in documents for line in faults(document, *rows[document])]
    for line in bad:
        print(line, file=sys.stderr)  # noqa: T201 - a program of its own
    return 1 if bad else 0


def _one(document: Document, folder: Path) -> tuple[Extracted, dict[str, Figures]]:
    made = extracted(document, folder)
    return made, measured(document, made)


def faults(document: Document, made: Extracted, figures: dict[str, Figures]) -> Iterator[str]:
    """Yield the figures below what is required, one line each."""
    if made.problems:
        yield f"{document}: {made.problems[0]}"
    for reader, found in figures.items():
        required = least(document.cv, document.template, reader)
        if short := short_of(found, required):
            yield f"{document}: {reader}: {'; '.join(short)}"


def page(rows: dict[Document, tuple[Extracted, dict[str, Figures]]]) -> str:
    """Return the whole page in Markdown."""
    facts = sum(max((f.facts for f in figures.values()), default=0) for _, figures in rows.values())
    head = INTRODUCTION.format(
        cvs=len(CVS), templates=len(TEMPLATES), facts=f"{facts:,}", order=f"{REQUIRED['order']:g}"
    )
    return "\n".join([head, *_table(rows), FOLDED.format(notes=_notes(), folds=_folds())])


def _table(rows: dict[Document, tuple[Extracted, dict[str, Figures]]]) -> Iterator[str]:
    yield "| | " + " | ".join(READERS) + " |"
    yield "|---|" + "---|" * len(READERS)
    for name in (*TEMPLATES, *RIGHT_TO_LEFT):
        group = [
            figures
            for document, (_, figures) in rows.items()
            if name in (document.cv, document.template)
            and (document.cv in RIGHT_TO_LEFT) == (name in RIGHT_TO_LEFT)
        ]
        cells = (_cell([figures[reader] for figures in group if figures]) for reader in READERS)
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield f"\nReaders: {_versions()}.\n"


def _cell(group: Sequence[Figures]) -> str:
    """Return how many documents a reader got right, and the least recall, rounded down."""
    perfect = sum(all(getattr(f, name) >= REQUIRED[name] for name in REQUIRED) for f in group)
    least_recall = int(min(figures.recall for figures in group) * 1000) / 1000
    return f"{perfect} of {len(group)}; {least_recall:g}"


def _notes() -> str:
    lines = (f"- {', '.join(note.readers)}: {note.why}" for note in EXEMPTIONS)
    return "\n".join(textwrap.fill(line, 100, subsequent_indent="  ") for line in lines)


def _folds() -> str:
    shown = {"": "nothing", " ": "one space", "\n": "one line's end"}
    pairs = (f"{name} as {shown.get(instead, instead)}" for _, instead, name, _ in FOLDS)
    return textwrap.fill("; ".join(pairs), 100)


def _versions() -> str:
    poppler = subprocess.run(["pdftotext", "-v"], capture_output=True, text=True, check=True)
    named = f"poppler {poppler.stderr.split()[2]}"
    packages = ("pypdfium2", "pypdf", "pdfminer.six")
    return ", ".join([named, *(f"{name} {version(name)}" for name in packages)])
