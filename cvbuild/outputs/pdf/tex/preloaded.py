"""Engines that have read all that rarely changes, and wait for the text.

Each starts with the head (or its format) and the setup of a document that was built, and then
reads a line from its standard input: only typesetting remains once the text is known. It may have
set the beginning of the text, too. The text is at its usual lines in cv.tex, so the log is that
of any other run. If the process that started it ends, its input is closed, and TeX stops.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from cvbuild.common import processes
from cvbuild.common.diagnostics import CvbuildError, foreign
from cvbuild.common.files import safe_folders
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import AGAIN, Tex, arguments, find_or_make, job_folder, key
from cvbuild.outputs.pdf.tex.job_folder import JOBNAME, Engine

#: TeX stops with an error if its input is closed. After that line it runs as usual, and reads
#: nothing more from its input.
_WAIT = "\\begingroup\\endlinechar=-1 \\read16 to\\CvbWaited\\endgroup\\nonstopmode%"
_READ = f"\\csname @@input\\endcsname {JOBNAME}.tex "


class PreloadedTex(Tex):
    """A TeX that waits in its job's folder, which must exist until it is ended."""

    def __init__(self, job: Job, engine: Engine) -> None:
        """Start it with the first ``job.setup`` lines, in a fresh folder; raises CvbuildError."""
        super().__init__(job, engine)
        self.folder, self.lines = job.folder, job.setup
        job_folder.prepare(replace(job, assets=()))
        self._beginning = _beginning(job, engine)
        self.form, self.notes = find_or_make(job, engine)
        lines = job.tex.split("\n")[: job.setup]
        if self.form:
            lines[: job.head] = ["%"] * job.head
        with foreign("workspace", f"can't write into {job.folder}"):
            text = "\n".join([*lines, _WAIT, _READ, ""])
            (job.folder / job_folder.WAIT_FILE).write_text(text, encoding="utf-8", newline="\n")
        command = [*arguments(engine, self.form, "scrollmode"), job_folder.WAIT_FILE]
        env, walls = job_folder.inside(job, engine, self.form)
        self._child = processes.start(
            command, cwd=job.folder, env=env, timeout=job.timeout, walls=walls
        )

    @property
    def waits(self) -> bool:
        """Whether it hasn't been used and hasn't failed."""
        return self._child.runs and self.folder.is_dir()

    def fits(self, job: Job, engine: Engine) -> bool:
        """Return whether it still waits, and would be started the same way for this job."""
        same = replace(job, setup=self.lines)
        return self.waits and _beginning(same, engine) == self._beginning

    def run(self) -> Self:
        """Typeset its job, one that fits in place of that with which it was started."""
        job, began = self.job, time.monotonic()
        job_folder.prepare(job)
        with job_folder.without_lines(job, self.lines):
            with self._in_time():
                finished = self._child.finish(job.timeout, b"\n")
            job_folder.drop_links(job)
        if finished.code == 0 and AGAIN.search(finished.output):
            self.job = replace(job, timeout=max(began + job.timeout - time.monotonic(), 0.0))
            super().run()
            self.passes += 1
        else:
            self._look(finished)
        return self

    def end(self) -> None:
        """Kill it if it still runs."""
        self._child.kill()


def _beginning(job: Job, engine: Engine) -> tuple[object, ...]:
    """Return all that decides how TeX begins: an engine fits the jobs for which it is the same."""
    form, _ = find_or_make(job, engine)
    lines = job.tex.split("\n")[: job.setup]
    return engine, lines, job.head, job.inputs, job.epoch, form or key(job, engine)


#: An engine, the job that it was started for, and what ends it.
_Waiting = tuple[PreloadedTex, Job, ExitStack]
#: A line that a block begins at, and the braces of a line: those without a backslash.
_BLOCK = re.compile(r"\\Cvb[A-Z]\w*\{")
_BRACE = re.compile(r"(?<!\\)(?:\\\\)*([{}])")


class PreloadedPool:
    """Preloaded engines by the folder of their document's record.

    Working folders are made in ``parent``. Any thread may take them.
    """

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._engines: dict[Path, list[_Waiting]] = {}
        self._typeset: dict[Path, tuple[Job, Engine, int]] = {}
        """How documents were typeset, and how many lines their next edit may leave as they are."""
        self._lock = threading.Lock()

    def remember(self, place: Path, job: Job, engine: Engine) -> None:
        """Note how the document with this record was typeset; its next edit begins so."""
        # People edit one place several times: what stands before that may be read, too.
        before = self._typeset[place][0].tex.split("\n") if place in self._typeset else []
        lines, setup, depth = job.tex.split("\n"), job.setup, 0
        # How many lines stand before the first block that differs, or before the last one.
        ahead = setup
        if before[:setup] == lines[:setup]:
            for number in range(setup, min(len(before), len(lines))):
                line = lines[number]
                if depth == 0 and _BLOCK.match(line):
                    ahead = number
                if before[number] != line:
                    break
                depth += sum(1 if brace == "{" else -1 for brace in _BRACE.findall(line))
        # A picture isn't there yet when an engine is started.
        self._typeset[place] = job, engine, 0 if job.assets else ahead

    def start(self, place: Path) -> None:
        """Preload those for a document that was typeset: one has only read the setup."""
        # The other one has set the text, too, down to the block that was edited last.
        if place not in self._typeset or not self._typeset[place][0].setup:
            return
        job, engine, ahead = self._typeset[place]
        lines = job.tex.split("\n")
        jobs = [
            Job(
                "\n".join(lines[:count]),
                Path(),
                job.cache,
                job.epoch,
                job.inputs,
                timeout=job.timeout,
                head=job.head,
                setup=count,
            )
            for count in dict.fromkeys((max(ahead, job.setup), job.setup))
        ]
        with self._lock:
            waiting = {engine[1]: engine for engine in self._engines.pop(place, [])}
        for other in waiting.keys() - {*jobs}:
            waiting[other][2].close()
        engines: list[_Waiting] = []
        for job in jobs:
            if job in waiting:
                engines.append(waiting[job])
                continue
            with ExitStack() as stack, contextlib.suppress(CvbuildError, OSError, ValueError):
                folder = stack.enter_context(safe_folders.folder(self._parent))
                preloaded = PreloadedTex(replace(job, folder=folder), engine)
                stack.callback(preloaded.end)
                engines.append((preloaded, job, stack.pop_all()))
        with self._lock:
            self._engines.setdefault(place, []).extend(engines)

    def only(self, places: Collection[Path]) -> None:
        """End all that are for other documents."""
        for place in [engine for engine in self._engines if engine not in places]:
            with self._lock:
                waiting = self._engines.pop(place, [])
            for _, _, stack in waiting:
                stack.close()

    @contextlib.contextmanager
    def take(self, place: Path) -> Iterator[tuple[PreloadedTex, ...]]:
        """Yield the engines for this document, the one that read most first; end what was used."""
        with self._lock:
            waiting = self._engines.pop(place, [])
        try:
            yield tuple(engine for engine, _, _ in waiting)
        finally:
            for engine, _, stack in waiting:
                if not engine.waits:
                    stack.close()
            with self._lock:
                kept = [item for item in waiting if item[0].waits]
                self._engines.setdefault(place, []).extend(kept)

    def end(self) -> None:
        """End them all."""
        self.only(())
