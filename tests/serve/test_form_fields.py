"""The form of ``cvbuild serve`` in Chromium: what is written in its fields."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, expect
from serve import desks
from serve.desks import Desk
from serving import Server
from waits import eventually


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
        ),
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
    page.evaluate(
        """() => {
            const data = new DataTransfer();
            data.setData("text/plain", "- one\\n- two: 2\\n- three\\n");
            const more = {clipboardData: data, bubbles: true, cancelable: true};
            document.activeElement.dispatchEvent(new ClipboardEvent("paste", more));
        }"""
    )
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


def test_bullets_in_languages_and_points_under_them_are_fields(
    browser: Browser, server: Server, folder: Path
) -> None:
    with desks.opened(browser, server, folder, DEEP) as desk:
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
