"""Applications in Chromium: begun, written, made, sent; and the whole way there from nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import Browser, Page, expect
from serve import desks
from serve.desks import ADA
from serve.start_page import EXAMPLES, Start, opened
from serving import Server
from waits import eventually

LAB = """\
person: ada
template: plain
employer: Example Lab
position: Research Scientist
deadline: 2999-06-30
recipient:
  name: Dr. Lin Example
  email: jobs@example.org
letter: cover.md
"""
COVER = "I would like to join your *research group*.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an application whose letter is a file of its own."""
    folder = tmp_path_factory.mktemp("applied")
    write(folder)
    return folder


def write(folder: Path) -> None:
    """Write the workspace as it is at first."""
    for name, text in (
        ("people/ada.yaml", ADA),
        ("applications/example-lab.yaml", LAB),
        ("applications/cover.md", COVER),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """One server for all tests."""
    with desks.begun(folder) as begun:
        yield begun


@pytest.fixture
def page(browser: Browser, server: Server, folder: Path) -> Iterator[Page]:
    """The application, opened from the start page."""
    write(folder)
    with opened(browser, server, folder) as start:
        start.page.locator('[data-application="example-lab"]').click()
        expect(start.page.locator("#person-name")).to_have_text("Example Lab")
        expect(start.page.locator(".sheet img").first).to_be_visible()
        yield start.page


def say(page: Page, text: str) -> None:
    """Write the whole text anew, and wait until it is saved."""
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)
    expect(page.locator("#state")).to_have_text("Saved")


def shows(page: Page, words: str) -> None:
    """Wait until the pages show words of the file that is edited."""
    expect(page.locator(f'.spot[aria-label*="{words}"]').first).to_be_attached()


def looked(page: Page) -> None:
    """Open the panel, and wait until everything is made."""
    page.locator("#packet-button").click()
    expect(page.locator("#packet-actions")).to_be_visible()


def test_an_application_and_its_letter_are_edited_beside_their_pages(
    page: Page, folder: Path
) -> None:
    assert [one.strip() for one in page.locator("#tabs button").all_inner_texts()] == [
        "Letter",
        "CV: Plain",
    ]
    shows(page, "Dr. Lin Example")
    page.locator('.spot[aria-label="Dr. Lin Example"]').click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("name: Dr. Lin Example")
    say(page, LAB.replace("Lin Example", "Kim Example"))
    shows(page, "Dr. Kim Example")
    assert "Kim" in (folder / "applications" / "example-lab.yaml").read_text("utf-8")
    say(page, LAB.replace("position", "positon"))
    expect(page.locator("#earlier")).to_contain_text('did you mean "position"?')
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator("#earlier")).to_be_hidden()
    page.locator("#letter-button").click()
    expect(page.locator("#person-path")).to_have_text("applications/cover.md")
    say(page, COVER.replace("research group", "team of examples"))
    shows(page, "team of examples")
    assert "team of examples" in (folder / "applications" / "cover.md").read_text("utf-8")
    page.locator("#letter-button").click()
    expect(page.locator("#person-path")).to_have_text("applications/example-lab.yaml")
    page.locator("#packet-button").click()
    page.locator("#cv-button").click()
    expect(page.locator("#person-name")).to_have_text("Ada Example")
    expect(page.locator("#packet-button")).to_be_hidden()
    expect(page.locator("#drawer")).to_be_hidden()
    page.locator("#person").click()
    page.get_by_role("option", name="Example Lab").click()
    expect(page.locator("#person-path")).to_have_text("applications/example-lab.yaml")


def test_a_packet_is_byte_for_byte_that_of_the_command(
    page: Page, folder: Path, tmp_path: Path
) -> None:
    looked(page)
    look = page.locator("#packet-look")
    expect(look).to_contain_text("jobs@example.org")
    expect(look).to_contain_text("Research Scientist, Ada Example")
    expect(look).to_contain_text("Dear Dr. Lin Example,")
    assert not (folder / "out").exists()
    with page.expect_download() as draft:
        page.locator("#packet-eml").click()
    assert draft.value.suggested_filename == "example-lab.eml"
    copy = tmp_path / "copy"
    for name in ("people", "applications"):
        shutil.copytree(folder / name, copy / name)
    command = [sys.executable, "-m", "cvbuild", "apply", "example-lab", "--json"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    made = Path(json.loads(done.stdout)["packets"][0]["folder"])
    theirs = {path.name: path.read_bytes() for path in (copy / made).iterdir()}
    assert Path(draft.value.path()).read_bytes() == theirs["message.eml"]
    for name, data in theirs.items():
        with page.expect_download() as file:
            look.get_by_role("button", name=name, exact=True).click()
        assert file.value.suggested_filename == name
        assert Path(file.value.path()).read_bytes() == data


def test_the_copy_is_of_the_draft_that_was_taken(page: Page, folder: Path) -> None:
    looked(page)
    with page.expect_download() as draft:
        page.locator("#packet-eml").click()
    say(page, LAB.replace("Dr. Lin", "Prof. Kim"))
    expect(page.locator("#packet-look")).to_contain_text("Dear Prof. Kim Example,")
    page.locator("#packet-sent").click()
    expect(page.locator("#packet-ask")).to_contain_text("has changed since you took it")
    page.locator("#packet-yes").click()
    expect(page.locator("#packet-state")).to_contain_text("Kept as it was sent")
    (kept,) = (folder / "applications" / "sent").glob("[!.]*")
    assert (kept / "message.eml").read_bytes() == Path(draft.value.path()).read_bytes()
    assert "Dr. Lin" in (kept / "inputs" / "applications" / "example-lab.yaml").read_text("utf-8")
    expect(page.locator("#packet-look .changed summary")).to_have_text("1 change since")
    # Nothing was taken since: the copy is of what is there.
    page.locator("#packet-sent").click()
    expect(page.locator("#packet-other")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#packet-ask")).to_be_hidden()
    shutil.rmtree(folder / "applications" / "sent")


def test_a_browser_that_is_closed_meanwhile_leaves_nothing_half(
    browser: Browser, server: Server, folder: Path
) -> None:
    write(folder)
    sent = folder / "applications" / "sent"
    with opened(browser, server, folder) as start:
        start.page.locator('[data-application="example-lab"]').click()
        looked(start.page)
        say(start.page, LAB.replace("Lin", "Kim"))
        start.page.locator("#packet-sent").click()
        start.page.locator("#packet-yes").click()
        expect(start.page.locator("#packet-state")).to_have_text("Keeping a copy…")
    # The page is gone. What was asked for is whole, or not there.
    eventually(lambda: any(sent.glob("2*")))
    (kept,) = sent.glob("2*")
    names = {path.name for path in kept.iterdir()}
    assert {"message.eml", "SHA256SUMS", "inputs"} <= names
    assert len(names) == 8
    assert b"Kim" in (kept / "message.eml").read_bytes()
    shutil.rmtree(sent)


def test_what_cannot_be_made_says_why(page: Page) -> None:
    say(page, LAB + "attachments: [transcript.pdf]\n")
    page.locator("#packet-button").click()
    expect(page.locator("#packet-state")).to_contain_text('There is no file "transcript.pdf"')
    expect(page.locator("#packet-actions")).to_be_hidden()


def is_named_after_the_person(page: Page) -> None:
    """A letter that is downloaded has the person's name, and the word of its language."""
    with page.expect_download() as download:
        page.locator("#download-pdf").click()
    name = download.value.suggested_filename
    assert re.fullmatch(r"[A-Z][-\w]+_Anschreiben\.pdf", name), name


def is_kept_once(page: Page) -> None:
    """The panel says on top what is kept; the same once more is refused."""
    first = page.locator("#packet-look > :first-child")
    expect(first).to_contain_text("Sent ")
    first.get_by_text("Open what was sent").click()
    with page.expect_download() as download:
        first.get_by_role("button", name="message.eml").click()
    expect(page.locator("#packet-state")).to_contain_text("as it was sent")
    assert b"Subject:" in Path(download.value.path()).read_bytes()
    expect(first).to_contain_text("Nothing has changed since.")
    page.get_by_role("button", name="I have sent it again").click()
    expect(page.locator("#packet-ask")).to_contain_text("is kept already")
    page.locator("#packet-yes").click()
    expect(page.locator("#packet-state")).to_contain_text("Already sent on")


def says_what_changed(page: Page, words: str, start: Start) -> None:
    """What is edited after it was sent is listed, with the words that are new; then it is left."""
    text = page.locator("#fields").get_by_label("Text", exact=True)
    text.fill(words.replace("arbeiten", "lange arbeiten"))
    changed = page.locator("#packet-look .changed")
    expect(changed.locator("summary")).to_have_text("1 change since")
    expect(changed.locator("ins")).to_have_text(["lange"])
    expect(changed).to_contain_text("letter, changed: Ihre Arbeit")
    start.again()


@pytest.mark.deep
def test_from_an_empty_folder_to_what_was_sent_without_a_terminal(
    browser: Browser, tmp_path: Path
) -> None:
    with desks.begun(tmp_path) as server, opened(browser, server, tmp_path) as start:
        page = start.page
        page.locator("#import-files").set_input_files(EXAMPLES / "docx" / "given.docx")
        count = page.locator("#review-count")
        expect(count).to_have_text("2")
        expect(page.locator("#view-form")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#review-title")).to_have_text("Imported from given.docx")
        for left in ("1", "0"):
            expect(page.locator("#review-list .now .doubt")).to_be_focused()
            page.keyboard.press("Enter")
            expect(count).to_have_text(left)
        expect(page.locator("#state")).to_have_text("Saved")
        (person,) = (tmp_path / "people").iterdir()
        assert "# ?" not in person.read_text("utf-8")
        start.again()
        page.locator("#application-new").click()
        page.keyboard.type("Beispiel GmbH")
        page.locator("#application-position").fill("Ingenieurin")
        page.locator("#application-locale").select_option("de")
        page.get_by_role("button", name="Begin").click()
        shows(page, "Two or three paragraphs")
        page.locator('.part[data-path="letter"]').click()
        words = "Ihre Arbeit ist die, an der ich arbeiten will."
        page.locator("#fields").get_by_label("Text", exact=True).fill(words)
        shows(page, "Ihre Arbeit")
        looked(page)
        look = page.locator("#packet-look")
        expect(look.locator("h3")).to_contain_text(["Attached: ", "E-mail", "Also made"])
        expect(look).to_contain_text("Bewerbung als Ingenieurin")
        expect(look).to_contain_text("Sehr geehrte Damen und Herren,")
        with page.expect_download():
            page.locator("#packet-eml").click()
        is_named_after_the_person(page)
        page.locator("#packet-sent").dblclick()
        page.locator("#packet-no").click()
        assert not (tmp_path / "applications" / "sent").exists()
        page.locator("#packet-sent").click()
        page.locator("#packet-yes").click()
        expect(page.locator("#packet-state")).to_contain_text("Kept as it was sent")
        expect(page.locator("#packet-state")).to_be_in_viewport()
        assert (
            page.locator("#packet-foot").evaluate("foot => getComputedStyle(foot).position")
            == "sticky"
        )
        is_kept_once(page)
        says_what_changed(page, words, start)
        expect(page.locator("#start-notice")).to_have_text("")
        row = page.locator('[data-application="beispiel-gmbh"]')
        expect(row).to_contain_text("sent")
    (kept,) = (tmp_path / "applications" / "sent").glob("[!.]*")
    assert {"SHA256SUMS", "message.eml", "inputs"} <= {path.name for path in kept.iterdir()}
    command = [sys.executable, "-m", "cvbuild", "applications", "verify"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "as it was sent" in done.stdout) == (0, True), done


def test_an_application_is_copied_with_the_file_of_its_letter(page: Page, folder: Path) -> None:
    page.locator("#person").click()
    page.locator("#people-start").click()
    page.get_by_role("button", name="More for Example Lab", exact=True).click()
    page.get_by_role("menuitem", name="Duplicate").click()
    expect(page.locator("#applications-said")).to_have_text(
        "A copy of Example Lab is in applications/example-lab-2.yaml."
    )
    copy = folder / "applications" / "example-lab-2.yaml"
    assert copy.read_text("utf-8") == LAB.replace("cover.md", "cover-2.md")
    expect(page.locator('[data-application="example-lab-2"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#person-path")).to_have_text("applications/example-lab-2.yaml")
    page.locator("#letter-button").click()
    expect(page.locator("#person-path")).to_have_text("applications/cover-2.md")
    say(page, "Another letter.\n")
    assert (folder / "applications" / "cover.md").read_text("utf-8") == COVER
    copy.unlink()
    copy.with_name("cover-2.md").unlink()


def test_an_application_is_removed_and_put_back(page: Page, folder: Path) -> None:
    file = folder / "applications" / "example-lab.yaml"
    before, letter = file.read_bytes(), file.with_name("cover.md")
    page.locator("#person").click()
    page.locator("#people-start").click()
    said, row = page.locator("#applications-said"), page.locator("[data-application=example-lab]")
    page.locator("[data-more=example-lab]").click()
    page.get_by_role("menuitem", name="Remove").click()
    expect(said).to_have_text("Example Lab is in applications/removed/example-lab.yaml now.")
    expect(row).to_have_count(0)
    # It was open: nothing is said of that. Other files may name the letter.
    expect(page.locator("#conflict")).to_be_hidden()
    assert (file.exists(), letter.exists()) == (False, True)
    back = page.get_by_role("button", name="Put back example-lab", exact=True)
    expect(back).to_be_focused()
    page.keyboard.press("Enter")
    expect(said).to_have_text("Example Lab is here again.")
    assert file.read_bytes() == before
    row.click()
    expect(page.locator("#person-path")).to_have_text("applications/example-lab.yaml")
    (folder / "applications" / "removed").rmdir()


def test_axe_finds_nothing(browser: Browser, server: Server, folder: Path) -> None:
    write(folder)
    with opened(browser, server, folder, bypass_csp=True) as start:
        page = start.page
        page.locator("#application-new").click()
        has_no_fault(page)
        page.locator('[data-application="example-lab"]').click()
        looked(page)
        page.locator("#packet-sent").click()
        has_no_fault(page)
