"""Software that reads CVs finds every fact of the corpus, in order, with the contact on top.

``make ats`` measures every CV in every template and writes docs/measurements/ats.md. Here one with
every kind of section is tried in every template, since a template decides what stands where. The
others bring characters and lengths, which all templates set by the same code: one each. The
rest are deep.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import deep
import pytest
from texlive import demand_embedded

from cvbuild.model.kinds import KINDS
from cvbuild.outputs.templates import Library
from tools.ats import readers
from tools.ats.documents import (
    CORPUS,
    CVS,
    Document,
    Extracted,
    extracted,
    facts,
    measured,
    profile_of,
)
from tools.ats.facts import Block, Fact
from tools.ats.figures import Figures, figures_of, fold, joined, pattern
from tools.ats.required import EXEMPTIONS, TEMPLATES, least, short_of

LATIN = ("minimal", "career-changer", "diacritics", "many-links", "hostile-punctuation")
#: Each of these in one template, so that every template has one or none.
ONCE = [Document(cv, template) for cv, template in zip(LATIN, TEMPLATES[::-1], strict=False)]
DOCUMENTS = (
    *(Document("full", template) for template in TEMPLATES),
    *ONCE,
    Document("long-academic", "academic"),
    Document("long-academic", "one-page"),
)
#: Each script with what its whole CV needs.
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
#: What every run tries: two columns, right to left.
SHALLOW = {one for one in SCRIPTS if one.cv == "arabic"}
SHALLOW |= {one for one in ONCE if one.template == "sidebar"}


def made(document: Document, shelf: Path) -> Extracted:
    demand_embedded()
    found = extracted(document, shelf)
    assert not found.problems
    there = shutil.which("pdftotext")
    assert set(found.texts) == {one for one in readers.READERS if there or "poppler" not in one}
    return found


@pytest.mark.parametrize("document", deep.but(SHALLOW, (*DOCUMENTS, *SCRIPTS)))
def test_every_reader_finds_every_fact_in_order(document: Document, shelf: Path) -> None:
    figures = measured(document, made(document, shelf))
    assert min(figure.facts for figure in figures.values()) >= 10
    wrong = {
        reader: short
        for reader, figure in figures.items()
        if (short := short_of(figure, least(document.cv, document.template, reader)))
    }
    assert wrong == {}
    if document in SCRIPTS:
        return
    # Each exemption of a document is needed by one of the readers that it names.
    for one in EXEMPTIONS:
        covered = [
            figure
            for reader, figure in figures.items()
            if one.covers(document.cv, document.template, reader)
        ]
        if covered and not one.reported:
            assert any(short_of(figure, {"recall": 1, "placed": 1}) for figure in covered), one.why


@pytest.mark.parametrize("template", deep.but(["sidebar"], TEMPLATES))
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
    assert len(bullets) >= 4
    # A square is drawn: it is no letter.
    style = Library.at().require(template)
    mark = "" if style.manifest.options["bullet"].default == "square" else "• "
    for reader, pages in built.texts.items():
        if reader == "poppler layout" and style.manifest.columns > 1:
            continue
        text = joined(pages, who["name"][0].text)
        lost = [fact.text for fact in bullets if not re.search(mark + pattern(fact.text), text)]
        assert lost == [], reader
        assert re.findall("[\ufb00-\ufb06\ue000-\uf8ff\ufffd]|\\(cid:", text) == [], reader


def test_the_corpus_is_what_it_should_be() -> None:
    assert set(CVS) == {document.cv for document in (*DOCUMENTS, *SCRIPTS)}
    full = profile_of("full")
    # A newer kind has its example, which test_kinds builds.
    shown = {section.kind for section in full.sections}
    assert shown <= KINDS.keys()
    assert len(shown) >= 17


def test_what_is_invented_names_nobody() -> None:
    """Hosts and phone numbers that are kept free for examples and films."""
    paths = [*CORPUS.glob("*.yaml"), *(Path(__file__).parent / "shapes").glob("*.yaml")]
    assert len(paths) > 20
    for path in paths:
        text = path.read_text("utf-8")
        hosts = re.findall(r"https?://([\w.-]+)|[\w.]@([\w-]+(?:\.[\w-]+)+)", text)
        assert hosts, path.name
        for host in map("".join, hosts):
            assert re.search(r"(^|\.)example(\.(org|com|net|edu))?$", host), (path.name, host)
        for phone in re.findall(r"\+[0-9][0-9 ()-]{6,}[0-9]", text):
            free = r"1\d{3}55501\d\d|442079460\d{3}|493023125\d{3}|3319900\d{4}"
            assert re.fullmatch(free, re.sub(r"\D", "", phone)), (path.name, phone)


def block(title: str, *others: str, aside: tuple[str, ...] = ()) -> Block:
    facts = [Fact((title, n), text) for n, text in enumerate((title, *others, *aside))]
    return Block(facts[0], tuple(facts), aside, entry=True)


WHO = {
    "name": (Fact(("name",), "Ada Example"),),
    "email": (Fact(("email",), "ada@example.org"),),
    "phone": (Fact(("phone",), "+1 202-555-0123"),),
    "url": (Fact(("url",), "example.org/~ada"),),
}
BLOCKS = (
    block("Engineer", "Acme Ltd.", aside=("2019–2021",)),
    block("Intern", "Built a state-of-the-art thing", aside=("2019",)),
)
GOOD = "Engineer 2019–2021\nAcme Ltd.\nIntern 2019\nBuilt a state-of-\nthe-art thing"


def measure(text: str) -> Figures:
    return figures_of(fold(text), BLOCKS, WHO, layout=False)


@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        ("", "", ()),
        ("Acme Ltd.", "Acme L td.", ("Acme Ltd.",)),
        ("state-of-\nthe", "state-of\nthe", ("Built a state-of-the-art thing",)),
        ("2019–2021", "2019-2021", ("2019–2021",)),
        # A text serves one fact: the year in the range isn't the intern's, nor a part of a word.
        ("Intern 2019", "Intern", ("2019",)),
        ("Engineer ", "Engineers ", ("Engineer",)),
    ],
)
def test_a_lost_or_changed_text_is_missed(old: str, new: str, missing: tuple[str, ...]) -> None:
    assert measure(GOOD.replace(old, new)).missing == missing
