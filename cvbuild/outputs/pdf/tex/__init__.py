"""TeX on a job: a run that makes the PDF, a draft without one, or a measurement of its blocks.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from cvbuild.common import file_state, processes, safe_files
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError, NoTexError, UsageError, foreign
from cvbuild.common.processes import Finished, tail
from cvbuild.outputs.pdf.tex import formats, job_folder
from cvbuild.outputs.pdf.tex.find import how_to_get_texlive
from cvbuild.outputs.pdf.tex.job_folder import JOBNAME, Engine, Job, TexFormat, usable_cache

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.tex.log import LogMessage as LogMessage

#: What others use; they enter by ``find`` and ``preloaded``, too.
__all__ = [
    "JOBNAME", "Engine", "Job", "Result", "Tex", "choose_driver", "usable_cache",
]  # fmt: skip

DRIVERS = ("auto", "latexmk", "direct")
#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule 'pdflatex'", re.MULTILINE)
MAX_PASSES = 5
#: LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.
AGAIN = re.compile(r"Rerun to get|Rerun LaTeX|rerun LaTeX")
#: The code of the error for a document that did not finish in time.
OUT_OF_TIME = "tex-timeout"


def choose_driver(choice: str, engine: Engine) -> str:
    """Return the driver to use for ``choice``; "auto" runs the engine directly.

    One pass is enough, and latexmk makes a second one to see that. Raises NoTexError if latexmk is
    asked for and missing, UsageError for an unknown choice or for latexmk with the embedded TeX,
    which lacks what latexmk runs.
    """
    if choice not in DRIVERS:
        hint = f"one of: {', '.join(DRIVERS)}"
        raise UsageError.because("unknown-driver", f'unknown driver "{choice}"', hint)
    if choice != "latexmk":
        return "direct"
    if engine.origin == "embedded":
        hint = "leave out --driver, or name a system engine with --engine"
        raise UsageError.because("driver-engine", "latexmk can't drive the embedded TeX", hint)
    if engine.latexmk is None:
        fact = "latexmk is not installed"
        raise NoTexError.because("no-latexmk", fact, how_to_get_texlive())
    return choice


def arguments(
    engine: Engine, form: TexFormat | None = None, mode: str = "nonstopmode"
) -> list[str | Path]:
    """Return the command line up to the document's name; ``mode`` is TeX's interaction mode."""
    return [
        engine.binary, "-no-parse-first-line", *(form.options if form else ()), "-no-shell-escape",
        f"-interaction={mode}", "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}",
    ]  # fmt: skip


class Result(Struct, frozen=True):
    """How TeX ended; ``pdf`` is None if it failed or made a draft, and then ``log`` says why.

    ``log`` is at most the last MiB of TeX's log (or what the program printed, if it wrote no log);
    ``notes`` concern the machine and not the document.
    """

    code: int
    pdf: Path | None
    log: str
    pages: int | None
    passes: int
    notes: tuple[Diagnostic, ...] = ()

    def messages(self) -> tuple[LogMessage, ...]:
        """Return what the log says, in its order."""
        from cvbuild.outputs.pdf.tex import log  # after TeX, as it isn't needed before

        return log.parse(self.log)


class Tex:
    """TeX on one job, from a format of its head if there can be one.

    If it doesn't load, or if the document fails for any reason, the whole head is read: no document
    fails because of a format. Afterwards cv.tex is complete. All raise DocumentError when the time
    is up, CvbuildError if a file or program can't be used.
    """

    def __init__(self, job: Job, engine: Engine, driver: str = "direct") -> None:
        self.job = job
        self.engine = engine
        self.driver = driver
        self.form: TexFormat | None = None
        self.notes: tuple[Diagnostic, ...] = ()
        self._passes = 1
        self._end = 0.0

    def run(self) -> Result:
        """Typeset; a document that TeX rejects gives a Result without PDF, not an exception."""

        def passes() -> Finished:
            for self._passes in range(1, MAX_PASSES + 1):
                finished = self._once()
                if finished.code != 0 or not AGAIN.search(finished.output):
                    break
            return finished

        return self._done(self._by_latexmk if self.driver == "latexmk" else passes)

    def draft(self) -> Result:
        """Run TeX once without making a PDF; raises DocumentError if it rejects the document."""
        result = self._done(lambda: self._once("-draftmode"))
        if result.code != 0:
            faults = [item.as_diagnostic() for item in result.messages() if item.fatal]
            raise DocumentError(faults, self.job.folder / f"{JOBNAME}.log")
        return result

    def measure(self) -> dict[str, tuple[int, float]]:
        """Return where each block ends, from a draft: {id: (page, height so far in pt)}.

        The document writes `id page pagetotal` lines to cv.cvm (``\\CvbMeasureOn``). Raises
        DocumentError if TeX fails or writes no such file.
        """
        self.draft()
        with foreign("tex-measure", "the document wrote no measurements"):
            return heights((self.job.folder / f"{JOBNAME}.cvm").read_text(encoding="utf-8"))

    def load_format(self) -> None:
        """Find the format of the document's head, or make it."""
        self.form, self.notes = formats.find_or_make(self.job, self.engine)

    def _done(self, attempt: Callable[[], Finished]) -> Result:
        """Prepare folder and format, and run TeX by ``attempt``: from the head if need be."""
        job_folder.prepare(self.job)
        self.load_format()
        self._end = time.monotonic() + self.job.timeout
        with self._in_time():
            finished = self._from_format(attempt) or attempt()
        return self._result(finished)

    def _from_format(self, attempt: Callable[[], Finished]) -> Finished | None:
        """Run TeX from the format; None if the whole head must be read."""
        job, log = self.job, self.job.folder / f"{JOBNAME}.log"
        if self.form is None:
            return None
        with foreign("workspace", f"can't use the working folder {job.folder}"):
            log.unlink(missing_ok=True)
            with job_folder.without_lines(job, job.head):
                finished = attempt()
            if finished.code == 0:
                return finished
            # TeX opens its log after it has loaded the format.
            is_loaded = log.exists() and self.form.content == file_state.file_hash(self.form.path)
            # What TeX wrote, but for the log.
            kept = job_folder.RESERVED | {name for name, _ in job.assets}
            for path in job.folder.iterdir():
                if path.name not in kept and not path.is_dir():
                    path.unlink(missing_ok=True)
        if not is_loaded:
            _, self.notes = formats.give_up(self.form)
        self.form = None
        return None

    def _once(self, *options: str) -> Finished:
        return self._call([*arguments(self.engine, self.form), *options])

    def _by_latexmk(self) -> Finished:
        # Without the program: PATH starts with its folder. latexmk hands the name to a shell, in
        # which a path may break.
        options = [str(item) for item in arguments(self.engine, self.form)[1:]]
        passed = [f"-latexoption={item}" for item in options if not item.startswith("-jobname")]
        finished = self._call([
            self.engine.latexmk or "latexmk", "-norc", "-pdf", f"-jobname={JOBNAME}", *passed,
            f"-pdflatex={self.engine.name} %O %S", "-bibtex-", "-view=none",
            "-e", f"$max_repeat={MAX_PASSES}",
        ])  # fmt: skip
        self._passes = int([0, *_RUN.findall(finished.output)][-1])
        return finished

    def _call(self, command: Sequence[str | Path]) -> Finished:
        """Run a command on cv.tex in what is left of the job's time."""
        remaining = self._end - time.monotonic()
        command = [*command, f"{JOBNAME}.tex"]
        return job_folder.run(command, self.job, self.engine, remaining, self.form)

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except processes.TimeLimitError as error:
            fact = f"TeX did not finish within {self.job.timeout:.3g} s and was stopped"
            hint = "does the template loop forever? if the machine is just slow, give it more time"
            problem = Diagnostic("error", OUT_OF_TIME, fact, hint=hint)
            raise DocumentError([problem], self.job.folder / f"{JOBNAME}.log") from error

    def _result(self, finished: Finished) -> Result:
        """Return what is in the folder after TeX has run."""
        from cvbuild.outputs.pdf.tex import log as texlog

        log, folder = finished.output, self.job.folder
        place = folder / f"{JOBNAME}.log"
        with contextlib.suppress(OSError), safe_files.regular(place, links=False) as file:
            log = tail(file) or log
        pdf = folder / f"{JOBNAME}.pdf"
        pages = texlog.pages(log) if finished.code == 0 else None
        # TeX's own code can make links.
        is_made = bool(pages) and pdf.is_file() and not pdf.is_symlink()
        path = pdf if is_made else None
        return Result(finished.code, path, log, pages, self._passes, self.notes)


def heights(text: str) -> dict[str, tuple[int, float]]:
    """Read a .cvm file; later lines win. Raises DocumentError for a malformed line."""
    measured: dict[str, tuple[int, float]] = {}
    for line in text.splitlines():
        try:
            name, page, total = line.split()
            value = float(total.removesuffix("pt"))
            if not math.isfinite(value):
                raise ValueError(total)
            measured[name] = (int(page), value)
        except ValueError as error:
            fact = f"not a line of measurements: {line!r}"
            raise DocumentError.because("tex-measure", fact) from error
    return measured
