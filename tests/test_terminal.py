"""What a terminal shows: tables; what was done when it is interrupted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from texlive import demand_embedded
from waits import eventually
from workspaces import GOOD, write

from cvbuild.cli import console

NAMES = ("ada", "ben", "cy", "dee", "eve", "fay", "gil")


@pytest.fixture
def workspace(here: Path) -> None:
    (here / "people").mkdir()
    for name in NAMES:
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
    for ended in moments:
        assert ended.split(" ", 1)[1] in ("130 b''", r"130 b'interrupted\n'"), ended


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


def expand(shape: Any) -> Any:
    if isinstance(shape, str):
        return OBJECTS[shape]
    return shape


def differences(actual: Any, shape: Any, place: str) -> Iterator[str]:
    shape = expand(shape)
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
