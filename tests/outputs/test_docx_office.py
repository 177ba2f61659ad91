"""Documents for Word as LibreOffice sets them: texts, dates, pages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from judges import program
from lettered import WHOLE
from word_files import CVS, ROOT, made, opened, person_in, shown_of

from cvbuild.model import language_tags
from cvbuild.outputs import checks, text_folding
from cvbuild.outputs.types import Shown
from cvbuild.view.types import Content

pytestmark = pytest.mark.deep


def converted(folder: Path, files: dict[str, bytes]) -> dict[str, tuple[int, str]]:
    """The number of pages and the text of each file, as LibreOffice sets it."""
    office = program("soffice", "libreoffice", package="libreoffice-writer-nogui")
    for name, content in files.items():
        (folder / f"{name}.docx").write_bytes(content)
    home = f"-env:UserInstallation=file://{folder}/home"
    names = [str(folder / f"{name}.docx") for name in files]
    subprocess.run(
        [office, "--headless", home, "--convert-to", "pdf", "--outdir", str(folder), *names],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    found = {}
    for name in files:
        with pypdfium2.PdfDocument(folder / f"{name}.pdf") as pdf:
            pages = [page.get_textpage().get_text_bounded() for page in pdf]
        found[name] = len(pages), "\n".join(pages)
    return found


def on_the_page(shown: Shown) -> list[Content]:
    """The texts of a view that are on the page: the tips and targets of links are not."""
    networks = {line.network for line in shown.view.header.contacts}
    every = (one for one in checks.contents(shown.view) if one not in networks)
    return [one for one in every if one.path[-1] != "url"]


def test_libreoffice_shows_every_text_in_order(tmp_path: Path) -> None:
    shown = {path.stem: shown_of(path) for path in CVS}
    shown["letter"] = shown_of(person_in(tmp_path), "plain", WHOLE)
    found = converted(tmp_path, {name: made(one) for name, one in shown.items()})
    for name, one in shown.items():
        # Words on the foot of a page stand between those of the text.
        page = re.sub(r"\n[^\n]{3,60} · [0-9]+\s*(?=\n|$)", "\n", found[name][1].replace("\r", ""))
        expected = on_the_page(one)
        assert len(expected) > 5
        if language_tags.runs_right(one.view.language):
            letters = text_folding.shapes(page)
            assert all(text_folding.shapes(str(text)) <= letters for text in expected)
        else:
            assert checks.lost(page, expected, one.source) == (), name


def dated(pdf: Path, document: Any) -> tuple[list[str], list[str]]:
    """Return the lines of a document with a tab, and those that it parts in the PDF."""
    with pypdfium2.PdfDocument(pdf) as opened_pdf:
        letters = [
            (letter, (at, (box[1] + box[3]) / 2))
            for at, page in enumerate(opened_pdf)
            for letter, box in characters(page.get_textpage())
        ]
    text, every, apart = "".join(letter for letter, _ in letters), [], []
    for one in document.paragraphs:
        words, tab, date = one.text.rpartition("\t")
        is_dated = tab and words.strip() and one.style.name in ("Heading 2", "Heading 3", "Entry")
        if not is_dated:
            continue
        bare = re.sub(r"\s", "", words)
        start = text.index(bare + re.sub(r"\s", "", date)) + len(bare)
        (page, before), (other, after) = (letters[start - 1][1], letters[start][1])
        every.append(one.text)
        if page != other or abs(before - after) > 6:
            apart.append(one.text)
    return every, apart


def characters(page: Any) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Yield the visible characters of a page with their boxes in pt."""
    for at in range(page.count_chars()):
        if (letter := page.get_text_range(at, 1)).strip():
            yield letter, page.get_charbox(at)


def test_dates_stand_on_the_line_of_their_title(tmp_path: Path) -> None:
    styles = ("academic", "margin", "banking", "grid")
    people = (ROOT / "people/gyeong-in-yu.yaml", ROOT / "people/jiaao-he.yaml")
    files = {f"{path.stem}-{style}": made(shown_of(path, style))
             for number, path in enumerate(people) for style in styles[number::2]}  # fmt: skip
    converted(tmp_path, files)
    every: list[str] = []
    apart: list[str] = []
    for name, content in files.items():
        found = dated(tmp_path / f"{name}.pdf", opened(content))
        every, apart = every + found[0], apart + found[1]
    assert len(every) > 80
    # Of a title that fills the line the date begins the next one.
    assert len(apart) < len(every) / 12
