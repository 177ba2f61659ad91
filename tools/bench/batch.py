"""``make bench-batch``: many people at once, each figure measured once."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cvbuild.outputs.styles.templates import Library
from tools.bench import synthetic
from tools.bench.peers import RENDERCV_INPUT, Raw, rendercv_command, rendercv_input
from tools.bench.report import Target, markdown, progress, targets_table
from tools.bench.single import Bench
from tools.bench.times import NotMeasuredError, Times
from tools.bench.workspace import Ran, Workspace, run

TEMPLATE = "academic"
TEMPLATES = Library.at().names()
JOBS = "2"
#: How often the smallest crowd is built: it takes only seconds, which vary.
SMALL_RUNS = 3
_BUILD = ("build", "-t", TEMPLATE, "-j", JOBS)
UNCHANGED_RUNS = 7
#: The names of the copies of each document in the unchanged crowd.
COPIES = 10


@dataclass(frozen=True)
class Crowd:
    """So many synthetic people, built once: seconds of all, peak of the parent in MB."""

    count: int
    seconds: float
    peak: float | None

    @property
    def each(self) -> float:
        """Seconds per document."""
        return self.seconds / self.count


def text(bench: Bench, largest: int) -> str:
    """Return all tables of ``make bench-batch``; ``largest`` is the size of its crowds."""
    parts: list[str] = []
    targets: list[Target] = []
    tables = (
        (_three_pages, max(largest // 25, 1)),
        (_rate, max(largest // 5, 1)),
        (_growth, largest),
        (_unchanged, largest),
    )
    for one, count in tables:
        try:
            table, found = one(bench, count)
        except NotMeasuredError as error:
            table, found = f"Not measured: {error}.\n", []
        parts.append(table)
        targets += found
    return "\n".join([*parts, targets_table(targets)])


def _workspace(folder: Path, name: str, count: int) -> Workspace:
    made = Workspace(folder / name, folder.parent / "cache")
    synthetic.people(made.folder / "people", count)
    return made


def _warm(folder: Path, *templates: str) -> None:
    """Make formats and font databases before anything is measured."""
    _workspace(folder, "warm", 1).cvbuild("build", "-t", ",".join(templates))


def _three_pages(bench: Bench, count: int) -> tuple[str, list[Target]]:
    """Measure CVs of three pages from nothing but the caches, against RenderCV run by xargs."""
    progress(f"{count} CVs of three pages at -j {JOBS} ...")
    folder = bench.folder / "three-pages"
    workspace = Workspace(folder / "ours", bench.cache)
    subject = bench.subject
    texts = _variations(subject.path.read_text(encoding="utf-8"), subject.text, count)
    people = workspace.folder / "people"
    people.mkdir(parents=True)
    for number, content in enumerate(texts):
        (people / f"person-{number}.yaml").write_text(content, encoding="utf-8")
    workspace.cvbuild("build", "person-0", "-t", TEMPLATE)
    shutil.rmtree(workspace.out)
    documents = json.loads(workspace.cvbuild(*_BUILD, "--json").out)["documents"]
    shutil.rmtree(workspace.out)
    ours = workspace.cvbuild(*_BUILD).seconds
    progress(f"xargs -P{JOBS} running RenderCV on the same ...")
    theirs = _xargs_rendercv(bench, count, folder / "rendercv")
    table = [
        [f"{count} CVs of three pages, {JOBS} at once", "seconds", "documents a second"],
        ["---"] * 3,
        ["cvbuild, from nothing but formats and fonts", f"{ours:.1f}", f"{count / ours:.2f}"],
        [f"`xargs -P{JOBS}` running RenderCV", f"{theirs:.1f}", f"{count / theirs:.2f}"],
    ]
    checks = sum(one["verified"][key] for one in documents for key in ("seconds", "finish_seconds"))
    share = 100 * checks / sum(one["seconds"] for one in documents)
    return markdown(table), [
        Target(f"{count} CVs of three pages, against RenderCV", 0.42, ours / theirs),
        Target("finishing and verifying, of a document's time in this build", 15, share, unit="%"),
    ]


def _variations(text: str, changed: str, count: int) -> Iterator[str]:
    """Yield so many texts that differ in the last digits of the one that is changed."""
    for number in range(count):
        yield text.replace(changed, f"{changed[:-3]}{number:03}")


def _xargs_rendercv(bench: Bench, count: int, folder: Path) -> float:
    given = RENDERCV_INPUT.read_text(encoding="utf-8")
    for number, text in enumerate(_variations(given, bench.subject.text, count)):
        rendercv_input(folder / f"person-{number}", text)
    command = " ".join(shlex.quote(str(word)) for word in rendercv_command(bench.rendercv))
    script = f"ls | xargs -P{JOBS} -I@ sh -c 'cd @ && {command}'"
    ran = run(["sh", "-c", script], folder, dict(os.environ))
    if len(list(folder.glob("*/cv.pdf"))) != count:
        raise NotMeasuredError("RenderCV didn't make all documents")
    return ran.seconds


def _rate(bench: Bench, count: int) -> tuple[str, list[Target]]:
    """Measure documents per second, against the engine run by xargs on the same .tex files."""
    progress(f"{count} people at -j {JOBS} ...")
    folder = bench.folder / "rate"
    _warm(folder, TEMPLATE)
    workspace = _workspace(folder, "rate", count)
    ours = workspace.cvbuild(*_BUILD).seconds
    progress(f"xargs -P{JOBS} on the same ...")
    theirs = _xargs(workspace, folder / "xargs")
    table = [
        [f"{count} one-page CVs, {JOBS} at once", "seconds", "documents a second"],
        ["---"] * 3,
        ["cvbuild, from nothing but formats and fonts", f"{ours:.1f}", f"{count / ours:.2f}"],
        [f"`xargs -P{JOBS}` running *raw passes*", f"{theirs:.1f}", f"{count / theirs:.2f}"],
    ]
    what = f"{count} people, -j {JOBS}, against `xargs -P{JOBS}` running raw passes"
    return markdown(table), [Target(what, 1.1, ours / theirs)]


def _xargs(workspace: Workspace, folder: Path) -> float:
    """Return the seconds of all documents: a pass each, which reads the whole head."""
    files = sorted((workspace.folder / "people").iterdir())
    for file in files:
        raw = Raw(file, TEMPLATE, folder / file.stem, workspace.cache)
        command = " ".join(shlex.quote(str(word)) for word in raw.command())
    script = f"ls | xargs -P{JOBS} -I@ sh -c 'cd @ && {command} >/dev/null'"
    ran = run(["sh", "-c", script], folder, {**raw.environment, "PATH": os.environ["PATH"]})
    made = len(list(folder.glob("*/cv.pdf")))
    if made != len(files):
        raise NotMeasuredError(f"xargs made {made} of {len(files)} documents")
    return ran.seconds


def _growth(bench: Bench, count: int) -> tuple[str, list[Target]]:
    """Measure seconds per document and the parent's memory for more and more people."""
    folder = bench.folder / "growth"
    _warm(folder, TEMPLATE)
    small, middle = max(count // 100, 1), max(count // 10, 1)
    # The smallest before and after the largest: a machine that slows down shows.
    order = [small] * (SMALL_RUNS - 1) + [middle, count, small]
    crowds = [_crowd(folder, f"crowd-{number}", one) for number, one in enumerate(order)]
    rows = [[f"people, {JOBS} at once", "seconds", "seconds a document", "peak memory, MB"]]
    rows.append(["---"] * 4)
    rows += [
        [str(one.count), f"{one.seconds:.1f}", f"{one.each:.3f}", _megabytes(one.peak)]
        for one in sorted(crowds, key=lambda one: one.count)
    ]
    few = [one for one in crowds if one.count == small]
    most = max(crowds, key=lambda one: one.count)
    peaks = [one.peak for one in few if one.peak is not None]
    memory = most.peak / statistics.median(peaks) if peaks and most.peak else None
    seconds = most.each / statistics.median(one.each for one in few)
    return markdown(rows), [
        Target(f"seconds a document, {count} people against {small}", 1.1, seconds),
        Target(f"memory of the parent, {count} people against {small}", 1.3, memory),
    ]


def _crowd(folder: Path, name: str, count: int) -> Crowd:
    progress(f"{count} people from nothing but formats ...")
    workspace = _workspace(folder, name, count)
    ran = workspace.cvbuild_with_peak("build", "-t", TEMPLATE, "-j", JOBS)
    made = len(list(workspace.out.glob(f"*/{TEMPLATE}.pdf")))
    shutil.rmtree(workspace.folder)
    if made != count:
        raise NotMeasuredError(f"{made} of {count} documents were made")
    return Crowd(count, ran.seconds, ran.peak)


def _unchanged(bench: Bench, count: int) -> tuple[str, list[Target]]:
    """Measure finding that nothing changed, for everybody in three templates."""
    people = max(count // COPIES, 1)
    progress(f"{people} people × {len(TEMPLATES)} templates, to find that nothing changed ...")
    folder = bench.folder / "unchanged"
    _warm(folder, *TEMPLATES)
    workspace = _workspace(folder, "unchanged", people)
    build = ("build", "-t", ",".join(TEMPLATES), "-j", JOBS)
    workspace.cvbuild(*build)
    everybody = sum(1 for _ in _copied(workspace)) + people
    progress(f"the same for {everybody} people ...")
    workspace.cvbuild(*build)
    documents = workspace.documents("-t", ",".join(TEMPLATES), "-j", JOBS)
    outdated = sum(not one["cached"] for one in documents)
    if outdated or len(documents) != everybody * len(TEMPLATES):
        raise NotMeasuredError(f"{outdated} of {len(documents)} documents were not up to date")
    runs: list[Ran] = [workspace.cvbuild_with_peak(*build) for _ in range(UNCHANGED_RUNS)]
    times = Times(tuple(ran.seconds for ran in runs))
    peak = max((ran.peak for ran in runs if ran.peak is not None), default=None)
    table = [
        ["nothing changed", "seconds", "peak memory, MB"],
        ["---"] * 3,
        [f"{everybody} people × {len(TEMPLATES)} templates", str(times), _megabytes(peak)],
    ]
    what = f"nothing changed, {everybody} people × {len(TEMPLATES)} templates"
    return markdown(table), [
        Target(what, 0.5, times.median, unit="s"),
        Target(f"{what}, memory", 60, peak, unit="MB"),
    ]


def _copied(workspace: Workspace) -> Iterator[str]:
    """Copy each person with all that was built under more names; yield them.

    Three thousand documents take too long to build. The copies are as real as the originals: a
    document's key is of its content, and a PDF whose hash is the remembered one is the document.
    """
    people, stored = workspace.folder / "people", workspace.out / ".build"
    for file in sorted(people.glob("*.yaml")):
        for number in range(1, COPIES):
            name = f"{file.stem}-{number}"
            shutil.copyfile(file, people / f"{name}.yaml")
            shutil.copytree(workspace.out / file.stem, workspace.out / name)
            shutil.copytree(stored / file.stem, stored / name)
            yield name


def _megabytes(peak: float | None) -> str:
    return "–" if peak is None else f"{peak:.0f}"
