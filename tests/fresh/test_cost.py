"""What asking costs: no process, no library, little memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import LATER, PDF, PERSON, ROOT, build, entries, entry

from cvbuild.common import file_state
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source

#: Prints what a run of the command imported and started.
SPY = """
import json, sys
began = []
def hook(event, arguments):
    if event in {starts!r}:
        began.append(event)
sys.addaudithook(hook)
sys.path.append({extra!r})
from pathlib import Path
from cvbuild.building import fresh
from cvbuild.cli.main import main
from cvbuild.common import file_state
fresh.builtin_folder, file_state.TICK = Path("templates").resolve, 0
code = main({arguments!r})
try:
    # Not getrusage, which knows the parent's peak as well.
    status = open("/proc/self/status").read()
    memory = int(status.partition("VmHWM:")[2].split()[0])
except OSError:
    memory = 0
print(json.dumps([code, began, sorted(sys.modules), memory]))
"""
STARTS = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
HEAVY = {
    "pydantic", "jinja2", "yaml", "PIL", "markdown_it", "fontTools", "pikepdf",
    "subprocess", "multiprocessing", "concurrent", "threading", "shutil", "tempfile", "asyncio",
    "dataclasses", "inspect", "logging",
}  # fmt: skip


def spied(*arguments: str) -> tuple[int, list[str], set[str], int, str]:
    code = SPY.format(arguments=list(arguments), extra=str(ROOT), starts=STARTS)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    exit_code, began, modules, memory = json.loads(done.stdout.splitlines()[-1])
    return exit_code, began, set(modules), memory, done.stderr


@pytest.mark.usefixtures("home")
def test_that_nothing_changed_is_found_without_a_process_or_a_library(run: Run) -> None:
    # Nothing to say of the document either, which would load what makes messages.
    Path("people/ada.yaml").write_text("name: Ada\n")
    assert build(run)
    known, person = entries(), Person("ada", PERSON)
    ada = known.person(person)
    assert ada is not None
    ada["documents"]["academic"]["notes"] = []
    known.put(person, ada)
    code, began, modules, _, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert said.startswith(
        f"✓ {PDF}  1 page, up to date, XCharter, pdflatex (embedded, TeX Live 20"
    )
    assert len(said.splitlines()) == 1
    assert HEAVY & modules == set()
    # The spy sees what it looks for. The built-in templates are elsewhere for it.
    shutil.rmtree("templates")
    Path("people/ada.yaml").write_text("name: Bob\n")
    code, began, modules, _, _ = spied("build", "--engine", "embedded")
    assert code == 0
    assert "subprocess.Popen" in began
    assert {"pydantic", "jinja2", "subprocess"} <= modules


@pytest.mark.deep
@pytest.mark.usefixtures("home")
def test_a_thousand_people_are_looked_at_within_little_memory() -> None:
    """Their documents are made up: nothing reads them."""
    templates = ("academic", "industry", "one-page")
    known = entries()
    ada = known.person(Person("ada", PERSON))
    assert ada is not None
    whole = ada["documents"]["academic"]
    for number in range(1000):
        name = f"p{number}"
        file = Path(f"people/{name}.yaml")
        file.write_text(f"name: {name}\n")
        person = entry(file_state.look(str(file), LATER))
        person["picked"], person["formats"] = list(templates), ["pdf"]
        for template in templates:
            pdf, record = Path(f"out/{name}/{template}.pdf"), Path(f"out/{name}/{template}.json")
            pdf.parent.mkdir(exist_ok=True)
            pdf.write_text(f"{name} {template}")
            record.write_text(f"{name} {template}")
            person["documents"][template] = {
                **whole,
                "files": [(str(one), file_state.look(str(one), LATER)) for one in (pdf, record)],
                "outcome": {**whole["outcome"], "person": name, "path": str(pdf)},
            }
        known.put(Person(name, file), person)
    code, began, modules, memory, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert "\n3001 up to date in " in said
    assert "1001 notes on 1001 people; " in said
    assert len(said.splitlines()) == 2
    assert not {"pydantic", "jinja2", "yaml", "subprocess"} & modules
    assert memory < 60 * 1024


@pytest.mark.usefixtures("home")
def test_status_of_what_was_never_built_reads_no_persons_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree("out")
    assert run("build", "--format", "txt").code == 0
    monkeypatch.setattr(source, "load", lambda *_, **__: pytest.fail("a person's file is read"))
    assert "never built" in run("status").out
