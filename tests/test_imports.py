"""What only some modules may do: print, start processes, read a clock.

Which room may import which is in pyproject.toml: `make lint` proves it with import-linter.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import cvbuild

PACKAGE = Path(cvbuild.__file__).parent
CLOCKS = ("time.time", "time.time_ns", "Day.today", "date.today")


#: In a module without any of these words there is nothing to find.
WORDS = re.compile(r"subprocess|multiprocessing|import.* (time|date)|random|secrets|uuid|today\(")


@cache
def modules() -> dict[str, ast.Module]:
    """The modules that may use what is looked for, by their dotted names below the package."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): (
            ast.parse(text)
        )
        for path in PACKAGE.rglob("*.py")
        if WORDS.search(text := path.read_text(encoding="utf-8"))
    }


def top(name: str) -> str:
    """The module of the package that a dotted name is in."""
    return name.partition(".")[0]


def imports(tree: ast.Module) -> set[str]:
    """All modules that are imported anywhere in a module, dotted."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_processes_start_in_one_place() -> None:
    using = {
        name
        for name, tree in modules().items()
        if imports(tree) & {"subprocess", "multiprocessing"}
    }
    assert using == {"common.processes"}


def test_nothing_below_the_edge_reads_a_clock_or_rolls_dice() -> None:
    """House rule 13: the date comes in as an argument."""
    # A watch may last for days, and so may a server, whose token nobody may guess, and whose copies
    # of what was saved are named by the time.
    allowed = {"api", "cli", "building.watch", "building.fresh"}
    allowed |= {"serve.files", "serve.desk", "serve.server"}
    banned = {
        "time.time",
        "time.time_ns",
        "datetime.datetime.now",
        "datetime.date.today",
        "random",
        "secrets",
        "uuid",
    }
    found = {
        (name, other)
        for name, tree in modules().items()
        if name not in allowed and top(name) not in allowed
        for other in imports(tree)
        if other != "uuid.UUID"
        and (other in banned or other.split(".")[0] in ("random", "secrets", "uuid"))
    }
    assert found == set()
    clocks = {
        (name, f"{node.func.value.id}.{node.func.attr}")
        for name, tree in modules().items()
        if name not in allowed and top(name) not in allowed
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
    }
    assert len(clocks) > 100
    assert clocks & {(n, c) for n, _ in clocks for c in CLOCKS} == set()


#: What a build that succeeds doesn't need before TeX runs, and what only some documents need.
LATE = {
    "PIL", "babel", "concurrent.futures.thread", "difflib", "fontTools", "markdown_it", "pikepdf",
    "pypdfium2",
    *(f"cvbuild.{name}" for name in (
        "inputs.validation.errors", "inputs.validation.slots", "inputs.yaml.syntax",
        "model.kinds.publications", "outputs.jsonresume", "outputs.pdf.tex.log",
        "outputs.pdf.verify.pdf_facts", "outputs.pdf.verify",
    )),
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has after it has run the code."""
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_build_loads_little_before_it_begins() -> None:
    found = loaded("import cvbuild.building.batch, cvbuild.cli.report,cvbuild.outputs.pdf.output")
    assert {
        "cvbuild.building.pipeline",
        "pydantic",
        "jinja2",
    } <= found
    assert found & LATE == set()
