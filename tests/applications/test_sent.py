"""What was sent stays what it was: whole or not there, never written again, never believed."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import subprocess
import sys
import threading
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
from cvbuild.common.errors import CvbuildError, NoTexError

DAY = dt.date(2026, 11, 21)
NAME = "2026-11-21-example-lab"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return packets.workspace(tmp_path / "work")


@pytest.fixture
def one(root: Path) -> Sent:
    """A packet that was frozen."""
    archive.freeze(packets.packet(root), root, DAY)
    [found] = archive.packets(root)
    return found


def writable(folder: Path) -> Path:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return folder


def messages(of: tuple[Any, ...]) -> list[str]:
    return [item.message for item in of]


# -- freezing ------------------------------------------------------------------------------------


def test_a_packet_is_kept_with_all_that_it_was_made_from(root: Path) -> None:
    made = packets.packet(root)
    folder = archive.freeze(made, root, DAY)
    assert folder == root / "applications" / "sent" / NAME
    assert {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    } == {
        "manifest.json",
        *made.files,
        *(f"inputs/{name}" for name, _ in made.inputs),
    }
    for name in made.files:
        assert (folder / name).read_bytes() == (made.folder / name).read_bytes()
    for name, path in made.inputs:
        assert (folder / "inputs" / name).read_bytes() == path.read_bytes()
    [one] = archive.packets(root)
    assert one.folder == folder
    assert one.faults == ()
    assert one.manifest is not None
    assert (one.manifest.slug, one.manifest.date) == ("example-lab", "2026-11-21")
    assert (one.manifest.employer, one.manifest.position) == ("Example Lab", "Researcher")
    assert one.manifest.world.libraries["pydantic"]
    assert one.manifest.built.documents[0].parts == packets.PARTS
    assert archive.modifications(one) == ()
    assert str(root) not in (folder / "manifest.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("umask", "modes"), [(0o022, {0o444, 0o555}), (0o077, {0o400, 0o500})])
def test_nothing_of_it_can_be_written(root: Path, umask: int, modes: set[int]) -> None:
    before = os.umask(umask)
    try:
        folder = archive.freeze(packets.packet(root), root, DAY)
    finally:
        os.umask(before)
    every = [folder, *folder.rglob("*")]
    assert len(every) > 10
    for path in every:
        allowed = max(modes) if path.is_dir() else min(modes)
        assert stat.S_IMODE(path.stat().st_mode) == allowed, path


def test_the_same_is_not_sent_twice_on_one_day(root: Path) -> None:
    folder = archive.freeze(packets.packet(root), root, DAY)
    with pytest.raises(CvbuildError) as caught:
        archive.freeze(packets.packet(root), root, DAY)
    [fault] = caught.value.diagnostics
    assert fault.message == f"already sent on 2026-11-21: {folder} is the same"
    assert [path.name for path in folder.parent.iterdir()] == [NAME]


def test_what_is_there_is_never_overwritten(root: Path) -> None:
    first = archive.freeze(packets.packet(root), root, DAY)
    before = (first / packets.CV).read_bytes()
    (root / "people/ada.yaml").write_text("name: Ada B. Example\n", encoding="utf-8")
    second = archive.freeze(packets.packet(root), root, DAY)
    assert second.name == f"{NAME}-2"
    # Whatever it is that lies there: a folder that is empty, a link to nothing.
    (first.parent / f"{NAME}-3").mkdir()
    (first.parent / f"{NAME}-4").symlink_to("nowhere")
    (root / "applications/letter.md").write_text("Another one.\n", encoding="utf-8")
    assert archive.freeze(packets.packet(root), root, DAY).name == f"{NAME}-5"
    assert (first / packets.CV).read_bytes() == before
    assert list((first.parent / f"{NAME}-3").iterdir()) == []


def test_an_application_called_like_another_ones_second_packet(root: Path) -> None:
    archive.freeze(packets.packet(root), root, DAY)
    other = archive.freeze(packets.packet(root, "example-lab-2"), root, DAY)
    (root / "applications/letter.md").write_text("Another one.\n", encoding="utf-8")
    assert archive.freeze(packets.packet(root), root, DAY).name == f"{NAME}-3"
    assert [one.folder.name for one in archive.packets(root, "example-lab")] == [NAME, f"{NAME}-3"]
    assert [one.folder for one in archive.packets(root, "example-lab-2")] == [other]


def test_they_come_in_the_order_of_sending(root: Path) -> None:
    for number in range(1, 12):
        (root / "applications/letter.md").write_text(f"Number {number}.\n", encoding="utf-8")
        made = archive.freeze(packets.packet(root), root, DAY)
    before = dt.date(2026, 11, 20)
    assert archive.freeze(packets.packet(root), root, before).name == "2026-11-20-example-lab"
    names = [one.folder.name for one in archive.packets(root)]
    assert names[:3] == ["2026-11-20-example-lab", NAME, f"{NAME}-2"]
    assert names[-1] == made.name == f"{NAME}-11"


def test_a_file_that_is_gone_leaves_nothing(root: Path) -> None:
    made = packets.packet(root)
    (root / "applications/letter.md").unlink()
    with pytest.raises(CvbuildError, match=r"can't keep what was sent .*letter\.md"):
        archive.freeze(made, root, DAY)
    assert list((root / "applications/sent").iterdir()) == []


@pytest.mark.parametrize("name", ["../out.yaml", "/etc/x", "people/a\nb.yaml", "a\\b", "people//x"])
def test_a_name_that_leads_elsewhere_is_refused(root: Path, name: str) -> None:
    made = packets.packet(root)
    made = replace(made, inputs=((name, root / "people/ada.yaml"),))
    with pytest.raises(CvbuildError, match="can't keep what was sent"):
        archive.freeze(made, root, DAY)
    assert list((root / "applications/sent").iterdir()) == []


def test_only_regular_files_are_read(root: Path) -> None:
    os.mkfifo(root / "pipe")
    made = replace(packets.packet(root), inputs=(("people/pipe", root / "pipe"),))
    with pytest.raises(CvbuildError, match="no regular file"):
        archive.freeze(made, root, DAY)


def test_two_at_once_are_two_packets_or_one(root: Path) -> None:
    """Eight threads send three different packets."""
    made = []
    for number in range(3):
        folder = packets.workspace(root.parent / f"work{number}")
        (folder / "applications/letter.md").write_text(f"Number {number}.\n", encoding="utf-8")
        made.append(packets.packet(folder))
    refused: list[str] = []

    def send(packet: Packet) -> None:
        try:
            archive.freeze(packet, root, DAY)
        except CvbuildError as error:
            refused.append(error.diagnostics[0].code)

    threads = [threading.Thread(target=send, args=(made[n % 3],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["already-sent"] * 5
    found = archive.packets(root)
    assert [one.folder.name for one in found] == [NAME, f"{NAME}-2", f"{NAME}-3"]
    assert [archive.modifications(one) for one in found] == [()] * 3
    assert not list((root / "applications/sent").glob(".*"))


# -- killing -------------------------------------------------------------------------------------

#: Freezes in a child that kills itself before the nth line of what writes; prints each outcome.
KILLED = """
import datetime as dt, json, os, signal, sys
from dataclasses import replace
from pathlib import Path
import packets
from cvbuild.applications.sent import archive, frozen_folder, rebuild
known = rebuild.world()
rebuild.world = lambda: known  # it takes long to ask, and writes nothing
root = packets.workspace(Path(sys.argv[1]))
packet = packets.packet(root)
packet = replace(packet, files=packet.files[:1], inputs=packet.inputs[2:3])
traced = {frozen_folder.__file__, archive.__file__}
day = dt.date(2026, 11, 21)

def killed_before(line):
    count = 0
    def watch(frame, event, argument):
        nonlocal count
        if frame.f_code.co_filename not in traced:
            return None
        count += event == "line"
        if count == line:
            os.kill(os.getpid(), signal.SIGKILL)
        return watch
    child = os.fork()
    if not child:
        sys.settrace(watch)
        archive.freeze(packet, root, day)
        sys.settrace(None)
        os._exit(0)
    return os.waitpid(child, 0)[1] == signal.SIGKILL

parent = root / archive.FOLDER
line, seen = 0, {"begun": 0, "whole": 0, "wrong": []}
while True:
    line += 1
    # What another one left, to be swept.
    (parent / ".new-1-1" / "inputs").mkdir(parents=True)
    (parent / ".new-1-1" / "inputs").chmod(0o555)
    was_killed = killed_before(line)
    found = archive.packets(root)
    left = [path.name for path in parent.iterdir() if path.name[0] == "."]
    if len(found) > 1 or any(one.faults or archive.modifications(one) for one in found):
        seen["wrong"].append([line, left, [str(one) for one in found]])
    seen["whole" if found else "begun"] += 1
    if not was_killed:
        seen["end"] = left
        break
    frozen_folder.sweep(parent)
    for one in found:
        frozen_folder.remove(one.folder)
    if list(parent.iterdir()):
        seen["wrong"].append([line, "not swept"])
print(json.dumps(seen))
"""


@pytest.mark.deep
def test_whoever_is_killed_leaves_no_packet_or_a_whole_one(tmp_path: Path) -> None:
    tests = Path(packets.__file__).parent
    path = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "work")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["wrong"] == []
    assert seen["end"] == [], "the next one sweeps what was left"
    # It was killed before and after the folder was renamed.
    assert seen["begun"] > 100
    assert seen["whole"] > 5


# -- looking at it again -------------------------------------------------------------------------


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


# -- building it again ---------------------------------------------------------------------------


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
            "engine": "lualatex",
            "parts": {**packets.PARTS, "fonts": ""},
        }
        return replace(other(root, made), built={"today": 0, "documents": (document,)})

    found = archive.verify(one, build)
    assert found.is_whole
    before = then.libraries["pikepdf"]
    assert messages(found.diagnostics)[0] == (
        f"it was built with pikepdf {before} and not 99; pdflatex (system) and not lualatex; "
        "other fonts"
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


# -- since then ----------------------------------------------------------------------------------


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
