"""How pages look: what is measured on their lines, what is told of it, and the last page."""

from __future__ import annotations

from pathlib import Path

import deep
import papers
import pytest
from workspaces import template

from cvbuild.building.outcome import Outcome
from cvbuild.outputs.pdf.expected import STUB
from cvbuild.outputs.pdf.verify import check_pages, pdf_facts
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


def build(text: str, style: str) -> Outcome:
    library = Library.at(*[Path("templates")] * Path("templates").is_dir())
    outcome = papers.build(text, style, library=library)
    papers.made(outcome)
    return outcome


def codes(outcome: Outcome) -> set[str]:
    return {item.code for item in outcome.diagnostics}


@pytest.mark.usefixtures("here", "requires_embedded")
@pytest.mark.parametrize("language", deep.but(["ar", "hi"], SCRIPTS))
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
