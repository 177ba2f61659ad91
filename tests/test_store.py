"""What is kept between builds, and the folders that one build has for itself."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from cvbuild.common import file_state, safe_folders, user_cache
from cvbuild.common.user_cache import Store


def fill(kept: Store, name: str, age: float = 0, own: str = "") -> None:
    """An entry with a file of 1,000 bytes that was written so many seconds ago."""
    kept.put(name, "answer", own=dict.fromkeys([own or f"{name}.tfm"], bytes(1000)))
    then = time.time() - age
    for file in (f"{name}.json", own or f"{name}.tfm"):
        os.utime(kept.folder / file, (then, then))


def test_beyond_the_limit_only_what_is_in_use_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    for name, age in (("a", 4000), ("b", 2000), ("c", 3000), ("d", 10)):
        fill(kept, name, age)
    (tmp_path / "0.lock").write_text("")
    (tmp_path / "left.new").write_text("")
    (tmp_path / "new-0-killed/inner").mkdir(parents=True)
    for name in ("0.lock", "left.new", "new-0-killed"):
        os.utime(tmp_path / name, (1, 1))
    assert kept.get("c") == "answer", "using it makes it young"
    fill(kept, "e")
    assert {path.stem for path in tmp_path.iterdir()} > {"a", "b", "left", "new-0-killed"}
    monkeypatch.setattr(user_cache, "LIMIT", 2200)
    fill(kept, "e")
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {"0", "c", "d", "e"}, "what may be in use stays, whatever the limit"


def test_a_file_of_two_entries_goes_with_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    fill(kept, "a", 4000, "font.pfb")
    fill(kept, "b", 0, "font.pfb")
    monkeypatch.setattr(user_cache, "LIMIT", 1)
    fill(kept, "c")
    assert {path.name for path in tmp_path.iterdir()} == {"b.json", "font.pfb", "c.json", "c.tfm"}
    assert kept.get("b") == "answer"


def test_a_clock_that_goes_backwards(tmp_path: Path) -> None:
    """A file from the future may change without getting another time: its hash tells."""
    read, kept = tmp_path / "read.sty", Store(tmp_path)
    read.write_text("one")
    then = read.stat().st_mtime + 1000
    os.utime(read, (then, then))
    kept.put("a", "answer", files=[read])
    assert user_cache.load(tmp_path / "a.json")["files"][str(read)][1] == 0, "its stamp is trusted"
    assert kept.get("a") == "answer"
    read.write_text("two")
    os.utime(read, (then, then))
    assert kept.get("a") is None


def test_another_file_of_the_same_time_and_size_has_another_stamp(tmp_path: Path) -> None:
    path, beside = tmp_path / "file", tmp_path / "beside"
    path.write_bytes(b"one")
    first = file_state.of(path)
    assert first is not None
    beside.write_bytes(b"two")
    os.utime(beside, ns=(first[0], first[0]))
    beside.replace(path)
    second = file_state.of(path)
    assert second is not None
    assert (second[0], second[2]) == (first[0], first[2])
    assert second != first


def test_what_a_killed_build_left_goes_a_day_later(tmp_path: Path) -> None:
    parent = tmp_path.joinpath(*safe_folders.PLACE)
    names = ("cvbuild-01234567", "cvbuild-89abcdef", "cvbuild-mine", "photos")
    for name in names:
        (parent / name / "run").mkdir(parents=True)
    (parent / "cvbuild-76543210").symlink_to(parent / "photos")
    for name in (*names[1:], "cvbuild-76543210"):
        os.utime(parent / name / "run", (0, 0))
    with safe_folders.folder(parent) as used:
        safe_folders.sweep(parent, time.time() - 86_400)
        left = {path.name for path in parent.iterdir()}
        assert left == {"cvbuild-01234567", "cvbuild-mine", "photos", used.parent.name}
    assert (parent / "photos" / "run").is_dir()
    safe_folders.sweep(tmp_path / "none", time.time())


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, ".cache/cvbuild"),
        ("linux", {"XDG_CACHE_HOME": "HOME/xdg"}, "xdg/cvbuild"),
        ("linux", {"XDG_CACHE_HOME": "HOME/xdg", "CVBUILD_CACHE": "HOME/named"}, "named"),
        # A relative one would lie in the project.
        ("linux", {"XDG_CACHE_HOME": "xdg"}, ".cache/cvbuild"),
        ("darwin", {"XDG_CACHE_HOME": "/nowhere"}, "Library/Caches/cvbuild"),
        ("win32", {}, "AppData/Local/cvbuild"),
    ],
)
def test_each_system_has_its_place(
    platform: str,
    variables: dict[str, str],
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (user_cache.VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **variables}.items():
        monkeypatch.setenv(name, value.replace("HOME", str(tmp_path)))
    monkeypatch.setattr(sys, "platform", platform)
    assert user_cache.resolved() == tmp_path / place
    assert os.name == "nt" or stat.S_IMODE((tmp_path / place).stat().st_mode) == 0o700
    assert user_cache.note(user_cache.resolved()) is None
