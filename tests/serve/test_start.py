"""The start page: a new person, imports, bad drops; what is removed, copied and renamed."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import docx
import judges
import pytest
from browsers import has_no_fault
from docx.shared import Cm
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect
from serve import desks
from serve.desks import EXAMPLES, Start, paste, started
from serving import Server

from cvbuild.importers import new_file
from cvbuild.inputs import saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import person_file
from cvbuild.inputs.validation import texts


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("begun")


@pytest.fixture(scope="module")
def server(empty: Path) -> Iterator[Server]:
    with desks.begun(empty) as begun:
        yield begun


@pytest.fixture
def start(browser: Browser, server: Server, empty: Path) -> Iterator[Start]:
    for path in (empty / "people").glob("*"):
        path.unlink()
    with started(browser, server, empty) as found:
        yield found


def resume(name: str) -> bytes:
    work = {"name": "Example Works", "position": "Engineer", "startDate": "2020-01"}
    return json.dumps({"basics": {"name": name}, "work": [work]}).encode()


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
    paste(start.page, text)
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


SUFFIXES = (".yaml", ".private.yaml")


def test_the_last_changed_come_first_and_all_can_be_found(browser: Browser, tmp_path: Path) -> None:
    desks.workspace(tmp_path)
    (tmp_path / "people" / "bad.yaml").write_text(
        "name: Bad Example\nheadlin: x\n", encoding="utf-8"
    )
    folder = tmp_path / "applications"
    folder.mkdir()
    for name, deadline in (("later", "2999-01-02"), ("sooner", "2998-01-02")):
        text = (
            f"person: ada\nemployer: {name.title()} Lab\nposition: Engineer\ndeadline: {deadline}\n"
        )
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    with desks.begun(tmp_path) as server, started(browser, server, tmp_path) as start:
        page = start.page
        cards = page.locator("#here-list .person")
        expect(cards).to_have_count(5)
        expect(cards.first).to_contain_text("Bad Example")
        expect(cards.first).to_contain_text("1 error, line 2")
        # Who was edited last is who applies.
        who = page.locator("#application-person")
        expect(who).to_have_value("bad")
        rows = page.locator("#applications-list .application")
        expect(rows.first).to_contain_text("Sooner Lab")
        expect(rows.first).to_contain_text("days left")
        expect(rows.first).to_contain_text("Engineer · Ada Example")
        page.locator("#here-all").click()
        expect(cards).to_have_count(desks.MANY + 3)
        page.keyboard.type("zoe 07")
        expect(cards).to_have_count(1)
        cards.first.click()
        start.edits("Zoë Specimen 07")


def do(page: Page, act: str, title: str) -> None:
    page.get_by_role("button", name=f"More for {title}", exact=True).click()
    page.get_by_role("menuitem", name=act).click()


def test_a_person_is_put_aside_and_back(start: Start) -> None:
    people, page = start.folder / "people", start.page
    people.mkdir(exist_ok=True)
    files = {f"ada{suffix}": f"name: Ada Example\n# {suffix}\n" for suffix in SUFFIXES}

    def write() -> None:
        for name, text in files.items():
            (people / name).write_text(text, "utf-8")
        page.reload()

    def kept(folder: Path) -> dict[str, str]:
        return {path.name: path.read_text("utf-8") for path in folder.glob("*.yaml")}

    write()
    for name in ("ada", "ada-2"):
        do(page, "Remove", "Ada Example")
        said = f"Ada Example is in people/removed/{name}.yaml now."
        expect(page.locator("#here-said")).to_have_text(said)
        expect(page.locator(".person")).to_have_count(0)
        assert kept(people) == {}
        assert (people / "removed" / f"{name}.private.yaml").exists()
        expect(page.get_by_role("button", name=f"Put back {name}", exact=True)).to_be_focused()
        if name == "ada":
            write()
    page.get_by_role("button", name="Put back ada-2").click()
    expect(page.locator("#here-said")).to_have_text("Ada Example is here again.")
    assert kept(people) == files
    assert sorted(kept(people / "removed")) == ["ada.private.yaml", "ada.yaml"]
    # As in people/, git ignores what is private.
    assert (people / "removed" / ".gitignore").read_text("utf-8") == "*.private.yaml\n"
    # What was written meanwhile is not replaced.
    do(page, "Remove", "Ada Example")
    expect(page.locator("#here-said")).to_contain_text("people/removed/ada-2.yaml")
    (people / "ada.yaml").write_text("name: Other\n", "utf-8")
    page.get_by_role("button", name="Put back ada-2").click()
    expect(page.locator("#here-said")).to_contain_text("People/ada.yaml exists; rename one of the")
    assert kept(people) == {"ada.yaml": "name: Other\n"}
    # Nothing is said of a file that was open when it was removed; it can be put back for ever.
    page.reload()
    page.locator('[data-person="ada"]').click()
    start.edits("Other")
    page.locator("#person").click()
    page.locator("#people-start").click()
    do(page, "Remove", "Other")
    expect(page.locator("#here-said")).to_have_text("Other is in people/removed/ada-3.yaml now.")
    page.wait_for_timeout(2000)
    expect(page.locator("#conflict")).to_be_hidden()
    page.reload()
    page.locator("#here-bin summary").click()
    page.get_by_role("button", name="Put back ada-3").click()
    expect(page.locator('[data-person="ada-3"]')).to_be_visible()
    (people / "ada-3.yaml").unlink()
    shutil.rmtree(people / "removed")


def test_a_cv_is_copied_and_renamed_and_what_names_it_follows(start: Start) -> None:
    folder, page = start.folder, start.page
    files = {
        "people/ada.yaml": "name: Ada Example\ntemplate: plain\nvariants: {short: {}}\n",
        "people/ada.private.yaml": "contact: {phone: +1 202 555 0147}\n",
        "applications/lab.yaml": "person: ada  # of 2026\nemployer: Lab\nposition: Engineer\n",
        "applications/works.yaml": "person: ada-2\nemployer: Works\nposition: Engineer\n",
        "out/ada/cv-plain.txt": "Ada",
        "cvbuild.yaml": "groups:\n  lab: {people: [ada, ben]}\n  own: {people: ada}  # her\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    page.reload()
    said = page.locator("#here-said")
    do(page, "Duplicate", "Ada Example")
    expect(said).to_have_text("A copy of Ada Example is in people/ada-2.yaml.")
    expect(page.locator('[data-more="ada-2"]')).to_be_focused()
    for suffix in SUFFIXES:
        copy = folder / "people" / f"ada-2{suffix}"
        assert copy.read_text("utf-8") == files[f"people/ada{suffix}"]
    # A name that is there is refused; nothing has changed, and another one can be written.
    page.locator('[data-more="ada"]').click()
    page.keyboard.press("Enter")
    expect(page.locator("#rename-name")).to_have_value("ada")
    has_no_fault(page)
    page.locator("#rename-name").fill("Ada 2")
    page.keyboard.press("Enter")
    problem = page.locator("#rename-problem")
    expect(problem).to_have_text("People/ada-2.yaml exists; choose another name.")
    page.locator("#rename-name").fill("../..")
    page.keyboard.press("Enter")
    expect(problem).to_contain_text("can't be")
    assert (folder / "people" / "ada.yaml").read_text("utf-8") == files["people/ada.yaml"]
    page.locator("#rename-name").fill("Ada for Companies")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Ada Example is in people/ada-for-companies.yaml now")
    expect(page.locator('[data-more="ada-for-companies"]')).to_be_focused()
    left = sorted(path.stem for path in (folder / "people").glob("*.yaml"))
    assert left == ["ada-2", "ada-2.private", "ada-for-companies", "ada-for-companies.private"]
    lab = (folder / "applications" / "lab.yaml").read_text("utf-8")
    assert lab == files["applications/lab.yaml"].replace("ada", "ada-for-companies")
    works = (folder / "applications" / "works.yaml").read_text("utf-8")
    assert works == files["applications/works.yaml"]
    groups = (folder / "cvbuild.yaml").read_text("utf-8")
    assert groups == files["cvbuild.yaml"].replace("ada", "ada-for-companies")
    assert [path.name for path in (folder / "out").iterdir()] == ["ada-for-companies"]
    page.locator('[data-person="ada-for-companies"]').click()
    start.edits("Ada Example")
    for name in ("applications", "out"):
        shutil.rmtree(folder / name)
    (folder / "cvbuild.yaml").unlink()


def test_what_is_wrong_with_the_workspace_is_said(start: Start) -> None:
    wrong = {"message": "can't read the applications", "hint": "check the folder's permissions"}

    def answer(route: Route) -> None:
        fetched = route.fetch()
        route.fulfill(response=fetched, json={**fetched.json(), "diagnostics": [wrong]})

    start.page.route("**/begin", answer)
    start.page.reload()
    notice = start.page.locator("#start-notice")
    expect(notice).to_have_text("can't read the applications; check the folder's permissions")


def test_a_file_that_cannot_be_opened_leaves_the_start_page(start: Start) -> None:
    (start.folder / "people").mkdir(exist_ok=True)
    (start.folder / "people" / "latin.yaml").write_bytes(b"name: Zo\xeb Specimen\n")
    start.page.reload()
    start.page.locator('[data-person="latin"]').click()
    expect(start.page.locator("#told")).to_contain_text("UTF-8")
    expect(start.page.locator("#start")).to_be_visible()
    expect(start.page.locator("#work")).to_be_hidden()
    start.page.locator("#new-name").fill("Zoë Specimen")
    start.page.locator("#new-go").click()
    start.edits("Zoë Specimen")


def test_on_a_small_screen_nothing_is_wider_than_it(
    browser: Browser, server: Server, empty: Path
) -> None:
    with started(browser, server, empty, viewport={"width": 390, "height": 844}) as start:
        page = start.page
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        expect(page.locator("#import-small")).to_be_visible()
        start.drop(empty__docx=b"")
        start.says("empty.docx is empty.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_axe_finds_nothing(browser: Browser, empty: Path, server: Server) -> None:
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    (empty / "people").mkdir(exist_ok=True)
    (empty / "people" / "ada.yaml").write_text(desks.ADA, encoding="utf-8")
    with started(browser, server, empty, bypass_csp=True) as start:
        page = start.page
        expect(page.locator('[data-person="ada"] .dot')).to_be_visible()
        start.drop(a__json=resume("Björn Sample"), b__json=resume("Carla Muster"))
        start.says("These are two people")
        page.evaluate(axe)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            faults = page.evaluate("axe.run().then(run => run.violations)")
            assert [(one["id"], one["nodes"][0]["html"]) for one in faults] == []
            filters = {"light": "none", "dark": "brightness(0.93)"}
            expect(page.locator(".style img").first).to_have_css("filter", filters[scheme])
