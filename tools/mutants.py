"""Change one operator, condition or number of cvbuild at a time, and run the tests beside it.

    python -m tools.mutants --count 60 --seed 7

A mutant lives in a copy of the checkout. Its neighbours are the test modules that are the fewest
imports away from the changed module, and those whose cases are rows or folders. One that they let
pass is printed: a test is missing there, or what was changed has no effect.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Test modules that are asked about a mutant, those of them that are so by their names alone, and
#: seconds for all of them.
_NEIGHBOURS, _ALIKE, _PATIENCE = 8, 2, 600
#: Test modules whose cases are rows or folders, of the whole program: asked last.
_TABLES = (
    "test_bad.py", "importers/test_bad.py", "importers/test_examples.py", "test_commands.py",
)  # fmt: skip
_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv,
}  # fmt: skip
_IMPORT = re.compile(
    r"^\s*(?:from (cvbuild[\w.]*) import ([^(\n]+|\([^)]*\))|import (cvbuild[\w.]*))", re.MULTILINE
)


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


def _name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path, modules: set[str]) -> set[str]:
    text = (ROOT / path).read_text("utf-8")
    found: set[str] = set()
    for package, names, module in _IMPORT.findall(text):
        words = re.findall(r"(\w+)(?: as \w+)?", names)
        found |= {package or module, *(f"{package}.{word}" for word in words)}
    return found & modules


class Neighbours:
    """The test modules nearest to a module, by their imports."""

    def __init__(self) -> None:
        paths = [path.relative_to(ROOT) for path in sorted((ROOT / "cvbuild").rglob("*.py"))]
        self.modules = {_name(path): path for path in paths if "node_modules" not in path.parts}
        names = set(self.modules)
        self._imports = {name: _imports(path, names) for name, path in self.modules.items()}
        tests = (path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py")))
        self._tests = {path: _imports(path, names) for path in tests}

    def of(self, module: str) -> list[Path]:
        """Return test modules: two that share the most words with it, near ones, and the tables.

        A test of the command line imports nothing of what it tests. The words of the module itself
        count twice, and a plural is its singular; of equally near tests, they decide, too.
        """
        words = [word.rstrip("s") for word in re.split(r"[._]", module)]
        words += [word.rstrip("s") for word in module.rpartition(".")[2].split("_")]

        def unlike(path: Path) -> tuple[int, int, Path]:
            own = {word.rstrip("s") for word in re.split(r"[/_.]", str(path))}
            return -sum(word in own for word in words), len(own), path

        alike = sorted((path for path in self._tests if unlike(path)[0]), key=unlike)
        reached: set[str] = set()
        wider, chosen = {module}, alike[:_ALIKE]
        while wider != reached and len(chosen) < _NEIGHBOURS:
            reached = wider
            near = [path for path, names in self._tests.items() if names & reached]
            chosen += sorted(set(near) - set(chosen), key=unlike)
            wider = reached | {name for name, names in self._imports.items() if names & reached}
        near = list(dict.fromkeys([*chosen, *alike]))[:_NEIGHBOURS]
        return list(dict.fromkeys([*near, *(Path("tests", name) for name in _TABLES)]))


class Checkout:
    """A copy of the project in which mutants live, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sound: dict[Path, bool] = {}
        left_out = shutil.ignore_patterns(".venv", ".git", "out", "node_modules", "*_cache")
        shutil.copytree(ROOT, folder, ignore=left_out)

    def kills(self, mutant: Mutant, tests: list[Path]) -> bool:
        """Return whether one of the tests that pass here fails with the mutant."""
        asked = [test for test in tests if self._sound.get(test) is not False]
        while asked and (failed := self._failed(asked, mutant)):
            if all(map(self._is_sound, failed)):
                return True
            asked = [test for test in asked if test not in failed]
        return False

    def _is_sound(self, test: Path) -> bool:
        """Return whether a test module passes without a mutant: some need what a copy lacks."""
        if test not in self._sound:
            self._sound[test] = not self._failed([test])
        return self._sound[test]

    def _failed(self, tests: list[Path], mutant: Mutant | None = None) -> list[Path]:
        """Return the first test module that fails; all of them if they don't end."""
        path = self._folder / mutant.path if mutant else None
        kept = path.read_bytes() if path else b""
        if path and mutant:
            path.write_text(mutant.source(), "utf-8")
        words = ["-m", "pytest", "-x", "-q", "--timeout=120", "-m", "not deep"]
        try:
            done = subprocess.run(
                [sys.executable, *words, "-p", "no:cacheprovider", *map(str, tests)],
                cwd=self._folder, capture_output=True, check=False, timeout=_PATIENCE,
                env={**os.environ, "PYTHONPATH": str(self._folder)},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return tests
        finally:
            if path:
                path.write_bytes(kept)
        if done.returncode in (0, 5):
            return []
        named = re.findall(rb"^(?:FAILED|ERROR) (tests/[\w/]+\.py)", done.stdout, re.MULTILINE)
        return [Path(os.fsdecode(named[0]))] if named else tests


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Make mutants, and print those that live."""
    parser = argparse.ArgumentParser(prog="tools.mutants")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    neighbours = Neighbours()
    every = [mutant for path in neighbours.modules.values() for mutant in mutants(path)]
    sample = random.Random(arguments.seed).sample(every, arguments.count)
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(arguments.jobs) as pool:
        spare = [Checkout(Path(place, str(number))) for number in range(arguments.jobs)]

        def judged(mutant: Mutant) -> bool:
            checkout = spare.pop()
            try:
                killed = checkout.kills(mutant, neighbours.of(_name(mutant.path)))
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
