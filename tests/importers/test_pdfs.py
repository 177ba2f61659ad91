"""PDFs of many makers come in: how much of what they print, by field and by word.

``pdfs/people`` has the facts, and each PDF shows those of the person that its name ends in. They
are made by LaTeX (in the shapes of classes that people have), LibreOffice, Chromium, WeasyPrint,
Typst, RenderCV, ReportLab and FPDF. Thresholds of the importer were set on those in ``known``;
those in ``later``, of other layouts and people, showed some faults, which were mended; nothing was
set on those in ``unseen``.
"""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
import recall
import yaml
from conftest import Run

from cvbuild.importers import files, registry

PDFS = Path(__file__).parent / "pdfs"
PARTS = ("known", "later", "unseen")
KNOWN, LATER, UNSEEN = (sorted((PDFS / part).glob("*.pdf")) for part in PARTS)


@cache
def facts_of(path: Path) -> dict[str, Any]:
    """The facts that a PDF shows."""
    person = path.stem.rpartition(".")[2]
    facts: dict[str, Any] = yaml.safe_load((PDFS / "people" / f"{person}.yaml").read_text("utf-8"))
    return facts


def printed(path: Path) -> str:
    """The text of a PDF, without hyphens at the ends of lines."""
    document = pypdfium2.PdfDocument(path)
    text = "\n".join(page.get_textpage().get_text_range() for page in document)
    return re.sub("[\x02\ufffe]\r?\n?", "", text).replace("\r", "")


@cache
def measured(path: Path) -> tuple[dict[str, tuple[int, int, int]], float]:
    """For each field what is printed, came and agrees; and the part of the words that came."""
    imported = registry.read(files.opened(path))
    came = json.loads(json.dumps(imported.data, default=str))
    text = printed(path)
    found = recall.compared(recall.fields_of(facts_of(path)), recall.fields_of(came), text)
    lost = " ".join(one.note.message for one in imported.lost)
    return found, recall.words_kept(came, lost, text)


def recalled(paths: list[Path], *fields: str) -> float:
    """The part of the values of these fields, of all without any, that came from all PDFs."""
    asked = hits = 0
    for path in paths:
        for field, (printed_values, _, agreed) in measured(path)[0].items():
            if not fields or field in fields:
                asked, hits = asked + printed_values, hits + agreed
    assert asked > 10
    return hits / asked


@pytest.mark.parametrize(
    ("paths", "least"), [(KNOWN, 0.95), (LATER, 0.88), (UNSEEN, 0.93)], ids=PARTS
)
def test_most_fields_come_in(paths: list[Path], least: float) -> None:
    assert len(paths) >= 15
    assert recalled(paths) >= least
    assert recalled(paths, "email") >= 0.97
    assert recalled(paths, "name") >= 0.97


@pytest.mark.parametrize("paths", [KNOWN, LATER, UNSEEN], ids=PARTS)
def test_words_come_in_or_are_listed(paths: list[Path]) -> None:
    words = [measured(path)[1] for path in paths]
    assert sum(words) / len(words) >= 0.98
    assert min(words) >= 0.9


@pytest.mark.parametrize("path", [*KNOWN, *LATER, *UNSEEN][::4], ids=lambda path: path.stem)
def test_what_comes_in_is_valid(path: Path, run: Run, here: Path) -> None:
    shutil.copy(path, here / "cv.pdf")
    ran = run("import", "cv.pdf", "--as", "ada")
    assert ran.code == 0, ran.err
    assert run("check", "ada").code == 0
