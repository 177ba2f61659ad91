"""Packets of an application: made, kept as they were sent, and their messages."""

from __future__ import annotations

import datetime as dt
import email
import email.message
import email.policy
import io
import json
import os
import re
import shutil
import stat
import string
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import lettered
import pikepdf
import pytest
from conftest import Run
from msgspec.structs import replace
from texlive import demand_embedded
from told import rows

from cvbuild.applications import documents, load
from cvbuild.applications.documents import check_greetings
from cvbuild.applications.packets import history, packet
from cvbuild.applications.packets.mail import (
    DEFAULT,
    FIELDS,
    Draft,
    Mailbox,
    check_size,
    distinct,
    file_name,
    file_names,
    message,
)
from cvbuild.applications.packets.packet import Packet
from cvbuild.building import batch
from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.letter import Body, parse
from cvbuild.model.locales import known, table
from cvbuild.outputs.request import Request
from cvbuild.outputs.types import Task

DAY = date(2026, 11, 21)
ADA = """\
name: {given: Ada, family: Exämple}
contact: {email: ada@example.org}
sections:
  - kind: skill
    items: [{name: Programming, keywords: [Python]}]
  - kind: bullets
    items: [One point]
"""
APPLICATION = """\
person: ada
employer: Example Lab
position: Research Scientist
recipient: {name: Lin Example, email: lin@example.org}
letter: |
  I would *like* to come.
attachments:
  - file: transcript.pdf
    title: Transcript
"""
NAMES = [
    "Ada-Example_Application_Research-Scientist.pdf",
    "Ada-Example_CV_Research-Scientist.pdf",
    "Ada-Example_CV_Research-Scientist.txt",
    "Ada-Example_Cover-Letter_Research-Scientist.pdf",
    "Ada-Example_Cover-Letter_Research-Scientist.txt",
    "Ada-Example_Transcript_Research-Scientist.pdf",
    "message.eml",
]
WHOLE, CV, TEXT, LETTER, LETTER_TEXT, TRANSCRIPT, MESSAGE = NAMES
Build = Callable[..., Packet]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    demand_embedded()
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture
def build(workspace: Path, tex_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.chdir(workspace)
    for folder in ("people", "applications"):
        Path(folder).mkdir(exist_ok=True)
    Path("people/ada.yaml").write_text(ADA, "utf-8")
    Path("applications/transcript.pdf").write_bytes(pdf("transcript"))
    first = Request(Path("out"), seconds(DAY), cache=tex_cache)

    def built(text: str = APPLICATION, **changes: Any) -> Packet:
        Path("applications/demo.yaml").write_text(text, "utf-8")
        request = first._replace(**{"engine": "embedded", **changes})
        return packet.build(load.load("demo", DAY), request)

    return built


def seconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86400


def pdf(words: str) -> bytes:
    content = io.BytesIO()
    with pikepdf.new() as document:
        document.add_blank_page()
        document.docinfo.Subject = words
        document.save(content, deterministic_id=True)
    return content.getvalue()


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())
    }


def mail(made: Packet) -> EmailMessage:
    found = email.message_from_bytes(
        (made.folder / MESSAGE).read_bytes(), policy=email.policy.default
    )
    assert isinstance(found, EmailMessage)
    assert not found.defects
    return found


def words(found: EmailMessage) -> str:
    body = found.get_body()
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def test_a_packet_has_these_files_and_the_message_has_them_byte_for_byte(build: Build) -> None:
    made = build()
    assert sorted(made.files) == NAMES
    assert sorted(path.name for path in made.folder.iterdir()) == NAMES
    assert made.folder == Path("out/applications/demo")
    found = mail(made)
    assert (found["X-Unsent"], found["To"], found["From"]) == (
        "1",
        "Lin Example <lin@example.org>",
        "Ada Exämple <ada@example.org>",
    )
    assert found["Subject"] == "Application for Research Scientist, Ada Exämple"
    assert words(found).startswith("Dear Lin Example,\n\nPlease find attached my application")
    attached = {part.get_filename(): part.get_content() for part in found.iter_attachments()}
    assert list(attached) == [LETTER, CV, TRANSCRIPT]
    for name, content in attached.items():
        assert content == (made.folder / str(name)).read_bytes()
    assert attached[TRANSCRIPT] == Path("applications/transcript.pdf").read_bytes()
    assert attached[CV] == Path("out/ada/academic.pdf").read_bytes()
    text = (made.folder / TEXT).read_text("utf-8")
    assert text.startswith("Ada Exämple\n")
    assert "- One point\n" in text
    assert "I would like to come.\n" in (made.folder / LETTER_TEXT).read_text("utf-8")


def test_further_formats_go_out_too(build: Build) -> None:
    made = build(f"{APPLICATION}attach: merged\nformats: [docx, json]\n")
    stem, letter = CV.removesuffix(".pdf"), LETTER.removesuffix(".pdf")
    others = [f"{stem}.docx", f"{letter}.docx", f"{stem}.json"]
    assert sorted(made.files) == sorted([*NAMES, *others])
    attached = {part.get_filename(): part.get_content() for part in mail(made).iter_attachments()}
    assert list(attached) == [WHOLE, *others]
    for name, content in attached.items():
        assert content == (made.folder / str(name)).read_bytes()
    assert b"word/document.xml" in attached[others[1]]
    assert build(f"{APPLICATION}attach: merged\nformats: [docx, json]\n").cached


@pytest.mark.parametrize(
    ("formats", "told"),
    [
        ("[docx, dcox]", '2:17: unknown format "dcox"; did you mean "docx"?'),
        ("pdf", "2:10: two documents would have the same file name"),
        ("[docx, png]", "2:10: png makes a folder, which can't go out"),
        ("txt", "2:10: two documents would have the same file name"),
    ],
)
def test_formats_that_can_t_go_out(build: Build, formats: str, told: str) -> None:
    with pytest.raises(CvbuildError) as caught:
        build(APPLICATION.replace("\n", f"\nformats: {formats}\n", 1))
    assert f"applications/demo.yaml:{told}" in str(caught.value)


def test_the_merged_file_has_all_parts_in_their_order(build: Build) -> None:
    made = build()
    with pikepdf.open(made.folder / WHOLE) as whole, whole.open_outline() as outline:
        assert len(whole.pages) == 3
        assert [item.title for item in outline.root] == ["Cover letter", "CV", "Transcript"]
    merged = build(f"{APPLICATION}attach: merged\n")
    (attached,) = mail(merged).iter_attachments()
    assert attached.get_filename() == WHOLE
    assert attached.get_content() == (made.folder / WHOLE).read_bytes()


def test_what_did_not_change_is_left_alone_and_comes_again_with_the_same_bytes(
    build: Build,
) -> None:
    first = build()
    before = state(first.folder)
    again = build()
    assert again.cached
    assert (again.files, again.diagnostics) == (first.files, first.diagnostics)
    assert state(first.folder) == before
    assert build(f"# a comment\n{APPLICATION}notes: It changes nothing that goes out.\n").cached
    assert state(first.folder) == before
    # Whatever is not as it was made is made again.
    (first.folder / TEXT).write_text("touched", "utf-8")
    (first.folder / "more.txt").write_text("more", "utf-8")
    assert not build().cached
    assert {name: found[0] for name, found in state(first.folder).items()} == {
        name: found[0] for name, found in before.items()
    }
    assert not [path for path in first.folder.parent.iterdir() if path.name.startswith(".")]


def test_a_packet_is_of_one_text(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run builds the CV, of a newer text, before the packet takes it."""
    outcomes, newer = batch.run, [ADA.replace("Exämple", "Newer")]

    def meanwhile(todo: Iterable[Task], request: Request) -> Iterator[Outcome]:
        yield from outcomes(todo, request)
        if newer:
            Path("people/ada.yaml").write_text(newer.pop(), "utf-8")
            cv = documents.of(load.load("demo", DAY), request, DAY).cv
            assert [one.path for one in outcomes([cv], request)] != [None]

    monkeypatch.setattr(batch, "run", meanwhile)
    with pytest.raises(CvbuildError, match="was changed while the packet was built; try again"):
        build()
    made = build()
    for name in (TEXT, LETTER_TEXT):
        text = (made.folder / name.replace("Example", "Newer", 1)).read_text("utf-8")
        assert ("Newer" in text, "Exämple" in text) == (True, False)


def test_a_swap_that_fails_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, new, move = tmp_path / "demo", tmp_path / "new", safe_files.move

    def failing(old: Path, target: Path) -> None:
        if old == new:
            raise OSError(28, "no space")
        move(old, target)

    for content in (b"1", b"2"):
        safe_folders.write_contents(new, {"a": content})
        safe_folders.replace_contents(new, place)
    assert (place / "a").read_bytes() == b"2"
    monkeypatch.setattr(safe_files, "move", failing)
    safe_folders.write_contents(new, {"a": b"3", "b": b"3"})
    with pytest.raises(OSError, match="no space"):
        safe_folders.replace_contents(new, place)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == {"a": b"2"}


NAME = "2026-11-21-example-lab"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lettered.workspace(tmp_path / "work")


@pytest.fixture
def kept(root: Path) -> history.Sent:
    return history.Sent(history.keep(lettered.packet(root), root, DAY))


def edit(root: Path, text: str) -> None:
    (root / "applications/letter.md").write_text(f"{text}.\n", "utf-8")


def test_a_packet_is_kept_with_all_that_it_was_made_from(root: Path, kept: history.Sent) -> None:
    packet, folder = lettered.packet(root), kept.folder
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
    (kept.folder / lettered.CV).unlink()
    assert subprocess.run(command, cwd=kept.folder, check=False).returncode == 1


def test_the_same_is_not_sent_twice_on_one_day(root: Path, kept: history.Sent) -> None:
    with pytest.raises(CvbuildError) as caught:
        history.keep(lettered.packet(root), root, DAY)
    [fault] = caught.value.diagnostics
    assert fault.message == f"already sent on 2026-11-21: {kept.folder} is the same"
    assert {path.name for path in kept.folder.parent.iterdir()} == {NAME, ".gitignore"}
    assert history.keep(lettered.packet(root), root, DAY.replace(day=22)).name.startswith(
        "2026-11-22"
    )


def test_what_is_there_is_never_overwritten(root: Path, kept: history.Sent) -> None:
    before = (kept.folder / lettered.CV).read_bytes()
    (root / "people/ada.yaml").write_text("name: Ada B. Example\n", "utf-8")
    assert history.keep(lettered.packet(root), root, DAY).name == f"{NAME}.2"
    # Whatever it is that lies there: a folder that is empty, a link to nothing.
    (kept.folder.parent / f"{NAME}.3").mkdir()
    (kept.folder.parent / f"{NAME}.4").symlink_to("nowhere")
    edit(root, "Another one")
    assert history.keep(lettered.packet(root), root, DAY).name == f"{NAME}.5"
    assert (kept.folder / lettered.CV).read_bytes() == before
    assert list((kept.folder.parent / f"{NAME}.3").iterdir()) == []


@pytest.mark.parametrize("own", [None, "!message.eml\n"])
def test_what_was_sent_outside_of_git_is_not_added_to_it_later(root: Path, own: str | None) -> None:
    rules = root / history.SENT_FOLDER / ".gitignore"
    if own:
        rules.parent.mkdir(parents=True)
        rules.write_text(own, "utf-8")
    history.keep(lettered.packet(root), root, DAY)
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
        history.keep(lettered.packet(root), root, DAY)
    history.keep(lettered.packet(root), root, dt.date(2026, 11, 20))
    other = history.keep(lettered.packet(root, "example-lab-2"), root, DAY)
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
    packet = lettered.packet(root)
    packet = replace(packet, inputs=(*packet.inputs, (name, root / file)))
    with pytest.raises(CvbuildError, match=f"can't keep what was sent.*{fact}"):
        history.keep(packet, root, DAY)
    assert [path.name for path in (root / "applications/sent").iterdir()] == [".gitignore"]


def test_two_at_once_are_two_packets_or_one(root: Path) -> None:
    built = []
    for number in range(3):
        folder = lettered.workspace(root.parent / f"work{number}")
        edit(folder, f"Number {number}")
        built.append(lettered.packet(folder))
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
    "changed": (rewrite(lettered.CV, b"x"), {lettered.CV: CHANGED}),
    "removed": (lambda at: (at / "inputs/people/ada.yaml").unlink(), {"people/ada.yaml": MISSING}),
    "added": (lambda at: (at / "inputs/people/eve.yaml").touch(), {"eve.yaml": ADDED}),
    "a link": (relink(lettered.TEXT), {lettered.TEXT: CHANGED}),
    "a link to a folder": (relink("inputs/people"), {"inputs/people": ADDED, "ada.yaml": MISSING}),
    "the whole a link": (relink(""), {"": "is a link"}),
    "no sums": (lambda at: (at / "SHA256SUMS").unlink(), {"SHA256SUMS": MISSING}),
    "no text": (rewrite("SHA256SUMS", b"\xff"), {"SHA256SUMS": MISSING}),
    "a line that leads out": (
        rewrite("SHA256SUMS", b"0" * 64 + b"  ../../../secret\n"),
        {"../secret": MISSING, "inputs/": ADDED, lettered.CV: ADDED, lettered.TEXT: ADDED},
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


PLACE = Span("applications/x.yaml", 7, 3, 7, 9)
BODY = """\
Dear Dr Specimen,

I am writing to apply – with „quotes“, 유경인 and a line of more than seventy-eight characters.
From here on.
.
=_ is no boundary, nor is --=_

Yours sincerely
"""
PDF = b"%PDF-1.7\n\x80\xff\r\n.\r\nFrom me\n" + bytes(range(256)) * 40


def draft(**changes: object) -> Draft:
    fields: dict[str, object] = {
        "subject": "Application: Research Scientist",
        "body": BODY,
        "sender": Mailbox("Zoë O'Brien, Ph.D.", "ada@example.org"),
        "recipient": Mailbox("유경인", "jobs@example.com"),
        "attachments": (("Ada_CV.pdf", PDF), ("Ada_Cover-Letter.pdf", PDF[::-1])),
    }
    return Draft(**{**fields, **changes})  # type: ignore[arg-type]


def read(content: bytes) -> email.message.EmailMessage:
    return email.message_from_bytes(content, policy=default)


def test_a_draft_is_read_as_it_was_meant() -> None:
    content = message(draft())
    found = read(content)
    assert found["X-Unsent"] == "1"
    assert found["Subject"] == "Application: Research Scientist"
    (sender,), (recipient,) = found["From"].addresses, found["To"].addresses
    assert (sender.display_name, sender.addr_spec) == ("Zoë O'Brien, Ph.D.", "ada@example.org")
    assert (recipient.display_name, recipient.addr_spec) == ("유경인", "jobs@example.com")
    assert found["Date"] is None
    assert found["Message-ID"] is None
    body = found.get_body(("plain",))
    assert body is not None
    assert body.get_content_charset() == "utf-8"
    assert body.get_content().replace("\r\n", "\n") == BODY
    files = {one.get_filename(): one for one in found.iter_attachments()}
    assert [*files] == ["Ada_CV.pdf", "Ada_Cover-Letter.pdf"]
    for one in files.values():
        assert one.get_content_type() == "application/pdf"
        assert one.get_content_disposition() == "attachment"
    assert files["Ada_CV.pdf"].get_content() == PDF
    assert files["Ada_Cover-Letter.pdf"].get_content() == PDF[::-1]
    assert [*found.defects, *(d for one in found.walk() for d in one.defects)] == []


def test_it_is_plain_ascii_in_short_lines_with_crlf_and_always_the_same() -> None:
    content = message(draft(subject="Bewerbung für " + "eine lange Stelle " * 20))
    assert content == message(draft(subject="Bewerbung für " + "eine lange Stelle " * 20))
    content.decode("ascii")
    assert not re.search(rb"(?<!\r)\n|\r(?!\n)", content)
    assert max(len(line) for line in content.split(b"\r\n")) <= 78
    assert read(content)["Subject"] == ("Bewerbung für " + "eine lange Stelle " * 20).strip()
    boundary = read(content).get_boundary()
    assert boundary
    assert content.count(boundary.encode()) == 5  # the header, three parts, the end
    assert email.message_from_bytes(content, policy=SMTP).as_bytes() == content


def test_nobody_and_nothing_is_needed() -> None:
    content = message(Draft("", "Hello"))
    found = read(content)
    assert (found["From"], found["To"], found["Subject"]) == (None, None, "")
    assert found.get_content() == "Hello\r\n"
    assert not found.is_multipart()
    half = read(message(Draft("half \ud800", "half \ud800")))
    assert (half["Subject"], half.get_content()) == ("half", "half ?\r\n")


def test_the_size_of_what_is_sent() -> None:
    files = [("small.pdf", os.urandom(1000)), ("b.pdf", os.urandom(2_000_000)),
             ("a.pdf", os.urandom(2_000_000)), ("large.pdf", os.urandom(3_000_000))]  # fmt: skip
    content = message(draft(attachments=tuple(files)))
    # What is sent is a third larger than the files.
    with pytest.raises(CvbuildError) as caught:
        check_size(content, files, 5, PLACE)
    (one,) = caught.value.diagnostics
    assert str(one) == (
        "applications/x.yaml:7:3: the message with its attachments has 9.6 MB, the limit is 5 MB; "
        "make the largest smaller: large.pdf (3.0 MB), a.pdf (2.0 MB), b.pdf (2.0 MB)"
    )
    check_size(content, files, 10)
    check_size(content, files, len(content) / 1e6)
    with pytest.raises(CvbuildError):
        check_size(content, files, (len(content) - 1) / 1e6)


NAME_PLACE = Span("applications/x.yaml", 3, 11, 3, 30)
FULL = {"name": "Gyeong-In Yu", "kind": "CV", "position": "Research Scientist"}


def said(pattern: str, **fields: str) -> str:
    with pytest.raises(CvbuildError) as caught:
        file_name(pattern, fields or FULL, span=NAME_PLACE)
    (one,) = caught.value.diagnostics
    assert (one.code, one.span) == ("file-name", NAME_PLACE)
    return str(one).removeprefix("applications/x.yaml:3:11: ")


@pytest.mark.parametrize(
    ("pattern", "fields", "name"),
    [
        (DEFAULT, FULL, "Gyeong-In-Yu_CV_Research-Scientist.pdf"),
        (DEFAULT, {**FULL, "position": ""}, "Gyeong-In-Yu_CV.pdf"),
        (DEFAULT, {"kind": "CV"}, "CV.pdf"), (DEFAULT, {}, "Document.pdf"),
        ("{family}.{kind}.pdf", {"family": "Yu", "kind": "Cover-Letter"}, "Yu.Cover-Letter.pdf"),
        ("Bewerbung – {name}", FULL, "Bewerbung-Gyeong-In-Yu.pdf"),
        ("{name}", {"name": "Zoë O’Brien-Łukasz, Ph.D."}, "Zoe-OBrien-Lukasz-Ph.D.pdf"),
        ("{name}", {"name": "유경인"}, "YuGyeongIn.pdf"),
        ("{name}", {"name": "何清"}, "HeQing.pdf"),
        ("{name}", {"name": "Ελένη Παπαδοπούλου"}, "Eleni-Papadopoyloy.pdf"),
        ("{name}", {"name": "Ｗｉｄｅ"}, "Wide.pdf"),
        ("{position}", {"position": "C++ / Node.js (Sr.) & more"}, "C-Node.js-Sr-more.pdf"),
        ("{name}", {"name": "../../etc/passwd"}, "etc-passwd.pdf"),
        ("{name}", {"name": "-rf .hidden"}, "rf-hidden.pdf"),
        ("{name}", {"name": "con"}, "Document-con.pdf"),
        ("{name}", {"name": "Lpt1.x"}, "Document-Lpt1.x.pdf"),
        ("{name}", {"name": "{kind}\n\0\u202e"}, "kind.pdf"),
        ("{name}", {"name": "🎉"}, "tada.pdf"),
    ],
)  # fmt: skip
def test_names(pattern: str, fields: dict[str, str], name: str) -> None:
    assert file_name(pattern, fields) == name


def test_another_extension() -> None:
    assert file_name(DEFAULT, FULL, ".txt") == "Gyeong-In-Yu_CV_Research-Scientist.txt"
    assert file_name("{name}.PDF", FULL, ".pdf") == "Gyeong-In-Yu.pdf"


def test_a_long_name_loses_words_and_keeps_its_kind_and_extension() -> None:
    long = {**FULL, "position": "Senior Research Scientist for " + "Very Large Systems " * 10}
    name = file_name(DEFAULT, long)
    assert len(name) <= 80
    assert re.fullmatch(
        r"Gyeong-In-Yu_CV_Senior-Research-Scientist-for(-Very|-Large|-Systems)+\.pdf", name
    )
    one = file_name(DEFAULT, {"name": "x" * 300, "kind": "Cover-Letter", "position": "y" * 300})
    assert len(one) <= 80
    assert re.fullmatch(r"x+_Cover-Letter_y+\.pdf", one)
    assert len(file_name("a" * 300 + "{kind}", FULL)) == 80


def test_whatever_is_written_it_is_the_name_of_a_file() -> None:
    characters = [*map(chr, range(0x400)), "\ud800", "\U0001f600", *string.printable]
    for number, one in enumerate(characters):
        for value in (one, one * 90, f"a{one}b", f"{one}.", f".{one}"):
            name = file_name(
                DEFAULT, {"name": value, "kind": "CV", "position": characters[-number]}
            )
            assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*\.pdf", name), (value, name)
            assert len(name) <= 80
            assert ".." not in name
            assert PurePosixPath(name).name == PureWindowsPath(name).name == name


def test_bad_patterns_say_what_is_meant() -> None:
    assert said("{nmae}") == 'unknown field "nmae" in "{nmae}"; did you mean "name"?'
    assert said("{zzz}").endswith(f"; fields: {', '.join(FIELDS)}")
    for evil in ("{name.__class__}", "{name!r}", "{name:>99999}", "{0}", "{}", "{ name }"):
        assert "unknown field" in said(evil)
    for broken in ("{name", "name}", "{{name}}", "{na{me}}"):
        assert "has an unmatched brace" in said(broken)
    for leaving in ("../{name}", "{name}/{kind}", "a\\{name}", "~{name}", "{name}..{kind}"):
        assert "leads out of the folder" in said(leaving)


def test_every_field_is_known_to_the_parser() -> None:
    assert file_name("".join(f"{{{name}}}" for name in FIELDS), dict.fromkeys(FIELDS, "x"))


def test_two_documents_never_have_one_name() -> None:
    kinds = ("CV", "Cover-Letter", "Application")
    documents = [{**FULL, "kind": kind} for kind in kinds]
    assert len(set(file_names(DEFAULT, documents))) == 3
    with pytest.raises(CvbuildError) as caught:
        file_names("{name}", documents, span=NAME_PLACE)
    assert str(caught.value) == (
        "applications/x.yaml:3:11: two documents would have the same file name: "
        '"Gyeong-In-Yu.pdf"; put {kind} into the pattern'
    )
    with pytest.raises(CvbuildError, match=r'same file name: "cv\.pdf"'):
        file_names("cv", documents)
    with pytest.raises(CvbuildError, match=r'"a\.pdf" and "A\.pdf"'):
        distinct(["a.pdf", "b.pdf", "A.pdf"], NAME_PLACE, "")


BOTH = ["letter-opening", "letter-closing"]


def greetings(text: str) -> list[str]:
    node = Node((3, 1, 4, 1), None, {}, "a.yaml")
    source = Source("a.yaml", "", node).grafted(PATH, node)
    body = Body(parse(text)[0])
    diagnostics = list(check_greetings(body, source))
    assert all(str(one).startswith("a.yaml:3:1: warning: the letter gets") for one in diagnostics)
    assert all(one.hint for one in diagnostics)
    return [one.code for one in diagnostics]


@pytest.mark.parametrize(("letter", "own"), rows("applications/greetings.txt"))
def test_what_is_a_second_greeting_or_closing(letter: str, own: str) -> None:
    _, _, text = letter.rstrip("\n").partition("\n")
    assert greetings(text) == [f"letter-{word}" for word in own.split() if word != "neither"]


#: Greetings of these end with no mark.
UNMARKED = {"da", "et", "ja", "ko", "th"}


@pytest.mark.parametrize("locale", sorted(known() - UNMARKED))
def test_the_words_of_each_language_are_known(locale: str) -> None:
    words = table(locale).words
    opening, closing = words["letter-opening-name"].format(name="Lin"), words["letter-closing"]
    assert greetings(f"{opening}\n\nText.\n\n{closing}\\\nAda Example") == BOTH
    assert greetings(f"{words['letter-opening']}\n\nText.") == BOTH[:1]
