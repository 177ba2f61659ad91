"""pdfTeX for the embedded TeX on ARM: from packages made here, by a client that is faked."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cvbuild.common.errors import CvbuildError, NoTexError
from cvbuild.outputs.pdf.tex import embedded, find, job_folder
from cvbuild.outputs.pdf.tex.job_folder import Needs

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
PROGRAM = "#!/bin/sh\necho 'pdfTeX 3.141592653-2.6-{} (TeX Live 2024/Debian)'\n"
CLIENT = """#!/bin/sh
echo "$@" >> {log}
case "$*" in {refused}) echo "E: {error}"; exit 100;; esac
case "$*" in *download*) cp {packages}/*.deb .;; esac
"""
Client = Callable[..., list[str]]


def package(folder: Path, name: str, *files: tuple[str, str]) -> None:
    """Build a package with these files: path and text, or the path that a link leads to."""
    tree = folder / name
    for path, text in ((f"usr/share/doc/{name}/copyright", "A licence.\n"), *files):
        place = tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            place.symlink_to(text.removeprefix("-> "))
        else:
            place.write_text(text)
            place.chmod(0o755)
    (tree / "DEBIAN").mkdir()
    facts = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example.org>\n"
    (tree / "DEBIAN/control").write_text(f"{facts}Description: none\n")
    subprocess.run(["dpkg-deb", "--build", tree, folder / f"{name}.deb"], check=True)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The extra's tree as it is on ARM: without a program."""
    root = tmp_path / "TinyTeX"
    (root / "bin").mkdir(parents=True)
    for name in ("texmf-dist", "texmf-var"):
        (root / name).mkdir()
        (root / name / "ls-R").write_text("./:\narticle.cls\n")
    monkeypatch.setattr(embedded, "root", lambda: root)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    find.look_again()
    return root


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Make an apt-get that has the packages; the lines with which it was called."""
    programs = tmp_path / "programs"
    programs.mkdir()
    path = f"{programs}{os.pathsep}{os.defpath}"
    monkeypatch.setattr(os, "defpath", path)
    monkeypatch.setenv("PATH", path)

    def make(version: str = "1.40.26", refused: str = "nothing", error: str = "no") -> list[str]:
        packages = tmp_path / f"packages-{version}"
        if not packages.exists():
            packages.mkdir()
            folder = "usr/lib/aarch64-linux-gnu"
            package(packages, "texlive-binaries", ("usr/bin/pdftex", PROGRAM.format(version)))
            library = (f"{folder}/libkpathsea.so.6.4.0", "a library")
            link = (f"{folder}/libkpathsea.so.6", "-> libkpathsea.so.6.4.0")
            package(packages, "libkpathsea6", library, link)
        log = tmp_path / "log"
        log.write_text("")
        script = CLIENT.format(log=log, refused=refused, error=error, packages=packages)
        (programs / "apt-get").write_text(script)
        (programs / "apt-get").chmod(0o755)
        return log.read_text().splitlines()

    return make


def calls(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text().splitlines()


def test_it_is_put_beside_the_tree_and_found_there(
    tmp_path: Path, tree: Path, client: Client
) -> None:
    client()
    (problem,) = find.probe_embedded(Needs()).problems
    assert "`cvbuild doctor --install-tex` (Debian 13, Ubuntu 24.10), or" in str(problem.hint)
    find.look_again()
    program = embedded.install_program()
    folder = tree / "bin" / "debian-aarch64"
    assert program == folder / "pdflatex"
    assert sorted(path.name for path in folder.iterdir()) == [
        "lib", "libkpathsea6.copyright", "pdflatex", "texlive-binaries.copyright"
    ]  # fmt: skip
    library = folder / "lib" / "libkpathsea.so.6"
    assert (library.read_text(), library.is_symlink()) == ("a library", False)
    assert [path.name for path in (tree / "bin").iterdir()] == [folder.name]
    engine = find.probe_embedded(Needs(("article.cls",))).engine
    assert engine is not None
    assert engine.label == "pdflatex (embedded, TeX Live 2024)"
    found = job_folder.base_environment(engine.binary)
    assert found["TEXMFCNF"] == str(tree / "texmf-dist/web2c")
    assert found["LD_LIBRARY_PATH"] == str(folder / "lib")
    assert calls(tmp_path) == ["-q download texlive-binaries libkpathsea6 libpng16-16t64"]
    assert embedded.install_program() == program
    assert len(calls(tmp_path)) == 1, "it was fetched again"


def test_no_other_program_gets_its_variables(tmp_path: Path) -> None:
    for folder in ("x86_64-linux", "aarch64-linux", "bin"):
        assert embedded.environment(tmp_path / "bin" / folder / "pdflatex") == {}
    assert embedded.environment(None) == {}


@pytest.mark.usefixtures("tree")
def test_where_the_system_has_no_lists_they_are_fetched_for_this_time(
    tmp_path: Path, client: Client
) -> None:
    # Only the first call names no folder for its state.
    client(refused='"-q download "*64', error="Unable to locate package texlive-binaries")
    embedded.install_program()
    first, update, second = calls(tmp_path)
    assert first.endswith("libpng16-16t64")
    assert update.endswith("update")
    assert "Dir::State=" in update
    assert "Dir::State=" in second


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"version": "1.40.24"}, "this system's packages have another pdfTeX than 1.40.26"),
        (
            {"refused": "*", "error": "Could not resolve 'mirror.example.org'"},
            "apt-get: Could not resolve 'mirror.example.org'",
        ),
    ],
)
def test_what_fails_is_one_sentence_and_leaves_nothing(
    settings: dict[str, str], message: str, tree: Path, client: Client
) -> None:
    client(**settings)
    with pytest.raises(NoTexError) as caught:
        embedded.install_program()
    said = f"the embedded TeX can't be used: {message}; `make texlive`, or `apt-get install tex"
    assert str(caught.value).startswith(said)
    assert list((tree / "bin").iterdir()) == []


def test_a_tree_that_cannot_be_written(tree: Path, client: Client) -> None:
    client()
    (tree / "bin").rmdir()
    (tree / "bin").write_text("no folder")
    with pytest.raises(CvbuildError, match="pdfTeX can't be put beside the embedded TeX"):
        embedded.install_program()


@pytest.mark.usefixtures("tree")
def test_systems_without_debian_s_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoTexError, match="on ARM it needs apt-get and dpkg-deb, of Debian 13"):
        embedded.install_program()
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(NoTexError, match=r"there is no embedded TeX for .* on riscv64"):
        embedded.install_program()
    (tmp_path / "apk").write_text("#!/bin/sh\n")
    (tmp_path / "apk").chmod(0o755)
    assert embedded.how_to_get_texlive().startswith("`apk add texlive-full`: ")
