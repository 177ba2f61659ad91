"""The benchmark runs, on a document that is done in no time, and writes what it measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.bench import batch, report
from tools.bench.edits import Edits
from tools.bench.report import PAGE
from tools.bench.single import OURS, RAW, Bench, Subject, edit
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


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_tiny_run(person: Path, tmp_path: Path) -> None:
    subject = Subject(person, "Served 100", (person,))
    edits = Edits(person, "Served 100")
    texts = [edits.make() for _ in range(12)]
    assert len(set(texts)) == 12
    assert person.read_text(encoding="utf-8") == TINY.replace("Served 100", texts[-1])
    person.write_text(TINY, encoding="utf-8")
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
