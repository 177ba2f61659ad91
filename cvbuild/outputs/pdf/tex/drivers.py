"""Run an engine for a job: directly, or by latexmk, which decides when to run it again.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from cvbuild.common import processes
from cvbuild.common.errors import DocumentError, NoTexError, UsageError, foreign
from cvbuild.outputs.pdf.tex import formats, job_folder
from cvbuild.outputs.pdf.tex.formats import Attempt
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_tool
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run, TexFormat

Driver = Callable[[Job, Engine], Result]
DRIVERS = ("auto", "latexmk", "direct")
#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule 'pdflatex'", re.MULTILINE)
MAX_PASSES = 5
#: LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.
_AGAIN = re.compile(r"Rerun to get|Rerun LaTeX|rerun LaTeX")


def choose_driver(choice: str, engine: Engine) -> Driver:
    """Return the function that typesets for ``choice``; "auto" runs the engine directly.

    One pass is enough, and latexmk makes a second one to see that. Raises NoTexError if latexmk is
    asked for and missing, UsageError for an unknown choice or for latexmk with the embedded TeX,
    which lacks what latexmk runs.
    """
    if choice not in DRIVERS:
        hint = f"one of: {', '.join(DRIVERS)}"
        raise UsageError.because("unknown-driver", f'unknown driver "{choice}"', hint)
    if choice != "latexmk":
        return direct
    if engine.origin == "embedded":
        hint = "leave out --driver, or name a system engine with --engine"
        raise UsageError.because("driver-engine", "latexmk can't drive the embedded TeX", hint)
    if engine.latexmk is None:
        hint = how_to_get_tool("latexmk")
        raise NoTexError.because("no-latexmk", "latexmk is not installed", hint)
    return by_latexmk


def arguments(
    engine: Engine, form: TexFormat | None = None, mode: str = "nonstopmode"
) -> list[str | Path]:
    """Return the command line up to the document's name; ``mode`` is TeX's interaction mode."""
    return [
        engine.binary, "-no-parse-first-line", *(form.options if form else ()), "-no-shell-escape",
        f"-interaction={mode}", "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}",
    ]  # fmt: skip


def direct(job: Job, engine: Engine) -> Result:
    """Typeset ``job``.

    Raises DocumentError when the time is up, CvbuildError if a file or program can't be used. A
    document that TeX rejects gives a Result without PDF, not an exception.
    """
    return job_folder.result(job, _done(job, engine, partial(_passes, job, engine)))


def _done(job: Job, engine: Engine, attempt: Attempt) -> Run:
    """Prepare the folder, and run the engine by ``attempt``; raises as ``direct``."""
    job_folder.prepare(job)
    try:
        return formats.run(job, engine, attempt)
    except processes.TimeLimitError as error:
        raise job_folder.out_of_time(job) from error


def measure(job: Job, engine: Engine) -> dict[str, tuple[int, float]]:
    """Return where each block ends, from one pass without PDF: {id: (page, height so far in pt)}.

    The document writes `id page pagetotal` lines to cv.cvm (``\\CvbMeasureOn``). Raises
    DocumentError if TeX fails or writes no such file.
    """
    draft(job, engine)
    found = job.folder / f"{JOBNAME}.cvm"
    with foreign("tex-measure", "the document wrote no measurements"):
        return heights(found.read_text(encoding="utf-8"))


def draft(job: Job, engine: Engine) -> Result:
    """Run TeX once without making a PDF; raises DocumentError if it fails, else CvbuildError."""
    finished = _done(job, engine, partial(_once, job, engine, "-draftmode"))
    result = job_folder.result(job, finished)
    if finished.code != 0:
        from cvbuild.outputs.pdf.tex import log as texlog

        faults = [one.as_diagnostic() for one in texlog.parse(result.log) if one.fatal]
        raise DocumentError(faults, job.folder / f"{JOBNAME}.log")
    return result


def heights(text: str) -> dict[str, tuple[int, float]]:
    """Read a .cvm file; later lines win. Raises DocumentError for a malformed line."""
    found: dict[str, tuple[int, float]] = {}
    for line in text.splitlines():
        try:
            name, page, total = line.split()
            value = float(total.removesuffix("pt"))
            if not math.isfinite(value):
                raise ValueError(total)
            found[name] = (int(page), value)
        except ValueError as error:
            fact = f"not a line of measurements: {line!r}"
            raise DocumentError.because("tex-measure", fact) from error
    return found


def wants_another_pass(output: str) -> bool:
    r"""Return whether LaTeX or a package says so: a template may use \\label and \\ref."""
    return _AGAIN.search(output) is not None


def _passes(job: Job, engine: Engine, form: TexFormat | None, seconds: float) -> Run:
    began, passes = time.monotonic(), 0
    while True:
        passes += 1
        done = _once(job, engine, "", form, seconds - (time.monotonic() - began))
        if done.code != 0 or passes == MAX_PASSES or not wants_another_pass(done.output):
            return replace(done, passes=passes)


def _once(job: Job, engine: Engine, option: str, form: TexFormat | None, seconds: float) -> Run:
    command = [*arguments(engine, form), *filter(None, [option]), f"{JOBNAME}.tex"]
    done = job_folder.run(command, job, engine, seconds, form)
    return Run(done.code, done.output, 1)


def by_latexmk(job: Job, engine: Engine) -> Result:
    """Typeset ``job`` by latexmk; same contract as :func:`direct`."""
    return job_folder.result(job, _done(job, engine, partial(_run_latexmk, job, engine)))


def _latexmk_arguments(engine: Engine, form: TexFormat | None) -> list[str]:
    """Return latexmk's options; the engine's own are those of the direct driver."""
    # Without the program: PATH starts with its folder. latexmk hands the name to a shell, in which
    # a path may break.
    options = [str(item) for item in arguments(engine, form)[1:]]
    own = [f"-latexoption={option}" for option in options if not option.startswith("-jobname")]
    return [
        "-norc", "-pdf", f"-pdflatex={engine.name} %O %S", *own, f"-jobname={JOBNAME}", "-bibtex-",
        "-view=none", "-e", f"$max_repeat={MAX_PASSES}",
    ]  # fmt: skip


def _run_latexmk(job: Job, engine: Engine, form: TexFormat | None, seconds: float) -> Run:
    command = [engine.latexmk or "latexmk", *_latexmk_arguments(engine, form), f"{JOBNAME}.tex"]
    finished = job_folder.run(command, job, engine, seconds, form)
    runs = _RUN.findall(finished.output)
    return Run(finished.code, finished.output, int(runs[-1]) if runs else 0)
