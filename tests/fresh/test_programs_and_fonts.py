"""TeX, fonts and packages that appear, change or go."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import (
    build,
    entries,
    is_fresh,
)

from cvbuild.building import batch
from cvbuild.building.outcome import Basis, Outcome, Record
from cvbuild.common import hashes
from cvbuild.outputs.pdf.fonts import installed
from cvbuild.outputs.pdf.tex import embedded, find
from cvbuild.outputs.pdf.tex.types import Needs
from cvbuild.outputs.types import Machine


@pytest.mark.usefixtures("home")
def test_a_tex_that_appears_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "pdflatex"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert is_fresh()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    assert not is_fresh()


@pytest.mark.usefixtures("home")
def test_another_version_of_tex_is_noticed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded TeX, with a list of its files that can be written."""
    tree = embedded.root()
    assert tree
    real = tree.parent if tree.parent.name == "cvbuild_tex" else tree.parents[1]
    package = tmp_path / "site" / real.name
    record = tmp_path / "site" / f"{real.name}-0.dist-info" / "RECORD"
    for folder in (package, record.parent):
        folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    inside = tree.relative_to(real).parts[0]
    (package / inside).symlink_to(real / inside)
    record.write_text("a file\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, real.name, raising=False)
    assert build(run)
    assert is_fresh()
    os.utime(record)
    assert not is_fresh()
    assert not build(run)
    record.write_text("another file\n")
    assert not is_fresh()
    assert build(run)
    assert run("status", "--why", "--engine", "embedded").out.endswith("up to date\n")


def test_fonts_that_appear_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For documents with faces from outside TeX's tree: another one may be taken now."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("USERPROFILE", raising=False)
    fonts = tmp_path / (".fonts" if sys.platform == "linux" else "Library/Fonts")

    before = entries().world
    assert entries().world == before
    (fonts / "sub").mkdir(parents=True)
    between = entries().world
    assert between != before
    (fonts / "sub" / "a.ttf").touch()
    assert entries().world != between


def test_a_font_that_changed_while_tex_ran_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    font, binary = Path("a.ttf"), Path("pdftex")
    for path in (font, binary):
        path.write_text("old")
    parts = {"tree": hashes.tree([binary]), "fonts": hashes.tree([font])}
    record = Record("", 0, hashes.file_hash(binary), parts=parts)
    basis = Basis(Path("record.json"), record, (), Machine((binary,), (font,)), (), ())
    outcome = Outcome("ada", "academic", binary, basis=basis)
    assert entries()._document(outcome)
    font.write_text("a new one")
    assert not entries()._document(outcome)


@pytest.mark.skipif(sys.platform != "linux", reason="where fonts are differs")
def test_who_lives_long_finds_what_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state that is remembered must not be newer than what the documents were made with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CVBUILD_NO_SYSTEM_TEX", raising=False)
    font, program = tmp_path / ".fonts/a.ttf", tmp_path / "bin/pdflatex"

    def there() -> tuple[bool, bool]:
        (problem,) = find.probe_system(Needs()).problems
        return installed.find((font.name,)) is not None, problem.code != "no-engine"

    for path in (font, program):
        path.parent.mkdir()
    assert there() == (False, False)
    for path in (font, program):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o700)
    assert there() == (False, False)
    batch.look_again()
    assert there() == (True, True)
    find.look_again()


def test_programs_are_found_with_their_endings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PATHEXT", os.pathsep.join([".COM", ".exe"]))
    before = entries(out=str(tmp_path)).world
    program = tmp_path / "pdflatex.exe"
    program.touch()
    program.chmod(0o700)
    assert entries(out=str(tmp_path)).world != before
