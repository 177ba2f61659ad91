"""The start page: all people, what is removed, copied and renamed, small screens and axe."""

from __future__ import annotations

import shutil
from pathlib import Path

import judges
from browsers import has_no_fault
from playwright.sync_api import Browser, Page, Route, expect
from serve import desks
from serve.start_page import Start, opened, resume
from serve.start_page import empty as empty  # noqa: PLC0414 - pytest finds it here
from serve.start_page import server as server  # noqa: PLC0414
from serve.start_page import start as start  # noqa: PLC0414
from serving import Server

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
    with desks.begun(tmp_path) as server, opened(browser, server, tmp_path) as start:
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
    """Choose what is done with a card's file."""
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
    with opened(browser, server, empty, viewport={"width": 390, "height": 844}) as start:
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
    with opened(browser, server, empty, bypass_csp=True) as start:
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
