"""What was sent, when it is looked at again: touched, damaged, hostile, rebuilt, changed since."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import packets
import pytest

from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import archive, manifest, rebuild
from cvbuild.applications.sent.archive import Sent
from cvbuild.applications.sent.manifest import Manifest
from cvbuild.common.errors import NoTexError

DAY = dt.date(2026, 11, 21)
NAME = "2026-11-21-example-lab"


def writable(folder: Path) -> Path:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return folder


def messages(of: tuple[Any, ...]) -> list[str]:
    return [item.message for item in of]


def change(folder: Path) -> None:
    path = folder / packets.CV
    path.write_bytes(path.read_bytes().swapcase())


def link(name: str) -> Callable[[Path], None]:
    """Puts a link to it in its place."""

    def touch(folder: Path) -> None:
        elsewhere = folder.parent.parent / "elsewhere"
        (folder / name).rename(elsewhere)
        (folder / name).symlink_to(elsewhere)

    return touch


ADDED = "was added after it was frozen"
TOUCHED: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "changed": (change, ["was changed since it was frozen"]),
    # Its folder is empty then, and there is no more to say of it.
    "removed": (lambda folder: (folder / "inputs/people/ada.yaml").unlink(), ["is missing"]),
    "added": (lambda folder: (folder / "inputs/people/eve.yaml").touch(), [ADDED]),
    "a folder": (lambda folder: (folder / "inputs/letters/old").mkdir(parents=True), [ADDED]),
    "a link": (link(packets.TEXT), ["is a link, or not a file"]),
    "a link to a folder": (link("inputs/people"), ["is missing", ADDED]),
}


@pytest.mark.parametrize(("touch", "said"), TOUCHED.values(), ids=TOUCHED)
def test_a_packet_that_was_touched(
    one: Sent, touch: Callable[[Path], object], said: list[str]
) -> None:
    touch(writable(one.folder))

    def never(_: Path, __: Manifest) -> Packet:
        raise AssertionError("what was touched is not built")

    found = archive.verify(one, never)
    assert not found.is_whole
    assert messages(found.diagnostics) == said
    assert all(str(one.folder) in str(item.span) for item in found.diagnostics)


EDITS: dict[str, Callable[[str], str]] = {
    "it was edited": lambda text: text.replace("2026-11-21", "2026-11-20"),
    "it was edited ": lambda text: text.replace('"size": ', '"size":  '),
    "it was edited  ": lambda text: text.replace("Example Lab", "Example Bar"),
    "it is not JSON": lambda text: text[:-5],
    "it is not JSON ": lambda _: "[" * 100_000,
    "wrong: the whole": lambda text: text.replace('"ada"', r'"\ud800"'),
    "it is too long": lambda text: text + " " * manifest.MAX_BYTES,
    "another version of cvbuild wrote it": lambda text: text.replace('"form": 1', '"form": 2'),
    "wrong: employer": lambda text: text.replace('"Example Lab"', "7"),
}


@pytest.mark.parametrize("said", EDITS)
def test_an_edited_manifest_is_not_believed(root: Path, one: Sent, said: str) -> None:
    path = writable(one.folder) / "manifest.json"
    text = path.read_text(encoding="utf-8")
    assert EDITS[said](text) != text
    path.write_text(EDITS[said](text), encoding="utf-8")
    [found] = archive.packets(root, "example-lab")
    assert found.manifest is None
    assert messages(found.faults) == [f"the packet is damaged: {said.strip()}"]
    assert not archive.verify(found, packets.build).is_whole
    assert archive.packets(root, "another") == ()


HOSTILE: dict[str, dict[str, Any]] = {
    "files.0.name": {"files": [{"name": "../../secret", "sha256": "0" * 64, "size": 1}]},
    "inputs.0.name": {"inputs": [{"name": "/etc/passwd", "sha256": "0" * 64, "size": 1}]},
    "inputs.0.name ": {"inputs": [{"name": "a/../../b", "sha256": "0" * 64, "size": 1}]},
    "inputs.0.size": {"inputs": [{"name": "a", "sha256": "0" * 64, "size": 1 << 60}]},
    "slug": {"slug": "../x"},
    "commit": {"commit": "$(id)"},
    "date": {"date": "today"},
    "the whole": {"date": "2026-02-30"},
    "further": {"further": 1},
    "built.engine": {"built": {"today": 0, "engine": "sh"}},
    "built.locale": {"built": {"today": 0, "locale": "../de"}},
}


@pytest.mark.parametrize("place", HOSTILE)
def test_a_hostile_manifest_with_the_right_sum(root: Path, one: Sent, place: str) -> None:
    path = writable(one.folder) / "manifest.json"
    plain = json.loads(path.read_text(encoding="utf-8")) | HOSTILE[place]
    del plain["sum"]
    path.write_text(manifest._text(plain | {"sum": manifest._sum(plain)}), encoding="utf-8")
    [found] = archive.packets(root)
    assert messages(found.faults) == [f"the packet is damaged: wrong: {place.strip()}"]


def test_a_packet_in_another_ones_place(root: Path, one: Sent) -> None:
    one.folder.rename(one.folder.with_name("2026-11-22-example-lab"))
    (one.folder.parent / NAME).symlink_to("2026-11-22-example-lab")
    assert [messages(found.faults) for found in archive.packets(root)] == [
        ["the packet is damaged: it is a link"],
        [f"the packet is damaged: its manifest is that of {NAME}"],
    ]


def test_a_folder_without_a_manifest(root: Path, one: Sent) -> None:
    (writable(one.folder) / "manifest.json").unlink()
    (one.folder.parent / "notes.txt").touch()
    [found] = archive.packets(root)
    assert messages(found.faults) == [
        "the packet is damaged: manifest.json: No such file or directory"
    ]


def other(root: Path, made: Manifest) -> Packet:
    """Builds something else."""
    packet = packets.packet(root, made.slug)
    (packet.folder / packets.CV).write_bytes(b"other")
    return replace(packet, files=packet.files[:1])


def test_other_bytes_of_the_same_programs_are_an_error(one: Sent) -> None:
    found = archive.verify(one, other)
    assert not found.is_whole
    assert dict(found.files) == {packets.CV: "other", packets.TEXT: "none"}
    assert messages(found.diagnostics) == [
        "has other bytes when it is built again",
        "isn't made when it is built again",
    ]


def test_other_bytes_of_other_programs_are_none(one: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    then = rebuild.world()
    libraries = {**then.libraries, "pikepdf": "99"}
    monkeypatch.setattr(rebuild, "world", lambda: then.model_copy(update={"libraries": libraries}))

    def build(root: Path, made: Manifest) -> Packet:
        document = {
            **packets.DOCUMENT,
            "engine": "pdflatex (embedded)",
            "parts": {**packets.PARTS, "fonts": ""},
        }
        return replace(other(root, made), built={"today": 0, "documents": (document,)})

    found = archive.verify(one, build)
    assert found.is_whole
    before = then.libraries["pikepdf"]
    assert messages(found.diagnostics)[0] == (
        f"it was built with pikepdf {before} and not 99; "
        "pdflatex (system) and not pdflatex (embedded); other fonts"
    )
    assert found.files[packets.CV] == "other"


def test_what_cant_be_built(one: Sent) -> None:
    def build(_: Path, __: Manifest) -> Packet:
        raise NoTexError.because("x", "there is no TeX")

    found = archive.verify(one, build)
    assert messages(found.diagnostics) == ["can't be built again: there is no TeX"]
    assert [item.severity for item in found.diagnostics] == ["warning"]
    assert found.is_whole
    assert not found.built
    assert set(found.files.values()) == {"none"}


def test_a_rebuild_touches_nothing(root: Path, one: Sent) -> None:
    def state() -> dict[str, tuple[int, int]]:
        every = sorted(root.rglob("*"))
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_mode) for path in every}

    places = []

    def build(folder: Path, made: Manifest) -> Packet:
        places.append(folder)
        return packets.build(folder, made)

    before = state()
    assert archive.verify(one, build).is_whole
    assert state() == before
    assert places
    assert not places[0].exists()


def test_what_changed_since(root: Path, one: Sent) -> None:
    person, letter = root / "people/ada.yaml", root / "applications/letter.md"
    assert archive.changed(one, root) == ()
    person.write_text("# Only this comment.\n" + packets.PERSON, encoding="utf-8")
    (root / "templates/academic/template.yaml").write_text("api: 2\n", encoding="utf-8")
    assert archive.changed(one, root) == ()
    person.write_text("name: Ada B. Example\nsections: []\n", encoding="utf-8")
    assert archive.changed(one, root) == ("people/ada.yaml",)
    person.write_text("name: [", encoding="utf-8")
    letter.unlink()
    assert archive.changed(one, root) == ("applications/letter.md", "people/ada.yaml")


def test_a_manifest_of_version_0_1_is_read_for_ever() -> None:
    text = (Path(__file__).parent / "manifest-0.1.json").read_text(encoding="utf-8")
    made = manifest.read(text.encode())
    assert (made.slug, made.world.cvbuild, made.files[0].size) == ("example-lab", "0.1.0", 7)
    assert manifest.write(made) == text
