"""Workspaces for attacks by real processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import COMMANDS, WORDS, Files, Project
from texlive import demand_embedded


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
def project(tmp_path: Path, tex_cache: Path) -> Project:
    return Project(tmp_path / "work", tex_cache)
