"""How each language writes what stands between texts, in the PDF and the other formats."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import docx
import pypdfium2
import pytest
from conftest import Run

FRENCH = """\
name: Ada Exemple
locale: fr
contact: {email: ada@example.org, phone: {number: "+33 1 23 45 67 89", label: Bureau}}
sections:
  - kind: text
    items: [TEXT]
  - kind: education
    items:
      - institution: Université Modèle
        degree: Doctorat
        thesis: Des maillages qui tiennent
        grade: 16/20
"""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(run: Run, text: str, template: str = "academic", form: str = "pdf") -> Path:
    """The file of a person in a format."""
    Path("people/ada.yaml").write_text(text, encoding="utf-8")
    ran = run("build", "-t", template, "--format", form)
    assert ran.code == 0, ran.err
    (found,) = Path("out/ada").glob(f"{template}.{form}")
    return found


def lines_of(path: Path) -> list[str]:
    """The lines of a PDF; spaces that don't break are spaces there."""
    with pypdfium2.PdfDocument(path) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    return "\n".join(pages).replace("\r", "").splitlines()


@pytest.mark.parametrize("template", ["academic", "banking"])
def test_french_spaces_do_not_break(template: str, run: Run) -> None:
    # Words of all lengths before, so that each pair would be at the end of some line.
    said = "Elle dit « oui » : 1 200 000 € et 30 % ; quoi ? Non !"
    texts = [f"{'m' * more} {'un mot court et ' * 6}{said} {said}" for more in range(1, 24)]
    text = FRENCH.replace("TEXT", ", ".join(f'"{one}"' for one in texts))
    lines = lines_of(written(run, text, template))
    body = [line.strip() for line in lines if line.strip()]
    assert sum("«" in line for line in body) >= 40
    assert [line for line in body if re.search(r"[«“(]$", line)] == []
    assert [line for line in body if re.match(r"[»:;?!%€]", line)] == []
    pairs = itertools.pairwise(body)
    assert [pair for pair in pairs if pair[0][-1].isdigit() and pair[1][0].isdigit()] == []
    assert any(re.match(r"Thèse : Des", line) for line in body), body[-8:]


@pytest.mark.parametrize("form", ["txt", "md", "html", "docx"])
def test_french_labels_have_a_space_before_their_colon(form: str, run: Run) -> None:
    path = written(run, FRENCH.replace("TEXT", "Bonjour"), form=form)
    if form == "docx":
        shown = "\n".join(one.text for one in docx.Document(str(path)).paragraphs)
    else:
        text = path.read_text("utf-8")
        shown = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]*>", "", text)
    for label in ("Thèse", "Note", "Bureau"):
        assert f"{label}\u00a0: " in shown
    assert not re.search(r"[^\W\d_]: ", shown)
