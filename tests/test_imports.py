"""That processes start in one place; what a build loads; that other systems can import all.

Which room may import which, and who reads a clock, is in pyproject.toml: `make lint` proves it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import other_systems
import pytest

import cvbuild
from cvbuild.cli.main import main
from cvbuild.common.files.safe_files import is_reserved
from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.tex import find

STARTERS = re.compile(r"(?m)^\s*(?:import|from) (?:subprocess|multiprocessing)\b")


def test_processes_start_in_one_place() -> None:
    package = Path(cvbuild.__file__).parent
    using = [path for path in package.rglob("*.py") if STARTERS.search(path.read_text("utf-8"))]
    assert using == [package / "common" / "processes.py"]


#: What a build that succeeds doesn't need before TeX runs, and what only some documents need.
LATE = {
    "PIL", "babel", "concurrent.futures.thread", "difflib", "fontTools", "markdown_it", "pikepdf",
    "pypdfium2",
    *(f"cvbuild.{name}" for name in (
        "inputs.validation.errors", "inputs.validation.slots", "inputs.yaml.syntax",
        "model.kinds.publications", "outputs.formats.jsonresume", "outputs.pdf.tex.log",
        "outputs.pdf.verify.pdf_facts", "outputs.pdf.verify",
    )),
}  # fmt: skip


def loaded(code: str) -> set[str]:
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_build_loads_little_before_it_begins() -> None:
    found = loaded("import cvbuild.building.batch, cvbuild.cli.report,cvbuild.outputs.pdf.output")
    assert {"cvbuild.building.pipeline", "pydantic", "jinja2"} <= found
    assert found & LATE == set()


ROOT = Path(__file__).resolve().parent.parent
FORMATS = "txt,html,json,docx"
COMMANDS = f"""\
init .
new 'Bo Example'
check
show bo-example
build --format {FORMATS}
build --format {FORMATS}
import out/bo-example/academic.json --as cy-example
templates
doctor
"""


def elsewhere(*words: str, lines: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, other_systems.__file__, *words]
    return subprocess.run(
        command, cwd=cwd, input=lines, capture_output=True, text=True, check=False, timeout=200
    )


def test_every_module_can_be_imported_where_there_is_no_posix() -> None:
    done = elsewhere("import")
    assert (done.returncode, done.stderr) == (0, "")
    files = [path for path in (ROOT / "cvbuild").rglob("*.py") if path.parent != ROOT / "cvbuild"]
    assert len(files) > 150
    # Besides those in rooms: __main__ and api; the package itself isn't counted.
    assert int(done.stdout) == len(files) + 2


@pytest.mark.deep
def test_a_workspace_begins_and_builds_there(tmp_path: Path) -> None:
    done = elsewhere(lines=COMMANDS, cwd=tmp_path)
    # The last has found no TeX.
    assert (done.returncode, done.stderr.splitlines()[-1]) == (3, "doctor: 3"), done.stderr
    assert "Traceback" not in done.stderr
    assert "up to date" in done.stderr
    made = {path.name for path in (tmp_path / "out/bo-example").iterdir()}
    assert made == {f"academic.{end}" for end in FORMATS.split(",")}
    assert (tmp_path / "people/cy-example.yaml").exists()
    assert "install TeX Live or MiKTeX and put it on PATH" in done.stdout
    assert "apt-get" not in done.stdout
    assert "around templates that aren't built in: TeX's own rules" in done.stdout


def test_files_with_the_line_ends_of_windows_make_the_same_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = {}
    for ends in (b"\n", b"\r\n", b"\r"):
        top = tmp_path / f"ends-{ends.hex()}"
        for name in ("people", "applications"):
            shutil.copytree(ROOT / name, top / name)
        (top / "cvbuild.yaml").write_text("defaults:\n  options: {accent: burgundy}\n", "utf-8")
        texts = [path for path in top.rglob("*") if path.suffix in (".yaml", ".md", ".bib")]
        assert {path.suffix for path in texts} >= {".yaml", ".md"}
        for path in texts:
            path.write_bytes(path.read_bytes().replace(b"\n", ends))
        monkeypatch.chdir(top)
        assert main(["check"]) == 0, capsys.readouterr().err
        assert main(["build", "--format", "txt,json"]) == 0, capsys.readouterr().err
        made[ends] = {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in top.glob("out/*/*")
            if path.is_file()
        }
    assert len(made[b"\n"]) >= 8
    assert made[b"\r\n"] == made[b"\n"]
    assert made[b"\r"] == made[b"\n"]


@pytest.mark.parametrize("name", ["NUL", "nul.tar", "Con", "aux", "com1", "LPT9.yaml", "prn .x"])
def test_names_of_devices_are_nobodys(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_reserved(name)
    assert not is_reserved(f"x{name}")
    if "." not in name:
        assert main(["new", name]) == 2
        assert "can't be a file's name" in capsys.readouterr().err
    assert not list(here.rglob("*.yaml"))


def test_a_backslash_is_no_part_of_a_name_that_is_made(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "A\\..\\..\\B"]) == 0
    assert [path.name for path in (here / "people").iterdir()] == ["a-b.yaml"]
    assert main(["check", "people\\a-b.yaml"]) == 2
    assert "there is no file" in capsys.readouterr().err


@pytest.mark.parametrize("system", ["win32", "darwin", "linux"])
def test_hints_name_no_program_of_another_system(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    hints = [
        find.how_to_get_texlive(),
        fallbacks.how_to_get(["fonts-noto-core", "fonts-noto-core"]),
    ]
    assert any("apt-get" in hint for hint in hints) == (system == "linux")
    assert any("brew" in hint for hint in hints) == (system == "darwin")
