"""PDFs of many makers come in: how much of what they print, by field and by word.

``pdfs/people`` has the facts, and each PDF shows those of the person that its name ends in. They
are made by LaTeX (in the shapes of classes that people have), LibreOffice, Chromium, WeasyPrint,
Typst, RenderCV, ReportLab and FPDF. Thresholds of the importer were set on those in ``known``;
those in ``later``, of other layouts and people, showed some faults, which were mended; nothing was
set on those in ``unseen``. ``themes`` are designs of JSON Resume that others made, printed by
Chromium: some of the faults that they showed were mended.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import deep
import pytest
import recall_table
from conftest import Run
from recall_table import PARTS

PDFS = Path(__file__).parent / "pdfs"
PATHS = {part: sorted((PDFS / part).glob("*.pdf")) for part in PARTS}
LEAST = {"known": 0.95, "later": 0.88, "unseen": 0.93, "themes": 0.7}
EACH_PART = pytest.mark.parametrize("part", PARTS)


@pytest.mark.deep
@EACH_PART
def test_most_fields_come_in(part: str) -> None:
    assert len(PATHS[part]) >= 15
    measured = [recall_table.of_pdf(path) for path in PATHS[part]]
    assert (recall_table.share(measured) or 0) >= LEAST[part]
    assert (recall_table.share(measured, "email") or 0) >= 0.97
    assert (recall_table.share(measured, "name") or 0) >= 0.97
    row = recall_table.row(f"pdf ({part})", measured)
    assert recall_table.below(row, recall_table.PAGE.read_text("utf-8")) == []


@pytest.mark.deep
@EACH_PART
def test_words_come_in_or_are_listed(part: str) -> None:
    words = [recall_table.of_pdf(path).words or 0 for path in PATHS[part]]
    assert sum(words) / len(words) >= 0.98
    assert min(words) >= 0.9


@pytest.mark.parametrize(
    "path",
    deep.but(
        [paths[0] for paths in PATHS.values()],
        [one for paths in PATHS.values() for one in (paths[0], *paths[3::4])],
        lambda path: path.stem,
    ),
)
def test_what_comes_in_is_valid(path: Path, run: Run, here: Path) -> None:
    shutil.copy(path, here / "cv.pdf")
    ran = run("import", "cv.pdf", "--as", "ada")
    assert ran.code == 0, ran.err
    assert run("check", "ada").code == 0
