"""Where the words of a style's page stand, and what a designer would see there, measured.

Word gaps, long lines, overlaps and bare last pages are verify's own, and tested with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import deep
import outloud
import pikepdf
import pytest
from glyphs import MM, Glyph, find, lines, places, read
from lettered import SHORT
from papers import Paper, made, pages_of, text_of, texts
from profiles import person_of
from trees import elements

#: Styles of one column, and those with a narrow one for dates, or for facts.
ROWS = ("plain", "banking")
COLUMNS = ("grid", "margin", "sidebar")
ZOE = person_of("zoe")
#: Readers divide words of other scripts in ways of their own.
LATIN = ZOE.replace(", native: 佐伊", "")
#: Words of the page in the order of the style. Words of one line are joined by spaces.
HEAD = ["Zoe Example", "Engineer of Examples", "zoe@example.org", "linkedin.com"]
SUMMARY = ["Summary", "Measures before"]
PARTS = {
    "experience": {
        "plain": ["Cloudy", "Springfield", "Builder", "Mar 2021", "Rebuilt the store", "Cut its"],
        "banking": ["Builder", "Mar 2021", "Cloudy", "Springfield", "Rebuilt the store"],
    },
    "project": {
        "plain": ["Tidelog", "Ogdenville", "Author", "2022", "A log."],
        "banking": ["Tidelog", "2022", "Author", "Ogdenville", "A log."],
    },
    "publication": {
        "plain": ["Zoe Example", "Bo Sample", "A Log That", "ESOS", "2020"],
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
    "banking": ["experience", "project", "skill", "publication"],
}


def expected(style: str) -> Iterator[str]:
    yield from (*HEAD, *SUMMARY)
    for kind in ORDER[style]:
        yield TITLES[kind]
        yield from PARTS.get(kind, {}).get(style, [])


def built(paper: Paper, style: str, text: str = ZOE, letter: str = "") -> Path:
    outcome = paper(text, style, engine="embedded", letter=letter)
    assert {one.severity for one in outcome.diagnostics} <= {"note"}, outcome.diagnostics
    return made(outcome)


@pytest.mark.parametrize("style", deep.but(["plain"], ROWS))
def test_readers_get_the_words_in_order(style: str, paper: Paper) -> None:
    for reader, words in texts(built(paper, style)).items():
        text, at = " ".join(words.split()), 0
        for word in expected(style):
            if reader == "poppler" and word in ASIDE:
                assert word in text
                continue
            found = text.find(word, at)
            assert found >= 0, f"{style}, {reader}: {word!r} isn't after {text[at - 40 : at]!r}"
            at = found + len(word)


def test_columns_have_edges(paper: Paper) -> None:
    words = ("Cloudy", "Springfield", "Builder", "May 2023")
    plain, banking = (
        dict(zip(words, map(places(built(paper, style)), words), strict=True)) for style in ROWS
    )
    for at in (plain, banking):
        assert at["Springfield"][2] == pytest.approx(at["May 2023"][2], abs=0.5)
        assert at["Cloudy"][1] == pytest.approx(at["Springfield"][1], abs=0.2)
        assert at["Builder"][1] == pytest.approx(at["May 2023"][1], abs=0.2)
    assert plain["Springfield"][2] == pytest.approx(210 - 21, abs=0.5)
    assert plain["Cloudy"][0] == pytest.approx(plain["Builder"][0], abs=0.5)


#: Sides in mm, and options.
SIDE = "titles: side, section-numbers: true, contacts: icon, dates: under, bullet: dash"
LEFT = "titles: plain, contacts: label, dates: left, density: tight, size: '11'"
PAPERS = {"a4": ((210, 297), SIDE), "letter": ((215.9, 279.4), LEFT)}


@pytest.mark.deep
@pytest.mark.parametrize(("style", "size"), [(style, size) for style in ROWS for size in PAPERS])
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


@pytest.mark.parametrize("style", deep.but(["banking"], ROWS))
def test_lines_of_a_long_name_are_apart_and_a_head_may_be_bare(style: str, paper: Paper) -> None:
    page = read(built(paper, style, f"name: {LONG}\nsummary: Some words.\n"))
    first, last, text = (find(page, one)[0] for one in ("Maximiliane", "Schillings", "Some words"))
    assert first.base - last.base >= 0.85 * first.size, style
    assert last.base > text.base


def test_letters_have_the_same_head(paper: Paper) -> None:
    letter = "recipient: {name: Lin}\nbody: |\n  I apply for the position.\n\n  - One.\n  - Two.\n"
    text = " ".join(text_of(built(paper, "plain", letter=letter)).split())
    found = [text.index(word) for word in (*HEAD, "Dear", "I apply", "One.", "Sincerely")]
    assert found == sorted(found)


@pytest.mark.deep
@pytest.mark.parametrize("style", COLUMNS)
def test_a_letter_has_the_same_design(style: str, paper: Paper) -> None:
    pdf = built(paper, style, LATIN, letter=SHORT)
    with pikepdf.open(pdf) as opened:
        assert len(opened.pages) == 1
    place = places(pdf)
    # In the column of the head's other lines, where the name has one of its own.
    head = "zoe@example.org" if style == "grid" else "Zoe Example"
    assert place(head)[0] == pytest.approx(place("Ich freue mich")[0], abs=1)


def with_photo(size: str) -> str:
    return f"{LATIN}options: {{paper: {size}, photo: true}}\n"


@pytest.mark.parametrize("size", deep.but(["a4"], ["a4", "letter"]))
def test_the_sidebar_is_read_after_the_main_column(size: str, paper: Paper) -> None:
    pdf = built(paper, "sidebar", with_photo(size))
    read_by = {name: text.split() for name, text in texts(pdf).items()}
    # Of a page with so few words poppler makes blocks, as where dates are on the right edge.
    blocks = read_by.pop("poppler", read_by["pypdf"])
    assert sorted(blocks) == sorted(read_by["pypdf"])
    assert all(words == read_by["pdfium"] for words in read_by.values()), read_by
    words = read_by["pdfium"]
    assert words.index("Publications") < words.index("Skills") < words.index("Languages")
    heads = [text.split()[0] for one, text in elements(pdf) if one.type == "H2"]
    assert heads == [word for word in words if word in heads][: len(heads)]
    assert [one for one in outloud.check(str(pdf)).findings if one.severity == "error"] == []


def test_the_narrow_column_is_on_the_right(paper: Paper) -> None:
    place = places(built(paper, "sidebar", LATIN))
    edge = 210 - 13 - 50
    for words in ("Skills", "zoe@example.org", "reviews", "English", "Prize"):
        assert place(words)[0] > edge - 0.5, words
    for words in ("Builder", "Rebuilt the store", "Publications", "Grace"):
        assert place(words)[0] < 30, words
        assert place(words)[2] < edge - 8, words
    # Dates are at the right edge of the main column.
    assert place("May 2023")[2] == pytest.approx(edge - 15, abs=0.5)


def test_no_date_sticks_out_of_the_narrow_column(paper: Paper) -> None:
    prizes = (
        "[2019-03, 2020-04, 2021-05, 2022-06]",
        "[2019-09-28, 2022-09-30]",
        "{text: each of the summers of 2017 and 2018}",
    )
    items = "".join(f"      - {{title: Prize, date: {date}}}\n" for date in prizes)
    head = "name: Ada Example\nlocale: es\noptions: {date-form: long}\nsections:\n"
    pdf = built(paper, "sidebar", f"{head}  - kind: award\n    items:\n{items}")
    place = places(pdf)
    for words in ("marzo de 2019, abril de 2020,", "28 de septiembre de 2019,", "summers of"):
        assert place(words)[2] < 210 - 12


def test_a_long_list_stays_in_the_main_column_and_both_go_on_on_the_next_page(paper: Paper) -> None:
    work, served, awards = (
        f"  - kind: {kind}\n    items:\n"
        + "".join(f"      - {{{key}: {kind} {n} of many, {more}}}\n" for n in range(10, count))
        for kind, key, count, more in (
            ("experience", "title", 22, "employer: Example, bullets: [Did it. Did it again.]"),
            ("service", "role", 40, "organization: Society of Examples"),
            ("award", "title", 50, "awarder: Society of Examples, date: 1970"),
        )
    )
    pdf = built(paper, "sidebar", f"name: Zoe Example\nsections:\n{work}{served}{awards}")
    with pikepdf.open(pdf) as opened:
        assert len(opened.pages) == 2
    place = places(pdf)
    assert place("service 10")[0] > 140 > place("experience 10")[2]
    for name in ("pypdf", "pdfium"):
        text = " ".join(texts(pdf)[name].split())
        parts = ("experience 10", "award 10", "service 10", "2/2", "award 49", "service 39")
        found = [text.index(f"{part} of many" if part != "2/2" else part) for part in parts]
        assert found == sorted(found), name


@pytest.mark.parametrize("style", deep.but(["grid"], ["grid", "margin"]))
@pytest.mark.parametrize("size", deep.but(["a4"], ["a4", "letter"]))
def test_dates_have_a_column(style: str, size: str, paper: Paper) -> None:
    pdf = built(paper, style, with_photo(size))
    read_by = {name: text.split() for name, text in texts(pdf).items()}
    same = {name: words for name, words in read_by.items() if name != "poppler"}
    assert all(words == read_by["pdfium"] for words in same.values()), same
    assert sorted(read_by.get("poppler", same["pypdf"])) == sorted(same["pypdf"])
    place = places(pdf)
    text = [place(words)[0] for words in ("Builder", "Cloudy", "Lead")]
    assert max(text) - min(text) < 0.5
    # The edge on which dates stand; those of publications and facts stand there, too.
    side = 0 if style == "grid" else 2
    shown = ("Mar 2021 – May 2023", "2019", "2011–2015", "2020", "2016")
    dates = [place(words) for words in shown]
    edges = [one[side] for one in dates]
    assert max(edges) - min(edges) < 0.7, edges
    assert max(one[2] for one in dates) < min(text) - 1


def job(number: int, bullets: int) -> str:
    listed = ", ".join(f"Bullet {number}-{at} of {bullets}" for at in range(1, bullets + 1))
    head = f"employer: Company {number}, title: Job {number}, date: {2040 - number}"
    return f"      - {{{head}, bullets: [{listed}]}}\n"


def body(page: list[Glyph], number: int) -> list[str]:
    found = lines([one for one in page if one.page == number])
    return [line for line in found if not re.search(r"Ada Example|^\d/\d$", line)]


@pytest.mark.deep
@pytest.mark.parametrize("style", ["academic", "industry"])
def test_no_page_begins_or_ends_with_a_part_of_a_pair(style: str, paper: Paper) -> None:
    breaks = 0
    for shift in range(7):
        text = "name: Ada Example\nsections:\n  - kind: text\n    items:\n"
        text += "".join(f"      - Line {at}\n" for at in range(shift + 1))
        text += "  - kind: experience\n    items:\n"
        text += "".join(job(number, 1 + number % 4) for number in range(24))
        found = read(made(paper(text, style)))
        pages = [body(found, number) for number in range(found[-1].page + 1)]
        for before, after in pairwise(pages):
            breaks += 1
            # A job stays with its first bullets; the last bullet doesn't stand alone.
            assert not re.match(r"Job \d+", before[-1])
            assert not re.search(r"Bullet \d+-1 of [234]", before[-1])
            assert not re.search(r"Bullet \d+-(\d) of \1", after[0])
    assert breaks >= 7


ENTRIES = range(80)


def test_heads_stay_with_what_they_head(paper: Paper) -> None:
    """Entries of one to three lines, some with bullets, so that pages end in many places."""
    rows = ["name: Ada Example", "sections:"]
    for number in ENTRIES:
        if number % 7 == 0:
            rows += ["  - kind: experience", f"    title: S{number}x", "    items:"]
        rows += [f"      - title: T{number}x", f"        employer: O{number}x"]
        rows += [f"        bullets: [B{number}x{', more' * (number % 3)}]"] * (number % 2)
    pages = pages_of(made(paper("\n".join(rows) + "\n", "industry")))
    assert len(pages) >= 4

    def page_of(word: str) -> int:
        return next(number for number, page in enumerate(pages) if word in page.split())

    for number in ENTRIES:
        assert page_of(f"T{number}x") == page_of(f"O{number}x")
        if number % 7 == 0:
            assert page_of(f"S{number}x") == page_of(f"T{number}x")
