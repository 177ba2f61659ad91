"""The tree of TeX Live for the wheel, its format, and the program of each machine."""

from __future__ import annotations

import platform
import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.tex_wheel.debian import MACHINES, Suite, run

HERE = Path(__file__).parent
#: What tree.toml says.
DATA = tomllib.loads((HERE / "tree.toml").read_text("utf-8"))
#: Where Debian has the parts of texmf-dist.
_PLACES = ("usr/share/texlive/texmf-dist", "usr/share/texmf")
_MAP = "texmf-var/fonts/map/pdftex/updmap/pdftex.map"
_FORMAT = "texmf-var/web2c/pdftex/pdflatex.fmt"
#: Languages whose hyphens are in the format: cvbuild sets those of the text itself.
_LANGUAGES = """\
english hyphen.tex
=usenglish
=USenglish
=american
dumylang dumyhyph.tex
nohyphenation zerohyph.tex
"""


@dataclass(frozen=True)
class Tree:
    """A folder with texmf-dist and texmf-var; the version of TeX Live; licences by package."""

    folder: Path
    version: str
    licences: dict[str, Path]

    @classmethod
    def of(cls, suite: Suite, program: Path, folder: Path) -> Tree:
        """Collect the tree, and make its indexes, and its format with this machine's program."""
        unpacked, made = folder / "unpacked", folder / "tree"
        versions = [suite.unpack(name, here(), unpacked) for name in DATA["packages"]]
        for path in _wanted(unpacked):
            _copy(unpacked, path, made / "texmf-dist")
        maps = [made / "texmf-dist" / name for name in DATA["maps"]]
        _write(made / _MAP, "".join(path.read_text("utf-8") for path in maps))
        _settle(made / "texmf-dist/web2c/texmf.cnf")
        index(made / "texmf-dist")
        _make_format(program, made, folder / "format")
        index(made / "texmf-var")
        licences = {
            name: unpacked / "usr/share/doc" / name / "copyright" for name in DATA["packages"]
        }
        return cls(made, versions[0], licences)


def here() -> str:
    """Return this machine's name."""
    if platform.machine() not in MACHINES:
        raise SystemExit(f"made on {' or '.join(MACHINES)} only, not on {platform.machine()}")
    return platform.machine()


def program(suite: Suite, machine: str, folder: Path) -> Path:
    """Return a folder with pdflatex, its libraries in lib/, and their licences."""
    unpacked, made = folder / "unpacked", folder / f"debian-{machine}"
    for package in DATA["programs"]:
        suite.unpack(package, machine, unpacked)
    (made / "lib").mkdir(parents=True)
    shutil.copy(unpacked / "usr/bin/pdftex", made / "pdflatex")
    for library in unpacked.glob("usr/lib/*/lib*.so.[0-9]*"):
        needed = ("libkpathsea", "libpng16", "libz")
        if library.is_symlink() and library.name.split(".")[0] in needed:
            shutil.copy(library, made / "lib" / library.name)
    for package in DATA["programs"]:
        copyright_ = unpacked / "usr/share/doc" / package / "copyright"
        if copyright_.is_file():
            shutil.copy(copyright_, made / f"{package}.copyright")
    return made


def environment(program: Path, tree: Path) -> dict[str, str]:
    """Return the variables with which the program reads this tree."""
    return {
        "LD_LIBRARY_PATH": str(program / "lib"),
        "TEXMFCNF": str(tree / "texmf-dist/web2c"),
        "TEXMFROOT": str(tree),
    }


def _wanted(unpacked: Path) -> list[str]:
    """Return the files of texmf-dist that are to be there; ends where one is nowhere."""
    read = (HERE / "files.txt").read_text("utf-8").split()
    names = [name.removeprefix("texmf-dist/") for name in read if name.startswith("texmf-dist/")]
    names = [name for name in names if not name.endswith("ls-R")]
    for folder in DATA["folders"]:
        inside = [
            path.relative_to(unpacked / place).as_posix()
            for place in _PLACES
            for path in (unpacked / place / folder).rglob("*")
            if path.is_file()
        ]
        if not inside:
            raise SystemExit(f"no package has {folder}")
        names += inside
    return sorted({*names, *DATA["files"]})


def _copy(unpacked: Path, name: str, to: Path) -> None:
    for place in _PLACES:
        path = unpacked / place / name
        if path.exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to / name)
            return
    raise SystemExit(f"no package has {name}")


def _settle(settings: Path) -> None:
    """Let the program's settings name this tree, and none of the system."""
    text = settings.read_text("utf-8")
    own = {
        "TEXMFROOT": "$SELFAUTOPARENT",
        "TEXMFDIST": "$TEXMFROOT/texmf-dist",
        "TEXMFMAIN": "$TEXMFDIST",
        "TEXMFSYSVAR": "$TEXMFROOT/texmf-var",
        "TEXMF": "{!!$TEXMFSYSVAR,!!$TEXMFDIST}",
        "TEXMFDBS": "{!!$TEXMFSYSVAR,!!$TEXMFDIST}",
        "TEXMFLOCAL": "$TEXMFROOT/texmf-local",
        "TEXMFSYSCONFIG": "$TEXMFROOT/texmf-config",
        "TEXMFDEBIAN": "$TEXMFDIST",
    }
    for name, value in own.items():
        text = re.sub(rf"(?m)^{name}\s*=.*$", f"{name} = {value}", text)
    settings.chmod(0o644)
    settings.write_text(text, "utf-8")


def _make_format(program: Path, tree: Path, folder: Path) -> None:
    """Dump LaTeX's format with the hyphens of few languages.

    Its log has characters beyond ASCII as they are, not as ^^e6: that is what cp227.tcx says.
    """
    folder.mkdir(parents=True)
    (folder / "language.dat").write_text(_LANGUAGES, "utf-8")
    (folder / "language.def").write_text("", "utf-8")
    run(
        [str(program / "pdflatex"), "-ini", "-etex", "-interaction=nonstopmode", "-halt-on-error",
         "-progname=pdflatex", "-jobname=pdflatex", "-translate-file=cp227.tcx", "pdflatex.ini"],
        folder, **environment(program, tree), SOURCE_DATE_EPOCH="0", FORCE_SOURCE_DATE="1",
    )  # fmt: skip
    _write(tree / _FORMAT, "")
    shutil.copy(folder / "pdflatex.fmt", tree / _FORMAT)


def index(folder: Path) -> None:
    """Write the index of a tree that TeX looks names up in."""
    lines = ["% ls-R -- filename database for kpathsea; do not change this line."]
    for place in sorted({folder, *(path for path in folder.rglob("*") if path.is_dir())}):
        within = place.relative_to(folder).as_posix()
        lines += ["", "./:" if within == "." else f"./{within}:"]
        lines += sorted(path.name for path in place.iterdir() if path.name != "ls-R")
    (folder / "ls-R").write_text("\n".join(lines) + "\n", "utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
