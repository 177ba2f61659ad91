"""The wheel with TeX: its record, its tag, and that its tree counts before that of the extra.

``make tex-wheel`` itself downloads 130 MB; docs/internals/releasing.md says how it is tried.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import platform
import sys
import zipfile
from pathlib import Path

import pytest

from cvbuild.outputs.pdf.tex import find, job_folder
from tools.tex_wheel import tree


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A wheel of two small files and a program that says its version."""
    folder, program = tmp_path / "tree", tmp_path / f"debian-{platform.machine()}"
    for name in ("texmf-dist/web2c/texmf.cnf", "texmf-dist/tex/latex/base/article.cls"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("TEXMFROOT = /usr/share/texlive\nTEXMF = {$TEXMFHOME}\n")
    (folder / "texmf-var/web2c").mkdir(parents=True)
    tree._settle(folder / "texmf-dist/web2c/texmf.cnf")
    for name in ("texmf-dist", "texmf-var"):
        tree.index(folder / name)
    (program / "lib").mkdir(parents=True)
    (program / "lib/libz.so.1").write_bytes(b"\x7fELF GLIBC_2.17 GLIBC_2.34")
    script = "#!/bin/sh\necho 'pdfTeX 3.141592653-2.6-1.40.24 (TeX Live 2022/Debian)'\n"
    (program / "pdflatex").write_text(script)
    (program / "texlive-binaries.copyright").write_text("A licence.\n")
    (tmp_path / "copyright").write_text("Another.\n")
    licences = {"texlive-base": tmp_path / "copyright"}
    common = tree.Tree(folder, "2024.20250309-1", licences)
    (tmp_path / "dist").mkdir()
    return tree.write(common, program, platform.machine(), tmp_path / "dist")


def test_the_record_names_every_file_with_its_hash(made: Path) -> None:
    name = f"cvbuild_tex-2024.20250309-py3-none-manylinux_2_34_{platform.machine()}.whl"
    assert made.name == name
    with zipfile.ZipFile(made) as file:
        about = "cvbuild_tex-2024.20250309.dist-info"
        rows = file.read(f"{about}/RECORD").decode().splitlines()
        recorded = dict(row.rsplit(",", 2)[:2] for row in rows)
        assert set(recorded) == set(file.namelist())
        for member in set(recorded) - {f"{about}/RECORD"}:
            digest = base64.urlsafe_b64encode(hashlib.sha256(file.read(member)).digest())
            assert recorded[member] == f"sha256={digest.rstrip(b'=').decode()}"
        licences = [one for one in file.namelist() if "/licenses/" in one]
        assert [Path(one).name for one in licences] == [
            "texlive-base.copyright", "texlive-binaries.copyright"
        ]  # fmt: skip
        assert (
            f"Tag: py3-none-manylinux_2_34_{platform.machine()}"
            in file.read(f"{about}/WHEEL").decode()
        )


@pytest.mark.skipif(sys.platform != "linux", reason="the programs are for Linux")
def test_its_tree_counts_before_that_of_the_extra(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    with zipfile.ZipFile(made) as file:
        file.extractall(installed)
        for member in file.infolist():
            (installed / member.filename).chmod(member.external_attr >> 16)
    monkeypatch.syspath_prepend(installed)
    importlib.invalidate_caches()
    find.look_again()
    root = job_folder.embedded_root()
    assert root == installed / "cvbuild_tex/tree"
    settings = (root / "texmf-dist/web2c/texmf.cnf").read_text().splitlines()
    assert settings == ["TEXMFROOT = $SELFAUTOPARENT", "TEXMF = {!!$TEXMFSYSVAR,!!$TEXMFDIST}"]
    engine = find.embedded_engine({"article.cls": ""})
    assert engine.label == "pdflatex (embedded, TeX Live 2022)"
    assert installed / "cvbuild_tex-2024.20250309.dist-info/RECORD" in engine.tree
    variables = job_folder.embedded_environment(engine.binary)
    assert variables["TEXMFCNF"] == str(root / "texmf-dist/web2c")
    find.look_again()
