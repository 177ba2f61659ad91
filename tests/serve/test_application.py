"""Applications in Chromium: begun, written, made, sent; and the whole way there from nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import Browser, Dialog, FilePayload, Page, expect
from serve import desks
from serve.desks import ADA, EXAMPLES, Desk, Start, started
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


#: The same for the form, with its letter in itself.
OWN = """\
# For the lab.
person: ada
employer: Other Lab  # in Exampleton
position: Scientist

letter: |
  I would like to join your *group*.

  - One reason
  - Another
"""
FILES = {
    "people/ada.yaml": ADA,
    "applications/example-lab.yaml": LAB,
    "applications/cover.md": COVER,
    "applications/lab.yaml": OWN,
}
Starts = Callable[..., AbstractContextManager[Start]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("applied")
    for name in ("people", "applications"):
        (folder / name).mkdir()
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with desks.begun(folder) as begun:
        yield begun


@pytest.fixture
def starts(browser: Browser, server: Server, folder: Path) -> Starts:
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return partial(started, browser, server, folder)


@pytest.fixture
def page(starts: Starts) -> Iterator[Page]:
    with starts() as start:
        start.page.locator('[data-application="example-lab"]').click()
        expect(start.page.locator("#person-name")).to_have_text("Example Lab")
        expect(start.page.locator(".sheet img").first).to_be_visible()
        yield start.page


def say(page: Page, text: str) -> None:
    desk = Desk(page, Path())
    desk.say(text)
    desk.saved()


def looked(page: Page) -> None:
    page.locator("#packet-button").click()
    expect(page.locator("#packet-actions")).to_be_visible()


def test_an_application_and_its_letter_are_edited_beside_their_pages(
    page: Page, folder: Path
) -> None:
    assert [one.strip() for one in page.locator("#tabs button").all_inner_texts()] == [
        "Letter",
        "CV: Plain",
    ]
    Desk(page, Path()).shows("Dr. Lin Example")
    page.locator('.spot[aria-label="Dr. Lin Example"]').click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("name: Dr. Lin Example")
    say(page, LAB.replace("Lin Example", "Kim Example"))
    Desk(page, Path()).shows("Dr. Kim Example")
    assert "Kim" in (folder / "applications" / "example-lab.yaml").read_text("utf-8")
    say(page, LAB.replace("position", "positon"))
    expect(page.locator("#earlier")).to_contain_text('did you mean "position"?')
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator("#earlier")).to_be_hidden()
    page.locator("#letter-button").click()
    expect(page.locator("#person-path")).to_have_text("applications/cover.md")
    say(page, COVER.replace("research group", "team of examples"))
    Desk(page, Path()).shows("team of examples")
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
    starts: Starts, folder: Path
) -> None:
    sent = folder / "applications" / "sent"
    with starts() as start:
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
    with page.expect_download() as download:
        page.locator("#download-pdf").click()
    name = download.value.suggested_filename
    assert re.fullmatch(r"[A-Z][-\w]+_Anschreiben\.pdf", name), name


def is_kept_once(page: Page) -> None:
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
    with desks.begun(tmp_path) as server, started(browser, server, tmp_path) as start:
        page = start.page
        page.locator("#import-files").set_input_files(EXAMPLES / "docx" / "given.docx")
        count = page.locator("#review-count")
        expect(count).to_have_text("1")
        expect(page.locator("#view-form")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#review-title")).to_have_text("Imported from given.docx")
        expect(page.locator("#review-list .now .doubt")).to_be_focused()
        page.keyboard.press("Enter")
        expect(count).to_have_text("0")
        expect(page.locator("#state")).to_have_text("Saved")
        (person,) = (tmp_path / "people").iterdir()
        assert "# ?" not in person.read_text("utf-8")
        start.again()
        page.locator("#application-new").click()
        page.keyboard.type("Beispiel GmbH")
        page.locator("#application-position").fill("Ingenieurin")
        page.locator("#application-locale").select_option("de")
        page.get_by_role("button", name="Begin").click()
        Desk(page, Path()).shows("Two or three paragraphs")
        page.locator('.part[data-path="letter"]').click()
        words = "Ihre Arbeit ist die, an der ich arbeiten will."
        page.locator("#fields").get_by_label("Text", exact=True).fill(words)
        Desk(page, Path()).shows("Ihre Arbeit")
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


def test_axe_finds_nothing(starts: Starts) -> None:
    with starts(bypass_csp=True) as start:
        page = start.page
        page.locator("#application-new").click()
        has_no_fault(page)
        page.locator('[data-application="example-lab"]').click()
        looked(page)
        page.locator("#packet-sent").click()
        has_no_fault(page)


#: As much of a PDF as is looked at.
PDF = b"%PDF-1.7\n"


@pytest.fixture
def file(folder: Path) -> Path:
    return folder / "applications" / "lab.yaml"


@pytest.fixture
def desk(starts: Starts, file: Path) -> Iterator[Desk]:
    with starts() as start:
        start.page.locator(f'[data-application="{file.stem}"]').click()
        start.page.locator("#view-form").click()
        desk = Desk(start.page, file)
        desk.shows("your group")
        yield desk


def test_what_is_typed_and_chosen_is_in_the_file_and_on_the_pages(desk: Desk) -> None:
    page = desk.page
    desk.part("")
    expect(page.locator("#add-button")).to_be_hidden()
    expect(page.locator(".part")).to_have_text(
        ["Application", "Recipient", "Letter", "E-mail", "Limits"]
    )
    desk.field("Position").fill("Senior Scientist")
    desk.shows("Application for Senior Scientist")
    text = OWN.replace("Scientist", "Senior Scientist")
    desk.becomes(text)
    expect(desk.field("Who")).to_have_value("ada")
    desk.field("Variant").select_option("short")
    text = text.replace("person: ada\n", "person: ada\nvariant: short\n")
    desk.becomes(text)
    expect(page.locator("#tabs")).to_contain_text("CV: short")
    # A variant and a style are two documents: that is said where the second was chosen.
    desk.field("Style").select_option("Industry")
    problem = page.locator('.field[data-name="template"] .problem')
    expect(problem).to_contain_text("CV is one document")
    desk.field("Style").select_option("")
    expect(problem).to_be_empty()
    desk.field("Language").select_option("German")
    desk.shows("Bewerbung als Senior Scientist")
    desk.field("Deadline").fill("2999-06-30")
    text = text.replace("variant: short\n", "variant: short\nlocale: de\n").replace(
        "Senior Scientist\n", "Senior Scientist\ndeadline: 2999-06-30\n"
    )
    desk.becomes(text)
    for _ in range(4):
        desk.field("Who").focus()
        page.keyboard.press("ControlOrMeta+z")
        page.wait_for_timeout(300)
    assert eventually(lambda: "deadline" not in desk.file.read_text("utf-8"))


def test_a_letter_and_a_recipient_are_written(desk: Desk) -> None:
    page = desk.page
    desk.part("letter")
    box = desk.field("Text")
    letter = OWN[OWN.index("I would") :].replace("\n  ", "\n").replace("*group*", "group").strip()
    expect(box).to_have_text(letter)
    expect(box.locator("i")).to_have_text("group")
    box.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("\n\nI could begin in May.")
    desk.shows("begin in May")
    expect(box).to_be_focused()
    text = f"{OWN}\n  I could begin in May.\n"
    desk.becomes(text)
    desk.part("recipient")
    desk.field("Name").fill("Dr. Lin Example")
    desk.field("Address").fill("1 Example Square\nExampleton")
    desk.shows("Exampleton")
    # What wasn't there stays open when it is.
    expect(page.locator("#part-title")).to_have_text("Recipient")
    expect(desk.field("Name")).to_have_value("Dr. Lin Example")
    lines = (
        "recipient:\n  name: Dr. Lin Example\n  address: |-\n    1 Example Square\n    Exampleton\n"
    )
    desk.has(lines)
    desk.part("letter")
    # The letter becomes a mapping while the next field is typed in.
    desk.field("Opening").click()
    page.keyboard.type("Dear Lin,")
    page.keyboard.press("Tab")
    page.wait_for_timeout(100)
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("\n\nI also like forges, and I know how to keep a fire.", delay=90)
    desk.shows("Dear Lin,")
    expect(desk.field("Text")).to_be_focused()
    expect(desk.field("Text")).to_have_text(
        f"{letter}\n\nI could begin in May.\n\nI also like forges, and I know how to keep a fire."
    )
    desk.has("keep a fire")
    for _ in range(7):
        page.keyboard.press("ControlOrMeta+z")
        page.wait_for_timeout(300)
    desk.becomes(OWN)


def test_a_new_application_begins_as_a_form(starts: Starts, folder: Path) -> None:
    with starts() as start:
        page = start.page
        desk = Desk(page, folder / "applications" / "other-works.yaml")
        page.locator("#application-new").click()
        page.keyboard.type("Other Works")
        page.locator("#application-position").fill("Smith")
        page.get_by_role("button", name="Begin").click()
        expect(desk.field("Employer")).to_have_value("Other Works")
        desk.part("letter")
        desk.field("Text").fill("You forge, and so do I.")
        desk.shows("so do I")
        page.locator("#cv-button").click()
        expect(page.locator("#add-button")).to_be_visible()
        expect(page.locator(".part").first).to_have_text("Name and contact")
    text = desk.file.read_text("utf-8")
    assert text.endswith("letter: |\n  You forge, and so do I.\n")
    assert "# recipient:" in text


def test_axe_finds_nothing_in_its_form(starts: Starts, file: Path) -> None:
    with starts(bypass_csp=True) as start:
        page, desk = start.page, Desk(start.page, file)
        page.locator(f'[data-application="{file.stem}"]').click()
        page.locator("#view-form").click()
        for path in ("", "recipient", "letter", "message"):
            desk.part(path)
            has_no_fault(page)
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator("#pane-form").click()
        has_no_fault(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_attachments_are_chosen_and_kept_beside_it(desk: Desk) -> None:
    page, file = desk.page, desk.file
    field = page.locator('.field[data-name="attachments"]')
    chooser = field.locator("input[type=file]")
    pdf: FilePayload = {"name": "Diploma of 2020.PDF", "mimeType": "application/pdf", "buffer": PDF}
    page.get_by_role("button", name="+ Attachment").click()
    note: FilePayload = {"name": "../../note.pdf", "mimeType": "", "buffer": b"no PDF"}
    chooser.set_input_files([pdf, note])
    expect(field.locator(".problem")).to_contain_text('"note.pdf" is not a PDF; save or print it')
    expect(field.get_by_label("Attachment 1 of 1")).to_have_value("Diploma of 2020.pdf")
    kept = file.with_name("Diploma of 2020.pdf")
    assert kept.read_bytes() == PDF
    # Another one of that name gets a number, the same one is named once.
    other: FilePayload = {"name": pdf["name"], "mimeType": "", "buffer": PDF + b"%"}
    chooser.set_input_files([other, pdf])
    expect(field.get_by_label("Attachment 2 of 2")).to_have_value("Diploma of 2020-2.pdf")
    expected = "\nattachments: [Diploma of 2020.pdf, Diploma of 2020-2.pdf]\n"
    desk.has(expected)
    names = sorted(path.name for path in file.parent.glob("*.pdf"))
    assert names == ["Diploma of 2020-2.pdf", "Diploma of 2020.pdf"]


ADVERT = """\
Senior Scientist (f/m/d)

The Sample Institute is looking for a senior scientist.
Reference: 2027-14
Closing date: 31 March 2999
Contact: Dr. Lin Example, jobs@example.org
"""


def test_an_advert_fills_in_what_is_not_written_and_each_is_looked_at(desk: Desk) -> None:
    page = desk.page
    desk.part("")
    page.get_by_text("Fill in from the advert").click()
    page.locator("#advert-text").fill(ADVERT)
    page.get_by_role("button", name="Read it").click()
    said = page.locator("#advert-said")
    expect(said).to_contain_text(
        "Filled in, to be looked at: reference, deadline, e-mail. Yours stays: employer, position."
    )
    mark = "  # ? read from the advert"
    filled = OWN.replace(
        "position: Scientist\n",
        f"position: Scientist\nreference: 2027-14{mark}\ndeadline: 2999-03-31{mark}\n",
    )
    filled += f"recipient:\n  email: jobs@example.org{mark}\n"
    desk.becomes(filled)
    desk.shows("Application for Scientist (2027-14)")
    expect(page.locator("#review-count")).to_have_text("3")
    expect(page.locator("#advert")).to_have_value(ADVERT)
    # What is right keeps its value; what is changed isn't of the advert any more.
    reference = page.locator('.field[data-name="reference"]')
    expect(reference.locator(".guess")).to_contain_text("read from the advert")
    page.get_by_role("button", name="Reference is right").click()
    expect(reference.locator(".guess")).to_be_hidden()
    desk.becomes(filled.replace(f"2027-14{mark}", "2027-14"))
    desk.field("Deadline").fill("2999-06-30")
    expect(page.locator('.field[data-name="deadline"] .guess')).to_be_hidden()
    changed = filled.replace(f"2027-14{mark}", "2027-14")
    desk.becomes(changed.replace(f"2999-03-31{mark}", "2999-06-30"))
    expect(page.locator("#review-count")).to_have_text("1")
    # All that was filled in is one step of undo.
    for _ in range(3):
        desk.field("Who").focus()
        page.keyboard.press("ControlOrMeta+z")
        page.wait_for_timeout(300)
    desk.becomes(OWN)


def test_an_application_begins_from_its_advert(starts: Starts, folder: Path) -> None:
    with starts() as start:
        page = start.page
        desk = Desk(page, folder / "applications" / "sample-institute.yaml")
        page.locator("#application-new").click()
        languages = page.locator("#application-locale option").all_inner_texts()
        assert (languages[0], "German" in languages) == ("that of the CV", True)
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#application-said")).to_have_text("Write the employer first.")
        expect(page.locator("#application-employer")).to_be_focused()
        imports: list[str] = []
        page.on("request", lambda sent: imports.append(sent.url) if "/import" in sent.url else None)
        page.locator("#application-advert").focus()
        desks.paste(page, "# A post, not a person")
        page.locator("#application-advert").fill("Come and work with us!")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator("#application-said")).to_contain_text("doesn't say the employer")
        page.locator("#application-advert").fill(ADVERT)
        # It is read at once.
        employer = page.get_by_placeholder("Sample Institute", exact=True)
        expect(employer).to_have_id("application-employer")
        expect(page.locator("#application-said")).to_contain_text(
            "Filled in, to be looked at: employer"
        )
        page.locator("#application-deadline").fill("2999-02-28")
        page.locator("#application-locale").select_option(label="German")
        page.get_by_role("button", name="Begin").click()
        expect(desk.field("Position")).to_have_value("Senior Scientist")
        desk.has("employer: Sample Institute  # ? read from the advert\n", "locale: de\n")
        desk.has("deadline: 2999-02-28\n")
        desk.has("email: jobs@example.org  # ? read from the advert\n")
        # The letter is still that of a new file: whoever takes the draft is asked.
        asked: list[str] = []
        page.locator("#packet-button").click()
        expect(page.locator("#packet-actions")).to_be_visible()

        def no(dialog: Dialog) -> None:
            asked.append(dialog.message)
            dialog.dismiss()

        page.once("dialog", no)
        page.locator("#packet-eml").click()
        expect(page.locator("#packet-state")).to_have_text("")
        assert "Get it all the same?" in asked[0]
        page.once("dialog", lambda dialog: dialog.accept())
        with page.expect_download() as draft:
            page.locator("#packet-eml").click()
        assert draft.value.suggested_filename == "sample-institute.eml"
    assert imports == []
    desk.file.unlink()


def test_an_advert_as_a_text_file_is_read_and_others_are_refused(desk: Desk) -> None:
    page, said = desk.page, desk.page.locator("#advert-said")
    desk.part("")
    page.get_by_text("Fill in from the advert").click()
    page.get_by_role("button", name="Read it").click()
    expect(said).to_have_text("Paste the text of the advert first.")
    chooser = page.locator("#advert-file")

    def given(data: bytes) -> FilePayload:
        return {"name": "advert", "mimeType": "", "buffer": data}

    chooser.set_input_files(given(b"%PDF-1.7\n"))
    expect(said).to_contain_text("advert is no text. Open it, copy the advert")
    chooser.set_input_files(given(b"a" * (2 << 20)))
    expect(said).to_contain_text("more than 1 MiB")
    # Pasted, so much never comes into the box; typed by a script, the server refuses it.
    page.locator("#advert-text").focus()
    desks.paste(page, "a" * (2 << 20))
    page.locator("#advert-text").evaluate("(box) => (box.value = 'a'.repeat(2 << 20))")
    said.evaluate("(box) => (box.textContent = '')")
    page.get_by_role("button", name="Read it").click()
    expect(said).to_contain_text("advertisement is larger than 1 MiB")
    page.locator("#advert-text").fill("")
    chooser.set_input_files(given("<p>الموعد النهائي: ٣١ مارس ٢٩٩٩</p>".encode()))
    expect(said).to_contain_text("Filled in, to be looked at: deadline.")
    desk.has("deadline: 2999-03-31  # ? read from the advert")
    chooser.set_input_files(given(b"Nothing is said here."))
    # What the file has itself isn't missed.
    expect(said).to_have_text("Not found: reference, e-mail. ")


def test_axe_finds_nothing_in_what_an_advert_says(starts: Starts, file: Path) -> None:
    with starts(bypass_csp=True) as start:
        page, desk = start.page, Desk(start.page, file)
        page.locator(f'[data-application="{file.stem}"]').click()
        page.locator("#view-form").click()
        desk.part("")
        page.get_by_text("Fill in from the advert").click()
        page.locator("#advert-text").fill(ADVERT)
        page.get_by_role("button", name="Read it").click()
        expect(page.locator(".guess:visible")).to_have_count(2)
        has_no_fault(page)
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator("#pane-form").click()
        has_no_fault(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_application_that_is_loaded_again_is_still_open(desk: Desk) -> None:
    page = desk.page
    page.reload()
    desk.shows("your group")
    expect(page.locator("#person-path")).to_have_text("applications/lab.yaml")
    # One that is gone leads to the start, which says so.
    page.evaluate("history.replaceState(null, '', '#applications%2Fgone')")
    page.reload()
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator("#told")).to_contain_text('there is no person "applications/gone"')
