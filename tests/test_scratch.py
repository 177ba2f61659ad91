"""Folders that one build has for itself."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cvbuild.common.files import work_folders

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders are locked on POSIX")


def left_behind(parent: Path, name: str = "job-abcdefgh") -> Path:
    """A folder as a build that was killed leaves it."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    (folder / ".cvbuild-job").mkdir()
    (folder / "cv.tex").touch()
    return folder


def test_what_is_in_use_or_new_is_not_swept(tmp_path: Path) -> None:
    parent = tmp_path.joinpath(*work_folders.PLACE)
    with work_folders.folder(parent) as used:
        left, new = left_behind(parent), left_behind(parent, "job-12345678")
        empty = parent / "job-87654321"
        empty.mkdir(mode=0o700)
        (file := parent / "job-fileeeee").touch()
        (parent / "job-linkkkkk").symlink_to(new)
        for path in (used.parent, left, file, empty):
            os.utime(path, (0, 0))
        work_folders.sweep(tmp_path, time.time() - work_folders.OLD)
        assert sorted(path.name for path in parent.iterdir()) == sorted(
            [used.parent.name, new.name, "job-fileeeee", "job-linkkkkk"]
        )
        assert (new / "cv.tex").is_file()
    assert not used.exists()
    work_folders.sweep(tmp_path / "none", time.time())


@pytest.mark.parametrize("how", ["name", "mode", "mark", "mark is a file", "mark is a link"])
def test_what_may_be_somebody_else_s_is_not_swept(how: str, tmp_path: Path) -> None:
    parent = tmp_path.joinpath(*work_folders.PLACE)
    parent.mkdir(parents=True)
    folder = left_behind(parent, "photos" if how == "name" else "job-abcdefgh")
    mark = folder / ".cvbuild-job"
    if how == "mode":
        folder.chmod(0o755)
    if how.startswith("mark"):
        mark.rmdir()
    if how == "mark is a file":
        mark.touch()
    if how == "mark is a link":
        mark.symlink_to(tmp_path)
    os.utime(folder, (0, 0))
    work_folders.sweep(tmp_path, time.time() - work_folders.OLD)
    assert (folder / "cv.tex").is_file()
