"""TeX on a job: a run that makes the PDF, a draft without one, or a measurement of its blocks.

A run loads a format: TeX's state after a document's head, dumped once. TeX takes longer to read the
head (Job.head lines: class and style package) than to typeset most documents. A format's name is a
hash of all that it is made from, so a change to the head, a package or TeX gives another name. A
document built from a format and the same built from its whole head differ in the numbers of their
PDF objects, so every run goes through ``Tex``, and the first that needs a format makes it.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import contextlib
import gzip
import math
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from cvbuild.common import interrupts, processes
from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    DocumentError,
    NoTexError,
    UsageError,
    foreign,
)
from cvbuild.common.files import file_state, safe_files
from cvbuild.common.files.user_cache import Store, name_of
from cvbuild.common.processes import Finished, tail
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import job_folder
from cvbuild.outputs.pdf.tex.find import how_to_get_texlive
from cvbuild.outputs.pdf.tex.job_folder import JOBNAME, UNUSABLE_CACHE, Engine, TexFormat

if TYPE_CHECKING:
    from cvbuild.outputs.pdf.tex.log import LogMessage as LogMessage

#: What others use; they enter by ``find`` and ``preloaded``, too.
__all__ = ["JOBNAME", "UNUSABLE_CACHE", "Engine", "Tex", "choose_driver"]

DRIVERS = ("auto", "latexmk", "direct")
#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule 'pdflatex'", re.MULTILINE)
MAX_PASSES = 5
#: LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.
AGAIN = re.compile(r"Rerun to get|Rerun LaTeX|rerun LaTeX")
#: The code of the error for a document that did not finish in time.
OUT_OF_TIME = "tex-timeout"


def choose_driver(choice: str, engine: Engine) -> str:
    """Return the driver to use for ``choice``; "auto" runs the engine directly."""
    # One pass is enough, and latexmk makes a second one to see that. Raises NoTexError if latexmk
    # is asked for and missing, UsageError for an unknown choice or for latexmk with the embedded
    # TeX, which lacks what latexmk runs.
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
    # Words without a meaning for a shell. Without -progname the program would take the format's
    # name, and with it other settings.
    loads = (f"-fmt={form.path.stem}", "-progname=pdflatex") if form else ()
    return [
        engine.binary, "-no-parse-first-line", *loads, "-no-shell-escape",
        f"-interaction={mode}", "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}",
    ]  # fmt: skip


class Tex:
    """TeX on one job, from a format of its head if there can be one.

    If it doesn't load, or if the document fails for any reason, the whole head is read: no document
    fails because of a format. Afterwards cv.tex is complete. All raise DocumentError when the time
    is up, CvbuildError if a file or program can't be used.

    After a run ``pdf`` is None if TeX failed or made a draft, and then ``log`` says why: at most
    the last MiB of TeX's log (or what the program printed, if it wrote no log). ``notes`` concern
    the machine and not the document.
    """

    def __init__(self, job: Job, engine: Engine, driver: str = "direct") -> None:
        self.job, self.engine, self.driver = job, engine, driver
        self.form: TexFormat | None = None
        self.notes: tuple[Diagnostic, ...] = ()
        self.pdf: Path | None = None
        self.log = ""
        self.pages: int | None = None
        self.passes = 1

    def run(self) -> Self:
        """Typeset; a document that TeX rejects has no PDF afterwards, and raises nothing."""
        self._typeset()
        return self

    def draft(self) -> Self:
        """Run TeX once without making a PDF; raises DocumentError if it rejects the document."""
        if self._typeset("-draftmode").code != 0:
            faults = [item.as_diagnostic() for item in self.messages() if item.fatal]
            raise DocumentError(faults, self.job.folder / f"{JOBNAME}.log")
        return self

    def measure(self) -> dict[str, tuple[int, float]]:
        """Return where each block ends, from a draft: {id: (page, height so far in pt)}."""
        # The document writes `id page pagetotal` lines to cv.cvm (``\CvbMeasureOn``). Raises
        # DocumentError if TeX fails or writes no such file.
        self.draft()
        with foreign("tex-measure", "the document wrote no measurements"):
            return heights((self.job.folder / f"{JOBNAME}.cvm").read_text(encoding="utf-8"))

    def messages(self) -> tuple[LogMessage, ...]:
        """Return what the log says, in its order."""
        from cvbuild.outputs.pdf.tex import log  # after TeX, as it isn't needed before

        return log.parse(self.log)

    def _typeset(self, *options: str) -> Finished:
        """Prepare folder and format, and run TeX: from the format, or else from the whole head."""
        job, log = self.job, self.job.folder / f"{JOBNAME}.log"
        job_folder.prepare(job)
        self.form, self.notes = find_or_make(job, self.engine)
        end = time.monotonic() + job.timeout
        with self._in_time():
            if self.form is None:
                finished = self._passes(options, end)
            else:
                with foreign("workspace", f"can't use the working folder {job.folder}"):
                    log.unlink(missing_ok=True)
                    with job_folder.without_lines(job, job.head):
                        finished = self._passes(options, end)
                if finished.code != 0:
                    self._give_up(self.form, log)
                    finished = self._passes(options, end)
        self._look(finished)
        return finished

    def _give_up(self, form: TexFormat, log: Path) -> None:
        """Make the folder ready for a run without the format."""
        self.form = None
        with foreign("workspace", f"can't use the working folder {log.parent}"):
            # TeX opens its log after it has loaded the format.
            is_loaded = log.exists() and form.content == file_state.file_hash(form.path)
            # What TeX wrote, but for the log.
            kept = job_folder.RESERVED | {name for name, _ in self.job.assets}
            for path in log.parent.iterdir():
                if path.name not in kept and not path.is_dir():
                    path.unlink(missing_ok=True)
        if not is_loaded:
            # The next process makes it again.
            with contextlib.suppress(OSError):
                form.path.with_suffix(".json").unlink(missing_ok=True)
            _given_up[form.path.stem] = reason = "TeX can't load it"
            self.notes = (_without(reason),)

    def _passes(self, options: Sequence[str], end: float) -> Finished:
        """Run TeX or latexmk until LaTeX asks for no other run; a draft once."""
        words, is_latexmk = arguments(self.engine, self.form), self.driver == "latexmk"
        command: list[str | Path] = [*words, *options]
        if is_latexmk:
            # Without the program: PATH starts with its folder. latexmk hands the name to a shell,
            # in which a path may break.
            passed = [word for word in map(str, words[1:]) if not word.startswith("-jobname")]
            command = [
                self.engine.latexmk or "latexmk", "-norc", "-pdf", f"-jobname={JOBNAME}",
                *(f"-latexoption={word}" for word in passed),
                f"-pdflatex={self.engine.name} %O %S", "-bibtex-", "-view=none",
                "-e", f"$max_repeat={MAX_PASSES}",
            ]  # fmt: skip
        command.append(f"{JOBNAME}.tex")
        for self.passes in range(1, MAX_PASSES + 1):
            left = end - time.monotonic()
            finished = job_folder.run(command, self.job, self.engine, left, self.form)
            if options or is_latexmk or finished.code or not AGAIN.search(finished.output):
                break
        if is_latexmk:
            self.passes = int([0, *_RUN.findall(finished.output)][-1])
        return finished

    @contextlib.contextmanager
    def _in_time(self) -> Iterator[None]:
        try:
            yield
        except processes.TimeLimitError as error:
            fact = f"TeX did not finish within {self.job.timeout:.3g} s and was stopped"
            hint = "does the template loop forever? if the machine is just slow, give it more time"
            problem = Diagnostic("error", OUT_OF_TIME, fact, hint=hint)
            raise DocumentError([problem], self.job.folder / f"{JOBNAME}.log") from error

    def _look(self, finished: Finished) -> None:
        from cvbuild.outputs.pdf.tex import log as texlog

        self.log, folder = finished.output, self.job.folder
        place, pdf = (folder / f"{JOBNAME}.{end}" for end in ("log", "pdf"))
        with contextlib.suppress(OSError), safe_files.regular(place, links=False) as file:
            self.log = tail(file) or self.log
        self.pages = texlog.pages(self.log) if finished.code == 0 else None
        # TeX's own code can make links.
        self.pdf = pdf if self.pages and pdf.is_file() and not pdf.is_symlink() else None


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


# -- formats ---------------------------------------------------------------------------------------


#: Files of a template's folders that TeX doesn't read for a format: fonts, pictures, files of other
#: programs. Any other file may be one that a package looks for.
_FOREIGN = frozenset((
    ".j2", ".yaml", ".png", ".jpg", ".pdf", ".bak", ".orig", ".swp", ".tmp",
    ".ttf", ".otf", ".ttc", ".otc", ".pfb",
))  # fmt: skip
#: A format, and notes why there is none or why it isn't kept.
Answer = tuple[TexFormat | None, tuple[Diagnostic, ...]]
#: By key, why this process has no format; the next process tries again.
_given_up: dict[str, str] = {}


def find_or_make(job: Job, engine: Engine) -> Answer:
    """Return the format of the job's head, of the cache or else of this process."""
    if job.head == 0 or "MiKTeX" in engine.version:
        return None, ()
    name = key(job, engine)
    if name not in _given_up:
        try:
            store = Store.usable(job.cache, "formats")
            # TeX loads a format without checking it.
            store.require()
            content = store.get(name)
            if content is None:
                with store.lock(name):
                    content = store.get(name)
                    if content is None:
                        with dumped(store.folder, f"new-{name[0]}-", job, engine) as made:
                            if key(job, engine) != name:
                                fact = "the template's packages changed while TeX read them"
                                raise DumpError.because("no-format", fact)
                            content = put(store, name, *made)
            return TexFormat(store.folder / f"{name}.fmt", content), ()
        except (OSError, DumpError, processes.StartError, processes.TimeLimitError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if interrupts.stop.is_set:
                return None, (_without(reason),)
            _given_up[name] = reason
    return None, (_without(_given_up[name]),)


def put(store: Store, name: str, form: Path, files: Iterable[Path]) -> str:
    """Store a format, which is moved here; ``files`` is what it was made from. Raises OSError."""
    content = file_state.file_hash(form)
    store.put(name, content, own={f"{name}.fmt": form}, files=files)
    return content


def key(job: Job, engine: Engine) -> str:
    """Return a hash of all that the head is made from: its lines, the template's packages, TeX."""
    # It depends on the content of the template's files, wherever they are.
    code = [
        (str(path.relative_to(folder)), path.is_file() and file_state.file_hash(path))
        for folder in job.inputs
        for path in sorted(folder.rglob("*"))
        # A package may look for it; not for an editor's backup.
        if path.suffix[1:].isalnum() and path.suffix not in _FOREIGN and path.name[0] not in ".#"
    ]
    tex = engine.name, str(engine.binary), engine.version, file_state.stamps_hash(engine.tree)
    return name_of(job.tex.split("\n")[: job.head], tex, code)


def _without(reason: str) -> Diagnostic:
    message = (
        f"no format can be made of the template's packages ({reason}): TeX reads them again for "
        "every document, and the bytes of a PDF may differ from those of other builds"
    )
    hint = "cvbuild docs template-files says what a package may do while it is loaded"
    return Diagnostic("note", "no-format", message, hint=hint)


# -- making one ------------------------------------------------------------------------------------


#: What TeX reads before and after the head, which says why.
_BEFORE, _AFTER = (Path(__file__).with_name(f"{place}-head.tex") for place in ("before", "after"))


class DumpError(CvbuildError):
    """No format was made; the next process tries again."""


@contextlib.contextmanager
def dumped(folder: Path, name: str, job: Job, engine: Engine) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a format of the job's head, and the files TeX read for it."""
    # It is made in a folder below ``folder`` that is removed afterwards, like all others there
    # whose name begins with ``name``, so the caller must hold a lock. Raises OSError, StartError,
    # TimeLimitError, and DumpError if the next attempt may succeed.
    for old in folder.glob(f"{name}*"):
        # Its maker was killed, or else would still hold the lock.
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=name, dir=folder, ignore_cleanup_errors=True) as parent:
        work = Path(parent).resolve() / "run"
        work.mkdir()
        head = "\n".join([*job.tex.split("\n")[: job.head], ""])
        parts = (_BEFORE.read_text(encoding="utf-8"), head, _AFTER.read_text(encoding="utf-8"))
        inner = Job("".join(parts), work, job.cache, 0, job.inputs, timeout=job.timeout)
        job_folder.prepare(inner)
        command: list[str | Path] = [
            engine.binary, "-ini", "-recorder", "-no-shell-escape", "-interaction=nonstopmode",
            "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}", "-progname=pdflatex",
            "&pdflatex", f"{JOBNAME}.tex",
        ]  # fmt: skip
        finished = job_folder.run(command, inner, engine, inner.timeout)
        if finished.code != 0:
            from cvbuild.outputs.pdf.tex import log as texlog

            fatal = (item.message for item in texlog.parse(finished.output) if item.fatal)
            why = next(fatal, f"TeX ended with code {finished.code}")
            raise DumpError.because("no-format", why)
        known = {f"{JOBNAME}.{end}" for end in ("fmt", "fls", "log", "tex")} | {job_folder.HOME}
        for path in sorted(work.iterdir()):
            if path.name not in known and not path.is_symlink():
                raise DumpError.because("no-format", f"they write the file {path.name}")
        form = work / f"{JOBNAME}.fmt"
        if not form.is_file():
            raise DumpError.because("no-format", "they end TeX")
        # Without gzip compression: TeX loads that in half the time.
        with contextlib.suppress(gzip.BadGzipFile):
            whole = form.with_suffix(".unpacked")
            with gzip.open(form) as packed, whole.open("wb") as file:
                shutil.copyfileobj(packed, file)
            form = whole
        text = (work / f"{JOBNAME}.fls").read_bytes().decode(errors="surrogateescape")
        rows = (row.removeprefix("INPUT ") for row in text.splitlines() if row[:6] == "INPUT ")
        read = dict.fromkeys((work / row).resolve() for row in rows)
        yield form, [path for path in read if not path.is_relative_to(work)]
