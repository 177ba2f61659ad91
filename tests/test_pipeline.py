"""One document from start to end, with whatever TeX this machine has, and by calls of Python."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pikepdf
import pytest
import workspaces
from conftest import Run
from msgspec.structs import fields
from texlive import demand_embedded
from workspaces import POINTS, unsealed, write

import cvbuild
from cvbuild.building import batch, pipeline, profiles
from cvbuild.building.pipeline import Outcome
from cvbuild.common import limits
from cvbuild.inputs import people
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Task


@pytest.fixture
def workspace(here: Path) -> Path:
    write("ada", POINTS)
    return here


def request(**changes: Any) -> Request:
    # The fastest engine: what is tested here is the same with all.
    day = 1_700_000_000 // 86400 * 86400
    return Request(Path("out"), **{"today": day, "engine": "embedded", **changes})


def task(name: str = "ada", **changes: Any) -> Task:
    checked = profiles.check(people.find([name])[0], Library.at())
    return profiles.task(checked, "academic", request(**changes))


def build(**changes: Any) -> Outcome:
    outcome = pipeline.build(task(**changes))
    assert outcome.path is not None, outcome.diagnostics
    return outcome


@pytest.mark.usefixtures("workspace")
def test_the_date_is_the_day_of_the_last_change() -> None:
    ids = set()

    def epoch() -> int:
        with pikepdf.open("out/ada/academic.pdf") as pdf:
            ids.add((bytes(pdf.trailer.ID[0]), str(pdf.open_metadata()["xmpMM:DocumentID"])))
        return int(json.loads(unsealed(Path("out/.build/ada/academic/record.json")))["epoch"])

    day = request().today
    build()
    assert epoch() == day
    build(today=day + 86400, force=True)
    assert epoch() == day
    write("ada", POINTS.replace("One", "Some"))
    build(today=day + 86400)
    assert epoch() == day + 86400
    write("ada", POINTS + "updated: 2024-02-29\n")
    build(today=day + 86400)
    assert epoch() == 1709164800
    build(epoch=12345)
    assert epoch() == 12345
    # Another text or date is another document.
    assert len(ids) == len(dict(ids)) == 4


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize("own", [False, True], ids=["TeX", "our own work"])
def test_what_takes_too_long_is_stopped_and_the_old_pdf_stays(
    own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own work has the same limit as TeX, and would reach so short a one first."""
    before = build().path
    assert before is not None
    old = before.read_bytes()
    # So many that TeX needs most of a second for them, on a busy machine too.
    write(
        "ada", POINTS.replace("One point", ", ".join(f"Point {number}" for number in range(1000)))
    )
    if own:
        # However fast the machine is: it never gets to TeX.
        monkeypatch.setattr(pipeline, "prepare", lambda *_: sum(n for n in itertools.count()))
    else:
        monkeypatch.setattr(limits, "seconds", lambda _: contextlib.nullcontext())
    outcome = pipeline.build(task(timeout=0.01))
    assert (outcome.path, outcome.exit_code) == (None, 1)
    (found,) = outcome.diagnostics
    assert found.code == ("time-limit" if own else "tex-timeout")
    assert found.hint
    if own:
        assert found.span is not None
    assert outcome.log is None or outcome.log.parent.name == "academic", "it is gone"
    assert before.read_bytes() == old


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
@pytest.mark.usefixtures("workspace")
def test_an_output_folder_that_cant_be_written_is_an_error_not_a_traceback() -> None:
    Path("out").mkdir(mode=0o500)
    assert pipeline.build(task()).exit_code == 1


@pytest.mark.usefixtures("workspace")
def test_many_at_once_and_one_that_fails() -> None:
    for number in range(5):
        write(f"p{number}", POINTS.replace("One", f"Number {number}"))
    # No font has this character, and only this document fails.
    write("p5", POINTS.replace("One", "A sign \U0001f600 here,"))
    todo = [task(name=f"p{number}") for number in range(6)]
    outcomes = list(batch.run(todo, request(jobs=2)))
    assert sorted(outcome.person for outcome in outcomes) == [f"p{number}" for number in range(6)]
    failed = [outcome for outcome in outcomes if outcome.path is None]
    assert [outcome.person for outcome in failed] == ["p5"]
    place = failed[0].diagnostics[0].span
    assert place is not None
    assert (place.file, place.line, place.column) == ("people/p5.yaml", 4, 13)


@pytest.mark.usefixtures("workspace")
def test_two_builds_of_one_document_at_once_make_it_once() -> None:
    write("ada", POINTS)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: pipeline.build(task()), range(2)))
    assert [outcome.path is not None for outcome in both] == [True, True]
    assert sorted(outcome.cached for outcome in both) == [False, True]


def test_limits_are_lifted_and_nest() -> None:
    with limits.seconds(60):
        with pytest.raises(limits.TimeUpError), limits.seconds(0.1):
            sum(one for one in itertools.count() if one < 0)
        assert sum(range(1000)) == 499500
    if Path("/proc/self/statm").exists():
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        with pytest.raises(MemoryError), limits.memory(64 << 20), limits.memory(64 << 20):
            bytearray(1 << 30)
        assert resource.getrlimit(resource.RLIMIT_AS) == before
        assert len(bytearray(128 << 20)) == 128 << 20


PAGE = (Path(__file__).parent.parent / "docs" / "reference" / "python.md").read_text("utf-8")


@pytest.fixture
def elsewhere(here: Path, run: Run) -> Path:
    """A folder beside the workspace ``my-cvs``, where Ada has a file and there is a template."""
    assert run("init", "my-cvs").code == 0
    workspaces.template("mine", within=Path("my-cvs"))
    return here


def test_the_example_of_the_page(elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demand_embedded()
    (example,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    exec(compile(example, "python.md", "exec"), {})
    said = capsys.readouterr()
    assert said.err == ""
    path = elsewhere / "my-cvs/out/ada-example/academic.pdf"
    pattern = rf'{re.escape(str(path))} \d\nAda Example \d\n2 unknown person "nobody"'
    assert re.match(pattern, said.out), said.out
    assert path.is_file()


def test_the_page_has_every_name_argument_and_attribute() -> None:
    for name in cvbuild.__all__:
        assert getattr(cvbuild, name), name
        assert f"`{name}" in PAGE or f"cvbuild.{name}" in PAGE, name
    told = {name for row in re.findall(r"(?m)^\| (`.*?) \|", PAGE) for name in row.split("`")[1::2]}
    arguments = {*inspect.signature(cvbuild.build).parameters} - {"who"}
    inner = {"keep", "record", "machine", "passing", "exit_code", "verified"}
    shown = {one.name for one in fields(cvbuild.Outcome)} - inner
    assert arguments | shown <= told
    for name in ("severity", "code", "message", "hint", "span"):
        assert f"`{name}`" in PAGE


def test_a_workspace_has_its_people_templates_and_settings(elsewhere: Path) -> None:
    folder = elsewhere / "my-cvs"
    (folder / "cvbuild.yaml").write_text("defaults: {template: mine}\n")
    workspaces.write("not-in-it")
    person = folder / "people" / "ada-example.yaml"
    person.write_text(workspaces.GOOD)
    (one,) = cvbuild.build(workspace="my-cvs", formats="txt")
    assert (one.template, one.path) == ("mine", folder / "out/ada-example/mine.txt")
    (again,) = cvbuild.build([person], workspace=folder, templates=["mine"], formats=("txt",))
    assert (again.cached, again.path) == (True, one.path)
    assert Path.cwd() == elsewhere
    assert {path.name for path in elsewhere.iterdir()} == {"my-cvs", "people"}
    # And the other folder is as it is without one.
    (own,) = cvbuild.build("not-in-it", formats="txt")
    assert own.path == Path("out/not-in-it/academic.txt")


def test_what_is_wrong_with_a_workspace_is_told(elsewhere: Path) -> None:
    with pytest.raises(cvbuild.CvbuildError, match=r'can\'t go to "none": No such file') as caught:
        cvbuild.build(workspace="none")
    assert caught.value.exit_code == 2
    with pytest.raises(cvbuild.CvbuildError, match='did you mean "mine"'):
        cvbuild.build("ada-example", workspace="my-cvs", templates="mines")
    workspaces.write("ada")
    with pytest.raises(cvbuild.CvbuildError, match='unknown template "mine"'):
        cvbuild.build("ada", templates="mine")
    assert Path.cwd() == elsewhere
