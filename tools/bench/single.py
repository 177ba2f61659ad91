"""``make bench``: one document at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tools.bench.edits import Edits
from tools.bench.peers import ROOT, Peers, cold, edited, rendercv_of
from tools.bench.report import COLUMNS, Row, Target, progress, targets_table, times_table
from tools.bench.times import Contestant, Missing, NotMeasuredError, in_turns, ratio
from tools.bench.watching import watching
from tools.bench.workspace import Workspace, run

#: The imports of any program of this kind that checks its files.
BARE = "import argparse, json, hashlib, pathlib"
OURS, RAW, STABLE, LATEXMK, RENDERCV = COLUMNS


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

    def peers(self, workspace: Workspace, template: str, engine: str = "pdflatex") -> Peers:
        """Return TeX by hand on the measured person's document there."""
        tex = workspace.tex(self.subject.person, template)
        return Peers(tex, workspace.folder / "tex", self.cache, template, engine)

    def row(self, title: str, contestants: dict[str, Contestant]) -> Row:
        """Measure a row; its name goes to standard error, because it takes a while."""
        progress(f"{title} ...")
        return Row(title, in_turns(contestants, self.count))

    def other(self, name: str) -> Contestant:
        """Return RenderCV on the same content."""
        subject = self.subject
        return rendercv_of(self.rendercv, subject.path, self.folder / name, subject.text)


def text(bench: Bench) -> str:
    """Return both tables of ``make bench``."""
    found = list(rows(bench))
    count = passes(bench)
    stable = f"*stable* took {count} passes; " if count else ""
    head = f"{stable}median of {bench.count} rounds (least .. most).\n\n"
    return f"{head}{times_table(found, bench.count)}\n{targets_table(targets(found))}"


def rows(bench: Bench) -> Iterator[Row]:
    """Yield all rows, in the order of the table; each is measured when its turn comes."""
    made: tuple[Callable[[Bench], Row], ...] = (first, edit, drafts, same, one_page, watch, lua)
    for one in made:
        try:
            yield one(bench)
        except NotMeasuredError as error:
            yield Row(f"{(one.__doc__ or '').partition(':')[0]}", {OURS: Missing(str(error))})


def first(bench: Bench) -> Row:
    """Measure the first build: out/ is empty, formats are there."""
    workspace, person = bench.workspace("first"), bench.subject.person
    peers = bench.peers(workspace, "academic")
    return bench.row(
        "first build, formats there",
        {
            OURS: cold(workspace, person, "academic"),
            RAW: peers.raw,
            STABLE: peers.stable,
            LATEXMK: peers.latexmk,
            RENDERCV: bench.other("rendercv-first"),
        },
    )


def edit(bench: Bench) -> Row:
    """Measure editing one bullet: up to the verified PDF."""
    workspace, person = bench.workspace("edit"), bench.subject.person
    peers = bench.peers(workspace, "academic")
    return bench.row(
        "edit one bullet",
        {
            OURS: edited(workspace, person, "academic", bench.edits(workspace)),
            RAW: peers.raw,
            LATEXMK: peers.latexmk_again,
            RENDERCV: bench.other("rendercv-edit"),
        },
    )


def drafts(bench: Bench) -> Row:
    """Measure editing one bullet, untagged: a draft without tags."""
    workspace, person = bench.workspace("drafts"), bench.subject.person
    peers = bench.peers(workspace, "academic")
    edits = bench.edits(workspace)
    return bench.row(
        "edit one bullet, untagged",
        {
            OURS: edited(workspace, person, "academic", edits, ["--no-tags"]),
            RAW: peers.raw,
            RENDERCV: bench.other("rendercv-drafts"),
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
    workspace, person = bench.workspace("one-page"), bench.subject.person
    peers = bench.peers(workspace, "one-page")
    return bench.row(
        "one-page fit, first build",
        {
            OURS: cold(workspace, person, "one-page"),
            RAW: peers.raw,
            STABLE: peers.stable,
            LATEXMK: peers.latexmk,
        },
    )


def watch(bench: Bench) -> Row:
    """Measure watch: from saving an edit to the new PDF in place."""
    workspace, person = bench.workspace("watch"), bench.subject.person
    workspace.cvbuild("build", person, "-t", "academic")
    workspace.pdf(person, "academic").unlink()
    peers = bench.peers(workspace, "academic")
    with watching(workspace, person, "academic", bench.edits(workspace)) as watcher:
        return bench.row("watch, edit one bullet", {RAW: peers.raw, OURS: watcher.once})


def lua(bench: Bench) -> Row:
    """Measure LuaLaTeX: an edit."""
    workspace, person = bench.workspace("lua"), bench.subject.person
    peers = bench.peers(workspace, "academic", "lualatex")
    edits = bench.edits(workspace)
    return bench.row(
        "LuaLaTeX, edit one bullet",
        {
            OURS: edited(workspace, person, "academic", edits, ["--engine", "lualatex"]),
            RAW: peers.raw,
        },
    )


def passes(bench: Bench) -> int | None:
    """Return how many passes *stable* takes for the measured document; after ``first`` has run."""
    workspace = Workspace(bench.folder / "first", bench.cache)
    with suppress(NotMeasuredError, OSError):
        return bench.peers(workspace, "academic").passes()[1]
    return None


def targets(found: list[Row]) -> list[Target]:
    """Return the targets and the figures of the rows."""
    cold_one, one, draft, nothing, _, watched, _ = (row.measured for row in found)
    return [
        Target(
            f"{found[3].title}, against bare imports",
            2.0,
            ratio(nothing.get(OURS), nothing.get("bare")),
        ),
        Target("edit one bullet, against one raw pass", 1.0, ratio(one.get(OURS), one.get(RAW))),
        Target(
            "first build, formats there, against stable",
            1.0,
            ratio(cold_one.get(OURS), cold_one.get(STABLE)),
        ),
        Target(
            "an edit in `watch`, against one raw pass",
            0.75,
            ratio(watched.get(OURS), watched.get(RAW)),
        ),
        Target("edit one bullet, against RenderCV", 0.8, ratio(one.get(OURS), one.get(RENDERCV))),
        Target(
            "edit one bullet untagged, against RenderCV",
            0.5,
            ratio(draft.get(OURS), draft.get(RENDERCV)),
        ),
    ]
