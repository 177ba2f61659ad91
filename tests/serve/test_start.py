"""The start page: a new person, imports by hand, and bad drops."""

from __future__ import annotations

import io
import re
from pathlib import Path

import docx
from docx.shared import Cm
from PIL import Image
from playwright.sync_api import expect
from serve.start_page import EXAMPLES, Start, resume
from serve.start_page import empty as empty  # noqa: PLC0414 - pytest finds it here
from serve.start_page import server as server  # noqa: PLC0414
from serve.start_page import start as start  # noqa: PLC0414

from cvbuild.building import texts
from cvbuild.importers import new_file
from cvbuild.inputs import person_file, saving
from cvbuild.inputs.people import Person


def test_a_new_file_has_the_sections_of_the_kind_of_work(start: Start, tmp_path: Path) -> None:
    from cvbuild.serve import begin

    start.page.locator("#new-name").fill("Zoë Specimen")
    start.page.locator("#new-work").select_option(label="Health and care")
    start.page.locator("#new-go").click()
    expect(start.page.locator("#fields").get_by_label("Name", exact=True)).to_be_focused()
    written = start.folder / "people" / "zoe-specimen.yaml"
    care = begin.laid_out(saving.person_text("Zoë Specimen"), begin.SECTIONS["care"])
    assert written.read_text("utf-8") == care
    for work, wanted in begin.SECTIONS.items():
        text = begin.laid_out(saving.person_text("Zoë Specimen"), wanted)
        checked = person_file.read(Person(work, tmp_path / f"{work}.yaml", text))
        assert checked.profile
        assert checked.source
        assert tuple(one.kind for one in checked.profile.sections) == wanted
        (left,) = texts.check(checked.profile, checked.source)
        assert "texts are still what a new file has" in left.message
        # A date would pass for one's own.
        assert not re.search(r"^ *date:", text, re.MULTILINE)


def test_a_name_and_a_style_make_a_file_that_is_opened(start: Start) -> None:
    page = start.page
    expect(page.locator("#start-empty")).to_contain_text("Start your CV")
    expect(page.locator("#new-name")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#new-said")).to_have_text("Write a name first.")
    page.locator("#new-name").fill("///")
    page.locator("#new-go").click()
    expect(page.locator("#new-said")).to_contain_text("can't be a file's name")
    assert not [*(start.folder / "people").glob("*")]
    page.locator("#new-name").fill("")
    page.keyboard.type("Zoë Specimen")
    expect(page.locator("#new-said")).to_contain_text("Makes people/zoe-specimen.yaml")
    page.get_by_text("Industry", exact=True).click()
    expect(page.locator("#new-about")).to_contain_text("strong head")
    page.locator("#new-go").click()
    # Its form comes first; after the text was chosen once, the text does.
    expect(page.locator("#view-form")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#fields").get_by_label("Name", exact=True)).to_be_focused()
    # What the file came with is written over by what is typed.
    headline = page.locator("#fields").get_by_label("Headline", exact=True)
    expect(headline).to_have_class("example")
    headline.click()
    page.wait_for_timeout(100)
    page.keyboard.type("Nurse")
    expect(headline).to_have_text("Nurse")
    expect(headline).not_to_have_class("example")
    page.locator("#view-text").click()
    start.edits("Zoë Specimen")
    text = (start.folder / "people" / "zoe-specimen.yaml").read_text("utf-8")
    assert re.search(r"^template: industry\b", text, re.MULTILINE)
    assert text.replace("template: industry", "template: academic").count("#") > 10
    expect(page.locator(".sheet img").first).to_be_visible()
    expect(page.locator("#tabs [aria-selected=true]")).to_contain_text("Industry")
    start.again()
    card = page.locator('[data-person="zoe-specimen"]')
    expect(card).to_contain_text("Zoë Specimen")
    expect(card.locator(".dot.good")).to_be_visible()
    # Nothing of it was built: the picture is made for it.
    expect(card.locator(".picture img")).to_be_visible()
    page.locator("#new-name").fill("zoe specimen")
    expect(page.locator("#new-go")).to_have_text("Open")
    page.locator("#new-go").click()
    start.edits("Zoë Specimen")


def word_file(path: Path, name: str, *, above: bool, centimetres: int) -> str:
    """Write a CV with a picture above or below the heading of its first section."""
    picture = io.BytesIO()
    Image.effect_noise((240, 300), 60).convert("RGB").save(picture, "PNG")
    document = docx.Document()
    document.add_paragraph(name)
    heading = document.add_heading("Experience", 1)
    document.add_paragraph("2020 – 2024: Engineer, Example Works")
    holder = heading.insert_paragraph_before() if above else document.add_paragraph()
    holder.add_run().add_picture(picture, width=Cm(centimetres))
    document.save(str(path))
    return str(path)


def test_the_picture_above_a_word_file_is_the_photo(start: Start, tmp_path: Path) -> None:
    cv = word_file(tmp_path / "cv.docx", "Zoë Specimen", above=True, centimetres=3)
    start.page.locator("#import-files").set_input_files(cv)
    expect(start.page.locator("#start")).to_be_hidden()
    people = start.folder / "people"
    text = (people / "zoe-specimen.yaml").read_text("utf-8")
    assert "\nphoto: zoe-specimen.jpg\n" in text
    assert "image" not in text
    with Image.open(people / "zoe-specimen.jpg") as kept:
        assert (kept.format, kept.size) == ("JPEG", (240, 300))
    # A picture below the first section is none of the person, nor is a wide one.
    for above, centimetres in ((False, 3), (True, 12)):
        cv = word_file(tmp_path / "cv.docx", "Zoë", above=above, centimetres=centimetres)
        whole, photo = new_file.photo_of(new_file.read([cv], None, None)[0])
        assert photo is None
        assert [one.note.message for one in whole.lost] == ["image: without a description"]


def test_a_word_file_is_imported_by_choosing_it(start: Start) -> None:
    page, given = start.page, EXAMPLES / "docx"
    page.locator("#import-files").set_input_files(given / "given.docx")
    expect(page.locator("#start")).to_be_hidden()
    (path,) = (start.folder / "people").iterdir()
    lines = path.read_text("utf-8").splitlines()
    expected = (given / "person.yaml").read_text("utf-8").splitlines()
    facts = [line for line in expected if not line.lstrip().startswith("#")]
    assert [line for line in lines if not line.lstrip().startswith("#")] == facts
    assert str(start.folder) not in path.read_text("utf-8")
    expect(page.locator(".sheet img").first).to_be_visible()
    expect(page.locator("#review-state")).to_contain_text("Work Experience 2, Education 2")
    page.locator("#review-list .doubt").last.click()
    expect(page.locator("#review-list .now")).to_contain_text("A picture was left out")
    expect(page.locator("#review-all")).to_have_text("All are right; leave out the lost")


def test_several_files_of_one_person_become_one(start: Start) -> None:
    papers = b"@article{a, title={Tides}, author={Ada Example}, year=2020, journal={Waters}}"
    start.drop(cv__json=resume("Ada Example"), papers__bib=papers)
    start.edits("Ada Example")
    text = (start.folder / "people" / "ada-example.yaml").read_text("utf-8")
    assert ("Example Works" in text, "Tides" in text) == (True, True)
    start.again()
    start.drop(papers__bib=papers.replace(b" author={Ada Example},", b""))
    start.says("Whose is it?")
    start.page.locator("#import-name").fill("Fay Example")
    start.page.keyboard.press("Enter")
    start.edits("Fay Example")


def test_two_people_are_told_apart(start: Start) -> None:
    start.drop(a__json=resume("Björn Sample"), b__json=resume("Carla Muster"))
    start.says("These are two people", "Carla Muster", "Björn Sample")
    assert not [*(start.folder / "people").glob("*")]
    expect(start.page.get_by_role("button", name="Only a.json")).to_be_visible()
    start.click("Import each")
    start.says("Open people/bjorn-sample.yaml", "Open people/carla-muster.yaml")
    start.click("Open people/carla-muster.yaml")
    start.edits("Carla Muster")


def test_a_name_that_is_taken_leads_to_the_file(start: Start) -> None:
    start.drop(a__json=resume("Ada Example"))
    expect(start.page.locator("#told-words")).to_have_text(
        "Imported from a.json: Experience 1. "
        "Compare that with your file: two items may have come in as one."
    )
    expect(start.page.locator("#view-form")).to_have_attribute("aria-pressed", "true")
    expect(start.page.locator("#review")).to_be_hidden()
    start.edits("Ada Example")
    before = (start.folder / "people" / "ada-example.yaml").read_bytes()
    start.again()
    start.drop(a__json=resume("Ada Example"))
    start.says("people/ada-example.yaml is there already", "Nothing was written.")
    start.click("Import as ada-example-2")
    start.edits("Ada Example")
    names = sorted(path.name for path in (start.folder / "people").iterdir())
    assert names == ["ada-example-2.yaml", "ada-example.yaml"]
    start.again()
    start.drop(a__json=resume("Ada Example"))
    start.click("Open it")
    start.edits("Ada Example")
    assert (start.folder / "people" / "ada-example.yaml").read_bytes() == before


def test_text_is_pasted(start: Start) -> None:
    text = (
        "# Gil Example\n\ngil@example.org\n\n## Education\n\n**M.Sc.**, Example University, 2019\n"
    )
    start.page.locator("#import-choose").focus()
    start.page.evaluate(
        """(text) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData("text/plain", text);
          const options = { clipboardData, bubbles: true, cancelable: true };
          document.activeElement.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )
    start.edits("Gil Example")


def test_what_is_no_cv_is_said_in_a_sentence(start: Start) -> None:
    from PIL import Image

    scan = io.BytesIO()
    Image.new("RGB", (300, 400), "white").save(scan, "PDF")
    cases: list[tuple[dict[str, bytes | int], str]] = [
        ({"empty__docx": b""}, "empty.docx is empty."),
        ({"program": Path("/bin/sh").read_bytes()}, "program has no format that can be read."),
        ({"cv__docx": b"PK\x03\x04 and nothing"}, "cv.docx is a damaged archive"),
        ({"scan__pdf": scan.getvalue()}, "there is no text in it"),
        ({f"n{number}": b"x" for number in range(100)}, "These are 100 files."),
        ({"large__bin": 33 << 20}, "large.bin has more than 32 MiB."),
        ({}, "This is no file."),
    ]
    for files, words in cases:
        start.drop(**files)
        start.says("Nothing was written", words)
        assert "--" not in start.page.locator("#import-said").inner_text()
    start.page.evaluate(
        """() => {
          const webkitGetAsEntry = () => ({ isDirectory: true, name: "cvs" });
          const items = [{ kind: "file", webkitGetAsEntry }];
          const event = new DragEvent("drop", { bubbles: true, cancelable: true });
          Object.defineProperty(event, "dataTransfer", { value: { items, files: [] } });
          document.getElementById("start").dispatchEvent(event);
        }"""
    )
    start.says("cvs is a folder. Drop the files that are in it.")
    assert not [*(start.folder / "people").glob("*")]
    expect(start.page.get_by_role("button", name="Choose another file")).to_be_visible()
