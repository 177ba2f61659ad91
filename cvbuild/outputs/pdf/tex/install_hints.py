"""What to install to get a TeX file or a tool, by name, on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from cvbuild.common.files import safe_files

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
