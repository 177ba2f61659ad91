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
from typing import Any

import deep
import pdfs
import pytest
import recall_table
from conftest import Run
from pikepdf import Dictionary, Name, Pdf
from recall_table import PARTS

from cvbuild.inputs.yaml import source

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


def listed() -> bytes:
    """A PDF whose publications have title and date, names, a DOI with the venue, on lines."""
    shown: list[tuple[float, float, list[tuple[str, str]]]] = [
        (72, 780, [("F2 20", "Ada Example")]),
        (72, 762, [("F1 10", "ada@example.org")]),
        (72, 735, [("F2 14", "Publications")]),
        (72, 715, [("F2 10", "Schedules that Hold for Machines that Do and Do Not at Once")]),
        (480, 715, [("F1 10", "July 2023")]),
        (72, 703, [("F3 10", "Ada Example"), ("F1 10", ", Sarah Specimen, David Sample")]),
        (72, 685, [("F1 10", "10.1234/example.5678 (Examples 2023)")]),
        (72, 660, [("F2 10", "Reading What was Printed on Lines of its Own")]),
        (480, 660, [("F1 10", "Dec 2022")]),
        (72, 648, [("F1 10", "Grace Sample, "), ("F3 10", "Ada Example")]),
        (72, 636, [("F1 10", "10.1234/example.1234 (Samples 2022, Spotlight)")]),
    ]
    content = [
        f"BT {x} {y} Td " + " ".join(f"/{font} Tf ({_escaped(text)}) Tj" for font, text in words)
        for x, y, words in shown
    ]
    return pdfs.page_of(" ET\n".join([*content, ""]).encode(), _with_styles)


def _escaped(text: str) -> str:
    return text.replace("(", r"\(").replace(")", r"\)")


def _with_styles(document: Pdf) -> None:
    fonts = document.pages[0].Resources.Font
    for name, base in (("F2", Name("/Helvetica-Bold")), ("F3", Name("/Helvetica-Oblique"))):
        fonts[f"/{name}"] = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=base)


def test_a_doi_and_a_venue_on_a_line_of_their_own_are_of_the_publication_above(
    run: Run, here: Path
) -> None:
    (here / "cv.pdf").write_bytes(listed())
    assert run("import", "cv.pdf", "--as", "ada").code == 0
    written: Any = source.load(here / "people/ada.yaml").data
    (section,) = written["sections"]
    assert section["kind"] == "publication"
    assert section["items"] == [
        {
            "title": "Schedules that Hold for Machines that Do and Do Not at Once",
            "authors": ["Ada Example", "Sarah Specimen", "David Sample"],
            "venue": "Examples 2023",
            "date": "July 2023",
            "doi": "10.1234/example.5678",
        },
        {
            "title": "Reading What was Printed on Lines of its Own",
            "authors": ["Grace Sample", "Ada Example"],
            "venue": "Samples 2022, Spotlight",
            "date": "Dec 2022",
            "doi": "10.1234/example.1234",
        },
    ]
