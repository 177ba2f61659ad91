"""A link in the output folder, or in applications/, has nothing deleted or written elsewhere."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import deep
import pytest
from clones import APPLY, BUILD, LINKS, state
from conftest import Run
from texlive import demand_embedded

import cvbuild
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files, safe_folders

ATTACKS = "Links in the output folder"
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
    pytest.mark.usefixtures("project"),
]


@pytest.mark.parametrize("name", deep.but([name for name in LINKS if name != "gallery"], LINKS))
def test_a_link_is_refused(name: str, home: Path, run: Run) -> None:
    demand_embedded()
    place, command = LINKS[name]
    link = Path(place)
    if link.is_dir():
        shutil.rmtree(link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(home)
    before = state(home)
    done = run(*command)
    assert state(home) == before
    assert link.is_symlink()
    assert done.code == 1, done
    assert "Traceback" not in done.err
    said = [line for line in done.err.splitlines() if "symbolic link" in line]
    # A gallery tells of some of its documents, and in the end.
    assert len(said) == 1 or command[0] == "gallery", done.err
    assert said[0].strip().startswith(f"{place}: it is a symbolic link to {home}; remove it")
    assert place != "out" or "name the folder itself with -o" in done.err


@pytest.mark.parametrize("target", ["../../../home", "../../../none"])
def test_a_relative_link_and_one_to_nothing(target: str, home: Path, run: Run) -> None:
    Path("out/.build").mkdir(parents=True)
    Path("out/.build/tmp").symlink_to(target)
    before = state(home)
    assert run(*BUILD).code == 1
    with pytest.raises(CvbuildError, match="symbolic link"):
        cvbuild.build(engine="embedded")
    assert state(home) == before
    assert not (home.parent / "none").exists()


def test_what_one_names_may_be_a_link(tmp_path: Path, run: Run) -> None:
    demand_embedded()
    (tmp_path / "elsewhere").mkdir()
    Path("mine").symlink_to(tmp_path / "elsewhere")
    assert run(*BUILD, "-o", "mine").code == 0
    assert (tmp_path / "elsewhere/ada/academic.pdf").is_file()
    assert run(*BUILD, "-o", "mine").code == 0
    shutil.rmtree("mine/.build/tmp")
    Path("mine/.build/tmp").symlink_to(tmp_path)
    done = run(*BUILD, "-o", "mine", "--force")
    assert done.code == 1
    assert "mine/.build/tmp: it is a symbolic link" in done.err


#: Files that a command writes beside and renames: a link of that name is not written through.
BESIDE = [
    *(
        (f"out/.build/ada/academic/{name}", BUILD)
        for name in (
            "record.new", "start.json.new", "cv.log.new", "cv.log", "cv.tex", "cv.pdf",
            "record.json",
        )
    ),
    ("out/ada/academic.pdf", BUILD),
]  # fmt: skip


@pytest.mark.parametrize(("place", "command"), BESIDE)
def test_a_file_is_not_written_through_a_link(
    place: str, command: tuple[str, ...], tmp_path: Path, run: Run
) -> None:
    demand_embedded()
    target = tmp_path / "target"
    target.write_text("mine", encoding="utf-8")
    Path(place).parent.mkdir(parents=True)
    Path(place).symlink_to(target)
    assert run(*command).code == 0
    assert target.read_text(encoding="utf-8") == "mine"
    assert command == APPLY or Path("out/ada/academic.pdf").read_bytes().startswith(b"%PDF")


def test_a_file_is_replaced_whole_or_stays(project: Path) -> None:
    own = project / "own"
    (own / "folder").mkdir(parents=True)
    safe_files.replace(own / "file", b"zero")
    with safe_folders.opened(own) as folder:
        folder.write("file", b"one")
        folder.write("file", b"two", "other.new")
        assert folder.read("file", 3) == b"two"
        with pytest.raises(OSError, match="folder"):
            folder.write("folder", b"x")
    assert sorted(path.name for path in own.iterdir()) == ["file", "folder"]
