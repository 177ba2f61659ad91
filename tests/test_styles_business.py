"""The styles plain, engineer and banking: what stands where, and in which order it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import deep
import pikepdf
import pytest
from conftest import Run
from glyphs import MM, find, places, read
from papers import Paper, made, text_of, texts

STYLES = ("plain", "engineer", "banking")
ZOE = """\
name: {full: Zoe Example, native: 佐伊}
headline: Engineer of Examples
contact:
  email: zoe@example.org
  phone: +1 206 555 0142
  address: Seattle, WA
  profiles: {github: zoe-example, linkedin: zoe-example}
summary: Measures before and after.
sections:
  - kind: experience
    items:
      - employer: Cloudy
        title: Builder
        location: Springfield
        date: 2021-03 to 2023-05
        bullets: [Rebuilt the store., Cut its cost.]
      - {employer: Placeless, title: Tester, date: 2019}
      - employer: Grouped
        location: Shelbyville
        roles: [{title: Lead, date: 2018}, {title: Trainee, date: 2017}]
  - kind: education
    items: [{institution: College, degree: Diploma, location: Capital City, date: 2011 to 2015}]
  - kind: project
    items: [{name: Tidelog, role: Author, location: Ogdenville, date: 2022, summary: A log.}]
  - kind: skill
    items: [{name: Practice, keywords: [reviews, designs]}]
  - kind: publication
    items:
      - title: A Log That Forgets Nothing
        authors: [Zoe Example, Bo Sample]
        venue: ESOS
        date: 2020
  - kind: award
    items: [{title: Prize, awarder: Society, date: 2016}]
"""
#: Words of the page in the order of the style. Words of one line are joined by spaces.
HEAD = ["Zoe Example", "Engineer of Examples", "zoe@example.org", "linkedin.com"]
SUMMARY = ["Summary", "Measures before"]
PARTS = {
    "experience": {
        "plain": ["Cloudy", "Springfield", "Builder", "Mar 2021", "Rebuilt the store", "Cut its"],
        "engineer": ["Builder", "Cloudy", "Springfield", "Mar 2021", "Rebuilt the store"],
        "banking": ["Builder", "Mar 2021", "Cloudy", "Springfield", "Rebuilt the store"],
    },
    "project": {
        "plain": ["Tidelog", "Ogdenville", "Author", "2022", "A log."],
        "engineer": ["Tidelog", "Author", "Ogdenville", "2022", "A log."],
        "banking": ["Tidelog", "2022", "Author", "Ogdenville", "A log."],
    },
    "publication": {
        "plain": ["Zoe Example", "Bo Sample", "A Log That", "ESOS", "2020"],
        "engineer": ["A Log That", "Zoe Example", "Bo Sample", "ESOS", "2020"],
        "banking": ["A Log That", "Zoe Example", "Bo Sample", "ESOS", "2020"],
    },
}
#: What is on the right edge: poppler without -raw takes it for a column where the text is short.
ASIDE = {"Springfield", "Mar 2021", "Ogdenville", "2022"}
TITLES = {
    "experience": "Experience",
    "project": "Projects",
    "publication": "Publications",
    "skill": "Skills",
}
ORDER = {
    "plain": ["experience", "project", "skill", "publication"],
    "engineer": ["skill", "experience", "project", "publication"],
    "banking": ["experience", "project", "skill", "publication"],
}


def expected(style: str) -> Iterator[str]:
    """What a reader gets of the style's page, in its order."""
    yield from (*HEAD, *SUMMARY)
    for kind in ORDER[style]:
        yield TITLES[kind]
        yield from PARTS.get(kind, {}).get(style, [])


def check_order(style: str, pdf: Path) -> None:
    for reader, words in texts(pdf).items():
        text, at = " ".join(words.split()), 0
        for word in expected(style):
            if reader == "poppler" and word in ASIDE:
                assert word in text
                continue
            found = text.find(word, at)
            assert found >= 0, f"{style}, {reader}: {word!r} isn't after {text[at - 40 : at]!r}"
            at = found + len(word)


def built(paper: Paper, style: str, text: str = ZOE, engine: str = "embedded") -> Path:
    """The PDF in a style; nothing is wrong with it."""
    outcome = paper(text, style, engine=engine)
    assert {one.severity for one in outcome.diagnostics} <= {"note"}, outcome.diagnostics
    return made(outcome)


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
@pytest.mark.parametrize("style", STYLES)
def test_readers_get_the_words_in_order(style: str, engine: str, paper: Paper) -> None:
    check_order(style, built(paper, style, engine=engine))


def test_columns_have_edges(paper: Paper) -> None:
    words = ("Cloudy", "Springfield", "Builder", "May 2023")
    plain, engineer, banking = (
        dict(zip(words, map(places(built(paper, style)), words), strict=True)) for style in STYLES
    )
    for at in (plain, banking):
        assert at["Springfield"][2] == pytest.approx(at["May 2023"][2], abs=0.5)
        assert at["Cloudy"][1] == pytest.approx(at["Springfield"][1], abs=0.2)
        assert at["Builder"][1] == pytest.approx(at["May 2023"][1], abs=0.2)
    assert plain["Springfield"][2] == pytest.approx(210 - 33, abs=0.5)
    assert plain["Cloudy"][0] == pytest.approx(plain["Builder"][0], abs=0.5)
    assert len({round(base, 1) for _, base, _ in engineer.values()}) == 1


#: Sides in mm, and options.
SIDE = "titles: side, section-numbers: true, contacts: icon, dates: under, bullet: dash"
LEFT = "titles: plain, contacts: label, dates: left, density: tight, size: '11'"
PAPERS = {"a4": ((210, 297), SIDE), "letter": ((215.9, 279.4), LEFT)}


@pytest.mark.parametrize("style", deep.but(["engineer"], STYLES))
@pytest.mark.parametrize("size", PAPERS)
def test_options_and_papers_change_the_page_and_lose_nothing(
    style: str, size: str, paper: Paper
) -> None:
    sides, options = PAPERS[size]
    pdf = built(paper, style, f"{ZOE}options: {{paper: {size}, {options}}}\n")
    with pikepdf.open(pdf) as opened:
        assert [float(n) / MM for n in opened.pages[0].mediabox[2:]] == pytest.approx(
            sides, abs=0.1
        )


LONG = "Maximiliane-Theodora von Hohenlohe-Waldenburg-Schillingsfürst"


@pytest.mark.parametrize("style", STYLES)
def test_lines_of_a_long_name_are_apart_and_a_head_may_be_bare(style: str, paper: Paper) -> None:
    page = read(built(paper, style, f"name: {LONG}\nsummary: Some words.\n"))
    first, last, text = (find(page, one)[0] for one in ("Maximiliane", "Schillings", "Some words"))
    assert first.base - last.base >= 0.85 * first.size, style
    assert last.base > text.base


@pytest.mark.usefixtures("requires_embedded")
def test_letters_have_the_same_head(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("people", "applications"):
        Path(folder).mkdir()
    Path("people/zoe.yaml").write_text(ZOE, encoding="utf-8")
    Path("applications/a.yaml").write_text(
        "person: zoe\ntemplate: plain\nemployer: Institute\nposition: Builder\n"
        "letter: |\n  I apply for the position.\n\n  - One.\n  - Two.\n",
        encoding="utf-8",
    )
    done = run("apply", "a")
    assert done.code == 0, done.err
    (letter,) = Path("out/applications/a").glob("*Letter*.pdf")
    text = " ".join(text_of(letter).split())
    found = [text.index(word) for word in (*HEAD, "Dear", "I apply", "One.", "Sincerely")]
    assert found == sorted(found)
