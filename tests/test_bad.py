"""Bad input: each folder of tests/bad has a person's file and the exact words that it gets.

``profile.yaml`` is checked, or everybody in ``people/``; ``expected.txt`` is what ``cvbuild check``
writes to a pipe, run inside the folder.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import Run

from cvbuild import model
from cvbuild.model.kinds import KINDS

BAD = Path(__file__).parent / "bad"
APPLICATIONS = BAD.parent / "applications" / "bad"
MODEL = Path(model.__file__).parent
CASES = sorted(path.name for path in BAD.iterdir() if path.is_dir())
PLACE = re.compile(r"^(?P<file>[\w/.-]+\.yaml)(?::(?P<line>\d+):(?P<column>\d+))?: (?P<rest>.+)$")
SUMMARY = re.compile(r"\d+ of \d+ files are fine")


def expected_of(folder: Path) -> str:
    """The text of a case; ``{kinds}`` stands for the kinds that there are."""
    text = (folder / "expected.txt").read_text("utf-8")
    return text.replace("{kinds}", ", ".join(KINDS))


def messages(case: str) -> list[re.Match[str]]:
    *lines, last = expected_of(BAD / case).splitlines()
    assert SUMMARY.fullmatch(last)
    found = [match for line in lines if (match := PLACE.match(line))]
    assert len(found) == len(lines) > 0
    return found


def copied(case: str, folder: Path) -> Path:
    """A case where no git is, which would have overlays ignored."""
    return Path(shutil.copytree(BAD / case, folder / case, symlinks=True))


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60
    for case in CASES:
        folder = BAD / case
        assert (folder / "expected.txt").is_file(), case
        assert (folder / "profile.yaml").is_file() or (folder / "people").is_dir(), case


#: Words of pydantic, of Python and of the program's insides; none is a word of a CV's author.
JARGON = (
    "pydantic", "tuple", "dict", "NoneType", "None", "instance", "model", "validation", "input",
    "Input", "Field", "valid string", "frozen", "str ", "bool", "Traceback", "Error", "loc ",
    "union", "literal", "[type", "should be", "'{", "['",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In which words, at a place that is in the file, with what to do."""
    monkeypatch.chdir(copied(case, tmp_path))
    alone = Path("profile.yaml").exists()
    ran = run("check", *(["profile.yaml"] if alone else []))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == expected_of(Path())
    for found in messages(case):
        words = re.sub(r'"[^";]*"', '""', found["rest"])  # what the file itself says is not ours
        assert [word for word in JARGON if word in words] == []
        assert "; " in words, "no hint"
        assert len(found["rest"]) < 300
        if found["line"] is not None:
            text = Path(found["file"]).read_bytes().decode("utf-8", "replace")
            lines = ["", *text.split("\n")]
            assert 1 <= int(found["column"]) <= len(lines[int(found["line"])]) + 1


def test_places_are_in_the_order_of_the_file() -> None:
    several = [case for case in CASES if len(messages(case)) > 1]
    assert len(several) >= 5
    for case in several:
        places = [(m["file"], int(m["line"] or 0), int(m["column"] or 0)) for m in messages(case)]
        assert places == sorted(places), case


def hints_in(path: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = [call.args[2] for call in calls if getattr(call.func, "id", "") == "refused"]
    given += [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).lower().endswith("hint")
    ]
    return [str(hint.value) for hint in given if isinstance(hint, ast.Constant)]


def test_the_cases_meet_every_error_that_the_model_has_words_for() -> None:
    """Each hint of ``faults`` stands in some case: none is dead, none was never read by us."""
    # Applications are told of with the same words.
    expected = [path for root in (BAD, APPLICATIONS) for path in root.glob("*/expected.txt")]
    assert len(expected) > len(CASES)
    said = "\n".join(path.read_text("utf-8") for path in expected)
    # Those of a workspace's file are in test_workspace.
    paths = [path for path in MODEL.rglob("*.py") if path.name != "workspace.py"]
    hints = [hint for path in paths for hint in hints_in(path)]
    assert len(hints) > 30
    assert [hint for hint in hints if hint not in said] == []


def test_json_says_the_same(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied("several-errors", tmp_path))
    ran = run("check", "profile.yaml", "--json")
    assert (ran.code, ran.err) == (1, "")
    report = json.loads(ran.out)
    assert report["people"] == [{"person": "profile", "path": "profile.yaml", "ok": False}]
    expected = messages("several-errors")
    got = [
        f"{d['file']}:{d['line']}:{d['column']}: {d['message']}; {d['hint']}"
        for d in report["diagnostics"]
    ]
    assert got == [found.group() for found in expected]
    assert {d["severity"] for d in report["diagnostics"]} == {"error"}


def test_building_says_the_same_and_builds_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied("several-errors", tmp_path))
    ran = run("build", "profile.yaml", "-o", str(tmp_path / "out"))
    assert ran.code == 1
    assert ran.err.splitlines() == [found.group() for found in messages("several-errors")]
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("here")
def test_a_file_over_one_mebibyte(run: Run) -> None:
    Path("big.yaml").write_text("name: Ada Example\nheadline: " + "x" * (1 << 20) + "\n")
    ran = run("check", "big.yaml")
    assert ran.err.splitlines()[0] == (
        "big.yaml: the file is larger than 1 MiB; "
        "a CV of 20 pages takes about 0.1 MiB; is this the right file?"
    )


@pytest.mark.usefixtures("here")
def test_a_photo_over_ten_mebibytes(run: Run) -> None:
    Path("ada.yaml").write_text("name: Ada Example\nphoto: ada.jpg\n")
    with Path("ada.jpg").open("wb") as file:
        file.truncate((10 << 20) + 1)
    ran = run("check", "ada.yaml")
    assert ran.err.splitlines()[0] == (
        'ada.yaml:2:8: the photo "ada.jpg" is over 10 MiB; make it smaller'
    )


@pytest.mark.usefixtures("here")
def test_of_very_many_errors_the_first_hundred_are_told_at_once(run: Run) -> None:
    items = "".join(f"  - kind: x{number}\n" for number in range(4_000))
    Path("ada.yaml").write_text("name: Ada Example\nsections:\n" + items)
    ran = run("check", "ada.yaml")
    lines = ran.err.splitlines()
    assert (ran.code, len(lines)) == (1, 102)
    assert lines[99].startswith('ada.yaml:102:11: unknown kind "x99"; the kinds are: ')
    assert lines[100] == "ada.yaml: note: only the first 100 of 4000 problems are shown"
