"""The file of a tab: who may save it, and what other programs write."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from serving import Server, Tab, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files = {f"people/{name.lower()}.yaml": f"name: {name} Example\n" for name in ("Ada", "Bob")}
    with serving(tmp_path_factory.mktemp("edited"), files) as server:
        yield server


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
def test_of_two_saves_at_the_same_moment_one_is_told(server: Server, servers: int) -> None:
    path = server.folder / "people/twice.yaml"
    path.write_text("name: Twice\n")
    other = server if servers == 1 else Server(server.folder)
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
