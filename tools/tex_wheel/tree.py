"""The wheel: the tree of TeX Live, its format, the program of each machine, and the record of all.

Packages of a suite of Debian are fetched for some machine, and unpacked; nothing is installed.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
#: Debian's names of machines.
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


class Suite:
    """Debian's lists of packages for machines, the first of them this one, in a folder."""

    def __init__(self, name: str, machines: Sequence[str], folder: Path) -> None:
        self.name, self.folder = name, folder
        self.names = [MACHINES[machine] for machine in machines]
        for place in ("state/lists/partial", "cache/archives/partial"):
            (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / "sources.list").write_text(
            f"deb [signed-by={_KEYS}] {_mirror()} {name} main\n", "utf-8"
        )
        self._apt("update")

    def unpack(self, package: str, machine: str, to: Path) -> str:
        """Download a package, unpack it into a folder, and return its version."""
        downloads = self.folder / "downloads"
        downloads.mkdir(exist_ok=True)
        known = sorted(downloads.glob(f"{package}_*_{MACHINES[machine]}.deb"))
        known += sorted(downloads.glob(f"{package}_*_all.deb"))
        if not known:
            self._apt("download", f"{package}:{MACHINES[machine]}", cwd=downloads)
            known = sorted(
                downloads.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime
            )
        to.mkdir(parents=True, exist_ok=True)
        run(["dpkg-deb", "-x", str(known[-1]), str(to)])
        return known[-1].name.split("_")[1].replace("%3a", ":")

    def _apt(self, *words: str, cwd: Path | None = None) -> None:
        options = {
            "Dir::State": self.folder / "state",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": self.folder / "cache",
            "Dir::Etc::sourcelist": self.folder / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "APT::Architecture": self.names[0],
            "APT::Sandbox::User": "root",
        }
        command = ["apt-get", "-q"]
        for name, value in options.items():
            command += ["-o", f"{name}={value}"]
        for name in self.names:
            command += ["-o", f"APT::Architectures::={name}"]
        run([*command, *words], cwd)


def _mirror() -> str:
    """Return the address from which this machine gets Debian."""
    said = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    addresses = [line for line in said.split() if "security" not in line]
    if not addresses:
        raise SystemExit("this machine's sources of packages name no Debian: /etc/apt/sources.list")
    return addresses[0]


def run(command: Sequence[str], cwd: Path | None = None, **more: str) -> str:
    """Return what a program prints; ends this one with its last words if it fails.

    ``more`` are variables of its environment.
    """
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command[0]}: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


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


# -- the wheel ------------------------------------------------------------------------------------


_NAME, _PACKAGE = "cvbuild-tex", "cvbuild_tex"
_ABOUT = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: pdfTeX and the part of TeX Live that cvbuild reads, from Debian's packages
License-Expression: LicenseRef-Various
Requires-Python: >=3.11

pdfTeX, its libraries and a part of TeX Live, as Debian has packaged them. The licence of each
package is beside this file.
"""
_INIT = '"""pdfTeX and the part of TeX Live that cvbuild reads; it has no Python of its own."""\n'
#: The first time that a zip file can tell: two makings of one wheel have the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)


def write(tree: Tree, program: Path, machine: str, out: Path) -> Path:
    """Return the wheel of a tree with a machine's program, below ``out``."""
    version = ".".join(re.findall(r"\d+", tree.version)[:2])
    tag = f"py3-none-manylinux_2_{_glibc(program)}_{machine}"
    about = f"{_PACKAGE}-{version}.dist-info"
    path = out / f"{_PACKAGE}-{version}-{tag}.whl"
    rows = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, data, mode in _members(tree, program, about, version, tag):
            member = zipfile.ZipInfo(name, _TIME)
            member.external_attr = mode << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(member, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(data)}")
        rows.append(f"{about}/RECORD,,")
        file.writestr(zipfile.ZipInfo(f"{about}/RECORD", _TIME), "\n".join(rows) + "\n")
    return path


def _members(
    tree: Tree, program: Path, about: str, version: str, tag: str
) -> Iterator[tuple[str, bytes, int]]:
    """Yield name, bytes and mode of each file."""
    yield f"{_PACKAGE}/__init__.py", _INIT.encode(), 0o100644
    for path in sorted(tree.folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(tree.folder).as_posix()
            yield f"{_PACKAGE}/tree/{name}", path.read_bytes(), 0o100644
    for path in sorted(program.rglob("*")):
        if path.is_file() and path.suffix != ".copyright":
            name = path.relative_to(program).as_posix()
            mode = 0o100755 if name == "pdflatex" else 0o100644
            yield f"{_PACKAGE}/tree/bin/{program.name}/{name}", path.read_bytes(), mode
    for package, path in sorted(tree.licences.items()):
        yield f"{about}/licenses/{package}.copyright", path.read_bytes(), 0o100644
    for path in sorted(program.glob("*.copyright")):
        yield f"{about}/licenses/{path.name}", path.read_bytes(), 0o100644
    text = _ABOUT.format(name=_NAME, version=version)
    yield f"{about}/METADATA", text.encode(), 0o100644
    text = f"Wheel-Version: 1.0\nGenerator: cvbuild\nRoot-Is-Purelib: false\nTag: {tag}\n"
    yield f"{about}/WHEEL", text.encode(), 0o100644


def _glibc(program: Path) -> int:
    """Return the newest minor version of glibc 2 whose symbols the program or a library needs."""
    found = [5]
    for path in (program / "pdflatex", *(program / "lib").iterdir()):
        found += [int(number) for number in re.findall(rb"GLIBC_2\.(\d+)", path.read_bytes())]
    return max(found)
