"""``import cvbuild``: from any folder, and as docs/reference/python.md says."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
import workspaces
from conftest import Run
from msgspec.structs import fields
from texlive import demand_embedded

import cvbuild

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
