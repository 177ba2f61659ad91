"""``python -m tools.tex_wheel``: make the wheels."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tools.tex_wheel import tree


def main() -> None:
    """Make a wheel for each machine, and print its name and size."""
    parser = argparse.ArgumentParser(prog="python -m tools.tex_wheel", description=__doc__)
    parser.add_argument("--machine", action="append", choices=sorted(tree.MACHINES))
    parser.add_argument("--out", type=Path, default=Path("dist"))
    parser.add_argument("--cache", type=Path, help="keep Debian's packages in this folder")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tex-wheel-") as name:
        machines = given.machine or sorted(tree.MACHINES)
        # Only this machine's program can make the format, which all read. Packages without programs
        # are those of the first machine.
        here = tree.here()
        every = list(dict.fromkeys([here, *machines]))
        kept = given.cache or Path(name, "debian")
        suite, older = (
            tree.Suite(tree.DATA[key], every, kept / tree.DATA[key])
            for key in ("suite", "programs_suite")
        )
        programs = {machine: tree.program(older, machine, Path(name, machine)) for machine in every}
        common = tree.Tree.of(suite, programs[here], Path(name, "common"))
        for machine in machines:
            program = programs[machine]
            path = tree.write(common, program, machine, given.out)
            sys.stdout.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")


main()
