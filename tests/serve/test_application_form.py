"""An application as a form in Chromium: chosen, typed in, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import Browser, FilePayload, expect
from serve import desks
from serve.desks import ADA, Desk, Server
from serve.start_page import opened
from waits import eventually

pytest.importorskip("starlette")

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
        desk = Desk(start.page, file, [])
        desk.shows("your group")
        yield desk


def test_what_is_typed_and_chosen_is_in_the_file_and_on_the_pages(desk: Desk) -> None:
    page = desk.page
    desk.part("")
    expect(page.locator("#add-button")).to_be_hidden()
    expect(page.locator(".part")).to_have_text(
        ["Application", "Limits", "Recipient", "Letter", "E-mail"]
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
    for label, printed in (
        ("Subject", "Application for Scientist"),
        ("Opening", "Dear Hiring Committee,"),
        ("Closing", "Sincerely,"),
    ):
        expect(desk.field(label)).to_have_attribute("placeholder", printed)
    box = desk.field("Text")
    expect(box).to_have_value(LAB[LAB.index("I would") :].replace("\n  ", "\n").strip())
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
    desk.field("Opening").fill("Dear Lin,")
    desk.shows("Dear Lin,")
    expect(desk.field("Text")).to_have_value(
        LAB[LAB.index("I would") :].replace("\n  ", "\n") + "\nI could begin in May."
    )
    for _ in range(6):
        page.keyboard.press("ControlOrMeta+z")
        page.wait_for_timeout(300)
    desk.becomes(LAB)


def test_a_new_application_begins_as_a_form(browser: Browser, server: Server, folder: Path) -> None:
    with opened(browser, server, folder) as start:
        page = start.page
        desk = Desk(page, folder / "applications" / "other-works.yaml", [])
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
        page, desk = start.page, Desk(start.page, file, [])
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
