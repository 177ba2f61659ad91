"""Adding to a person's file: what is there stays as it was written, to the letter."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st

from cvbuild.importers import merging
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.edit import Addition
from cvbuild.inputs.yaml.entries import EditError

FILE = """\
# My CV
name: Ada Example
contact:
  email: ada@example.org  # the one I read
  website: [https://example.org]

# What I did
sections:
- kind: experience
  items:
    - employer: Example Company   # since the start
      title: Engineer
      date: 2020-01 to present

- kind: publication
  items:
    - {title: "Schedules that **hold**", date: 2024, doi: 10.1234/AB.1}
    - title: Examples that last
      date: "2022"
      authors: [A. Example]

    # more to come
- kind: text
  title: About
  items:
    - |
      A long
      text.
"""


def plain(text: str) -> Any:
    return yaml.load(text, Loader=yaml.BaseLoader)


def merged(new: dict[str, Any], known: object = None, file: str = FILE) -> tuple[str, list[str]]:
    """The file with what an import adds, and the notes."""
    found = merging.merge(plain(file), new, known)
    text = edit.add(file, found.additions)
    assert plain(text) == edit.apply(plain(file), found.additions)
    kept = iter(text.splitlines())
    for line in file.splitlines():
        if "ada@example.org" not in line and "website" not in line:
            assert line in kept, f"{line!r} is gone"
    return text, [one.message for _, one in found.notes]


def publication(**fields: Any) -> dict[str, Any]:
    return {"sections": [{"kind": "publication", "items": [fields]}]}


#: Publications that are there, and those that are not.
THERE: tuple[dict[str, Any], ...] = (
    {"title": "Another title", "doi": "https://doi.org/10.1234/ab.1"},
    {"title": "Schedules That Hold", "date": "2024-05"},
    {"title": "Examples that last", "doi": "10.9999/other"},
    {"title": "Éxamples that  last!"},
)
NEW: tuple[dict[str, Any], ...] = (
    {"title": "Schedules that hold", "doi": "10.1234/ab.2"},
    {"title": "Examples that last", "date": "2019"},
    {"title": "New"},
)


@pytest.mark.parametrize("fields", THERE + NEW)
def test_what_is_there_is_not_added_and_what_is_new_comes_last(fields: dict[str, Any]) -> None:
    text, _ = merged(publication(**fields))
    assert plain(text)["sections"][1]["items"][2:] == [fields] * (fields in NEW)
    if fields == {"title": "New"}:
        assert text.index("title: New") < text.index("# more to come")


def test_an_item_gets_what_it_lacks_and_keeps_what_it_has() -> None:
    text, notes = merged(
        publication(title="Examples that last", doi="10.1234/9", venue="Annals", date="May 2022")
    )
    item = plain(text)["sections"][1]["items"][1]
    assert item["date"] == "2022"
    assert (item["doi"], item["venue"]) == ("10.1234/9", "Annals")
    assert notes == ['date stays as it is; the source has "May 2022"']
    work = plain("{employer: Example Company, title: Engineer, date: Jan 2020 to present}")
    work["bullets"] = ["Made: a thing", "- and another"]
    text, notes = merged(
        {
            "headline": "Engineer: of examples",
            "name": "Ada E. Example",
            "sections": [{"kind": "experience", "items": [work]}],
        }
    )
    assert plain(text)["headline"] == "Engineer: of examples"
    assert list(plain(text)) == ["name", "headline", "contact", "sections"]
    assert plain(text)["sections"][0]["items"][0]["bullets"] == ["Made: a thing", "- and another"]
    assert notes == ['name stays as it is; the source has "Ada E. Example"']
    parts = FILE.replace("name: Ada Example", "name: {given: Ada, family: Example}")
    assert merged({"name": "Ada Example"}, file=parts) == (parts, [])


def test_contacts_are_united() -> None:
    contact = {
        "email": ["ADA@example.org", "second@example.org", "third@example.org"],
        "website": ["https://example.org", "https://example.com/a,b"],
        "phone": ["+1 202 555 0123"],
        "profiles": {"github": ["ada"]},
    }
    text, notes = merged({"contact": contact}, known={"contact": {"phone": "+1-202-555-0123"}})
    assert plain(text)["contact"] == {
        "email": ["ada@example.org", "second@example.org", "third@example.org"],
        "website": ["https://example.org", "https://example.com/a,b"],
        "profiles": {"github": ["ada"]},
    }
    assert notes == []
    assert "# the one I read" in text


def test_sections_go_where_they_belong() -> None:
    text, _ = merged(
        {
            "sections": [
                {"kind": "text", "title": "About", "items": ["A long text.", "More."]},
                {"kind": "text", "title": "Aims", "items": ["One."]},
                {"kind": "award", "items": [{"title": "Prize"}]},
            ]
        }
    )
    sections = plain(text)["sections"]
    kinds = ["experience", "publication", "text", "text", "award"]
    assert [one["kind"] for one in sections] == kinds
    assert sections[2]["items"] == ["A long\ntext.\n", "More."]
    assert merged({"sections": []}, file="name: Ada Example\n")[0] == "name: Ada Example\n"
    text, _ = merged({"sections": [{"kind": "text", "items": ["x"]}]}, file="name: Ada Example\n")
    assert plain(text)["sections"] == [{"kind": "text", "items": ["x"]}]


def job(title: str, *employers: str, **fields: str) -> dict[str, Any]:
    items = [{"employer": one, "title": "Engineer", **fields} for one in employers]
    return {"kind": "experience", "title": title, "items": items}


def test_a_usual_title_needs_no_section_of_its_own() -> None:
    text, _ = merged({"sections": [job("Work Experience", "Example Works")]})
    sections = plain(text)["sections"]
    assert [one.get("title") for one in sections] == [None, None, "About"]
    employers = [one["employer"] for one in sections[0]["items"]]
    assert employers == ["Example Company", "Example Works"]
    # What the source keeps apart, or another title, stays apart.
    for others in (
        [job("Academic positions", "A"), job("Industry", "B")],
        [job("At sea", "A"), job("On land", "B")],
    ):
        text, _ = merged({"sections": others})
        titles = [one.get("title") for one in plain(text)["sections"]]
        assert titles[3:] == [one["title"] for one in others]


EDUCATED = """\
name: Ada Example
contact:
  website: https://www.ada.example.org/
sections:
  - kind: education
    items:
      - {institution: Example University, degree: M.Sc., area: Physics, date: 2006-10 to 2011-09}
  - kind: experience
    items:
      - {employer: Example Cloud, title: Engineer, date: 2020-03-01 to present}
"""


def test_the_same_in_other_words_is_there() -> None:
    degree = {"institution": "Example University", "date": "Oct. 2006 - Sep. 2011"}
    new = {
        "contact": {"website": ["ada.example.org"]},
        "sections": [
            {"kind": "education", "items": [{**degree, "degree": "M.Sc. in Physics"}]},
            {"kind": "education", "items": [{**degree, "degree": "B.Sc. in Physics"}]},
        ],
    }
    text, notes = merged(new, file=EDUCATED)
    items = plain(text)["sections"][0]["items"]
    assert [one["degree"] for one in items] == ["M.Sc.", "B.Sc. in Physics"]
    assert plain(text)["contact"]["website"] == "https://www.ada.example.org/"
    assert notes == ['"Example University", which is added, has the same dates']
    whole = EDUCATED.replace("M.Sc., area: Physics", "M.Sc. in Physics")
    parts = {"kind": "education", "items": [{**degree, "degree": "M.Sc.", "area": "Physics"}]}
    assert merged({"sections": [parts]}, file=whole) == (whole, [])


def test_a_post_is_there_whatever_the_company_is_by_law() -> None:
    file = (
        "name: Ada Example\nsections:\n  - kind: experience\n    items:\n"
        "      - employer: Example Cloud\n        title: Engineer\n"
        "        date: 2020-03-01 to present\n"
    )
    more = {"date": "Mar 2020 – present", "bullets": ["Built a cloud"]}
    for name in ("Example Cloud", "Example Cloud GmbH & Co. KG", "Example Cloud, Inc."):
        for title in ("Engineer", "Senior Engineer"):
            posts = [{"employer": name, "title": title, **more}]
            text, notes = merged({"sections": [{"kind": "experience", "items": posts}]}, file=file)
            items = plain(text)["sections"][0]["items"]
            assert [(one["employer"], one["title"]) for one in items] == [
                ("Example Cloud", "Engineer")
            ]
            assert items[0]["bullets"] == ["Built a cloud"]
            kept = [f'employer stays as it is; the source has "{name}"'] * (name != "Example Cloud")
            kept += ['title stays as it is; the source has "Senior Engineer"'] * ("Senior" in title)
            assert notes == kept
    # Another post of the same months is added, with a note; so is one of another employer.
    for fields in ({"title": "Lecturer"}, {"employer": "Example Clouds AG"}):
        posts = [{"employer": "Example Cloud", "title": "Engineer", **more, **fields}]
        text, notes = merged({"sections": [{"kind": "experience", "items": posts}]}, file=file)
        assert len(plain(text)["sections"][0]["items"]) == 2
        assert [note.endswith("has the same dates") for note in notes] == [True]


def test_what_a_source_says_of_a_phone_is_noted() -> None:
    file = "name: Ada Example\ncontact: {phone: +1 202 555 0123}\n"
    phone = {"number": "+1 202 555 0123", "label": "mobile"}
    text, notes = merged({"contact": {"phone": [phone]}}, file=file)
    assert (text, notes) == (file, ['contact.phone stays as it is; the source has "mobile"'])


def test_bullets_that_resemble_none_are_added() -> None:
    file = (
        "name: Ada Example\nsections:\n  - kind: experience\n    items:\n"
        "      - employer: Example Cloud\n        title: Engineer\n        bullets:\n"
        "          - Built the **scheduler** of the cloud in Rust\n"
    )
    reworded = "Built the scheduler of the whole cloud with Rust and C"
    bullets = ["Built the scheduler of the cloud, in Rust", reworded, "Chair of the guild"]
    posts = [{"employer": "Example Cloud", "title": "Engineer", "bullets": bullets}]
    new = {"sections": [{"kind": "experience", "items": posts}]}
    text, notes = merged(new, file=file)
    written = plain(text)["sections"][0]["items"][0]["bullets"]
    assert written == ["Built the **scheduler** of the cloud in Rust", "Chair of the guild"]
    assert notes == [f'bullets stays as it is; the source has "{reworded}"']


def test_lists_at_the_end_of_an_item_grow_and_the_item_too() -> None:
    file = (
        "name: Ada Example\nsections:\n  - kind: skill\n    items:\n"
        "      - name: Code\n        keywords:\n          - Python\n"
        "      - {name: Tools, keywords: []}\n"
        "  - kind: experience\n    items:\n"
        "      - employer: Example Cloud\n        title: Engineer\n        bullets:\n"
        "          - Built the cloud in Rust\n          - Built the compiler in Rust\n"
    )
    bullets = ["Built the compiler in Rust", "Chair of the guild"]
    post = {"employer": "Example Cloud", "title": "Engineer", "bullets": bullets, "date": "2020"}
    skills = [
        {"name": "Code", "keywords": ["Rust", "Go"], "links": [{"Site": "https://example.org"}]},
        {"name": "Tools", "keywords": ["Git", "Make"]},
    ]
    new = {
        "sections": [{"kind": "skill", "items": skills}, {"kind": "experience", "items": [post]}]
    }
    found = merging.merge(plain(file), new)
    written = plain(edit.add(file, found.additions))
    assert written == edit.apply(plain(file), found.additions)
    code, tools = written["sections"][0]["items"]
    assert (code["keywords"], tools["keywords"]) == (["Python", "Rust", "Go"], ["Git", "Make"])
    assert written["sections"][1]["items"][0]["bullets"][2:] == ["Chair of the guild"]
    assert found.notes == []


def test_notes_have_the_place_in_the_file_as_it_is_then(run: Run, here: Path) -> None:
    (here / "people").mkdir()
    (here / "people" / "ada.yaml").write_text(EDUCATED, "utf-8")
    (here / "more.md").write_text(
        "# Ada Example\n\nada@example.org\n\n## Education\n\n"
        "**M.Sc. in Physics**, Example University, 2006-10 – 2011-09\n\n"
        "## Work Experience\n\n**Engineer**, Example Clouds, Mar 2020 – present\n",
        "utf-8",
    )
    ran = run("import", "more.md", "--as", "ada", "--merge", "--yes")
    assert ran.code == 0, ran.err
    lines = (here / "people" / "ada.yaml").read_text("utf-8").splitlines()
    (at,) = (at for at, line in enumerate(lines, 1) if "{employer: Example Cloud, " in line)
    assert (
        f'people/ada.yaml:{at}:9: note: "Example Clouds", which is added, has the same dates; '
        "if both are one, keep one of them"
    ) in ran.err


def test_merging_twice_adds_nothing() -> None:
    new = {
        "headline": "Engineer",
        "contact": {"email": ["b@example.org"]},
        **publication(title="Examples that last", doi="10.1234/9", authors=["A", "B"]),
    }
    text, _ = merged(new)
    assert merging.merge(plain(text), new).additions == []


def test_several_files_are_put_together() -> None:
    one = Imported({"name": "Ada", **publication(title="A", doi="10.1234/1")})
    two = Imported(publication(title="a", doi="10.1234/1", venue="V"), draft=True)
    whole = merging.combined([one, two, Imported(publication(title="B"))])
    assert whole.data["sections"] == [
        {
            "kind": "publication",
            "items": [{"title": "A", "doi": "10.1234/1", "venue": "V"}, {"title": "B"}],
        }
    ]
    assert whole.draft
    assert one.data["sections"][0]["items"] == [{"title": "A", "doi": "10.1234/1"}]


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn", "Zl", "Zp")), min_size=1
)


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, st.sampled_from(["|", ">", "", '"']))
def test_no_text_breaks_the_file(added: str, key: str, style: str) -> None:
    """Whatever is added, before or after whatever is there."""
    written = yaml.dump({"name": key, "list": [key, key], "map": {"a": key}}, allow_unicode=True)
    if style:
        written = yaml.dump({"name": "a", "list": ["b\nc", key], "map": {"a": key}},
                            default_style=style, allow_unicode=True)  # fmt: skip
    additions = [
        Addition(("list", 2), {"title": added, "items": [added]}),
        Addition(("map", "b"), added),
        Addition(("new",), [added]),
    ]
    try:
        text = edit.add(written, additions)
    except EditError:
        return
    assert plain(text) == edit.apply(plain(written), additions)


BIB = """\
@article{one, title = {Schedules that hold}, author = {Ada Example}, year = 2024, doi = {10.1234/1}}
"""


def test_what_a_bibtex_file_has_is_there(run: Run, here: Path) -> None:
    (here / "people").mkdir()
    file = here / "people" / "ada.yaml"
    text = "name: Ada Example\nsections:\n  - kind: publication\n    bib: papers.bib\n"
    file.write_text(text, "utf-8")
    (here / "people" / "papers.bib").write_text(BIB, "utf-8")
    new = "@article{two, title = {New}, author = {Ada Example}, year = 2025}\n"
    (here / "more.bib").write_text(BIB + new, "utf-8")
    ran = run("import", "more.bib", "--as", "ada", "--merge", "--yes")
    assert ran.code == 0, ran.err
    (section,) = plain(file.read_text("utf-8"))["sections"]
    assert [item["title"] for item in section["items"]] == ["New"]
    ran = run("import", "more.bib", "--as", "ada", "--merge", "--yes")
    assert "people/ada.yaml has all of it already" in ran.err


def test_what_is_newer_comes_first_and_an_end_is_asked_for(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "people/ada.yaml"
    path.parent.mkdir()
    path.write_text(FILE, "utf-8")
    work = [
        ("Example Company", "Engineer", "2020-01", "2024"),
        ("New Place", "Lead", "2025", None),
        ("First Place", "Clerk", "2010", "2012"),
    ]
    keys = ("name", "position", "startDate", "endDate")
    resume = {
        "basics": {"name": "Ada Example"},
        "work": [dict(zip(keys, one, strict=True)) for one in work],
        "publications": [{"name": "Between", "releaseDate": "2023"}],
    }
    (tmp_path / "resume.json").write_text(json.dumps(resume), "utf-8")
    monkeypatch.setattr(sys, "stdin", terminal := io.StringIO("y\ny\n"))
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    result = run("import", "resume.json", "--merge", "--as", "ada")
    assert result.code == 0, result.err
    # Whoever is asked has the file as it was.
    assert "people/ada.yaml:13:13: it ended, 2020-01 to 2024: write that?" in result.err
    text = path.read_text("utf-8")
    names = [text.index(one) for one in ("New Place", "Example Company", "First Place")]
    assert names == sorted(names)
    names = [text.index(one) for one in ("Schedules", "Between", "Examples that last")]
    assert names == sorted(names)
    assert "date: 2020-01 to 2024\n" in text
    # Nobody is asked, so nothing that is there changes; the note has the line of the new file.
    path.write_text(FILE, "utf-8")
    result = run("import", "resume.json", "--merge", "--as", "ada", "--yes")
    assert result.code == 0, result.err
    lines = path.read_text("utf-8").splitlines()
    at = lines.index("      date: 2020-01 to present") + 1
    assert f"people/ada.yaml:{at}:13: note: date stays as it is" in result.err
