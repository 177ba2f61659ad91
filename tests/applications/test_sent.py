"""What was sent is whole or not there, and never written again, whoever is killed or is second."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import packets
import pytest

from cvbuild.applications.packet.assemble import Packet
from cvbuild.applications.sent import archive
from cvbuild.common.errors import CvbuildError

DAY = dt.date(2026, 11, 21)
NAME = "2026-11-21-example-lab"


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
    assert {path.name for path in folder.parent.iterdir()} == {NAME, ".gitignore"}


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


@pytest.mark.parametrize("own", [None, "!message.eml\n"])
def test_what_was_sent_outside_of_git_is_not_added_to_it_later(root: Path, own: str | None) -> None:
    rules = root / archive.FOLDER / ".gitignore"
    if own:
        rules.parent.mkdir(parents=True)
        rules.write_text(own, encoding="utf-8")
    archive.freeze(packets.packet(root), root, DAY)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    listed = ["git", "-C", str(root), "ls-files", archive.FOLDER.as_posix()]
    added = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    # What somebody wrote there stays.
    assert rules.read_text(encoding="utf-8") == (own or "*\n")
    assert (added != "", archive.notice(root).severity) == (
        (True, "warning") if own else (False, "note")
    )


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
    assert [path.name for path in (root / "applications/sent").iterdir()] == [".gitignore"]


@pytest.mark.parametrize("name", ["../out.yaml", "/etc/x", "people/a\nb.yaml", "a\\b", "people//x"])
def test_a_name_that_leads_elsewhere_is_refused(root: Path, name: str) -> None:
    made = packets.packet(root)
    made = replace(made, inputs=((name, root / "people/ada.yaml"),))
    with pytest.raises(CvbuildError, match="can't keep what was sent"):
        archive.freeze(made, root, DAY)
    assert [path.name for path in (root / "applications/sent").iterdir()] == [".gitignore"]


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
    assert not list((root / "applications/sent").glob(".*/"))


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
    left = [path.name for path in parent.iterdir() if path.name[0] == "." and path.is_dir()]
    if len(found) > 1 or any(one.faults or archive.modifications(one) for one in found):
        seen["wrong"].append([line, left, [str(one) for one in found]])
    seen["whole" if found else "begun"] += 1
    if not was_killed:
        seen["end"] = left
        break
    frozen_folder.sweep(parent)
    for one in found:
        frozen_folder.remove(one.folder)
    if any(one.is_dir() for one in parent.iterdir()):
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
