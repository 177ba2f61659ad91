"""Which engine is taken, and what is said about those that are not."""

from __future__ import annotations

import base64
import hashlib
import importlib
import os
import platform
import stat
import sys
import zipfile
from pathlib import Path

import pytest
from texlive import engine_of

from cvbuild.common.diagnostics import NoTexError, UsageError
from cvbuild.outputs import installed
from cvbuild.outputs.pdf.tex import find, job_folder
from cvbuild.outputs.pdf.tex.find import find_engine, how_to_get, survey, system_engine
from cvbuild.outputs.pdf.tex.job_folder import Engine
from tools.tex_wheel import tree

NOTHING: dict[str, str] = {}
PRESENT = dict.fromkeys(("graphicx.sty", "lmodern.sty", "lmr10.pfb", "xcolor.sty"), "")
ABSENT = {"graphicx.sty": "", "nosuch-a.sty": "deb-a", "nosuch-b.sty": ""}


@pytest.fixture
def without_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(find.HIDE_SYSTEM, "1")


@pytest.fixture
def without_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cvbuild.outputs.pdf.tex.job_folder.embedded_root", lambda: None)


def fake(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def fake_tex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A "TeX Live" whose kernel is in latex.ltx beside it, and which finds graphicx.sty only."""
    fake(tmp_path, "pdflatex", "echo 'pdfTeX 3.14 (TeX Live 2021)'")
    fake(tmp_path, "kpsewhich", f"echo {tmp_path}/latex.ltx; echo {tmp_path}/graphicx.sty")
    tmp_path.joinpath("latex.ltx").write_text("\\edef\\fmtversion\n  {2024-11-01}\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(find.HIDE_SYSTEM, raising=False)
    return tmp_path


@pytest.mark.usefixtures("requires_texlive", "without_embedded")
def test_the_system_s_pdflatex_comes_second() -> None:
    engine = find_engine("auto", PRESENT)
    assert engine.label.startswith("pdflatex (system, TeX Live 20")
    assert engine.latexmk is not None


@pytest.mark.usefixtures("requires_texlive", "requires_embedded")
def test_the_embedded_engine_is_taken_so_that_a_pdf_is_the_same_everywhere() -> None:
    engine = find_engine("auto", PRESENT)
    assert engine.label.startswith("pdflatex (embedded, TeX Live 20")
    assert engine.latexmk is None


@pytest.mark.usefixtures("requires_texlive", "requires_embedded")
def test_a_named_engine_that_fails_is_never_replaced() -> None:
    with pytest.raises(NoTexError, match=r"pdflatex has no nosuch-a.sty") as caught:
        find_engine("pdflatex", ABSENT)
    assert caught.value.exit_code == 3
    with pytest.raises(NoTexError, match=r"the embedded TeX has no nosuch-a.sty"):
        find_engine("embedded", ABSENT)


@pytest.mark.usefixtures("without_system", "requires_embedded")
def test_a_system_engine_is_named_and_not_there() -> None:
    with pytest.raises(NoTexError, match=r"pdflatex is not installed; .*apt-get install texlive"):
        find_engine("pdflatex", PRESENT)


@pytest.mark.usefixtures("without_system", "without_embedded")
def test_no_tex_at_all_says_what_to_install() -> None:
    with pytest.raises(NoTexError) as caught:
        find_engine("auto", PRESENT)
    assert [problem.code for problem in caught.value.diagnostics] == ["no-engine", "no-embedded"]
    assert 'pip install "cvbuild[tex]"' in str(caught.value)
    assert "apt-get install texlive" in str(caught.value)
    with pytest.raises(NoTexError, match="the embedded TeX is not installed"):
        find_engine("embedded", PRESENT)


def test_unknown_choice() -> None:
    with pytest.raises(UsageError, match='unknown engine "tex"; one of: auto, pdflatex'):
        find_engine("tex", NOTHING)


def test_a_fake_tex_counts_if_it_has_everything(fake_tex: Path) -> None:
    engine = find_engine("pdflatex", {"graphicx.sty": ""})
    assert engine.binary == fake_tex / "pdflatex"
    assert engine.label == "pdflatex (system, TeX Live 2021)"
    assert engine.latexmk is None


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("latex.ltx", "\\edef\\fmtversion\n   {2021-11-15}", "is of 2021-11-15, older than 2022-"),
        ("latex.ltx", "\\def\\nothing{}", "is of 1994-01-01, older than"),
        ("latex.ltx", None, "can't be read"),
        ("kpsewhich", None, "kpsewhich"),
        *(
            ("pdflatex", f"#!/bin/sh\n{script}\n", "does not work")
            for script in ("exit 3", "echo broken; exit 1", "kill -9 $$", "")
        ),
    ],
)
@pytest.mark.usefixtures("without_embedded")
def test_a_tex_that_is_old_or_broken(
    fake_tex: Path, file: str, content: str | None, said: str
) -> None:
    if content is None:
        (fake_tex / file).unlink()
    else:
        (fake_tex / file).write_text(content)
    with pytest.raises(NoTexError, match=said):
        find_engine("pdflatex", NOTHING)


@pytest.mark.usefixtures("without_system")
def test_an_embedded_tree_without_a_run_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "bin" / "pdflatex"
    binary.parent.mkdir()
    binary.write_text("not a program")
    monkeypatch.setattr("cvbuild.outputs.pdf.tex.job_folder.embedded_root", lambda: tmp_path)
    monkeypatch.setattr(
        "cvbuild.outputs.pdf.tex.job_folder.embedded_program", lambda: Path("pdflatex")
    )
    with pytest.raises(NoTexError, match=r"does not run: .*; `pip install --force-reinstall"):
        find_engine("embedded", NOTHING)


@pytest.mark.usefixtures("without_system")
def test_a_machine_without_an_embedded_tex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(
        NoTexError, match=r"no program for .* on riscv64; .*apt-get install texlive"
    ):
        find_engine("embedded", NOTHING)


def test_survey_names_what_is_there_and_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [*survey(PRESENT)] == ["embedded", "pdflatex"]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("cvbuild.outputs.pdf.tex.job_folder.embedded_root", lambda: None)
    for missing in survey(PRESENT).values():
        assert not isinstance(missing, Engine)
        assert all(problem.hint for problem in missing.diagnostics)


def test_packages() -> None:
    hint = how_to_get(("enumitem.sty", "odd.sty"), {"odd.sty": "deb-odd"})
    assert "apt-get install texlive-latex-extra texlive-fonts-extra deb-odd" in hint
    assert "tlmgr install enumitem odd" in hint


@pytest.mark.parametrize("kind", ["pdflatex", "embedded"])
def test_an_engine_knows_the_files_that_make_it_another(kind: str) -> None:
    engine = engine_of(kind)
    names = [path.name for path in engine.tree]
    assert engine.tree[0] == engine.binary.resolve()
    assert (
        {"RECORD"}
        if kind == "embedded"
        else {"latex.ltx", "ls-R", f"{engine.name}.fmt"} <= {*names}
    )
    assert len(set(engine.tree)) == len(engine.tree)
    # All but the list of a tree that nobody has made are there.
    assert {path.name for path in engine.tree if not path.is_file()} <= {"ls-R"}


@pytest.mark.usefixtures("fake_tex")
def test_a_tree_that_could_be_added_is_watched_for(fake_tex: Path) -> None:
    fake(fake_tex, "kpsewhich", f"echo 'trees:!!{fake_tex}/local'; echo {fake_tex}/latex.ltx")
    engine = system_engine(NOTHING)
    assert fake_tex / "local" / "ls-R" in engine.tree


@pytest.fixture
def settled_tex(fake_tex: Path) -> Path:
    fake(fake_tex, "pdflatex", f"echo p >> {fake_tex}/asked; echo 'pdfTeX 3.14 (TeX Live 2021)'")
    list_of = fake_tex / "ls-R"
    list_of.touch()
    fake(
        fake_tex,
        "kpsewhich",
        f"echo k >> {fake_tex}/asked; echo {fake_tex}/latex.ltx; echo {list_of}",
    )
    return fake_tex


def asked(tex: Path, cache: Path) -> int:
    counted = tex / "asked"
    counted.unlink(missing_ok=True)
    engine = system_engine(NOTHING, cache)
    assert engine.binary == tex / "pdflatex"
    assert tex / "ls-R" in engine.tree
    return len(counted.read_text().split()) if counted.exists() else 0


def test_an_engine_is_kept_until_its_tree_or_the_path_changes(
    settled_tex: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    before = system_engine(NOTHING, cache)
    assert asked(settled_tex, cache) == 0
    assert system_engine(NOTHING, cache) == before, "kept otherwise than found"
    assert asked(settled_tex, tmp_path / "other") == 2
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/nowhere")
    assert asked(settled_tex, cache) == 0, "the same programs are on PATH"
    fake(tmp_path, "perl", "")
    fake(tmp_path, "latexmk", "")
    assert asked(settled_tex, cache) == 2, "latexmk came"
    assert asked(settled_tex, cache) == 0
    (settled_tex / "ls-R").write_text("new.sty\n")
    assert asked(settled_tex, cache) == 2, "a package was installed"
    assert asked(settled_tex, cache) == 0


@pytest.mark.parametrize("damage", ["cut", "flipped", "folder"])
def test_a_damaged_memory_is_asked_again(settled_tex: Path, tmp_path: Path, damage: str) -> None:
    cache = tmp_path / "cache"
    system_engine(NOTHING, cache)
    assert asked(settled_tex, cache) == 0
    (file,) = (cache / find.PROBES).iterdir()
    data = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    else:
        assert b"2021" in data
        file.write_bytes(data[:-1] if damage == "cut" else data.replace(b"2021", b"2031"))
    assert asked(settled_tex, cache) == 2
    assert asked(settled_tex, cache) == (2 if damage == "folder" else 0)
    assert [*(cache / find.PROBES).iterdir()] == [file], "something was left behind"


@pytest.fixture
def tex_wheel(tmp_path: Path) -> Path:
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


def test_the_record_names_every_file_with_its_hash(tex_wheel: Path) -> None:
    name = f"cvbuild_tex-2024.20250309-py3-none-manylinux_2_34_{platform.machine()}.whl"
    assert tex_wheel.name == name
    with zipfile.ZipFile(tex_wheel) as file:
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
    tex_wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "installed"
    with zipfile.ZipFile(tex_wheel) as file:
        file.extractall(site)
        for member in file.infolist():
            (site / member.filename).chmod(member.external_attr >> 16)
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    installed.look_again()
    root = job_folder.embedded_root()
    assert root == site / "cvbuild_tex/tree"
    settings = (root / "texmf-dist/web2c/texmf.cnf").read_text().splitlines()
    assert settings == ["TEXMFROOT = $SELFAUTOPARENT", "TEXMF = {!!$TEXMFSYSVAR,!!$TEXMFDIST}"]
    engine = find.embedded_engine({"article.cls": ""})
    assert engine.label == "pdflatex (embedded, TeX Live 2022)"
    assert site / "cvbuild_tex-2024.20250309.dist-info/RECORD" in engine.tree
    variables = job_folder.base_environment(engine.binary)
    assert variables["TEXMFCNF"] == str(root / "texmf-dist/web2c")
    installed.look_again()
