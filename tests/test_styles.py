"""Where the words of a style's page stand, and what a designer would see there, measured.

Word gaps, long lines, overlaps and bare last pages are verify's own, and tested with it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import deep
import docx
import outloud
import pikepdf
import pypdfium2
import pytest
from glyphs import MM, Glyph, find, lines, places, read
from lettered import SHORT
from msgspec.structs import replace
from papers import Paper, made, pages_of, prepare, text_of, texts
from PIL import Image
from profiles import person_of
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE
from trees import elements
from web_pages import page, shown

from cvbuild.building import pipeline, profiles
from cvbuild.inputs.people import Person
from cvbuild.model.text import rich_text
from cvbuild.outputs.formats.html import style_sheet
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Shown, find_output

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


STYLES = Library.at().names()
ADA = """\
name: Ada Example
headline: Engineer
contact: {email: ada@example.org}
sections:
  - kind: experience
    items: [{employer: Example Corp, title: Developer, date: 2020 to present}]
"""
BIG = "options: {name-size: 140, title-size: 130, title-case: capitals, rule: thick}\n"
BARE = "options: {name-size: 80, title-case: normal, rule: none}\n"
#: Styles whose titles have a line, or whose head has one.
RULED = [name for name in STYLES if name not in ("margin", "sidebar")]


def lines_of(pdf: Path) -> list[float]:
    heights: list[float] = []
    stroke = 0.0
    with pikepdf.open(pdf) as opened:
        found: Any = pikepdf.parse_content_stream(opened.pages[0])
        for operands, operator in found:
            match str(operator), [float(one) for one in operands if str(operator) in "w l re"]:
                case "w", [width]:
                    stroke = width
                case "l", [x, _] if x > 60 and stroke:
                    heights.append(stroke)
                case "re", [_, _, width, height] if width > 60 and abs(height) < 5:
                    heights.append(abs(height))
    return heights


@pytest.mark.parametrize("style", deep.but(["academic"], STYLES))
def test_a_name_and_titles_have_other_sizes_and_letters(style: str, paper: Paper) -> None:
    usual, big, bare = (read(made(paper(ADA + one, style))) for one in ("", BIG, BARE))
    name = find(usual, "Example")[0].size
    assert find(big, "Example")[0].size == pytest.approx(1.4 * name, rel=0.02)
    assert find(bare, "Example")[0].size == pytest.approx(max(9, 0.8 * name), rel=0.02)
    title = find(usual, "Experience")[0].size
    capitals = find(big, "EXPERIENCE")
    assert capitals[0].size == pytest.approx(1.3 * title, rel=0.02)
    assert {round(one.size, 1) for one in capitals} == {round(capitals[0].size, 1)}
    # No small capitals, and nothing else is larger.
    assert len({round(one.size, 1) for one in find(bare, "Experience")}) == 1
    assert find(big, "Developer")[0].size == pytest.approx(find(usual, "Developer")[0].size)


@pytest.mark.parametrize("style", deep.but(["academic"], RULED))
def test_lines_are_thicker_or_not_there(style: str, paper: Paper) -> None:
    usual, thick, none = (lines_of(made(paper(ADA + one, style))) for one in ("", BIG, BARE))
    assert usual
    assert none == []
    assert thick == [pytest.approx(1.4, abs=0.05)] * len(usual)


@pytest.mark.parametrize("style", ["academic"])
def test_a_title_in_the_column_keeps_clear_of_the_text(style: str, paper: Paper) -> None:
    """Of titles of more and more letters, those that would come near have their own line."""
    titles = [f"A{'n' * count}{'i' * more}x" for count in range(5, 18) for more in range(4)]
    award = "  - {kind: award, title: %s, items: [{title: Prize}]}\n"
    text = "options: {titles: side}\nname: Ada Example\nsections:\n"
    outcome = paper(text + "".join(award % title for title in titles), style)
    assert [one for one in outcome.diagnostics if one.severity != "note"] == []
    glyphs = [one for one in read(made(outcome)) if one.text.strip("\r\n\0 ")]
    beside = set()
    for title in titles:
        one = find(glyphs, title)
        row = [each for each in glyphs if (each.page, each.base) == (one[0].page, one[0].base)]
        gap = (
            min((each.left for each in row if each.left > one[-1].left), default=0) - one[-1].right
        )
        beside.add(gap > 0)
        assert gap < 0 or gap > 3.5 * MM
    assert beside == {True, False}


PALE = """\
template: [academic, sidebar]
options: {accent: "949494", academic: {accent: navy}, banking: {accent: "1E5B43"}}
variants:
  yellow: {template: grid, options: {accent: "F5C518"}}
  red: {template: grid, options: {accent: burgundy}}
  grey: {template: grid, options: {accent: "949494"}}
"""


def test_an_accent_that_can_hardly_be_read_is_a_warning(tmp_path: Path) -> None:
    """Below 3 : 1 on white, or on the tint of it below a narrow column."""
    path = tmp_path / "ada.yaml"
    path.write_text(f"name: Ada Example\n{PALE}")
    found = profiles.check(Person("ada", path), Library.at())
    assert found.profile is not None
    said = [(one.severity, one.span.line, one.message) for one in found.diagnostics if one.span]
    assert said == [
        ("warning", 3, "the accent 949494 has a contrast of 2.9 : 1 on its ground"),
        ("warning", 5, "the accent F5C518 has a contrast of 1.6 : 1 on white"),
    ]


DATES = {
    "short": "Jul 2020 – Aug 14, 2021",
    "long": "July 2020 – August 14, 2021",
    "numeric": "07/2020 – 08/14/2021",
    "iso": "2020-07 – 2021-08-14",
}


def test_all_formats_have_dates_of_the_same_form(paper: Paper) -> None:
    for form, expected in DATES.items():
        text = ADA.replace("2020 to present", "2020-07 to 2021-08-14")
        text += f"options: {{date-form: {form}}}\n"
        document = shown(text)
        assert expected in text_of(made(paper(text))).replace("\u00a0", " ")
        paragraphs = docx.Document(io.BytesIO(_docx(document))).paragraphs
        assert any(expected in one.text.replace("\u00a0", " ") for one in paragraphs)
        assert expected in page(document).replace("\u00a0", " ")
        for name in ("txt", "md"):
            output: Any = find_output(name)
            assert expected in output.make(document).content.decode().replace("\u00a0", " ")


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_a_logo_is_beside_the_name() -> None:
    Image.new("RGB", (900, 300), "navy").save("logo.png")
    for photo, sides in (("", [True]), ("photo: photo.png\n", [False, True])):
        text = f"{photo}options: {{logo: logo.png, photo: {bool(photo)}}}\n{ADA}"
        task = prepare(text)
        pdf = made(pipeline.build(task))
        with pypdfium2.PdfDocument(pdf) as document:
            pictures = document[0].get_objects([FPDF_PAGEOBJ_IMAGE])
            boxes = sorted((one.get_bounds() for one in pictures), key=itemgetter(0))
        name = find(read(pdf), "Example")
        assert [box[0] > name[-1].right for box in boxes] == sides
        assert boxes[0][2] - boxes[0][0] == pytest.approx(32 * MM, abs=0.5)
        web = made(pipeline.build(replace(task, format="html"))).read_text("utf-8")
        assert web.count('<img class="logo"') == 1
        assert web.count("<img") == len(sides)


@pytest.mark.parametrize("style", deep.but(["academic", "sidebar"], STYLES))
def test_web_pages_and_word_follow(style: str) -> None:
    made = {one: shown(ADA + one, style) for one in ("", BIG, BARE)}
    big, bare = (style_sheet.of(made[one].template, made[one].options) for one in (BIG, BARE))
    assert "--name-size: 1.4; --title-size: 1.3; --rule: 1.6pt" in big.text
    assert "--name-size: 0.8; --title-size: 1; --rule: 0px" in bare.text
    for sheet in (big, bare):
        assert sheet.text.rstrip().endswith("h2 { font-variant-caps: normal }")
    assert ">EXPERIENCE<" in page(made[BIG])
    word = {one: docx.Document(io.BytesIO(_docx(made[one]))).styles for one in made}
    for name, scale in (("Title", 1.4), ("Heading 1", 1.3)):
        size = word[""][name].font.size.pt
        assert word[BIG][name].font.size.pt == pytest.approx(scale * size, abs=0.5)
    heading = {one: word[one]["Heading 1"].element.xml for one in made}
    assert 'w:sz="12"' in heading[BIG] or "w:pBdr" not in heading[""]
    assert "w:pBdr" not in heading[BARE]
    assert "w:caps" not in heading[BARE]
    assert "w:smallCaps" not in heading[BARE]


def _docx(document: Shown) -> bytes:
    output: Any = find_output("docx")
    content = output.make(document).content
    assert isinstance(content, bytes)
    return content


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Preise & Größen", "de", "PREISE & GRÖSSEN"),
        ("Eğitim bilgisi", "tr", "EĞİTİM BİLGİSİ"),
        ("Εκπαίδευση", "el", "ΕΚΠΑΙΔΕΥΣΗ"),
        ("學歷", "zh-Hant", "學歷"),
        ("A *b* [c](https://example.org/d) `e`", "en", "A B C e"),
    ],
)
def test_capitals_are_those_of_the_language(text: str, language: str, expected: str) -> None:
    nodes = rich_text.capitals(rich_text.parse(text, ("“", "”", "‘", "’")), language)
    assert rich_text.plain(nodes) == expected


@pytest.mark.parametrize(
    ("locale", "usual", "capitals"),
    [("de", "Über *Größen*", "ÜBER GRÖSSEN"), ("tr", "İlgi bilgisi", "İLGİ BİLGİSİ"),
     ("el", "Εκπαίδευση", "ΕΚΠΑΙΔΕΥΣΗ")],
)  # fmt: skip
def test_only_what_has_a_look_follows_and_plain_text_has_capitals(
    locale: str, usual: str, capitals: str
) -> None:
    own = f"locale: {locale}\n{ADA}    title: {usual}\n"
    written = {name: [_made(name, own + one) for one in ("", BIG)] for name in ("md", "txt")}
    for plain, big in written.values():
        assert plain == big
    assert f"## {usual}\n" in written["md"][1]
    assert f"\n{capitals}\n" in written["txt"][1]
    for name in ("html", "site"):
        assert f">{capitals}<" in re.sub("</?em>", "", _made(name, own + BIG))


def _made(name: str, text: str) -> str:
    output: Any = find_output(name)
    content = output.make(shown(text, output=name)).content
    return (content["index.html"] if name == "site" else content).decode()  # type: ignore[no-any-return]


LOOKED = person_of("ada-looks")
GREY = 40
#: The style and options of a document to a list of its glyphs.
Look = Callable[..., list[Glyph]]


@pytest.fixture
def look(paper: Paper) -> Look:
    def glyphs(style: str, options: str = "") -> list[Glyph]:
        return read(made(paper(f"{LOOKED}options: {{{options}}}\n", style)))

    return glyphs


def hue(one: Glyph) -> bool:
    return max(one.colour) - min(one.colour) > GREY


def all_(what: str, one: list[Glyph]) -> bool:
    return all(getattr(glyph, what) for glyph in one)


def test_what_looks_like_a_link_is_one(look: Look) -> None:
    page = look("academic")
    assert all(map(hue, find(page, "Example Labs")))
    assert not any(map(hue, find(page, "(labs.example.org/schedulers)")))
    assert all(map(hue, find(page, "[paper]")[1:-1]))  # its brackets are quiet
    assert "slides" not in "".join(one.text for one in page)
    bare = look("academic", "links: label")
    assert "labs.example.org" not in "".join(one.text for one in bare)


def test_titles_are_bold_and_employers_are_not(look: Look) -> None:
    page = look("industry")
    assert all_("bold", find(page, "Lead developer of"))
    employer = find(page, "Example Corp")
    assert not any(one.bold or hue(one) for one in employer)
    assert all(map(hue, find(page, "Experience")))
    assert not any(map(hue, find(page, "Research engineer")))


def test_one_page_has_readable_type(look: Look) -> None:
    page = look("one-page")
    assert min(one.size for one in page if one.text.isalpha()) >= 9
    body = find(page, "Made it twice as fast")[0]
    assert body.size >= 10
    assert find(page, "Experience")[0].size >= 1.04 * body.size
    # The name's weight doesn't spread, and the column of titles is as wide as they need.
    assert not any(one.bold for one in find(page, "Research engineer in distributed systems"))
    column = find(page, "Lead developer")[0].left - find(page, "Experience")[0].left
    assert 27 / 25.4 * 72 < column < 34 / 25.4 * 72


@pytest.mark.parametrize("style", deep.but(["academic", "sidebar"], Library.at().names()))
def test_no_line_tears_what_belongs_together(style: str, look: Look) -> None:
    page = look(style)
    for line in lines(page):
        assert not re.search(r"(\b[A-Z][.]|Prof[.]|\bDr)$", line), line
        assert not re.match(r"WA\b", line), line
    text = " ".join(lines(page))
    assert "GitHub" not in text
    # With icons, as in bold, the name of the network is not there.
    assert "0000-0002-1825-0097" in text
    assert ("ORCID 0000" in text) == (style != "bold")
    assert "Mentors: Kim Specimen, Sam Sample" in text
    assert "Mentor: A. B. Muster" in text
    assert "2020–present" in text
    assert "2018–2019" in text
    # In a narrow column the level may have its own line.
    assert ("(expert)" if style == "sidebar" else "Scientific computing (expert)") in text
    order = [text.index(one) for one in ("ada@example", "github.com/", "555 0123", "Springfield")]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "style", deep.but(["academic", "one-page"], ["academic", "industry", "one-page", "banking"])
)
def test_contacts_are_lines_of_about_one_length(style: str, look: Look) -> None:
    page = look(style)
    rows = {one.base for one in find(page, "ada@example.org") + find(page, "ada.example.org")}
    widths = [
        max(one.right for one in page if one.base == row)
        - min(one.left for one in page if one.base == row)
        for row in rows
    ]
    assert min(widths) > 0.4 * max(widths)


def test_the_date_of_a_long_title_is_on_its_first_line(look: Look) -> None:
    page = look("academic")
    title, date = find(page, "Lead developer of"), find(page, "2020–present")
    assert title[0].base == pytest.approx(date[0].base, abs=0.1)
    ends = {
        round(find(page, one)[-1].right, 1) for one in ("2020–present", "2018–2019", "Sep 2017")
    }
    assert len(ends) == 1


def test_dates_on_the_left_push_no_title(look: Look) -> None:
    page = look("academic", "dates: left")
    starts = {
        round(find(page, one)[0].left)
        for one in ("Lead developer", "Developer", "Intern", "Student", "Made it")
    }
    assert len(starts) <= 2  # the bullet's text is indented
    assert find(page, "I build")[0].left < min(starts) - 20
    under = look("academic", "dates: under")
    below = find(under, "Developer")[0].base - find(under, "2018–2019")[0].base
    assert 0 < below < 30


def test_labels_of_skills_stay_in_their_column(look: Look) -> None:
    page = look("industry")
    assert find(page, "NumPy")[0].left == pytest.approx(find(page, "HTML")[0].left, abs=0.1)
    assert find(page, "NumPy")[0].left > find(page, "Scientific computing")[-1].right + 4


def test_words_of_others_and_summaries_have_lines_of_their_own(look: Look) -> None:
    page = look("academic")
    assert all_("italic", find(page, "The best engineer that I know."))
    assert "Of 400 entries." in lines(page)


def test_digits_are_equally_wide(look: Look) -> None:
    page = look("plain")
    widths = {
        round((one.right - one.left) / one.size, 2)
        for one in find(page, "2018–2019")
        if one.text.isdigit()
    }
    assert len(widths) == 1


def test_options_change_what_they_say(look: Look) -> None:
    page = look(
        "academic",
        "titles: side, section-numbers: true, bullet: dash, contacts: label, accent: burgundy,"
        " margin: 35",
    )
    assert find(page, "1 Summary")[0].base == pytest.approx(find(page, "I build")[0].base, abs=1)
    text = " ".join(lines(page))
    assert "– Made it twice" in text
    assert "GitHub github.com" in text
    assert find(page, "Experience")[0].colour == (0x7A, 0x1F, 0x3D)
    assert find(page, "1 Summary")[0].left == pytest.approx(35 / 25.4 * 72, abs=1)
    with_icons = look("academic", "contacts: icon")
    assert "".join(lines(with_icons)).count("ORCID") == 0
