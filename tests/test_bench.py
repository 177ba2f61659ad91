"""The benchmark runs, on a document that is done in no time, and writes what it measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.bench.report import PAGE
from tools.bench.rows import OURS, Bench, edit
from tools.bench.times import NotMeasuredError, Times
from tools.bench.workspace import Edits, Workspace, demand
from tools.generated import filled

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


def test_a_run_writes_its_part_of_the_page(tmp_path: Path) -> None:
    written = filled(PAGE, measured="one")
    assert "<!-- measured -->\n\none\n\n<!-- end of measured -->" in written
    before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- measured -->")
    assert written.startswith(before)
    assert written.endswith(rest.partition("<!-- end of measured -->")[2])
    (tmp_path / "other.md").write_text("nothing", encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.md has no place for measured"):
        filled(tmp_path / "other.md", measured="one")


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_tiny_run(person: Path, tmp_path: Path) -> None:
    edits = Edits(person, "Served 100")
    texts = [edits.make() for _ in range(12)]
    assert len(set(texts)) == 12
    assert person.read_text(encoding="utf-8") == TINY.replace("Served 100", texts[-1])
    person.write_text(TINY, encoding="utf-8")
    bench = Bench(tmp_path / "bench", 1, 1, "no-such-program", person, "Served 100")
    edited = edit(bench)
    assert {name for name, one in edited.measured.items() if isinstance(one, Times)} == {OURS}
    assert edited.gaps() == ["edit one bullet, RenderCV: no-such-program is not installed"]
    assert edited.cell(OURS).endswith(" s")
    workspace = Workspace(bench.folder / "edit", bench.cache)
    pdf = workspace.pdf("ada", "academic")
    demand(pdf, "Another point")
    with pytest.raises(NotMeasuredError, match='does not show "Served 100"'):
        demand(pdf, "Served 100")
    with pytest.raises(NotMeasuredError, match="unknown person"):
        workspace.cvbuild("build", "nobody")
