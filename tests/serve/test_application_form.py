"""An application as a form in Chromium: chosen, typed in, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import Browser, Dialog, FilePayload, expect
from serve import desks
from serve.desks import ADA, Desk
from serve.start_page import opened
from serving import Server
from waits import eventually

#: As much of a PDF as is looked at.
PDF = b"%PDF-1.7\n"

LAB = """\
# For the lab.
person: ada
employer: Example Lab  # in Exampleton
position: Scientist

letter: |
  I would like to join your *group*.

  - One reason
  - Another
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with an application."""
    folder = tmp_path_factory.mktemp("formed-application")
    for name in ("people", "applications"):
        (folder / name).mkdir()
    (folder / "people" / "ada.yaml").write_text(ADA, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """One server for all tests."""
    with desks.begun(folder) as begun:
        yield begun


@pytest.fixture
def file(folder: Path) -> Path:
    """The application's file, as it is at first."""
    path = folder / "applications" / "lab.yaml"
    path.write_text(LAB, encoding="utf-8")
    return path


@pytest.fixture
def desk(browser: Browser, server: Server, folder: Path, file: Path) -> Iterator[Desk]:
    """Its form, beside the letter."""
    with opened(browser, server, folder) as start:
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
    text = LAB.replace("Scientist", "Senior Scientist")
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
    letter = LAB[LAB.index("I would") :].replace("\n  ", "\n").replace("*group*", "group").strip()
    expect(box).to_have_text(letter)
    expect(box.locator("i")).to_have_text("group")
    box.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("\n\nI could begin in May.")
    desk.shows("begin in May")
    expect(box).to_be_focused()
    text = f"{LAB}\n  I could begin in May.\n"
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
    desk.becomes(LAB)


def test_a_new_application_begins_as_a_form(browser: Browser, server: Server, folder: Path) -> None:
    with opened(browser, server, folder) as start:
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


def test_axe_finds_nothing(browser: Browser, server: Server, folder: Path, file: Path) -> None:
    with opened(browser, server, folder, bypass_csp=True) as start:
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
    assert sorted(path.name for path in file.parent.glob("[!lo]*")) == [
        "Diploma of 2020-2.pdf", "Diploma of 2020.pdf"
    ]  # fmt: skip


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
    filled = LAB.replace(
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
    desk.becomes(LAB)


def test_an_application_begins_from_its_advert(
    browser: Browser, server: Server, folder: Path
) -> None:
    with opened(browser, server, folder) as start:
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
        page.locator("#application-advert").evaluate(
            """(box) => {
              const clipboardData = new DataTransfer();
              clipboardData.setData("text/plain", "# A post, not a person");
              box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
            }"""
        )
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
    page.locator("#advert-text").evaluate(
        """(box) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", "a".repeat(2 << 20));
          box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
          box.value = "a".repeat(2 << 20);
        }"""
    )
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


def test_axe_finds_nothing_in_what_an_advert_says(
    browser: Browser, server: Server, folder: Path, file: Path
) -> None:
    with opened(browser, server, folder, bypass_csp=True) as start:
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
