"""What was sent is whole or not there, never written again, and told when it was touched."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import packets
import pytest
from conftest import Run
from msgspec.structs import replace
from texlive import demand_embedded

from cvbuild.applications import history
from cvbuild.applications.packet import Packet
from cvbuild.common.errors import CvbuildError

DAY = dt.date(2026, 11, 21)
NAME = "2026-11-21-example-lab"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return packets.workspace(tmp_path / "work")


@pytest.fixture
def kept(root: Path) -> history.Sent:
    return history.Sent(history.keep(packets.packet(root), root, DAY))


def edit(root: Path, text: str) -> None:
    (root / "applications/letter.md").write_text(f"{text}.\n", "utf-8")


def test_a_packet_is_kept_with_all_that_it_was_made_from(root: Path, kept: history.Sent) -> None:
    packet, folder = packets.packet(root), kept.folder
    assert folder == root / "applications" / "sent" / NAME
    copies = {name: packet.folder / name for name in packet.files}
    copies |= {f"inputs/{name}": path for name, path in packet.inputs}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.relative_to(folder).as_posix() for path in files} == {"SHA256SUMS", *copies}
    assert all((folder / name).read_bytes() == path.read_bytes() for name, path in copies.items())
    assert not any(stat.S_IMODE(path.stat().st_mode) & 0o222 for path in files)
    assert (history.packets(root), kept.slug, kept.date) == ((kept,), "example-lab", "2026-11-21")
    assert history.check(kept) == ()
    assert str(root) not in (folder / "SHA256SUMS").read_text("utf-8")


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_sha256sum_reads_it(kept: history.Sent) -> None:
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    assert subprocess.run(command, cwd=kept.folder, check=False).returncode == 0
    (kept.folder / packets.CV).unlink()
    assert subprocess.run(command, cwd=kept.folder, check=False).returncode == 1


def test_the_same_is_not_sent_twice_on_one_day(root: Path, kept: history.Sent) -> None:
    with pytest.raises(CvbuildError) as caught:
        history.keep(packets.packet(root), root, DAY)
    [fault] = caught.value.diagnostics
    assert fault.message == f"already sent on 2026-11-21: {kept.folder} is the same"
    assert {path.name for path in kept.folder.parent.iterdir()} == {NAME, ".gitignore"}
    assert history.keep(packets.packet(root), root, DAY.replace(day=22)).name.startswith(
        "2026-11-22"
    )


def test_what_is_there_is_never_overwritten(root: Path, kept: history.Sent) -> None:
    before = (kept.folder / packets.CV).read_bytes()
    (root / "people/ada.yaml").write_text("name: Ada B. Example\n", "utf-8")
    assert history.keep(packets.packet(root), root, DAY).name == f"{NAME}.2"
    # Whatever it is that lies there: a folder that is empty, a link to nothing.
    (kept.folder.parent / f"{NAME}.3").mkdir()
    (kept.folder.parent / f"{NAME}.4").symlink_to("nowhere")
    edit(root, "Another one")
    assert history.keep(packets.packet(root), root, DAY).name == f"{NAME}.5"
    assert (kept.folder / packets.CV).read_bytes() == before
    assert list((kept.folder.parent / f"{NAME}.3").iterdir()) == []


@pytest.mark.parametrize("own", [None, "!message.eml\n"])
def test_what_was_sent_outside_of_git_is_not_added_to_it_later(root: Path, own: str | None) -> None:
    rules = root / history.SENT_FOLDER / ".gitignore"
    if own:
        rules.parent.mkdir(parents=True)
        rules.write_text(own, "utf-8")
    history.keep(packets.packet(root), root, DAY)
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)
    listed = ["git", "-C", str(root), "ls-files", history.SENT_FOLDER.as_posix()]
    added = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    # What somebody wrote there stays.
    assert (rules.read_text("utf-8"), added != "") == (own or "*\n", bool(own))


def test_they_come_in_the_order_of_sending(root: Path) -> None:
    # One that was killed left this, and it is swept.
    (left := root / history.SENT_FOLDER / ".new-left").mkdir(parents=True)
    for number in range(1, 12):
        edit(root, f"Number {number}")
        history.keep(packets.packet(root), root, DAY)
    history.keep(packets.packet(root), root, dt.date(2026, 11, 20))
    other = history.keep(packets.packet(root, "example-lab-2"), root, DAY)
    names = [one.folder.name for one in history.packets(root, "example-lab")]
    assert names[:3] == ["2026-11-20-example-lab", NAME, f"{NAME}.2"]
    assert names[-1] == f"{NAME}.11"
    assert [one.folder for one in history.packets(root, "example-lab-2")] == [other]
    assert not left.exists()


#: Name of a copy, the file, and what is said of it.
REFUSED = {
    "gone": ("people/x", "nowhere", "nowhere"),
    "a pipe": ("people/x", "pipe", "no regular file"),
    "above": ("../out.yaml", "people/ada.yaml", "is no name for a copy"),
    "elsewhere": ("/etc/x", "people/ada.yaml", "is no name for a copy"),
    "two lines": ("people/a\nb.yaml", "people/ada.yaml", "is no name for a copy"),
    "a backslash": ("a\\b", "people/ada.yaml", "is no name for a copy"),
    "two slashes": ("people//x", "people/ada.yaml", "is no name for a copy"),
}


@pytest.mark.parametrize(("name", "file", "fact"), REFUSED.values(), ids=REFUSED)
def test_what_cant_be_copied_leaves_nothing(root: Path, name: str, file: str, fact: str) -> None:
    os.mkfifo(root / "pipe")
    packet = packets.packet(root)
    packet = replace(packet, inputs=(*packet.inputs, (name, root / file)))
    with pytest.raises(CvbuildError, match=f"can't keep what was sent.*{fact}"):
        history.keep(packet, root, DAY)
    assert [path.name for path in (root / "applications/sent").iterdir()] == [".gitignore"]


def test_two_at_once_are_two_packets_or_one(root: Path) -> None:
    """Eight threads send three different packets."""
    built = []
    for number in range(3):
        folder = packets.workspace(root.parent / f"work{number}")
        edit(folder, f"Number {number}")
        built.append(packets.packet(folder))
    refused: list[str] = []

    def send(packet: Packet) -> None:
        try:
            history.keep(packet, root, DAY)
        except CvbuildError as error:
            refused.append(error.diagnostics[0].code)

    threads = [threading.Thread(target=send, args=(built[n % 3],)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["already-sent"] * 5
    every = history.packets(root)
    assert [one.folder.name for one in every] == [NAME, f"{NAME}.2", f"{NAME}.3"]
    assert [history.check(one) for one in every] == [()] * 3
    assert not list((root / "applications/sent").glob(".*/"))


def relink(name: str) -> Callable[[Path], object]:
    def touch(folder: Path) -> None:
        elsewhere = folder.parent.parent / "elsewhere"
        (folder / name).rename(elsewhere)
        (folder / name).symlink_to(elsewhere)

    return touch


def rewrite(name: str, data: bytes) -> Callable[[Path], object]:
    def touch(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).write_bytes(data)

    return touch


CHANGED, MISSING, ADDED = "was changed since", "is missing", "was added after it was sent"
TOUCHED: dict[str, tuple[Callable[[Path], object], dict[str, str]]] = {
    "changed": (rewrite(packets.CV, b"x"), {packets.CV: CHANGED}),
    "removed": (lambda at: (at / "inputs/people/ada.yaml").unlink(), {"people/ada.yaml": MISSING}),
    "added": (lambda at: (at / "inputs/people/eve.yaml").touch(), {"eve.yaml": ADDED}),
    "a link": (relink(packets.TEXT), {packets.TEXT: CHANGED}),
    "a link to a folder": (relink("inputs/people"), {"inputs/people": ADDED, "ada.yaml": MISSING}),
    "the whole a link": (relink(""), {"": "is a link"}),
    "no sums": (lambda at: (at / "SHA256SUMS").unlink(), {"SHA256SUMS": MISSING}),
    "no text": (rewrite("SHA256SUMS", b"\xff"), {"SHA256SUMS": MISSING}),
    "a line that leads out": (
        rewrite("SHA256SUMS", b"0" * 64 + b"  ../../../secret\n"),
        {"../secret": MISSING, "inputs/": ADDED, packets.CV: ADDED, packets.TEXT: ADDED},
    ),
}


@pytest.mark.parametrize(("touch", "said"), TOUCHED.values(), ids=TOUCHED)
def test_a_packet_that_was_touched(
    kept: history.Sent, touch: Callable[[Path], object], said: dict[str, str]
) -> None:
    touch(kept.folder)
    faults = history.check(kept)
    assert faults
    for fault in faults:
        place = str(fault.span)
        assert str(kept.folder) in place
        assert any(name in place and fact in fault.message for name, fact in said.items()), fault
    for name, fact in said.items():
        assert any(name in str(one.span) and fact in one.message for one in faults), name


def test_an_application_whose_file_is_gone_or_wrong_is_that_which_was_sent(
    root: Path, kept: history.Sent
) -> None:
    file = root / "applications/example-lab.yaml"
    for text in ("person: ada\n", None):
        file.write_text(text, "utf-8") if text else file.unlink()
        [row] = history.rows(DAY, root)
        assert (row.status, row.sent, bool(row.diagnostics)) == ("sent", (kept,), bool(text))
        assert row.data
        assert (row.data.employer, row.data.position) == ("Example Lab", "Researcher")


def test_the_command_line(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demand_embedded()
    monkeypatch.chdir(root)
    monkeypatch.setattr("cvbuild.building.fresh.today", lambda: 20_000 * 86_400)
    shutil.rmtree("templates")
    ran = run("applications", "verify")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing was sent yet" in ran.err
    apply = ("apply", "example-lab", "--sent", "--engine", "embedded")
    folder = "applications/sent/2024-10-04-example-lab"
    ran = run(*apply)
    assert ran.code == 0, ran.err
    assert f"kept as it was sent, read-only: {folder}/" in ran.err
    assert "note: applications/sent/ may hold private data; it is kept out of git" in ran.err
    ran = run(*apply, "--json")
    [packet] = json.loads(ran.out)["packets"]
    assert (ran.code, packet["ok"], packet["sent"]) == (1, False, None)
    assert packet["diagnostics"][-1]["message"].startswith("already sent on 2024-10-04")
    edit(root, "Another one")
    assert f"{folder}.2/" in run(*apply).err

    ran = run("applications", "verify", "example-lab")
    assert (ran.code, ran.out) == (
        0, f"✓ {folder}: as it was sent\n✓ {folder}.2: as it was sent\n"
    )  # fmt: skip
    assert run("applications", "verify", "another").code == 2
    rewrite("message.eml", b"x")(Path(folder))
    ran = run("applications", "verify")
    assert (ran.code, ran.out) == (
        1, f"✗ {folder}: modified since it was sent\n✓ {folder}.2: as it was sent\n"
    )  # fmt: skip
    assert f"{folder}/message.eml: was changed since it was sent" in ran.err
