"""Choose how to run an engine: directly, or by latexmk, which decides when to run it again.

latexmk reads Perl from a latexmkrc in the working folder, in HOME and elsewhere; ``-norc`` stops
all of that, and only does so reliably as the first option.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from cvbuild.common import processes
from cvbuild.common.errors import NoTexError, UsageError
from cvbuild.outputs.pdf.tex import direct, job_folder, walls
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_tool
from cvbuild.outputs.pdf.tex.memory import TexFormat
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run

Driver = Callable[[Job, Engine], Result]
DRIVERS = ("auto", "latexmk", "direct")
#: latexmk: "Run number 2 of rule 'pdflatex'"
_RUN = re.compile(r"^Run number (\d+) of rule '(?:pdf|lua)latex'", re.MULTILINE)


def choose_driver(choice: str, engine: Engine) -> Driver:
    """Return the function that typesets for ``choice``; "auto" runs the engine directly.

    One pass is enough, and latexmk makes a second one to see that. Raises NoTexError if latexmk is
    asked for and missing, UsageError for an unknown choice or for latexmk with the embedded TeX,
    which lacks what latexmk runs.
    """
    if choice not in DRIVERS:
        raise UsageError.because(
            "unknown-driver", f'unknown driver "{choice}"', f"one of: {', '.join(DRIVERS)}"
        )
    if choice != "latexmk":
        return direct.compile
    if engine.origin == "embedded":
        raise UsageError.because(
            "driver-engine",
            "latexmk can't drive the embedded TeX",
            "leave out --driver, or name a system engine with --engine",
        )
    if engine.latexmk is None:
        raise NoTexError.because(
            "no-latexmk", "latexmk is not installed", how_to_get_tool("latexmk")
        )
    return by_latexmk


def by_latexmk(job: Job, engine: Engine) -> Result:
    """Typeset ``job`` by latexmk; same contract as :func:`direct.compile`."""
    return direct.typeset(job, engine, partial(_run, job, engine))


def _arguments(engine: Engine, form: TexFormat | None) -> list[str]:
    """Return latexmk's options; the engine's own are those of the direct driver."""
    # Without the program: PATH starts with its folder. latexmk hands the name to a shell, in which
    # a path may break.
    options = [str(item) for item in direct.arguments(engine, form)[1:]]
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


def _run(job: Job, engine: Engine, form: TexFormat | None, seconds: float) -> Run:
    try:
        command = [engine.latexmk or "latexmk", *_arguments(engine, form), f"{JOBNAME}.tex"]
        finished = walls.run(command, job, engine, seconds, form)
    except processes.TimeLimitError as error:
        raise job_folder.out_of_time(job) from error
    runs = _RUN.findall(finished.output)
    return Run(finished.code, finished.output, int(runs[-1]) if runs else 0)
