"""``make bench-formats``: every other format of one CV, and the import of every example."""

from __future__ import annotations

import shutil
from pathlib import Path

from cvbuild.importers import registry as importers
from cvbuild.outputs import registry as outputs
from tools.bench.peers import ROOT
from tools.bench.report import Target, markdown, progress, targets_table
from tools.bench.single import Bench
from tools.bench.times import Contestant, Measured, Times, in_turns
from tools.bench.workspace import Workspace

EXAMPLES = ROOT / "tests" / "importers" / "examples"
#: Formats that may add this many seconds to the build of a PDF.
QUICK, MOST = ("html", "md", "txt", "json"), 0.3


def text(bench: Bench) -> str:
    """Return the tables."""
    built, read = formats(bench), imports(bench)
    pdf = built["pdf"]
    table = [["format", "alone", "with the PDF"], ["---"] * 3]
    for name in outputs.BUILT_IN:
        beside = built.get(f"pdf,{name}")
        table.append([f"`{name}`", _cell(built[name]), _cell(beside) if beside else "–"])
    targets = [
        Target(f"`{name}` with the PDF, more than the PDF", MOST, _more(built, name, pdf), unit="s")
        for name in QUICK
    ]
    sources = [["example of", "`cvbuild import`"], ["---"] * 2]
    sources += [[f"`{name}`", _cell(found)] for name, found in read.items()]
    head = f"Median of {bench.count} rounds (least .. most).\n\n"
    return f"{head}{markdown(table)}\n{targets_table(targets)}\n{markdown(sources)}"


def formats(bench: Bench) -> dict[str, Measured]:
    """Measure the first build of each format, alone and together with the PDF."""
    progress("formats ...")
    wanted = [*outputs.BUILT_IN, *(f"pdf,{name}" for name in outputs.BUILT_IN if name != "pdf")]
    workspace = bench.workspace("formats")
    return in_turns(
        {one: _build(workspace, bench.subject.person, one) for one in wanted}, bench.count
    )


def imports(bench: Bench) -> dict[str, Measured]:
    """Measure the import of each example, up to the checked file."""
    progress("imports ...")
    workspace = Workspace(bench.folder / "imports", bench.cache)
    workspace.folder.mkdir()
    found = {}
    for name in importers.BUILT_IN:
        folder = next(
            one for one in sorted(EXAMPLES.iterdir()) if one.name.split("-of-")[0] == name
        )
        found[name] = _import(workspace, next(folder.glob("given*")))
    return in_turns(found, bench.count)


def _build(workspace: Workspace, person: str, wanted: str) -> Contestant:
    def once(number: int) -> float:
        del number
        shutil.rmtree(workspace.out, ignore_errors=True)
        return workspace.cvbuild("build", person, "-t", "academic", "--format", wanted).seconds

    return once


def _import(workspace: Workspace, given: Path) -> Contestant:
    def once(number: int) -> float:
        del number
        shutil.rmtree(workspace.folder / "people", ignore_errors=True)
        (workspace.folder / "people").mkdir()
        (workspace.folder / "people" / "ada.yaml").write_text("name: Ada Example\n", "utf-8")
        return workspace.cvbuild("import", str(given), "--as", "ada", "--merge", "--yes").seconds

    return once


def _cell(found: Measured) -> str:
    return str(found) if isinstance(found, Times) else f"– ({found.why})"


def _more(built: dict[str, Measured], name: str, pdf: Measured) -> float | None:
    both = built.get(f"pdf,{name}")
    if not isinstance(both, Times) or not isinstance(pdf, Times):
        return None
    return both.median - pdf.median
