"""The tables in Markdown, and what they were measured on."""

from __future__ import annotations

import datetime as dt
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tools.bench.measuring import Measured, Times, ratio
from tools.generated import table

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "measurements" / "benchmarks.md"
COLUMNS = ("cvbuild", "RenderCV")


@dataclass(frozen=True)
class Row:
    """A row of the table: what was measured, by contestant; ``note`` goes below the table."""

    title: str
    measured: Mapping[str, Measured]
    note: str = ""

    def cell(self, name: str) -> str:
        """Return median and spread, and how many times as long as cvbuild it takes."""
        times = self.measured.get(name)
        if not isinstance(times, Times):
            return "–"
        ours = None if name == COLUMNS[0] else ratio(self.measured.get(COLUMNS[0]), times)
        return str(times) if ours is None else f"{times}: {ours:.2f} ×"

    def gaps(self) -> list[str]:
        """Return why something is missing, one line each."""
        return [
            f"{self.title}, {name}: {found.why}"
            for name, found in self.measured.items()
            if not isinstance(found, Times)
        ]


@dataclass(frozen=True)
class Target:
    """A target: at most ``limit``; ``measured`` is None if it could not be measured."""

    what: str
    limit: float
    measured: float | None
    unit: str = "×"

    def cells(self) -> tuple[str, ...]:
        """Return the limit, the figure, and "yes", "no, 12 % above" or "not measured"."""
        limit = f"at most {self.limit:g} {self.unit}"
        if self.measured is None:
            return self.what, limit, "–", "not measured"
        is_reached = round(self.measured, 3) <= self.limit
        above = f"no, {100 * (self.measured / self.limit - 1):.0f} % above"
        figure = f"{self.measured:.2f} {self.unit}"
        return self.what, limit, figure, "yes" if is_reached else above


def times_table(rows: Iterable[Row]) -> str:
    """Return a table of rows; below it notes, and what is missing."""
    rows = list(rows)
    cells = [[row.title, *(row.cell(name) for name in COLUMNS)] for row in rows]
    notes = [f"{row.title}: {row.note}" for row in rows if row.note]
    gaps = [line for row in rows for line in row.gaps()]
    return table(("", *COLUMNS), cells) + "".join(f"\n- {line}" for line in (*notes, *gaps)) + "\n"


def targets_table(targets: Iterable[Target]) -> str:
    """Return a table of the targets and whether they were reached."""
    head = ("to reach", "", "measured", "reached")
    return table(head, [target.cells() for target in targets])


def machine(rendercv: str) -> str:
    """Return the day, the machine, the versions and the load in one line; no name or path."""
    tex = _output_of("pdflatex", "--version")
    found = re.search(r"\((.*?)\)", tex)
    facts = [
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}",
        f"{_processor()}, {os.cpu_count()} cores",
        _system(),
        f"Python {platform.python_version()}",
        found[1] if found else "no system TeX",
        f"cvbuild {_version('cvbuild')}",
    ]
    if other := re.search(r"v?(\d+[\d.]+)", _output_of(rendercv, "--version")):
        facts.append(f"RenderCV {other[1]}")
    if hasattr(os, "getloadavg"):
        facts.append(f"load before {os.getloadavg()[0]:.1f}")
    return "; ".join(facts) + "."


def _processor() -> str:
    try:
        found = re.search(
            r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE
        )
    except OSError:
        found = None
    named = found[1] if found else _output_of("sysctl", "-n", "machdep.cpu.brand_string").strip()
    return named or platform.machine()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return f"{platform.system()} {platform.release()}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def _output_of(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
