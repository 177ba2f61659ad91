"""Whose CV it is: several files of one person, and many files of many people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Run

from cvbuild.inputs.references import identity

pytestmark = pytest.mark.usefixtures("here")


def resume(file: str, name: str, **work: str) -> str:
    data: dict[str, Any] = {"basics": {"name": name, "email": "person@example.org"}}
    data["work"] = [{"name": "Example Company", "position": "Engineer", **work}]
    path = Path(file)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1), "utf-8")
    return file


def written() -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in sorted(Path("people").glob("*"))}


#: Names of one person, and of two.
ONE = (
    ("A. Example", "Ada Example"), ("Example, Ada", "Prof. Dr. Ada Example, PhD"),
    ("Ada M. Example", "ADA EXAMPLE"), ("Müller, Jürgen", "Juergen Mueller"),
    ("Smith AB", "Anna B. Smith"), ("J.-P. Dupont", "Jean-Paul Dupont"),
    ("Oskar Yılmaz", "oskar yilmaz"), ("김 철수", "김철수"), ("LI Wei", "Wei Li"),
    ("Sean O'Neil", "S. ONeil"),
)  # fmt: skip
TWO = (
    ("Ada Example", "Anna Example"), ("Ann Müller", "Anna Müller"),
    ("Ada B. Example", "Ada C. Example"), ("Anna Bauer", "Anna Baur"), ("A. E.", "Ada Example"),
    ("Dr. Ma", "Dr. Li"), ("प्रिया शर्मा", "प्रीति शर्मा"),
)  # fmt: skip


@pytest.mark.parametrize("names", ONE + TWO)
def test_whether_two_names_are_of_one_person(names: tuple[str, str]) -> None:
    assert identity.agree(*names) is (names in ONE)
    assert identity.agree(*reversed(names)) is (names in ONE)


def cvs() -> None:
    """A folder of 60 files: two of one name, one of them cut off; and a file that no CV is."""
    for number in range(58):
        resume(f"cvs/{number:02}.json", f"Person{number} Example", startDate="2020-01")
    resume("cvs/27.json", "Anna Müller")
    resume("cvs/58.json", "Anna Muller")
    Path("cvs/59.json").write_text(Path("cvs/00.json").read_text("utf-8")[:-40], "utf-8")
    Path("cvs/.hidden").touch()


def test_a_folder_of_many_people(run: Run) -> None:
    cvs()
    ran = run("import", "cvs")
    todo = "if each file in it is a CV: cvbuild import --each cvs"
    assert (ran.code, ran.err) == (1, f"cvs has no format that can be read; {todo}\n")
    ran = run("import", "--each", "cvs", "--dry-run")
    assert (ran.code, written()) == (1, {})
    assert ran.out.count("\nname: ") == ran.out.count("# -- people/") == 58
    failed = [f"cvs/{number}.json  not imported, as said above" for number in (58, 59)]
    assert ran.err.splitlines()[-3:] == [*failed, "58 of 60 imported"]
    again = run("import", "--each", "cvs")
    assert (again.code, len(written())) == (1, 58)
    twice, broken, *table = again.err.splitlines()[-64:]
    assert twice == (
        'cvs/58.json: this is of "Anna Muller", and cvs/27.json is of the same name; import it by '
        "itself: --as anna-muller-2 for another person, --as anna-muller --merge for the same one"
    )
    assert broken.startswith("cvs/59.json:")
    assert table[0].split() == ["FILE", "PERSON"]
    assert table[-3:] == [*failed, "58 of 60 imported"]
    assert "name: Anna Müller\n" in written()["anna-muller"]
    assert "58 of 58 files are fine" in run("check").err
    # All 58 of them take 20 s.
    assert run("site", "Anna Müller", "person57-example").code == 0
    assert "Anna Müller" in Path("out/site/index.html").read_text("utf-8")
