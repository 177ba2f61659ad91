"""Plain text and JSON Resume as outputs: what they lose, or show though it is private, is found."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.outputs.jsonresume import export as json_export
from cvbuild.outputs.text import export as text_export
from cvbuild.outputs.text import output
from cvbuild.outputs.types import Made, Shown
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
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ada.yaml").write_text(PERSON, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("lost", ["First prize", "Academy of Examples"])
def test_a_text_that_is_lost_fails_the_build(
    lost: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("build", "--format", "txt,json").code == 0
    before = {path.name: path.read_bytes() for path in Path("out/ada").iterdir()}
    assert set(before) == {"academic.txt", "academic.json"}
    text, data = text_export.text, json_export.to_bytes
    monkeypatch.setattr(text_export, "text", lambda *of: text(*of).replace(lost, ""))
    monkeypatch.setattr(
        json_export, "to_bytes", lambda shown: data(shown).replace(lost.encode(), b"")
    )
    ran = run("build", "--format", "txt,json", "--force")
    assert ran.code == 1
    place = "people/ada.yaml:8:17" if lost.startswith("First") else "people/ada.yaml:8:39"
    assert ran.err.count(f'{place}: the file lacks "{lost}"; ') == 2
    assert {path.name: path.read_bytes() for path in Path("out/ada").iterdir()} == before


@pytest.mark.parametrize("output", ["txt", "json"])
def test_a_private_text_in_the_file_fails_the_build(
    output: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, data = text_export.text, json_export.resume
    monkeypatch.setattr(text_export, "text", lambda *of: text(*of) + "+44 20 7946 0123\n")
    monkeypatch.setattr(
        json_export, "resume", lambda shown: {**data(shown), "note": "+44 20 7946 0123"}
    )
    ran = run("build", "--format", output)
    assert ran.code == 1
    assert "people/ada.yaml:4:" in ran.err
    assert "private" in ran.err
    assert "7946" not in ran.err
    assert not Path("out/ada").exists()


def test_what_is_published_is_what_was_checked(run: Run) -> None:
    assert run("build", "--format", "txt,json").code == 0
    assert Path("out/ada/academic.txt").read_text("utf-8") == (
        "Ada Example\n\nada@example.org\n\n\nHONORS AND AWARDS\n\n"
        "First prize, Academy of Examples (2020)\n"
    )
    (award,) = json.loads(Path("out/ada/academic.json").read_text("utf-8"))["awards"]
    assert award == {"title": "First prize", "awarder": "Academy of Examples", "date": "2020"}


def test_what_is_in_another_order_fails_the_build(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = "      - {awarder: Society of Tests, title: Second prize, date: 2019}\n"
    Path("people/ada.yaml").write_text(PERSON + second, encoding="utf-8")
    assert run("build", "--format", "txt,json").code == 0
    text = text_export.text

    def swapped(view: Document, fold: text_export.Fold | None) -> str:
        *head, first, last = text(view, fold).splitlines()
        return "\n".join([*head, last, first])

    monkeypatch.setattr(text_export, "text", swapped)
    ran = run("build", "--format", "txt", "--force")
    assert ran.code == 1
    fact = 'the file has "{}" before what precedes it'
    assert f"people/ada.yaml:9:44: {fact.format('Second prize')}; this is a bug" in ran.err
    assert fact.format("2019") in ran.err
    assert "First prize" not in ran.err


class Packed:
    """Files that show their text only when they are unpacked."""

    @staticmethod
    def make(_: object, shown: Shown) -> Made:
        lines = text_export.text(shown.view) + "+44 20 7946 0123\n"
        return Made(zlib.compress(lines.encode()))

    @staticmethod
    def text_of(_: object, content: bytes) -> str:
        return zlib.decompress(content).decode()


def test_a_private_text_in_a_packed_file_fails_the_build(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output.Format, "make", Packed.make)
    assert run("build", "--format", "txt").code == 0  # nobody unpacks it
    monkeypatch.setattr(output.Format, "text_of", Packed.text_of, raising=False)
    ran = run("build", "--format", "txt", "--force")
    assert ran.code == 1
    assert "people/ada.yaml:4:3: a private text is in the file" in ran.err
    assert "7946" not in ran.err


def test_a_label_that_the_page_gives_a_grade_is_the_name_of_its_key(run: Run) -> None:
    school = "{institution: Example University, degree: BSc, grade: with distinction}"
    Path("people/ada.yaml").write_text(
        f"name: Ada Example\nsections:\n  - {{kind: education, items: [{school}]}}\n", "utf-8"
    )
    assert run("build", "--format", "txt,json").code == 0
    assert "\nGrade: with distinction\n" in Path("out/ada/academic.txt").read_text("utf-8")
    (school,) = json.loads(Path("out/ada/academic.json").read_text("utf-8"))["education"]
    assert school["score"] == "with distinction"
