"""Let latexmk run the engine: it knows when to run again.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import re
import time

from cvbuild.engines import JOBNAME, Engine, Job, Result, direct, fonts, process, workspace
from cvbuild.errors import NoTexError

#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule '(?:pdf|lua)latex'", re.MULTILINE)


def arguments(engine: Engine) -> list[str]:
    """Latexmk's options; the engine's own are those of the direct driver."""
    binary, *options = (str(item) for item in direct.arguments(engine))
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
    """Typeset ``job`` by latexmk; same contract as :func:`cvbuild.engines.direct.compile`."""
    if engine.latexmk is None:
        raise NoTexError.because("no-latexmk", f"there is no latexmk for {engine.label}")
    workspace.prepare(job)
    fonts.make_ready(job, engine)
    began = time.monotonic()
    try:
        finished = process.run(
            [engine.latexmk, *arguments(engine), f"{JOBNAME}.tex"],
            cwd=job.folder,
            env=workspace.environment(job, engine),
            timeout=job.timeout,
        )
    except process.TimeLimitError as error:
        raise workspace.out_of_time(job) from error
    runs = _RUN.findall(finished.output)
    return workspace.result(
        job,
        ok=finished.code == 0,
        output=finished.output,
        passes=int(runs[-1]) if runs else 0,
        seconds=time.monotonic() - began,
    )
