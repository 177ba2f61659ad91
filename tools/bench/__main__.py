"""Measure how fast cvbuild is and write it into docs/measurements/benchmarks.md: ``make bench``.

python -m tools.bench [--count N]

RENDERCV names RenderCV's program, which is measured where it is installed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tools.bench import report
from tools.bench.rows import Bench, text
from tools.generated import filled


def main() -> int:
    """Measure, print, write; return the exit code."""
    options = argparse.ArgumentParser(description="Measure how fast cvbuild is.")
    options.add_argument("--count", type=number, default=7, help="rounds of each row; default: 7")
    rendercv = os.environ.get("RENDERCV", "rendercv")
    count = options.parse_args().count
    head = report.machine(rendercv)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        bench = Bench(Path(name), count, rendercv)
        tables = f"{head}\n\n{text(bench)}"
    print(tables)  # noqa: T201 - a program of its own
    report.PAGE.write_text(filled(report.PAGE, measured=tables), encoding="utf-8")
    return 0


def number(text: str) -> int:
    """Return a number of at least 1; raise ValueError, which argparse reports."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
