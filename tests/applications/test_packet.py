"""A packet holds what it should, byte for byte; whatever fails leaves the old one as it was."""

from __future__ import annotations

import email
import email.policy
import io
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from texlive import demand_embedded

from cvbuild.applications import documents, load, packet
from cvbuild.applications.packet import Packet
from cvbuild.building import batch
from cvbuild.building.outcome import Outcome
from cvbuild.common import safe_files, safe_folders
from cvbuild.common.errors import CvbuildError
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
            cv = documents.of(load.load("demo", DAY), request.library, DAY).cv
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
