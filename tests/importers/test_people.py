"""Whose CV it is: several files of one person, and many files of many people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run

from cvbuild.inputs import person_names

pytestmark = pytest.mark.usefixtures("here")


def resume(file: str, name: str, **work: str) -> str:
    """Write a JSON Resume, and return its path."""
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
    assert person_names.agree(*names) is (names in ONE)
    assert person_names.agree(*reversed(names)) is (names in ONE)


def test_two_people_are_not_mixed(run: Run) -> None:
    files = [resume("a.json", "Björn Dubois"), resume("b.json", "Carla Novák", location="Brno")]
    fact = 'this is of "Carla Novák", and a.json of "Björn Dubois"; '
    todo = "import each by itself: --each; if they are one person, say so: --as NAME"
    assert run("import", *files) == (1, "", f"b.json: {fact}{todo}\n")
    assert written() == {}
    ran = run("import", *files, "--as", "carla")
    assert ran.code == 0
    said = "they are put together, as --as says"
    assert ran.err.startswith(f"b.json: warning: {fact}{said}\nwrote people/carla.yaml")


def test_into_the_file_of_another_person(run: Run) -> None:
    Path("people").mkdir()
    Path("people/carla-novak.yaml").write_text("name: Carla Dubois\n", "utf-8")
    file = resume("c.json", "Carla Novák")
    before = written()
    ran = run("import", file, "--merge", "--yes")
    fact = 'this is of "Carla Novák", and people/carla-novak.yaml of "Carla Dubois"; '
    todo = "if it is the same person, say so: --as carla-novak"
    assert (ran.code, ran.err) == (1, f"c.json: {fact}{todo}\n")
    assert written() == before
    ran = run("import", file, "--merge", "--yes", "--as", "carla-novak")
    assert ran.code == 0
    assert f"c.json: warning: {fact}they are put together" in ran.err
    assert "name: Carla Dubois\ncontact:" in written()["carla-novak"]


#: Works of an adviser, and of Ada Example beside her.
WORKS = """\
@article{one, title = {One}, author = {Erik Sandberg and Ada Example}, year = 2024}
@article{two, title = {Two}, author = {Sandberg, Erik}, year = 2023}
"""


def test_a_name_that_is_guessed_is_nobodys(run: Run) -> None:
    """Who wrote most of the works needn't be who imports them."""
    Path("papers.bib").write_text(WORKS, "utf-8")
    for number, order in enumerate((("papers.bib", "a.json"), ("a.json", "papers.bib"))):
        Path(f"people-{number}").mkdir()
        resume("a.json", "A. Example")
        ran = run("import", *order, "--dry-run")
        assert ran.code == 0, ran.err
        assert "\nname: A. Example\n" in ran.out
        assert "- title: Two" in ran.out
    resume("b.json", "Bo Example")
    ran = run("import", "b.json", "papers.bib")
    assert 'papers.bib: this is of "Erik Sandberg", and b.json of "Bo Example"' in ran.err


def test_an_older_name_of_the_file_is_known(run: Run) -> None:
    file = resume("s.json", "Søren Rossi")
    assert "wrote people/soren-rossi.yaml" in run("import", file).err
    Path("people/soren-rossi.yaml").rename("people/søren-rossi.yaml")
    assert run("import", file).err.startswith("people/søren-rossi.yaml exists already;")
    assert "people/søren-rossi.yaml has all" in run("import", file, "--merge", "--yes").err


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
    assert ran.err.endswith("told above: cvs/58.json, cvs/59.json\n")
    again = run("import", "--each", "cvs")
    assert (again.code, len(written())) == (1, 58)
    *_, twice, broken, last = again.err.splitlines()
    assert twice == (
        'cvs/58.json: this is of "Anna Muller", and cvs/27.json is of the same name; import it by '
        "itself: --as anna-muller-2 for another person, --as anna-muller --merge for the same one"
    )
    assert broken.startswith("cvs/59.json:")
    assert last == "58 of 60 imported; not imported, as told above: cvs/58.json, cvs/59.json"
    assert "name: Anna Müller\n" in written()["anna-muller"]
    assert "58 of 58 files are fine" in run("check").err
    # All 58 of them take 20 s.
    assert run("site", "Anna Müller", "person57-example").code == 0
    assert "Anna Müller" in Path("out/site/index.html").read_text("utf-8")


def test_each_of_several_files(run: Run) -> None:
    files = [resume("a.json", "Ada Example"), resume("b.json", "Bo Example")]
    assert run("import", "--each", *files, files[0]).err.endswith("2 of 2 imported\n")
    ran = run("import", "--each", *files)
    assert ran.code == 1
    hint = "add to it with --merge, or choose another name: --as NAME"
    assert ran.err.splitlines() == [
        f"a.json: people/ada-example.yaml exists already; {hint}",
        f"b.json: people/bo-example.yaml exists already; {hint}",
        "0 of 2 imported; not imported, as told above: a.json, b.json",
    ]
    # Which of two of a name is the one that is there?
    resume("b.json", "Bo Example", summary="More.")
    files += [resume("c.json", "Ada Example"), resume("d.json", "Dee Example"), "gone.json"]
    before = written()["ada-example"]
    ran = run("import", "--each", "--merge", "--yes", *files)
    assert ran.code == 1
    assert ran.err.count(': this is of "Ada Example", and ') == 2
    assert ran.err.endswith(
        "2 of 5 imported; not imported, as told above: a.json, c.json, gone.json\n"
    )
    assert written()["ada-example"] == before
    assert "summary: More." in written()["bo-example"]
    assert yaml.safe_load(written()["dee-example"])["name"] == "Dee Example"


def test_the_last_line_names_whom_to_look_at(run: Run) -> None:
    """A warning stands among the lines of many; not to be searched for."""
    files = [resume(f"{number}.json", f"Person{number} Example") for number in range(3)]
    files.append(resume("late.json", "Late Example", startDate="2008-02-30"))
    ran = run("import", "--each", *files)
    assert ran.code == 0
    assert "2008-02 has no day 30" in ran.err
    assert ran.err.endswith(
        "4 of 4 imported\n"
        "look at what was guessed, lost or is probably wrong: people/late-example.yaml\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.json", "--as", "ada"), "with --each the name is that in each file; leave --as out"),
        (("a.json", "--merge"), "nobody can be asked here; write it with --yes"),
        (("empty",), "empty is empty; name the folder of the CVs"),
    ],
)
def test_what_each_is_not_for(run: Run, arguments: tuple[str, ...], said: str) -> None:
    resume("a.json", "Ada Example")
    Path("empty").mkdir()
    ran = run("import", "--each", *arguments)
    assert ran.code == 2
    assert ran.err.startswith(said)
