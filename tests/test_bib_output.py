"""``--format bib``: another program reads it, and importing it gives the items back."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from pybtex.database import parse_file, parse_string
from pylatexenc.latex2text import LatexNodes2Text

from cvbuild.importers import files, registry
from cvbuild.model.text import rich_text

PERSON = (Path(__file__).parent / "outputs/cases/publications/person.yaml").read_text("utf-8")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(PERSON, "utf-8")
    ran = run("build", "--format", "bib")
    assert ran.code == 0, ran.err
    return Path("out/ada/academic.bib")


def flat(data: dict[str, Any]) -> list[dict[str, Any]]:
    """All publications and patents of a person's file, without what is private."""
    sections = [one for one in data["sections"] if one["kind"] != "award"]
    items = [item for one in sections for item in one.get("items", [])]
    items += [
        item for one in sections for group in one.get("groups", []) for item in group["items"]
    ]
    return [item for item in items if "private" not in item]


def test_importing_it_gives_the_items_back(made: Path) -> None:
    """All keys of all of them, but for links and marks, which come back as a note."""
    expected = flat(yaml.load(PERSON, Loader=yaml.BaseLoader))
    first = expected[0]
    first["links"] = first["links"][:1]
    del first["marks"]
    first["note"] += ". [Press](https://example.org/b). Talk. * equal contribution"
    found = registry.read(files.opened(made))
    assert [str(one.note) for one in found.lost] == [
        f"{made}:1:1: note: comment: % Publications of Ada Example"
    ]
    by_title = {(one["title"], one.get("note")): one for one in flat(dict(found.data))}
    for item in expected:
        assert by_title.pop((item["title"], item.get("note"))) == item
    assert by_title == {}


def test_a_second_reader_reads_it(made: Path) -> None:
    """Keys, types and values; nothing that isn't shown; the same bytes once more."""
    text = made.read_text("utf-8")
    entries = parse_string(text, "bibtex").entries
    assert len(entries) == 9
    first = entries["example2024schedules"]
    assert first.fields["pages"] == "45--67"
    assert first.fields["title"].startswith(
        "{GPU} schedules in O(n\\textsuperscript{2}) with \\emph"
    )
    assert [str(one) for one in first.persons["author"]][:3] == [
        "Example*, Ada", "van der Berg, Jan", "{The ATLAS Collaboration}"
    ]  # fmt: skip
    assert "Secret" not in text
    assert "Not a publication" not in text


#: What reading as BibTeX or LaTeX would change.
SIGNS = (
    "Roads -- a survey", "a --- b ----", "x --> y <!-- c -->", "`` a '' '''", "a ~ $x$ 50% ^^",
    "} { {b}", "C:\\x\\", '"q" a"b', "#1 &amp; a_B _x_", "?` !`", "<< a >> ,, b", "@article{x, y}",
    "\\textbf{x} \\href{a}{b}", "\\'e", "a – b — c ‘d’ “e”",
    *(f"{one}a {one}b{one} c{one}{one}d {one}" for one in string.punctuation),
)  # fmt: skip


def test_signs_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """From two readers: pybtex with a decoder of LaTeX, and our own."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    escaped = [re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", one) + " end" for one in SIGNS]
    items = [{"title": one, "venue": one, "note": one, "publisher": one} for one in escaped]
    section = {"kind": "publication", "order": "file", "items": items}
    person = {"name": "Ada @book{x", "sections": [section]}
    Path("people/ada.yaml").write_text(yaml.safe_dump(person), "utf-8")
    assert run("build", "--format", "bib").code == 0
    made = Path("out/ada/academic.bib")
    decode = LatexNodes2Text(keep_comments=False).latex_to_text
    entries = list(parse_file(made, "bibtex").entries.values())
    for name in ("title", "journal", "note", "publisher"):
        read = [decode(one.fields[name]).replace("ˆ", "^") for one in entries]
        assert [one.removesuffix(" end") for one in read] == list(SIGNS)
    again = flat(dict(registry.read(files.opened(made)).data))
    titles = [rich_text.plain(rich_text.parse(one["title"])) for one in again]
    assert sorted(titles) == sorted(f"{one} end" for one in SIGNS)


def test_nobodys_publications_are_an_empty_list(made: Path, run: Run) -> None:
    Path("people/ada.yaml").write_text("name: Ada Example\n")
    assert run("build", "--format", "bib").code == 0
    assert made.read_text("utf-8") == "% Publications of Ada Example\n% None is shown.\n"
