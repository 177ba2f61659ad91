"""The rows of ``make bench``, their contestants (cvbuild, RenderCV), and the targets on them."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.bench.report import COLUMNS, Row, Target, progress, targets_table, times_table
from tools.bench.times import Contestant, Measured, Missing, NotMeasuredError, in_turns, ratio
from tools.bench.watching import IDLE, Watcher
from tools.bench.workspace import CVBUILD, Edits, Workspace, demand, run

ROOT = Path(__file__).resolve().parent.parent.parent
#: The measured CV as RenderCV's input, text for text.
RENDERCV_INPUT = Path(__file__).with_name("rendercv.yaml")
ONLY_PDF = ("--dont-generate-markdown", "--dont-generate-html", "--dont-generate-png", "--quiet")


def cold(workspace: Workspace, person: str, template: str, *others: Path) -> Contestant:
    """Measure cvbuild's build of a person without out/ and the other folders."""

    def once(number: int) -> float:
        del number
        for folder in (workspace.out, *others):
            shutil.rmtree(folder, ignore_errors=True)
        return workspace.cvbuild("build", person, "-t", template).seconds

    return once


def edited(workspace: Workspace, person: str, template: str, edits: Edits) -> Contestant:
    """Measure cvbuild after an edit; the new PDF must show it."""

    def once(number: int) -> float:
        del number
        text = edits.make()
        ran = workspace.cvbuild("build", person, "-t", template)
        demand(workspace.pdf(person, template), text)
        return ran.seconds

    return once


def rendercv_of(program: str | None, folder: Path, text: str) -> Contestant:
    """Measure RenderCV on the same content, one edit each time; only the PDF is made."""
    edits: list[Edits] = []

    def once(number: int) -> float:
        command = rendercv_command(program)
        if number == 0:
            edits.append(Edits(rendercv_input(folder), text))
        shown = edits[0].make()
        ran = run(command, folder, dict(os.environ))
        demand(folder / "cv.pdf", shown)
        return ran.seconds

    return once


def rendercv_input(folder: Path, text: str | None = None) -> Path:
    """Write RenderCV's input, or a text in its place, into ``folder``; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "cv.yaml"
    source.write_text(text or RENDERCV_INPUT.read_text(encoding="utf-8"), encoding="utf-8")
    return source


def rendercv_command(program: str | None) -> list[str]:
    """Return RenderCV's command line for cv.yaml; raises NotMeasuredError if there is none."""
    found = shutil.which(program or "rendercv")
    if found is None:
        raise NotMeasuredError(f"{program or 'rendercv'} is not installed")
    return [found, "render", "cv.yaml", *ONLY_PDF, "--pdf-path", "cv.pdf"]


#: The imports of any program of this kind that checks its files.
BARE = "import argparse, json, hashlib, pathlib"
OURS, RENDERCV = COLUMNS
TEMPLATE = "academic"
#: How many CVs are built at once, and by how many processes.
MANY, JOBS = 20, "2"


#: This CV has no bullets below its entries: a patent's number is what changes in it.
MEASURED = ROOT / "people" / "gyeong-in-yu.yaml", "11,514,370"
EVERYBODY = tuple(sorted((ROOT / "people").glob("[!.]*.yaml")))


@dataclass(frozen=True)
class Bench:
    """A run with a ``folder`` of its own: ``count`` rounds, so many ``people`` for status.

    Measured is the CV in ``file``, with ``text`` in it, whose last three digits change.
    ``rendercv`` is a program or None.
    """

    folder: Path
    count: int
    people: int
    rendercv: str | None = None
    file: Path = MEASURED[0]
    text: str = MEASURED[1]

    @property
    def person(self) -> str:
        """The stem of the file."""
        return self.file.stem

    @property
    def cache(self) -> Path:
        """CVBUILD_CACHE of all rows, so that formats and fonts are there."""
        return self.folder / "cache"

    def workspace(self, name: str, *files: Path) -> Workspace:
        """Return a new workspace with these people, by default the measured one."""
        made = Workspace(self.folder / name, self.cache)
        made.add(*(files or (self.file,)))
        return made

    def crowd(self, name: str, count: int) -> Workspace:
        """Return a new workspace with so many people, who differ in the edited digits."""
        made = Workspace(self.folder / name, self.cache)
        for number, content in enumerate(variations(self.file, self.text, count)):
            person = made.person(f"person-{number:03}")
            person.parent.mkdir(parents=True, exist_ok=True)
            person.write_text(content, encoding="utf-8")
        return made

    def edits(self, workspace: Workspace) -> Edits:
        """Return edits of the measured person there."""
        return Edits(workspace.person(self.person), self.text)

    def row(self, title: str, contestants: Mapping[str, Contestant]) -> Row:
        """Measure a row; its name goes to standard error, because it takes a while."""
        progress(f"{title} ...")
        return Row(title, in_turns(contestants, self.count))

    def other(self, name: str) -> Contestant:
        """Return RenderCV on the same content."""
        return rendercv_of(self.rendercv, self.folder / name, self.text)


def variations(file: Path, changed: str, count: int) -> Iterator[str]:
    """Yield a file's text so many times, with other digits at the end of what is changed."""
    text = file.read_text(encoding="utf-8")
    for number in range(count):
        yield text.replace(changed, f"{changed[:-3]}{number:03}")


def text(bench: Bench) -> str:
    """Return both tables of ``make bench``."""
    measured = {name: _measured(row, bench) for name, row in ROWS.items()}
    head = f"Median of {bench.count} rounds, or of fewer that took a minute (least .. most).\n\n"
    rows = times_table(measured.values())
    return f"{head}{rows}\n{targets_table(targets(measured))}"


def _measured(row: Callable[[Bench], Row], bench: Bench) -> Row:
    try:
        return row(bench)
    except NotMeasuredError as error:
        return Row(row.__name__.replace("_", " "), {OURS: Missing(str(error))})


def very_first(bench: Bench) -> Row:
    """Measure the very first build after ``make``, which has filled the cache with all styles."""
    folder = bench.folder / "very-first"
    workspace, made = Workspace(folder, folder / "cache"), folder / "made"
    workspace.add(bench.file)
    run([sys.executable, "-m", "tools.seed"], ROOT, Workspace(folder, made).environment())

    def ours(number: int) -> float:
        # What an earlier round has put there goes.
        shutil.rmtree(workspace.cache, ignore_errors=True)
        shutil.copytree(made, workspace.cache)
        return build(number)

    build = cold(workspace, bench.person, TEMPLATE)
    return bench.row(
        "very first build after make",
        {
            OURS: ours,
            RENDERCV: bench.other("rendercv-very-first"),
        },
    )


def first(bench: Bench) -> Row:
    """Measure the first build: out/ is empty, formats and fonts are there."""
    workspace = bench.workspace("first")
    return bench.row(
        "first build, formats and fonts there",
        {
            OURS: cold(workspace, bench.person, TEMPLATE),
            RENDERCV: bench.other("rendercv-first"),
        },
    )


def edit(bench: Bench) -> Row:
    """Measure editing one bullet: up to the verified PDF."""
    workspace, person = bench.workspace("edit"), bench.person
    return bench.row(
        "edit one bullet",
        {
            OURS: edited(workspace, person, TEMPLATE, bench.edits(workspace)),
            RENDERCV: bench.other("rendercv-edit"),
        },
    )


def same(bench: Bench) -> Row:
    """Measure that nothing changed: everybody's documents are there."""
    workspace = bench.workspace("same", *EVERYBODY)
    for _ in range(3):
        # What was written a moment ago is compared by its content.
        workspace.cvbuild("build")
        time.sleep(3)
    if any(not one["cached"] for one in workspace.documents()):
        raise NotMeasuredError("not all documents were up to date")

    def ours(number: int) -> float:
        del number
        return workspace.cvbuild("build").seconds

    def bare(number: int) -> float:
        del number
        return run([sys.executable, "-c", BARE], workspace.folder, workspace.environment()).seconds

    title = f"nothing changed, {len(EVERYBODY)} people"
    row = bench.row(title, {OURS: ours, "bare": bare})
    return Row(row.title, row.measured, f"`python -c '{BARE}'`: {row.cell('bare')}")


def watch(bench: Bench) -> Row:
    """Measure watching programs: from saving an edit to the new PDF in place."""
    with _watcher(bench, "watch") as ours, contextlib.ExitStack() as stack:

        def theirs(number: int) -> float:
            if number == 0:
                watchers.append(stack.enter_context(_rendercv_watcher(bench)))
            return watchers[0].once(number)

        watchers: list[Watcher] = []
        return bench.row("watch, edit one bullet", {OURS: ours.once, RENDERCV: theirs})


def idle(bench: Bench) -> Row:
    """Measure the processor's time that a watch takes while nobody types."""
    with _watcher(bench, "idle") as watcher:
        return bench.row(f"idle watch, processor time in {IDLE:g} s", {OURS: watcher.idle})


def _watcher(bench: Bench, name: str) -> Watcher:
    workspace, person = bench.workspace(name), bench.person
    command = (*CVBUILD, "-C", str(workspace.folder), "watch", person, "-t", TEMPLATE)
    pdf = workspace.pdf(person, TEMPLATE)
    return Watcher(command, workspace.environment(), bench.edits(workspace), pdf)


def _rendercv_watcher(bench: Bench) -> Watcher:
    folder = bench.folder / "rendercv-watch"
    edits = Edits(rendercv_input(folder), bench.text)
    command = [*rendercv_command(bench.rendercv), "--watch"]
    return Watcher(command, dict(os.environ), edits, folder / "cv.pdf")


def many(bench: Bench) -> Row:
    """Measure many CVs at once: out/ is empty, formats and fonts are there."""
    workspace = bench.crowd("many", MANY)
    workspace.cvbuild("build", "person-000", "-t", TEMPLATE)

    def ours(number: int) -> float:
        del number
        shutil.rmtree(workspace.out)
        seconds = workspace.cvbuild("build", "-t", TEMPLATE, "-j", JOBS).seconds
        _demand_all(workspace.out, f"*/{TEMPLATE}.pdf")
        return seconds

    folder = bench.folder / "rendercv-many"

    def theirs(number: int) -> float:
        del number
        command = shlex.join(map(str, rendercv_command(bench.rendercv)))
        shutil.rmtree(folder, ignore_errors=True)
        for one, content in enumerate(variations(RENDERCV_INPUT, bench.text, MANY)):
            rendercv_input(folder / f"person-{one}", content)
        script = f"ls | xargs -P{JOBS} -I@ sh -c 'cd @ && {command}'"
        seconds = run(["sh", "-c", script], folder, dict(os.environ)).seconds
        _demand_all(folder, "*/cv.pdf")
        return seconds

    return bench.row(f"{MANY} CVs, {JOBS} at once", {OURS: ours, RENDERCV: theirs})


def _demand_all(folder: Path, pattern: str) -> None:
    made = len(list(folder.glob(pattern)))
    if made != MANY:
        raise NotMeasuredError(f"{made} of {MANY} documents were made")


def status(bench: Bench) -> Row:
    """Measure the list of all documents, of many people."""
    workspace = bench.crowd("status", bench.people)
    workspace.cvbuild("build", "--format", "txt", "-j", JOBS)

    def ours(number: int) -> float:
        del number
        return workspace.cvbuild("status").seconds

    return bench.row(f"status of {bench.people} people", {OURS: ours})


#: In the order of the table.
ROWS = {one.__name__: one for one in (very_first, first, edit, same, watch, idle, many, status)}


def targets(rows: Mapping[str, Row]) -> list[Target]:
    """Return the targets and the figures of the rows."""
    against = (
        ("very first build, against RenderCV", 0.6, "very_first", RENDERCV),
        ("first build, against RenderCV", 0.5, "first", RENDERCV),
        ("edit one bullet, against RenderCV", 0.48, "edit", RENDERCV),
        ("an edit in watch, against RenderCV's", 0.95, "watch", RENDERCV),
        (f"{rows['same'].title}, against bare imports", 0.8, "same", "bare"),
        (f"{rows['many'].title}, against RenderCV", 0.28, "many", RENDERCV),
    )
    found = [Target(what, most, _ratio(rows[name], other)) for what, most, name, other in against]
    # The system counts hundredths of a second.
    seconds = ((rows["idle"], 0.01), (rows["status"], 1))
    found += [Target(row.title, most, _median(row.measured[OURS]), "s") for row, most in seconds]
    return found


def _ratio(row: Row, other: str) -> float | None:
    return ratio(row.measured.get(OURS), row.measured.get(other))


def _median(found: Measured) -> float | None:
    return None if isinstance(found, Missing) else found.median
