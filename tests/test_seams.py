"""Outputs, importers and styles from outside: the walks of docs/internals/architecture.md."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import deep
import pytest
from conftest import Ran
from waits import PATIENCE

from cvbuild.outputs.registry import BUILT_IN

PAGE = Path(__file__).parents[1] / "docs" / "internals" / "architecture.md"
BLOCK = re.compile(r'^```\w+ title="(\S+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
KNOWN = ", ".join(BUILT_IN)
PERSON = """\
name: Ada Example
sections:
  - kind: keywords
    title: Interests
    items: [engines, proofs]
"""
CARD = "BEGIN:VCARD\nVERSION:4.0\nFN:Lin Example\nTITLE:Engineer\nNICKNAME:Lin\nEND:VCARD\n"
Program = Callable[..., Ran]


def files() -> dict[str, str]:
    """The files that the page shows, by name."""
    found = dict(BLOCK.findall(PAGE.read_text("utf-8")))
    assert set(found) == {
        "templates/plum/template.yaml", "templates/plum/cvb-plum.sty",
        "outline.py", "outline.toml", "vcard.py", "vcard.toml",
    }  # fmt: skip
    return found


def install(site: Path, name: str, group: str, points: dict[str, str]) -> None:
    """Put a package's metadata there, as an installer does."""
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    rows = "".join(f"{key} = {value}\n" for key, value in points.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{rows}")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages with those of the page."""
    site = tmp_path / "site"
    site.mkdir()
    for name, text in files().items():
        if name.endswith(".py"):
            assert len(text.splitlines()) <= 60
            (site / name).write_text(text, encoding="utf-8")
        if name.endswith(".toml"):
            for group, points in tomllib.loads(text)["project"]["entry-points"].items():
                install(site, f"cvbuild-{Path(name).stem}", group, points)
    return site


@pytest.fixture
def program(site: Path, tmp_path: Path) -> Program:
    """``program("build")``: a process of its own in a workspace with one person."""
    workspace = tmp_path / "workspace"
    (workspace / "people").mkdir(parents=True)
    (workspace / "people" / "ada.yaml").write_text(PERSON, encoding="utf-8")

    def run(*arguments: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "cvbuild", *arguments],
            cwd=workspace, env=environment(site), check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


def environment(site: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(site), *sys.path]))
    return {**os.environ, "PYTHONPATH": path}


def said(ran: Ran) -> dict[str, object]:
    (document,) = json.loads(ran.out)["documents"]
    assert isinstance(document, dict)
    return document


def test_a_new_output(program: Program, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    ran = program("build", "--format", "outline", "--json")
    made = said(ran)
    assert (ran.code, made["path"], made["format"]) == (0, "out/ada/academic.outline", "outline")
    assert (made["cached"], made["verified"]) == (False, {"sections": 1})
    assert (workspace / "out/ada/academic.outline").read_text() == "# Ada Example\n- Interests\n"
    assert said(program("build", "--format", "outline", "--json"))["cached"] is True
    assert (
        program("status", "--why", "--format", "outline").out
        == "✓ out/ada/academic.outline  up to date\n"
    )
    person = workspace / "people" / "ada.yaml"
    person.write_text(PERSON.replace("Ada", "Lin"), encoding="utf-8")
    (document,) = json.loads(program("status", "--why", "--format", "outline", "--json").out)[
        "documents"
    ]
    assert [reason["message"] for reason in document["reasons"]] == ["name changed"]
    ran = program("build", "--format", "txt,outline")
    assert ran.code == 0
    assert (workspace / "out/ada/academic.outline").read_text() == "# Lin Example\n- Interests\n"
    assert (workspace / "out/ada/academic.txt").read_text().startswith("Lin Example\n")


def lines_of(process: subprocess.Popen[str]) -> Iterator[dict[str, object]]:
    """What a watch says, line by line; fails if it says nothing for a minute."""
    queue: Queue[str] = Queue()
    assert process.stdout is not None

    def listen(lines: Iterable[str]) -> None:
        with contextlib.suppress(ValueError):  # it is closed once the watch has ended
            for line in lines:
                queue.put(line)

    Thread(target=listen, args=[process.stdout], daemon=True).start()
    while True:
        try:
            yield json.loads(queue.get(timeout=PATIENCE))
        except Empty:
            pytest.fail("the watch says nothing")


@pytest.mark.deep
def test_a_new_output_is_watched(program: Program, site: Path, tmp_path: Path) -> None:
    assert program("check").code == 0
    workspace = tmp_path / "workspace"
    command = [sys.executable, "-m", "cvbuild", "watch", "--format", "outline", "--json"]
    with subprocess.Popen(
        command, cwd=workspace, env=environment(site), stdout=subprocess.PIPE, text=True
    ) as process:
        said = lines_of(process)
        try:
            assert next(said) == {"watching": 1}
            assert next(said)["path"] == "out/ada/academic.outline"
            time.sleep(0.1)
            person = workspace / "people" / "ada.yaml"
            person.write_text(PERSON.replace("Ada", "Lin"), encoding="utf-8")
            assert next(said)["cached"] is False
            process.terminate()
            process.wait(PATIENCE)
        finally:
            process.kill()
    assert (workspace / "out/ada/academic.outline").read_text() == "# Lin Example\n- Interests\n"


def test_a_new_importer(program: Program, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "card").write_text(CARD, encoding="utf-8")
    ran = program("import", "card")
    assert ran.code == 0, ran.err
    assert "card:5:1: note: NICKNAME: Lin" in ran.err
    written = (workspace / "people" / "lin-example.yaml").read_text()
    assert written.startswith("# yaml-language-server: ")
    assert "\nname: Lin Example\nheadline: Engineer\nsections:\n" in written
    assert written.endswith("# no home: card:5:1: note: NICKNAME: Lin\n")
    assert program("build", "lin-example", "--format", "txt").code == 0
    assert program("import", "card").code == 2
    told = program("import", "people/ada.yaml").err
    assert told.startswith("people/ada.yaml is a person's file of cvbuild already; ")
    (workspace / "card").write_text("no card", encoding="utf-8")
    told = program("import", "card").err
    assert told.startswith("card has no format that can be read; the formats are ")
    assert "vcard" in told


def test_a_package_that_fails(program: Program, site: Path, tmp_path: Path) -> None:
    """One error that names the package; the rest works."""
    install(site, "cvbuild-broken", "cvbuild.outputs", {"broken": "nowhere:Nothing"})
    (tmp_path / "workspace/people/lin.yaml").write_text(PERSON, encoding="utf-8")
    ran = program("build", "--format", "broken,txt")
    assert (ran.code, (tmp_path / "workspace/out/ada/academic.txt").exists()) == (1, True)
    assert ran.err.count("cvbuild-broken 1.0: ") == 1
    assert "broken (nowhere:Nothing) can't be loaded: ModuleNotFoundError: No module" in ran.err
    assert program("build", "--format", "txt").code == 0


ODD = {
    "raises": ("1 // 0", ".odd", "ZeroDivisionError: "),
    "bytes": ("b''", ".odd", "TypeError: make() returned bytes, not Made with bytes or a path"),
    "suffix": ("b''", ".pdf", 'ValueError: its suffix ".pdf" is not one of its own'),
    "path": ("b''", "/../x", 'ValueError: its suffix "/../x" is not one of its own'),
}


@pytest.mark.parametrize("how", deep.but(["raises", "path"], ODD))
def test_a_package_that_does_wrong(how: str, program: Program, site: Path, tmp_path: Path) -> None:
    code, suffix, told = ODD[how]
    (site / "odd.py").write_text(
        f'class Odd:\n    name = "odd"\n    suffix = "{suffix}"\n'
        f"    def make(self, shown):\n        return {code}\n"
    )
    install(site, "cvbuild-odd", "cvbuild.outputs", {"odd": "odd:Odd"})
    ran = program("build", "--format", "odd,txt")
    assert ran.code == 1
    assert f"cvbuild-odd 1.0: odd (odd:Odd) failed: {told}" in ran.err
    assert [path.name for path in (tmp_path / "workspace/out/ada").iterdir()] == ["academic.txt"]


def test_an_importer_that_does_wrong(program: Program, site: Path, tmp_path: Path) -> None:
    (site / "odd.py").write_text(
        'class Odd:\n    name = title = "odd"\n'
        "    def recognises(self, given):\n        return True\n"
        "    def read(self, given):\n        return None\n"
    )
    install(site, "cvbuild-odd", "cvbuild.importers", {"odd": "odd:Odd"})
    (tmp_path / "workspace" / "card").write_text(CARD, encoding="utf-8")
    ran = program("import", "card")
    assert (ran.code, "may be of several formats: odd, vcard" in ran.err) == (2, True)
    ran = program("import", "card", "--from", "odd")
    assert (ran.code, "TypeError: read() returned NoneType, not Imported" in ran.err) == (1, True)
    assert program("import", "card", "--from", "gone").code == 2
    assert program("import", "nowhere").code == 1
    assert program("import", ".", "--from", "vcard").code == 2


def test_a_name_that_is_taken(program: Program, site: Path) -> None:
    install(site, "cvbuild-second", "cvbuild.outputs", {"outline": "outline:Outline"})
    ran = program("build", "--format", "outline,json")
    assert ran.code == 1
    assert 'the name "outline" is also registered by cvbuild-' in ran.err
    install(site, "cvbuild-pdf", "cvbuild.outputs", {"pdf": "outline:Outline"})
    assert program("build", "--format", "txt").code == 0
    ran = program("doctor")
    assert 'cvbuild-pdf 1.0: pdf (outline:Outline) the name "pdf" is built in' in ran.err


@pytest.mark.usefixtures("requires_embedded")
def test_a_new_style(program: Program, tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    for name, text in files().items():
        if name.startswith("templates/"):
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(text, encoding="utf-8")
    ran = program("build", "-t", "plum", "--engine", "embedded", "--json")
    assert (ran.code, said(ran)["path"]) == (0, "out/ada/plum.pdf"), ran.err
    assert "accent=8E4585" in (workspace / "out/.build/ada/plum/cv.tex").read_text()
    options = {
        one["name"]: one["options"]
        for one in json.loads(program("templates", "--json").out)["templates"]
    }
    assert options["plum"].keys() == options["academic"].keys()
    assert options["plum"]["margin"] == options["academic"]["margin"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--format", ""], f'unknown format ""; the formats are: {KNOWN}, outline'),
        (["--format", "outlin"], 'unknown format "outlin"; did you mean "outline"?'),
        (["--format", "txt", "--cluster", "tcp://127.0.0.1:1"], "a cluster makes only PDFs; "),
    ],
)
def test_formats_that_can_t_be_made(arguments: list[str], told: str, program: Program) -> None:
    ran = program("build", *arguments)
    assert (ran.code, ran.err.startswith(told)) == (2, True), ran.err


def test_no_link_is_written_through(program: Program, tmp_path: Path) -> None:
    """What others put where a text is made or published is replaced, and not what it leads to."""
    assert program("build", "--format", "txt").code == 0
    out, victim = tmp_path / "workspace" / "out", tmp_path / "victim"
    victim.write_text("mine")
    for place in ("ada/academic.txt", ".build/ada/academic/finished.txt"):
        (out / place).unlink(missing_ok=True)
        (out / place).symlink_to(victim)
    assert program("build", "--format", "txt", "--force").code == 0
    assert victim.read_text() == "mine"
    assert not (out / "ada/academic.txt").is_symlink()
