"""How documents fill pages: steps to fewer ones, the last page, what is measured of lines."""

from __future__ import annotations

import re
import string
from pathlib import Path

import deep
import papers
import pytest
from msgspec.structs import replace
from workspaces import template

from cvbuild.building.pipeline import Outcome
from cvbuild.outputs.pdf import STUB, paging, typeset
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.pdf.verify.text_lines import Page
from cvbuild.outputs.styles.templates import Library

LIBRARY = Library.at()
pytestmark = pytest.mark.usefixtures("requires_embedded")
STYLES = [name for name in LIBRARY.names() if LIBRARY.find(name).manifest.tex.paging]
STYLES = [name for name in STYLES if LIBRARY.find(name).manifest.pages == "any"]
PERSON = Path(__file__).parent / "shapes" / "student.yaml"
#: Remembers of the text how often it was begun: so no trial tells what TeX would make of it.
FORGETS_NOTHING = r"""
\int_new:N \g_begun_int
\AddToHook { cmd/CvbHeader/before }
  { \int_gincr:N \g_begun_int \vspace* { \int_eval:n { 4 * \g_begun_int } pt } }"""


def prizes(count: int, options: str = "") -> str:
    rows = [f"      - {{title: Prize {number}, date: 2019}}" for number in range(count)]
    head = f"name: Ada Example\n{options}sections:\n  - kind: award\n    items:"
    return "\n".join([head, *rows, ""])


def build(folder: Path, text: str, style: str = "industry") -> Outcome:
    own = (str(folder / "templates"),) if (folder / "templates").is_dir() else ()
    outcome = papers.build(text, style, folder=folder, template_path=own)
    papers.made(outcome)
    return outcome


def figure(outcome: Outcome, name: str) -> float:
    assert outcome.verified is not None
    return outcome.verified[name]


def pages_of(outcome: Outcome) -> tuple[Page, ...]:
    return pdf_facts.read(papers.made(outcome)).pages


def lines(outcome: Outcome) -> list[object]:
    return [page.lines for page in pages_of(outcome)]


def told(outcome: Outcome, code: str) -> list[str]:
    return [str(one) for one in outcome.diagnostics if one.code == code]


@pytest.mark.deep
def test_a_document_has_as_many_pages_as_are_asked_for_at_most(tmp_path: Path) -> None:
    plain = build(tmp_path, prizes(63))
    assert (plain.pages, figure(plain, "paging_step")) == (2, 0)
    fitted = build(tmp_path, prizes(50, "options: {pages: 1}\n"))
    assert (fitted.pages, figure(fitted, "runs")) == (1, 3)
    assert figure(fitted, "paging_step") > 8, "one of the further steps"
    (note,) = told(fitted, "paging")
    assert note.startswith("note: the document had 2 pages; set a little tighter: space between")
    # Of as many or fewer the option changes nothing: 46 have a last page that is nearly empty.
    for count in (37, 46, 63):
        same = build(tmp_path, prizes(count, "options: {pages: 2}\n"))
        assert lines(same) == lines(build(tmp_path, prizes(count)))


def test_what_does_not_fit_is_told_with_its_place(tmp_path: Path) -> None:
    long = build(tmp_path, prizes(120, "options: {pages: 1}\n"))
    assert long.pages == 3
    (fault,) = told(long, "pages")
    assert "ada.yaml:2:18: warning: pages: 1 doesn't fit, " in fault
    assert " lines too long at the tightest: space between blocks × 0.6, leading × " in fault
    assert f"; the document has {long.pages} pages; leave out what counts least, Prize 1" in fault
    assert fault.endswith(f" more; or write pages: {long.pages} or template: one-page")


@pytest.mark.deep
@pytest.mark.parametrize("style", STYLES)
def test_no_page_begins_with_the_keywords_of_an_entry(style: str, tmp_path: Path) -> None:
    """Entries before them begin at many heights."""
    item = "\n      - {name: Chess clock, summary: Firmware and case, keywords: [C, KiCad]}"
    projects = "  - kind: project\n    items:" + 40 * item + "\n"
    for count in (2, 5, 8):
        _, *others = pages_of(build(tmp_path, prizes(count) + projects, style))
        assert others
        for page in others:
            first = re.search("Chess|Firmware|Keywords", page.characters)
            assert first
            assert first[0] == "Chess", page.characters


@pytest.mark.deep
def test_a_hole_at_the_foot_of_a_page_is_filled(tmp_path: Path) -> None:
    """A reference isn't parted, however many authors it has."""
    many = ", ".join(f"Author {letter}. Exemplary" for letter in 3 * string.ascii_uppercase)
    papers = f"  - kind: publication\n    items:\n      - {{title: A paper, authors: [{many}]}}\n"
    more = prizes(20).partition("sections:\n")[2]
    filled = build(tmp_path, prizes(28) + papers + more, "plain")
    assert told(filled, "paging")[0].startswith("note: a page had a hole at its foot; set a little")
    (log,) = tmp_path.glob("out/.build/*/plain/*.log")
    pages = typeset.pages(log.read_text(encoding="utf-8", errors="replace"))
    assert len(pages) == filled.pages == 2
    assert all(page.height - page.used < 86 for page in pages[:-1])


def test_a_shorter_document_stays_as_it_is(tmp_path: Path) -> None:
    short = build(tmp_path, prizes(3, "options: {industry: {pages: 3}}\n"))
    assert (short.pages, figure(short, "runs")) == (1, 1)
    assert [str(one) for one in short.diagnostics if one.code in ("pages", "paging")] == []
    assert lines(short) == lines(build(tmp_path, prizes(3)))


@pytest.mark.deep
def test_what_is_remembered_changes_no_byte(tmp_path: Path) -> None:
    """Each document is built after another one, and alone."""
    wish = "options: {pages: 1}\n"
    texts = [prizes(count, wish) for count in (54, 53, 43)]
    texts += [prizes(50, "options: {pages: 2}\n")]
    steps = set()
    for number, text in enumerate(texts):
        after = build(tmp_path, text)
        (tmp_path / str(number)).mkdir()
        alone = build(tmp_path / str(number), text)
        assert papers.made(after).read_bytes() == papers.made(alone).read_bytes()
        assert told(after, "paging") == told(alone, "paging")
        assert figure(after, "runs") <= 3
        steps.add(figure(after, "paging_step"))
    assert len(steps) > 1
    assert figure(build(tmp_path, texts[0]), "runs") <= 3
    assert figure(build(tmp_path, texts[1]), "runs") == 2, "what won was tried first"


def test_a_style_that_contradicts_its_trial_is_set_as_it_is(tmp_path: Path) -> None:
    template("counts", "industry", code=FORGETS_NOTHING, within=tmp_path)
    fitted = build(tmp_path, prizes(48, "options: {pages: 1}\n"), "counts")
    assert (fitted.pages, figure(fitted, "paging_step")) == (2, 0)
    assert [item.code for item in fitted.diagnostics] == ["pages", "stub"]


def test_a_chosen_size_or_margin_stays(tmp_path: Path) -> None:
    setter = as_pdf(papers.document(PERSON, "industry", folder=tmp_path))
    listed = [{"size": -0.5, "margin": -30.0}, {"size": -9.0}, {"margin": 2.0, "gap": 1.0}]
    first, least, wide = (step.options for step in paging.steps(setter, listed))
    bottom = LIBRARY.find("industry").manifest.options["margin"].default["bottom"]
    assert first["size"] == 10
    assert str(first["margin"]).startswith("{top=13, bottom=13, left=")
    assert least == {"size": 10}
    assert f"bottom={int(bottom) + 2}," in str(wide["margin"])
    options = {**setter.options, "size": "11", "margin": (20, 20, 20, 20)}
    setter = replace(setter, options=options)
    assert [step.options for step in paging.steps(setter, listed)] == [{"gap": 1}]


#: A sentence in scripts whose signs stand over, under and beside each other.
SCRIPTS = {
    "ar": "جامعة القاهرة، بحث في الأنظمة الموزعة وتعلّم الآلة (Python 3.11) مع عشرة أشخاص",
    "he": "אוניברסיטת תל אביב, מחקר במערכות מבוזרות (Python 3.11) עם קבוצה של עשרה אנשים",
    "ja": "山田太郎は「東京大学」で研究しました。機械学習と分散システムの論文を発表しました。",
    "hi": "दिल्ली विश्वविद्यालय में कंप्यूटर विज्ञान पढ़ाया और शोध पत्र प्रकाशित किए",
    "vi": "Nguyễn Thị Ánh Tuyết nghiên cứu về Ẳ, Ẵ, Ậ, Ỗ, Ở tại Đại học Bách khoa Hà Nội",
}
CODE = "Wrote it with `two words here`, x^2^ and H~2~O, for a cluster of machines and its users"


def codes(outcome: Outcome) -> set[str]:
    return {item.code for item in outcome.diagnostics}


@pytest.mark.usefixtures("here")
def test_heads_and_feet_are_no_text_of_the_document() -> None:
    pages = pages_of(build(Path(), prizes(60, "options: {footer: At the foot}\n")))
    assert len(pages) == 2
    for page in pages:
        shown = [" ".join(word.text for word in line) for line in page.lines]
        assert "At the foot" in page.text
        assert "foot" not in page.characters
        assert not any("foot" in line for line in shown)
    assert pages[1].characters.startswith("Prize")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("language", deep.but(["ar"], SCRIPTS))
@pytest.mark.parametrize("style", deep.but(["industry"], ["academic", "industry"]))
def test_signs_of_scripts_are_no_overlap(style: str, language: str) -> None:
    text = SCRIPTS[language]
    outcome = build(Path(), document(text, language), style)
    assert sum(len(one.lines) for one in pages_of(outcome)) > 20
    assert "verify-overlap" not in codes(outcome), outcome.diagnostics


def document(text: str, language: str = "en") -> str:
    rows = [f"name: Ada Example\nlocale: {language}\nheadline: '{text[:40]}'"]
    rows += ["contact: {email: ada@example.org, website: https://example.org/a/long/address}"]
    rows += [f"summary: '{text}'\nsections:\n  - kind: experience\n    items:"]
    for year in range(2010, 2014):
        rows += [f"      - {{employer: '{text[:20]}', title: '{text[:28]}', date: {year},"]
        rows += [f"         bullets: ['{text}', '{CODE}', '{text}']}}"]
    rows += [f"  - {{kind: skill, items: [{{name: '{text[:9]}', keywords: [C, '{text[:20]}']}}]}}"]
    return "\n".join(rows) + "\n"


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_a_last_page_that_is_nearly_empty_is_avoided() -> None:
    template("as-is", "industry", ", paging: []")
    template("airier", "industry", ", paging: [{gap: 1.02}, {leading: 1.2}, {leading: 1.3}]")
    built = ((number, build(Path(), prizes(number), "as-is")) for number in range(44, 60, 2))
    count, plain = next((number, outcome) for number, outcome in built if outcome.pages == 2)
    fill = figure(plain, "last_page_fill")
    assert (figure(plain, "paging_step"), plain.pages, fill < STUB) == (0, 2, True)
    assert [item.severity for item in plain.diagnostics if item.code == "stub"] == ["note"]

    tighter, airier = (build(Path(), prizes(count), name) for name in ("industry", "airier"))
    assert (tighter.pages, airier.pages) == (1, 2)
    assert figure(airier, "last_page_fill") >= STUB
    for outcome, word in ((tighter, "tighter: space between blocks × 0."), (airier, "airier")):
        assert figure(outcome, "paging_step") > 0
        (told,) = [item.message for item in outcome.diagnostics if item.code == "paging"]
        assert told.startswith(f"the last page was {fill:.0%}"[:-1])
        assert f"; set a little {word}" in told
        assert "stub" not in codes(outcome)


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_a_size_that_was_chosen_stays_and_steps_that_do_not_help_are_undone() -> None:
    template("steps", "industry", ", paging: [{size: -0.5}, {gap: 0.99}]")
    template("none", "industry", ", paging: []")
    text = prizes(48) + "options: {size: '11'}\n"
    first, same = (build(Path(), text, name) for name in ("steps", "none"))
    assert figure(first, "paging_step") == 0
    assert lines(first) == lines(same)
