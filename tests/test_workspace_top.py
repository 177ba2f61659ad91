"""Where one stands in a workspace, how a person may be called, and what make does with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.cli import main
from cvbuild.inputs import saving

ADA = "name: {}\nsections: [{{kind: bullets, items: [One point]}}]\n"
ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace below the home folder."""
    made = tmp_path / "home" / "work"
    for folder in ("people", "applications", "deep/er"):
        (made / folder).mkdir(parents=True)
    for stem, name in (("ada", "Ada Example"), ("zoe", "{given: Zoë, family: Example}")):
        (made / f"people/{stem}.yaml").write_text(ADA.format(name), "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(made)
    return made


def test_the_search_ends_where_others_could_put_a_workspace(top: Path) -> None:
    inner, home = top / "deep/er", top.parent
    assert main.top(inner) == top
    (top / "deep/cvbuild.yaml").touch()
    assert main.top(inner) == top / "deep"
    (top / "deep/cvbuild.yaml").unlink()
    shutil.rmtree(top / "people")
    assert main.top(inner) == inner
    (home / "cvbuild.yaml").touch()
    assert main.top(inner) == home
    top.chmod(0o777)
    assert main.top(inner) == inner
    top.chmod(0o755)
    if hasattr(os, "getuid") and os.getuid() == 0:
        os.chown(top, 65534, -1)
        assert main.top(inner) == inner
        assert main.top(top) == home
        os.chown(top, 0, -1)
    (home / "cvbuild.yaml").unlink()
    (home.parent / "cvbuild.yaml").touch()
    assert main.top(inner) == inner
    assert not main._is_ours(top, top.stat().st_dev + 1)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="only where folders have owners")
def test_a_workspace_that_others_may_write_to_is_named(
    run: Run, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (top / "cvbuild.yaml").touch()
    (top / "deep").mkdir(exist_ok=True)
    top.chmod(0o777)
    monkeypatch.chdir(top / "deep")
    ran = run("build")
    assert ran.code == 2
    assert ran.err.endswith(f"not yours alone; if you trust it: cvbuild -C {top}\n")


@pytest.mark.skipif(os.name == "nt", reason="a folder is made unreadable by its mode")
def test_a_folder_of_people_that_cannot_be_read(run: Run, top: Path) -> None:
    folder = top / "people"
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user may read everything")
        ran = run("build")
    finally:
        folder.chmod(0o755)
    assert (ran.code, ran.out) == (2, "")
    assert "people/ can't be read: permission denied; check its permissions" in ran.err


def test_of_many_people_a_few_are_named(run: Run, top: Path) -> None:
    for number in range(60):
        (top / f"people/p{number}.yaml").touch()
    assert run("check", "Xxxx").err.endswith(", …\n")


#: The name in the file, the stem that it gets, and one that a file may have.
LETTERS = {
    "Oskar Yılmaz": ("oskar-yilmaz", "oskar-yılmaz"),
    "Søren Rossi": ("soren-rossi", "søren-rossi"),
    "Łucja Weiß": ("lucja-weiss", "łucja-weiß"),
    "Prof. Jürgen van Müller": ("prof-jurgen-van-muller", "jm"),
    "Ünal, Ayşe": ("unal-ayse", "a"),
    "何佳慧": ("何佳慧", "何佳慧"),
}


@pytest.mark.parametrize("name", LETTERS)
def test_letters_beyond_ascii(run: Run, name: str) -> None:
    new, old = LETTERS[name]
    ran = run("new", name)
    assert ran.err.startswith(f"wrote people/{new}.yaml;"), ran.err
    Path(f"people/{new}.yaml").rename(f"people/{old}.yaml")
    assert run("check", old).err.endswith("1 of 1 files are fine\n")
    if len(old) > 2:
        assert f"people/{old}.yaml exists already" in run("new", name).err


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_make_takes_names_as_they_are(top: Path) -> None:
    programs = top / "bin"
    programs.mkdir()
    for program, first in (("cvbuild", 1), ("python", 3)):
        (programs / program).write_text(
            f"#!{sys.executable}\nimport sys\nprint(sys.argv[{first}:])\n"
        )
        (programs / program).chmod(0o755)
    (top / "Makefile").write_text(saving.workspace_files("ada-example")["Makefile"])
    shutil.copy(ROOT / "Makefile", top / "ours.mk")
    evil = "x\"; touch a; \"$(touch b)`touch c`$(shell touch d)$$(touch e) '%s' ${HOME}"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    ours = ("make", "-f", "ours.mk", f"PY={programs / 'python'}", "-o", ".venv/.installed")
    for line in (("make",), ours):
        for name in ("Zoe Example", evil, "-j", "--force"):
            words = [f"PERSON={name}", f"TEMPLATE={name}", f"LOCALE={name}"]
            done = subprocess.run(
                [*line, *words], cwd=top, env=environment, capture_output=True, check=False
            )
            expected = ["build", f"--template={name}", f"--locale={name}", "--", name]
            assert str(expected) in done.stdout.decode(), done
    assert {path.name for path in top.iterdir()}.isdisjoint("abcde")
