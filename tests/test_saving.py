"""What people write is saved as it was written, and never over what nobody has seen."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cvbuild.common import safe_folders
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import saving
from cvbuild.inputs.saving import ConflictError, FileState

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people").mkdir()
    return Path("people/ada.yaml")


def opened(path: Path) -> FileState:
    state = saving.read(path)
    assert state.fault is None
    return state


def saved(path: Path, before: bytes, text: str) -> bytes:
    path.write_bytes(before)
    version = saving.save(path, text, opened(path).version)
    assert version == opened(path).version
    return path.read_bytes()


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"a: 1\n", "a: 2\n", b"a: 2\n"),
        (b"a: 1\r\nb: 2\r\n", "a: 1\nb: 3\nc: 4\n", b"a: 1\r\nb: 3\r\nc: 4\r\n"),
        (b"a: 1\rb: 2", "a: 1\nb: 3", b"a: 1\rb: 3"),
        (MARK + b"a: 1\r\n", "a: 2\n", MARK + b"a: 2\r\n"),
        # Of mixed line ends the most frequent holds for all.
        (b"a: 1\r\nb: 2\nc: 3\r\n", "a: 1\nb: 9\nc: 3\n", b"a: 1\r\nb: 9\r\nc: 3\r\n"),
        (b"a: 1\nb: 2\r\nc: 3", "", b""),
        ("a: né 漢\n".encode(), "a: né 漢字 😀\n", "a: né 漢字 😀\n".encode()),
    ],
)
def test_marks_and_line_ends_stay(path: Path, before: bytes, text: str, after: bytes) -> None:
    assert saved(path, before, text) == after
    assert "\r" not in (opened(path).text or "")


def test_what_is_unchanged_is_not_written(path: Path) -> None:
    for data in (b"a: 1\r\nb: 2\nc: 3\r", MARK + b"a: 1\n", b"", b"\n\r\n\r"):
        path.write_bytes(data)
        stamp = path.stat().st_mtime_ns
        state = opened(path)
        assert saving.save(path, state.text or "", state.version) == state.version
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (data, stamp)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_stay_and_links_inside_are_followed(path: Path) -> None:
    path.write_text("a: 1\n")
    path.chmod(0o640)
    assert saved(path, b"a: 1\n", "a: 2\n") == b"a: 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = Path("people/bob.yaml")
    link.symlink_to("ada.yaml")
    saving.save(link, "a: 3\n", opened(link).version)
    assert link.is_symlink()
    assert path.read_text() == "a: 3\n"
    assert sorted(one.name for one in Path("people").iterdir()) == ["ada.yaml", "bob.yaml"]


def test_a_link_out_of_the_workspace_is_not_followed(path: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yaml"
    outside.write_text("secret: 1\n")
    path.symlink_to(outside)
    state = saving.read(path)
    assert state.text is None
    assert state.fault
    assert "outside" in state.fault.message
    for seen in (state.version, None):
        with pytest.raises((ConflictError, CvbuildError)):
            saving.save(path, "a: 1\n", seen)
    assert outside.read_text() == "secret: 1\n"
    # A folder that is a link, and a file that somebody puts there meanwhile.
    elsewhere = tmp_path.parent / f"{tmp_path.name}-folder"
    elsewhere.mkdir()
    Path("others").symlink_to(elsewhere)
    with pytest.raises(CvbuildError):
        saving.save(Path("others/ada.yaml"), "a: 1\n", None)
    assert not any(elsewhere.iterdir())


@pytest.mark.usefixtures("path")
def test_a_file_elsewhere_that_was_named_is_saved_there(tmp_path: Path) -> None:
    named = tmp_path.parent / f"{tmp_path.name}-named.yaml"
    named.write_bytes(b"a: 1\r\n")
    saving.save(named, "a: 2\n", opened(named).version)
    assert named.read_bytes() == b"a: 2\r\n"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("name: Zo\xeb\n".encode("latin-1"), "yaml-encoding"),
        ("name: Zoë\n".encode("utf-16"), "yaml-encoding"),
        (b"x" * ((1 << 20) + 1), "yaml-too-large"),
    ],
)
def test_what_cannot_be_edited_is_told_and_stays(path: Path, data: bytes, code: str) -> None:
    path.write_bytes(data)
    state = saving.read(path)
    assert state.fault
    assert (state.text, state.fault.code) == (None, code)
    with pytest.raises((ConflictError, CvbuildError)):
        saving.save(path, "a: 1\n", "seen")
    assert path.read_bytes() == data


def test_what_could_not_be_opened_again_is_not_saved(path: Path) -> None:
    path.write_text("a: 1\r\n", newline="")
    seen = opened(path).version
    with pytest.raises(CvbuildError, match="more than"):
        saving.save(path, "a\n" * 400_000, seen)
    assert path.read_bytes() == b"a: 1\r\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no locks")
def test_a_folder_that_another_program_has_locked_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("a: 1\n")
    monkeypatch.setattr(saving, "_PATIENCE", 0.1)
    locked = os.open("people", os.O_RDONLY)
    try:
        assert safe_folders.take(locked)
        with pytest.raises(CvbuildError, match="locked"):
            saving.save(path, "a: 2\n", opened(path).version)
    finally:
        os.close(locked)
    assert path.read_text() == "a: 1\n"
    saving.save(path, "a: 2\n", opened(path).version)


def test_what_is_saved_just_before_the_renaming_is_not_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program saves when the temporary file is there, and its bytes are on the disk."""
    path.write_text("a: 1\n")
    seen = opened(path).version
    synced = os.fsync

    def late(handle: int) -> None:
        synced(handle)
        path.write_text("a: theirs\n")

    monkeypatch.setattr(os, "fsync", late)
    with pytest.raises(ConflictError):
        saving.save(path, "a: mine\n", seen)
    assert path.read_text() == "a: theirs\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_text_takes_the_place_of_the_one_that_was_read(path: Path) -> None:
    path.write_bytes(MARK + b"a: 1\r\nb: 2\r\n")
    saving.replace(path, "a: 1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\nc: 3\n")
    assert path.read_bytes() == MARK + b"a: 1\r\nb: 2\r\nc: 3\r\n"
    with pytest.raises(CvbuildError, match="another program has changed the file meanwhile"):
        saving.replace(path, "a: 1\n", "a: 2\n")
