"""A packet holds what it should, byte for byte; whatever fails leaves the old one as it was."""

from __future__ import annotations

import email
import email.policy
import io
import os
from collections.abc import Callable, Iterator
from datetime import date
from email.message import EmailMessage
from pathlib import Path

import pikepdf
import pytest
from msgspec.structs import replace
from texlive import demand_embedded

from cvbuild.applications import documents, load
from cvbuild.applications.documents import Documents
from cvbuild.applications.load import LoadedApplication
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.building.outcome import Outcome
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_folders
from cvbuild.common.files.safe_folders import Folder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings

ROOT = Path(__file__).resolve().parents[2]
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
    """A workspace, whose documents are built once."""
    demand_embedded()
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture
def build(workspace: Path, tex_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Builds the packet of the application ``text``."""
    monkeypatch.chdir(workspace)
    for folder in ("people", "applications"):
        Path(folder).mkdir(exist_ok=True)
    Path("people/ada.yaml").write_text(ADA, encoding="utf-8")
    Path("applications/transcript.pdf").write_bytes(pdf("transcript"))
    first = Settings(Path("out"), Library.at(), today=seconds(DAY), cache=tex_cache)

    def built(text: str = APPLICATION, **changes: object) -> Packet:
        Path("applications/demo.yaml").write_text(text, encoding="utf-8")
        changed = {"engine": "embedded", **changes}
        return assemble.build(load.load("demo", DAY), replace(first, **changed))

    return built


def seconds(day: date) -> int:
    return (day - date(1970, 1, 1)).days * 86400


def pdf(words: str) -> bytes:
    """A PDF of one page without tags."""
    content = io.BytesIO()
    with pikepdf.new() as document:
        document.add_blank_page()
        document.docinfo.Subject = words
        document.save(content, deterministic_id=True)
    return content.getvalue()


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """What is in a folder, and when it was written."""
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
    """What a message says."""
    body = found.get_body()
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def messages(caught: pytest.ExceptionInfo[CvbuildError]) -> list[str]:
    return [item.message for item in caught.value.diagnostics]


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
    text = (made.folder / TEXT).read_text(encoding="utf-8")
    assert text.startswith("Ada Exämple\n")
    assert "- One point\n" in text
    assert "I would like to come.\n" in (made.folder / LETTER_TEXT).read_text(encoding="utf-8")


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
        ("pdf", "2:10: pdf is made already; leave it out"),
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
    (first.folder / TEXT).write_text("touched", encoding="utf-8")
    (first.folder / "more.txt").write_text("more", encoding="utf-8")
    assert not build().cached
    assert {name: found[0] for name, found in state(first.folder).items()} == {
        name: found[0] for name, found in before.items()
    }
    assert not [path for path in first.folder.parent.iterdir() if path.name.startswith(".")]


def test_a_packet_is_of_one_text(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run builds the CV, of a newer text, before the packet takes it."""
    outcomes, newer = assemble._outcomes, [ADA.replace("Exämple", "Newer")]

    def meanwhile(
        tasks: Documents, loaded: LoadedApplication, settings: Settings
    ) -> Iterator[Outcome]:
        yield from outcomes(tasks, loaded, settings)
        if newer:
            Path("people/ada.yaml").write_text(newer.pop(), encoding="utf-8")
            cv = documents.of(loaded, settings.library, DAY).cv
            assert [one.path for one in outcomes(Documents(cv, None), loaded, settings)] != [None]

    monkeypatch.setattr(assemble, "_outcomes", meanwhile)
    made = build()
    assert not newer
    for name in (TEXT, LETTER_TEXT):
        text = (made.folder / name.replace("Example", "Newer", 1)).read_text("utf-8")
        assert ("Newer" in text, "Exämple" in text) == (True, False)


def test_without_letter_and_attachments_there_is_one_pdf(build: Build) -> None:
    made = build("person: ada\nemployer: Example Lab\nposition: Research Scientist\n")
    assert sorted(made.files) == [CV, TEXT, MESSAGE]
    assert mail(made)["To"] is None
    assert [part.get_filename() for part in mail(made).iter_attachments()] == [CV]


def test_an_application_has_options_of_its_own(build: Build) -> None:
    build()
    before = Path("out/ada/academic.pdf").read_bytes()
    made = build(f"{APPLICATION}options: {{accent: '7A1F3D'}}\n")
    assert not made.cached
    assert (made.folder / CV).read_bytes() != before
    assert Path("out/ada/academic.pdf").read_bytes() == before, "that is the person's own"
    assert build(f"{APPLICATION}options: {{accent: '7A1F3D'}}\n").cached


def test_what_is_private_is_in_a_private_packet_alone(build: Build) -> None:
    overlay, phone = Path("people/ada.private.yaml"), "+1 202 555 0123"
    overlay.write_text(f"contact: {{phone: '{phone}'}}\n", encoding="utf-8")
    try:
        made = build()
        assert phone not in (made.folder / TEXT).read_text(encoding="utf-8")
        assert "people/ada.private.yaml" not in dict(made.inputs)
        public = Path("out/ada/academic.pdf").read_bytes()
        made = build(f"{APPLICATION}private: true\n")
        assert phone in (made.folder / TEXT).read_text(encoding="utf-8")
        assert dict(made.inputs)["people/ada.private.yaml"] == overlay
        assert (made.folder / CV).read_bytes() == Path("out/ada/academic.private.pdf").read_bytes()
        assert Path("out/ada/academic.pdf").read_bytes() == public
    finally:
        overlay.unlink()


def test_words_of_ones_own_and_another_language(build: Build) -> None:
    text = f"{APPLICATION}message:\n  subject: Hello\n  body: |\n    One\n    two.\n\n    Three.\n"
    found = mail(build(text))
    assert (found["Subject"], words(found)) == ("Hello", "One\ntwo.\n\nThree.\n")
    Path("people/ada.yaml").write_text(f"headline: Engineer\n{ADA}", encoding="utf-8")
    made = build(f"{APPLICATION}locale: de\nfiles: '{{family}}-{{kind}}'\n")
    # Of the CV: the letter shows the headline too, which isn't told once more.
    said = [one.message for one in made.diagnostics if one.code == "untranslated"]
    assert [one.partition(" texts have no German version")[0].isdecimal() for one in said] == [True]
    german = mail(made)
    sentence = (
        "anbei sende ich Ihnen meine Bewerbung auf die Stelle „Research Scientist“ bei Example"
    )
    assert words(german).startswith(f"Guten Tag Lin Example,\n\n{sentence}")
    assert [part.get_filename() for part in german.iter_attachments()] == [
        "Example-Anschreiben.pdf",
        "Example-Lebenslauf.pdf",
        "Example-Transcript.pdf",
    ]
    # The letter's own opening and closing are those of the message, too.
    opening, closing = "Sehr geehrte Frau Dr. Example,", "Herzliche Grüße"
    own = f"letter:\n  opening: {opening}\n  closing: {closing}\n  body: "
    text = APPLICATION.replace("letter: |\n  ", own)
    greeted = words(mail(build(f"{text}locale: de\n")))
    assert greeted.startswith(f"{opening}\n\n{sentence}")
    assert greeted.endswith(f"\n\n{closing}\nAda Exämple\n")


def test_all_that_is_wrong_is_told_at_once_and_the_old_packet_stays(build: Build) -> None:
    before = state(build().folder)
    with pikepdf.open(Path("applications/transcript.pdf")) as locked:
        secret = pikepdf.Encryption(user="secret", owner="secret")
        locked.save(Path("applications/locked.pdf"), encryption=secret)
    Path("applications/broken.pdf").write_bytes(pdf("whole")[:200])
    text = f"{APPLICATION}  - locked.pdf\n  - broken.pdf\n"
    with pytest.raises(CvbuildError) as caught:
        build(f"{text}files: '{{nmae}}'\n")
    found = messages(caught)
    assert len(found) == 3
    assert found[0].startswith('"locked.pdf" needs a password')
    assert found[1].startswith('"broken.pdf" can\'t be read as a PDF')
    assert found[2].startswith('unknown field "nmae"')
    with pytest.raises(CvbuildError) as caught:
        build(text)
    assert messages(caught) == found[:2]
    assert [str(item.span) for item in caught.value.diagnostics] == [
        "applications/demo.yaml:10:5",
        "applications/demo.yaml:11:5",
    ]
    assert state(Path("out/applications/demo")) == before


def test_a_message_that_is_too_large_is_not_made(build: Build) -> None:
    before = state(build().folder)
    Path("applications/large.pdf").write_bytes(pdf(os.urandom(600_000).hex()))
    with pytest.raises(CvbuildError) as caught:
        build(f"{APPLICATION}  - large.pdf\nsize-limit: 1\n")
    (fault,) = caught.value.diagnostics
    assert fault.code == "too-large"
    assert str(fault.span) == "applications/demo.yaml:11:13"
    assert state(Path("out/applications/demo")) == before


def test_files_of_one_name_are_refused(build: Build) -> None:
    Path("applications/other.pdf").write_bytes(pdf("other"))
    with pytest.raises(CvbuildError, match="two documents would have the same file name"):
        build(f"{APPLICATION}  - {{file: other.pdf, title: transcript}}\n")


@pytest.mark.deep
def test_the_worked_examples_have_variants_and_letters_of_one_page(
    tmp_path: Path, tex_cache: Path
) -> None:
    demand_embedded()
    settings = Settings(tmp_path, Library.at(), seconds(DAY), engine="embedded", cache=tex_cache)
    assert load.slugs(ROOT) == ("example-cloud", "example-institute")
    for slug in load.slugs(ROOT):
        made = assemble.build(load.load(slug, DAY, ROOT), settings, ROOT)
        said = made.application.data
        assert said.variant is not None
        assert said.recipient is not None
        assert str(said.recipient.email).endswith(("@example.org", "@example.com"))
        assert [pages for name, pages in made.pages.items() if "Cover-Letter" in name] == [1]
        assert [item for item in made.diagnostics if item.severity != "note"] == []


# -- the folder ----------------------------------------------------------------------------------


def test_a_swap_that_fails_leaves_the_old_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "demo"
    rename = Folder.rename

    def failing(self: Folder, old: str, new: str, into: Folder | None = None) -> None:
        if old.endswith(".new"):
            raise OSError(28, "no space")
        rename(self, old, new, into)

    with safe_folders.opened(tmp_path) as parent:
        assemble.put(parent, "demo", {"a": b"1"})
        monkeypatch.setattr(Folder, "rename", failing)
        with pytest.raises(OSError, match="no space"):
            assemble.put(parent, "demo", {"a": b"2", "b": b"3"})
    assert {path.name: path.read_bytes() for path in place.iterdir()} == {"a": b"1"}
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_what_a_killed_swap_left_is_put_right(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    with safe_folders.opened(tmp_path) as parent:
        assemble.put(parent, ".demo.old", {"a": b"1"})
        assemble.put(parent, ".demo.new", {"a": b"half"})
        assemble.recover(parent, "demo")
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]
    assert (place / "a").read_bytes() == b"1"
