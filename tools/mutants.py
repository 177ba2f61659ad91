"""Change one operator, condition or number of cvbuild at a time, and run the tests that run it.

    python -m tools.mutants --count 60 --seed 7

All tests of ``make test`` run once, and coverage tells which lines each of them runs. A mutant
lives in a copy of the checkout. Its neighbours are the tests that run its lines, and then those
that run its module. Lines that no test runs, as they run in another process, have the test modules
that share words with the module's name, too. One that they let pass is printed: a test is missing
there, or what was changed has no effect.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).resolve().parent.parent
#: The folder that a run of all tests writes its lines to, and the file of the tests to run.
_MEASURED, _CHOSEN = "CVBUILD_MEASURED", "CVBUILD_CHOSEN"
#: They interrupt a thread, which does not end while coverage looks at it.
_UNMEASURED = "not endless and not takes"
_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change: the text of a node in a module, and what stands there instead."""

    path: Path
    line: int
    before: str
    after: str
    start: int
    end: int

    def source(self) -> str:
        """Return the module with the change."""
        data = (ROOT / self.path).read_bytes()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a module; annotations, docstrings and f-strings stay."""
    data = (ROOT / path).read_bytes()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _nodes(ast.parse(data)):
        changed = _changed(node)
        if changed is None or node.end_lineno is None or node.end_col_offset is None:
            continue
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        before = data[start:end].decode()
        yield Mutant(path, node.lineno, before, f"({ast.unparse(changed)})", start, end)


def _nodes(node: ast.AST) -> Iterator[ast.expr]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.JoinedStr) or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr):
                yield child
            yield from _nodes(child)


def _changed(node: ast.expr) -> ast.expr | None:
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[operator]) if type(operator) in _OPERATORS:
            changed.ops = [_OPERATORS[type(operator)]()]  # type: ignore[list-item]
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in _OPERATORS:
            changed.op = _OPERATORS[type(operator)]()  # type: ignore[assignment]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.IfExp(test=test):
            changed.test = ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=bool() as value):
            changed.value = not value
        case ast.Constant(value=int() as value):
            changed.value = value + 1
        case _:
            return None
    return changed


class _Measuring:
    """A plugin of pytest: writes which lines each test runs, and the seconds that it takes."""

    def __init__(self, folder: str) -> None:
        self._file = Path(folder, str(os.getpid()))
        self._coverage = coverage.Coverage(
            self._file.with_suffix(".lines"), source=["cvbuild"], config_file=False
        )
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """All lines from here on are this test's."""
        self._coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that fails here can judge no mutant."""
        self._seconds[report.nodeid] += report.duration if report.passed else 1e6

    def pytest_unconfigure(self) -> None:
        """Write all that is known."""
        self._coverage.stop()
        self._coverage.save()
        self._file.with_suffix(".json").write_text(json.dumps(self._seconds), "utf-8")


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Measure before anything of cvbuild is imported."""
    if folder := os.environ.get(_MEASURED):
        early_config.pluginmanager.register(_Measuring(folder))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the chosen tests, in their order."""
    if path := os.environ.get(_CHOSEN):
        place = {name: at for at, name in enumerate(Path(path).read_text("utf-8").split("\n"))}
        items[:] = sorted((one for one in items if one.nodeid in place),
                          key=lambda one: place[one.nodeid])  # fmt: skip


class Neighbours:
    """Which tests run which line, and the seconds of each."""

    def __init__(self, folder: Path) -> None:
        self._seconds: dict[str, float] = {}
        self._lines: dict[Path, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path in folder.glob("*.json"):
            self._seconds |= json.loads(path.read_text("utf-8"))
        for path in folder.glob("*.lines"):
            data = coverage.CoverageData(path)
            data.read()
            for name in data.measured_files():
                module = self._lines[Path("cvbuild", *Path(name).parts[_depth(name) :])]
                for line, tests in data.contexts_by_lineno(name).items():
                    module[line].update(tests)

    def of(self, mutant: Mutant, most: float) -> list[str]:
        """Return tests that take so many seconds together, the nearest first.

        A line whose result is kept for later has one test, so those of its module follow.
        """
        module = self._lines[mutant.path]
        lines = range(mutant.line, mutant.line + mutant.before.count("\n") + 1)
        near = set[str]().union(*(module[line] for line in lines)) - {""}
        others = set[str]().union(*module.values()) - {"", *near}
        chosen = [*self._ordered(near), *self._ordered(others)]
        chosen += [] if near else self._ordered(self._alike(mutant.path) - others)
        spent = 0.0
        return [test for test in chosen
                if (spent := spent + self._seconds.get(test, 1e6)) < most]  # fmt: skip

    def _ordered(self, tests: set[str]) -> list[str]:
        """Return tests by the seconds that they take: one of each function first."""
        functions: set[str] = set()
        first: list[str] = []
        later: list[str] = []
        for test in sorted(tests, key=lambda one: self._seconds.get(one, 1e6)):
            function = test.partition("[")[0]
            (later if function in functions else first).append(test)
            functions.add(function)
        return first + later

    def _alike(self, path: Path) -> set[str]:
        """Return the tests of the modules that share the most words with a path."""

        def words(name: str) -> set[str]:
            return {word.rstrip("s") for word in re.split(r"[/_.]", name.partition("::")[0])}

        shared = {test: len(words(test) & words(str(path))) for test in self._seconds}
        return {test for test, count in shared.items() if count == max(shared.values())}


def _depth(name: str) -> int:
    """Return how many folders of a path are above the modules: the last "cvbuild" is the last."""
    parts = Path(name).parts
    return len(parts) - parts[::-1].index("cvbuild")


class Checkout:
    """A copy of the project in which mutants live, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        left_out = shutil.ignore_patterns(".venv", ".git", "out", "node_modules", "*_cache")
        shutil.copytree(ROOT, folder, ignore=left_out)

    def measure(self, folder: Path, jobs: int) -> None:
        """Run all tests once, and write the lines of each into a folder."""
        words = ["-n", str(jobs), "--dist", "loadfile", "-k", _UNMEASURED, "-m", "not deep"]
        self._pytest(words, {_MEASURED: str(folder)}, 3600)

    def kills(self, mutant: Mutant, tests: list[str]) -> bool:
        """Return whether one of the tests that pass here fails with the mutant."""
        path = self._folder / mutant.path
        kept = path.read_bytes()
        while tests:
            path.write_text(mutant.source(), "utf-8")
            failed = self._failed(tests)
            path.write_bytes(kept)
            if not failed or not self._failed(failed):
                return bool(failed)
            tests = [test for test in tests if test not in failed]
        return False

    def _failed(self, tests: list[str]) -> list[str]:
        """Return the first test that fails; all of them if they don't end or can't begin."""
        chosen = self._folder / "chosen"
        chosen.write_text("\n".join(tests), "utf-8")
        modules = dict.fromkeys(test.partition("::")[0] for test in tests)
        done = self._pytest(["-x", "--timeout=120", *modules], {_CHOSEN: str(chosen)}, 600)
        if done is None or done.returncode in (0, 5):
            return tests if done is None else []
        named = re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return [test for test in tests if test in named] or tests

    def _pytest(
        self, words: Iterable[str], variables: dict[str, str], seconds: float
    ) -> subprocess.CompletedProcess[str] | None:
        """Run pytest in the copy; return None if it takes too long."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.mutants",
                   "-p", "no:cacheprovider", *words]  # fmt: skip
        try:
            return subprocess.run(
                command, cwd=self._folder, capture_output=True, check=False, timeout=seconds,
                encoding="utf-8", errors="replace",
                env={**os.environ, **variables, "PYTHONPATH": str(self._folder)},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Make mutants, and print those that live."""
    parser = argparse.ArgumentParser(prog="tools.mutants")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=60, help="of tests for a mutant")
    parser.add_argument("--measured", type=Path, help="a folder that keeps which lines tests run")
    arguments = parser.parse_args()
    paths = sorted((ROOT / "cvbuild").rglob("*.py"))
    every = [mutant for path in paths for mutant in mutants(path.relative_to(ROOT))]
    sample = random.Random(arguments.seed).sample(every, arguments.count)
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(arguments.jobs) as pool:
        spare = [Checkout(Path(place, str(number))) for number in range(arguments.jobs)]
        measured: Path = arguments.measured or Path(place, "measured")
        if not measured.exists():
            measured.mkdir(parents=True)
            spare[0].measure(measured.resolve(), arguments.jobs)
        neighbours = Neighbours(measured)

        def judged(mutant: Mutant) -> bool:
            checkout = spare.pop()
            try:
                killed = checkout.kills(mutant, neighbours.of(mutant, arguments.seconds))
            finally:
                spare.append(checkout)
            state = "killed" if killed else "LIVES "
            place = f"{mutant.path}:{mutant.line}"
            _write(f"{state} {place}: {mutant.before!r} -> {mutant.after!r}")
            return killed

        killed = sum(pool.map(judged, sample))
    _write(f"{killed} of {len(sample)} killed by their neighbours' tests (seed {arguments.seed})")


if __name__ == "__main__":
    main()
