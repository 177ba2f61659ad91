"""The styles plain, engineer and banking: what stands where, and in which order it is read."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pikepdf
import pypdf
import pypdfium2
import pytest
from conftest import Run
from test_scripts import pdfium, poppler

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


READERS: dict[str, Callable[[Path], str]] = {
    "pdfium": pdfium,
    "pypdf": lambda pdf: "\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages),
}
if shutil.which("pdftotext"):
    READERS |= {"poppler": poppler, "poppler -raw": lambda pdf: poppler(pdf, "-raw")}


def build(run: Run, *arguments: str, text: str = ZOE) -> None:
    """Build all three styles in the working folder, without a warning."""
    Path("people").mkdir(exist_ok=True)
    Path("people/zoe.yaml").write_text(text, encoding="utf-8")
    done = run("build", "zoe", "-t", ",".join(STYLES), *arguments)
    assert done.code == 0, done.err
    assert "warning" not in done.err


def check_order(style: str, pdf: Path) -> None:
    for reader, read in READERS.items():
        text, at = " ".join(read(pdf).split()), 0
        for word in expected(style):
            if reader == "poppler" and word in ASIDE:
                assert word in text
                continue
            found = text.find(word, at)
            assert found >= 0, f"{style}, {reader}: {word!r} isn't after {text[at - 40 : at]!r}"
            at = found + len(word)


def boxes(pdf: Path, *words: str) -> dict[str, tuple[float, float, float, float]]:
    """Left, bottom, right and top of words of page 1, in pt, where they are first."""
    found = {}
    with pypdfium2.PdfDocument(pdf) as opened:
        text = opened[0].get_textpage()
        for word in words:
            match = text.search(word, match_case=True).get_next()
            assert match, word
            chars = [text.get_charbox(match[0] + n, loose=True) for n in range(match[1])]
            lefts, bottoms, rights, tops = zip(*chars, strict=True)
            found[word] = (min(lefts), min(bottoms), max(rights), max(tops))
    return found


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("requires_embedded", "workspace")
def test_readers_get_the_words_in_order_and_columns_have_edges(run: Run) -> None:
    build(run)
    for style in STYLES:
        check_order(style, Path(f"out/zoe/{style}.pdf"))
    at = boxes(Path("out/zoe/plain.pdf"), "Cloudy", "Springfield", "Builder", "May 2023")
    right = 210 / 25.4 * 72 - 33 / 25.4 * 72
    assert at["Springfield"][2] == pytest.approx(at["May 2023"][2], abs=1.5)
    assert at["Springfield"][2] == pytest.approx(right, abs=1.5)
    assert at["Cloudy"][0] == pytest.approx(at["Builder"][0], abs=1.5)
    assert at["Cloudy"][1] == pytest.approx(at["Springfield"][1], abs=0.5)
    assert at["Builder"][1] == pytest.approx(at["May 2023"][1], abs=0.5)
    at = boxes(Path("out/zoe/engineer.pdf"), "Cloudy", "Springfield", "Builder", "May 2023")
    assert len({round(bottom) for _, bottom, _, _ in at.values()}) == 1
    at = boxes(Path("out/zoe/banking.pdf"), "Cloudy", "Springfield", "Builder", "May 2023")
    assert at["Builder"][1] == pytest.approx(at["May 2023"][1], abs=0.5)
    assert at["Cloudy"][1] == pytest.approx(at["Springfield"][1], abs=0.5)
    assert at["Springfield"][2] == pytest.approx(at["May 2023"][2], abs=1.5)


@pytest.mark.usefixtures("requires_texlive", "workspace")
def test_luatex_sets_the_same(run: Run) -> None:
    build(run, "--engine", "lualatex")
    for style in STYLES:
        check_order(style, Path(f"out/zoe/{style}.pdf"))


@pytest.mark.usefixtures("requires_embedded", "workspace")
def test_options_and_papers_change_the_page_and_lose_nothing(run: Run) -> None:
    sizes = {"a4": (595.28, 841.89), "letter": (612, 792)}
    for paper, options in (
        ("a4", "titles: side, section-numbers: true, contacts: icon, dates: under, bullet: dash"),
        ("letter", "titles: plain, contacts: label, dates: left, density: tight, size: '11'"),
    ):
        build(run, text=f"{ZOE}options: {{paper: {paper}, {options}}}\n")
        for style in STYLES:
            with pikepdf.open(f"out/zoe/{style}.pdf") as pdf:
                assert [float(n) for n in pdf.pages[0].mediabox[2:]] == pytest.approx(
                    sizes[paper], abs=0.1
                )


LONG = "Maximiliane-Theodora von Hohenlohe-Waldenburg-Schillingsfürst"


@pytest.mark.usefixtures("requires_embedded", "workspace")
def test_lines_of_a_long_name_are_apart_and_a_head_may_be_bare(run: Run) -> None:
    build(run, text=f"name: {LONG}\nsummary: Some words.\n")
    for style in STYLES:
        at = boxes(Path(f"out/zoe/{style}.pdf"), "Maximiliane", "Schillings", "Some words")
        first, last, text = (at[word][1] for word in ("Maximiliane", "Schillings", "Some words"))
        height = at["Maximiliane"][3] - first
        assert first - last >= 0.85 * height, style
        assert last > text


@pytest.mark.usefixtures("requires_embedded", "workspace")
def test_letters_have_the_same_head(run: Run) -> None:
    build(run)
    Path("applications").mkdir()
    for style in STYLES:
        Path(f"applications/{style}.yaml").write_text(
            f"person: zoe\ntemplate: {style}\nemployer: Institute\nposition: Builder\n"
            "letter: |\n  I apply for the position.\n\n  - One.\n  - Two.\n",
            encoding="utf-8",
        )
    done = run("apply", *STYLES)
    assert done.code == 0, done.err
    for style in STYLES:
        (letter,) = Path(f"out/applications/{style}").glob("*Letter*.pdf")
        text = " ".join(pdfium(letter).split())
        places = [text.index(word) for word in (*HEAD, "Dear", "I apply", "One.", "Sincerely")]
        assert places == sorted(places), style
        with pypdfium2.PdfDocument(letter) as opened:
            assert len(opened) == 1
