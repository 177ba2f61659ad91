"""Folders that one build has for itself."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from cvbuild.common import processes, work_folders

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders are locked on POSIX")


def test_one_build_at_a_time_is_alone(tmp_path: Path) -> None:
    inside = 0
    most = 0
    folder = tmp_path / "new" / "one"

    def work() -> None:
        nonlocal inside, most
        with work_folders.alone(folder):
            inside += 1
            most = max(most, inside)
            time.sleep(0.02)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert (inside, most) == (0, 1)
    assert list(folder.iterdir()) == [], "a lock leaves no file"


def test_who_waits_stops_when_all_stops(tmp_path: Path) -> None:
    stopped = []

    def work() -> None:
        try:
            with work_folders.alone(tmp_path):
                pass
        except KeyboardInterrupt:
            stopped.append(True)

    with work_folders.alone(tmp_path):
        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.1)
        assert thread.is_alive()
        processes.stop_all()
        thread.join(timeout=20)
    assert stopped == [True]


def test_what_is_in_use_or_new_is_not_swept(tmp_path: Path) -> None:
    with work_folders.folder(tmp_path) as used:
        left, new, file = tmp_path / "left", tmp_path / "new", tmp_path / "file"
        for folder in (left, new):
            folder.mkdir()
            (folder / "cv.tex").touch()
        file.touch()
        (tmp_path / "link").symlink_to(new)
        for path in (used, left, file):
            os.utime(path, (0, 0))
        work_folders.sweep(tmp_path, time.time() - work_folders.OLD)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [used.name, "new", "file", "link"]
        )
        assert (new / "cv.tex").is_file()
    assert not used.exists()
    work_folders.sweep(tmp_path / "none", time.time())
