"""``make bench``: one document at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.bench.edits import Edits
from tools.bench.peers import ROOT, Raw, cold, coldest, edited, rendercv_of
from tools.bench.report import COLUMNS, Row, Target, progress, targets_table, times_table
from tools.bench.times import Contestant, Missing, NotMeasuredError, in_turns, ratio
from tools.bench.watching import watching
from tools.bench.workspace import Workspace, run

#: The imports of any program of this kind that checks its files.
BARE = "import argparse, json, hashlib, pathlib"
OURS, RAW, RENDERCV = COLUMNS


@dataclass(frozen=True)
class Subject:
    """The measured CV: a person's file, and the text in it whose last three digits change.

    ``everybody`` are the files of the row where nothing changed.
    """

    path: Path
    text: str
    everybody: tuple[Path, ...]

    @property
    def person(self) -> str:
        """The stem of the file."""
        return self.path.stem


#: This CV has no bullets below its entries: a patent's number is what changes in it.
SUBJECT = Subject(
    ROOT / "people" / "gyeong-in-yu.yaml",
    "11,514,370",
    tuple(sorted((ROOT / "people").glob("[!.]*.yaml"))),
)


@dataclass(frozen=True)
class Bench:
    """A run with a ``folder`` of its own; ``count`` rounds; ``rendercv`` is a program or None."""

    subject: Subject
    folder: Path
    count: int
    rendercv: str | None = None

    @property
    def cache(self) -> Path:
        """CVBUILD_CACHE of all rows, so that formats and fonts are there."""
        return self.folder / "cache"

    def workspace(self, name: str, *files: Path) -> Workspace:
        """Return a new workspace with these people, by default the measured one."""
        made = Workspace(self.folder / name, self.cache)
        made.add(*(files or (self.subject.path,)))
        return made

    def edits(self, workspace: Workspace) -> Edits:
        """Return edits of the measured person there."""
        return Edits(workspace.person(self.subject.person), self.subject.text)

    def raw(self, name: str, template: str, engine: str = "auto") -> Contestant:
        """Return TeX by hand on the measured person's document."""
        folder = self.folder / f"raw-{name}"
        return Raw(self.subject.path, template, folder, self.cache, engine).once

    def row(self, title: str, contestants: dict[str, Contestant]) -> Row:
        """Measure a row; its name goes to standard error, because it takes a while."""
        progress(f"{title} ...")
        return Row(title, in_turns(contestants, self.count))

    def other(self, name: str) -> Contestant:
        """Return RenderCV on the same content."""
        return rendercv_of(self.rendercv, self.folder / name, self.subject.text)


def text(bench: Bench) -> str:
    """Return both tables of ``make bench``."""
    found = list(rows(bench))
    head = f"Median of {bench.count} rounds (least .. most).\n\n"
    return f"{head}{times_table(found, bench.count)}\n{targets_table(targets(bench, found))}"


def rows(bench: Bench) -> Iterator[Row]:
    """Yield all rows, in the order of the table; each is measured when its turn comes."""
    made = (very_first, first, edit, same, one_page, watch)
    for one in made:
        try:
            yield one(bench)
        except NotMeasuredError as error:
            yield Row(f"{(one.__doc__ or '').partition(':')[0]}", {OURS: Missing(str(error))})


def very_first(bench: Bench) -> Row:
    """Measure the very first build: nothing is cached, no format, no font."""
    workspace = Workspace(bench.folder / "very-first", bench.folder / "very-first" / "cache")
    workspace.add(bench.subject.path)
    return bench.row(
        "very first build, nothing cached",
        {
            OURS: coldest(workspace, bench.subject.person, "academic"),
            RENDERCV: bench.other("rendercv-very-first"),
        },
    )


def first(bench: Bench) -> Row:
    """Measure the first build: out/ is empty, formats and fonts are there."""
    workspace = bench.workspace("first")
    return bench.row(
        "first build, formats and fonts there",
        {
            OURS: cold(workspace, bench.subject.person, "academic"),
            RAW: bench.raw("first", "academic"),
            RENDERCV: bench.other("rendercv-first"),
        },
    )


def edit(bench: Bench) -> Row:
    """Measure editing one bullet: up to the verified PDF."""
    workspace, person = bench.workspace("edit"), bench.subject.person
    return bench.row(
        "edit one bullet",
        {
            OURS: edited(workspace, person, "academic", bench.edits(workspace)),
            RAW: bench.raw("edit", "academic"),
            RENDERCV: bench.other("rendercv-edit"),
        },
    )


def same(bench: Bench) -> Row:
    """Measure that nothing changed: everybody's documents are there."""
    workspace = bench.workspace("same", *bench.subject.everybody)
    workspace.cvbuild("build")
    if any(not one["cached"] for one in workspace.documents()):
        raise NotMeasuredError("not all documents were up to date")
    peak = workspace.cvbuild_with_peak("build").peak

    def ours(number: int) -> float:
        del number
        return workspace.cvbuild("build").seconds

    def bare(number: int) -> float:
        del number
        return run([sys.executable, "-c", BARE], workspace.folder, workspace.environment()).seconds

    title = f"nothing changed, {len(bench.subject.everybody)} people"
    row = bench.row(title, {OURS: ours, "bare": bare})
    note = f"`python -c '{BARE}'`: {row.cell('bare')}"
    if peak is not None:
        note += f"; peak memory {peak:.0f} MB"
    return Row(row.title, row.measured, note)


def one_page(bench: Bench) -> Row:
    """Measure the first build of a document that is made to fit one page."""
    workspace = bench.workspace("one-page")
    return bench.row(
        "one-page fit, first build",
        {
            OURS: cold(workspace, bench.subject.person, "one-page"),
            RAW: bench.raw("one-page", "one-page"),
        },
    )


def watch(bench: Bench) -> Row:
    """Measure watch: from saving an edit to the new PDF in place."""
    workspace, person = bench.workspace("watch"), bench.subject.person
    workspace.cvbuild("build", person, "-t", "academic")
    workspace.pdf(person, "academic").unlink()
    raw = bench.raw("watch", "academic")
    with watching(workspace, person, "academic", bench.edits(workspace)) as watcher:
        return bench.row("watch, edit one bullet", {RAW: raw, OURS: watcher.once})


def kilobytes(bench: Bench) -> float | None:
    """Return the size of the measured PDF, in kB; after ``first`` has run."""
    with suppress(OSError):
        pdf = Workspace(bench.folder / "first", bench.cache).pdf(bench.subject.person, "academic")
        return pdf.stat().st_size / 1000
    return None


def targets(bench: Bench, found: list[Row]) -> list[Target]:
    """Return the targets and the figures of the rows."""
    coldest_one, cold_one, one, nothing, _, watched = (row.measured for row in found)
    against = (
        ("very first build, against RenderCV", 1.2, coldest_one, RENDERCV),
        ("first build, against RenderCV", 0.5, cold_one, RENDERCV),
        ("edit one bullet, against RenderCV", 0.4, one, RENDERCV),
        ("an edit in `watch`, against one raw pass", 0.6, watched, RAW),
        (f"{found[3].title}, against bare imports", 1.4, nothing, "bare"),
    )
    rows = [
        Target(what, limit, ratio(row.get(OURS), row.get(other)))
        for what, limit, row, other in against
    ]
    return [*rows, Target("PDF of three pages", 60, kilobytes(bench), unit="kB")]
