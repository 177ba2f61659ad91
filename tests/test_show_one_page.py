"""``cvbuild show --one-page``: the table and the JSON that explain what one page shows."""

from __future__ import annotations

import re
from pathlib import Path

import careers
import pytest
from conftest import Run
from workspaces import write

pytestmark = pytest.mark.usefixtures("requires_embedded")

LINE = re.compile(
    r"^(?P<mark>[✓✗]) +(?P<weight>-?[0-9]+) +(?P<mm>[0-9.]+)  (?P<words>.{70})  (?P<why>.+)$"
)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with Ada the engineer in it."""
    monkeypatch.chdir(tmp_path)
    write("ada", careers.engineer())


def test_a_table_with_numbers(run: Run) -> None:
    ran = run("show", "ada", "--one-page")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.split("\n")
    assert lines[0] == "ada one-page (en)"
    assert re.fullmatch(
        r"density: size 10, leading [0-9.]+, gap [0-9.]+ \(step 11 of 11\)", lines[1]
    )
    assert re.fullmatch(r"height: 26[0-9] of 267 mm used, 1[0-9] by the head", lines[2])
    rows = [found for line in lines if (found := LINE.match(line))]
    out = [row for row in rows if row["mark"] == "✗"]
    told = re.fullmatch(
        r"left out: (\d+) of (\d+), the lightest first: all that weighs more than (\d+) is shown",
        lines[3],
    )
    assert told
    assert (len(out), len(rows)) == (int(told[1]), int(told[2]))
    assert max(int(row["weight"]) for row in out) == int(told[3])
    by_words = {row["words"].strip(): row for row in rows}
    newest, motto = (
        by_words["Developer, Company 1, 2024–2026"],
        by_words["Make it work and make it last."],
    )
    assert (newest["mark"], newest["weight"]) == ("✓", "200")
    assert newest["why"] == "experience 1 of 8, goes last"
    assert (motto["mark"], motto["weight"], motto["why"]) == ("✗", "15", "text 1 of 1")
    assert re.search(r"^✗ +[0-9.]+  References \(20\)$", ran.out, re.MULTILINE)
    assert re.search(r"^✓ +[0-9.]+  Education \(100; the first 2 go last\)$", ran.out, re.MULTILINE)


def test_json_says_what_the_build_does(run: Run) -> None:
    shown = run("show", "ada", "--one-page", "--json").json
    (document,) = shown["documents"]
    assert shown["diagnostics"] == []
    built = run("build", "ada", "-t", "one-page", "--json").json
    (made,) = built["documents"]
    assert round(document["used_mm"] / document["room_mm"], 2) == round(made["fill"], 2)
    units = {part["path"]: part for part in document["parts"] if "weight" in part}
    hidden = {path for path, part in units.items() if not part["shown"]}
    places = {(units[path]["line"], units[path]["words"][:20]) for path in hidden}
    assert len(places) == len(hidden) == len(made["left_out"]) > 10
    for note in made["left_out"]:
        words = note["message"].removeprefix("left out: ")[:20]
        assert (note["line"], words) in places
    # The heights of what is shown are those of the page.
    total = sum(part["mm"] for part in document["parts"] if part["shown"])
    assert total + document["head_mm"] == pytest.approx(document["used_mm"], abs=2)


def test_all_that_fits_is_said_to_fit(run: Run) -> None:
    write("ada", careers.STUDENT)
    assert "\nleft out: nothing\n" in run("show", "ada", "--one-page").out


def test_a_variant_of_one_page(run: Run) -> None:
    write(
        "ada",
        careers.STUDENT
        + "variants: {tiny: {template: one-page, without: skill, titles: {education: Studies}}}\n",
    )
    ran = run("show", "ada", "--variant", "tiny", "--one-page")
    assert ran.out.startswith("ada tiny (en)\n")
    assert "Studies (100" in ran.out
    assert "Skills" not in ran.out


def test_more_than_fits_must_stay(run: Run) -> None:
    write("ada", careers.with_key(careers.engineer(), "keep: true"))
    ran = run("show", "ada", "--one-page")
    assert ran.code == 1
    assert re.search(r"people/ada.yaml:\d+:\d+: what says keep: true needs \d+ mm", ran.err)
    assert "reference 1 of 3, keep: true" in ran.out


def test_only_a_template_of_one_page_can_be_explained(run: Run) -> None:
    ran = run("show", "ada", "--one-page", "-t", "academic")
    message = "academic isn't a template of one page; name one that is, such as -t one-page\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)
