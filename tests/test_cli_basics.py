"""The command line: exit codes, what goes where, names, interruption.

Longer than most: exit codes and streams of every command, a few lines each.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from profiles import person_of
from texlive import demand_embedded
from waits import PATIENCE, descendants, ended, eventually
from workspaces import write

from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.templates import Library


@pytest.fixture
def cli(here: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    assert [*here.iterdir()] == []
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    return run


@pytest.fixture
def no_tex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cvbuild.outputs.pdf.tex.job_folder.embedded_root", lambda: None)


@pytest.mark.usefixtures("no_tex")
def test_no_tex_is_3_and_says_what_to_install(cli: Run) -> None:
    write("ada")
    ran = cli("build")
    assert (ran.code, ran.out) == (3, "")
    assert 'pip install "cvbuild[tex]"' in ran.err
    assert "apt-get install texlive" in ran.err or "brew install" in ran.err
    as_json = cli("build", "--json")
    assert (as_json.code, as_json.err) == (3, "")
    assert as_json.json["documents"][0]["path"] is None
    assert as_json.json["documents"][0]["diagnostics"]


def test_version_and_help(cli: Run) -> None:
    assert re.fullmatch(r"cvbuild \d+\.\d+\.\d+\n", cli("--version").out)
    for command in ("build", "check", "new", "init", "templates", "doctor", "schema"):
        ran = cli(command, "--help")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith(f"usage: cvbuild {command}")


NAMES = yaml.safe_load(person_of("new-names"))


@pytest.mark.parametrize(
    ("name", "stem"), [*NAMES.items(), ("x" * 300, "x" * 80), ("长" * 300, "长" * 80)]
)
def test_new(cli: Run, name: str, stem: str) -> None:
    ran = cli("new", "--", name)
    path = Path("people", f"{stem}.yaml")
    assert (ran.code, ran.out) == (0, ""), ran.err
    assert ran.err == f"wrote {path}; edit it, then run: cvbuild build {stem}\n"
    text = path.read_text("utf-8")
    made = validate(parse(text, str(path)))
    assert made.name.display == " ".join(name.split())
    (publication,) = (s for s in made.sections if s.kind == "publication")
    papers: tuple[Any, ...] = publication.items
    assert str(papers[0].authors[0].name) == made.name.display
    assert cli("check").code == 0
    assert [one.name for one in Path("people").iterdir()] == [path.name]


@pytest.mark.parametrize(
    "name", ["", "   ", "---", "!!!", "\u200b", "a\x00b", "a\x1b[31mb", "Applications", "\u202ex"]
)
def test_new_refuses(cli: Run, name: str) -> None:
    ran = cli("new", "--", name)
    assert (ran.code, ran.out) == (2, "")
    assert "can't be a file's name" in ran.err
    assert "\x1b" not in ran.err
    assert not Path("people").exists()


def test_templates(cli: Run) -> None:
    ran, library = cli("templates"), Library.at()
    assert (ran.code, ran.err) == (0, "")
    texts = {text.partition(":")[0]: f"{text.rstrip()}\n" for text in ran.out.split("\n\n")}
    assert [*texts] == [*library.names()]
    for name, text in texts.items():
        assert text.startswith(f"{name}: {library.find(name).manifest.description}\n")
        assert {*text.split()} >= {"accent", "paper", "margin", "photo", "footer"}
    assert cli("templates", "plain", "grid").out == f"{texts['plain']}\n{texts['grid']}"


def test_schema_is_json(cli: Run) -> None:
    ran = cli("schema")
    assert (ran.code, ran.json["description"]) == (0, "One person's CV data.")
    assert "groups" in cli("schema", "--of", "workspace").json["properties"]


def test_doctor_with_tex(cli: Run) -> None:
    demand_embedded()
    ran = cli("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "✓ pdflatex (embedded, " in ran.out
    assert "✗ pdflatex (system): not installed\n" in ran.out
    assert ran.out.count("one of them is enough; for another: ") == 1
    assert len(ran.out.splitlines()) <= 16
    assert re.match(r"cvbuild \d\S+, Python 3\..+\n", ran.out)


def test_doctor_tells_others_no_name_of_a_folder(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people paste into a public report has not their own name."""
    home = tmp_path / "ada-example"
    program = home / "bin" / "kpsewhich"
    program.parent.mkdir(parents=True)
    for path in (program, program.with_name("pdflatex")):
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CVBUILD_NO_SYSTEM_TEX")
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    ran = cli("doctor")
    assert "~/bin/pdflatex" in ran.out
    assert "ada-example" not in ran.out


@pytest.mark.usefixtures("no_tex")
def test_doctor_without_tex_is_3(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    ran = cli("doctor")
    assert (ran.code, ran.err) == (3, "")
    assert "the embedded TeX is not installed" in ran.out


def child(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "cvbuild", *arguments],
        env={**os.environ, "CVBUILD_NO_SYSTEM_TEX": "1"},
        text=True,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        **options,
    )


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="looks at /proc")


@contextlib.contextmanager
def endless(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], set[int]]]:
    """A build of `academic`, and of a template in which TeX never ends; and what runs below it."""
    folder = Path("slow/endless")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "template.yaml").write_text(
        "{api: 1, title: T, description: D, tex: {style: cvb-endless}}"
    )
    (folder / "cvb-endless.sty").write_text("\\def\\again{\\again}\\again\n")
    process = child("build", *arguments, "--template-path", "slow", start_new_session=True)
    running: set[int] = set()
    try:
        deadline = time.monotonic() + PATIENCE
        while not (running := descendants(process.pid)):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        running |= descendants(process.pid)
        yield process, running
    finally:
        for pid in {process.pid, *running}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with process:
            pass


def gone(running: set[int]) -> bool:
    return eventually(lambda: all(ended(pid) for pid in running))


@needs_proc
@pytest.mark.parametrize(
    ("number", "to_all", "code"),
    [
        pytest.param(signal.SIGHUP, False, 129, marks=pytest.mark.deep),
        (signal.SIGINT, True, 130),
        pytest.param(signal.SIGTERM, False, 143, marks=pytest.mark.deep),
    ],
)
def test_a_build_that_is_stopped_leaves_nothing(
    number: int, to_all: bool, code: int, cli: Run
) -> None:
    demand_embedded()
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("what hangs up is ignored here, as below nohup")
    write("ada")
    assert cli("build").code == 0
    before = Path("out/ada/academic.pdf").read_bytes()
    with endless("-t", "academic,endless", "--force") as (process, running):
        # A terminal tells the whole group; children are in groups of their own.
        (os.killpg if to_all else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (code, "")
        assert err.endswith("interrupted\n")
        assert "Traceback" not in err
        assert running
        assert gone(running)
    # Either the new one was done in time or the old one is there; never a part of one.
    pdf = Path("out/ada/academic.pdf").read_bytes()
    assert pdf == before or pdf.rstrip().endswith(b"%%EOF")
    assert [path.name for path in Path("out/ada").iterdir()] == ["academic.pdf"]
    assert list(Path("out/.build/tmp").iterdir()) == []


@pytest.mark.deep
@needs_proc
def test_a_build_that_is_killed_goes_on_where_it_stopped(cli: Run) -> None:
    demand_embedded()
    write("ada")
    arguments = ("-t", "academic,endless", "-j", "1")
    with endless(*arguments) as (process, _):
        assert eventually(Path("out/.build/ada/academic/record.json").is_file)
        time.sleep(0.5)
        running = descendants(process.pid)
        process.kill()
        process.wait()
        # Nobody is left who could end TeX; the limit of its CPU time does, in a minute.
        for pid in running:
            limits = Path(f"/proc/{pid}/limits").read_text()
            assert re.search(r"Max cpu time +61 ", limits)
            os.kill(pid, signal.SIGKILL)
        assert gone(running)
    (left,) = Path("out/.build/tmp").iterdir()
    ran = cli("build", "--json")
    assert [one["cached"] for one in ran.json["documents"]] == [True]
    assert left.is_dir(), "it may belong to another build that has just begun"
    os.utime(left / "run", (0, 0))
    assert cli("build", "--force").code == 0
    assert list(Path("out/.build/tmp").iterdir()) == [], left


def test_a_terminal_of_another_encoding_gets_its_lines(tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "何.yaml").write_text("name: 何\nwrong: x\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "cvbuild", "check"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert b"\\u4f55.yaml:2:1: unknown key" in done.stderr
