"""Formats that are made at once: what they lose, or show though it is private, is found."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import deep
import docx
import pikepdf
import pytest
import web_pages
from conftest import Run
from papers import pages_of
from web_pages import ARABIC, CHINESE, everything, hostile, shown

from cvbuild.model.text.paragraphs import split, split_list
from cvbuild.model.text.rich_text import parse, plain
from cvbuild.outputs.formats import html, markdown, text
from cvbuild.outputs.formats import jsonresume as json_export
from cvbuild.outputs.types import Made, Shown, find_output
from cvbuild.view.types import Document

PERSON = """\
name: Ada Example
contact:
  email: ada@example.org
  phone: {value: "+44 20 7946 0123", private: true}
sections:
  - kind: award
    items:
      - {title: First prize, awarder: Academy of Examples, date: 2020}
"""


@pytest.fixture(autouse=True)
def workspace(here: Path) -> Path:
    (here / "people").mkdir()
    (here / "people" / "ada.yaml").write_text(PERSON, "utf-8")
    return here


#: For each format the function that makes what is written.
FORMATS: dict[str, tuple[ModuleType, str]] = {
    "txt": (text, "text"), "json": (json_export, "resume"), "html": (html, "html"),
    "md": (markdown, "text"),
}  # fmt: skip
PAPERS = """\
  - kind: publication
    items: [{title: On prizes, authors: [Ada Example, Lin Other], date: 2021}]
"""
LOST = [
    *(("First prize", "8:17", name) for name in ("txt", "json", "html", "md")),
    *(("Academy of Examples", "8:39", name) for name in ("txt", "json")),
    ("On prizes", "10:21", "md"),
    ("ada@example.org", "3:10", "txt"),
]


def change(name: str, monkeypatch: pytest.MonkeyPatch, of_text: Callable[[str], str]) -> None:
    module, function = FORMATS[name]
    real = getattr(module, function)

    def changed(*of: object) -> object:
        made = real(*of)
        if isinstance(made, str):
            return of_text(made)
        return json.loads(of_text(json.dumps(made)))

    monkeypatch.setattr(module, function, changed)


@pytest.mark.parametrize(("lost", "place", "name"), LOST)
def test_a_text_that_is_lost_fails_the_build(
    lost: str, place: str, name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("people/ada.yaml").write_text(PERSON + PAPERS, "utf-8")
    assert run("build", "--format", name).code == 0
    (made,) = Path("out/ada").iterdir()
    before = made.read_bytes()
    change(name, monkeypatch, lambda text: text.replace(lost, ""))
    ran = run("build", "--format", name, "--force")
    assert ran.code == 1
    assert ran.err.count(f'people/ada.yaml:{place}: the file lacks "{lost}"; ') == 1
    assert made.read_bytes() == before


@pytest.mark.parametrize("name", FORMATS)
def test_a_private_text_in_the_file_fails_the_build(
    name: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = "+44 20 7946 0123"

    def leaking(text: str) -> str:
        is_object = text.startswith("{")
        return f'{{"note": "{number}", {text[1:]}' if is_object else f"{text}{number}\n"

    change(name, monkeypatch, leaking)
    ran = run("build", "--format", name)
    assert ran.code == 1
    assert "people/ada.yaml:4:" in ran.err
    assert "private" in ran.err
    assert "7946" not in ran.err
    assert not Path("out/ada").exists()


def test_what_is_in_another_order_fails_the_build(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = "      - {awarder: Society of Tests, title: Second prize, date: 2019}\n"
    Path("people/ada.yaml").write_text(PERSON + second, "utf-8")
    assert run("build", "--format", "txt,json").code == 0
    written = text.text

    def swapped(view: Document) -> str:
        *head, first, last = written(view).splitlines()
        return "\n".join([*head, last, first])

    monkeypatch.setattr(text, "text", swapped)
    ran = run("build", "--format", "txt", "--force")
    assert ran.code == 1
    fact = 'the file has "{}" before what precedes it'
    assert f"people/ada.yaml:9:44: {fact.format('Second prize')}; this is a bug" in ran.err
    assert fact.format("2019") in ran.err
    assert "First prize" not in ran.err


#: The first four have all kinds, hostile texts and two scripts; a file for Word takes its time.
TEXTS = [
    everything(), hostile(), ARABIC, CHINESE,
    *(
        path.read_text("utf-8")
        for folder in ("people", "tests/shapes", "tools/ats/corpus")
        for path in sorted((web_pages.ROOT / folder).glob("*.yaml"))
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "texts"), [("docx", TEXTS[:4]), ("md", TEXTS), ("txt", TEXTS)])
@pytest.mark.parametrize("style", deep.but(["grid"], ["academic", "grid"]))
def test_every_text_of_a_person_is_in_the_file_in_its_order(
    name: str, texts: list[str], style: str
) -> None:
    output: Any = find_output(name)
    for written in texts:
        assert output.make(shown(written, style)).figures["texts"] > 8


class Packed:
    """Files that show their text only when they are unpacked."""

    @staticmethod
    def make(_: object, shown: Shown) -> Made:
        lines = text.text(shown.view) + "+44 20 7946 0123\n"
        return Made(zlib.compress(lines.encode()))

    @staticmethod
    def text_of(_: object, content: bytes) -> str:
        return zlib.decompress(content).decode()


def test_a_private_text_in_a_packed_file_fails_the_build(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text.Format, "make", Packed.make)
    assert run("build", "--format", "txt").code == 0  # nobody unpacks it
    monkeypatch.setattr(text.Format, "text_of", Packed.text_of, raising=False)
    ran = run("build", "--format", "txt", "--force")
    assert ran.code == 1
    assert "people/ada.yaml:4:3: a private text is in the file" in ran.err
    assert "7946" not in ran.err


CASES = Path(__file__).parent / "outputs" / "cases" / "lists-in-texts"
SIGNS = Path(__file__).parent / "signs" / "bullets.txt"
ADA = (CASES / "person.yaml").read_text("utf-8")


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_a_list_is_one_in_every_format(run: Run) -> None:
    Path("people/ada.yaml").write_text(ADA, "utf-8")
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
    page = " ".join(pages_of(f"{made}.pdf")[0].split())
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
    page = re.sub(
        "(?s)<style.*?</style>|<script.*?</script>|<[^>]*>",
        "",
        made.with_suffix(".html").read_text("utf-8"),
    )
    texts = {
        "pdf": "".join(pages_of(f"{made}.pdf")),
        "html": unescape(page),
        "docx": "".join(one.text for one in docx.Document(f"{made}.docx").paragraphs),
        "txt": made.with_suffix(".txt").read_text("utf-8"),
    }
    for name, read in texts.items():
        whole = bare(read)
        assert [one for one in points if bare(plain(parse(one))) not in whole] == [], name


def bare(text: str) -> str:
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
