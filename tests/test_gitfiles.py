"""An overlay that git would take, compared with what git says."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run

Git = Callable[..., str]
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """``git("init")`` in a folder of its own, for an invented person."""

    def run(*words: str) -> str:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        where = ("-C", str(tmp_path / "repo"))
        done = subprocess.run(
            ["git", *where, *who, *words], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    (tmp_path / "repo").mkdir()
    run("init", "--quiet", "--initial-branch=main")
    return run


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    """A repository of one commit."""
    git("commit", "--quiet", "--allow-empty", "-m", "One")
    (tmp_path / "repo" / "cvs").mkdir()
    return tmp_path / "repo"


@pytest.mark.parametrize(
    ("lines", "ignored"),
    [
        ("/people/*.private.yaml", True),
        ("*.private.yaml", True),
        ("people/", True),
        ("people/*", True),
        ("people/**", True),
        ("/people", True),
        ("**/*.private.yaml", True),
        ("# x\n\npeople/ad?.private.yaml", True),
        ("", False),
        ("/ada.private.yaml", False),
        ("peop", False),
        ("people/\n!people/", False),
        ("*.private.yaml/", False),
        ("/people/ada.private.yaml/*", False),
        ("*.private.yaml\n!ada.private.yaml", False),
    ],
)
def test_check_tells_that_git_would_take_an_overlay(
    repo: Path, git: Git, lines: str, ignored: bool, run: Run
) -> None:
    (repo / ".gitignore").write_text(lines + "\n", encoding="utf-8")
    (repo / "people").mkdir()
    (repo / "people/ada.yaml").write_text("name: Ada Example\nsections: []\n", encoding="utf-8")
    (repo / "people/ada.private.yaml").write_text("headline: Hidden\n", encoding="utf-8")
    told = git("ls-files", "--others", "--exclude-standard").splitlines()
    assert ("people/ada.private.yaml" in told) != ignored, "as git has it"
    with contextlib.chdir(repo):
        ran = run("check")
    said = (
        "people/ada.private.yaml: warning: git doesn't ignore this file, which is private; "
        "add the line *.private.yaml to .gitignore"
    )
    assert (said in ran.err.splitlines()) != ignored
    assert ran.code == 0
