"""Adding to a person's file: what is there stays as it was written, to the letter."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from told import rows

from cvbuild.importers import merging
from cvbuild.importers.types import Imported
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.edit import Addition, EditError

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


def merged(new: Any, known: object = None, file: str = FILE) -> tuple[str, list[str]]:
    found = merging.merge(plain(file), new, known)
    text = edit.add(file, found.additions)
    assert plain(text) == edit.apply(plain(file), found.additions)
    return text, [one.message for _, one in found.notes]


def changes(before: str, after: str) -> Iterator[str]:
    """The lines that are new, each with its number, and those that are gone."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, begin, end, to, until in matcher.get_opcodes():
        if kind != "equal":
            yield from (f"< {line}" for line in old[begin:end])
            yield from (f"{at + 1}> {new[at]}" for at in range(to, until))
    if old == new:
        yield "nothing"


@pytest.mark.parametrize(
    ("file", "new", "changed", "notes"),
    [(*row[:3], row[3:]) for row in rows("importers/merges.txt")],
)
def test_what_is_added(file: str, new: str, changed: str, notes: list[str]) -> None:
    before = FILE if file == "FILE\n" else file
    text, said = merged(plain(f"{{{new}}}"), file=before)
    assert "\n".join(changes(before, text)) == changed.rstrip("\n")
    assert said == [one.rstrip("\n") for one in notes]


def test_what_is_private_already_is_not_added() -> None:
    new = {"contact": {"phone": ["+1 202 555 0123"]}}
    assert merged(new, known={"contact": {"phone": "+1-202-555-0123"}}) == (FILE, [])


def publication(**fields: Any) -> dict[str, Any]:
    return {"sections": [{"kind": "publication", "items": [fields]}]}


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


@settings(max_examples=50, deadline=None)
@given(TEXT, TEXT, st.sampled_from(["|", ">", "", '"']))
def test_no_text_breaks_the_file(added: str, key: str, style: str) -> None:
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
