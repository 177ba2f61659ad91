"""``cvbuild diff --pdf``: what is new is underlined where it stands, what is gone is listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2
import pytest
from conftest import Run
from papers import pages_of
from texlive import demand_embedded
from trees import check_accessible, tree
from workspaces import committed, write

FILE = Path("people/ada.yaml")
BEFORE = """\
name: Ada Example
contact: {email: ada@example.org}
template: [academic]
summary: I build clocks that tick.
sections:
  - kind: experience
    items:
      - employer: Example Works
        title: Engineer
        date: 2021-03 to 2022-04
        bullets:
          - Wrote a scheduler for twelve clusters.
          - Tested *compilers* and $100 worth of {other} things.
          - Stayed.
  - kind: education
    items:
      - {institution: Example University, degree: M.Sc., area: Physics, date: 2019}
      - {institution: University of Samples, degree: B.Sc., area: Maths, date: 2017}
variants:
  short: {template: one-page, kinds: [experience], options: {accent: burgundy}}
  hidden: {template: plain, private: true}
"""
LONG = (
    "Measured how long each of a hundred schedules takes on each of the clusters, and wrote down "
    "in a table what was found, so that others can see it."
)
AFTER = (
    BEFORE.replace("twelve clusters", "twelve large clusters")
    .replace("          - Stayed.\n", f"          - Stayed.\n          - {LONG}\n")
    .replace("          - Tested *compilers* and $100 worth of {other} things.\n", "")
    .replace("B.Sc., area: Maths", "B.Sc., area: Logic")
)


@pytest.fixture(autouse=True)
def versions(here: Path) -> None:
    write("ada", BEFORE)
    committed()
    (here / FILE).write_text(AFTER)


def underlined(path: Path) -> list[tuple[str, str]]:
    pages = pypdfium2.PdfDocument(path)
    found: list[tuple[str, str]] = []
    with pikepdf.open(path) as opened:
        for number, page in enumerate(opened.pages):
            text = pages[number].get_textpage()
            for note in page.obj.get("/Annots", ()):
                if note.Subtype != "/Underline":
                    continue
                corners = [float(one) for one in note.QuadPoints]
                lines = [corners[at : at + 8] for at in range(0, len(corners), 8)]
                words = [text.get_text_bounded(x[0], x[5], x[2], x[1]) for x in lines]
                found.append((" ".join(" ".join(words).split()), str(note.Contents)))
    return found


def test_what_is_new_is_underlined_and_what_is_gone_is_listed(run: Run) -> None:
    demand_embedded()
    ran = run("diff", "ada", "--pdf", "--json")
    assert ran.code == 1
    assert ran.json["diagnostics"] == []
    path = Path(ran.json["pdf"])
    assert path == Path("out/ada-academic-changes.pdf")
    marks = underlined(path)
    assert ("Wrote a scheduler for twelve large clusters.",
            "was: Wrote a scheduler for twelve clusters.") in marks  # fmt: skip
    assert (LONG, "new") in marks
    assert len(marks) == 3
    assert "Logic" in marks[-1][0]
    pages = pages_of(path)
    gone = " ".join(pages[-1].split())
    listed = ["What is gone", "for twelve clusters.", "Tested compilers and $100 worth of {other}"]
    places = [gone.index(one) for one in listed]
    assert places == sorted(places)
    assert "Stayed" not in gone
    assert "Tested" not in "".join(pages[:-1])
    # It is no document of the person.
    assert not Path("out/ada").exists()
    assert "not listed" not in run("status").err


def test_it_is_accessible(run: Run) -> None:
    demand_embedded()
    path = Path(run("diff", "ada", "--pdf", "--json").json["pdf"])
    check_accessible(path)
    notes = [*tree(path.read_bytes()).all("Annot")]
    assert len(notes) == 3
    with pikepdf.open(path) as opened:
        assert opened.check_pdf_syntax() == []
        assert opened.open_metadata()["pdfuaid:part"] == "1"
        root: Any = opened.Root.StructTreeRoot
        assert [str(one.T) for one in root.K.K] == ["Ada Example", "What is gone"]


@pytest.mark.deep
def test_a_variant_and_a_page_that_has_no_room(run: Run) -> None:
    demand_embedded()
    path = Path(run("diff", "ada", "--pdf", "--json", "--variant", "short").json["pdf"])
    assert path == Path("out/ada-short-changes.pdf")
    assert len(underlined(path)) == 2
    pages = pages_of(path)
    assert "What is gone" in pages[1]
    # It never showed these.
    assert "Maths" not in "".join(pages)


def test_the_same_twice_has_no_mark(run: Run) -> None:
    demand_embedded()
    FILE.write_text(BEFORE)
    ran = run("diff", "ada", "--pdf", "--json")
    assert ran.code == 0
    path = Path(ran.json["pdf"])
    assert underlined(path) == []
    assert len(pypdfium2.PdfDocument(path)) == 1
    assert path.read_bytes() == Path(run("diff", "ada", "--pdf", "--json").json["pdf"]).read_bytes()


def test_what_is_private_by_now_is_not_told(run: Run) -> None:
    demand_embedded()
    FILE.write_text(AFTER.replace("- Stayed.", "- {value: Stayed., private: true}"))
    Path("people/ada.private.yaml").write_text("interests: [Tested compilers and $100 worth]")
    path = Path(run("diff", "ada", "--pdf", "--json").json["pdf"])
    pages = pages_of(path)
    assert pages[-1].count("a text that is private by now") == 2
    said = "".join(pages) + str(underlined(path))
    assert "Stayed" not in said
    assert "Tested" not in said


def test_a_version_that_is_broken_is_refused_in_words(run: Run) -> None:
    FILE.write_text(AFTER.replace("kind: education", "kind: nothing"))
    ran = run("diff", "ada", "--pdf")
    assert ran.code == 1
    assert 'unknown kind "nothing"' in ran.err
    assert not Path("out/ada").exists()
    FILE.write_text(AFTER)
    assert run("diff", "ada", "--pdf", "--variant", "nosuch").code != 0
