"""Six additions, as docs/internals/architecture.md has them: few files each.

A kind, an option of all styles and a command are made in a copy of cvbuild, from the files of
tests/additions; a style, an output and an importer need a registry's line at most.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pikepdf
import pytest
from conftest import Run
from workspaces import write

from cvbuild.importers import registry as importers
from cvbuild.outputs import registry as outputs
from cvbuild.outputs.types import find_output

ROOT = Path(__file__).parents[1]
#: What is run in the copy, and what it prints.
Sh = Callable[..., str]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for folder in ("cvbuild", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / "people").mkdir()
    return tmp_path


@pytest.fixture
def sh(copied: Path) -> Sh:
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
    text = (Path(__file__).parent / f"additions/{name}.txt").read_text("utf-8")
    _, *parts = re.split("^-- (.*) --\n", text, flags=re.MULTILINE)
    for path, content in zip(map(folder.joinpath, parts[::2]), parts[1::2], strict=True):
        after, mark, more = content.rpartition("…\n")
        before = path.read_text("utf-8") if mark else ""
        assert before.count(after) == 1 or not mark, path
        path.write_text(before.replace(after, after + more) if mark else more, "utf-8")


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_new_kind(copied: Path, sh: Sh) -> None:
    add("kind", copied)
    sh("build", "ada", "--engine", "embedded", "--format", "pdf,html,docx,txt,md,json")
    text = (copied / "out/ada/academic.txt").read_text("utf-8")
    assert "Chess, 9 years" in text
    assert "hobbies" in text.lower()
    assert "Hobbies" in (copied / "out/ada/academic.html").read_text("utf-8")


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
    assert sh("names", "--upper") == "ADA\n"
    assert "print whose files are in people/" in sh("--help")
    assert "--upper" in sh("names", "--help")


PAGE = Path(__file__).parents[1] / "docs" / "internals" / "architecture.md"
BLOCK = re.compile(r'^```\w+ title="(\S+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PERSON = "name: Ada Example\nsections:\n  - kind: keywords\n    title: Interests\n    items: [x]\n"
CARD = "BEGIN:VCARD\nVERSION:4.0\nFN:Lin Example\nTITLE:Engineer\nNICKNAME:Lin\nEND:VCARD\n"


def files() -> dict[str, str]:
    found = dict(BLOCK.findall(PAGE.read_text("utf-8")))
    assert set(found) == {
        "templates/plum/template.yaml", "templates/plum/cvb-plum.sty", "outline.py", "vcard.py",
    }  # fmt: skip
    return found


@pytest.fixture
def workspace(here: Path) -> Path:
    write("ada", PERSON)
    return here


@pytest.fixture
def built_in(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("modules")
    for name, registry in (("outline", outputs), ("vcard", importers)):
        text = files()[f"{name}.py"]
        assert len(text.splitlines()) <= 60
        (folder / f"{name}.py").write_text(text, "utf-8")
        monkeypatch.setitem(registry.MODULES, name, name)
    monkeypatch.syspath_prepend(folder)
    yield
    find_output.cache_clear()


@pytest.mark.usefixtures("built_in")
def test_a_new_output(run: Run, workspace: Path) -> None:
    def document(*arguments: str) -> dict[str, object]:
        (only,) = run(*arguments, "--format", "outline", "--json").json["documents"]
        assert isinstance(only, dict)
        return only

    built = document("build")
    assert (built["path"], built["format"]) == ("out/ada/academic.outline", "outline")
    assert (built["cached"], built["verified"]) == (False, {"sections": 1})
    assert (workspace / "out/ada/academic.outline").read_text() == "# Ada Example\n- Interests\n"
    assert document("build")["cached"] is True
    ran = run("status", "--why", "--format", "outline")
    assert ran.out == "✓ out/ada/academic.outline  up to date\n"
    person = workspace / "people" / "ada.yaml"
    person.write_text(PERSON.replace("Ada", "Lin"), "utf-8")
    reasons = document("status", "--why")["reasons"]
    assert isinstance(reasons, list)
    assert [reason["message"] for reason in reasons] == ["what it shows changed, or how"]
    assert run("build", "--format", "txt,outline").code == 0
    assert (workspace / "out/ada/academic.outline").read_text() == "# Lin Example\n- Interests\n"
    assert (workspace / "out/ada/academic.txt").read_text().startswith("Lin Example\n")


@pytest.mark.usefixtures("built_in")
def test_a_new_importer(run: Run, workspace: Path) -> None:
    (workspace / "card").write_text(CARD, "utf-8")
    ran = run("import", "card")
    assert ran.code == 0, ran.err
    assert "card:5:1: note: NICKNAME: Lin" in ran.err
    written = (workspace / "people" / "lin-example.yaml").read_text()
    assert written.startswith("# yaml-language-server: ")
    assert "\nname: Lin Example\nheadline: Engineer\nsections:\n" in written
    assert written.endswith("# no home: card:5:1: note: NICKNAME: Lin\n")
    assert run("build", "lin-example", "--format", "txt").code == 0
    assert run("import", "card").code == 2
    told = run("import", "people/ada.yaml").err
    assert told.startswith("people/ada.yaml is a person's file of cvbuild already; ")
    (workspace / "card").write_text("no card", "utf-8")
    told = run("import", "card").err
    assert told.startswith("card has no format that can be read; the formats are ")
    assert "vcard" in told
    assert run("import", "card", "--from", "gone").code == 2
    assert run("import", "nowhere").code == 1
    assert run("import", ".", "--from", "vcard").code == 2


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_new_style(run: Run, workspace: Path) -> None:
    for name, text in files().items():
        if name.startswith("templates/"):
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, "utf-8")
    ran = run("build", "-t", "plum", "--engine", "embedded", "--json")
    assert [one["path"] for one in ran.json["documents"]] == ["out/ada/plum.pdf"], ran.err
    assert "accent=8E4585" in (workspace / "out/.build/ada/plum/cv.tex").read_text()
    plum, academic = (run("templates", name).out.splitlines()[2:] for name in ("plum", "academic"))
    assert [line.split()[0] for line in plum] == [line.split()[0] for line in academic]
    assert set(plum) >= {line for line in academic if line.split()[0] == "margin"}
