"""The rows of ``make bench``, their contestants (cvbuild, RenderCV), and the targets on them."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.bench import report
from tools.bench.measuring import (
    CVBUILD,
    IDLE,
    Contestant,
    Edits,
    Missing,
    NotMeasuredError,
    Times,
    Watcher,
    Workspace,
    demand,
    in_turns,
    program,
    ratio,
    run,
)
from tools.bench.report import COLUMNS, Row, Target

ROOT = Path(__file__).resolve().parent.parent.parent
OURS, RENDERCV = COLUMNS
#: The measured CV as RenderCV's input, text for text; only its PDF is made.
RENDERCV_INPUT = Path(__file__).with_name("rendercv.yaml")
_ONLY_PDF = ("--dont-generate-markdown", "--dont-generate-html", "--dont-generate-png", "--quiet")
#: The imports of any program of this kind that checks its files.
_BARE = "import argparse, json, hashlib, pathlib"
TEMPLATE = "academic"
#: How many CVs are built at once, and by how many processes.
_MANY, _JOBS = 20, "2"
#: This CV has no bullets below its entries: a patent's number is what changes in it.
PERSON, NUMBER = "gyeong-in-yu", "11,514,370"
FILE = ROOT / "people" / f"{PERSON}.yaml"
#: How many people status lists.
_PEOPLE = 500
_EVERYBODY = tuple(sorted((ROOT / "people").glob("[!.]*.yaml")))


@dataclass(frozen=True)
class Bench:
    """A run with a ``folder`` of its own, of ``count`` rounds; the last three digits change."""

    folder: Path
    count: int
    rendercv: str

    def workspace(self, name: str, *files: Path) -> Workspace:
        """Return a new workspace with these people; all share formats and fonts."""
        workspace = Workspace(self.folder / name, self.folder / "cache")
        workspace.add(*(files or (FILE,)))
        return workspace

    def crowd(self, name: str, count: int) -> Workspace:
        """Return a new workspace with so many people, who differ in the edited digits."""
        workspace = Workspace(self.folder / name, self.folder / "cache")
        for number, text in enumerate(self.variations(FILE, count)):
            workspace.write(f"person-{number:03}", text)
        return workspace

    def variations(self, file: Path, count: int) -> Iterator[str]:
        """Yield a file's text so many times, with other digits at the end of what is edited."""
        text = file.read_text(encoding="utf-8")
        for number in range(count):
            yield text.replace(NUMBER, f"{NUMBER[:-3]}{number:03}")

    def edits(self, workspace: Workspace) -> Edits:
        """Return edits of the measured person there."""
        return Edits(workspace.person(PERSON), NUMBER)

    def row(self, title: str, contestants: Mapping[str, Contestant]) -> Row:
        """Measure a row; its name goes to standard error, because it takes a while."""
        sys.stderr.write(f"{title} ...\n")
        return Row(title, in_turns(contestants, self.count))

    def build(self, workspace: Workspace) -> float:
        """Build the measured person without out/."""
        shutil.rmtree(workspace.out, ignore_errors=True)
        return workspace.cvbuild("build", PERSON, "-t", TEMPLATE)

    def rendercv_command(self) -> list[str]:
        """Return RenderCV's command line for cv.yaml. Raises NotMeasuredError without it."""
        return [program(self.rendercv), "render", "cv.yaml", *_ONLY_PDF, "--pdf-path", "cv.pdf"]

    def rendercv_edits(self, name: str) -> Edits:
        """Return edits of RenderCV's input in a new folder."""
        source = self.folder / name / "cv.yaml"
        source.parent.mkdir(parents=True)
        shutil.copy(RENDERCV_INPUT, source)
        return Edits(source, NUMBER)

    def other(self, name: str) -> Contestant:
        """Return RenderCV on the same content, one edit each time."""
        edits = self.rendercv_edits(name)

        def theirs(_: int) -> float:
            text = edits.make()
            seconds = run(self.rendercv_command(), edits.path.parent, os.environ)
            demand(edits.path.with_name("cv.pdf"), text)
            return seconds

        return theirs


def very_first(bench: Bench) -> Row:
    """Measure the very first build after ``make``, which has filled the cache with all styles."""
    folder = bench.folder / "very-first"
    workspace, filled = Workspace(folder, folder / "cache"), folder / "filled"
    workspace.add(FILE)
    run([sys.executable, "-m", "tools.seed"], ROOT, Workspace(folder, filled).environment())

    def ours(_: int) -> float:
        # What an earlier round has put there goes.
        shutil.rmtree(workspace.cache, ignore_errors=True)
        shutil.copytree(filled, workspace.cache)
        return bench.build(workspace)

    contestants = {OURS: ours, RENDERCV: bench.other("rendercv-very-first")}
    return bench.row("very first build after make", contestants)


def first(bench: Bench) -> Row:
    """Measure the first build: out/ is empty, formats and fonts are there."""
    workspace = bench.workspace("first")
    contestants = {OURS: lambda _: bench.build(workspace), RENDERCV: bench.other("rendercv-first")}
    return bench.row("first build, formats and fonts there", contestants)


def edit(bench: Bench) -> Row:
    """Measure editing one bullet: up to the verified PDF, which must show the edit."""
    workspace = bench.workspace("edit")
    edits = bench.edits(workspace)

    def ours(_: int) -> float:
        text = edits.make()
        seconds = workspace.cvbuild("build", PERSON, "-t", TEMPLATE)
        demand(workspace.pdf(PERSON, TEMPLATE), text)
        return seconds

    return bench.row("edit one bullet", {OURS: ours, RENDERCV: bench.other("rendercv-edit")})


def same(bench: Bench) -> Row:
    """Measure that nothing changed: everybody's documents are there."""
    workspace = bench.workspace("same", *_EVERYBODY)
    for _ in range(3):
        # What was written a moment ago is compared by its content.
        workspace.cvbuild("build")
        time.sleep(3)
    listed = subprocess.run(
        [*CVBUILD, "build", "--json"],
        cwd=workspace.folder,
        env=workspace.environment(),
        capture_output=True,
        check=True,
    )
    if not all(document["cached"] for document in json.loads(listed.stdout)["documents"]):
        raise NotMeasuredError("not all documents were up to date")
    bare = [sys.executable, "-c", _BARE]
    contestants: dict[str, Contestant] = {
        OURS: lambda _: workspace.cvbuild("build"),
        "bare": lambda _: run(bare, workspace.folder, workspace.environment()),
    }
    row = bench.row(f"nothing changed, {len(_EVERYBODY)} people", contestants)
    return Row(row.title, row.measured, f"`python -c '{_BARE}'`: {row.cell('bare')}")


def watch(bench: Bench) -> Row:
    """Measure watching programs: from saving an edit to the new PDF in place."""
    edits = bench.rendercv_edits("rendercv-watch")
    pdf = edits.path.with_name("cv.pdf")
    with _watcher(bench, "watch") as ours, contextlib.ExitStack() as stack:
        watchers: list[Watcher] = []

        def theirs(number: int) -> float:
            if not watchers:
                command = [*bench.rendercv_command(), "--watch"]
                watchers.append(stack.enter_context(Watcher(command, os.environ, edits, pdf)))
            return watchers[0].once(number)

        return bench.row("watch, edit one bullet", {OURS: ours.once, RENDERCV: theirs})


def idle(bench: Bench) -> Row:
    """Measure the processor's time that a watch takes while nobody types."""
    with _watcher(bench, "idle") as watcher:
        return bench.row(f"idle watch, processor time in {IDLE:g} s", {OURS: watcher.idle})


def _watcher(bench: Bench, name: str) -> Watcher:
    workspace = bench.workspace(name)
    command = (*CVBUILD, "-C", str(workspace.folder), "watch", PERSON, "-t", TEMPLATE)
    pdf = workspace.pdf(PERSON, TEMPLATE)
    return Watcher(command, workspace.environment(), bench.edits(workspace), pdf)


def many(bench: Bench) -> Row:
    """Measure many CVs at once: out/ is empty, formats and fonts are there."""
    workspace = bench.crowd("many", _MANY)
    folder = bench.folder / "rendercv-many"

    def ours(_: int) -> float:
        shutil.rmtree(workspace.out, ignore_errors=True)
        seconds = workspace.cvbuild("build", "-t", TEMPLATE, "-j", _JOBS)
        _demand_all(workspace.out, f"*/{TEMPLATE}.pdf")
        return seconds

    def theirs(_: int) -> float:
        command = shlex.join(bench.rendercv_command())
        shutil.rmtree(folder, ignore_errors=True)
        for number, text in enumerate(bench.variations(RENDERCV_INPUT, _MANY)):
            source = folder / f"person-{number}" / "cv.yaml"
            source.parent.mkdir(parents=True)
            source.write_text(text, encoding="utf-8")
        script = f"ls | xargs -P{_JOBS} -I@ sh -c 'cd @ && {command}'"
        seconds = run(["sh", "-c", script], folder, os.environ)
        _demand_all(folder, "*/cv.pdf")
        return seconds

    return bench.row(f"{_MANY} CVs, {_JOBS} at once", {OURS: ours, RENDERCV: theirs})


def _demand_all(folder: Path, pattern: str) -> None:
    count = len(list(folder.glob(pattern)))
    if count != _MANY:
        raise NotMeasuredError(f"{count} of {_MANY} documents were made")


def status(bench: Bench) -> Row:
    """Measure the list of all documents, of many people."""
    workspace = bench.crowd("status", _PEOPLE)
    workspace.cvbuild("build", "--format", "txt", "-j", _JOBS)
    contestants = {OURS: lambda _: workspace.cvbuild("status")}
    return bench.row(f"status of {_PEOPLE} people", contestants)


#: In the order of the table.
ROWS = (very_first, first, edit, same, watch, idle, many, status)


def text(bench: Bench) -> str:
    """Return both tables of ``make bench``."""
    rows = {row.__name__: _row(row, bench) for row in ROWS}
    head = f"Median of {bench.count} rounds, or of fewer that took a minute (least .. most).\n\n"
    return f"{head}{report.times_table(rows.values())}\n{report.targets_table(targets(rows))}"


def _row(row: Callable[[Bench], Row], bench: Bench) -> Row:
    """Return a row, with the reason if what it needs can't be made: the others go on."""
    try:
        return row(bench)
    except NotMeasuredError as error:
        return Row(row.__name__.replace("_", " "), {OURS: Missing(str(error))})


def targets(rows: Mapping[str, Row]) -> Iterator[Target]:
    """Yield the targets and the figures of the rows."""
    against = (
        ("very first build, against RenderCV", 0.6, "very_first", RENDERCV),
        ("first build, against RenderCV", 0.5, "first", RENDERCV),
        ("edit one bullet, against RenderCV", 0.48, "edit", RENDERCV),
        ("an edit in watch, against RenderCV's", 0.95, "watch", RENDERCV),
        (f"{rows['same'].title}, against bare imports", 0.8, "same", "bare"),
        (f"{rows['many'].title}, against RenderCV", 0.28, "many", RENDERCV),
    )
    for what, most, name, other in against:
        measured = rows[name].measured
        yield Target(what, most, ratio(measured.get(OURS), measured.get(other)))
    # The system counts hundredths of a second.
    for row, most in ((rows["idle"], 0.01), (rows["status"], 1)):
        times = row.measured[OURS]
        yield Target(row.title, most, times.median if isinstance(times, Times) else None, "s")
