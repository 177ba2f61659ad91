"""Tests that need a TeX: skip with one line that says what to install, or fail where it must be.

    from texlive import requires_texlive      # in a conftest.py or a test module: a fixture

With CVBUILD_REQUIRE_TEXLIVE=1 a test that needs the system's TeX, its fonts or a program fails
instead of skipping. CVBUILD_NO_SYSTEM_TEX=1 hides the system's TeX, poppler and qpdf from all tests
and from what they start: the suite runs as on a machine that has none of them.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from cvbuild.common.diagnostics import NoTexError
from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.tex.find import (
    HIDE_SYSTEM,
    embedded_engine,
    how_to_get_texlive,
    system_engine,
)
from cvbuild.outputs.pdf.tex.job_folder import Engine

REQUIRE = "CVBUILD_REQUIRE_TEXLIVE"
#: What HIDE_SYSTEM hides: TeX, poppler and qpdf. A test that starts another such program adds it.
HIDDEN = {
    *("pdflatex", "lualatex", "xelatex", "latex", "pdftex", "luatex", "luahbtex", "xetex", "tex"),
    *("latexmk", "kpsewhich", "qpdf"),
    *("pdftotext", "pdftoppm", "pdftocairo", "pdfinfo", "pdffonts", "pdfimages"),
}


def hide_system(config: pytest.Config) -> None:
    """Take HIDDEN from PATH, if HIDE_SYSTEM says so: before the first test and the workers start.

    A folder that has any of them is replaced by one of links to all the rest. It is kept with
    pytest's cache, for its name is part of what cvbuild remembers of programs.
    """
    if os.environ.get(HIDE_SYSTEM) != "1":
        return
    if os.environ.get(REQUIRE) == "1":
        raise pytest.UsageError(f"{REQUIRE}=1 and {HIDE_SYSTEM}=1 contradict each other")
    path = []
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if any(shutil.which(name, path=folder) for name in HIDDEN):
            path.append(str(_rest(Path(folder), config)))
        else:
            path.append(folder)
    os.environ["PATH"] = os.pathsep.join(path)


def _rest(folder: Path, config: pytest.Config) -> Path:
    kept = getattr(config, "cache", None)
    name = "path-" + "-".join(folder.absolute().parts[1:])
    if kept is None:
        rest = Path(tempfile.mkdtemp(prefix=name))
        config.add_cleanup(functools.partial(shutil.rmtree, rest))
    else:
        rest = kept.mkdir(name)
    for entry in folder.absolute().iterdir():
        link = rest / entry.name
        if entry.stem not in HIDDEN and not link.is_symlink():
            link.symlink_to(entry)
    return rest


def missing_texlive() -> str | None:
    """One line: what of the system's TeX is missing and how to get it; None if all is there."""
    if os.environ.get(HIDE_SYSTEM) == "1":
        return f"{HIDE_SYSTEM}=1 hides it"
    try:
        system_engine({})
    except NoTexError as error:
        return str(error.diagnostics[0])
    if not shutil.which("latexmk"):
        return f"latexmk is not installed; {how_to_get_texlive()}"
    return None


def demand_texlive() -> None:
    """Skip the running test, or fail it under CVBUILD_REQUIRE_TEXLIVE=1, if TeX is missing."""
    why = missing_texlive()
    if why is not None:
        _without("the system's TeX", why)


def demand_tool(name: str) -> None:
    """The same for a program of the tests: ``pdftotext`` or ``qpdf``."""
    assert name in HIDDEN, f"{HIDE_SYSTEM} must hide {name}"
    if not shutil.which(name):
        hidden = os.environ.get(HIDE_SYSTEM) == "1"
        why = f"{name} is not installed; `make texlive` and `apt-get install poppler-utils qpdf`"
        _without(name, f"{HIDE_SYSTEM}=1 hides it" if hidden else why)


def demand_script_fonts() -> None:
    """The same for a face of each script that ``cvbuild doctor`` tells of."""
    for script, (path, package) in fallbacks.survey().items():
        if path is None:
            _without("fonts of all scripts", f"none for {script}; `apt-get install {package}`")


def _without(what: str, why: str) -> None:
    if os.environ.get(REQUIRE) == "1":
        pytest.fail(f"{REQUIRE}=1, but {why}", pytrace=False)
    pytest.skip(f"needs {what}: {why}")


def demand_embedded() -> None:
    """Skip the running test on a machine for which there is no embedded TeX; else it must work."""
    try:
        embedded_engine({})
    except NoTexError as error:
        why = str(error.diagnostics[0])
        if sys.platform == "linux" and platform.machine() != "x86_64":
            pytest.skip(f"needs the embedded TeX: {why}")
        pytest.fail(f"needs the embedded TeX: {why}", pytrace=False)


def engine_of(kind: str) -> Engine:
    """The engine "pdflatex" (the system's) or "embedded"; skips or fails first."""
    if kind == "embedded":
        demand_embedded()
        return embedded_engine({})
    demand_texlive()
    return system_engine({})


@pytest.fixture
def requires_texlive() -> None:
    demand_texlive()


@pytest.fixture
def requires_embedded() -> None:
    demand_embedded()
