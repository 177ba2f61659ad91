"""PDFs of many makers come in: how much of what they print, by field and by word.

``pdfs/people`` has the facts, and each PDF shows those of the person that its name ends in. They
are made by LaTeX (in the shapes of classes that people have), LibreOffice, Chromium, WeasyPrint,
Typst, RenderCV, ReportLab and FPDF. Thresholds of the importer were set on those in ``known``;
those in ``later``, of other layouts and people, showed some faults, which were mended; nothing was
set on those in ``unseen``.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import recall_table
from conftest import Run
from recall_table import PARTS

PDFS = Path(__file__).parent / "pdfs"
KNOWN, LATER, UNSEEN = (sorted((PDFS / part).glob("*.pdf")) for part in PARTS)


@pytest.mark.parametrize(
    ("part", "paths", "least"),
    [*zip(PARTS, (KNOWN, LATER, UNSEEN), (0.95, 0.88, 0.93), strict=True)],
)
def test_most_fields_come_in(part: str, paths: list[Path], least: float) -> None:
    assert len(paths) >= 15
    measured = [recall_table.of_pdf(path) for path in paths]
    assert (recall_table.share(measured) or 0) >= least
    assert (recall_table.share(measured, "email") or 0) >= 0.97
    assert (recall_table.share(measured, "name") or 0) >= 0.97
    row = recall_table.row(f"pdf ({part})", measured)
    assert recall_table.below(row, recall_table.PAGE.read_text("utf-8")) == []


@pytest.mark.parametrize("paths", [KNOWN, LATER, UNSEEN], ids=PARTS)
def test_words_come_in_or_are_listed(paths: list[Path]) -> None:
    words = [recall_table.of_pdf(path).words for path in paths]
    assert sum(words) / len(words) >= 0.98
    assert min(words) >= 0.9


@pytest.mark.parametrize("path", [*KNOWN, *LATER, *UNSEEN][::4], ids=lambda path: path.stem)
def test_what_comes_in_is_valid(path: Path, run: Run, here: Path) -> None:
    shutil.copy(path, here / "cv.pdf")
    ran = run("import", "cv.pdf", "--as", "ada")
    assert ran.code == 0, ran.err
    assert run("check", "ada").code == 0
