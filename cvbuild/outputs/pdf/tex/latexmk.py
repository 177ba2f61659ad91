"""Let latexmk run the engine: it decides when to run it again.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import re
from functools import partial

from cvbuild.common import processes
from cvbuild.common.errors import NoTexError
from cvbuild.outputs.pdf.tex import direct, job_folder, walls
from cvbuild.outputs.pdf.tex.formats import TexFormat
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run

#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule '(?:pdf|lua)latex'", re.MULTILINE)


def arguments(engine: Engine, form: TexFormat | None = None) -> list[str]:
    """Return latexmk's options; the engine's own are those of the direct driver."""
    binary, *options = (str(item) for item in direct.arguments(engine, form))
    del binary  # PATH starts with its folder: latexmk hands the name to a shell, a path may break
    mode, variable = (
        ("-pdf", "-pdflatex") if engine.name == "pdflatex" else ("-pdflua", "-lualatex")
    )
    return [
        "-norc",
        mode,
        f"{variable}={engine.name} %O %S",
        *(f"-latexoption={option}" for option in options if not option.startswith("-jobname")),
        f"-jobname={JOBNAME}",
        "-bibtex-",
        "-view=none",
        "-e",
        f"$max_repeat={direct.MAX_PASSES}",
    ]


def compile(job: Job, engine: Engine) -> Result:
    """Typeset ``job`` by latexmk; same contract as :func:`direct.compile`."""
    if engine.latexmk is None:
        raise NoTexError.because("no-latexmk", f"there is no latexmk for {engine.label}")
    return direct.typeset(job, engine, partial(_run, job, engine))


def _run(job: Job, engine: Engine, form: TexFormat | None, seconds: float) -> Run:
    try:
        command = [engine.latexmk or "latexmk", *arguments(engine, form), f"{JOBNAME}.tex"]
        finished = walls.run(command, job, engine, seconds, form)
    except processes.TimeLimitError as error:
        raise job_folder.out_of_time(job) from error
    runs = _RUN.findall(finished.output)
    return Run(finished.code, finished.output, int(runs[-1]) if runs else 0)
