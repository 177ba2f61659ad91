"""Run the engine itself, as often as its auxiliary files need: for a TeX without Perl."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path

from cvbuild.engines import JOBNAME, Engine, Job, Result, fonts, process, workspace
from cvbuild.engines import log as texlog
from cvbuild.errors import DocumentError

MAX_PASSES = 5


def arguments(engine: Engine) -> list[str | Path]:
    """The command line up to the document's name, without options of the driver."""
    # lualatex has no `%&` first line and rejects the option that switches it off.
    own = ["-no-parse-first-line"] if engine.name == "pdflatex" else []
    return [
        engine.binary,
        *own,
        "-no-shell-escape",
        "-interaction=nonstopmode",
        "-halt-on-error",
        "-file-line-error",
        f"-jobname={JOBNAME}",
    ]


def compile(job: Job, engine: Engine) -> Result:
    """Typeset ``job``: run until no auxiliary file changes, at most five times.

    With the auxiliary files of an earlier run that is once, if nothing moved. Raises DocumentError
    when the time is up, CvbuildError if a file or program can't be used. A document that TeX
    rejects is no exception but a Result without PDF; one that never settles has no ``aux``.
    """
    workspace.prepare(job)
    fonts.make_ready(job, engine)
    began = time.monotonic()
    return settle(job, engine, began, workspace.state(job))


def settle(job: Job, engine: Engine, began: float, before: str) -> Result:
    """Run until the auxiliary files are what they were ``before`` a pass.

    ``began`` is when the job's time began, on the monotonic clock.
    """
    passes, settled = 0, False
    while passes < MAX_PASSES and not settled:
        passes += 1
        finished = _once(job, engine, job.timeout - (time.monotonic() - began))
        if finished.code != 0:
            break
        if passes == 1:
            workspace.drop_unwritten(job)
        before, earlier = workspace.state(job), before
        settled = before == earlier
    result = workspace.result(
        job,
        ok=finished.code == 0,
        output=finished.output,
        passes=passes,
        seconds=time.monotonic() - began,
    )
    return result if settled else replace(result, aux=())


def measure(job: Job, engine: Engine) -> dict[str, tuple[int, float]]:
    """Where each block ends, from one pass that makes no PDF: {id: (page, height so far in pt)}.

    The document writes `id page pagetotal` lines to cv.cvm (``\\CvbMeasureOn``). Raises
    DocumentError if TeX fails or writes no such file.
    """
    workspace.prepare(job)
    fonts.make_ready(job, engine)
    finished = _once(job, engine, job.timeout, "-draftmode")
    with process.foreign("workspace", "can't remove lualatex's empty PDF"):
        (job.folder / f"{JOBNAME}.pdf").unlink(missing_ok=True)
    outcome = workspace.result(
        job, ok=False, output=finished.output, passes=1, seconds=finished.seconds
    )
    found = job.folder / f"{JOBNAME}.cvm"
    log = job.folder / f"{JOBNAME}.log"
    if finished.code != 0:
        messages = texlog.parse(outcome.log)
        raise DocumentError([message.as_diagnostic() for message in messages if message.fatal], log)
    with process.foreign("tex-measure", "the document wrote no measurements"):
        return heights(found.read_text(encoding="utf-8"))


def heights(text: str) -> dict[str, tuple[int, float]]:
    """Read a .cvm file; later lines win. Raises DocumentError for a line that is none."""
    found: dict[str, tuple[int, float]] = {}
    for line in text.splitlines():
        try:
            name, page, total = line.split()
            value = float(total.removesuffix("pt"))
            if not math.isfinite(value):
                raise ValueError(total)
            found[name] = (int(page), value)
        except ValueError as error:
            raise DocumentError.because(
                "tex-measure", f"not a line of measurements: {line!r}"
            ) from error
    return found


def _once(job: Job, engine: Engine, timeout: float, *options: str) -> process.Finished:
    command = [*arguments(engine), *options, f"{JOBNAME}.tex"]
    environment = workspace.environment(job, engine)
    try:
        return process.run(command, cwd=job.folder, env=environment, timeout=max(timeout, 0.0))
    except process.TimeLimitError as error:
        raise workspace.out_of_time(job) from error
