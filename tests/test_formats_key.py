"""``formats`` in a person's file: what is built when the command line names no format."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

import cvbuild

PERSON = """\
name: Ada Example
template: [academic, industry]
formats: [txt, json]
sections:
  - kind: keywords
    items: [engines, proofs]
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    path = Path("people/ada.yaml")
    path.write_text(PERSON, "utf-8")
    return path


def made() -> list[str]:
    return sorted(path.name for path in Path("out/ada").iterdir())


def test_they_are_built_and_then_up_to_date(run: Run, file: Path) -> None:
    assert run("build").code == 0
    assert made() == ["academic.json", "academic.txt", "industry.json", "industry.txt"]
    ran = run("build")
    assert (ran.code, ran.err.count("up to date"), len(ran.err.splitlines())) == (0, 4, 4)
    file.write_text(PERSON.replace("[txt, json]", "json"), "utf-8")
    ran = run("build")
    assert (ran.code, ran.err.count("up to date")) == (0, 2), ran.err
    assert "academic.json" in run("why", "ada").out
    assert "academic.txt" not in run("why", "ada").out


def test_the_command_line_is_stronger(run: Run) -> None:
    assert run("build", "-t", "plain", "--format", "txt").code == 0
    assert made() == ["plain.txt"]
    assert run("build", "-t", "plain").code == 0
    assert made() == ["plain.json", "plain.txt"]


def test_from_python() -> None:
    found = [(one.name, one.format) for one in cvbuild.build()]
    assert found == [
        ("academic", "txt"), ("academic", "json"), ("industry", "txt"), ("industry", "json"),
    ]  # fmt: skip
    assert all(one.cached for one in cvbuild.build())


def test_an_unknown_one_has_its_place(run: Run, file: Path) -> None:
    file.write_text(PERSON.replace("json]", "jsno]"), "utf-8")
    ran = run("check")
    assert ran.code == 1
    assert ran.err.startswith('people/ada.yaml:3:16: unknown format "jsno"; did you mean "json"?\n')
