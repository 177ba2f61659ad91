"""One page means one page, whatever the career, on both sources of TeX."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.inputs import people
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task

LOREM = (
    "Designed and built a distributed scheduler for heterogeneous clusters that raised the "
    "utilisation of the whole installation and cut the waiting time of short jobs"
)


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
    path = folder / "ada.yaml"
    path.write_text(text, encoding="utf-8")
    library = Library.at()
    checked = profiles.check(people.Person("ada", path), library)
    assert checked.profile is not None, checked.diagnostics
    assert checked.source is not None
    task = Task(checked.person, checked.profile, checked.source, "one-page")
    kind = "auto" if engine == "pdflatex" else engine
    settings = Settings(folder / "out", library, 0, engine=kind, driver="direct", timeout=120)
    return pipeline.build(task, settings)


def words(pdf: Path) -> str:
    document = pypdfium2.PdfDocument(pdf)
    try:
        assert len(document) == 1
        return " ".join(document[0].get_textpage().get_text_bounded().split())
    finally:
        document.close()


CAREERS = {
    "short": (1, 2, 0),
    "middling": (4, 4, 6),
    "just over": (6, 5, 8),
    "long": (25, 6, 60),
    "of more than one measuring page": (150, 8, 300),
}


@pytest.mark.parametrize("engine", ["pdflatex", "embedded"])
@pytest.mark.parametrize("name", CAREERS)
def test_exactly_one_page_that_is_full(name: str, engine: str, tmp_path: Path) -> None:
    engine_of(engine)
    outcome = build(career(*CAREERS[name]), engine, tmp_path)
    assert outcome.path is not None, outcome.diagnostics
    assert outcome.pages == 1
    assert outcome.fill is not None
    assert outcome.fill <= 1
    text = words(outcome.path)
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
    assert outcome.path is not None, outcome.diagnostics
    assert outcome.pages == 1
    assert [item.span.line for item in outcome.left_out if item.span] == [12]


def test_a_head_of_more_than_a_page_is_an_error_that_says_so(tmp_path: Path) -> None:
    mails = ", ".join(f"name{n}@{'long' * 10}.example.org" for n in range(250))
    text = career(1, 1, 0).replace("ada@example.org", f"[{mails}]")
    outcome = build(text, "auto", tmp_path)
    assert outcome.path is None
    assert [item.code for item in outcome.diagnostics] == ["one-page"]
