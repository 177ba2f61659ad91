"""What a TeX engine is, the job that it gets, and the result.

``find`` chooses an engine, ``drivers`` the way to run it (``latexmk`` or ``direct``), ``log`` reads
its log; ``common.processes`` starts and contains every process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import asdict

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.files.file_state import Stamp

Origin = Literal["system", "embedded"]

#: All files of a job carry this stem, so that a PDF never depends on a person's name.
JOBNAME = "cv"


class Engine(Struct, frozen=True):
    """A TeX program that was found to be usable.

    ``version`` is the first line of ``--version``; ``distribution`` is for people, "TeX Live 2022".
    ``tree`` are the files whose change means another TeX: program, kernel, format, map of fonts,
    configuration and lists of files, whether they exist or not.
    """

    name: str
    origin: Origin
    binary: Path
    version: str
    latexmk: Path | None = None
    distribution: str = ""
    tree: tuple[Path, ...] = ()

    @property
    def label(self) -> str:
        """For people: "pdflatex (system, TeX Live 2022)"."""
        return f"{self.name} ({self.origin}, {self.distribution or self.version})"

    def plain(self) -> dict[str, Any]:
        """Return its fields with paths as JSON has them, for ``of_plain``."""
        latexmk = str(self.latexmk) if self.latexmk else None
        paths = {"binary": str(self.binary), "latexmk": latexmk}
        return {**asdict(self), **paths, "tree": [str(path) for path in self.tree]}

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Engine:
        """Return the engine; raises TypeError, or LookupError for what is none."""
        paths = {key: Path(plain[key]) for key in ("binary", "latexmk") if plain[key]}
        return cls(**{**plain, **paths, "tree": tuple(map(Path, plain["tree"]))})


class Needs(Struct, frozen=True):
    """What a style needs of a TeX tree.

    ``files`` are names that kpsewhich finds (``XCharter.sty``).
    ``packages`` are pairs of file and package name, for files that ``tex.install_hints`` doesn't
    know.
    """

    files: tuple[str, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()


class Job(Struct, frozen=True):
    """One document to typeset.

    ``folder`` is a fresh private working folder that the caller made. ``cache`` is kept between
    builds and shared by them; ``inputs`` are folders whose packages the
    document may load; ``assets`` are put into the folder under the given name. ``timeout`` is in
    seconds and holds for the whole job, not for one pass; ``epoch`` is SOURCE_DATE_EPOCH. ``head``
    counts the lines of ``tex`` that are the same for all documents of a style, ``setup`` those up
    to and including ``\\begin{document}``, ``ahead`` those that a preloaded engine may read; 0: not
    known.
    """

    tex: str
    folder: Path
    cache: Path
    epoch: int
    inputs: tuple[Path, ...] = ()
    assets: tuple[tuple[str, bytes], ...] = ()
    timeout: float = 60
    head: int = 0
    setup: int = 0
    ahead: int = 0


class TexFormat(Struct, frozen=True):
    """A dumped head: the file, with the stamp and the hash that it had when it was found."""

    path: Path
    stamp: Stamp | None
    content: str

    @property
    def options(self) -> tuple[str, ...]:
        """The engine's options that load it: words without a meaning for a shell.

        Without -progname the program would take the format's name, and with it other settings.
        """
        return (f"-fmt={self.path.stem}", "-progname=pdflatex")


class Run(Struct, frozen=True):
    """How a driver's work ended: exit code, output, how often the engine ran, seconds."""

    code: int
    output: str
    passes: int
    seconds: float = 0.0
    notes: tuple[Diagnostic, ...] = ()


class Result(Struct, frozen=True):
    """The outcome of a job; ``pdf`` is None if TeX failed, and then ``log`` says why.

    ``log`` is at most the last MiB of TeX's log (or what the program printed, if it wrote no log);
    ``notes`` concern the machine and not the document. ``seconds`` are TeX's, ``finish_seconds``
    those of finishing its PDF.
    """

    pdf: Path | None
    log: str
    pages: int | None
    passes: int | None
    seconds: float
    notes: tuple[Diagnostic, ...] = ()
    finish_seconds: float = 0.0
