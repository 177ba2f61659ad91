"""The styles grid, margin and sidebar: where their columns are, and what readers get of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import deep
import outloud
import pypdf
import pytest
from glyphs import places
from lettered import SHORT
from outloud.model import Document as Tagged
from outloud.rules._common import element_text
from papers import Paper, texts

from cvbuild.building.outcome import Outcome

STYLES = ("grid", "margin", "sidebar")
WIDTHS = {"a4": 210.0, "letter": 215.9}
MARA = """\
name: Mara Placeholder
headline: Product designer
photo: photo.png
contact: {email: mara@placeholder.example, phone: +44 20 7946 0123, address: "Bristol, England"}
summary: Designer with ten years in medical software, from the first interview to the last pixel.
sections:
  - kind: experience
    items:
      - employer: Sample Instruments
        title: Lead designer
        location: Bristol
        date: 2021-04 to present
        bullets: [Led four designers on a console for laboratories., Built a library of 84 parts.]
      - employer: Example Health
        roles:
          - {title: Senior designer, date: 2018-09 to 2021-03, bullets: [Drew a drug chart.]}
          - {title: Designer, date: 2016-02 to 2018-08}
  - kind: education
    items: [{institution: University of Examples, degree: M.A., date: 2013 to 2014}]
  - kind: publication
    items:
      - {title: What night nurses see, authors: [Mara Placeholder], venue: Ergonomics, date: 2020}
  - kind: talk
    items: [{title: Colour at night, event: Example Days, date: 2022}]
  - kind: award
    items: [{title: Example Design Award, awarder: Design Council, date: 2022}]
  - kind: skill
    items:
      - {name: Design, keywords: [interaction, typography]}
      - {name: Code, keywords: [SVG, Python]}
  - kind: language
    items: [{language: English, level: native}, {language: Portuguese, level: fluent}]
  - kind: reference
    items: [{name: Grace Sample, title: Professor, email: grace@university.example}]
"""
Build = Callable[..., Outcome]


@pytest.fixture
def build(paper: Paper) -> Build:
    """``build(style, engine, options, letter=…)``: a document of Mara."""

    def outcome(
        style: str, engine: str = "embedded", options: str = "{}", letter: str = "", more: str = ""
    ) -> Outcome:
        return paper(f"{MARA}{more}options: {options}\n", style, engine=engine, letter=letter)

    return outcome


def path_of(outcome: Outcome) -> Path:
    """The PDF of a document that was built without a word from TeX."""
    assert outcome.path is not None
    assert [one for one in outcome.diagnostics if one.severity != "note"] == []
    return outcome.path


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
@pytest.mark.parametrize("size", deep.but(["a4"], ["a4", "letter"]))
def test_the_sidebar_is_read_after_the_main_column(build: Build, engine: str, size: str) -> None:
    pdf = path_of(build("sidebar", engine, f"{{paper: {size}, photo: true}}"))
    read_by = {name: text.split() for name, text in texts(pdf).items()}
    assert all(words == read_by["pdfium"] for words in read_by.values()), read_by
    words = read_by["pdfium"]
    assert words.index("Talks") < words.index("Skills") < words.index("Languages")
    tagged = Tagged(str(pdf))
    try:
        titles = (one for one in tagged.elements if one.type == "H2")
        heads = [element_text(tagged, one).split()[0] for one in titles]
    finally:
        tagged.close()
    assert heads == [word for word in words if word in heads][: len(heads)]
    assert [one for one in outloud.check(str(pdf)).findings if one.severity == "error"] == []


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_the_narrow_column_is_on_the_right(build: Build, engine: str) -> None:
    place = places(path_of(build("sidebar", engine)))
    edge = WIDTHS["a4"] - 17 - 46
    for words in ("Skills", "interaction", "English", "Grace", "Example Design"):
        assert place(words)[0] > edge - 0.5, words
    for words in ("Lead designer", "Led four designers", "Publications"):
        assert place(words)[0] < 30, words
        assert place(words)[2] < edge - 8, words
    # The first titles of both columns stand on one line.
    assert place("Skills")[1] == pytest.approx(place("Summary")[1], abs=0.3)


def test_a_full_narrow_column_takes_nothing_from_the_other(build: Build) -> None:
    awards = "  - kind: award\n    title: Prizes\n    items:\n" + "".join(
        f"      - {{title: Prize of the year {year}, awarder: Society of Examples, date: {year}}}\n"
        for year in range(1970, 2020)
    )
    outcome = build("sidebar", more=awards)
    assert path_of(outcome)
    left_out = [one.message for one in outcome.left_out]
    assert left_out
    assert not [one for one in left_out if "designer" in one or "M.A." in one], left_out


@pytest.mark.parametrize("style", ["grid", "margin"])
@pytest.mark.parametrize(
    ("engine", "size"),
    deep.but([("embedded", "a4")], [("embedded", "a4"), ("lualatex", "letter")]),
)
def test_dates_have_a_column(build: Build, style: str, engine: str, size: str) -> None:
    pdf = path_of(build(style, engine, f"{{paper: {size}, photo: true}}"))
    read_by = {name: text.split() for name, text in texts(pdf).items()}
    same = {name: words for name, words in read_by.items() if name != "poppler"}
    assert all(words == read_by["pdfium"] for words in same.values()), same
    assert sorted(read_by.get("poppler", same["pypdf"])) == sorted(same["pypdf"])
    place = places(pdf)
    text = [place(words)[0] for words in ("Lead designer", "Sample Instr", "Senior desig")]
    assert max(text) - min(text) < 0.5
    # The edge on which dates stand; those of publications and facts stand there, too.
    side = 0 if style == "grid" else 2
    shown = ("Apr 2021 – present", "Sep 2018 – Mar 2021", "2013–2014", "2020", "2022")
    dates = [place(words) for words in shown]
    edges = [one[side] for one in dates]
    assert max(edges) - min(edges) < 0.7, edges
    assert max(one[2] for one in dates) < min(text) - 1


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_a_letter_has_the_same_design(build: Build, style: str, engine: str) -> None:
    pdf = path_of(build(style, engine, letter=SHORT))
    assert len(pypdf.PdfReader(pdf).pages) == 1
    place = places(pdf)
    assert place("Mara Placeholder")[0] == pytest.approx(place("Ich freue mich")[0], abs=1)
