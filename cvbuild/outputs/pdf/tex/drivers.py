"""Run an engine for a job: directly, or by latexmk, which decides when to run it again.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import contextlib
import math
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from cvbuild.common import hashes, processes
from cvbuild.common.errors import DocumentError, NoTexError, UsageError, foreign
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.tex import font_cache, formats, job_folder, walls
from cvbuild.outputs.pdf.tex.formats import Attempt
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_tool
from cvbuild.outputs.pdf.tex.memory import TexFormat
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run

Driver = Callable[[Job, Engine], Result]
DRIVERS = ("auto", "latexmk", "direct")
#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule '(?:pdf|lua)latex'", re.MULTILINE)
MAX_PASSES = 5
#: LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.
_AGAIN = re.compile(r"Rerun to get|Rerun LaTeX|rerun LaTeX")
#: Seconds for making the database of LuaTeX's fonts.
_LIMIT = 900.0
_TINY = "\\documentclass{article}\\begin{document}x\\end{document}\n"


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
    # lualatex has no `%&` first line and rejects the option that switches it off. Before version
    # 1.17 its Lua has a library for the network.
    own = ["-no-parse-first-line" if engine.name == "pdflatex" else "--nosocket"]
    return [
        engine.binary, *own, *(form.options if form else ()), "-no-shell-escape",
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
    make_fonts_ready(job, engine)
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
    with foreign("workspace", "can't remove lualatex's empty PDF"):
        (job.folder / f"{JOBNAME}.pdf").unlink(missing_ok=True)
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
    done = walls.run(command, job, engine, seconds, form)
    return Run(done.code, done.output, 1)


def make_fonts_ready(job: Job, engine: Engine) -> None:
    """Make the folders for LuaTeX's fonts, and the database unless it exists.

    luaotfload lists all fonts of the machine when it finds no database: 5 to 15 s on the machines
    measured, minutes where there are many fonts. Made inside a document's run, it would use up that
    document's time limit and be made again by every worker that runs at the same time.

    A failure is not reported here: the document's own run fails in the same way and says so.
    """
    if engine.name != "lualatex":
        return
    version = hashes.digest(f"{engine.binary}\0{engine.version}")[:12]
    ready = font_cache.folder(job.cache) / f"fonts-{version}.ready"
    with job_folder.usable_cache():
        font_cache.make(job)
        if ready.exists():
            return
        with work_folders.held(job.cache / "fonts.lock"), tempfile.TemporaryDirectory() as folder:
            work = Path(folder).resolve() / "run"
            work.mkdir()
            if not ready.exists() and _make_database(Job(_TINY, work, job.cache, 0), engine):
                ready.touch()


def _make_database(job: Job, engine: Engine) -> bool:
    job_folder.prepare(job)
    with contextlib.suppress(processes.TimeLimitError):
        options = ("--nosocket", "-no-shell-escape", "-interaction=batchmode", "-draftmode")
        return walls.run([engine.binary, *options, "cv.tex"], job, engine, _LIMIT).code == 0
    return False


def by_latexmk(job: Job, engine: Engine) -> Result:
    """Typeset ``job`` by latexmk; same contract as :func:`direct`."""
    return job_folder.result(job, _done(job, engine, partial(_run_latexmk, job, engine)))


def _latexmk_arguments(engine: Engine, form: TexFormat | None) -> list[str]:
    """Return latexmk's options; the engine's own are those of the direct driver."""
    # Without the program: PATH starts with its folder. latexmk hands the name to a shell, in which
    # a path may break.
    options = [str(item) for item in arguments(engine, form)[1:]]
    mode, variable = (
        ("-pdf", "-pdflatex") if engine.name == "pdflatex" else ("-pdflua", "-lualatex")
    )
    own = [f"-latexoption={option}" for option in options if not option.startswith("-jobname")]
    return [
        "-norc", mode, f"{variable}={engine.name} %O %S", *own, f"-jobname={JOBNAME}", "-bibtex-",
        "-view=none", "-e", f"$max_repeat={MAX_PASSES}",
    ]  # fmt: skip


def _run_latexmk(job: Job, engine: Engine, form: TexFormat | None, seconds: float) -> Run:
    command = [engine.latexmk or "latexmk", *_latexmk_arguments(engine, form), f"{JOBNAME}.tex"]
    finished = walls.run(command, job, engine, seconds, form)
    runs = _RUN.findall(finished.output)
    return Run(finished.code, finished.output, int(runs[-1]) if runs else 0)
