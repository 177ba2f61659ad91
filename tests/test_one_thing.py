"""Options that change one thing of any style: sizes of name and titles, their letters, lines."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import Any

import deep
import docx
import pikepdf
import pypdfium2
import pytest
from glyphs import MM, Glyph, find, lines, read
from msgspec.structs import replace
from papers import Paper, made, prepare, text_of
from PIL import Image
from profiles import person_of
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE
from web_pages import page, shown

from cvbuild.building import pipeline, profiles
from cvbuild.inputs.people import Person
from cvbuild.model import rich_text
from cvbuild.outputs.html import style_sheet
from cvbuild.outputs.templates import Library
from cvbuild.outputs.types import Shown, find_output

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
    """In the photo's place, else opposite: from the workspace's folder, at most 32 mm wide."""
    Image.new("RGB", (900, 300), "navy").save("logo.png")
    for photo, sides in (("", [True]), ("photo: photo.png\n", [False, True])):
        text = f"{photo}options: {{logo: logo.png, photo: {bool(photo)}}}\n{ADA}"
        task, settings = prepare(text)
        pdf = made(pipeline.build(task, settings))
        with pypdfium2.PdfDocument(pdf) as document:
            pictures = document[0].get_objects([FPDF_PAGEOBJ_IMAGE])
            boxes = sorted((one.get_bounds() for one in pictures), key=itemgetter(0))
        name = find(read(pdf), "Example")
        assert [box[0] > name[-1].right for box in boxes] == sides
        assert boxes[0][2] - boxes[0][0] == pytest.approx(32 * MM, abs=0.5)
        web = made(pipeline.build(replace(task, format="html"), settings)).read_text("utf-8")
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
