"""Let TeX read a document's head and dump its state: a format, or the reason why there is none."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cvbuild.common import processes
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.pdf.tex import job_folder, walls
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job

#: Before the head: note the use of what pdfTeX doesn't dump, which would be lost silently. What
#: a package adds to the start of a job is too late where the whole head is read, so it never runs.
_BEFORE = r"""\catcode`\@=11
\edef\cvb@job{\the\everyjob}
\gdef\cvb@lost{}
\def\cvb@watch#1{\expandafter\let\csname cvb@\string#1\endcsname#1\protected\edef#1{%
\gdef\noexpand\cvb@lost{\string#1}\expandafter\noexpand\csname cvb@\string#1\endcsname}}
\def\cvb@free#1{\expandafter\let\expandafter#1\csname cvb@\string#1\endcsname}
\def\cvb@each#1{#1\pdfmapfile #1\pdfmapline #1\pdfinfo #1\pdfcatalog #1\pdfnames
#1\pdftrailer #1\pdftrailerid #1\pdffontattr}
\cvb@each\cvb@watch
\catcode`\@=12
"""
#: After the head. What it put on the page (no text, but marks of pdfTeX and tagpdf) is not dumped
#: either: an output routine catches it in a box, which each run puts back when it begins. Colour
#: stacks are made again in the same way; LaTeX itself has only the one for l3backend's opacity.
_AFTER = r"""
\catcode`\@=11
\cvb@each\cvb@free
\ifx\cvb@lost\empty\else\errmessage{\cvb@lost\space is lost in a format}\fi
\expandafter\newbox\csname cvb@marks\endcsname
\begingroup
\output={\global\setbox\csname cvb@marks\endcsname\vbox{\unvbox255\setbox0\lastbox\unskip}}
\hbox{}\penalty-10000
\endgroup
\everyjob\expandafter{\cvb@job\unvbox\csname cvb@marks\endcsname}
\count255=\pdfcolorstackinit page{}
\ifnum\count255=1 \else
\ifnum\count255\ifcsname c__opacity_backend_stack_int\endcsname =2 \else =0 \fi
\everyjob\expandafter{\the\everyjob\count255=\pdfcolorstackinit page direct{/opacity1 gs}}
\else\errmessage{\string\pdfcolorstackinit\space is lost in a format}\fi\fi
\catcode`\@=12
\dump
"""


class DumpError(CvbuildError):
    """No format was made, for a reason that may not apply the next time."""


@contextlib.contextmanager
def dumped(
    folder: Path, name: str, job: Job, engine: Engine
) -> Iterator[tuple[Path | str, list[Path]]]:
    """Yield a format of the job's head, or why there can't be one; and the files TeX read for it.

    It is made in a folder below ``folder`` that is removed afterwards, like all others there whose
    name begins with ``name``, so the caller must hold a lock. Raises OSError, StartError,
    TimeLimitError, and DumpError if the next attempt may succeed.
    """
    for old in folder.glob(f"{name}*"):
        # Its maker was killed, or else would still hold the lock.
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=name, dir=folder, ignore_cleanup_errors=True) as made:
        work = Path(made).resolve() / "run"
        work.mkdir()
        head = "\n".join(job.tex.split("\n")[: job.head])
        inner = Job(_BEFORE + head + _AFTER, work, job.cache, 0, job.inputs, timeout=job.timeout)
        job_folder.prepare(inner)
        command: list[str | Path] = [
            engine.binary, "-ini", "-recorder", "-no-shell-escape", "-interaction=nonstopmode",
            "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}", "-progname=pdflatex",
            "&pdflatex", f"{JOBNAME}.tex",
        ]  # fmt: skip
        finished = walls.run(command, inner, engine, inner.timeout)
        yield _outcome(work, finished), _read(work)


def _outcome(work: Path, finished: processes.Finished) -> Path | str:
    """Return the format, or what in the head prevents one; raises DumpError otherwise."""
    log = work / f"{JOBNAME}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    if finished.code != 0:
        from cvbuild.outputs.pdf.tex import log as texlog

        for message in texlog.parse(text):
            if message.fatal and (message.file or message.tex_line):
                return message.message
        # TeX reports a full disk in the middle of an unrelated line.
        lines = [line for line in finished.output.splitlines() if "! " in line][:1]
        why = lines[0].partition("! ")[2] if lines else f"it ended with code {finished.code}"
        raise DumpError.because("no-format", f"TeX can't make one: {why}")
    known = {f"{JOBNAME}.{end}" for end in ("fmt", "fls", "log", "tex")} | {job_folder.HOME}
    for path in sorted(work.iterdir()):
        if path.name not in known and not path.is_symlink():
            return f"it writes the file {path.name}"
    form = work / f"{JOBNAME}.fmt"
    return _unpacked(form) if form.is_file() else "it ends TeX"


def _unpacked(form: Path) -> Path:
    """Return the format without gzip compression: TeX loads that in half the time."""
    whole = form.with_suffix(".unpacked")
    try:
        with gzip.open(form) as packed, whole.open("wb") as file:
            shutil.copyfileobj(packed, file)
    except gzip.BadGzipFile:
        return form
    return whole


def _read(work: Path) -> list[Path]:
    """Return the files outside of ``work`` that TeX has read, as its recorder lists them."""
    text = (work / f"{JOBNAME}.fls").read_bytes().decode(errors="surrogateescape")
    rows = (line.removeprefix("INPUT ") for line in text.splitlines() if line.startswith("INPUT "))
    found = dict.fromkeys((work / row).resolve() for row in rows)
    return [path for path in found if not path.is_relative_to(work)]
