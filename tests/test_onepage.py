"""One page means one page, whatever the career; what is left out first, and why."""

from __future__ import annotations

import re
from pathlib import Path

import deep
import papers
import pytest
from profiles import profile
from texlive import engine_of

from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import id_of, path_of
from cvbuild.selection.fit import FIRST, MeasuredBlock, fit, total, units
from cvbuild.selection.select import select
from cvbuild.selection.selected import name_of


def career(employers: int, bullets: int, papers: int) -> str:
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
    return papers.build(text, "one-page", folder=folder, engine=engine)


def full(outcome: Outcome) -> str:
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


@pytest.mark.parametrize(
    ("name", "engine"),
    deep.but(
        [("long", "embedded")],
        [("long", "pdflatex"), *((name, "embedded") for name in CAREERS)],
        "-".join,
    ),
)
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


@pytest.mark.deep
def test_an_item_that_fills_a_page_by_itself_is_left_out(tmp_path: Path) -> None:
    text = career(2, 2, 0).replace("Bullet 0-0.", "Bullet 0-0. " + (LOREM + ". ") * 120)
    outcome = build(text, "auto", tmp_path)
    full(outcome)
    assert [item.span.line for item in outcome.left_out if item.span] == [12]


@pytest.mark.deep
def test_a_head_of_more_than_a_page_is_an_error_that_says_so(tmp_path: Path) -> None:
    mails = ", ".join(f"name{n}@{'long' * 10}.example.org" for n in range(250))
    text = career(1, 1, 0).replace("ada@example.org", f"[{mails}]")
    outcome = build(text, "auto", tmp_path)
    assert outcome.path is None
    assert [item.code for item in outcome.diagnostics] == ["one-page"]


def shape(text: str, engine: str, folder: Path) -> tuple[str, str]:
    outcome = build(text, engine, folder)
    told = [item.message.removeprefix("left out: ") for item in outcome.left_out]
    return full(outcome), "\n".join(told)


def test_an_engineer_keeps_degrees_and_jobs_and_no_motto(tmp_path: Path) -> None:
    text, left_out = shape(engineer(), "embedded", tmp_path)
    for kept in ("M.Sc.", "B.Sc.", "Award 0", "Programming", "Point 1-5"):
        assert kept in text
    # Every job stays; the older, the fewer bullets.
    for number in range(1, 9):
        assert f"Company {number}" in text
    assert [text.count(f"Point {number}-") for number in range(1, 9)] == sorted(
        (text.count(f"Point {number}-") for number in range(1, 9)), reverse=True
    )
    for gone in ("Cycling", "chess", "best engineer", "Ask Ada", "Motto"):
        assert gone not in text
    # No heading without an item.
    for heading in ("References", "Interests", "Keywords"):
        assert heading not in text
    assert "Grace Sample, Director, Example Corp" in left_out.split("\n")
    assert "Cycling tours, Bread" in left_out
    assert "chess, sailing, baroque music" in left_out
    assert "… (Developer, Company 8, 2010–2012)" in left_out


def test_what_must_stay_stays(tmp_path: Path) -> None:
    text = engineer().replace("{name: Kim", "{keep: true, name: Kim")
    text = text.replace("[Point 8-1", "[{keep: true, text: Kept}, Point 8-1")
    text = text.replace("  - {kind: text,", "  - {keep: true, kind: text,")
    text = text.replace("[Cycling tours, Bread]", "[Cycling tours, {name: Bread, keep: true}]")
    shown, left_out = shape(text, "auto", tmp_path)
    for kept in ("Ask Ada", "Kept", "Company 8", "Make it last", "M.Sc.", "Company 1", "Bread"):
        assert kept.lower() in shown.lower()
    assert "Grace Sample" in left_out


def test_more_than_fits_must_stay(tmp_path: Path) -> None:
    text = engineer().replace("  - kind: ", "  - keep: true\n    kind: ")
    text = text.replace("  - {kind: ", "  - {keep: true, kind: ")
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


CAREER = """
sections:
  - kind: experience
    items:
      - employer: Old
        date: 2001
        bullets: [a, b]
      - employer: New
        date: 2020
        bullets: [c, {text: d, priority: 9}]
  - kind: award
    items:
      - {title: kept, date: 1990, priority: 9}
      - {title: lost, date: 1991, priority: 1}
  - kind: keywords
    items: [k, l]
"""
HEIGHTS = {
    "header": 50, "sections.0": 20, "sections.0.items.0": 10, "sections.0.items.0.bullets.0": 10,
    "sections.0.items.0.bullets.1": 10, "sections.0.items.1": 10,
    "sections.0.items.1.bullets.0": 10, "sections.0.items.1.bullets.1": 10, "sections.1": 20,
    "sections.1.items.0": 10, "sections.1.items.1": 10, "sections.2": 20, "sections.2.run": 10,
}  # fmt: skip
BLOCKS = tuple(MeasuredBlock(path_of(name), float(height)) for name, height in HEIGHTS.items())


@pytest.mark.parametrize(
    ("available", "gone"),
    [
        (200, []),
        # Keywords count least; their head goes with them.
        (199, ["sections.2.run"]),
        (169, ["sections.1.items.1", "sections.2.run"]),
        # Each job keeps its first bullet, which is the one of the highest priority.
        (140, ["sections.0.items.0.bullets.1", "sections.0.items.1.bullets.0",
               "sections.1.items.1", "sections.2.run"]),
    ],
)  # fmt: skip
def test_the_lightest_goes_first(available: float, gone: list[str]) -> None:
    fitted = fit(select(profile(CAREER), {}), BLOCKS, available)
    assert sorted(id_of(path) for path in fitted.left_out) == gone


def test_a_head_goes_with_its_last_item_and_nothing_is_left_where_nothing_fits() -> None:
    selected = select(profile(CAREER), {})
    fitted = fit(selected, BLOCKS, 80)
    # 50 for the header and 30 for what matters most: the newest job and its head.
    assert total(fitted, BLOCKS) == 80
    assert ("sections", 0, "items", 1) not in fitted.left_out
    assert ("sections", 1, "items", 0) in fitted.left_out
    assert total(fit(selected, BLOCKS, 10), BLOCKS) == 50


AWARDS = ", ".join(f"{{title: t{n}, date: {2000 + n}}}" for n in range(9))
WEIGHTS = {
    "each item weighs less than the one before it, but never less than the tail": (
        f"sections: [{{kind: award, items: [{AWARDS}]}}]",
        {f"t{n}, {2000 + n}": weight
         for n, weight in enumerate((30, 30, 30, 35, 40, 45, 50, 55, 160))},
    ),
    "a step of priority is two places and orders the kind": (
        ("sections: [{kind: award, priority: 6, items: [{title: new, date: 2024},"
        " {title: old, date: 2001, priority: 8}, {title: poor, date: 2023, priority: 2}]}]"),
        {"poor, 2023": 20, "new, 2024": 65, "old, 2001": 190},
    ),
    "what is below the middle is not among the first": (
        "sections: [{kind: award, priority: 4, items: [{title: t}]}]", {"t": 50}
    ),
    "without dates the place in the file counts": (
        "sections: [{kind: talk, items: [{title: a}, {title: b}, {title: c}]}]", ["c", "b", "a"]
    ),
    "an item without a date has that of its neighbour": (
        ("sections: [{kind: talk, items: [{title: a}, {title: b, date: 2020},"
        " {title: c, date: {text: soon}}, {title: d, date: 2010}]}]"),
        ["d, 2010", "c, soon", "b, 2020", "a"],
    ),
    "a section without dates is in the middle of its kind": (
        ("sections: [{kind: talk, items: [{title: a, date: 2024}, {title: b, date: 2020},"
        " {title: c, date: 2001}]}, {kind: talk, items: [{title: x}, {title: y}]}]"),
        ["c, 2001", "y", "x", "b, 2020", "a, 2024"],
    ),
    "a text before everything else is a summary, one after it a motto": (
        ("interests: [chess]\nsections: [{kind: text, items: About me},"
        " {kind: award, items: [{title: t}]}, {kind: text, items: Motto}]"),
        {"Motto": 15, "chess": 15, "t": 160, "About me": 160},
    ),
    "bullets go before their item, the first one last": (
        ("sections: [{kind: experience, items: [{employer: E,"
        " bullets: [a, {text: b, priority: 9}, {text: c, priority: 2}]}]}]"),
        {"c (E)": 50, "a (E)": 85, "b (E)": 200, "E": 200},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_and_their_order(name: str) -> None:
    text, expected = WEIGHTS[name]
    person = profile(text)
    weights = {name_of(person, unit.path): unit.weight for unit in units(select(person, {}))}
    assert [*weights] == [*expected]
    assert isinstance(expected, list) or weights == expected


def test_no_section_of_a_kind_goes_for_the_newer_items_of_another() -> None:
    person = profile("""
sections:
  - kind: education
    items:
      - {institution: A, degree: PhD, date: 2007}
      - {institution: B, degree: MSc, date: 2002}
  - kind: education
    title: Students
    items:
      - {institution: C, degree: PhD, date: 2023}
      - {institution: D, degree: PhD, date: 2022}
""")
    first = [id_of(unit.path) for unit in units(select(person, {})) if unit.weight > FIRST]
    assert first == ["sections.0.items.0", "sections.1.items.0"]


def test_bullets_of_roles_count_on_and_those_of_a_role_that_is_out_are_none() -> None:
    person = profile(
        "sections: [{kind: experience, items: [{employer: E, roles: [{title: R, tags: a,"
        " bullets: [B]}, {title: S, bullets: [C, D]}]}]}]\nvariants: {v: {exclude: a}}"
    )
    assert [id_of(unit.path) for unit in units(select(person, {}, "v"))] == [
        "sections.0.items.0.roles.1.bullets.1",
        "sections.0.items.0.roles.1.bullets.0",
        "sections.0.items.0",
    ]
    count = [unit.weight for unit in units(select(person, {})) if unit.path != unit.item]
    assert count == [80, 85, 200]


KEPT = {
    "the nearest word counts": (
        """
        sections:
          - kind: experience
            keep: true
            items:
              - {employer: a, bullets: [b]}
              - {employer: c, keep: false, bullets: [d]}
              - {employer: e, bullets: [{text: f, keep: false}]}
            groups:
              - {title: G, keep: false, items: [{employer: g}, {employer: h, keep: true}]}
        """,
        {"0.items.0", "0.items.0.bullets.0", "0.items.2", "0.groups.0.items.1"},
    ),
    "an interest keeps its run": (
        """
        name: Ada Example
        interests: [a, {name: b, keep: true}]
        sections: [{kind: experience, items: [{employer: a}]}]
        """,
        {"interests.run"},
    ),
    "a bullet or role keeps its item, a keyword its run": (
        """
        sections:
          - kind: experience
            items:
              - {employer: a, roles: [{title: r, keep: true, bullets: [b]}], bullets: [c]}
              - {employer: d, roles: [{title: s, keep: true}]}
          - {kind: keywords, items: [x, {text: y, keep: true}]}
        """,
        {"0.items.0", "0.items.0.roles.0.bullets.0", "0.items.1", "1.run"},
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_must_stay(name: str) -> None:
    text, expected = KEPT[name]
    every = units(select(profile(text), {}))
    kept = {id_of(unit.path).removeprefix("sections.") for unit in every if unit.kept_by}
    assert kept == expected


def test_what_counts_little_does_not_take_the_room_of_what_is_left_out() -> None:
    selected = select(
        profile("interests: [chess]\nsections: [{kind: award, items: [{title: a}, {title: b}]}]"),
        {},
    )
    heights = {"interests.run": 10, "sections.0.items.0": 10, "sections.0.items.1": 20}
    blocks = tuple(MeasuredBlock(path_of(name), float(high)) for name, high in heights.items())
    # Room for the interests is left, but an award is out.
    out = {("interests", "run"), ("sections", 0, "items", 1)}
    assert fit(selected, blocks, 25).left_out == out
    assert fit(selected, blocks, 30).left_out == {("interests", "run")}


LOREM = (
    "Designed and built a distributed scheduler for heterogeneous clusters that raised the "
    "utilisation of the whole installation and cut the waiting time of short jobs"
)
HEAD = "name: Ada Example\nheadline: Engineer\ncontact: {email: ada@example.org}\n"
EDUCATION = """\
  - kind: education
    items:
      - {institution: Example University, degree: M.Sc. in Computer Science, date: 2007 to 2009}
      - {institution: Sample College, degree: B.Sc. in Mathematics, date: 2004 to 2007}
"""
MINOR = """\
  - kind: reference
    items:
      - {name: Grace Sample, title: Director, institution: Example Corp, quote: "The best engineer \
that I have ever worked with, and the kindest."}
      - {name: Sam Specimen, title: Professor, institution: Example University, quote: "A mind \
that sees the whole of a system at once."}
      - {name: Kim Muster, title: Founder, institution: Muster Works, quote: "Ask Ada."}
  - {kind: keywords, items: [chess, sailing, baroque music]}
  - {kind: text, title: Motto, items: Make it work and make it last.}
"""


def jobs(count: int, bullets: int) -> str:
    lines = ["  - kind: experience", "    items:"]
    for number in range(1, count + 1):
        start = 2026 - 2 * number
        job = f"employer: Company {number}, title: Developer, date: {start} to {start + 2}"
        lines.append(f"      - {{{job},")
        texts = ", ".join(f"Point {number}-{b}. {LOREM}." for b in range(1, bullets + 1))
        lines.append(f"         bullets: [{texts}]}}")
    return "\n".join(lines) + "\n"


def engineer() -> str:
    """15 years, 8 jobs with bullets, awards, skills, references, interests, a motto."""
    awards = "\n".join(
        f"      - {{title: Award {n}, awarder: Example Society, date: {2020 - n}}}"
        for n in range(6)
    )
    return (
        f"{HEAD}interests: [Cycling tours, Bread]\nsections:\n{MINOR}{jobs(8, 5)}{EDUCATION}"
        f"  - kind: award\n    items:\n{awards}\n"
        "  - {kind: skill, items: [{name: Programming, keywords: [Python, Rust, SQL]}]}\n"
    )
