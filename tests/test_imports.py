"""Data flows one way: no stage imports a later one (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import cvbuild

PACKAGE = Path(cvbuild.__file__).parent
#: Modules by how late they come; a module may import earlier ones and those of its own level.
LEVELS = (
    {"__init__", "diagnostics", "errors", "stamps", "seals", "caches", "shapes", "gitfiles"},
    {"places", "hints", "slips", "yamltree", "source", "beside", "urls", "richtext", "bidi"},
    {"safefiles", "index"},
    {"model"},
    {"scripts", "fonts"},
    {"slots", "faults", "validate", "overrides", "variation", "privacy"},
    {"letters", "networks", "names", "examples", "overlay"},
    {"choosing", "selected", "selection", "words", "pdfids"},
    {"localize", "inventory"},
    {"people", "fresh", "opening", "wanted"},
    {"options", "templates", "variantcheck", "photo"},
    {"jsonresume", "schema", "reference", "starter"},
    {"view", "fit"},
    {"shown", "bytecode", "pdffonts", "reading", "furniture"},
    {"viewer", "letterview", "keywords", "latex", "pdf", "placing"},
    {"latexruns"},
    {"render", "verify"},
    {"engines"},
    {"scratch", "warm"},
    {"standby", "arguments"},
    {"task", "outcome"},
    {"typeset"},
    {"onepage", "stale"},
    {"glyphs"},
    {"document"},
    {"pipeline", "recheck", "why"},
    {"batch", "cluster"},
    {"remember"},
    {"applications"},
    {"api", "console", "progress"},
    {"watching"},
    {"commands"},
    {"cli", "__main__"},
)
LEVEL = {name: number for number, names in enumerate(LEVELS) for name in names}
CLOCKS = ("time.time", "time.time_ns", "Day.today", "date.today")
#: The only modules that print.
PRINTERS = {"console", "commands", "cli", "__main__"}


def modules() -> dict[str, ast.Module]:
    """Every module by its dotted name below the package."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): (
            ast.parse(path.read_text(encoding="utf-8"))
        )
        for path in PACKAGE.rglob("*.py")
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


def ours(tree: ast.Module) -> set[str]:
    """The modules of the package among them, without its name."""
    known = modules_by_name()
    return {
        parts[1] if len(parts) > 1 and parts[1] in known else "__init__"
        for name in imports(tree)
        if (parts := name.split("."))[0] == "cvbuild"
    }


def modules_by_name() -> set[str]:
    return {path.stem for path in PACKAGE.glob("*.py")} | {
        path.parent.name for path in PACKAGE.glob("*/__init__.py")
    }


def test_it_sees_the_modules() -> None:
    names = set(modules())
    assert len(names) > 50
    assert {"source", "model.base", "validate", "engines.process", "pipeline", "cli"} <= names
    assert modules_by_name() == set(LEVEL), "a new module needs a level here"
    edges = sum(len(ours(tree)) for tree in modules().values())
    assert edges > 150


def test_every_module_is_in_the_table() -> None:
    page = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    first = re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE)
    told = {name for cell in first for name in re.findall(r"`(\w+)/?`", cell)}
    assert modules_by_name() - told == {"__init__", "__main__"}


def test_no_stage_imports_a_later_one() -> None:
    # ``cvbuild`` itself names the public things of all stages, which load when they are used.
    late = [
        (name, other)
        for name, tree in modules().items()
        if name != "__init__"
        for other in ours(tree)
        if LEVEL[other] > LEVEL[top(name)]
    ]
    assert late == []


def test_the_model_imports_little() -> None:
    allowed = {"model", "richtext", "urls"}
    found = {name: ours(tree) for name, tree in modules().items() if top(name) == "model"}
    assert len(found) >= 6
    assert {name: others - allowed for name, others in found.items() if others - allowed} == {}


def test_only_pipeline_and_batch_know_the_stages() -> None:
    stages = {"validate", "selection", "viewer", "render", "typeset", "engines"}
    knowing = {
        name: len(ours(tree) & stages)
        for name, tree in modules().items()
        if name != "__init__" and len(ours(tree) & stages) >= 3
    }
    # typeset stands for view, render and engines; onepage is the one loop around it.
    assert set(knowing) <= {"document", "glyphs", "pipeline", "batch", "typeset", "onepage"}
    assert "typeset" in knowing


def test_processes_start_in_one_place() -> None:
    using = {
        name
        for name, tree in modules().items()
        if imports(tree) & {"subprocess", "multiprocessing"}
    }
    assert using == {"engines.process"}


def test_only_the_edge_prints_or_exits() -> None:
    calls = {
        (name, node.func.id)
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert len(calls) > 300
    printing = {
        name for name, called in calls if called in ("print", "exit", "input", "breakpoint")
    }
    assert printing
    assert {name for name in printing if top(name) not in PRINTERS} == set()
    dangerous = {(name, called) for name, called in calls if called in ("eval", "exec", "compile")}
    assert dangerous == set()


def test_nothing_below_the_edge_reads_a_clock_or_rolls_dice() -> None:
    """House rule 13: the date comes in as an argument."""
    # A watch may last for days.
    allowed = {"api", "commands", "console", "cli", "watching"}
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
        if top(name) not in allowed
        for other in imports(tree)
        if other in banned or other.split(".")[0] in ("random", "secrets", "uuid")
    }
    assert found == set()
    clocks = {
        (name, f"{node.func.value.id}.{node.func.attr}")
        for name, tree in modules().items()
        if top(name) not in allowed
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
    }
    assert len(clocks) > 100
    assert clocks & {(n, c) for n, _ in clocks for c in CLOCKS} == set()


#: What a build that succeeds doesn't need before TeX runs, and what only some documents need.
LATE = {
    "PIL", "babel", "concurrent.futures.thread", "cvbuild.outputs.pdf.tex.log", "cvbuild.inputs.validation.messages",
    "cvbuild.outputs.jsonresume.export", "cvbuild.outputs.pdf.verify.pdf_facts", "cvbuild.inputs.yaml.syntax_errors", "cvbuild.inputs.validation.schema_paths", "cvbuild.outputs.pdf.verify.verify",
    "difflib", "fontTools", "markdown_it", "pikepdf", "pypdfium2", "rich",
}  # fmt: skip


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has after it has run the code."""
    code = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_build_loads_little_before_it_begins() -> None:
    found = loaded("import cvbuild.cli, cvbuild.commands.building")
    assert {
        "cvbuild.cli.commands.build",
        "cvbuild.building.pipeline",
        "pydantic",
        "jinja2",
    } <= found
    assert found & LATE == set()


def test_a_plain_english_person_needs_neither_babel_nor_markdown() -> None:
    """Up to TeX: validated, localized, selected and shown, with dates and straight letters."""
    code = """
from cvbuild import localize, selection, source, validate, viewer
text = "name: A B\\nlocale: en\\nsections:\\n- {kind: entry, items: [{title: T, date: 2020-01-02}]}"
read = source.parse(text, "a.yaml")
profile, _ = localize.localize(validate.validate(read), read)
view = viewer.build(selection.select(profile, {}), {})
assert str(view.sections[0].groups[0].items[0].date) == "Jan 2, 2020"
"""
    found = loaded(code)
    assert "cvbuild.view.builder" in found
    assert found & LATE == set()
