"""The folder of dumped heads: its size, copies of it, clocks that go backwards."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from cvbuild.common import sealed
from cvbuild.outputs.pdf.tex import memory


def fill(folder: Path, name: str, age: float, slot: str | None = None) -> None:
    """A format of 1,000 bytes that was used so many seconds ago."""
    made = folder / "made"
    made.write_bytes(bytes(1000))
    memory.put_format(folder, name, slot or name, made, [])
    then = time.time() - age
    os.utime(folder / f"{name}.json", (then, then))


def test_the_limit_takes_what_was_used_least(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, age in (("a", 4000), ("b", 2000), ("c", 3000), ("d", 10), ("e", 0)):
        fill(tmp_path, name, age)
    tmp_path.joinpath("left.new").write_text("")
    tmp_path.joinpath("new-0-killed/inner").mkdir(parents=True)
    for name in ("left.new", "new-0-killed"):
        os.utime(tmp_path / name, (1, 1))
    # Less than two formats with their JSON.
    monkeypatch.setattr(memory, "LIMIT", 2200)
    assert memory.find_format(tmp_path, "c"), "using it makes it young"
    memory.tidy_formats(tmp_path, "e", "e")
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {"c", "d", "e"}, "what may be in use stays, whatever the limit"


def test_what_is_replaced_goes_at_once_and_others_stay(tmp_path: Path) -> None:
    for name, age, slot in (("a", 4000, "a"), ("b", 0, "same"), ("c", 0, "same")):
        fill(tmp_path, name, age, slot)
    memory.tidy_formats(tmp_path, "c", "same")
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "c"}


def test_a_copied_cache_is_read_once(tmp_path: Path) -> None:
    """Other times and inodes, the same bytes: the stamps are taken anew."""
    fill(tmp_path, "a", 0)
    shutil.copytree(tmp_path, tmp_path / "copy")
    before = sealed.load(tmp_path / "copy" / "a.json")["files"]["a.fmt"]
    assert memory.find_format(tmp_path / "copy", "a")
    after = sealed.load(tmp_path / "copy" / "a.json")["files"]["a.fmt"]
    assert before[0] == after[0]
    assert before[2:] != after[2:]
    (tmp_path / "copy" / "a.fmt").write_bytes(b"x" * 1000)
    assert memory.find_format(tmp_path / "copy", "a") is None


def test_a_clock_that_goes_backwards(tmp_path: Path) -> None:
    """A file from the future may change without getting another time: its hash tells."""
    read = tmp_path / "read.sty"
    read.write_text("one")
    then = read.stat().st_mtime + 1000
    os.utime(read, (then, then))
    (tmp_path / "made").write_bytes(b"x")
    memory.put_format(tmp_path, "a", "a", tmp_path / "made", [read])
    assert sealed.load(tmp_path / "a.json")["files"][str(read)][1] == 0, "its stamp is trusted"
    assert memory.find_format(tmp_path, "a")
    read.write_text("two")
    os.utime(read, (then, then))
    assert memory.find_format(tmp_path, "a") is None
