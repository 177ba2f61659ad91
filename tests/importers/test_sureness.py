"""How sure an import is: marks, what to look at first, --strict and --json."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from conftest import Run

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import plausibility
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml import writer


def a_draft() -> Draft:
    draft = Draft("cv.txt", is_rough=True)
    draft.put("name", "Ada Example")
    draft.put("contact.email", ["ada@example.org"])
    sure = draft.add("experience", {"title": "Engineer", "employer": "Initech"})
    guessed = draft.add("experience", {"title": "Hooli", "employer": "Clerk"})
    draft.guess(guessed, "title")
    draft.guess(guessed, "absent")
    draft.guess({"title": "of no part"}, "title")
    draft.lose("size", "large", Span("cv.txt", 3, 1), near=sure)
    draft.lose("colour", "green", Span("cv.txt", 9, 1))
    draft.add("skill", {"name": "Python"})
    return draft


def test_a_guess_is_the_place_of_what_is_still_there() -> None:
    assert a_draft().done().guesses == (("sections", 0, "items", 1, "title"),)


def test_marks_are_comments_of_a_file_that_says_the_same() -> None:
    long, lines = "word " * 40 + "end", "two\nlines"
    data = {"name": "Ada", "items": [{"title": long, "tags": ["a", "b"]}, {"title": lines}, "x: y"]}
    paths = [("name",), ("items",), *(("items", at) for at in range(3))]
    paths += [("items", 0, "title"), ("items", 0, "tags"), ("items", 1, "title"), ("gone",)]
    text = writer.write(data, {}, "", dict.fromkeys(paths, ""))
    assert yaml.safe_load(text) == data
    assert text.count(writer.MARK) == len(paths) - 1


def imported(run: Run, text: str, *more: str) -> tuple[int, str, str]:
    Path("cv.md").write_text(text, "utf-8")
    ran = run("import", "cv.md", "--as", "ada-example", *more)
    return ran.code, ran.out, ran.err


GUESSED = """# Ada Example

ada@example.org

## Experience

### Zorblat | Quux | 2019 – 2021

- Did it.
"""


@pytest.mark.usefixtures("here")
def test_import_ends_with_what_to_look_at_first(run: Run) -> None:
    code, _, err = imported(run, GUESSED)
    assert code == 0
    lines = err.splitlines()
    at = lines.index("look at first:")
    written = Path("people/ada-example.yaml").read_text("utf-8").splitlines()
    assert len(lines[at + 1 :]) == 1
    for line in lines[at + 1 :]:
        row = int(
            re.findall(r"^people/ada-example.yaml:(\d+):\d+: note: an item is a guess", line)[0]
        )
        assert written[row - 2].strip() == writer.MARK


@pytest.mark.usefixtures("here")
def test_of_many_messages_of_a_kind_the_first_is_told(run: Run, here: Path) -> None:
    keys = "".join(f"layout-{number}: wide\n" for number in range(5))
    (here / "cv.md").write_text(f"---\n{keys}---\n# Ada Example\n\n## Skills\n\n- Python\n")
    code, _, err = run("import", "cv.md")
    told = [line for line in err.splitlines() if "front matter" in line]
    assert (code, told) == (
        0,
        ["cv.md:2:11: note: front matter.layout-0: wide (and 4 more like it, to line 6)"],
    )
    assert (here / "people/ada-example.yaml").read_text().count("front matter") == 5


@pytest.mark.usefixtures("here")
def test_strict_fails_only_if_something_needs_a_look(run: Run) -> None:
    assert imported(run, GUESSED, "--strict")[0] == 1
    assert Path("people/ada-example.yaml").exists(), "it is written all the same"
    Path("people/ada-example.yaml").unlink()
    sure = GUESSED.replace("Zorblat", "Engineer").replace("Quux", "Example University")
    assert imported(run, sure, "--strict")[0] == 0


@pytest.mark.usefixtures("here")
def test_json_tells_the_same(run: Run) -> None:
    code, out, _ = imported(run, GUESSED, "--json")
    (told,) = json.loads(out)["imports"]
    assert code == 0
    assert list(told) == [
        "path", "written", "valid", "draft", "poor", "guesses", "lost", "warnings", "notes",
    ]  # fmt: skip
    assert told["path"] == "people/ada-example.yaml"
    assert [one["line"] > 0 for one in told["guesses"]] == [True]
    code, out, _ = imported(run, GUESSED, "--json", "--dry-run", "--merge")
    assert json.loads(out)["imports"][0]["written"] is False


def test_comments_are_at_most_a_fifth_and_show_no_path_of_the_machine(run: Run, here: Path) -> None:
    work = [{"name": "Initech", "position": f"Engineer {at}", "size": "1"} for at in range(60)]
    resume = {"basics": {"name": "Ada Example"}, "work": work}
    resume |= {f"own{at}": f"words {at}" for at in range(60)}
    (here / "resume.json").write_text(json.dumps(resume), "utf-8")
    ran = run("import", str(here / "resume.json"))
    lines = Path("people/ada-example.yaml").read_text("utf-8").splitlines()
    comments = [line for line in lines if line.lstrip().startswith("#")]
    assert ran.err.count(": note: ") == 120
    assert len(lines) / 6 < len(comments) <= len(lines) / 5
    assert not [line for line in comments if str(here) in line]
    told = len([line for line in comments if "no home: " in line])
    assert comments[-1] == f"# no home, and told when this was imported: {120 - told} more"


IMPLAUSIBLE = {
    "name": "Contact Information",
    "headline": "2019 – 2022",
    "contact": {"address": "Exampletown, Mar 2021 – Present"},
    "sections": [
        {"kind": "experience", "items": [
            {"employer": "09/2019–06/2022", "title": "Engineer", "date": "2019"},
            {"employer": "February 2022-May", "title": "Clerk", "date": "2022"},
            {"employer": "Actual", "title": "Clerk", "date": "2010"},
            {"employer": "Acme (April", "title": "Cook", "date": "2009"},
        ]},
        {"kind": "bullets", "title": "Education", "items": ["BSc, Sample University, 2009"]},
        {"kind": "education", "items": [{"institution": "Master of Examples", "date": "2008"}]},
    ],
}  # fmt: skip


def test_what_can_not_be_right_is_named() -> None:
    told = {".".join(map(str, path)): why for path, why in plausibility.odd(IMPLAUSIBLE).items()}
    assert told == {
        "name": "not a person's name",
        "headline": "not a headline",
        "contact.address": "not an address",
        "sections.0.items.0.employer": "a date",
        "sections.0.items.1.employer": "a date",
        "sections.0.items.2.employer": "a date",
        "sections.0.items.3.employer": "cut off",
        "sections.2.items.0.institution": "rather the degree",
        "sections.1.title": "its posts or degrees are no items",
    }
    assert plausibility.poor(Imported(IMPLAUSIBLE, draft=True)) == [
        "its name is none of a person",
        "6 values that can't be right among 6 items",
    ]


PAPER = "# On Examples\n\nAda Example\n\n## Methods\n\nWe show some.\n\n## Results\n\nMany.\n"
BILL = "# Initech Ltd\n\nInvoice number: 17\n\nBill to: Ada Example\n\n## Goods\n\n- Subtotal 9\n"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("text", [PAPER, BILL])
def test_what_is_no_cv_is_told_at_its_top_and_by_check_until_confirmed(run: Run, text: str) -> None:
    code, out, err = imported(run, text, "--json")
    assert code == 0
    assert "warning: this import is poor: " in err
    assert "it has no post or degree" in json.loads(out)["imports"][0]["poor"]
    written = Path("people/ada-example.yaml")
    lines = written.read_text("utf-8").splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("# ? this import is poor: ")]
    assert at < lines.index("")
    ran = run("check", "ada-example")
    assert ran.code == 0
    assert f"people/ada-example.yaml:{at + 1}:1: warning: this import is poor: " in ran.err
    written.write_text("\n".join(line.partition("# ?")[0] for line in lines), "utf-8")
    assert "this import is poor" not in run("check", "ada-example").err


@pytest.mark.usefixtures("here")
def test_check_names_a_value_that_can_not_be_right(run: Run) -> None:
    Path("people").mkdir()
    marked = "name: Ada  # ?\nheadline: 2019  # ? not a headline\n"
    Path("people/ada.yaml").write_text(marked, "utf-8")
    err = run("check", "ada").err
    assert "people/ada.yaml:2:17: warning: headline is probably wrong (not a headline); " in err
    assert "people/ada.yaml:1:12: note: 1 guess of the import, marked # ?; " in err
