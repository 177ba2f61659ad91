"""One page means one page, whatever the career, on both sources of TeX."""

from __future__ import annotations

import re
from pathlib import Path

import careers
import deep
import papers
import pytest
from careers import LOREM
from msgspec.structs import replace
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.building.outcome import Outcome
from cvbuild.outputs.docx import package


def career(employers: int, bullets: int, papers: int) -> str:
    """A person's YAML; the newer, the larger the number in its words."""
    lines = ["name: Ada Example", "headline: Engineer", "contact: {email: ada@example.org}"]
    lines += ["options: {paper: letter}", "sections:", "  - kind: experience", "    items:"]
    for number in range(employers):
        year = 2024 - (employers - 1 - number) % 40
        lines += [f"      - employer: Employer {number}", "        title: Engineer"]
        lines += [f"        date: {year}", "        bullets:"]
        lines += [f"          - Bullet {number}-{b}. {LOREM}." for b in range(bullets)]
    if papers:
        lines += ["  - kind: publication", "    items:"]
    for number in range(papers):
        lines.append(f"      - title: Paper {number}. {LOREM}")
        lines.append("        authors: [A. Example, B. Other, C. Third]")
        lines.append(f"        date: {1990 + number % 35}")
    lines += ["  - kind: award", "    items:"]
    lines += ["      - {title: The most important award, date: 1980, priority: 9}"]
    lines += ["  - kind: skill", "    items: [{name: Programming, keywords: [Python, Rust]}]"]
    return "\n".join(lines) + "\n"


def build(text: str, engine: str, folder: Path) -> Outcome:
    if engine != "auto":
        engine_of(engine)
    kind = "auto" if engine == "pdflatex" else engine
    return papers.build(text, "one-page", folder=folder, engine=kind)


def full(outcome: Outcome) -> str:
    """The words of the one page."""
    assert outcome.path is not None, outcome.diagnostics
    assert outcome.pages == 1
    assert outcome.fill is not None
    assert outcome.fill <= 1
    return " ".join(papers.text_of(outcome.path).split())


CAREERS = {
    "short": (1, 2, 0),
    "middling": (4, 4, 6),
    "just over": (6, 5, 8),
    "long": (25, 6, 60),
    "of more than one measuring page": (150, 8, 300),
}


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
@pytest.mark.parametrize("name", deep.but(["just over", "long"], CAREERS))
def test_exactly_one_page_that_is_full(name: str, engine: str, tmp_path: Path) -> None:
    outcome = build(career(*CAREERS[name]), engine, tmp_path)
    text = full(outcome)
    assert outcome.fill is not None
    assert "The most important award" in text
    if name == "short":
        assert outcome.left_out == ()
        assert "Bullet 0-1" in text
    else:
        assert outcome.fill >= 0.85
    if name in ("long", "of more than one measuring page"):
        assert outcome.left_out
        newest = CAREERS[name][0] - 1
        assert f"Employer {newest}" in text
        assert "Employer 0 " not in text
        # A head stands only where something is left, and what was left out is told with a place.
        assert all(item.span and item.span.line > 5 for item in outcome.left_out)


def test_an_item_that_fills_a_page_by_itself_is_left_out(tmp_path: Path) -> None:
    text = career(2, 2, 0).replace("Bullet 0-0.", "Bullet 0-0. " + (LOREM + ". ") * 120)
    outcome = build(text, "auto", tmp_path)
    full(outcome)
    assert [item.span.line for item in outcome.left_out if item.span] == [12]


def test_a_head_of_more_than_a_page_is_an_error_that_says_so(tmp_path: Path) -> None:
    mails = ", ".join(f"name{n}@{'long' * 10}.example.org" for n in range(250))
    text = career(1, 1, 0).replace("ada@example.org", f"[{mails}]")
    outcome = build(text, "auto", tmp_path)
    assert outcome.path is None
    assert [item.code for item in outcome.diagnostics] == ["one-page"]


# ------------------------------------------------------------------------------- what matters

EVERY_MINOR = ("Cycling", "chess", "best engineer", "Ask Ada", "Motto")


def shape(text: str, engine: str, folder: Path) -> tuple[str, str]:
    """The words of the page, and what was left out."""
    outcome = build(text, engine, folder)
    told = [item.message.removeprefix("left out: ") for item in outcome.left_out]
    return full(outcome), "\n".join(told)


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
def test_an_engineer_keeps_degrees_and_jobs_and_no_motto(engine: str, tmp_path: Path) -> None:
    text, left_out = shape(careers.engineer(), engine, tmp_path)
    for kept in ("M.Sc.", "B.Sc.", "Award 0", "Programming", "Point 1-5"):
        assert kept in text
    # Every job stays; the older, the fewer bullets.
    for number in range(1, 9):
        assert f"Company {number}" in text
    assert [text.count(f"Point {number}-") for number in range(1, 9)] == sorted(
        (text.count(f"Point {number}-") for number in range(1, 9)), reverse=True
    )
    for gone in EVERY_MINOR:
        assert gone not in text
    # No heading without an item.
    for heading in ("References", "Interests", "Keywords"):
        assert heading not in text
    assert "Grace Sample, Director, Example Corp" in left_out.split("\n")
    assert "Cycling tours, Bread" in left_out
    assert "chess, sailing, baroque music" in left_out
    assert "… (Developer, Company 8, 2010–2012)" in left_out


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
def test_nothing_undated_is_immortal(engine: str, tmp_path: Path) -> None:
    text, _ = shape(careers.engineer(dated=False), engine, tmp_path)
    for kept in ("M.Sc.", "Company 1", "Company 8", "Point 1-5", "Award 0"):
        assert kept in text
    for gone in (*EVERY_MINOR, "Point 8-2", "Point 7-5"):
        assert gone not in text


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
def test_a_scholar_keeps_the_newest_papers_and_some_of_all(engine: str, tmp_path: Path) -> None:
    text, left_out = shape(careers.scholar(), engine, tmp_path)
    for kept in ("M.Sc.", "B.Sc.", "Company 2", "Paper 8.", "Talk 1", "Course 2"):
        assert kept in text
    papers = [n for n in range(40) if f"Paper {n}." in text]
    assert papers == [*range(len(papers))]
    assert "Mountains" in left_out
    assert "Talk 11, Conf 11, 2013" in left_out


def test_if_all_has_the_highest_priority_it_is_as_if_nothing_had(tmp_path: Path) -> None:
    plain = careers.engineer().replace("interests: [Cycling tours, Bread]\n", "")
    _, left_out = shape(plain, "auto", tmp_path)
    assert shape(careers.with_key(plain, "priority: 9"), "auto", tmp_path)[1] == left_out


def test_what_must_stay_stays(tmp_path: Path) -> None:
    text = careers.engineer().replace("{name: Kim", "{keep: true, name: Kim")
    text = text.replace("[Point 8-1", "[{keep: true, text: Kept}, Point 8-1")
    text = text.replace("  - {kind: text,", "  - {keep: true, kind: text,")
    text = text.replace("[Cycling tours, Bread]", "[Cycling tours, {name: Bread, keep: true}]")
    shown, left_out = shape(text, "auto", tmp_path)
    for kept in ("Ask Ada", "Kept", "Company 8", "Make it last", "M.Sc.", "Company 1", "Bread"):
        assert kept.lower() in shown.lower()
    assert "Grace Sample" in left_out


def test_more_than_fits_must_stay(tmp_path: Path) -> None:
    text = careers.with_key(careers.engineer(), "keep: true")
    outcome = build(text, "auto", tmp_path)
    assert outcome.path is None
    (fault,) = outcome.diagnostics
    # The place is that of what counts least.
    assert fault.span
    assert fault.span.line == next(
        n for n, line in enumerate(text.split("\n"), 1) if "chess" in line
    )
    assert re.fullmatch(
        r"what says keep: true needs \d+ mm with the head of the document, and one page has 267 mm",
        fault.message,
    )
    assert fault.hint == "this counts least of it: remove keep here, or shorten the texts"


def test_the_word_file_shows_what_the_page_has_room_for(tmp_path: Path) -> None:
    engine_of("embedded")
    task, settings = papers.prepare(career(*CAREERS["long"]), "one-page", folder=tmp_path)
    pdf, word = (pipeline.build(replace(task, format=name), settings) for name in ("pdf", "docx"))
    assert word.path is not None, word.diagnostics
    text = package.text_of(word.path.read_bytes())
    assert word.left_out == pdf.left_out != ()
    assert f"Employer {CAREERS['long'][0] - 1}" in text
    assert "Employer 0 " not in text
