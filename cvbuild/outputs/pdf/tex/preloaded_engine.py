"""A TeX engine that has read all that rarely changes, and waits for the text.

It starts with the head (or its format) and the setup of a document that was built, and then reads a
line from its standard input: only typesetting remains once the text is known. It may have set the
beginning of the text, too. The text is at its usual lines in cv.tex, so the log is that of any
other run. If the process that started it ends, its input is closed, and TeX stops.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cvbuild.common import processes
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import foreign
from cvbuild.common.sandbox import Walls
from cvbuild.outputs.pdf.tex import direct, formats, job_folder, luatex_fonts, walls
from cvbuild.outputs.pdf.tex.memory import TexFormat
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run

#: TeX stops with an error if its input is closed. After that line it runs as usual, and reads
#: nothing more from its input.
_WAIT = "\\begingroup\\endlinechar=-1 \\read16 to\\CvbWaited\\endgroup\\nonstopmode%"
_READ = f"\\csname @@input\\endcsname {JOBNAME}.tex "


@dataclass(frozen=True, slots=True)
class _Start:
    """How TeX is started; must be the same for the job that it is to typeset."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    lines: tuple[str, ...]
    form: TexFormat | None
    walls: Walls
    packages: str
    """A hash of the files of TeX itself and of those that the head may read."""


class PreloadedEngine:
    """A TeX that waits in ``folder``; the folder must exist until it is ended."""

    def __init__(self, job: Job, engine: Engine) -> None:
        """Start it with the first ``job.setup`` lines of ``job``, whose folder is fresh.

        Raises CvbuildError if that can't be done.
        """
        self.folder = job.folder
        self.lines = job.setup
        job_folder.prepare(replace(job, assets=()))
        luatex_fonts.make_ready(job, engine)
        self._start, self._notes = _start(job, engine)
        with foreign("workspace", f"can't write into {job.folder}"):
            text = "\n".join([*self._start.lines, _WAIT, _READ, ""])
            (job.folder / job_folder.WAIT_FILE).write_text(text, encoding="utf-8", newline="\n")
        self._child = processes.start(
            self._start.command,
            cwd=job.folder,
            env=self._start.environment,
            timeout=job.timeout,
            walls=self._start.walls,
        )

    @property
    def waits(self) -> bool:
        """Whether it hasn't been used and hasn't failed."""
        return self._child.runs and self.folder.is_dir()

    def fits(self, job: Job, engine: Engine) -> bool:
        """Return whether it still waits, and would be started the same way for this job."""
        return self.waits and _start(replace(job, setup=self.lines), engine)[0] == self._start

    def compile(self, job: Job, engine: Engine) -> Result:
        """Typeset ``job``, which must fit, in ``folder``; as :func:`direct.compile`."""
        began = time.monotonic()
        job_folder.prepare(job)
        with job_folder.without_lines(job, self.lines):
            try:
                finished = self._child.finish(job.timeout, b"\n")
            except processes.TimeLimitError as error:
                raise job_folder.out_of_time(job) from error
            walls.drop_links(job)
        seconds = time.monotonic() - began
        if finished.code == 0 and direct.wants_another_pass(finished.output):
            remaining = max(job.timeout - seconds, 0.0)
            result = direct.compile(replace(job, timeout=remaining), engine)
            return replace(result, passes=(result.passes or 0) + 1)
        run = Run(finished.code, finished.output, 1, seconds, self._notes)
        return job_folder.result(job, run)

    def end(self) -> None:
        """Kill it if it still runs."""
        self._child.kill()


def _start(job: Job, engine: Engine) -> tuple[_Start, tuple[Diagnostic, ...]]:
    form, notes = formats.find_or_make(job, engine)
    lines = job.tex.split("\n")[: job.setup]
    if form:
        lines[: job.head] = ["%"] * job.head
    command = [*direct.arguments(engine, form, "scrollmode"), job_folder.WAIT_FILE]
    environment, reached = walls.inside(job, engine, form)
    packages = "" if form else formats.key(job, engine)
    start = _Start(tuple(map(str, command)), environment, tuple(lines), form, reached, packages)
    return start, notes
