"""``cvbuild status``: the state of all documents, and what was left over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Run
from texlive import demand_embedded
from workspaces import BROKEN, GOOD, broken_template, write

from cvbuild.cli import table
from cvbuild.cli.commands import status as command

TEXTS = ("--format", "txt")
HEAD = ["PERSON", "DOCUMENT", "FORMAT", "STATE", "PAGES", "BUILT", "SIZE"]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("ben")
    write("ada", f"{GOOD}template: [academic, plain]\n")


def rows(run: Run, *arguments: str) -> list[list[str]]:
    """The cells of the table; those that are empty are left out."""
    ran = run("status", *arguments)
    assert "Traceback" not in ran.err
    return [re.split(r"  +", line) for line in ran.out.splitlines()]


def states(run: Run, *arguments: str) -> dict[str, str]:
    told = run("status", *arguments, "--json").json
    return {f"{one['person']} {one['template']}": one["state"] for one in told["documents"]}


def test_each_state(run: Run) -> None:
    assert rows(run, *TEXTS) == [
        HEAD[:4],
        ["ada", "academic", "txt", "never built"],
        ["ada", "plain", "txt", "never built"],
        ["ben", "academic", "txt", "never built"],
        ["3 never built"],
    ]
    assert not Path("out").exists()
    assert run("build", *TEXTS).code == 0
    before = run("status", *TEXTS).out.splitlines()
    assert before[-1] == "3 up to date"
    assert re.fullmatch(
        r"ada +academic  txt +up to date +\d{4}-\d\d-\d\d \d\d:\d\d  1 kB", before[1]
    )
    write("ben", GOOD.replace("A prize", "Another"))
    found = rows(run, *TEXTS)
    assert found[3][3:4] + found[3][-1:] == [
        "out of date",
        "sections.0 changed (people/ben.yaml:2)",
    ]
    assert found[4] == ["2 up to date, 1 out of date"]
    write("ben", "name: [\n")
    ran = run("status", *TEXTS)
    assert ran.code == 1
    assert re.search(r"^ben +failed +people/ben\.yaml:1:\d+: ", ran.out, re.MULTILINE)
    assert states(run, *TEXTS, "ada") == {"ada academic": "up to date", "ada plain": "up to date"}


def test_what_failed_last_time_is_remembered(run: Run) -> None:
    demand_embedded()
    style = broken_template("\\AddToHook{begindocument}{\\Undefined}\n")
    ours = ("ben", "-t", "academic,broken", "--engine", "embedded")
    assert run("build", *ours).code == 1
    told = run("status", *ours, "--json").json
    good, bad = told["documents"]
    assert (good["state"], good["pages"], good["error"]) == ("up to date", 1, None)
    assert good["size"] == Path("out/ben/academic.pdf").stat().st_size
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", good["built"])
    assert (bad["state"], bad["pages"], bad["built"], bad["size"]) == ("failed", None, None, None)
    assert "\\Undefined" in bad["error"]["message"]
    assert told["summary"] == {"up_to_date": 1, "out_of_date": 0, "failed": 1, "never_built": 0}
    style.write_text(BROKEN)
    assert run("build", *ours).code == 0
    assert [*states(run, *ours).values()] == ["up to date", "up to date"]
    Path("out/ben/broken.pdf").unlink()
    assert states(run, *ours)["ben broken"] == "out of date"
    # `why` says the same in its own words.
    assert run("why", *ours).out.splitlines()[1] == "✗ out/ben/broken.pdf  the file is gone"


def test_what_belongs_to_nobody_is_listed_and_stays(run: Run) -> None:
    write("cy", f"{GOOD}variants: {{short: {{template: plain}}}}\n")
    write("dee")
    assert run("build", *TEXTS).code == 0
    assert run("build", "cy", "--variant", "short", *TEXTS).code == 0
    assert run("build", "ada", "--locale", "de", "--private", *TEXTS).code == 0
    assert run("status", *TEXTS).out.splitlines()[-1] == "5 up to date"
    Path("people/dee.yaml").unlink()
    Path("out/ada/gone.pdf").touch()
    Path("out/report.html").touch()
    Path("out/applications").mkdir()
    write("cy")
    lines = run("status", *TEXTS).out.splitlines()
    at = lines.index("left over, of nobody and of no template; delete them if you like:")
    assert lines[at + 1 :] == ["  out/dee/", "  out/ada/gone.pdf", "  out/cy/short.txt"]
    told = run("status", "cy", *TEXTS, "--json").json
    assert told["left_over"] == ["out/cy/short.txt"]
    # Nobody knows which variants a file has that can't be read.
    write("cy", "name: [\n")
    assert run("status", "cy", *TEXTS, "--json").json["left_over"] == []
    assert Path("out/dee/academic.txt").exists()


def test_folders_of_groups_may_be_called_like_people(run: Run) -> None:
    write("cy")
    Path("cvbuild.yaml").write_text(
        "groups:\n  a: {people: ada, out: out/students}\n  c: {people: cy, out: out/ada}\n"
    )
    Path("out/old").mkdir(parents=True)
    assert run("build", "ada", "cy", *TEXTS).code == 0
    assert Path("out/students/ada").is_dir()
    assert Path("out/ada/cy").is_dir()
    assert run("status", *TEXTS, "--json").json["left_over"] == ["out/old"]


def test_the_folders_of_groups_are_not_left_over(run: Run) -> None:
    text = "groups:\n  one: {people: [ada], out: out/old/one}\n  two: {people: [b*], out: pub}\n"
    Path("cvbuild.yaml").write_text(text, encoding="utf-8")
    write("bob")
    assert run("build", *TEXTS).code == 0
    Path("pub/css").mkdir()
    assert run("status", *TEXTS, "--json").json["left_over"] == []
    assert run("status", "-o", "pub", *TEXTS, "--json").json["left_over"] == ["pub/css"]
    # Somebody leaves, somebody goes to another group, a page without a template.
    Path("people/bob.yaml").unlink()
    Path("pub/ben/gone.pdf").touch()
    Path("cvbuild.yaml").write_text(text.replace("[ada]", "[cy]"), encoding="utf-8")
    left = run("status", *TEXTS, "--json").json["left_over"]
    assert left == ["out/old/one/ada", "pub/bob", "pub/ben/gone.pdf"]
    Path("cvbuild.yaml").write_text("groups: 1\n", encoding="utf-8")
    assert "out/old" not in run("status", *TEXTS, "--json").out.partition("left_over")[2]


def test_the_table_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write("何-long-name-of-somebody")
    assert run("build", *TEXTS).code == 0
    write("ben", GOOD.replace("A prize", "Another"))
    for width, head in ((120, HEAD), (104, HEAD[:6]), (60, HEAD[:4])):
        monkeypatch.setattr(table, "width", lambda columns=width: columns)
        lines = run("status", *TEXTS).out.splitlines()[:-1]
        assert lines[0].split() == [name for name in head if name != "PAGES"]
        assert max(map(table.cells, lines)) <= width
        assert len({table.cells(line.partition("academic")[0]) for line in lines[1:]} - {0}) <= 2
        cut = [line for line in lines if line.startswith("ben")]
        assert len(cut) == 1
    assert command._table([], 80) == []
    assert table.cut("a何b", 2) == "a"
