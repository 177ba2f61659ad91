"""Where one stands in a workspace, how a person may be called, and what make does with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.cli import workspace
from cvbuild.inputs.schema import starter_files

ADA = "name: {}\nsections: [{{kind: bullets, items: [One point]}}]\n"
TEXT = ("--format", "txt")
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


@pytest.mark.parametrize("folder", ["people", "applications", "deep/er", "out"])
def test_the_top_is_where_documents_go(
    run: Run, top: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    # A site has a folder people/, too.
    (top / "out/people").mkdir(parents=True)
    monkeypatch.chdir(folder)
    ran = run("build", "ada", *TEXT)
    assert ran.code == 0
    assert ran.err.splitlines()[0] == f"working in {top}"
    assert (top / "out/ada/academic.txt").is_file()
    assert '"cached": true' in run("build", "ada", *TEXT, "--json").out


def test_paths_mean_what_they_mean_where_one_stands(
    run: Run, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("deep")
    (top / "job.txt").write_text("We use Python, Kubernetes and Python.\n")
    (top / "deep/er/plum").mkdir()
    (top / "deep/er/plum/template.yaml").write_text(
        "api: 1\ntitle: P\ndescription: P.\nextends: plain\ntex: {style: cvb-plain}\n"
    )
    for arguments in (
        ("build", "../people/ada.yaml", *TEXT, "-o", "er/cvs"),
        ("check", str(top / "people/ada.yaml"), "--report", "er/r.xml", "--report", "github"),
        ("match", "--person", "../people/zoe.yaml", "--job", "../job.txt"),
        ("show", "../people/zoe.yaml"),
        ("build", "zoe", "-t", "plum", "--template-path", "er", *TEXT, "-o", "../mine"),
    ):
        monkeypatch.chdir(top / "deep")
        ran = run(*arguments)
        assert ran.code == 0, ran.err
    assert (top / "deep/er/cvs/ada/academic.txt").is_file()
    assert (top / "deep/er/r.xml").is_file()
    assert (top / "mine/zoe/plum.txt").is_file()
    assert not (top / "out").exists()
    monkeypatch.chdir(top / "people")
    ran = run("build", "ada.yaml", "no.yaml", *TEXT)
    assert (ran.code, ran.err.splitlines()[1]) == (2, 'there is no file "people/no.yaml"')
    monkeypatch.chdir(top / "people")
    assert run("serve", "../no.yaml").err.splitlines()[-1] == 'there is no file "no.yaml"'
    for number in range(60):
        (top / f"people/p{number}.yaml").touch()
    assert run("check", "Xxxx").err.endswith(", …\n")


def test_a_folder_to_go_to_first(run: Run, top: Path) -> None:
    assert run("-C", "deep/er", "build", "ada", *TEXT, "-o", "../cvs").code == 0
    assert (top / "deep/cvs/ada/academic.txt").is_file()
    os.chdir(top)
    ran = run("-C", "nowhere", "build")
    assert (ran.code, ran.err) == (
        2, 'can\'t go to "nowhere": no such file or directory; check the path\n',
    )  # fmt: skip


def test_the_search_ends_where_others_could_put_a_workspace(top: Path) -> None:
    inner, home = top / "deep/er", top.parent
    assert workspace.top(inner) == top
    (top / "deep/cvbuild.yaml").touch()
    assert workspace.top(inner) == top / "deep"
    (top / "deep/cvbuild.yaml").unlink()
    shutil.rmtree(top / "people")
    assert workspace.top(inner) == inner
    (home / "cvbuild.yaml").touch()
    assert workspace.top(inner) == home
    top.chmod(0o777)
    assert workspace.top(inner) == inner
    top.chmod(0o755)
    if hasattr(os, "getuid") and os.getuid() == 0:
        os.chown(top, 65534, -1)
        assert workspace.top(inner) == inner
        assert workspace.top(top) == home
        os.chown(top, 0, -1)
    (home / "cvbuild.yaml").unlink()
    (home.parent / "cvbuild.yaml").touch()
    assert workspace.top(inner) == inner
    assert not workspace._is_ours(top, top.stat().st_dev + 1)


def test_a_folder_that_is_no_workspace_is_named(
    run: Run, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads = top.parent / "Downloads"
    downloads.mkdir()
    monkeypatch.chdir(downloads)
    todo = "change to your workspace, or make one: cvbuild init DIR"
    for arguments in (("build",), ("check", "ada"), ("watch",), ("show", "Ada Example"), ("site",)):
        ran = run(*arguments)
        assert (ran.code, ran.err) == (2, f"{downloads} has no people{os.sep} folder; {todo}\n")
    assert [*downloads.iterdir()] == []


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


@pytest.mark.parametrize(
    ("name", "stem"),
    [("Ada Example", "ada"), ("zoe  EXAMPLE", "zoe"), ("Zoë Example", "zoe"), ("zoe", "zoe")],
)
def test_a_person_is_found_by_name(run: Run, name: str, stem: str) -> None:
    assert "1 of 1 files are fine" in run("check", name).err
    assert f"out/{stem}/academic.txt" in run("build", name, *TEXT).err


#: The name in the file, the stem that it gets, the stem that it has, and what it is called.
LETTERS = {
    "Oskar Yılmaz": ("oskar-yilmaz", "oskar-yılmaz", "yilmaz", "YILMAZ", "Yılmaz", "oskar-yilmaz"),
    "Søren Rossi": ("soren-rossi", "søren-rossi", "rossi", "Soeren Rossi", "soren-rossi"),
    "Łucja Weiß": ("lucja-weiss", "łucja-weiß", "weiss", "WEISS", "Lucja Weiß"),
    "Prof. Jürgen van Müller": ("prof-jurgen-van-muller", "jm", "Mueller", "van Müller", "müller"),
    "Ünal, Ayşe": ("unal-ayse", "a", "ünal", "Ayse Unal", "AYŞE ÜNAL"),
    "何佳慧": ("何佳慧", "何佳慧", "何佳慧"),
}


@pytest.mark.parametrize("name", LETTERS)
def test_letters_beyond_ascii(run: Run, name: str) -> None:
    new, old, *called = LETTERS[name]
    ran = run("new", name)
    assert ran.err.startswith(f"wrote people/{new}.yaml;"), ran.err
    Path(f"people/{new}.yaml").rename(f"people/{old}.yaml")
    for word in called:
        assert run("check", word).err.endswith("1 of 1 files are fine\n"), word
    if len(old) > 2:
        assert f"people/{old}.yaml exists already" in run("new", name).err


def test_names_that_nobody_or_several_have(run: Run) -> None:
    Path("people/ada-2.yaml").write_text(ADA.format("{en: ADA example, de: Ada Beispiel}"))
    Path("people/broken.yaml").write_text("name: [")
    said = {
        "Ada Example": '2 people are called "Ada Example"; write one of: ada-2, ada',
        "Zoé Exampel": 'unknown person "Zoé Exampel"; did you mean "zoe", "Zoë Example"?',
        "Nobody At All": 'unknown person "Nobody At All"; the people are: ada-2, ada, broken, zoe',
    }
    for name, expected in said.items():
        assert (run("build", name).code, run("build", name).err) == (2, f"{expected}\n")
    assert run("check", "ada beispiel").code == 0
    # Two of one family; of a person whose file has the name, the name isn't told again.
    assert "3 people are called" in run("build", "example").err
    Path("people/daniel-okonkwo.yaml").write_text(ADA.format("Daniel Okonkwo"))
    for name in ("Daniel Okonko", "Okonko", "Daniel"):
        expected = f'unknown person "{name}"; did you mean "daniel-okonkwo"?\n'
        assert run("build", name).err == expected
    assert run("build", "cvbuild.yaml").err == (
        'there is no file "cvbuild.yaml"\n'
    )  # fmt: skip
    Path("cvbuild.yaml").touch()
    assert '"cvbuild.yaml" is not a person; it has settings' in run("build", "cvbuild.yaml").err


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_make_takes_names_as_they_are(top: Path) -> None:
    programs = top / "bin"
    programs.mkdir()
    for program, first in (("cvbuild", 1), ("python", 3)):
        (programs / program).write_text(
            f"#!{sys.executable}\nimport sys\nprint(sys.argv[{first}:])\n"
        )
        (programs / program).chmod(0o755)
    (top / "Makefile").write_text(starter_files.workspace("ada-example")["Makefile"])
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
