"""A section of publications reads its items from a BibTeX file beside the person's file."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

from cvbuild.inputs.people import Person
from cvbuild.inputs.person_file import read
from cvbuild.inputs.references import bibliography, latex_text
from cvbuild.model.kinds.publications import Publication

BIB = r"""@article{one, title={First {\"O}ne}, author={Example, Ada and Specimen, Sam},
  journal={Journal of Examples}, year={2020}, keywords={Selected, machine learning}}
@inproceedings{two, title={Second}, author={Ada Example}, booktitle={ESOS}, year=2022,
  doi={10.5555/2}}
@phdthesis{three, title={Third}, author={Ada Example}, school={Example University}, year=2024}
@article{four, title={Fourth}, author={Ada Example}, year={in press}}
"""


NOTHING = (
    "people/ada.yaml:4:17: none of the 4 entries of papers.bib is selected; "
    "change what keys, types, keywords, years say"
)


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's file, in a working folder with papers.bib."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/papers.bib").write_text(BIB)
    return Path("people/ada.yaml")


def section(path: Path, text: str) -> list[str]:
    """The titles of a section's items, or the errors."""
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    path.write_text(f"name: Ada Example\nsections:\n  - kind: publication\n{lines}")
    found = read(Person("ada", path))
    if found.profile is None:
        return [str(one) for one in found.errors]
    whole = found.profile.sections[0]
    groups = [item for group in whole.groups for item in group.items]
    return [str(item.title) for item in (*whole.items, *groups)]


def test_what_is_selected(ada: Path) -> None:
    """All of it; by key, type, keyword and years; all of several filters count."""
    cases = {
        "bib: papers.bib": ["First Öne", "Second", "Third", "Fourth"],
        "bib: {file: papers.bib, keys: [Two, four]}": ["Second", "Fourth"],
        "bib: {file: papers.bib, types: article}": ["First Öne", "Fourth"],
        "bib: {file: papers.bib, keywords: [Machine Learning, none]}": ["First Öne"],
        "bib: {file: papers.bib, years: 2020 to 2022}": ["First Öne", "Second"],
        "bib: {file: papers.bib, years: since 2022}": ["Second", "Third"],
        "bib: {file: papers.bib, years: 2024}": ["Third"],
        "bib: {file: papers.bib, years: 2020, types: phdthesis}\nitems: [{title: Own}]": [NOTHING],
    }
    assert {case: section(ada, case) for case in cases} == cases


def test_braces_count_where_they_are_nested() -> None:
    assert latex_text.plain(r"{\'e}{t}" * 40) == "ét" * 40
    assert latex_text.plain("{" * 40 + r"\'e" + "}" * 40) == r"\'e"


def test_what_is_written_too_is_one_item(ada: Path) -> None:
    """By DOI, or by title and year; what the person wrote counts."""
    own = """\
bib: papers.bib
items:
  - {title: Second (short), doi: "https://doi.org/10.5555/2", priority: 9}
  - {title: Third, date: 2023}
groups:
  - title: Group
    items: [{title: first öne, note: Best paper}]
"""
    found = ["Second (short)", "Third", "Third", "Fourth", "first öne"]
    assert section(ada, own) == found
    profile = read(Person("ada", ada)).profile
    assert profile is not None
    second, *_ = profile.sections[0].items
    assert isinstance(second, Publication)
    assert (second.priority, str(second.venue), second.doi) == (9, "ESOS", "10.5555/2")
    (first,) = profile.sections[0].groups[0].items
    assert (str(first.note), first.tags) == ("Best paper", ("selected", "machine-learning"))
    assert [str(one.name) for one in first.authors] == ["Ada Example", "Sam Specimen"]


def test_private_items_and_sections(ada: Path) -> None:
    """What is private stays out of public documents, whichever file it is from."""
    assert section(ada, "bib: papers.bib\nitems: [{title: Second, private: true}]") == [
        "First Öne", "Third", "Fourth"
    ]  # fmt: skip
    ada.write_text(
        "name: Ada Example\nsections: [{kind: publication, private: true, bib: papers.bib}]\n"
    )
    public, private = (read(Person("ada", ada), private=one) for one in (False, True))
    assert public.profile is not None
    assert private.profile is not None
    assert (len(public.profile.sections), len(private.profile.sections)) == (0, 1)


def test_errors_have_their_place(ada: Path) -> None:
    """In the .bib for what is wrong there, else where the file is named."""
    Path("people/link.bib").symlink_to("/etc/hostname")
    Path("people/large.bib").write_bytes(b" " * (9 << 20))
    Path("people/empty.bib").write_bytes(b"% nothing\n")
    bad = r"""@article{a, title={One}, year=2020}
@article{b, title={Two}, journal=jx # { B}}
@article{c, title={Three}, doi={12}}
@article{a, title={Four}}
@article{d, title={Five
@article{e, title={Six}, crossref={zz}}
@article{f, title={Seven}
  year={2020}}, pages={1}}
@article{g, title={Eight} {Nine}}
"""
    Path("people/bad.bib").write_text(bad)
    faults = {
        "bib: ../papers.bib": ['people/ada.yaml:4:10: "../papers.bib" lies outside the folder'],
        "bib: link.bib": ["people/ada.yaml:4:10: "],
        "bib: large.bib": ['people/ada.yaml:4:10: "large.bib" is over 8 MiB'],
        "bib: gone.bib": ['people/ada.yaml:4:10: there is no file "gone.bib"'],
        "bib: empty.bib": ["people/ada.yaml:4:10: empty.bib has no entry"],
        "bib: {file: papers.bib, keys: [onee]}": [
            'people/ada.yaml:4:36: the BibTeX file has no entry "onee"; did you mean "one"?'
        ],
        "bib: {keys: one}": ['people/ada.yaml:4:10: "file" is missing'],
        "bib: {file: papers.bib, yeers: 2020}": ["people/ada.yaml:4:29: unknown key"],
        "bib: {file: papers.bib, years: soon}": ["people/ada.yaml:4:36: "],
        "bib: {value: papers.bib, private: true}": ["people/ada.yaml:4:5: bib can't be private"],
        "bib: bad.bib": [
            "people/bad.bib:2:34: there is no @string jx above",
            'people/bad.bib:3:32: "12" is not a DOI',
            'people/bad.bib:4:1: the key "a" is used twice',
            'people/bad.bib:5:1: can\'t read the entry that begins "@article{d, title={Five"',
            'people/bad.bib:6:35: crossref names "zz", which is not in the file',
            'people/bad.bib:8:15: ", pages={1}}" is in no entry',
            "people/bad.bib:8:8: a comma is missing before year",
            "people/bad.bib:9:19: title has more than one value",
        ],
    }
    for case, expected in faults.items():
        found = section(ada, case)
        found = sorted(found) if case == "bib: bad.bib" else found
        starts = [one.startswith(start) for one, start in zip(found, expected, strict=False)]
        assert starts
        assert all(starts), (case, found)
        assert all("; " in one for one in found), (case, found)
    overlay = "name: Ada Example\nsections:\n  - kind: publication\n    bib: papers.bib\n"
    ada.write_text("name: Ada Example\n")
    Path("people/ada.private.yaml").write_text(overlay.removeprefix("name: Ada Example\n"))
    whole = read(Person("ada", ada), private=True)
    assert (
        "people/ada.private.yaml:3:5: bib can't be in an overlay; move it to people/ada.yaml"
        in [str(one) for one in whole.errors]
    )


def test_documents_depend_on_it(ada: Path, run: Run) -> None:
    """A change of the file is noticed; check and build name its lines."""
    section(ada, "bib: papers.bib")
    assert run("build", "--format", "txt").code == 0
    assert "First Öne" in Path("out/ada/academic.txt").read_text("utf-8")
    assert "up to date" in run("build", "--format", "txt").err
    Path("people/papers.bib").write_text(BIB.replace("Second", "Zweitens"))
    assert "up to date" not in run("build", "--format", "txt").err
    assert "Zweitens" in Path("out/ada/academic.txt").read_text("utf-8")
    Path("people/papers.bib").write_text(BIB + "@article{x, title={A}\n")
    ran = run("check")
    assert ran.code == 1
    assert ran.err.startswith("people/papers.bib:7:1: can't read the entry that begins")
    profile = read(Person("ada", ada)).whole
    assert profile is not None
    assert profile.span(("sections", 0, "items", 1, "title")).in_short == "people/papers.bib:3"
    assert list(bibliography.sections(profile.data))


def test_left_out_items_name_their_line(ada: Path, run: Run) -> None:
    """A variant that leaves out an entry says where it stands."""
    section(ada, "bib: papers.bib")
    ada.write_text(ada.read_text() + "variants: {few: {limit: {publication: 1}}}\n")
    found = run("show", "ada", "--variant", "few").out
    assert "people/papers.bib:5  Third" in found
    assert "people/papers.bib:3  Second — limit: 1" in found
