"""`cvbuild check` of the files that a hook names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run

PERSON = (
    "name: Ada Example\nsections:\n  - kind: bullets\n    title: Notes\n    items: [Read a book.]\n"
)
APPLICATION = "person: ada\nemployer: Example Lab\nposition: Reader\n"


Check = Callable[..., tuple[int, str]]


@pytest.fixture
def check(here: Path, run: Run) -> Check:
    """Check files of a workspace; return the exit code and what was told."""
    for name, text in {
        "people/ada": PERSON,
        "people/bad": "name: Bad\ntittle: x\n",
        "applications/lab": APPLICATION,
        "applications/variant": f"{APPLICATION}variant: nope\n",
        "applications/bad": "person: bad\nemployer: E\nposition: P\n",
        "cvbuild": "# nothing\n",
    }.items():
        path = here / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def checked(*files: str) -> tuple[int, str]:
        ran = run("check", *files)
        return ran.code, ran.err

    return checked


def test_only_what_is_named_is_checked(check: Check) -> None:
    fine = "1 of 1 files are fine\n"
    assert check("people/ada.yaml") == (0, fine)
    assert check("applications/lab.yaml") == (0, fine)
    assert check("./people/../applications/lab.yaml") == (0, fine)
    assert check(str(Path("applications/lab.yaml").resolve())) == (0, fine)
    assert check("ada", "applications/lab.yaml") == (0, "2 of 2 files are fine\n")
    code, told = check("applications/variant.yaml", "people/ada.yaml")
    assert code == 1
    assert told.startswith("applications/variant.yaml:4:10: ada has no variant")
    assert told.endswith("1 of 2 files are fine\n")
    code, told = check("applications/bad.yaml")
    assert code == 1
    assert 'people/bad.yaml:2:1: unknown key "tittle"' in told, "what it takes of its person"


def test_everybody_is_checked_if_the_workspace_changes(check: Check) -> None:
    for files in ((), ("cvbuild.yaml",), ("cvbuild.yaml", "people/ada.yaml")):
        code, told = check(*files)
        assert code == 1
        assert told.endswith("1 of 2 files are fine\n"), files


def test_what_there_is_not(check: Check) -> None:
    code, told = check("applications/none.yaml")
    assert code == 2
    assert told.startswith('unknown application "none"; the applications are: ')
    code, told = check("people/none.yaml")
    assert code == 2
    assert told == 'there is no file "people/none.yaml"\n'
