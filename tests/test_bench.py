"""The benchmark runs: on a document that is done in no time, and on one that can't be built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import source
from tools.bench import batch, rendercv, report, single, synthetic
from tools.bench.edits import Edits
from tools.bench.report import PAGE
from tools.bench.single import OURS, RAW, SUBJECT, Bench, Subject, edit
from tools.bench.times import NotMeasuredError, Times
from tools.bench.workspace import Workspace, demand

TINY = """\
name: Ada Example
sections:
  - kind: bullets
    items: [Served 100 people, Another point]
"""


@pytest.fixture
def person(tmp_path: Path) -> Path:
    path = tmp_path / "ada.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


def test_an_edit_changes_its_text_and_nothing_else(person: Path) -> None:
    edits = Edits(person, "Served 100")
    texts = []
    for _ in range(12):
        texts.append(edits.make())
        assert person.read_text(encoding="utf-8") == TINY.replace("Served 100", texts[-1])
    assert len(set(texts)) == 12


def test_each_run_writes_its_own_part_of_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    once = report.replaced(page, "single", "one")
    both = report.replaced(once, "batch", "two")
    assert "<!-- single -->\n\none\n\n<!-- end of single -->" in both
    assert "<!-- batch -->\n\ntwo\n\n<!-- end of batch -->" in both
    words = re.compile(r"<!-- (single|batch) -->.*?<!-- end of \1 -->", re.DOTALL)
    assert words.sub("", both) == words.sub("", page)
    with pytest.raises(ValueError, match="no place"):
        report.replaced(page, "nothing", "one")


def test_rendercv_gets_dates_as_it_knows_them() -> None:
    cv = rendercv.translated(SUBJECT.path.read_text(encoding="utf-8"))["cv"]
    assert cv["name"] == "Gyeong-In Yu"
    first = cv["sections"]["Education"][0]
    assert (first["start_date"], first["end_date"]) == ("2017-03", "present")
    papers = cv["sections"]["Conference Publications"]
    assert [paper["date"] for paper in papers[:2]] == [2022, "2022-07"]
    assert papers[0]["authors"][0] == "**Gyeong-In Yu**"
    assert papers[3]["authors"][:2] == ["Woosuk Kwon\\*", "**Gyeong-In Yu**\\*"]


def test_synthetic_people_are_valid_different_and_nobody() -> None:
    files = [synthetic.person(number) for number in range(40)]
    assert files == [synthetic.person(number) for number in range(40)]
    profiles = [validate.validate(source.parse(text, "ada.yaml")) for text in files[:4]]
    assert len({(profile.name.given, profile.name.family) for profile in profiles}) == 4
    for text in files:
        assert re.search(r"^  email: \w+@example\.org$", text, re.MULTILINE)
        assert re.search(r"^  phone: \+1 202 555 01\d\d$", text, re.MULTILINE)
        assert re.search(r"^  website: \w+\.example\.org$", text, re.MULTILINE)


@pytest.mark.usefixtures("requires_embedded")
def test_a_tiny_run(person: Path, tmp_path: Path) -> None:
    subject = Subject(person, "Served 100", (person,))
    bench = Bench(subject, tmp_path / "bench", 1, rendercv="no-such-program")
    edited = edit(bench)
    assert {name for name, one in edited.measured.items() if isinstance(one, Times)} == {
        OURS,
        RAW,
    }
    assert edited.gaps() == ["edit one bullet, RenderCV: no-such-program is not installed"]
    assert edited.cell(RAW).endswith(" ×")
    workspace = Workspace(bench.folder / "edit", bench.cache)
    pdf = workspace.pdf("ada", "academic")
    demand(pdf, "Another point")
    with pytest.raises(NotMeasuredError, match='does not show "Served 100"'):
        demand(pdf, "Served 100")
    with pytest.raises(NotMeasuredError, match="unknown person"):
        workspace.cvbuild("build", "nobody")


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_crowd_against_xargs(person: Path, tmp_path: Path) -> None:
    bench = Bench(Subject(person, "Served 100", (person,)), tmp_path, 1)
    table, (target,) = batch._rate(bench, 2)
    assert table.count("\n") == 4
    assert target.measured is not None


@pytest.mark.deep
def test_a_bench_in_which_nothing_works_says_so(person: Path, tmp_path: Path) -> None:
    person.write_text("name: [", encoding="utf-8")
    subject = Subject(person, "Served 100", (person,))
    text = single.text(Bench(subject, tmp_path / "bench", 1, rendercv="no-such-program"))
    assert text.count("| – | not measured |") == 7
    assert text.count("| – | – | – |") == 8
    assert "first build, formats and fonts there, cvbuild: cvbuild: " in text
