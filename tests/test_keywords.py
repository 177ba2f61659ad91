"""``cvbuild match``: the terms of an advertisement; where a person has them: tests/commands."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import deep
import pytest
from conftest import Run
from workspaces import write

from cvbuild.applications import match
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml.source import MAX_BYTES

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


@pytest.fixture(autouse=True)
def advertised(here: Path) -> None:
    write("ada")
    (here / "job.md").write_text(JOB)


def test_exact_terms_of_an_advertisement(here: Path) -> None:
    lines = match.load(here / "job.md").lines
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
    here: Path, run: Run, name: str, content: bytes, message: str
) -> None:
    (here / name).write_bytes(content)
    ran = run("match", "--person", "ada", "--job", name)
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err


@pytest.mark.usefixtures("here")
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
    here: Path, run: Run, suffix: str, piece: str
) -> None:
    """Anything worse than linear would take hours for 1 MiB; the test's own limit would end it."""
    job = here / f"job{suffix}"
    job.write_text((piece * MAX_BYTES)[:MAX_BYTES])
    assert run("match", "--person", "ada", "--job", str(job)).code in (0, 1)


def test_nothing_in_an_advertisement_steers_the_terminal(here: Path, run: Run) -> None:
    name = "job\x1b[31m.txt"
    (here / name).write_text("CUDA\x1b[2J\x1b]0;title\x07 \u202eRust \u2066Kafka\x9b1m \x1bc")
    ran = run("match", "--person", "ada", "--job", name)
    assert ran.code == 0
    assert "CUDA" in ran.out
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", ran.out)
