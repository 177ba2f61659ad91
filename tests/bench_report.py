"""Measures how fast cvbuild is and writes it into docs/benchmarks.md.

    python tests/bench_report.py single|batch|phases [--count N] [--rendercv PROGRAM] ...

"single" is ``make bench``: one document at a time; "batch" is ``make bench-batch``; "phases" says
where the time of an edit goes and writes nothing. The peers are those that are installed;
RENDERCV or --rendercv names RenderCV's program.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bench import batch, phases, report, single
from bench.single import Bench, Subject

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
#: The measured CV has no bullets below its entries: a patent's number is what changes in it.
SUBJECT = Subject(
    ROOT / "people" / "gyeong-in-yu.yaml",
    "11,514,370",
    tuple(sorted((ROOT / "people").glob("[!.]*.yaml"))),
)


def main() -> int:
    """Measure, print, write."""
    given = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        bench = Bench(SUBJECT, folder, given.count, given.rendercv)
        if given.what == "phases":
            print(phases.table(bench))  # noqa: T201 - a program of its own
            return 0
        head = report.machine(given.rendercv)
        single_one = given.what == "single"
        tables = single_text(bench) if single_one else batch.text(folder, given.people)
        text = f"{head}\n\n{tables}"
    print(text)  # noqa: T201
    PAGE.write_text(
        report.replaced(PAGE.read_text(encoding="utf-8"), given.what, text), encoding="utf-8"
    )
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    options = argparse.ArgumentParser(description="Measure how fast cvbuild is.")
    options.add_argument("what", choices=("single", "batch", "phases"))
    options.add_argument("--count", type=number, default=7, help="rounds of each row; default: 7")
    options.add_argument(
        "--people", type=number, default=1000, help="the largest crowd of batch; default: 1000"
    )
    options.add_argument("--rendercv", default=os.environ.get("RENDERCV"), metavar="PROGRAM")
    return options


def number(text: str) -> int:
    """A number from 1; raises ValueError, which argparse tells."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def single_text(bench: Bench) -> str:
    """Both tables of ``make bench``."""
    rows = list(single.rows(bench))
    count = single.passes(bench)
    stable = f"*stable* took {count} passes; " if count else ""
    head = f"{stable}median of {bench.count} rounds (least .. most).\n\n"
    reached = report.targets_table(single.targets(rows))
    return f"{head}{report.times_table(rows, bench.count)}\n{reached}"


if __name__ == "__main__":
    sys.exit(main())
