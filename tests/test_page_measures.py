"""How pages look: what is measured on their lines, what is told of it, and the last page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import deep
import papers
import pytest
from workspaces import template

from cvbuild.building.outcome import Outcome
from cvbuild.outputs.pdf.expected import STUB
from cvbuild.outputs.pdf.verify import check_pages, pdf_facts
from cvbuild.outputs.pdf.verify.pdf_facts import Box, Page
from cvbuild.outputs.pdf.verify.text_lines import Line, Word
from cvbuild.outputs.styles.templates import Library

#: A sentence in scripts whose signs stand over, under and beside each other.
SCRIPTS = {
    "ar": "جامعة القاهرة، بحث في الأنظمة الموزعة وتعلّم الآلة (Python 3.11) مع عشرة أشخاص",
    "he": "אוניברסיטת תל אביב, מחקר במערכות מבוזרות (Python 3.11) עם קבוצה של עשרה אנשים",
    "ja": "山田太郎は「東京大学」で研究しました。機械学習と分散システムの論文を発表しました。",
    "hi": "दिल्ली विश्वविद्यालय में कंप्यूटर विज्ञान पढ़ाया और शोध पत्र प्रकाशित किए",
    "vi": "Nguyễn Thị Ánh Tuyết nghiên cứu về Ẳ, Ẵ, Ậ, Ỗ, Ở tại Đại học Bách khoa Hà Nội",
}
CODE = "Wrote it with `two words here`, x^2^ and H~2~O, for a cluster of machines and its users"


def line(text: str, left: float = 72, bottom: float = 700, space: float = 0.25) -> Line:
    """A line in type of 10 pt, each letter half an em wide."""
    words = []
    for word in text.split():
        words.append(Word(word, left, bottom, left + 5 * len(word), bottom + 10))
        left += 5 * len(word) + 10 * space
    return tuple(words)


def below(*texts: str, step: float = 12) -> tuple[Line, ...]:
    return tuple(line(text, bottom=700 - step * number) for number, text in enumerate(texts))


def page(lines: Sequence[Line]) -> Page:
    text = "\n".join(map(check_pages.text, lines))
    return Page(Box(0, 0, 595, 842), text, lines=tuple(lines))


# -- the measures, on lines made by hand ---------------------------------------------------------


def test_the_usual_space_is_that_of_most_lines() -> None:
    lines = [*below("a line of some words", "and one more"), line("one torn to pieces", space=0.7)]
    found = check_pages.gaps([lines])
    assert len(found) == 4 + 2 + 3
    assert check_pages.usual_space(found) == pytest.approx(0.25, abs=0.02)
    assert check_pages.usual_space([]) > 0
    wide = [gap for gap in found if gap.width > 0.6]
    assert [(gap.left.text, gap.right.text) for gap in wide] == [
        ("one", "torn"),
        ("torn", "to"),
        ("to", "pieces"),
    ]


def test_typewriter_type_has_a_wide_space_of_its_own() -> None:
    (gap,) = check_pages.gaps([[line("two words", space=0.5)]])
    assert check_pages.normal(gap, 0.25) == pytest.approx(0.5)
    comma = gap.right._replace(right=gap.right.right + 3)
    assert check_pages.normal(gap._replace(right=comma), 0.25) == pytest.approx(0.5)
    assert check_pages.normal(gap._replace(right=comma, width=0.7), 0.25) == 0.25


def test_full_lines_are_counted_without_dates_beside_them() -> None:
    long, short = "word " * 18 + "ends", "a short line"
    dated = (*line(short), *line("2019", left=520))
    full = check_pages.full_lines([[line(long), dated, line(long + " on")]], 0.25)
    assert [check_pages.characters(one) for one in full] == [94, 97]


def test_steps_are_those_of_rows() -> None:
    lines = [*below("one", "two", "three"), line("beside two", left=300, bottom=687.9)]
    assert check_pages.steps([lines]) == {12: 2}
    assert check_pages.rows(lines) == pytest.approx([702.3, 690.3, 678.3])


def test_the_last_page_is_filled_by_its_own_lines() -> None:
    first = page(below(*["text"] * 50))
    last = page([*below("Ada Example 2/2"), *below("text", "text")[1:], line("2", bottom=30)])
    bodies = check_pages.bodies((first, last), "Ada Example", ())
    assert [check_pages.text(one) for one in bodies[1]] == ["text"]
    assert check_pages.last_fill((first, last), bodies) == pytest.approx(22 / 598)
    assert check_pages.last_fill((first,), bodies[:1]) == pytest.approx(1)
    assert check_pages.measures((first, last), bodies, []).last_lines == 1


# -- real documents ------------------------------------------------------------------------------


def build(text: str, style: str) -> Outcome:
    library = Library.at(*[Path("templates")] * Path("templates").is_dir())
    outcome = papers.build(text, style, library=library)
    papers.made(outcome)
    return outcome


def codes(outcome: Outcome) -> set[str]:
    return {item.code for item in outcome.diagnostics}


@pytest.mark.usefixtures("here", "requires_embedded")
@pytest.mark.parametrize("language", SCRIPTS)
@pytest.mark.parametrize("style", deep.but(["industry"], ["academic", "industry"]))
def test_signs_of_scripts_are_no_overlap(style: str, language: str) -> None:
    text = SCRIPTS[language]
    outcome = build(document(text, language), style)
    assert outcome.path is not None
    pages = pdf_facts.read(outcome.path).pages
    assert sum(len(one.lines) for one in pages) > 20
    assert not codes(outcome) & {"verify-overlap", "verify-loose"}, outcome.diagnostics


def document(text: str, language: str = "en") -> str:
    rows = [f"name: Ada Example\nlocale: {language}\nheadline: '{text[:40]}'"]
    rows += ["contact: {email: ada@example.org, website: https://example.org/a/long/address}"]
    rows += [f"summary: '{text}'\nsections:\n  - kind: experience\n    items:"]
    for year in range(2010, 2014):
        rows += [f"      - {{employer: '{text[:20]}', title: '{text[:28]}', date: {year},"]
        rows += [f"         bullets: ['{text}', '{CODE}', '{text}']}}"]
    rows += [f"  - {{kind: skill, items: [{{name: '{text[:9]}', keywords: [C, '{text[:20]}']}}]}}"]
    return "\n".join(rows) + "\n"


LONG = "a " + "-".join(["unbreakable"] * 3) + " word"


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_loose_line_is_told_with_its_place() -> None:
    text = " ".join(f"{number} Donaudampfschifffahrtskapitän" for number in range(9))
    path = f"name: Ada Example\nsummary: Short.\nsections: [{{kind: text, items: ['{text}']}}]"
    template("justified", "academic", code=r"\CvbStyle{align=justified}")
    never = r"\cs_set_protected:Npn \__cvb_ragged_if_loose: { }"
    template("stubborn", "academic", code=rf"\CvbStyle{{align=justified}}{never}")
    (loose,) = {
        str(item.span) + item.message.partition(":")[0]
        for item in build(path, "stubborn").diagnostics
        if item.code == "verify-loose"
    }
    assert loose == "people/ada.yaml:3:33line is loose"
    # The core sets a paragraph ragged that would have such lines.
    mended = build(path, "justified")
    assert "verify-loose" not in codes(mended)
    assert mended.verified is not None
    assert mended.verified["widest_space"] < check_pages.LOOSE


@pytest.mark.usefixtures("here", "requires_embedded")
def test_long_lines_are_told_once() -> None:
    path = (
        f"name: Ada Example\nsummary: '{'a word of some letters ' * 40}'\nsections: "
        "[{kind: bullets, items: [One]}]\noptions: {size: '10', margin: 13, measure: 130}"
    )
    outcome = build(path, "industry")
    (told,) = [item for item in outcome.diagnostics if item.code == "verify-measure"]
    assert told.severity == "note"
    assert "full lines have more than 115 characters; the longest has " in told.message
    assert "on page 1, " in told.message
    assert outcome.verified is not None
    assert outcome.verified["line_longest"] > 115


# -- the last page -------------------------------------------------------------------------------


def prizes(count: int) -> str:
    """A document with so many one-line items."""
    rows = [f"      - {{title: Prize {number}, date: 2019}}" for number in range(count)]
    return "\n".join(["name: Ada Example\nsections:\n  - kind: award\n    items:", *rows, ""])


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_last_page_that_is_nearly_empty_is_avoided() -> None:
    template("as-is", "industry", ", paging: []")
    template("airier", "industry", ", paging: [{gap: 1.02}, {leading: 1.2}, {leading: 1.3}]")
    built = ((number, build(prizes(number), "as-is")) for number in range(42, 60, 2))
    count, plain = next((number, outcome) for number, outcome in built if outcome.pages == 2)
    assert plain.verified is not None
    assert (plain.verified["paging_step"], plain.pages) == (0, 2)
    assert plain.verified["last_page_fill"] < STUB
    assert [item.severity for item in plain.diagnostics if item.code == "verify-stub"] == ["note"]

    tighter, airier = (build(prizes(count), name) for name in ("industry", "airier"))
    assert tighter.pages == 1
    assert airier.pages == 2
    assert airier.verified is not None
    assert airier.verified["last_page_fill"] >= STUB
    for outcome, word in ((tighter, "tighter: space between blocks × 0."), (airier, "airier")):
        assert outcome.verified is not None
        assert outcome.verified["paging_step"] > 0
        (told,) = [item.message for item in outcome.diagnostics if item.code == "paging"]
        assert told.startswith(f"the last page was {plain.verified['last_page_fill']:.0%}"[:-1])
        assert f"; set a little {word}" in told
        assert "verify-stub" not in codes(outcome)


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_size_that_was_chosen_stays_and_steps_that_do_not_help_are_undone() -> None:
    steps = ", paging: [{size: -0.5}, {gap: 0.99}]"
    template("steps", "industry", steps)
    path = prizes(48) + "options: {size: '11'}\n"
    first = build(path, "steps")
    template("none", "industry", ", paging: []")
    assert first.path is not None
    same = build(path, "none")
    assert same.path is not None
    assert first.verified is not None
    assert first.verified["paging_step"] == 0
    texts = [
        [one.lines for one in pdf_facts.read(outcome.path).pages]
        for outcome in (first, same)
        if outcome.path
    ]
    assert texts[0] == texts[1]
