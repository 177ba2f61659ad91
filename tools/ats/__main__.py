"""Write docs/measurements/ats.md: what five readers get of every CV in every template."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path

from tools.ats.documents import CVS, Document, Extracted, extracted, measured
from tools.ats.figures import Figures
from tools.ats.readers import READERS
from tools.ats.required import REQUIRED, RIGHT_TO_LEFT, TEMPLATES, least, short_of
from tools.generated import filled, table

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "measurements" / "ats.md"
Results = Mapping[Document, tuple[Extracted, Mapping[str, Figures]]]


def main() -> int:
    """Build, measure, write; return 1 if a figure is too low or a CV can't be built."""
    documents = [Document(cv, template) for cv in CVS for template in TEMPLATES]
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(max_workers=2) as pool:
        results = pool.map(partial(_result, folder=Path(folder)), documents)
        found: Results = dict(zip(documents, results, strict=True))
    facts = sum(max((f.facts for f in each.values()), default=0) for _, each in found.values())
    text = filled(
        PAGE,
        corpus=f"{len(CVS)} invented CVs in {len(TEMPLATES)} styles: {facts:,} facts.",
        figures=_table(found),
    )
    PAGE.write_text(text, encoding="utf-8")
    bad = [line for document in documents for line in _faults(document, *found[document])]
    sys.stderr.writelines(f"{line}\n" for line in bad)
    return 1 if bad else 0


def _result(document: Document, folder: Path) -> tuple[Extracted, Mapping[str, Figures]]:
    texts = extracted(document, folder)
    return texts, measured(document, texts)


def _faults(document: Document, texts: Extracted, figures: Mapping[str, Figures]) -> Iterator[str]:
    """Yield the figures below what is required, one line each."""
    if texts.problems:
        yield f"{document}: {texts.problems[0]}"
    for reader, figure in figures.items():
        if short := short_of(figure, least(document.cv, document.template, reader)):
            yield f"{document}: {reader}: {'; '.join(short)}"


def _table(found: Results) -> str:
    rows = []
    for name in (*TEMPLATES, *RIGHT_TO_LEFT):
        group = [
            figures
            for document, (_, figures) in found.items()
            if name in (document.cv, document.template)
            and (document.cv in RIGHT_TO_LEFT) == (name in RIGHT_TO_LEFT)
        ]
        cells = (_cell([figures[reader] for figures in group if figures]) for reader in READERS)
        rows.append((name, *cells))
    return f"{table(('', *READERS), rows)}\nReaders: {_versions()}."


def _cell(group: Sequence[Figures]) -> str:
    """Return how many documents a reader got right, and the least recall, rounded down."""
    perfect = sum(all(getattr(f, name) >= REQUIRED[name] for name in REQUIRED) for f in group)
    least_recall = int(min(figures.recall for figures in group) * 1000) / 1000
    return f"{perfect} of {len(group)}; {least_recall:g}"


def _versions() -> str:
    poppler = subprocess.run(["pdftotext", "-v"], capture_output=True, text=True, check=True)
    named = f"poppler {poppler.stderr.split()[2]}"
    packages = ("pypdfium2", "pypdf", "pdfminer.six")
    return ", ".join([named, *(f"{name} {version(name)}" for name in packages)])


if __name__ == "__main__":
    sys.exit(main())
