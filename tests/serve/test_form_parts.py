"""The form of ``cvbuild serve`` in Chromium: its outline, and parts that come, move and go."""

from __future__ import annotations

import re
from pathlib import Path

from browsers import has_no_fault
from playwright.sync_api import Dialog, expect
from serve import desks
from serve.desks import ADA, Desk, Opens
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


def test_a_narrow_page_shows_one_thing_at_a_time(opens: Opens) -> None:
    size = {"width": 390, "height": 844}
    with opens(desks.FORMED, viewport=size) as form:
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


def test_axe_finds_nothing_in_the_form(opens: Opens) -> None:
    with opens(desks.MARKED, bypass_csp=True) as form:
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


def test_how_long_a_limited_text_is_follows_what_is_typed(opens: Opens) -> None:
    limited = ADA.replace(
        "headline: Engineer of schedulers}",
        "headline: Engineer of schedulers, limits: {words: {experience: 9}, characters: "
        "{summary: 30}}}",
    ).replace(
        "template: [plain, one-page]", "template: [short, plain]\nsummary: I *build* schedulers."
    )
    with opens(limited) as desk:
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


def test_the_limits_of_an_application_count_its_letter(opens: Opens, folder: Path) -> None:
    file = folder / "applications" / "limited.yaml"
    file.parent.mkdir(exist_ok=True)
    text = "person: ada\nemployer: Example\nposition: Smith\nlimits: {words: {letter: 12}}\n"
    file.write_text(f"{text}letter: |\n  I forge, and so do you.\n", encoding="utf-8")
    with opens(ADA) as desk:
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


def test_what_is_typed_in_a_field_is_printed_and_one_undo_takes_it_back(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    expect(page.locator(".dates .hint")).to_have_text("prints Mar 2019 – present")
    title = form.field("Title")
    title.click()
    expect(page.locator(".spot.now").first).to_have_attribute("aria-label", "Engineer")
    expect(page.locator(".item-bar")).to_have_count(1)
    page.keyboard.press("End")
    page.keyboard.type(" of")
    page.wait_for_timeout(400)
    page.keyboard.type(" schedulers")
    form.shows("Engineer of schedulers")
    form.becomes(before.replace("- title: Engineer", "- title: Engineer of schedulers"))
    expect(title).to_be_focused()
    expect(title).to_have_text("Engineer of schedulers")
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(before)
    expect(title).to_have_text("Engineer")
    expect(title).to_be_focused()
    expect(page.locator("#aloud")).to_have_text("Undone: Title")
    # A bullet that is folded stays so, and the date is one text.
    bullet = page.get_by_label("Bullet 2 of 3")
    bullet.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.press("Backspace")
    page.keyboard.type(" and more*: all of it.")
    form.field("From").fill("2018-05")
    form.becomes(
        before.replace("computation.", "computation and more*: all of it.").replace(
            "2019-03 to", "2018-05 to"
        )
    )
    page.get_by_role("checkbox", name="present").uncheck()
    form.field("To").fill("2024")
    page.keyboard.press("Tab")
    form.has("date: 2018-05 to 2024\n")


def test_half_a_date_stays_in_its_box(form: Desk) -> None:
    """As people type: each key is in the file, and checked, before the next one."""
    page = form.page
    form.part("sections.0.items.0")
    for start, end in (("04/2027", "06/2030"), ("2019", "May 2031")):
        for label, date in (("From", start), ("To", end)):
            form.field(label).click()
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.type(date, delay=300)
        form.has(f"date: {start} to {end}\n")
        expect(form.field("From")).to_have_value(start)
        expect(form.field("To")).to_have_value(end)
    page.keyboard.press("ControlOrMeta+z")
    form.has("date: 2019 to 06/2030\n")
    expect(form.field("To")).to_have_value("06/2030")


def test_rows_of_a_list_by_keys(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    row = page.get_by_label("Bullet 1 of 3")
    row.click()
    page.keyboard.press("Home")
    for _ in range(len("Wrote a scheduler")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    split = "          - Wrote a scheduler\n          - in Python\n"
    form.becomes(before.replace("          - Wrote a scheduler in Python\n", split))
    expect(page.get_by_label("Bullet 2 of 4")).to_be_focused()
    page.keyboard.press("Backspace")
    form.becomes(before)
    expect(page.get_by_label("Bullet 1 of 3")).to_be_focused()
    expect(page.locator("#aloud")).to_have_text("Removed, 3 left")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#aloud")).to_have_text("Moved down, 2 of 3")
    form.has("Cut the", "Wrote a")
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(before)
    page.get_by_label("Bullet 3 of 3").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    desks.paste(page, "- one\n- two: 2\n- three\n")
    expect(page.locator("#aloud")).to_have_text("Added 3 bullets")
    added = "          - Mentored two\n          - one\n          - 'two: 2'\n          - three\n"
    form.becomes(before.replace("          - Mentored two\n", added))
    expect(page.get_by_label("Bullet 6 of 6")).to_be_focused()
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(before)
    expect(page.get_by_label("Bullet 3 of 3")).to_be_visible()


def test_a_row_that_is_typed_while_another_is_written_overwrites_nothing(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    page.get_by_label("Bullet 1 of 3").click()
    with form.held():
        page.keyboard.press("End")
        page.keyboard.type(" 3")
        page.keyboard.press("Enter")
        form.typed("Wrote")
        form.typed(" tests")
    old = "          - Wrote a scheduler in Python\n"
    form.becomes(before.replace(old, old[:-1] + " 3\n          - Wrote tests\n"))


def test_a_link_keeps_what_is_written_in_both_of_its_boxes(form: Desk) -> None:
    before = form.written()
    links = "links: [Code: https://example.org/a]"
    project = f"  - kind: project\n    items:\n      - title: Ocean\n        {links}\n"
    form.file.write_text(before + project, "utf-8")
    form.part("sections.2.items.0")
    label, address = (form.field(f"Link 1, {name}") for name in ("label", "address"))
    label.click()
    with form.held():
        form.typed("s")
        address.click()
        form.typed("b")

    def has(words: str, url: str) -> None:
        link = re.compile(r"(\w+): '?https://example\.org/(\w+)")
        found = eventually(lambda: link.findall(form.file.read_text("utf-8")) == [(words, url)])
        assert found, form.written()

    for words, url in (("Codes", "ab"), ("Source", "ab"), ("Source", "abc")):
        label.fill(words)
        address.fill(f"https://example.org/{url}")
        has(words, url)


def test_one_undo_takes_back_one_field(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    form.field("Title").click()
    with form.held():
        form.typed("X")
        form.field("Employer").click()
        form.typed("Y")
    both = before.replace("title: Engineer", "title: EngineerX")
    form.becomes(both.replace("Example Works", "Example WorksY"))
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(both)
    page.keyboard.press("ControlOrMeta+z")
    form.becomes(before)


def test_words_that_are_not_taken_stay_in_their_field(form: Desk) -> None:
    page = form.page
    form.part("sections.0.items.0")
    told = {"diagnostics": [{"message": "no text can have that", "hint": None}]}
    page.route("**/set", lambda route: route.fulfill(status=400, json=told))
    form.field("Title").click()
    form.typed(" of tides")
    problem = page.locator('.field[data-name$=".title"] .problem')
    expect(problem).to_have_text("no text can have that")
    page.unroute("**/set")
    form.field("Employer").fill("Works")
    form.has("employer: Works\n")
    form.shows("Works")
    expect(form.field("Title")).to_have_text("Engineer of tides")
    # It is tried again when it changes.
    form.field("Title").fill("Engineer of waves")
    form.has("title: Engineer of waves")


def test_who_types_without_a_pause_is_saved_meanwhile(form: Desk) -> None:
    form.part("sections.0.items.0")
    form.field("Employer").focus()
    form.page.keyboard.press("End")
    for _ in range(400):
        form.page.keyboard.type("a")
        form.page.wait_for_timeout(60)
        if "Example Worksaaa" in form.file.read_text("utf-8"):
            return
    raise AssertionError(form.file.read_text("utf-8"))


def test_nothing_that_is_typed_is_lost_when_another_file_is_opened(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("sections.0.items.0")
    form.field("Title").click()
    with form.held():
        page.keyboard.press("End")
        page.keyboard.type(" of tides")
        warned = "!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        assert page.evaluate(warned)
        page.locator("#person").click()
        page.keyboard.type("zoe 07")
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
    expect(page.locator("#person-name")).to_have_text("Zoë Specimen 07")
    form.becomes(before.replace("title: Engineer", "title: Engineer of tides"))
    assert not page.evaluate(warned)


def test_words_take_the_place_of_a_date(form: Desk) -> None:
    form.part("sections.0.items.1")
    # The words are those in the box, also before the server has told of them.
    with form.held("fields"):
        form.field("From").fill("HS 2022, HS 2023")
        form.page.get_by_role("button", name="Print these words as they are").click()
        form.has("text: HS 2022, HS 2023\n")
    expect(form.field("Date")).to_be_focused()
    form.has("        date:\n          text: HS 2022, HS 2023\n")
    form.shows("HS 2022, HS 2023")
    form.field("Date").fill("")
    form.page.keyboard.press("Tab")
    expect(form.field("From")).to_have_value("")
    form.becomes(desks.FORMED.replace("        date: 2017\n", ""))


DEEP = desks.FORMED.replace(
    "          - Wrote a scheduler in Python\n",
    """\
          - en: Wrote a scheduler in Python  # mine
            de: Schrieb einen Planer
          - text: {en: Led, de: Leitete}
            bullets:
              - Two engineers
              - {en: And more, de: Und mehr}
""",
)


def test_bullets_in_languages_and_points_under_them_are_fields(opens: Opens) -> None:
    with opens(DEEP) as desk:
        page = desk.page
        desk.shows("Research engineer")
        page.locator("#view-form").click()
        desk.part("sections.0.items.0")
        expect(page.locator("#fields").get_by_text("Go there")).to_have_count(0)
        box = page.get_by_label("Bullet 1 of 4, de")
        box.click()
        page.keyboard.press("End")
        page.keyboard.type(', "schnell": {ja}')
        expect(page.locator("#state")).to_have_text("Saved")
        page.get_by_label("Point 1 of 2").fill("Two: engineers")
        page.get_by_label("Point 2 of 2, de").fill("Und, mehr")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Point 3 of 3")).to_be_focused()
        page.keyboard.type("Three")
        after = DEEP.replace("Schrieb einen Planer", """'Schrieb einen Planer, "schnell": {ja}'""")
        after = after.replace("- Two engineers", "- 'Two: engineers'")
        point = "{en: And more, de: 'Und, mehr'}"
        desk.becomes(
            after.replace("{en: And more, de: Und mehr}", f"{point}\n              - Three")
        )
        # With the focus nowhere, undo is that of the file.
        page.locator("#state").click()
        assert page.evaluate("document.activeElement === document.body")
        page.keyboard.press("ControlOrMeta+z")
        desk.becomes(after.replace("{en: And more, de: Und mehr}", point))
        # A row of the list leads to the field of a point, also while the styles are shown.
        page.locator("#language").focus()
        expect(page.locator("#language option")).not_to_have_count(1)
        page.locator("#language").select_option("de")
        page.locator("#language-button").click()
        page.locator("#styles-button").click()
        row = page.locator("#language-list .row", has_text="Two: engineers")
        row.click()
        page.locator("#language-list .open").get_by_text("Go there").click()
        expect(page.get_by_label("Point 1 of 2")).to_be_focused()


def test_name_and_contact_with_languages_and_private_data(form: Desk) -> None:
    page, before = form.page, form.written()
    form.part("")
    # Whoever opens what is open and types on has the same fields before and after.
    with form.held("fields"):
        page.locator('.part[data-path=""]').click()
        page.get_by_label("Headline, de").click()
        page.keyboard.press("ControlOrMeta+a")
    page.wait_for_timeout(400)
    page.keyboard.type("Forscherin")
    form.becomes(before.replace("de: Ingenieurin", "de: Forscherin"))
    # A part that is pressed while the text is checked is still there for the click.
    page.get_by_label("Headline, de").press_sequentially("in")
    page.locator('.part[data-path="sections.0"]').hover()
    page.mouse.down()
    form.has("Forscherinin")
    page.wait_for_timeout(1000)
    page.mouse.up()
    expect(page.locator("#fields")).to_have_attribute("data-path", "sections.0")
    form.part("")
    page.locator('.field[data-name="contact.phone"] .tick input').check()
    form.has("private: true")
    expect(page.get_by_label("Phone 1 of 1")).to_have_value("+1 202 555 0147")
    # What is typed before and after the tick stays, and stays private.
    phone = page.get_by_label("Phone 1 of 1")
    tick = page.locator('[data-name="contact.phone"] .tick input')
    phone.fill("+1 202 555 0199")
    tick.uncheck()
    form.has("  phone: +1 202 555 0199\n")
    with form.held():
        tick.check()
        phone.click()
        form.typed("9")
    private = "  phone:\n    value: +1 202 555 01999\n    private: true\n"
    form.has(private)
    expect(phone).to_be_focused()
    expect(tick).to_be_checked()
    email = page.get_by_label("E-mail 1 of 1")
    email.fill("ada@example,org")
    page.get_by_label("Given name").click()
    expect(page.locator('.field[data-name="contact.email"] .problem')).to_contain_text(
        "is not an e-mail address"
    )
    expect(email).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#earlier")).to_be_visible()
    email.fill("ada@example.com")
    expect(page.locator('.field[data-name="contact.email"] .problem')).to_be_empty()
    expect(page.locator("#earlier")).to_be_hidden()


def test_a_text_that_is_no_form_makes_it_wait(form: Desk) -> None:
    page = form.page
    form.part("sections.0.items.0")
    page.locator("#view-both").click()
    form.after("Example Works")
    page.keyboard.type('\n        note: "open')
    expect(page.locator("#form-waits")).to_contain_text("The form waits.")
    expect(form.field("Title")).to_have_text("Engineer")
    page.locator("#form-waits-go").click()
    expect(page.locator("#editor .cm-content")).to_be_focused()
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator("#form-waits")).to_be_hidden()
    # A value without a control is its lines.
    form.say(desks.MARKED)
    form.becomes(desks.MARKED)
    form.shows("Research engineer")
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Experience")).click()
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Assistant")).click()
    lines = page.locator('.field[data-name$="marks-of-mine"]')
    expect(lines.locator("pre")).to_have_text("marks-of-mine: {a: b}")
    expect(lines.locator(".hint")).to_contain_text("only in the text")


def test_nothing_is_said_of_a_line_that_is_being_written(form: Desk) -> None:
    page = form.page
    page.locator("#view-text").click()
    form.after("Example Works")
    page.keyboard.type("\ntit")
    page.evaluate(
        """() => {
            window.said = [];
            const look = () => {
                const grey = document.getElementById("pages").classList.contains("earlier");
                if (grey || !document.getElementById("earlier").hidden) window.said.push(1);
            };
            window.look = setInterval(look, 20);
        }"""
    )
    for letter in "el: mine":
        page.keyboard.type(letter)
        page.wait_for_timeout(120)
    assert page.evaluate("window.said.length") == 0
    expect(page.locator("#earlier")).to_be_visible()
    page.evaluate("clearInterval(window.look)")
