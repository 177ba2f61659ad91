"""A copy of what a checkout has to install, and programs that run in it or beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FILES = (
    "pyproject.toml", "README.md", "LICENSE", "Makefile", ".gitignore", ".pre-commit-hooks.yaml",
    "action.yml", "copier.yml", "requirements.lock", "tools/artifact.py",
)  # fmt: skip
#: Bytecode is copied: else each program that runs there compiles what it imports.
_LEFT_OUT = shutil.ignore_patterns("node_modules")
_FOLDERS = ("cvbuild", "templates", "workspace-template", "docs")


def run(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", **(env or {})},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def copy(to: Path) -> Path:
    to.mkdir(exist_ok=True)
    for name in _FILES:
        (to / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, to / name)
    for name in _FOLDERS:
        left_out = shutil.ignore_patterns("*.png") if name == "docs" else _LEFT_OUT
        shutil.copytree(ROOT / name, to / name, ignore=left_out)
    return to


def environment(home: Path, *, with_pip: bool = False) -> Path:
    """Make an environment with the dependencies of this one, but without cvbuild; return it.

    So nothing is fetched: there may be no network.
    """
    venv.create(home, with_pip=with_pip, symlinks=os.name != "nt")
    # After its own packages; an editable cvbuild is found by a file that isn't read there.
    (packages(home) / "later.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return home


def packages(home: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(home)}))


def install(wheel: Path, home: Path) -> None:
    quiet = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    done = run(*quiet, "--no-deps", "--no-index", "--target", packages(home), wheel, cwd=home)
    assert done.returncode == 0, done.stderr
