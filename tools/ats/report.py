"""Write docs/measurements/ats.md: what five readers get of every CV in every template.

    python -m tools.ats [FOLDER]

FOLDER stores what was built, so that an interrupted run can go on; by default a temporary one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from tools.ats.documents import CVS, Document, Extracted, extracted, measured
from tools.ats.figures import FOLDS, Figures
from tools.ats.readers import READERS
from tools.ats.required import EXEMPTIONS, REQUIRED, TEMPLATES, exemptions, least, short_of

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "measurements" / "ats.md"
INTRODUCTION = """\
# What software reads from the PDFs

<!-- Written by `make ats`; don't edit. -->

Employers' systems (applicant tracking systems) take a CV's text out of its PDF. Here five readers
do so with {cvs} synthetic CVs ([tools/ats/corpus](../../tools/ats/corpus)) in {templates}
templates, and what they get is compared with the CVs' data, field by field: {facts} facts.

- **recall**: the share of facts (names, dates, phone numbers, every author, every bullet ...) that
  stand in the text exactly. Every character serves one fact only.
- **order**: how far the entries come in the document's order (the longest common subsequence, as a
  share of all entries).
- **placed**: the share of facts that stand at their own entry: after the title of the entry before
  it and before that of the next.
- **contact**: the share of name, e-mail addresses, phone numbers and web addresses that plain
  regular expressions find in the first 15 lines that are not empty.

Required are recall, placed and contact of 1 and an order of at least {order}; the exemptions are
below. One page shows a selection: what it had no room for is not expected.
"""
FOLDED = """\
## What counts as the same text

{folds}

Besides, a line may end where there is no space: after a hyphen, a dash or a mark of an address
(`/ . ? = & _ @ : , ; + #`), beside a letter of a script without spaces, and in a word of more than
60 letters; and a word of 14 letters or more may be divided by a hyphen there. A paragraph may go on
over a page's end: the name and n/N that stand there as a line of their own are taken off. In
poppler's layout mode the dates on the right edge stand on the same line as the entry: an entry's
own dates, and no others, may end a line inside its text.

What runs from right to left is compared line by line in logical order, as the bidirectional
algorithm makes it from what is seen: poppler's controls tell it, the other readers give it.
The way back is ambiguous for numbers beside Latin words, so the expected text may have gone the
same way. Contacts are looked for in the text as the reader gives it.
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
    return "\n".join([head, *_table(rows), *_notes(), FOLDED.format(folds=_folds())])


def _table(rows: dict[Document, tuple[Extracted, dict[str, Figures]]]) -> Iterator[str]:
    yield "## Figures\n"
    yield "**1** is 1.00 for all four; otherwise recall / order / placed / contact. A number in"
    yield "brackets is an exemption that the figures make use of, below.\n"
    yield "| CV | template | " + " | ".join(READERS) + " |"
    yield "|---|---|" + "---|" * len(READERS)
    for document, (made, figures) in rows.items():
        cells = [_cell(document, made, reader, figures) for reader in READERS]
        yield f"| {document.cv} | {document.template} | " + " | ".join(cells) + " |"
    yield f"\nReaders: {_versions()}.\n"


def _cell(document: Document, made: Extracted, reader: str, figures: dict[str, Figures]) -> str:
    if reader not in figures:
        return "not built" if made.problems else "–"
    found = figures[reader]
    numbers = [getattr(found, name) for name in REQUIRED]
    if min(numbers) == 1:
        return "**1**"
    short = short_of(found, least(document.cv, document.template, reader))
    used = (
        str(EXEMPTIONS.index(one) + 1)
        for one in exemptions(document.cv, document.template, reader)
        if any(getattr(found, name) < REQUIRED[name] for name in one.least)
    )
    marks = "".join(f" [{number}]" for number in used) + (" **below**" if short else "")
    return " / ".join(_number(number) for number in numbers) + marks


def _number(number: float) -> str:
    """Return three digits, rounded down: only 1 itself is shown as 1."""
    return "1" if number == 1 else f"{int(number * 1000) / 1000:.3f}"


def _notes() -> Iterator[str]:
    yield "## Exemptions\n"
    for number, one in enumerate(EXEMPTIONS, 1):
        cvs, templates = (
            ", ".join(one.cvs) or "all CVs",
            ", ".join(one.templates) or "all templates",
        )
        yield f"{number}. {', '.join(one.readers)}; {cvs}; {templates}. {one.why}"
    yield ""


def _folds() -> str:
    shown = {"": "nothing", " ": "one space", "\n": "one line's end"}
    return "\n".join(
        f"- {name}, as {shown.get(instead, instead)}: {why}" for _, instead, name, why in FOLDS
    )


def _versions() -> str:
    poppler = subprocess.run(["pdftotext", "-v"], capture_output=True, text=True, check=True)
    named = f"poppler {poppler.stderr.split()[2]}"
    packages = ("pypdfium2", "pypdf", "pdfminer.six")
    return ", ".join([named, *(f"{name} {version(name)}" for name in packages)])
