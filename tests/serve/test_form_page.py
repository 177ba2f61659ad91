"""The form of ``cvbuild serve`` in Chromium: clicked, typed in, moved and undone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import judges
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from serve import desks
from serve.desks import Desk, Server
from waits import eventually

pytest.importorskip("starlette")

ADA = """\
# Everything about Ada.
name: {given: Ada, family: Example}
headline:
  en: Research engineer
  de: Ingenieurin
contact:
  email: ada@example.org
  phone: +1 202 555 0147
  profiles: {github: ada-example}
template: [plain, one-page]
options:
  plain: {sections: [experience, skill]}
sections:
  - kind: experience
    items:
      # Promoted.
      - title: Engineer
        employer: Example Works
        date: 2019-03 to present
        bullets:
          - Wrote a scheduler in Python
          - >-
            Cut the daily forecast from 94 to 31 minutes by overlapping halo exchange with
            computation.
          - Mentored two
      - title: Assistant
        employer: Labs
        date: 2017
        marks-of-mine: {a: b}
  - kind: skill
    items:
      - {name: Languages, keywords: [Python, Rust]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of sixty people."""
    return desks.workspace(tmp_path_factory.mktemp("formed"))


@pytest.fixture
def desk(browser: Browser, server: Server, folder: Path) -> Iterator[Desk]:
    """Ada's file as a form, and its pages."""
    text = ADA.replace("        marks-of-mine: {a: b}\n", "")
    (folder / "people" / "ada.yaml").write_text(text, encoding="utf-8")
    with desks.opened(browser, server, folder) as found:
        found.shows("Research engineer")
        found.page.locator("#view-form").click()
        yield found


def part(page: Page, path: str) -> None:
    """Open a part of the file by its path."""
    steps = path.split(".")
    if len(steps) > 2:
        section = page.locator(f'.part[data-path="{".".join(steps[:2])}"]')
        if section.get_attribute("aria-expanded") != "true":
            section.click()
    page.locator(f'.part[data-path="{path}"]').click()
    expect(page.locator("#fields")).to_have_attribute("data-path", path)


def written(desk: Desk) -> str:
    desk.saved()
    return desk.file.read_text("utf-8")


def becomes(desk: Desk, expected: str) -> None:
    """Wait until the file is this text."""
    assert eventually(lambda: desk.file.read_text("utf-8") == expected), desk.file.read_text()


def field(page: Page, label: str) -> Locator:
    """A box of the part that is shown."""
    return page.locator("#fields").get_by_label(label, exact=True)


def typed(page: Page, words: str) -> None:
    """Write at the end of the box that has focus, and wait until that is sent."""
    page.keyboard.press("End")
    page.keyboard.type(words)
    page.wait_for_timeout(400)


@contextmanager
def held(page: Page) -> Iterator[None]:
    """Keep the server's answers to edits back meanwhile."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route("**/set", hold)
    yield
    for route in routes:
        route.continue_()
    page.unroute("**/set")


def test_what_is_typed_in_a_field_is_printed_and_one_undo_takes_it_back(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    expect(page.locator("#part-comments")).to_have_text("# Promoted.")
    expect(page.locator(".dates .hint")).to_have_text("prints Mar 2019 – present")
    title = page.locator("#fields").get_by_label("Title", exact=True)
    title.click()
    expect(page.locator(".spot.now").first).to_have_attribute("aria-label", "Engineer")
    expect(page.locator(".item-bar")).to_have_count(1)
    page.keyboard.press("End")
    page.keyboard.type(" of")
    page.wait_for_timeout(400)
    page.keyboard.type(" schedulers")
    desk.shows("Engineer of schedulers")
    becomes(desk, before.replace("- title: Engineer", "- title: Engineer of schedulers"))
    expect(title).to_be_focused()
    expect(title).to_have_value("Engineer of schedulers")
    page.keyboard.press("ControlOrMeta+z")
    becomes(desk, before)
    expect(title).to_have_value("Engineer")
    expect(title).to_be_focused()
    expect(page.locator("#aloud")).to_have_text("Undone: Title")
    # A bullet that is folded stays so, and the date is one text.
    bullet = page.get_by_label("Bullet 2 of 3")
    bullet.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.press("Backspace")
    page.keyboard.type(" and *more*: all of it.")
    page.locator("#fields").get_by_label("From", exact=True).fill("2018-05")
    becomes(
        desk,
        before.replace("computation.", "computation and *more*: all of it.").replace(
            "2019-03 to", "2018-05 to"
        ),
    )
    page.get_by_role("checkbox", name="present").uncheck()
    page.locator("#fields").get_by_label("To", exact=True).fill("2024")
    page.keyboard.press("Tab")
    assert eventually(lambda: "date: 2018-05 to 2024\n" in desk.file.read_text("utf-8"))


def test_rows_of_a_list_by_keys(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    row = page.get_by_label("Bullet 1 of 3")
    row.click()
    page.keyboard.press("Home")
    for _ in range(len("Wrote a scheduler")):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    split = "          - Wrote a scheduler\n          - in Python\n"
    becomes(desk, before.replace("          - Wrote a scheduler in Python\n", split))
    expect(page.get_by_label("Bullet 2 of 4")).to_be_focused()
    page.keyboard.press("Backspace")
    becomes(desk, before)
    expect(page.get_by_label("Bullet 1 of 3")).to_be_focused()
    expect(page.locator("#aloud")).to_have_text("Removed, 3 left")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#aloud")).to_have_text("Moved down, 2 of 3")
    assert eventually(
        lambda: (
            desk.file.read_text("utf-8").index("Cut the")
            < desk.file.read_text("utf-8").index("Wrote a")
        )
    )
    page.keyboard.press("ControlOrMeta+z")
    becomes(desk, before)
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
    becomes(desk, before.replace("          - Mentored two\n", added))
    expect(page.get_by_label("Bullet 6 of 6")).to_be_focused()
    page.keyboard.press("ControlOrMeta+z")
    becomes(desk, before)
    expect(page.get_by_label("Bullet 3 of 3")).to_be_visible()


def test_a_row_that_is_typed_while_another_is_written_overwrites_nothing(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    page.get_by_label("Bullet 1 of 3").click()
    with held(page):
        page.keyboard.press("End")
        page.keyboard.type(" 3")
        page.keyboard.press("Enter")
        typed(page, "Wrote")
        typed(page, " tests")
    old = "          - Wrote a scheduler in Python\n"
    becomes(desk, before.replace(old, old[:-1] + " 3\n          - Wrote tests\n"))


def test_acts_that_follow_each_other_quickly(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    trainee = "      - {title: Trainee, employer: Yard, date: 2015}\n"
    desk.file.write_text(before.replace("  - kind: skill", f"{trainee}  - kind: skill"), "utf-8")
    part(page, "sections.0.items.2")
    part(page, "sections.0.items.0")

    def titles() -> list[str]:
        return re.findall(r"title: (\w+)", desk.file.read_text("utf-8"))

    with held(page):
        page.keyboard.press("Alt+ArrowDown")
        page.keyboard.press("Alt+ArrowDown")
        # What is typed now would go to the place that the part leaves.
        expect(page.locator("#fields")).to_have_js_property("inert", True)
    assert eventually(lambda: titles() == ["Assistant", "Trainee", "Engineer"])
    expect(page.locator("#part-count")).to_have_text("3 of 3")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    field(page, "Employer").fill("Works")
    assert eventually(lambda: "employer: Works\n" in desk.file.read_text("utf-8"))
    part(page, "sections.0.items.0")
    with held(page):
        page.keyboard.press("Delete")
        page.keyboard.press("Delete")
    expect(page.locator("#told-words")).to_have_text("“Assistant” removed.")
    expect(page.locator("#part-count")).to_have_text("1 of 2")
    desk.saved()
    assert titles() == ["Trainee", "Engineer"]


def test_a_link_keeps_what_is_written_in_both_of_its_boxes(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    links = "links: [Code: https://example.org/a]"
    project = f"  - kind: project\n    items:\n      - title: Ocean\n        {links}\n"
    desk.file.write_text(before + project, "utf-8")
    part(page, "sections.2.items.0")
    label, address = (field(page, f"Link 1, {name}") for name in ("label", "address"))
    label.click()
    with held(page):
        typed(page, "s")
        address.click()
        typed(page, "b")

    def has(words: str, url: str) -> None:
        link = re.compile(r"(\w+): '?https://example\.org/(\w+)")
        found = eventually(lambda: link.findall(desk.file.read_text("utf-8")) == [(words, url)])
        assert found, written(desk)

    for words, url in (("Codes", "ab"), ("Source", "ab"), ("Source", "abc")):
        label.fill(words)
        address.fill(f"https://example.org/{url}")
        has(words, url)


def test_one_undo_takes_back_one_field(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    field(page, "Title").click()
    with held(page):
        typed(page, "X")
        field(page, "Employer").click()
        typed(page, "Y")
    both = before.replace("title: Engineer", "title: EngineerX")
    becomes(desk, both.replace("Example Works", "Example WorksY"))
    page.keyboard.press("ControlOrMeta+z")
    becomes(desk, both)
    page.keyboard.press("ControlOrMeta+z")
    becomes(desk, before)


def test_words_that_are_not_taken_stay_in_their_field(desk: Desk) -> None:
    page = desk.page
    part(page, "sections.0.items.0")
    told = {"diagnostics": [{"message": "no text can have that", "hint": None}]}
    page.route("**/set", lambda route: route.fulfill(status=400, json=told))
    field(page, "Title").click()
    typed(page, " of tides")
    problem = page.locator('.field[data-name$=".title"] .problem')
    expect(problem).to_have_text("no text can have that")
    page.unroute("**/set")
    field(page, "Employer").fill("Works")
    assert eventually(lambda: "employer: Works\n" in desk.file.read_text("utf-8"))
    desk.shows("Works")
    expect(field(page, "Title")).to_have_value("Engineer of tides")
    # It is tried again when it changes.
    field(page, "Title").fill("Engineer of waves")
    assert eventually(lambda: "title: Engineer of waves" in desk.file.read_text("utf-8"))


def test_nothing_that_is_typed_is_lost_when_another_file_is_opened(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    field(page, "Title").click()
    with held(page):
        page.keyboard.press("End")
        page.keyboard.type(" of tides")
        warned = "!window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"
        assert page.evaluate(warned)
        page.locator("#person").click()
        page.keyboard.type("zoe 07")
        page.keyboard.press("Enter")
        page.wait_for_timeout(400)
    expect(page.locator("#person-name")).to_have_text("Zoë Specimen 07")
    becomes(desk, before.replace("title: Engineer", "title: Engineer of tides"))
    assert not page.evaluate(warned)


def test_parts_are_added_moved_and_removed(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    page.locator("#fields").get_by_label("Title", exact=True).click()
    page.keyboard.press("ControlOrMeta+Enter")
    page.keyboard.type("posi")
    expect(page.locator("#add-list [aria-selected=true]")).to_contain_text(
        "into Experience, after “Engineer”"
    )
    page.keyboard.press("Enter")
    desk.shows("New position")
    expect(page.locator("#aloud")).to_have_text("Added a position, 2 of 3")
    title = page.locator("#fields").get_by_label("Title", exact=True)
    expect(title).to_have_value("New position")
    expect(title).to_be_focused()
    page.keyboard.type("Manager")
    assert eventually(lambda: "\n      - title: Manager\n" in desk.file.read_text("utf-8"))
    page.keyboard.press("Escape")
    expect(page.locator('.part[data-path="sections.0.items.1"]')).to_be_focused()
    expect(page.locator('.part[data-path="sections.0.items.1"]')).to_contain_text("Manager")
    page.keyboard.press("Delete")
    becomes(desk, before)
    expect(page.locator("#told-words")).to_have_text("“Manager” removed.")
    page.locator("#undo-told").click()
    assert eventually(lambda: "\n      - title: Manager\n" in desk.file.read_text("utf-8"))


def test_a_section_lists_its_items_and_an_item_is_duplicated(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0")
    items = page.locator("#part-items button")
    expect(items).to_contain_text(["Engineer", "Assistant", "+ Position"])
    items.nth(1).click()
    title = page.locator("#fields").get_by_label("Title", exact=True)
    expect(title).to_have_value("Assistant")
    expect(title).to_be_focused()
    expect(page.locator("#part-items")).to_be_hidden()
    page.locator("#part-menu").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    one = before[before.index("      - title: Assistant") : before.index("  - kind: skill")]
    becomes(desk, before.replace(one, one + one))
    expect(page.locator("#fields")).to_have_attribute("data-path", "sections.0.items.2")
    expect(title).to_be_focused()
    page.locator("#undo-told").click()
    becomes(desk, before)
    part(page, "sections.0")
    page.locator("#part-items .add-row").click()
    expect(title).to_have_value("New position")
    expect(page.locator("#fields")).to_have_attribute("data-path", "sections.0.items.0")


def test_a_move_in_a_sorted_section_writes_that_it_is_not(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "sections.0.items.0")
    expect(page.locator("#part-count")).to_have_text("1 of 2")
    expect(page.locator('.part[data-path="sections.0"]')).to_contain_text("newest first")
    page.get_by_role("button", name="Move down").click()
    expect(page.locator("#told-words")).to_contain_text(
        "now 2 of 2. Experience is no longer sorted"
    )
    assert eventually(lambda: "    order: file\n" in desk.file.read_text("utf-8"))
    text = desk.file.read_text("utf-8")
    assert text.index("title: Assistant") < text.index("# Promoted.\n      - title: Engineer")
    expect(page.locator("#part-title")).to_have_text("Engineer")
    page.locator("#undo-told").click()
    becomes(desk, before)
    # By a handle, and a section.
    handle = page.locator('.part[data-path="sections.1"] .handle')
    box = handle.bounding_box()
    first = page.locator('.part[data-path="sections.0"]').bounding_box()
    assert box
    assert first
    page.mouse.move(box["x"] + 3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, box["y"] - 10)
    page.mouse.move(box["x"] + 3, first["y"] + 2, steps=4)
    expect(page.locator(".drop-line")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".drop-line")).to_have_count(0)
    page.mouse.up()
    # What is dragged is drawn anew when the text changes: that ends it.
    page.mouse.move(box["x"] + 3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, first["y"] + 2, steps=4)
    expect(page.locator(".drop-line")).to_be_visible()
    desk.file.write_text(f"# Another line.\n{before}", encoding="utf-8")
    expect(page.locator(".drop-line")).to_have_count(0)
    page.mouse.up()
    desk.saved()
    assert desk.file.read_text("utf-8") == f"# Another line.\n{before}"
    page.mouse.move(box["x"] + 3, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 3, first["y"] + 2, steps=6)
    page.mouse.up()
    assert eventually(
        lambda: (
            desk.file.read_text("utf-8").index("kind: skill")
            < desk.file.read_text("utf-8").index("kind: experience")
        )
    )
    # The style prints them in an order of its own.
    expect(page.locator("#order-words")).to_have_text(
        "“Plain” prints sections in an order of its own."
    )
    page.locator("#order-too").click()
    assert eventually(lambda: "sections: [skill, experience]" in desk.file.read_text("utf-8"))


def test_the_outline_by_keys(desk: Desk) -> None:
    page = desk.page
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
    assert eventually(lambda: "order: file" in desk.file.read_text("utf-8"))
    expect(page.locator(":focus")).to_have_attribute("data-path", "sections.0.items.1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(":focus")).to_have_attribute("data-path", "sections.0")
    page.keyboard.press("Enter")
    expect(page.locator("#fields").get_by_label("Title", exact=True)).to_be_focused()


def test_the_page_the_text_and_the_form_lead_to_each_other(desk: Desk) -> None:
    page = desk.page
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
    desk.after("Labs")
    page.keyboard.type(" and more")
    desk.saved()
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Assistant")).click()
    expect(page.locator("#fields").get_by_label("Employer")).to_have_value("Labs and more")
    page.reload()
    expect(page.locator("#view-both")).to_have_attribute("aria-pressed", "true")


def test_name_and_contact_with_languages_and_private_data(desk: Desk) -> None:
    page, before = desk.page, written(desk)
    part(page, "")
    page.get_by_label("Headline, de").fill("Forscherin")
    becomes(desk, before.replace("de: Ingenieurin", "de: Forscherin"))
    page.locator('.field[data-name="contact.phone"] .tick input').check()
    assert eventually(lambda: "private: true" in desk.file.read_text("utf-8"))
    expect(page.get_by_label("Phone 1 of 1")).to_have_value("+1 202 555 0147")
    # What is typed before and after the tick stays, and stays private.
    phone = page.get_by_label("Phone 1 of 1")
    tick = page.locator('[data-name="contact.phone"] .tick input')
    phone.fill("+1 202 555 0199")
    tick.uncheck()
    assert eventually(lambda: "  phone: +1 202 555 0199\n" in desk.file.read_text("utf-8"))
    with held(page):
        tick.check()
        phone.click()
        typed(page, "9")
    private = "  phone:\n    value: +1 202 555 01999\n    private: true\n"
    assert eventually(lambda: private in desk.file.read_text("utf-8")), written(desk)
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


def test_a_text_that_is_no_form_makes_it_wait(desk: Desk) -> None:
    page = desk.page
    part(page, "sections.0.items.0")
    page.locator("#view-both").click()
    desk.after("Example Works")
    page.keyboard.type('\n        note: "open')
    expect(page.locator("#form-waits")).to_contain_text("The form waits.")
    expect(page.locator("#fields").get_by_label("Title", exact=True)).to_have_value("Engineer")
    page.locator("#form-waits-go").click()
    expect(page.locator("#editor .cm-content")).to_be_focused()
    page.keyboard.press("ControlOrMeta+z")
    expect(page.locator("#form-waits")).to_be_hidden()
    # A value without a control is its lines.
    desk.say(ADA)
    desk.saved()
    desk.shows("Research engineer")
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Experience")).click()
    page.locator("#crumb").click()
    page.get_by_role("menuitemradio", name=re.compile("Assistant")).click()
    lines = page.locator('.field[data-name$="marks-of-mine"]')
    expect(lines.locator("pre")).to_have_text("marks-of-mine: {a: b}")
    expect(lines.locator(".hint")).to_contain_text("only in the text")


def test_nothing_is_said_of_a_line_that_is_being_written(desk: Desk) -> None:
    page = desk.page
    page.locator("#view-text").click()
    desk.after("Example Works")
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


def test_a_narrow_page_shows_one_thing_at_a_time(
    browser: Browser, server: Server, folder: Path
) -> None:
    (folder / "people" / "ada.yaml").write_text(
        ADA.replace("        marks-of-mine: {a: b}\n", ""), encoding="utf-8"
    )
    size = {"width": 390, "height": 844}
    with desks.opened(browser, server, folder, viewport=size) as desk:
        page = desk.page
        page.locator("#pane-form").click()
        expect(page.locator("#sheet-side")).to_be_hidden()
        part_ = page.locator('.part[data-path="sections.1"]')
        assert (part_.bounding_box() or {"height": 0})["height"] >= 44
        part_.click()
        expect(page.locator("#part-title")).to_have_text("Skills")
        page.locator("#form-back").click()
        page.locator('.part[data-path="sections.1.items.0"]').click()
        page.locator("#fields").get_by_label("Name", exact=True).fill("Computer languages")
        page.locator("#form-see").click()
        expect(page.locator('.spot[aria-label="Computer languages"]')).to_be_visible()
        page.locator("#pane-form").click()
        page.locator("#form-undo").click()
        expect(page.locator("#fields").get_by_label("Name", exact=True)).to_have_value("Languages")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_axe_finds_nothing_in_the_form(browser: Browser, server: Server, folder: Path) -> None:
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    (folder / "people" / "ada.yaml").write_text(ADA, encoding="utf-8")
    with desks.opened(browser, server, folder, bypass_csp=True) as desk:
        page = desk.page
        page.evaluate(axe)

        def found() -> object:
            faults = page.evaluate("axe.run().then(run => run.violations)")
            page.emulate_media(color_scheme="dark")
            faults += page.evaluate(
                "axe.run({runOnly: ['color-contrast']}).then(run => run.violations)"
            )
            page.emulate_media(color_scheme="light")
            return [(fault["id"], fault["nodes"][0]["html"]) for fault in faults]

        page.locator("#view-form").click()
        expect(page.locator("#part-title")).not_to_be_empty()
        assert found() == []
        part(page, "sections.0.items.1")
        assert found() == []
        part(page, "sections.0.items.0")
        page.locator(".selecting summary").click()
        page.get_by_role("button", name="+ Roles").click()
        assert found() == []
        page.locator("#add-button").click()
        assert found() == []
        page.keyboard.press("Escape")
        page.locator("#view-both").click()
        assert found() == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert found() == []
        page.locator("#pane-form").click()
        assert found() == []
