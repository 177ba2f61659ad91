"""Software that reads CVs finds every fact of the corpus, and the terms of an advertisement.

``make ats`` measures every CV in every template and writes docs/measurements/ats.md. Here one with
every kind of section is tried in every template, since a template decides what stands where. The
others bring characters and lengths, which all templates set by the same code: one each. The
rest are deep.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import deep
import pytest
from conftest import Run
from texlive import demand_embedded
from workspaces import write

from cvbuild.applications import match
from cvbuild.common.diagnostics import CvbuildError
from cvbuild.inputs.yaml.source import MAX_BYTES
from cvbuild.model.kinds import KINDS
from cvbuild.outputs.styles.templates import Library
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


JOB = """\
# Engineer, Machine Learning Systems

**Northlake Institute** builds open-source software. Write to <jobs@northlake.example.org>.

- Build distributed systems for training deep learning models on GPUs
- Write CUDA and C++ kernels; Rust or Go are welcome
- Experience with fault-tolerant back-end services, data modelling and distributed systems
- Ph.D. in computer science, good R, and 5+ years of `.NET` or C#
"""


def found(text: str, locale: str = "en") -> list[str]:
    lines = [*enumerate(text.split("\n"), 1)]
    return [term.text for term in match.find_terms(lines, match.load_lexicon(locale))]


def status(job: str, document: str, locale: str = "en") -> dict[str, str]:
    words = match.load_lexicon(locale)
    wanted = match.find_terms([(1, job)], words)
    found = match.find(wanted, {("x",): document}, words)
    return {term.text: "has" if paths else "nowhere" for term, paths in found}


@pytest.fixture
def advertised(here: Path) -> Path:
    write("ada")
    (here / "job.md").write_text(JOB)
    return here


def test_exact_terms_of_an_advertisement(advertised: Path) -> None:
    lines = match.load(advertised / "job.md").lines
    assert [number for number, _ in lines] == [1, 3, 5, 6, 7, 8]
    of = [
        (t.text, t.count, t.line, t.score)
        for t in match.find_terms(lines, match.load_lexicon("en"))
    ]
    assert of == [
        ("distributed systems", 2, 5, 4), ("Machine Learning Systems", 1, 1, 3),
        ("open-source software", 1, 3, 3), ("training deep learning models", 1, 5, 3),
        ("fault-tolerant back-end services", 1, 7, 3), ("Northlake Institute", 1, 3, 2),
        ("GPU", 1, 5, 2), ("CUDA", 1, 6, 2), ("C++", 1, 6, 2), ("data modelling", 1, 7, 2),
        ("Ph.D", 1, 8, 2), ("computer science", 1, 8, 2), (".NET", 1, 8, 2), ("C#", 1, 8, 2),
        ("kernels", 1, 6, 1), ("Rust", 1, 6, 1), ("Go", 1, 6, 1), ("R", 1, 8, 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("job", "document", "has"),
    [
        ("distributed systems", "a Distributed System", True),
        ("data modelling", "data modeling", True), ("e-mail servers", "an email server", True),
        ("email", "e-mail", True), ("back-end", "backend", True),
        ("back-end", "back end", True), ("machine-learning", "machine learning", True),
        ("multi‑GPU", "GPUs", False), ("GPUs", "a multi-GPU machine", True),
        ("PhD", "Ph.D. students", True), ("Node.js", "NodeJS", True),
        ("we use Go", "go there", False), ("we use Go", "Go", True),
        ("REST", "the rest", False), ("AI", "ai", False), ("C", "C++, C#", False),
        ("C++", "C", False), ("C#", "C", False), ("R", "r", False), (".NET", "a net", False),
        ("CUDA", "cuda", True), ("machine learning", "a machine, learning", False),
        ("deep learning", "learning deep", False), ("ﬁbre", "fibre", True),
        ("co\u00adroutines", "coroutine", True),
    ],
)  # fmt: skip
def test_which_words_are_the_same(job: str, document: str, *, has: bool) -> None:
    states = status(job, document)
    assert len(states) == 1
    assert set(states.values()) == {"has" if has else "nowhere"}


def test_words_that_say_nothing_are_no_terms() -> None:
    assert found("We look for a strong team player with excellent skills, 5 years of it.") == [
        "player"
    ]
    assert found("Go to www.example.org, a@example.org or https://example.com/cuda") == []
    assert found("WHAT WE OFFER YOU") == []
    assert found("AI, CUDA, IT") == ["AI", "CUDA", "IT"]
    assert found("(m/w/d), A bachelor") == ["bachelor"]
    assert found("Go, Rust") == ["Go", "Rust"]
    assert found("Remote work. Remote sensing is essential.") == ["Remote sensing"]


def test_other_languages() -> None:
    assert status("Kenntnisse in verteilten Systemen mit C++", "Verteilte Systeme", "de") == {
        "verteilten Systemen": "has",
        "C++": "nowhere",
    }
    assert status("l'apprentissage automatique", "Apprentissage automatique", "fr") == {
        "apprentissage automatique": "has"
    }


@pytest.mark.parametrize("tag", ["zh", "ja", "th", "et"])
def test_languages_without_stop_words(tag: str) -> None:
    with pytest.raises(CvbuildError, match=r"terms can't be told from other words in .+--locale"):
        match.load_lexicon(tag)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("job.pdf", b"%PDF-1.7 ...", "this is not a text; save the advertisement as text"),
        ("job.docx", b"PK\3\4 ...", "job.docx: this is not a text"),
        ("job.txt", b"a\0b", "job.txt: this is not a text"),
        ("job.txt", b"a" * (MAX_BYTES + 1), "job.txt: the file is larger than 1 MiB"),
        ("job.txt", b"one\ncaf\xe9", "job.txt:2:4: byte 0xE9 is not UTF-8 (in"),
        ("job.txt", "a".encode("utf-16"), "job.txt: the file is in UTF-16 or UTF-32, not UTF-8"),
        ("job.html", b"<b>CUDA", "this is not a text; save the advertisement as text"),
        ("job.txt", b"\xef\xbb\xbf<!DOCTYPE html><p>CUDA", "this is not a text"),
        ("job.txt", b"", "job.txt: there are no terms in this file; save what a browser shows"),
        ("job.md", b"- And or: ...\n", "job.md: there are no terms in this file; save what"),
    ],
)
def test_files_that_are_no_advertisement(
    advertised: Path, run: Run, name: str, content: bytes, message: str
) -> None:
    (advertised / name).write_bytes(content)
    ran = run("match", "--person", "ada", "--job", name)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err


@pytest.mark.usefixtures("advertised")
def test_a_package_that_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("stop_words", "snowballstemmer"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            ran = run("match", "--person", "ada", "--job", "job.md")
        assert ran.code == 2
        expected = f"match needs the package {package}, which is not installed"
        assert ran.err == f'{expected}; pip install "cvbuild[match]"\n'


@pytest.mark.parametrize(
    ("suffix", "piece"),
    deep.but(
        [(".txt", "a@"), (".md", "[")],
        [(".txt", "a-"), (".txt", "a@"), (".txt", "://a."), (".txt", "Abc "),
         (".md", "["), (".md", "> - ")],
        " ".join,
    ),
)  # fmt: skip
def test_hostile_files_take_the_time_of_their_length(
    advertised: Path, run: Run, suffix: str, piece: str
) -> None:
    """Anything worse than linear would take hours for 1 MiB; the test's own limit would end it."""
    job = advertised / f"job{suffix}"
    job.write_text((piece * MAX_BYTES)[:MAX_BYTES])
    assert run("match", "--person", "ada", "--job", str(job)).code in (0, 1)


def test_nothing_in_an_advertisement_steers_the_terminal(advertised: Path, run: Run) -> None:
    name = "job\x1b[31m.txt"
    (advertised / name).write_text("CUDA\x1b[2J\x1b]0;title\x07 \u202eRust \u2066Kafka\x9b1m \x1bc")
    ran = run("match", "--person", "ada", "--job", name)
    assert ran.code == 0
    assert "CUDA" in ran.out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", ran.out)
