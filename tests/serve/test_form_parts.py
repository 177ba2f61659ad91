"""The form of ``cvbuild serve`` in Chromium: its outline, and parts that come, move and go."""

from __future__ import annotations

import re
from pathlib import Path

from browsers import has_no_fault
from playwright.sync_api import Browser, Dialog, expect
from serve import desks
from serve.desks import ADA, Desk
from serving import Server
from waits import eventually


def test_acts_that_follow_each_other_quickly(form: Desk) -> None:
    page, before = form.page, form.written()
    trainee = "      - {title: Trainee, employer: Yard, date: 2015}\n"
    form.file.write_text(before.replace("  - kind: skill", f"{trainee}  - kind: skill"), "utf-8")
    form.part("sections.0.items.2")
    form.part("sections.0.items.0")

    def titles() -> list[str]:
        return re.findall(r"title: (\w+)", form.file.read_text("utf-8"))

    with form.held():
        page.keyboard.press("Alt+ArrowDown")
        page.keyboard.press("Alt+ArrowDown")
        # What is typed now would go to the place that the part leaves.
        expect(page.locator("#fields")).to_have_js_property("inert", True)
    assert eventually(lambda: titles() == ["Assistant", "Trainee", "Engineer"])
    expect(page.locator("#part-count")).to_have_text("3 of 3")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    form.field("Employer").fill("Works")
    form.has("employer: Works\n")
    form.part("sections.0.items.0")
    with form.held():
        page.keyboard.press("Delete")
        page.keyboard.press("Delete")
    expect(page.locator("#told-words")).to_have_text("“Assistant” removed.")
    expect(page.locator("#part-count")).to_have_text("1 of 2")
    form.saved()
    assert titles() == ["Trainee", "Engineer"]


def test_parts_are_added_moved_and_removed(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    form.field("Title").click()
    page.keyboard.press("ControlOrMeta+Enter")
    page.keyboard.type("posi")
    expect(page.locator("#add-list [aria-selected=true]")).to_contain_text(
        "into Experience, after “Engineer”"
    )
    page.keyboard.press("Enter")
    form.shows("New position")
    expect(page.locator("#aloud")).to_have_text("Added a position, 2 of 3")
    title = form.field("Title")
    expect(title).to_have_text("New position")
    expect(title).to_be_focused()
    page.keyboard.type("Manager")
    form.has("\n      - title: Manager\n")
    page.keyboard.press("Escape")
    expect(page.locator('.part[data-path="sections.0.items.1"]')).to_be_focused()
    expect(page.locator('.part[data-path="sections.0.items.1"]')).to_contain_text("Manager")
    page.keyboard.press("Delete")
    form.becomes(before)
    expect(page.locator("#told-words")).to_have_text("“Manager” removed.")
    page.locator("#undo-told").click()
    form.has("\n      - title: Manager\n")


def test_a_section_lists_its_items_and_an_item_is_duplicated(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0")
    items = page.locator("#part-items button")
    expect(items).to_contain_text(["Engineer", "Assistant", "+ Position"])
    items.nth(1).click()
    title = form.field("Title")
    expect(title).to_have_text("Assistant")
    expect(title).to_be_focused()
    expect(page.locator("#part-items")).to_be_hidden()
    page.locator("#part-menu").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    one = before[before.index("      - title: Assistant") : before.index("  - kind: skill")]
    form.becomes(before.replace(one, one + one))
    expect(page.locator("#fields")).to_have_attribute("data-path", "sections.0.items.2")
    expect(title).to_be_focused()
    page.locator("#undo-told").click()
    form.becomes(before)
    form.part("sections.0")
    page.locator("#part-items .add-row").click()
    expect(title).to_have_text("New position")
    expect(page.locator("#fields")).to_have_attribute("data-path", "sections.0.items.0")


def test_what_has_no_dates_is_added_last(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.1")
    page.locator("#outline .add", has_text="+ Skill").click()
    form.becomes(f"{before}      - name: New skill\n")
    expect(form.field("Name")).to_be_focused()
    # First comes what isn't there; a referee is a name, not a title.
    page.locator("#outline .add", has_text="+ Section").click()
    expect(page.locator("#add-list [role=option]").last).to_contain_text("a second one")
    page.keyboard.type("ref")
    page.keyboard.press("Enter")
    expect(form.field("Name")).to_be_focused()
    form.has("- name: New reference\n")


def test_a_move_in_a_sorted_section_writes_that_it_is_not(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    expect(page.locator("#part-count")).to_have_text("1 of 2")
    expect(page.locator('.part[data-path="sections.0"]')).to_contain_text("newest first")
    page.get_by_role("button", name="Move down").click()
    expect(page.locator("#told-words")).to_contain_text(
        "now 2 of 2. Experience is no longer sorted"
    )
    form.has("    order: file\n")
    text = form.file.read_text("utf-8")
    assert text.index("title: Assistant") < text.index("# Promoted.\n      - title: Engineer")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    page.locator("#undo-told").click()
    form.becomes(before)
    # The outline is drawn anew when the text is checked.
    expect(page.locator('.part[data-path="sections.0"]')).to_contain_text("newest first")
    # By a handle, and a section.
    handle = page.locator('.part[data-path="sections.1"] .handle')
    box = handle.bounding_box()
    first = page.locator('.part[data-path="sections.0"]').bounding_box()
    assert box
    assert first

    def drag() -> None:
        page.mouse.move(box["x"] + 3, box["y"] + 5)
        page.mouse.down()
        page.mouse.move(box["x"] + 3, box["y"] - 10)
        page.mouse.move(box["x"] + 3, first["y"] + 2, steps=4)
        expect(page.locator(".drop-line")).to_be_visible()

    drag()
    page.keyboard.press("Escape")
    expect(page.locator(".drop-line")).to_have_count(0)
    page.mouse.up()
    # What is dragged is drawn anew when the text changes: that ends it.
    drag()
    form.file.write_text(f"# Another line.\n{before}", encoding="utf-8")
    expect(page.locator(".drop-line")).to_have_count(0)
    page.mouse.up()
    assert form.written() == f"# Another line.\n{before}"
    drag()
    page.mouse.up()
    form.has("kind: skill", "kind: experience")
    # The style prints them in an order of its own.
    expect(page.locator("#order-words")).to_have_text(
        "“Plain” prints sections in an order of its own."
    )
    page.locator("#order-too").click()
    form.has("sections: [skill, experience]")


def test_the_outline_by_keys(form: Desk) -> None:
    page = form.page
    tree = page.locator("#outline")
    tree.locator("[tabindex='0']").focus()
    page.keyboard.press("Home")
    expect(page.locator("#part-title")).to_have_text("Name and contact")
    page.keyboard.type("exp")
    expect(page.locator("#part-title")).to_have_text("Experience")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_have_attribute("data-path", "sections.0.items.0")
    expect(page.locator(":focus")).to_have_attribute("aria-level", "2")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    page.keyboard.press("Alt+ArrowDown")
    form.has("order: file")
    expect(page.locator(":focus")).to_have_attribute("data-path", "sections.0.items.1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("data-path", "sections.0")
    page.keyboard.press("Enter")
    expect(form.field("Title")).to_be_focused()


def test_the_page_the_text_and_the_form_lead_to_each_other(form: Desk) -> None:
    page = form.page
    page.locator('.spot[aria-label="Mentored two"]').click()
    expect(page.get_by_label("Bullet 3 of 3")).to_be_focused()
    # One text that is printed on two lines is one button.
    expect(page.locator('button.spot[aria-label^="Cut the daily forecast"]')).to_have_count(1)
    page.keyboard.press("F2")
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Mentored two")
    expect(page.locator("#editor .cm-content")).to_be_focused()
    page.keyboard.press("F2")
    expect(page.get_by_label("Bullet 3 of 3")).to_be_focused()
    page.locator("#view-both").click()
    page.get_by_label("Bullet 1 of 3").click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Wrote a scheduler")
    expect(page.locator("#editor .cm-item").first).to_contain_text("title: Engineer")
    form.after("Labs")
    page.keyboard.type(" and more")
    form.saved()
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Assistant")).click()
    expect(page.locator("#fields").get_by_label("Employer")).to_have_text("Labs and more")
    page.reload()
    expect(page.locator("#view-both")).to_have_attribute("aria-pressed", "true")


def test_a_narrow_page_shows_one_thing_at_a_time(
    browser: Browser, server: Server, folder: Path
) -> None:
    size = {"width": 390, "height": 844}
    with desks.opened(browser, server, folder, desks.FORMED, viewport=size) as form:
        page = form.page
        page.locator("#pane-form").click()
        expect(page.locator("#sheet-side")).to_be_hidden()
        part_ = page.locator('.part[data-path="sections.1"]')
        assert (part_.bounding_box() or {"height": 0})["height"] >= 44
        part_.click()
        expect(page.locator("#part-title")).to_have_text("Skills")
        page.locator("#form-back").click()
        page.locator('.part[data-path="sections.0"]').click()
        page.locator("#part-items button").first.click()
        # A field as wide as the form is there, too.
        form.field("Bullet 1 of 3").click()
        page.locator("#form-back").click()
        page.locator('.part[data-path="sections.1"]').click()
        page.locator("#form-back").click()
        page.locator('.part[data-path="sections.1.items.0"]').click()
        form.field("Name").fill("Computer languages")
        page.locator("#form-see").click()
        expect(page.locator('.spot[aria-label="Computer languages"]')).to_be_visible()
        page.locator("#pane-form").click()
        page.locator("#form-undo").click()
        expect(form.field("Name")).to_have_text("Languages")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_axe_finds_nothing_in_the_form(browser: Browser, server: Server, folder: Path) -> None:
    with desks.opened(browser, server, folder, desks.MARKED, bypass_csp=True) as form:
        page = form.page
        page.locator("#view-form").click()
        expect(page.locator("#part-title")).not_to_be_empty()
        has_no_fault(page)
        form.part("sections.0.items.1")
        has_no_fault(page)
        form.part("sections.0.items.0")
        page.locator(".selecting summary").click()
        page.get_by_role("button", name="+ Roles").click()
        has_no_fault(page)
        page.locator("#add-button").click()
        has_no_fault(page)
        page.keyboard.press("Escape")
        page.locator("#view-both").click()
        has_no_fault(page)
        page.set_viewport_size({"width": 390, "height": 844})
        has_no_fault(page)
        page.locator("#pane-form").click()
        has_no_fault(page)


def test_how_long_a_limited_text_is_follows_what_is_typed(
    browser: Browser, server: Server, folder: Path
) -> None:
    limited = ADA.replace(
        "headline: Engineer of schedulers}",
        "headline: Engineer of schedulers, limits: {words: {experience: 9}, characters: "
        "{summary: 30}}}",
    ).replace(
        "template: [plain, one-page]", "template: [short, plain]\nsummary: I *build* schedulers."
    )
    with desks.opened(browser, server, folder, limited) as desk:
        page = desk.page
        page.get_by_role("tab", name="short").click()
        desk.shows("Engineer of schedulers")
        page.locator("#view-form").click()
        desk.part("sections.0")
        limits = page.locator("#part-limits")
        expect(limits).to_have_text(re.compile(r"^\d+ of 9 words"))
        desk.part("summary")
        expect(limits).to_have_text("19 of 30 characters")
        # It follows what is typed, also while the pages are those of before.
        desk.field("Summary").fill("I build schedulers for laboratories.")
        expect(limits).to_have_text("36 of 30 characters, 6 too many")
        expect(page.locator("#earlier")).to_be_visible()
        desk.field("Summary").fill("I build.")
        expect(limits).to_have_text("8 of 30 characters")
        # Another document has no limits.
        page.get_by_role("tab", name="Plain").click()
        expect(limits).to_be_empty()


def test_the_limits_of_an_application_count_its_letter(
    browser: Browser, server: Server, folder: Path
) -> None:
    file = folder / "applications" / "limited.yaml"
    file.parent.mkdir(exist_ok=True)
    text = "person: ada\nemployer: Example\nposition: Smith\nlimits: {words: {letter: 12}}\n"
    file.write_text(f"{text}letter: |\n  I forge, and so do you.\n", encoding="utf-8")
    with desks.opened(browser, server, folder, ADA) as desk:
        page = desk.page
        page.evaluate("location.hash = '#applications%2Flimited'")
        expect(page.locator("#person-name")).to_have_text("Example")
        page.locator("#view-form").click()
        page.locator("#outline .part", has_text="Letter").click()
        expect(page.locator("#part-limits")).to_have_text("10 of 12 words")
        page.locator("#outline .part", has_text="Limits").click()
        expect(page.locator("#part-limits")).to_have_text("letter: 10 of 12 words")
    file.unlink()


def test_what_is_only_begun_is_named_and_asked_about(form: Desk) -> None:
    page, before, asked = form.page, form.written(), list[str]()

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    expect(page.locator("#problem-count")).to_have_text("No problems")
    for words, item in (("certif", "New certificate"), ("educ", "Institution")):
        page.locator("#add-button").click()
        page.locator("#add-find").fill(words)
        page.keyboard.press("Enter")
        form.has(item)
        form.saved()
    expect(page.locator("#problem-count")).to_have_text("1 warning")
    expect(page.locator("#problem-list")).to_contain_text("3 texts are still what a new file has")
    page.on("dialog", refuse)
    page.locator("#download-pdf").click()
    assert asked == ["3 texts are still what a new file has. Download it all the same?"]
    form.saved()
    form.file.write_text(before, encoding="utf-8")
    expect(page.locator("#problem-count")).to_have_text("No problems")
    with page.expect_download():
        page.locator("#download-pdf").click()
    assert len(asked) == 1
