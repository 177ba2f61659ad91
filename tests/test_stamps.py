"""A file's stamp."""

from __future__ import annotations

import os
from pathlib import Path

from cvbuild.common.files import file_state


def test_a_stamp_changes_with_every_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert file_state.of(path) is None
    path.write_bytes(b"one")
    first = file_state.of(path)
    assert first == file_state.of(str(path))
    assert first is not None
    assert first[2] == 3
    # Another file of the same time and size in its place.
    beside = tmp_path / "beside"
    beside.write_bytes(b"two")
    os.utime(beside, ns=(first[0], first[0]))
    beside.replace(path)
    second = file_state.of(path)
    assert second is not None
    assert (second[0], second[2]) == (first[0], first[2])
    assert second != first


def test_no_name_is_a_fault() -> None:
    assert file_state.of("a\0b") is None
    assert file_state.of("x" * 5000) is None


def test_a_digest_is_of_paths_and_stamps(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    gone = file_state.digest([one, two])
    one.write_bytes(b"")
    there = file_state.digest([one, two])
    assert len({gone, there, file_state.digest([two, one]), file_state.digest([one])}) == 4
    assert there == file_state.digest([one, two])
