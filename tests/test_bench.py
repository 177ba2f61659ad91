"""``make bench``: a row measures what it says, and says why a contestant is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from texlive import demand_embedded

from tools.bench import report, rows
from tools.bench.measuring import Edits, Missing, NotMeasuredError, Times, demand
from tools.bench.rows import OURS, RENDERCV, Bench, edit


def test_an_edit_is_measured_in_its_own_pdf(tmp_path: Path) -> None:
    demand_embedded()
    person = tmp_path / "ada-example.yaml"
    person.write_text("name: Ada Example\nheadline: Patent 11,514,370\n", encoding="utf-8")
    bench = Bench(tmp_path, 1, 2, "no-such-program", person, "11,514,370")
    row = edit(bench)
    times = row.measured[OURS]
    assert isinstance(times, Times), times
    assert len(times.seconds) == 1
    assert row.measured[RENDERCV] == Missing("no-such-program is not installed")
    table = report.times_table([row])
    assert f"| edit one bullet | {times} | – |" in table
    assert "no-such-program is not installed" in table
    pdf = tmp_path / "edit" / "out" / "ada-example" / "academic.pdf"
    demand(pdf, "11,514,001")
    with pytest.raises(NotMeasuredError, match="does not show"):
        demand(pdf, "11,514,370")


def test_what_is_measured_is_there() -> None:
    """The CV of the benchmark has the text that is edited once, and RenderCV's input too."""
    for file in (rows.MEASURED[0], rows.RENDERCV_INPUT):
        Edits(file, rows.MEASURED[1])
    measured = {row.__name__: report.Row(row.__name__, {OURS: Missing("")}) for row in rows.ROWS}
    assert report.Row("idle", {OURS: Times((0.0,))}).cell(OURS) == "0.000 s"
    assert "no, 100 % above" in report.targets_table([report.Target("", 1, 2, "s")])
    assert report.targets_table(rows.targets(measured)).count("| – | not measured |") == 8
