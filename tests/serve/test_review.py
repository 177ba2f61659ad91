"""What an import guessed or lost, clicked through in Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from serve.desks import Desk, Opens

from cvbuild.inputs.yaml import writer

#: A person's file with eight doubts, as an import leaves it.
DOUBTFUL = f"""\
# yaml-language-server: $schema=../docs/profile.schema.json
# {writer.MARKED}

name: Ada Example
headline: Research engineer  # ?
contact:
  email: ada@example.org
  address: Springfield  # ? "Springfield, then"
template: plain
sections:
  - kind: experience
    items:
      - employer: Sample Analytics
        title: Engineer
        date: 2019-10 to 2022-02  # ? "autumn 2019 – Feb 22"
      # no home: an amount: "€1,200",
      # of the prize
      # ?
      - employer: Example Works
        title: Assistant
        date: 2013  # ?
  - kind: skill  # ?
    items:
      - {{name: Languages, keywords: [Python, Rust]}}
# no home, and told when this was imported: 3 more
"""


@pytest.fixture
def desk(opens: Opens) -> Iterator[Desk]:
    with opens(DOUBTFUL) as found:
        expect(found.page.locator("#review-count")).to_have_text("8")
        found.page.locator("#review-button").click()
        yield found


def test_each_is_answered_with_a_click_and_taken_back(desk: Desk) -> None:
    page = desk.page
    entry = page.locator("#review-list .now")
    expect(entry).to_contain_text("Is this headline right?")
    expect(entry).to_contain_text("Written: “Research engineer”")
    page.get_by_role("button", name="Right", exact=True).click()
    expect(page.locator("#review-state")).to_contain_text("1 of 8 looked at")
    gone = DOUBTFUL.replace("Research engineer  # ?", "Research engineer")
    assert desk.written() == gone
    expect(entry).to_contain_text('Source: "Springfield, then"')
    desk.undo()
    assert desk.written() == DOUBTFUL


def test_keys_answer_all_of_them(desk: Desk) -> None:
    page = desk.page
    entry = page.locator("#review-list .now .doubt")
    for number in range(8):
        expect(page.locator("#review-state")).to_contain_text(f"{number} of 8")
        expect(entry).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.locator("#review-state")).to_contain_text("All 8 places looked at")
    text = desk.written()
    assert "# ?" not in text
    assert "no home" not in text
    facts = [
        line.split("  #")[0] for line in DOUBTFUL.splitlines() if "# " not in line.lstrip()[:2]
    ]
    kept = ["# yaml-language-server: $schema=../docs/profile.schema.json"]
    assert text.splitlines() == [*kept, *facts]


#: What the server found in the text is held back from the page while `held` is set.
HOLD = """
window.WebSocket = class extends WebSocket {
  constructor(...told) {
    super(...told);
    this.addEventListener("message", (event) => {
      const { type } = JSON.parse(event.data);
      if (window.held && type === "checked") event.stopImmediatePropagation();
    });
  }
};
"""


def test_pages_that_come_before_the_list_is_checked_anew_take_no_answer_away(opens: Opens) -> None:
    with opens(DOUBTFUL) as desk:
        page = desk.page
        page.add_init_script(HOLD)
        page.reload()
        expect(page.locator("#review-count")).to_have_text("8")
        page.locator("#review-button").click()
        page.evaluate("window.held = true")
        for number in range(1, 3):
            page.keyboard.press("Enter")
            expect(page.locator("#review-state")).to_contain_text(f"{number} of 8")
            expect(page.locator(f"#pages[data-revision='{number}']")).to_be_attached()


def test_a_change_takes_the_comment_along_and_undo_brings_both_back(desk: Desk) -> None:
    page = desk.page
    page.locator("#review-list .doubt", has_text="autumn 2019").click()
    page.get_by_role("button", name="Change").click()
    expect(page.locator("#editor .cm-content")).to_be_focused()
    page.keyboard.type("2019-09 to 2022-02")
    changed = '2019-10 to 2022-02  # ? "autumn 2019 – Feb 22"', "2019-09 to 2022-02"
    assert desk.written() == DOUBTFUL.replace(*changed)
    expect(page.locator("#review-count")).to_have_text("7")
    page.keyboard.press("ControlOrMeta+z")
    assert desk.written() == DOUBTFUL


def test_an_item_that_is_removed_takes_its_own_mark_alone(opens: Opens) -> None:
    first, *items = [f"      # ?\n      - employer: X\n        title: {name}\n" for name in "ABC"]
    text = "name: Ada Example\ntemplate: plain\nsections:\n  - kind: experience\n    items:\n"
    with opens(text + first + "".join(items)) as desk:
        page = desk.page
        page.locator("#view-form").click()
        page.locator("#review-button").click()
        page.get_by_role("button", name="Right", exact=True).click()
        first = first.replace("      # ?\n", "")
        desk.becomes(text + first + "".join(items))
        expect(page.locator("#part-title")).to_have_text("B")
        page.get_by_role("button", name="Change").click()
        page.locator("#part-menu").click()
        page.get_by_role("menuitem", name="Remove").click()
        desk.becomes(text + first + items[1])


def test_all_are_right_is_one_edit(desk: Desk) -> None:
    page = desk.page
    page.locator("#review-all").click()
    assert "# ?" not in desk.written()
    desk.undo()
    assert desk.written() == DOUBTFUL
    expect(page.locator("#review-count")).to_have_text("8")


def test_where_there_is_little_room_a_change_leads_to_the_field(desk: Desk) -> None:
    page = desk.page
    page.locator("#view-form").click()
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#review-list .now").get_by_role("button", name="Change").click()
    expect(page.locator("#review")).to_be_hidden()
    headline = desk.field("Headline")
    expect(headline).to_be_focused()
    headline.fill("Engineer")
    expect(page.locator("#review-count")).to_have_text("7")
    desk.has("headline: Engineer\n")
    page.locator("#review-button").click()
    page.locator("#pane-pages").click()
    expect(page.locator("#pages")).to_be_visible()
