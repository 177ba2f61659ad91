"""The command line: exit codes, what goes where, names, interruption.

Longer than most: exit codes and streams of every command, a few lines each.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
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
from workspaces import GOOD, write

from cvbuild.cli import console
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.styles.templates import Library


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


SEVEN = ("ada", "ben", "cy", "dee", "eve", "fay", "gil")


@pytest.fixture
def workspace(here: Path) -> None:
    (here / "people").mkdir()
    for name in SEVEN:
        write(name)


#: Runs the program; at every eighth of its imports, while there is one thread, a child of it gets
#: Ctrl-C, and the parent goes on. Prints how each child ended.
INTERRUPTED_STARTS = """
import os, runpy, signal, sys, tempfile

parent, imports = os.getpid(), []

def moment(event, about):
    if event != "import" or os.getpid() != parent or len(sys._current_frames()) > 1:
        return
    if imports or about[0] == "cvbuild.cli.main":
        imports.append(about[0])
        if len(imports) % 8 == 1:
            interrupt()

def interrupt():
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            os.dup2(said.fileno(), 1), os.dup2(said.fileno(), 2)
            os.kill(os.getpid(), signal.SIGINT)
            return
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        print(imports[-1], code, said.read(), flush=True)

sys.addaudithook(moment)
runpy.run_module("cvbuild", run_name="__main__", alter_sys=True)
"""


@pytest.mark.usefixtures("workspace")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_ctrl_c_while_it_starts_shows_nothing_of_python() -> None:
    command = [sys.executable, "-c", INTERRUPTED_STARTS, "check", "ada"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    *moments, _ = done.stdout.splitlines()
    assert len(moments) >= 24, done
    for end in moments:
        assert end.split(" ", 1)[1] in ("130 b''", r"130 b'interrupted\n'"), end


@pytest.mark.deep
@pytest.mark.usefixtures("workspace")
def test_an_interrupted_build_tells_what_was_done() -> None:
    demand_embedded()
    command = [sys.executable, "-m", "cvbuild", "build", "-j", "1", "--force", "-t"]
    command += ["academic,plain,grid", "--github"]
    for extra in ([], ["--json"]):
        with subprocess.Popen(
            [*command, *extra],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "CVBUILD_NO_SYSTEM_TEX": "1"},
        ) as process:
            assert eventually(lambda: any(Path("out").glob("*/*.pdf")))
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "Traceback" not in err
        assert "::error title=cvbuild::it was interrupted before" in err
        if extra:
            summary = json.loads(out)["summary"]
            assert summary["interrupted"]
            assert summary["built"] < 21
        else:
            assert " built in " in err or "nothing built in " in err
            assert err.endswith("interrupted\n")
            shutil.rmtree("out")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \u00a0\u200b::error::x", "a\n \u00a0\u200b: :error::x"),
        (":\u200b:error::x", ":\u200b :error::x"),
        ("a ##[add-path]x", "a ## [add-path]x"),
        ("#\u200b#[x]", "#\u200b# [x]"),
        ("##vso[task.setvariable]", "##vso [task.setvariable]"),
        ("people/a.yaml:3:1: C::D and # [x]", "people/a.yaml:3:1: C::D and # [x]"),
        ("a\r::error::x", "a\ufffd::error::x"),
    ],
)
def test_no_printed_text_is_a_command(
    text: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console.say(text)
    assert capsys.readouterr().err == printed + "\n"


def test_json_is_no_command_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["##[error]x", "###[a]", "##vso[a]", "## b", "\\##["]
    console.print_json(told)
    out = capsys.readouterr().out
    assert not re.search(r"##\w*\[", out)
    assert json.loads(out) == told


def test_drafts_are_not_written_through_a_link(run: Run, here: Path) -> None:
    for folder in ("people", "elsewhere", "out"):
        Path(folder).mkdir()
    Path("people/ada.yaml").write_text("name: Ada Example\ntittle: x\n", "utf-8")
    Path("out/mail").symlink_to(here / "elsewhere")
    ran = run("check", "--mail")
    assert ran.code == 1
    assert "out/mail" in ran.err
    assert list(Path("elsewhere").iterdir()) == []


PAGE = Path(__file__).parents[1] / "docs" / "reference" / "json.md"
BLOCKS = dict(re.findall(r'```yaml title="(\w+)"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL))
OBJECTS, COMMANDS = (yaml.safe_load(BLOCKS[name]) for name in ("objects", "commands"))
PERSON = f"{GOOD}headline: Engineer\n"
FAULTY = "name: Eve Example\ntittle: x\n"
APPLICATION = "person: ada\nemployer: Example Lab\nposition: Engineer\nformats: [txt]\n"
RESUME = {
    "basics": {"name": "Kim Example", "x": 1},
    "work": [{"name": "A", "startDate": "2008-02-30"}],
}
#: What is run, in this order, by the names of the page; {hash} is that of the person's file.
RUNS = [
    ("build", "build --format txt"), ("check", "check"), ("status", "status --format txt"),
    ("apply", "apply lab"), ("applications", "applications"),
    ("match", "match lab --job job.md"), ("import", "import kim.json"),
    ("apply-patch", "apply-patch patch.json"), ("diff", "diff people/ada.yaml people/eve.yaml"),
]  # fmt: skip


def differences(actual: Any, shape: Any, place: str) -> Iterator[str]:
    shape = OBJECTS[shape] if isinstance(shape, str) else shape
    if isinstance(shape, list):
        assert isinstance(actual, list), place
        for item in actual:
            yield from differences(item, shape[0], f"{place}[]")
    elif isinstance(shape, dict) and actual is not None:
        if actual.keys() != shape.keys():
            yield f"{place}: {sorted(actual)} instead of {sorted(shape)}"
        for key in actual.keys() & shape.keys():
            yield from differences(actual[key], shape[key], f"{place}.{key}")


@pytest.mark.usefixtures("here")
def test_every_key_is_on_the_page(run: Run) -> None:
    for folder in ("people", "applications"):
        Path(folder).mkdir()
    patch = {
        "person": "ada",
        "base": hashlib.sha256(PERSON.encode()).hexdigest(),
        "edits": [{"path": ["headline"], "value": "Led 9 engineers"}],
    }
    texts = {
        "people/ada.yaml": PERSON, "people/eve.yaml": FAULTY, "applications/lab.yaml": APPLICATION,
        "job.md": "We use Python and prizes.\n", "kim.json": json.dumps(RESUME),
        "patch.json": json.dumps(patch),
    }  # fmt: skip
    for name, text in texts.items():
        Path(name).write_text(text, "utf-8")
    found = {}
    for name, line in RUNS:
        actual = json.loads(run(*line.split(), "--json").out)
        found[name] = [*differences(actual, COMMANDS[name], name)]
    assert {name: one for name, one in found.items() if one} == {}
