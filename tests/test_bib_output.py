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

PERSON = r"""
name: Ada Example
sections:
  - kind: publication
    order: file
    items:
      - title: 'GPU schedules in O(n^2^) with *care*, 50% & \more {braces} $5 #1 a_b ~ ^'
        authors:
          [Ada Example*, Jan van der Berg, The ATLAS Collaboration, "García López, Jr.", et al.]
        marks: {"*": equal contribution}
        venue: Journal of Examples
        short-venue: JEx 2024
        volume: 12
        issue: 3
        pages: 45-67
        date: 2024-05-10
        doi: 10.5555/12345678_90
        url: https://example.org/a_b%20c
        note: Best paper
        links: [{PDF: https://example.org/a.pdf}, {Press: https://example.org/b}, Talk]
        summary: What `code` says.
        keywords: [scheduling, GPUs]
      - {title: Second, authors: [Ada Example], venue: Proceedings of Examples, date: 2022-07,
         editors: [Grace Sample], arxiv: 2201.01234v2}
      - {title: Second, authors: [Ada Example], date: 2022, note: PhD thesis,
         venue: Example University}
      - {title: Caches, authors: [Ada Example], date: 2018, venue: Labs,
         note: Technical report TR-7. Final}
      - {title: Tool, authors: [Ada Example], date: 2016 to present, note: Software}
      - {title: 例え, authors: [例 子], date: {text: in press}}
    groups:
      - title: Books
        items:
          - {title: Chapter, authors: [Ada Example], book: Handbook, editors: [Sam Specimen],
             chapter: 5, pages: 1-2, publisher: Example Press, location: Springfield, date: 2021}
          - {title: Secret, private: true}
          - {title: Book, authors: [Ada Example], publisher: Example Press, series: Guides,
             volume: 7}
  - kind: patent
    items:
      - {title: Method, inventors: [Ada Example, Sam Specimen], number: "US Patent 1,234,567",
         status: granted, date: 2017-03-14, url: "https://patents.example.org/1"}
  - kind: award
    items: [{title: Not a publication}]
"""


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
    assert {key: one.type for key, one in entries.items()} == {
        "example2024schedules": "article",
        "example2022second": "inproceedings",
        "example2022second-2": "phdthesis",
        "example2018caches": "techreport",
        "example2016tool": "software",
        "zilie": "misc",
        "example2021chapter": "incollection",
        "examplebook": "book",
        "example2017method": "patent",
    }
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
