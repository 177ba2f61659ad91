"""Software that reads CVs finds every fact of the corpus, in order, with the contact on top.

``make ats`` measures every CV in every template and writes docs/measurements/ats.md; here the
Latin ones are tried in every template, the others and the second engine in one or two each.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from texlive import demand_embedded, demand_texlive

from cvbuild.model.kinds import KINDS
from cvbuild.outputs.styles.templates import Library
from tools.ats import readers
from tools.ats.documents import (
    CORPUS,
    CVS,
    Document,
    Extracted,
    checked,
    extracted,
    facts,
    measured,
)
from tools.ats.facts import Block, Contact, Fact
from tools.ats.figures import Figures, figures_of, fold, joined, longest_increasing, pattern
from tools.ats.required import EXEMPTIONS, TEMPLATES, least, short_of

LATIN = ("minimal", "full", "career-changer", "diacritics", "many-links", "hostile-punctuation")
DOCUMENTS = (
    *(Document(cv, template) for cv in LATIN for template in TEMPLATES),
    Document("long-academic", "academic"),
    Document("long-academic", "one-page"),
    Document("full", "industry", "lualatex"),
    Document("hostile-punctuation", "industry", "lualatex"),
)
#: Each script with what its whole CV needs; the engine is the one that the build chooses.
SCRIPTS = (
    Document("baltic-romanian-vietnamese", "industry"),
    Document("greek", "academic"),
    Document("cyrillic", "one-page"),
    Document("chinese", "industry"),
    Document("japanese", "industry"),
    Document("korean", "academic"),
    Document("arabic", "academic"),
    Document("hebrew-mixed", "industry"),
    Document("devanagari", "academic"),
)
PARAMETERS = (*DOCUMENTS, *SCRIPTS)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if hasattr(request.config, "workerinput") else base) / "ats"


def made(document: Document, shelf: Path) -> Extracted:
    if document.engine == "auto":
        demand_embedded()
    else:
        demand_texlive()
    found = extracted(document, shelf)
    assert found.problems == []
    there = shutil.which("pdftotext")
    assert set(found.texts) == {one for one in readers.READERS if there or "poppler" not in one}
    return found


@pytest.mark.parametrize("document", PARAMETERS, ids=str)
def test_every_reader_finds_every_fact_in_order(document: Document, shelf: Path) -> None:
    built = made(document, shelf)
    figures = measured(document, built)
    assert min(figure.facts for figure in figures.values()) >= 10
    wrong = {
        reader: short
        for reader, figure in figures.items()
        if (short := short_of(figure, least(document.cv, document.template, reader)))
    }
    assert wrong == {}


@pytest.mark.parametrize("template", TEMPLATES)
def test_bullets_come_with_their_mark_and_nothing_strange_comes_out(
    template: str, shelf: Path
) -> None:
    document = Document("full", template)
    built = made(document, shelf)
    blocks, who = facts(document, built.left_out)
    bullets = [
        fact
        for block in blocks
        for fact in block.facts
        if {"bullets", "notes"} & set(fact.path) and fact.path[-1] == "text"
    ]
    assert len(bullets) >= 5
    # A square is drawn: it is no letter.
    style = Library.at().require(template)
    mark = "" if style.manifest.options["bullet"].default == "square" else "• "
    for reader, pages in built.texts.items():
        text = joined(pages, who.name.text)
        lost = [fact.text for fact in bullets if not re.search(mark + pattern(fact.text), text)]
        assert lost == [], reader
        assert re.findall("[\ufb00-\ufb06\ue000-\uf8ff\ufffd]|\\(cid:", text) == [], reader


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if d.engine == "auto"], ids=str)
def test_no_exemption_outlives_its_reason(document: Document, shelf: Path) -> None:
    """Each exemption of a document is needed by one of the readers that it names."""
    built = made(document, shelf)
    figures = measured(document, built)
    for one in EXEMPTIONS:
        covered = [
            figure
            for reader, figure in figures.items()
            if one.covers(document.cv, document.template, reader)
        ]
        if covered and not one.reported:
            assert any(short_of(figure, {"recall": 1, "placed": 1}) for figure in covered), one.why


def test_the_corpus_is_what_it_should_be() -> None:
    assert set(CVS) == {document.cv for document in (*DOCUMENTS, *SCRIPTS)}
    profiles = {cv: checked(cv).profile for cv in CVS}
    full = profiles["full"]
    assert full is not None
    # A newer kind has its example, which test_kinds builds.
    shown = {section.kind for section in full.sections}
    assert shown <= KINDS.keys()
    assert len(shown) >= 17
    counts = {cv: len(list(facts(Document(cv, "academic"), ())[0])) for cv in CVS}
    assert min(counts.values()) == counts["minimal"] == 3
    long = facts(Document("long-academic", "academic"), ())[0]
    assert sum(any("authors" in fact.path for fact in block.facts) for block in long) > 60


def test_the_corpus_names_nobody() -> None:
    """Reserved domains and phone numbers only."""
    for cv in CVS:
        text = (CORPUS / f"{cv}.yaml").read_text(encoding="utf-8")
        for host in re.findall(r"https?://([\w.-]+)|@([\w-]+(?:\.[\w-]+)+)", text):
            assert re.search(r"(^|\.)example(\.(org|com|net))?$", host[0] or host[1]), (cv, host)
        phones = re.findall(r"\+[0-9][0-9 ()-]{6,}[0-9]", text)
        assert phones, cv
        for phone in phones:
            digits = re.sub(r"\D", "", phone)
            assert re.fullmatch(r"1\d{3}55501\d\d|442079460\d{3}|493023125\d{3}", digits), phone


# The harness itself: what it must see, and what it must not let pass ----------------------------


def block(title: str, *others: str, aside: tuple[str, ...] = ()) -> Block:
    facts = [Fact((title, n), text) for n, text in enumerate((title, *others, *aside))]
    return Block(facts[0], tuple(facts), aside, entry=True)


WHO = Contact(
    Fact(("name",), "Ada Example"),
    (Fact(("email",), "ada@example.org"),),
    (Fact(("phone",), "+1 202-555-0123"),),
    (Fact(("url",), "example.org/~ada"),),
)
BLOCKS = (
    block("Engineer", "Acme Ltd.", aside=("2019–2021",)),
    block("Intern", "Built a state-of-the-art thing", aside=("2019",)),
)


def measure(text: str, *, layout: bool = False) -> Figures:
    return figures_of(fold(text), BLOCKS, WHO, layout=layout)


GOOD = "Engineer 2019–2021\nAcme Ltd.\nIntern 2019\nBuilt a state-of-\nthe-art thing"


def test_a_hyphen_or_a_space_at_a_lines_end_is_no_loss() -> None:
    found = measure(GOOD)
    assert (found.recall, found.order, found.placed) == (1, 1, 1)
    assert found.contact == 0


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("Acme Ltd.", "AcmeLtd.", "Acme Ltd."),
        ("Acme Ltd.", "Acme L td.", "Acme Ltd."),
        ("Engineer", "Engi\ufb01neer", "Engineer"),
        ("Intern 2019", "Intern", "2019"),
        ("state-of-\nthe", "state-of\nthe", "Built a state-of-the-art thing"),
        ("state-of-\nthe", "state-of- the", "Built a state-of-the-art thing"),
        ("2019–2021", "2019-2021", "2019–2021"),
        ("Built a", "Built 2019 a", "Built a state-of-the-art thing"),
    ],
)
def test_a_lost_or_changed_text_is_missed(old: str, new: str, missing: str) -> None:
    assert old in GOOD
    assert missing in measure(GOOD.replace(old, new)).missing


def test_a_text_serves_one_fact_only() -> None:
    """The year inside the range is not the intern's year, nor a word inside another."""
    assert measure(GOOD.replace("Intern 2019", "Intern")).missing == ("2019",)
    assert measure(GOOD.replace("Engineer ", "Engineers ")).missing == ("Engineer",)


def test_what_stands_at_another_entry_is_misplaced() -> None:
    moved = "Engineer\nAcme Ltd.\nIntern 2019\n2019–2021\nBuilt a state-of-the-art thing"
    assert measure(moved).recall == 1
    assert measure(moved).misplaced == ("2019–2021",)
    assert measure(moved).order == 1


def test_entries_out_of_order_count() -> None:
    swapped = "Intern 2019\nBuilt a state-of-the-art thing\nEngineer 2019–2021\nAcme Ltd."
    assert (measure(swapped).recall, measure(swapped).order) == (1, 0.5)
    assert longest_increasing([1, 2, 9, 3, 4]) == 4


def test_in_layout_mode_only_the_entrys_own_dates_may_come_between_lines() -> None:
    blocks = (block("A long title of two lines", aside=("2019",)), block("Other", aside=("2020",)))
    short = (block("Two lines", aside=("2019-04 – 2020-11",)),)
    broken = "Two     2019-04 – 2020-11\nlines"
    assert figures_of(fold(broken), short, WHO, layout=True).missing == ()
    own = fold("A long title      2019\nof two lines\nOther   2020")
    foreign = fold("A long title      2020\nof two lines 2019\nOther")
    assert figures_of(own, blocks, WHO, layout=True).missing == ()
    assert figures_of(own, blocks, WHO, layout=False).missing == ("A long title of two lines",)
    assert figures_of(foreign, blocks, WHO, layout=True).missing == ("A long title of two lines",)


def test_contact_must_stand_in_the_first_lines() -> None:
    head = "Ada Example\nada@example.org · +1\u00a0202-555-0123 · example.org/~ada"
    assert measure(head).contact == 1
    assert measure("line\n" * 15 + head).contact == 0
    assert measure(head.replace("@example", "@\nexample")).unread == ("ada@example.org",)
    assert measure(head.replace("+1\u00a0202", "+1\n202")).unread == ("+1 202-555-0123",)


def test_only_the_running_head_and_foot_are_taken_off() -> None:
    pages = ["Ada Example\nOne\n1/2", "Ada Example 2/2\nAda Example 3/2\nTwo 2/2"]
    assert joined(pages, "Ada Example").split("\n") == [
        "Ada Example", "One", "Ada Example 3/2", "Two 2/2",
    ]  # fmt: skip
    assert joined(["Ada Example 1/1"], "Ada Example") == "Ada Example 1/1"


def test_lines_from_right_to_left_are_put_in_logical_order() -> None:
    assert readers.logical(["Python-ב תבתוכ\n40"], "pdfium") == ["כותבת ב-Python\n40"]
    told = "\u202bענן\u202a .\u202cכותבת ב\u202aPython-\u202c\u202c"
    assert readers.logical([told], "poppler layout") == ["ענן. כותבת ב-Python"]
    assert readers.turned("+1 202-555") == "202-555 1+"
    blocks = (block("ענן", aside=("2019 – Now",)),)
    given = "ada@example.org · Ada Example\nNow – 2019 ןנע"
    text = fold(readers.logical([given], "pdfium")[0])
    found = figures_of(text, blocks, WHO, layout=False, leftward=fold(given))
    assert found.missing == ()
    assert found.unread == ("+1 202-555-0123", "example.org/~ada")


def test_a_line_may_end_between_letters_of_scripts_without_spaces() -> None:
    blocks = (block("设计并实现了推理调度器"), block("two words"))
    found = figures_of(fold("设计并实\n现了推理调度器 two words"), blocks, WHO, layout=False)
    assert found.missing == ()
    split = fold("设计并实 现了推理调度器 tw\no words")
    assert len(figures_of(split, blocks, WHO, layout=False).missing) == 2


def test_every_exemption_says_why_and_names_what_is_there() -> None:
    assert all(len(one.why) > 40 for one in EXEMPTIONS)
    named = Counter(name for one in EXEMPTIONS for name in one.readers)
    assert set(named) <= set(readers.READERS)
    assert {cv for one in EXEMPTIONS for cv in one.cvs} <= set(CVS)
    assert {name for one in EXEMPTIONS for name in one.templates} <= set(TEMPLATES)
    assert least("minimal", "academic", "pypdf") == dict.fromkeys(
        ("recall", "placed", "contact"), 1.0
    ) | {"order": 0.99}
