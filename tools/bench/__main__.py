"""Measure how fast cvbuild is and write it into docs/measurements/benchmarks.md.

    python -m tools.bench single|batch|formats|serve|phases [--count N] [--rendercv PROGRAM] ...

"single" is ``make bench``: one document at a time; "batch" is ``make bench-batch``; "formats" is
``make bench-formats``: every other format, and imports; "serve" is ``make bench-serve``; "phases"
says where the time of an edit goes and writes nothing. The peers are those that are installed;
RENDERCV or --rendercv names RenderCV's program.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tools.bench import batch, formats, phases, report, serving, single
from tools.bench.single import SUBJECT, Bench


def main() -> int:
    """Measure, print, write; return the exit code."""
    given = parser().parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        bench = Bench(SUBJECT, folder, given.count, given.rendercv)
        if given.what == "phases":
            print(phases.table(bench))  # noqa: T201 - a program of its own
            return 0
        head = report.machine(given.rendercv)
        tables = {
            "single": lambda: single.text(bench),
            "batch": lambda: batch.text(bench, given.people),
            "formats": lambda: formats.text(bench),
            "serve": lambda: serving.text(bench, given.edits),
        }[given.what]()
        text = f"{head}\n\n{tables}"
    print(text)  # noqa: T201
    page = report.replaced(report.PAGE.read_text(encoding="utf-8"), given.what, text)
    report.PAGE.write_text(page, encoding="utf-8")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    options = argparse.ArgumentParser(description="Measure how fast cvbuild is.")
    options.add_argument("what", choices=("single", "batch", "formats", "serve", "phases"))
    options.add_argument("--count", type=number, default=7, help="rounds of each row; default: 7")
    options.add_argument(
        "--people", type=number, default=1000, help="the largest crowd of batch; default: 1000"
    )
    options.add_argument(
        "--edits", type=number, default=200, help="how many edits of serve; default: 200"
    )
    options.add_argument("--rendercv", default=os.environ.get("RENDERCV"), metavar="PROGRAM")
    return options


def number(text: str) -> int:
    """Return a number of at least 1; raise ValueError, which argparse reports."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
