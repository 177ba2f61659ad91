"""Write a wheel: the tree, a program, their licences, and the record of all."""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.tex_wheel.tree import Tree

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
