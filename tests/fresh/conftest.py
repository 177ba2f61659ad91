"""One built workspace for all tests here, which is as it was before each of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fresh.asking import ADA, PERSON
from PIL import Image
from texlive import demand_embedded

from cvbuild.building import fresh
from cvbuild.cli.main import main
from cvbuild.common.files import file_state
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.styles import templates


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Path:
    """A workspace with templates of its own, and one document that is up to date."""
    demand_embedded()
    home = tmp_path_factory.mktemp("fresh") / "work"
    (home / "people").mkdir(parents=True)
    shutil.copytree(builtin_folder(), home / "templates")
    (home / PERSON).write_text(ADA, "utf-8")
    Image.new("RGB", (4, 4), "red").save(home / "people/ada.png")
    environment = {**os.environ, "CVBUILD_CACHE": str(tex_cache)}
    # Its own copies are the built-in templates here, as in a checkout: tests may change them.
    code = (
        "from pathlib import Path; from cvbuild.outputs.styles import templates;"
        "from cvbuild.building import fresh; from cvbuild.common.files import file_state;"
        "templates.builtin_folder = lambda: Path('templates').resolve();"
        "fresh.builtin_folder = templates.builtin_folder; file_state.TICK = 0;"
        "from cvbuild.cli.main import main; exit(main(['build', '--engine', 'embedded']))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=home, env=environment, check=True, timeout=120)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """That workspace, which has its old content again after the test: paths count."""
    kept = tmp_path / "kept"
    shutil.copytree(built, kept)
    monkeypatch.chdir(built)
    monkeypatch.setattr(templates, "builtin_folder", (built / "templates").resolve)
    monkeypatch.setattr(fresh, "builtin_folder", (built / "templates").resolve)
    # What was written just now counts as sure: tests don't wait.
    monkeypatch.setattr(file_state, "TICK", 0)
    # Its files are new ones after the last test, with the same content.
    assert main(["-C", str(built), "build", "--engine", "embedded", "--quiet"]) == 0
    yield built
    for entry in list(built.iterdir()):
        shutil.rmtree(entry)
    shutil.copytree(kept, built, dirs_exist_ok=True)
