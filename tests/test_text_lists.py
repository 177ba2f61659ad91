"""A Markdown list in a text is a list in every format, where the text may have one."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import docx
import pikepdf
import pypdfium2
import pytest
from conftest import Run

from cvbuild.model.paragraphs import split, split_list
from cvbuild.model.rich_text import parse, plain

CASES = Path(__file__).parent / "outputs" / "cases" / "lists-in-texts"
SIGNS = Path(__file__).parent / "signs" / "bullets.txt"
ADA = (CASES / "person.yaml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_a_list_is_one_in_every_format(run: Run) -> None:
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(ADA, encoding="utf-8")
    assert run("check").code == 0
    # Those that are text have their files in tests/outputs/cases.
    formats = "pdf,html,docx"
    ran = run("build", "-t", "academic", "--engine", "embedded", "--format", formats)
    assert ran.code == 0, ran.err
    made = Path("out/ada/academic")
    page = re.sub(r"\s*\n\s*", "", made.with_suffix(".html").read_text("utf-8"))
    assert "<ul><li>Find <strong>it</strong></li><li>Mend it<ul><li>with <a" in page
    assert '<ol class="numbers"><li><span class="number">3.</span> Third</li>' in page
    styles = {
        one.text: one.style.name if one.style else ""
        for one in docx.Document(f"{made}.docx").paragraphs
    }
    assert [styles[one] for one in ("Mend it", "beneath", "Fourth", "Plain.", "Duo")] == [
        "List Bullet", "List Bullet 2", "List Number", "Body Text", "List Bullet",
    ]  # fmt: skip
    with pikepdf.open(f"{made}.pdf") as pdf:
        kinds = [str(one.get("/S")) for one in pdf.objects if isinstance(one, pikepdf.Dictionary)]
    assert (kinds.count("/LI"), kinds.count("/L")) == (21, 11)
    with pypdfium2.PdfDocument(f"{made}.pdf") as opened:
        page = " ".join(opened[0].get_textpage().get_text_range().split())
    assert "• Tell others, many of them And more. 3. Third 4. Fourth" in page


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_every_sign_of_engineers_is_in_every_format(run: Run) -> None:
    points = SIGNS.read_text("utf-8").splitlines()
    rows = "".join(f"      - {json.dumps(one)}\n" for one in points)
    Path("ada.yaml").write_text(
        f"name: Ada Example\nsections:\n  - kind: bullets\n    items:\n{rows}", encoding="utf-8"
    )
    ran = run("build", "ada.yaml", "-t", "academic", "--engine", "embedded", "-o", "out",
              "--format", "pdf,html,docx,txt")  # fmt: skip
    assert ran.code == 0, ran.err
    made = Path("out/ada/academic")
    with pypdfium2.PdfDocument(f"{made}.pdf") as opened:
        pages = [opened[at].get_textpage().get_text_range() for at in range(len(opened))]
    page = re.sub(
        "(?s)<style.*?</style>|<script.*?</script>|<[^>]*>",
        "",
        made.with_suffix(".html").read_text("utf-8"),
    )
    texts = {
        "pdf": "".join(pages),
        "html": html.unescape(page),
        "docx": "".join(one.text for one in docx.Document(f"{made}.docx").paragraphs),
        "txt": made.with_suffix(".txt").read_text("utf-8"),
    }
    for name, text in texts.items():
        whole = bare(text)
        assert [one for one in points if bare(plain(parse(one))) not in whole] == [], name


def bare(text: str) -> str:
    """A text without white space, hyphens of lines, and the shapes of quotes."""
    quotes = str.maketrans("’‘“”", "''\"\"")
    return re.sub(r"[\s\u00ad\ufffe\u200b-]", "", text.translate(quotes))


@pytest.mark.parametrize(
    "text",
    [
        "- one", "a\n- b", "- a\n* b", "1. a\n3. b", "* a\n** b", "- a\n- b\n\nafter", "- a - b",
        "- a\n  - b\n    - c\n- d", "- a\n- b\n1. c\n2. d", "12. May\n1. June", "-a\n-b", "",
        "- a\n  1. b\n  2. c\n- d", "  - a\n- b\n- c",
    ],
)  # fmt: skip
def test_what_is_no_list(text: str) -> None:
    assert split_list(text) is None


def test_what_a_list_is() -> None:
    found = split_list("Before\nand\n\n- a\nlazy\n- b\n\n  more\n  + c\n    still\n")
    assert found
    before, points = found
    assert before == "Before\nand"
    assert [(one.text, one.below) for one in points] == [
        ("a\nlazy", []),
        ("b\n  more", ["c\n    still"]),
    ]
    assert split("\n\n".join(["x", "- a", "- b", "y", "1. c", "2. d", "- e"])) == [
        "x", "- a\n\n- b", "y", "1. c\n\n2. d", "- e",
    ]  # fmt: skip
