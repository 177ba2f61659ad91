"""An engine that has read all that rarely changes, and waits for the text.

It begins with the head (or its format), the setup and the auxiliary files of a document that was
built, and then reads a line from its input: what is left to do when the text is there is to
typeset it. The text stands in cv.tex at the lines at which it always stands, so its log is that of
any other run. Should whoever started it be gone, its input is at its end, and TeX stops there.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cvbuild import stamps
from cvbuild.engines import JOBNAME, Engine, Job, Result, direct, fonts, formats, process, workspace

#: TeX stops with an error where its input ends. From here on it runs as it always does, and asks
#: for nothing more.
_WAIT = "\\begingroup\\endlinechar=-1 \\read16 to\\CvbWaited\\endgroup\\nonstopmode%"
_READ = f"\\csname @@input\\endcsname {JOBNAME}.tex "


class Waiting:
    """A TeX that waits in ``folder``, which goes when it is ended."""

    def __init__(self, job: Job, engine: Engine) -> None:
        """Start it with the setup and the auxiliary files of ``job``, whose folder is fresh.

        Raises CvbuildError if that can't be done.
        """
        self.folder = job.folder
        self._aux = job.aux
        workspace.prepare(replace(job, assets=()))
        fonts.make_ready(job, engine)
        self._before = workspace.state(job)
        self._start, self._notes = self._command(job, engine)
        command, environment, lines, _ = self._start
        with process.foreign("workspace", f"can't write into {job.folder}"):
            text = "\n".join([*lines, _WAIT, _READ, ""])
            (job.folder / workspace.WAITING).write_text(text, encoding="utf-8", newline="\n")
        self._child = process.start(command, cwd=job.folder, env=environment)

    def fits(self, job: Job, engine: Engine) -> bool:
        """Whether it still waits, and would be started the same way for this job."""
        return self._child.runs and self._command(job, engine)[0] == self._start

    def compile(self, job: Job, engine: Engine) -> Result:
        """Typeset ``job``, which fits, in ``folder``; as :func:`cvbuild.engines.direct.resume`."""
        began = time.monotonic()
        workspace.prepare(replace(job, aux=()))
        with workspace.read_before(job, job.setup):
            try:
                finished = self._child.finish(job.timeout, b"\n")
            except process.TimeLimitError as error:
                raise workspace.out_of_time(job) from error
        workspace.drop_unwritten(replace(job, aux=self._aux))
        if finished.code == 0 and workspace.state(job) != self._before:
            left = max(job.timeout - (time.monotonic() - began), 0.0)
            again = replace(job, aux=workspace.written(job), timeout=left)
            result = direct.resume(again, engine)
            return replace(result, passes=(result.passes or 0) + 1)
        return workspace.result(
            job,
            ok=finished.code == 0,
            output=finished.output,
            passes=1,
            seconds=time.monotonic() - began,
            notes=self._notes,
        )

    def end(self) -> None:
        """End it, if it has not ended, and remove its folder."""
        self._child.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, job: Job, engine: Engine) -> ...:
        form, notes = formats.ready(job, engine)
        lines = job.tex.split("\n")[: job.setup]
        environment = workspace.environment(job, engine) | (form.environment(job) if form else {})
        command = [*direct.arguments(engine, form, "scrollmode"), workspace.WAITING]
        if form:
            lines[: job.head] = ["%"] * job.head
        files = (*engine.tree, *_packages(job))
        return (command, environment, lines, stamps.digest(files), form), notes


def _packages(job: Job) -> Iterator[Path]:
    """The files of the template's folders, which the head may have read."""
    for folder in job.inputs:
        yield from sorted(folder.rglob("*"))
