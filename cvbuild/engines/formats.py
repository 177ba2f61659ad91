"""Formats: TeX's state after a document's head, dumped once and loaded by every later run.

The head (Job.head lines: class and style package) takes TeX longer to read than most documents take
to typeset. pdfTeX can dump what it has learned of it; LuaTeX can't. A format's name is a hash of
all that it is made from, so that another head, package or TeX has another one. A document from a
format and the same from its whole head differ in the numbers of their objects, so every run goes
through :func:`run`, and a format is made by whoever needs it first.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cvbuild
from cvbuild import stamps
from cvbuild.diagnostics import Diagnostic
from cvbuild.engines import JOBNAME, Engine, Job, formatstore, lock, process, workspace
from cvbuild.engines import log as texlog
from cvbuild.errors import CvbuildError

#: Files of a template's folders that TeX may read as code, whether it does or not.
_CODE = frozenset((".sty", ".cls", ".clo", ".cfg", ".def", ".fd", ".tex", ".ltx"))
#: How often to begin again if a template is edited while TeX reads it.
_TRIES = 3
_HINT = "make the cache a folder that can be written, or name another in CVBUILD_CACHE"
#: What pdfTeX forgets in a dump: a head that uses one of these would lose it in silence.
_LOST = "mapfile mapline info catalog names trailer trailerid fontattr"
#: Before the head: note the use of each of those.
_BEFORE = r"""\catcode`\@=11
\gdef\cvb@lost{}
\def\cvb@watch#1{\expandafter\let\csname cvb@\string#1\endcsname#1\protected\edef#1{%
\gdef\noexpand\cvb@lost{\string#1}\expandafter\noexpand\csname cvb@\string#1\endcsname}}
\def\cvb@free#1{\expandafter\let\expandafter#1\csname cvb@\string#1\endcsname}
\def\cvb@each#1{%s}
\cvb@each\cvb@watch
\catcode`\@=12
"""
#: After it. What the head put on the page (no text: pdfTeX's and tagpdf's marks) is not dumped
#: either: an output routine catches it in a box, which each run puts back when it begins. The
#: same with colour stacks, of which LaTeX itself makes none but the one of l3backend's opacity.
_AFTER = r"""
\catcode`\@=11
\cvb@each\cvb@free
\ifx\cvb@lost\empty\else\errmessage{\cvb@lost\space is lost in a format}\fi
\expandafter\newbox\csname cvb@marks\endcsname
\begingroup
\output={\global\setbox\csname cvb@marks\endcsname\vbox{\unvbox255\setbox0\lastbox\unskip}}
\hbox{}\penalty-10000
\endgroup
\everyjob\expandafter{\the\everyjob\unvbox\csname cvb@marks\endcsname}
\count255=\pdfcolorstackinit page{}
\ifnum\count255=1 \else
\ifnum\count255\ifcsname c__opacity_backend_stack_int\endcsname =2 \else =0 \fi
\everyjob\expandafter{\the\everyjob\count255=\pdfcolorstackinit page direct{/opacity 1 gs}}
\else\errmessage{\string\pdfcolorstackinit\space is lost in a format}\fi\fi
\catcode`\@=12
\dump
"""


@dataclass(frozen=True, slots=True)
class Format:
    """A dumped head: ``<folder>/<key>.fmt``, as it was when it was looked at."""

    folder: Path
    key: str
    stamp: stamps.Stamp | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.key}.fmt"

    @property
    def options(self) -> tuple[str, ...]:
        """What tells the engine to load it: words that a shell leaves alone.

        Without a name of its own the program would take the format's, and with it other settings.
        """
        return (f"-fmt={self.key}", "-progname=pdflatex")

    def environment(self, job: Job) -> dict[str, str]:
        """Where the engine finds it; and nobody makes one of that name if it doesn't."""
        place = workspace.searchable(self.folder, job.folder, "formats")
        return {"TEXFORMATS": place + os.pathsep, "MKTEXFMT": "0"}


@dataclass(frozen=True, slots=True)
class Run:
    """How a program ended, what it printed, and how often the engine ran.

    ``settled``: the last pass left the auxiliary files as they were, as far as the driver knows.
    """

    code: int
    output: str
    passes: int
    settled: bool = True


#: Runs the engine from a format, or from the whole head, in at most so many seconds.
Attempt = Callable[[Format | None, float], Run]


class _NoFormatError(CvbuildError):
    """There is no format; the diagnostic is a note that says why."""


class _DumpError(CvbuildError):
    """No format was made, for a reason that may be gone the next time."""


#: Why there is none of a key: for this process, if it may be different for the next.
_given_up: dict[str, str] = {}


def ready(job: Job, engine: Engine) -> tuple[Format | None, tuple[Diagnostic, ...]]:
    """The format of the job's head, made if need be, or None if there can be none; and notes."""
    try:
        return _ready(job, engine)
    except _NoFormatError as error:
        return None, error.diagnostics


def run(job: Job, engine: Engine, attempt: Attempt) -> tuple[Run, tuple[Diagnostic, ...]]:
    """Run the engine on a prepared job, from a format if there can be one; and notes on formats.

    A format that doesn't load is made again once. If that fails too, or if the document fails for
    whatever reason, the whole head is read: no document fails for being built from a format. In
    the end cv.tex is complete.
    """
    form, notes = ready(job, engine)
    began, anew = time.monotonic(), False

    def left() -> float:
        return job.timeout - (time.monotonic() - began)

    while form is not None:
        done, loaded = _from(form, job, attempt, left())
        if done.code == 0:
            return done, notes
        if loaded:
            break
        if anew:
            _given_up[form.key] = "TeX can't load it"
            notes = (_broken(_given_up[form.key]),)
            break
        try:
            form, notes = _renewed(form, job, engine)
            anew = True
        except _NoFormatError as error:
            form, notes = None, error.diagnostics
    return attempt(None, left()), notes


def _from(form: Format, job: Job, attempt: Attempt, seconds: float) -> tuple[Run, bool]:
    """What came of a run from the format; and whether it is sure that it was loaded."""
    log = job.folder / f"{JOBNAME}.log"
    with process.foreign("workspace", f"can't use the working folder {job.folder}"):
        log.unlink(missing_ok=True)
        workspace.write(job, job.head)
        try:
            done = attempt(form, seconds)
        finally:
            workspace.write(job)
        if done.code == 0:
            return done, True
        # TeX opens its log when it has loaded the format.
        loaded = log.exists() and formatstore.intact(form.folder, form.key)
        workspace.clear(job)
    return done, loaded


def _renewed(form: Format, job: Job, engine: Engine) -> tuple[Format, tuple[Diagnostic, ...]]:
    """The format made again, unless somebody else has done so since; raises _NoFormatError."""
    try:
        with _lock(form.folder, form.key):
            if stamps.of(form.path) == form.stamp:
                formatstore.drop(form.folder, form.key)
    except OSError as error:
        raise _NoFormatError([_broken(f"a damaged one can't be removed: {error}")]) from error
    found, notes = _ready(job, engine)
    if found is None:
        raise _NoFormatError(notes)
    return found, notes


def _ready(job: Job, engine: Engine) -> tuple[Format | None, tuple[Diagnostic, ...]]:
    """The format, from the cache or from a folder of this process; raises _NoFormatError."""
    if engine.name != "pdflatex" or job.head == 0:
        return None, ()
    kept, faults = job.cache / "formats", list[str]()
    for place in (lambda: kept, _private):
        try:
            key, entry = _entry(place(), job, engine)
        except (OSError, _DumpError, process.StartError, process.TimeLimitError) as error:
            faults.append(getattr(error, "strerror", None) or str(error))
            continue
        if entry.failed is not None:
            raise _NoFormatError([_undumpable(entry.failed)])
        return Format(place(), key, entry.stamp), (_unkept(kept, faults[0]),) if faults else ()
    if not process.stopping():
        _given_up[_key(job, engine)[0]] = faults[0]
    raise _NoFormatError([_broken(faults[0])])


def _entry(folder: Path, job: Job, engine: Engine) -> tuple[str, formatstore.Entry]:
    """The key and what the folder has of it, made if need be; raises OSError and _DumpError."""
    for _ in range(_TRIES):
        key, slot = _key(job, engine)
        if key in _given_up:
            raise _NoFormatError([_broken(_given_up[key])])
        if entry := formatstore.find(folder, key):
            return key, entry
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder, key):
            if entry := formatstore.find(folder, key):
                return key, entry
            with _dumped(folder, job, engine, key) as (made, files):
                # A template that was edited meanwhile is read again.
                if _key(job, engine)[0] == key:
                    entry = formatstore.put(folder, key, slot, made, files)
                    formatstore.tidy(folder, key, slot)
                    return key, entry
    raise _DumpError.because("no-format", "the template's packages change all the time")


@contextlib.contextmanager
def _dumped(
    folder: Path, job: Job, engine: Engine, key: str
) -> Iterator[tuple[Path | str, list[Path]]]:
    """A format in a folder that goes afterwards, or why there can't be one; and what was read.

    Raises OSError, TimeLimitError, and _DumpError if the next attempt may succeed.
    """
    start = f"new-{key[0]}-"
    for left in folder.glob(f"{start}*"):
        # Who made it was killed, for else its lock would still be held.
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=start, dir=folder) as name:
        work = Path(name).resolve()
        each = " ".join(rf"#1\pdf{one}" for one in _LOST.split())
        tex = _BEFORE.replace("%s", each) + "\n".join(_head(job)) + _AFTER
        dump = Job(tex, work, job.cache, 0, inputs=job.inputs, timeout=job.timeout)
        workspace.prepare(dump)
        finished = process.run(
            [
                engine.binary,
                "-ini",
                "-recorder",
                "-no-shell-escape",
                "-interaction=nonstopmode",
                "-halt-on-error",
                "-file-line-error",
                f"-jobname={JOBNAME}",
                "-progname=pdflatex",
                "&pdflatex",
                f"{JOBNAME}.tex",
            ],
            cwd=work,
            env=workspace.environment(dump, engine),
            timeout=dump.timeout,
        )
        yield _outcome(work, finished), _read(work)


def _outcome(work: Path, finished: process.Finished) -> Path | str:
    """The format, or what in the head prevents one; raises _DumpError if it was something else."""
    log = work / f"{JOBNAME}.log"
    said = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    if finished.code != 0:
        for message in texlog.parse(said):
            if message.fatal and (message.file or message.tex_line):
                return message.message
        lines = finished.output.splitlines() or [f"it ended with code {finished.code}"]
        raise _DumpError.because("no-format", f"TeX can't make one: {lines[-1]}")
    known = {f"{JOBNAME}.{end}" for end in ("fmt", "fls", "log", "tex")} | {workspace.HOME}
    for path in sorted(work.iterdir()):
        if path.name not in known and not path.is_symlink():
            return f"it writes the file {path.name}"
    form = work / f"{JOBNAME}.fmt"
    return form if form.is_file() else "it ends TeX"


def _read(work: Path) -> list[Path]:
    """The files outside its folder that TeX has read, as its recorder lists them."""
    text = (work / f"{JOBNAME}.fls").read_bytes().decode(errors="surrogateescape")
    rows = (line.removeprefix("INPUT ") for line in text.splitlines() if line.startswith("INPUT "))
    found = dict.fromkeys((work / row).resolve() for row in rows)
    return [path for path in found if not path.is_relative_to(work)]


def _head(job: Job) -> list[str]:
    return job.tex.split("\n")[: job.head]


def _key(job: Job, engine: Engine) -> tuple[str, str]:
    """The name of the head's format, and that of all formats that come after one another."""
    what = (*_head(job), engine.name, str(engine.binary), cvbuild.__version__, formatstore.VERSION)
    code = [
        (str(path.relative_to(folder)), formatstore.digest_of(path))
        for folder in job.inputs
        for path in sorted(folder.rglob("*"))
        if path.suffix in _CODE
    ]
    parts = (what, engine.version, stamps.digest(engine.tree), code)
    return _hash(parts), _hash((what, *(str(folder.resolve()) for folder in job.inputs)))


def _hash(parts: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _lock(folder: Path, key: str) -> AbstractContextManager[None]:
    """Whoever makes a format holds this; sixteen locks serve all keys."""
    return lock.held(folder / f"{key[0]}.lock")


@cache
def _private() -> Path:
    """A folder of this process for formats, where the cache can't be used; gone at its end."""
    folder = tempfile.mkdtemp(prefix="cvbuild-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _undumpable(reason: str) -> Diagnostic:
    message = f"TeX reads the template's packages anew for every document: {reason}"
    hint = "docs/templates.md tells what a package may do when it is loaded"
    return Diagnostic("note", "no-format", message, hint=hint)


def _broken(reason: str) -> Diagnostic:
    message = (
        f"no format can be made of the template's packages ({reason}): TeX reads them anew for "
        "every document, and the bytes of a PDF may differ from those of other builds"
    )
    return Diagnostic("note", "no-format", message, hint=_HINT)


def _unkept(folder: Path, reason: str) -> Diagnostic:
    message = f"formats can't be kept in {folder} ({reason}), so each run makes its own"
    return Diagnostic("note", "unkept-formats", message, hint=_HINT)
