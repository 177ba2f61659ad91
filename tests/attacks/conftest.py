"""Projects to attack, and a folder of the user's that nothing may touch."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pytest
from attacks.table import SECRET, harmless
from conftest import Ran, Run
from projects import APPLICATION, COMMANDS, OLD, PERSON, WORDS, Files, Project, beside
from texlive import demand_embedded


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project/people").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    Path("people/ada.yaml").write_text(PERSON, "utf-8")
    Path("applications").mkdir()
    Path("applications/x.yaml").write_text(APPLICATION, "utf-8")
    return tmp_path / "project"


@pytest.fixture
def attack(project: Path, run: Run) -> Callable[..., Ran]:
    """Runs a command in a hostile project, of a line or of words, and fails if it does harm.

    Nothing outside of the project changes; the secret is neither printed nor in a file that the
    command wrote; and the command ends by itself, with one of the codes.
    """

    def command(line: str | Sequence[str], codes: Collection[int] = (0, 1, 2)) -> Ran:
        before = beside(project)
        done = run(*(shlex.split(line) if isinstance(line, str) else line))
        assert beside(project) == before
        assert SECRET not in done.out + done.err
        for top in ("out", "people", "applications"):
            for path in (project / top).rglob("*"):
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 30:
                    assert SECRET.encode() not in path.read_bytes(), path
        harmless(done, codes)
        return done

    return command


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of the user's that is not the project's, with things of all kinds in it."""
    made = tmp_path / "home"
    for name in ("photos", "x", "job-abcdefgh", "ada", "academic", ".new-1-1", "tmp"):
        (made / name).mkdir(parents=True)
        (made / name / "file").write_text("mine", "utf-8")
    (made / "job-abcdefgh").chmod(0o700)
    for number in range(12):
        (made / f"{number:016x}.json").write_text("mine", "utf-8")
    (made / "x.yaml").write_text(APPLICATION, "utf-8")
    for path in made.iterdir():
        os.utime(path, OLD)
    return made


@pytest.fixture(scope="session")
def right(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> dict[str, Files]:
    demand_embedded()
    found = {}
    for word in WORDS:
        project = Project(tmp_path_factory.mktemp("right") / "work", CVBUILD_CACHE=str(tex_cache))
        project.write(word)
        project.made()
        project.made(*COMMANDS["apply"])
        found[word] = project.published()
    assert found[WORDS[0]].keys() == found[WORDS[1]].keys()
    assert found[WORDS[0]] != found[WORDS[1]]
    return found


@pytest.fixture
def workspace(tmp_path: Path, tex_cache: Path) -> Project:
    return Project(tmp_path / "work", CVBUILD_CACHE=str(tex_cache))
