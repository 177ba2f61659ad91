"""Projects to attack, and a folder of the user's that nothing may touch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from clones import APPLICATION, OLD, PERSON
from projects import COMMANDS, WORDS, Files, Project
from texlive import demand_embedded


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project/people").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    Path("people/ada.yaml").write_text(PERSON, encoding="utf-8")
    Path("applications").mkdir()
    Path("applications/x.yaml").write_text(APPLICATION, encoding="utf-8")
    return tmp_path / "project"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of the user's that is not the project's, with things of all kinds in it."""
    made = tmp_path / "home"
    for name in ("photos", "x", "job-abcdefgh", "ada", "academic", ".new-1-1", "tmp"):
        (made / name).mkdir(parents=True)
        (made / name / "file").write_text("mine", encoding="utf-8")
    # Whatever shows a folder to be ours.
    (made / "job-abcdefgh/.cvbuild-job").mkdir()
    (made / "job-abcdefgh").chmod(0o700)
    for number in range(12):
        (made / f"{number:016x}.json").write_text("mine", encoding="utf-8")
    (made / "x.yaml").write_text(APPLICATION, encoding="utf-8")
    for path in made.iterdir():
        os.utime(path, OLD)
    return made


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> dict[str, Files]:
    """What is published for each of the words, built from nothing."""
    demand_embedded()
    found = {}
    for word in WORDS:
        project = Project(tmp_path_factory.mktemp("right") / "work", tex_cache)
        project.write(word)
        project.run(*COMMANDS["build"])
        project.run(*COMMANDS["apply"])
        found[word] = project.published()
    assert found[WORDS[0]].keys() == found[WORDS[1]].keys()
    assert found[WORDS[0]] != found[WORDS[1]]
    return found


@pytest.fixture
def workspace(tmp_path: Path, tex_cache: Path) -> Project:
    """One whose commands run in processes of their own."""
    return Project(tmp_path / "work", tex_cache)
