"""How pages look: measured by the glyphs and lines that are on them."""

from __future__ import annotations

import re
from collections.abc import Callable

import deep
import pytest
from glyphs import Glyph, find, lines, read
from papers import Paper, made
from profiles import person_of

from cvbuild.outputs.templates import Library

ADA = person_of("ada-looks")
GREY = 40
#: The style and options of a document to a list of its glyphs.
Look = Callable[..., list[Glyph]]


@pytest.fixture
def look(paper: Paper) -> Look:
    """``look("academic", "dates: left")``: the glyphs of ada's document in a style."""

    def glyphs(style: str, options: str = "") -> list[Glyph]:
        return read(made(paper(f"{ADA}options: {{{options}}}\n", style)))

    return glyphs


def hue(one: Glyph) -> bool:
    """Return whether a glyph has a colour, not a grey."""
    return max(one.colour) - min(one.colour) > GREY


def all_(what: str, one: list[Glyph]) -> bool:
    """Return whether all glyphs are bold, or italic."""
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
