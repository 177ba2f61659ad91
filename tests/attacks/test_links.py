"""A link in the output folder, or in applications/, has nothing deleted or written elsewhere."""

from __future__ import annotations

import inspect
import os
import shutil
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from clones import APPLY, BUILD, LINKS, OLD, state
from conftest import Run
from texlive import demand_embedded

import cvbuild
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files, safe_folders

#: The class of these attacks in docs/explanation/security.md.
ATTACKS = "Links in the output folder"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


@pytest.mark.parametrize(("place", "command"), LINKS.values(), ids=LINKS)
@pytest.mark.usefixtures("project")
def test_a_link_is_refused(place: str, command: tuple[str, ...], home: Path, run: Run) -> None:
    demand_embedded()
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
    assert len(said) == 1, done.err
    assert said[0].strip().startswith(f"{place}: it is a symbolic link to {home}; remove it")


@pytest.mark.usefixtures("project")
def test_a_relative_link_that_leads_out_of_the_project(home: Path, run: Run) -> None:
    Path("out/.build").mkdir(parents=True)
    Path("out/.build/tmp").symlink_to("../../../home")
    before = state(home)
    assert run(*BUILD).code == 1
    assert state(home) == before


@pytest.mark.usefixtures("project")
def test_a_link_to_nothing(tmp_path: Path, run: Run) -> None:
    Path("out/.build").mkdir(parents=True)
    Path("out/.build/tmp").symlink_to(tmp_path / "none")
    assert run(*BUILD).code == 1
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("project")
def test_the_same_from_python(home: Path) -> None:
    Path("out/.build").mkdir(parents=True)
    Path("out/.build/tmp").symlink_to(home)
    before = state(home)
    with pytest.raises(CvbuildError, match="symbolic link"):
        cvbuild.build(engine="embedded")
    assert state(home) == before


@pytest.mark.usefixtures("project")
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


@pytest.mark.usefixtures("project")
def test_the_hint_for_the_output_folder_names_the_option(home: Path, run: Run) -> None:
    Path("out").symlink_to(home)
    assert "name the folder itself with -o" in run(*BUILD).err


#: Files that a build writes beside and renames: a link of that name is not written through.
BESIDE = [
    "out/.build/ada/academic/record.new",
    "out/.build/ada/academic/start.json.new",
    "out/.build/ada/academic/cv.log.new",
    "out/.build/ada/academic/cv.log",
    "out/.build/ada/academic/cv.tex",
    "out/.build/ada/academic/cv.pdf",
    "out/.build/ada/academic/record.json",
    "out/ada/academic.pdf",
]


@pytest.mark.parametrize("place", BESIDE)
@pytest.mark.usefixtures("project")
def test_a_file_is_not_written_through_a_link(place: str, tmp_path: Path, run: Run) -> None:
    demand_embedded()
    target = tmp_path / "target"
    target.write_text("mine", encoding="utf-8")
    Path(place).parent.mkdir(parents=True)
    Path(place).symlink_to(target)
    assert run(*BUILD).code == 0
    assert target.read_text(encoding="utf-8") == "mine"
    assert Path("out/ada/academic.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("place", ["packet.json.new", "packet.json"])
@pytest.mark.usefixtures("project")
def test_a_packet_s_memory_is_not_written_through_a_link(
    place: str, tmp_path: Path, run: Run
) -> None:
    demand_embedded()
    target = tmp_path / "target"
    target.write_text("mine", encoding="utf-8")
    folder = Path("out/.build/applications/x")
    folder.mkdir(parents=True)
    (folder / place).symlink_to(target)
    assert run(*APPLY).code == 0
    assert target.read_text(encoding="utf-8") == "mine"


def test_the_index_deletes_its_own_files_alone(project: Path, run: Run) -> None:
    demand_embedded()
    index = project / "out/.build/index"
    index.mkdir(parents=True)
    for number in range(12):
        (index / f"{number:016x}.json").touch()
        (index / f"mine-{number}").touch()
        os.utime(index / f"mine-{number}", OLD)
    (index / f"{12:016x}.json.77.new").touch()
    assert run(*BUILD).code == 0
    names = [path.name for path in index.iterdir()]
    assert len([name for name in names if name.startswith("mine-")]) == 12
    assert len(names) == 12 + 8


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path, home: Path) -> None:
    (tmp_path / "parent").mkdir()
    (tmp_path / "parent/link").symlink_to(home)
    (tmp_path / "parent/folder").mkdir()
    (tmp_path / "parent/folder/link").symlink_to(home)
    before = state(home)
    with safe_folders.opened(tmp_path, "parent") as folder:
        for name in ("link", "folder", "none"):
            folder.remove(name)
    assert list((tmp_path / "parent").iterdir()) == []
    assert state(home) == before


@pytest.mark.parametrize("level", [0, 1, 2])
def test_no_level_of_an_opened_folder_is_a_link(level: int, tmp_path: Path) -> None:
    names = ("a", "b", "c")
    (tmp_path / "real/a/b/c").mkdir(parents=True)
    place = tmp_path.joinpath("root", *names[:level])
    place.mkdir(parents=True)
    (place / names[level]).symlink_to(tmp_path.joinpath("real", *names[: level + 1]))
    with pytest.raises(CvbuildError) as caught, safe_folders.opened(tmp_path / "root", *names):
        pass
    assert caught.value.diagnostics[0].code == "link"


def test_a_file_is_replaced_whole_or_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    safe_files.replace(tmp_path / "file", b"zero")
    with safe_folders.opened(tmp_path) as folder:
        folder.write("file", b"one")
        folder.write("file", b"two", "other.new")
        assert folder.read("file", 3) == b"two"
        with pytest.raises(OSError, match="folder"):
            folder.write("folder", b"x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_an_interruption_is_never_lost(tmp_path: Path) -> None:
    """At each instruction of opening a folder, as by a signal: no other error takes its place."""
    (tmp_path / "a").mkdir()
    code = inspect.unwrap(safe_folders.opened).__code__

    def interrupted_at(number: int) -> bool:
        count = 0

        def trace(frame: FrameType, event: str, _: object) -> Any:
            nonlocal count
            if frame.f_code is not code:
                return None
            frame.f_trace_opcodes = True
            count += event == "opcode"
            if event == "opcode" and count == number:
                raise KeyboardInterrupt
            return trace

        sys.settrace(trace)
        try:
            with safe_folders.opened(tmp_path / "a"):
                pass
        except KeyboardInterrupt:
            return True
        finally:
            sys.settrace(None)
        return False

    number = 1
    while interrupted_at(number):
        number += 1
    assert number > 50
