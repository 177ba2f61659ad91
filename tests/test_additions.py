"""A kind, an option of all styles and a command, each made in a copy of cvbuild: few files each.

Styles, outputs and importers, which need no file of cvbuild's to be changed but a registry's line,
are in test_seams.py. What is added are the files of tests/additions.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

ROOT = Path(__file__).parents[1]
#: What is run in the copy, and what it prints.
Sh = Callable[..., str]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the program and its templates, with a workspace in it."""
    for folder in ("cvbuild", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "people").mkdir()
    return tmp_path


@pytest.fixture
def sh(copied: Path) -> Sh:
    """Run the copy's command line there."""

    def run(*words: str) -> str:
        env = os.environ | {"PYTHONPATH": str(copied)}
        done = subprocess.run(
            [sys.executable, "-m", "cvbuild", *words],
            cwd=copied, env=env, capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def add(name: str, folder: Path) -> None:
    """Write the files of an addition; one that begins with a line and "…" adds after that line."""
    text = (Path(__file__).parent / f"additions/{name}.txt").read_text(encoding="utf-8")
    _, *parts = re.split("^-- (.*) --\n", text, flags=re.MULTILINE)
    for path, content in zip(map(folder.joinpath, parts[::2]), parts[1::2], strict=True):
        after, mark, more = content.rpartition("…\n")
        before = path.read_text(encoding="utf-8") if mark else ""
        assert before.count(after) == 1 or not mark, path
        path.write_text(before.replace(after, after + more) if mark else more, encoding="utf-8")


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_new_kind(copied: Path, sh: Sh) -> None:
    add("kind", copied)
    sh("build", "ada", "--engine", "embedded", "--format", "pdf,html,docx,txt,md,json")
    text = (copied / "out/ada/academic.txt").read_text(encoding="utf-8")
    assert "Chess, 9 years" in text
    assert "hobbies" in text.lower()
    assert "Hobbies" in (copied / "out/ada/academic.html").read_text(encoding="utf-8")


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_new_option_of_all_styles(copied: Path, sh: Sh) -> None:
    add("option", copied)
    assert "text-colour" in sh("templates", "one-page")
    sh("build", "ada", "-t", "one-page", "-t", "academic", "--engine", "embedded")
    for style in ("one-page", "academic"):
        with pikepdf.open(copied / f"out/ada/{style}.pdf") as pdf:
            colours = {
                tuple(round(float(part), 2) for part in one.operands)
                for one in pikepdf.parse_content_stream(pdf.pages[0])
                if str(one.operator) == "rg"
            }
        assert (0.5, 0.0, 0.5) in colours


def test_a_new_command(copied: Path, sh: Sh) -> None:
    add("command", copied)
    path = copied / "cvbuild/cli/arguments.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"look": ("status", ', '"look": ("names", "status", '))
    assert sh("names", "--upper") == "ADA\n"
    assert "print whose files are in people/" in sh("--help")
    assert "--upper" in sh("names", "--help")
