"""The hook for pre-commit, which pre-commit itself installs and runs."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import checkouts
import pytest
import yaml

HOOKS = checkouts.ROOT / ".pre-commit-hooks.yaml"
GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def pre_commit(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return checkouts.run(sys.executable, "-m", "pre_commit", *arguments, cwd=cwd, env=env)


def committed(folder: Path) -> Path:
    """Make a repository of a folder."""
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        done = checkouts.run(*GIT, *command, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_the_manifest_is_valid() -> None:
    done = pre_commit("validate-manifest", str(HOOKS), cwd=checkouts.ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("path", "is_checked"),
    [
        ("people/ada.yaml", True),
        ("people/何-国梁.yaml", True),
        ("applications/lab.yaml", True),
        ("cvbuild.yaml", True),
        ("people/ada.private.yaml", False),
        ("people/Ada.PRIVATE.yaml", False),
        ("applications/sent/2026/application.yaml", False),
        ("a/people/ada.yaml", False),
        ("notes/cvbuild.yaml", False),
        ("people/papers.bib", False),
    ],
)
def test_which_files_it_checks(path: str, *, is_checked: bool) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text("utf-8"))
    found = re.search(hook["files"], path) and not re.search(hook["exclude"], path)
    assert bool(found) is is_checked


@pytest.mark.deep
def test_pre_commit_installs_and_runs_it(tmp_path: Path) -> None:
    """Without the network: what it depends on is that of these tests."""
    source = committed(checkouts.copy(tmp_path / "cvbuild"))
    work = tmp_path / "work"
    made = checkouts.run(sys.executable, "-m", "cvbuild", "init", work, cwd=checkouts.ROOT)
    assert made.returncode == 0, made.stderr
    (work / "people" / "bad.yaml").write_text("name: Bad Example\ntittle: x\n")
    committed(work)
    offline = {
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say yes
        "PIP_NO_INDEX": "1",
    }

    def tried(*files: str) -> subprocess.CompletedProcess[str]:
        hook = ("try-repo", str(source), "cvbuild-check", "--files", *files)
        return pre_commit(*hook, cwd=work, **offline)

    good = tried("people/ada-example.yaml", "applications/example-lab.yaml", "README.md")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stdout
    bad = tried("people/bad.yaml")
    assert bad.returncode == 1
    assert 'people/bad.yaml:2:1: unknown key "tittle"' in bad.stdout
    assert "0 of 1 files are fine" in bad.stdout
