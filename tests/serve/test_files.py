"""A person's file in the editor: saved as it was written, and never over what nobody has seen."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import Server, Tab

from cvbuild.common import work_folders
from cvbuild.common.errors import CvbuildError
from cvbuild.serve import files
from cvbuild.serve.files import ConflictError, FileState

MARK = b"\xef\xbb\xbf"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people").mkdir()
    return Path("people/ada.yaml")


def opened(path: Path) -> FileState:
    state = files.read(path)
    assert state.fault is None
    return state


def saved(path: Path, before: bytes, text: str) -> bytes:
    path.write_bytes(before)
    version = files.save(path, text, opened(path).version)
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
        assert files.save(path, state.text or "", state.version) == state.version
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (data, stamp)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_permissions_stay_and_links_inside_are_followed(path: Path) -> None:
    path.write_text("a: 1\n")
    path.chmod(0o640)
    assert saved(path, b"a: 1\n", "a: 2\n") == b"a: 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = Path("people/bob.yaml")
    link.symlink_to("ada.yaml")
    files.save(link, "a: 3\n", opened(link).version)
    assert link.is_symlink()
    assert path.read_text() == "a: 3\n"
    assert sorted(one.name for one in Path("people").iterdir()) == ["ada.yaml", "bob.yaml"]


def test_a_link_out_of_the_workspace_is_not_followed(path: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yaml"
    outside.write_text("secret: 1\n")
    path.symlink_to(outside)
    state = files.read(path)
    assert state.text is None
    assert state.fault
    assert "outside" in state.fault.message
    for seen in (state.version, None):
        with pytest.raises((ConflictError, CvbuildError)):
            files.save(path, "a: 1\n", seen)
    assert outside.read_text() == "secret: 1\n"
    # A folder that is a link, and a file that somebody puts there meanwhile.
    elsewhere = tmp_path.parent / f"{tmp_path.name}-folder"
    elsewhere.mkdir()
    Path("others").symlink_to(elsewhere)
    with pytest.raises(CvbuildError):
        files.save(Path("others/ada.yaml"), "a: 1\n", None)
    assert not any(elsewhere.iterdir())


@pytest.mark.usefixtures("path")
def test_a_file_elsewhere_that_was_named_is_saved_there(tmp_path: Path) -> None:
    named = tmp_path.parent / f"{tmp_path.name}-named.yaml"
    named.write_bytes(b"a: 1\r\n")
    files.save(named, "a: 2\n", opened(named).version)
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
    state = files.read(path)
    assert state.fault
    assert (state.text, state.fault.code) == (None, code)
    with pytest.raises((ConflictError, CvbuildError)):
        files.save(path, "a: 1\n", "seen")
    assert path.read_bytes() == data


def test_what_could_not_be_opened_again_is_not_saved(path: Path) -> None:
    path.write_text("a: 1\r\n", newline="")
    seen = opened(path).version
    with pytest.raises(CvbuildError, match="more than"):
        files.save(path, "a\n" * 400_000, seen)
    assert path.read_bytes() == b"a: 1\r\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no locks")
def test_a_folder_that_another_program_has_locked_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("a: 1\n")
    monkeypatch.setattr(files, "_PATIENCE", 0.1)
    locked = os.open("people", os.O_RDONLY)
    try:
        assert work_folders.take(locked)
        with pytest.raises(CvbuildError, match="locked"):
            files.save(path, "a: 2\n", opened(path).version)
    finally:
        os.close(locked)
    assert path.read_text() == "a: 1\n"
    files.save(path, "a: 2\n", opened(path).version)


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
        files.save(path, "a: mine\n", seen)
    assert path.read_text() == "a: theirs\n"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


# -- through the server ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("edited")
    (folder / "people").mkdir()
    for name in ("ada", "bob"):
        (folder / f"people/{name}.yaml").write_text(f"name: {name.title()} Example\n")
    started = Server(folder, cache=tex_cache)
    yield started
    assert started.end() == (0, "stopped\n")


def test_two_tabs_and_another_program(server: Server) -> None:
    path = server.folder / "people/ada.yaml"
    with server.tab("ada") as one, server.tab("ada") as other:
        one.edit("name: Ada One\n")
        assert one.save()["type"] == "saved"
        assert path.read_text() == "name: Ada One\n"
        # The other tab had nothing unsaved: it goes on with the new text.
        changed = other.next("changed", "conflict")
        assert (changed["type"], changed["text"]) == ("changed", "name: Ada One\n")
        assert other.next("checked")["diagnostics"] is not None
        other.version = changed["version"]
        # Now it has, and so is asked.
        other.edit("name: Ada Other\n")
        path.write_text("name: Ada Vim\n")
        conflict = other.next("conflict")
        assert conflict["text"] == "name: Ada Vim\n"
        assert one.next("changed")["text"] == "name: Ada Vim\n"
        assert other.save()["type"] == "conflict"
        assert other.save(force=True, version="0" * 64)["type"] == "conflict"
        assert path.read_text() == "name: Ada Vim\n"
        assert other.save(force=True, version=conflict["version"])["type"] == "saved"
        assert path.read_text() == "name: Ada Other\n"
        assert one.next("changed")["text"] == "name: Ada Other\n"


def test_a_file_that_is_emptied_before_it_is_written_is_never_seen_empty(server: Server) -> None:
    path = server.folder / "people/ada.yaml"
    with server.tab("ada") as tab:
        for number in range(5):
            with path.open("w") as file:
                # Longer than the 40 ms after which a burst of events is over.
                time.sleep(0.06)
                file.write(f"name: Ada {number}\n")
            assert tab.next("changed", "conflict")["text"] == f"name: Ada {number}\n"


@pytest.mark.parametrize("servers", [1, 2])
def test_of_two_saves_at_the_same_moment_one_is_told(
    server: Server, tex_cache: Path, servers: int
) -> None:
    path = server.folder / "people/twice.yaml"
    path.write_text("name: Twice\n")
    other = server if servers == 1 else Server(server.folder, cache=tex_cache)
    with server.tab() as one, other.tab() as two, ThreadPoolExecutor() as pool:
        for number in range(20):
            told = {}
            for tab in (one, two):
                tab.open("twice")
                tab.edit(f"name: Twice {number} {tab is one}\n")
            for tab, answer in zip((one, two), pool.map(Tab.save, (one, two)), strict=True):
                told[tab.text] = answer["type"]
            assert sorted(told.values()) == ["conflict", "saved"]
            assert told[path.read_text()] == "saved"
    if other is not server:
        assert other.end() == (0, "stopped\n")


def test_a_late_edit_does_not_overwrite_what_came_meanwhile(server: Server) -> None:
    """A keystroke is on its way when the file changes: it is of the text before."""
    path = server.folder / "people/bob.yaml"
    with server.tab("bob") as tab:
        path.write_text("name: Bob Vim\n")
        assert tab.next("changed")["text"] == "name: Bob Vim\n"
        tab.edit("name: Bob Example!\n")
        # ``version`` is that of the text that was edited.
        assert tab.save()["type"] == "conflict"
        assert path.read_text() == "name: Bob Vim\n"


def test_files_go_come_and_break(server: Server) -> None:
    path = server.folder / "people/carl.yaml"
    # A link that leads to itself is nobody's file, and keeps nothing from being noticed.
    loop = server.folder / "people/loop.yaml"
    loop.symlink_to(loop.name)
    with server.tab() as tab:
        names = [one["name"] for one in tab.next("people")["people"]]
        assert "carl" not in names
        path.write_text("name: {given: Carl, family: Example}\n")
        # The list comes for the link, too, and for the file while it is still empty.
        carl = {"name": "carl", "title": "Carl Example", "path": "people/carl.yaml"}
        while carl not in tab.next("people")["people"]:
            pass
        tab.open("carl")
        path.rename(path.with_name("dora.yaml"))
        assert tab.next("changed") == {
            "type": "changed", "version": None, "text": None, "fault": None
        }  # fmt: skip
        tab.edit("name: Carl Again\n")
        assert tab.save()["type"] == "conflict"
        assert not path.exists()
        assert tab.save(force=True, version=None)["type"] == "saved"
        path.write_bytes(b"name: Carl \xff\n")
        broken = tab.next("changed")
        assert (broken["text"], broken["fault"]["code"]) == (None, "yaml-encoding")
        assert "encoding" in str(tab.save()) or path.read_bytes() == b"name: Carl \xff\n"
        assert tab.open("carl")["type"] == "error"
        assert tab.open("dora")["text"] == "name: {given: Carl, family: Example}\n"
    assert path.read_bytes() == b"name: Carl \xff\n"
    loop.unlink()
    assert not list(server.folder.glob("people/*.new"))
    assert sorted(one.name for one in server.folder.iterdir()) == ["people"]


def test_what_a_document_shows_beside_the_file_counts(server: Server) -> None:
    with server.tab("ada") as tab:
        tab.edit("name: Ada\nphoto: ada.png\n")
        tab.next("checked")
        while not (found := tab.next("checked"))["diagnostics"]:
            pass
        assert "ada.png" in found["diagnostics"][0]["message"]
        from PIL import Image

        Image.new("RGB", (60, 80), "navy").save(server.folder / "people/ada.png")
        while tab.next("checked")["diagnostics"]:
            pass
