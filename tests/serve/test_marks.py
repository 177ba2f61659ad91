"""Bold, italic and links in Chromium: by keys and by the bar, in the form and in the text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect
from serve.desks import ADA, Desk

pytest.importorskip("starlette")


def bar(box: Locator) -> Locator:
    return box.locator("xpath=ancestor::*[@data-name][1]").locator(".marks")


def test_the_bar_and_the_keys_of_a_field(desk: Desk) -> None:
    page = desk.page
    page.locator("#view-form").click()
    desk.part("sections.0.items.0")
    bullet = page.get_by_label("Bullet 1 of 1")
    expect(bar(bullet)).to_be_hidden()
    bullet.click()
    page.keyboard.press("End")
    expect(bar(bullet)).to_be_visible()
    # The word at the cursor.
    bar(bullet).get_by_label("Italic").click()
    expect(bullet).to_have_value("Wrote a scheduler in *Python*")
    expect(bullet).to_be_focused()
    desk.becomes(ADA.replace("in Python", "in *Python*"))
    desk.shows("Wrote a scheduler in Python")
    page.keyboard.press("ControlOrMeta+b")
    expect(bullet).to_have_value("Wrote a scheduler in ***Python***")
    page.keyboard.press("ControlOrMeta+i")
    expect(bullet).to_have_value("Wrote a scheduler in **Python**")
    bar(bullet).get_by_label("Bold").click()
    expect(bullet).to_have_value("Wrote a scheduler in Python")
    page.keyboard.press("ControlOrMeta+k")
    expect(bullet).to_have_value("Wrote a scheduler in [Python](https://)")
    page.keyboard.type("https://example.org")
    linked = "Wrote a scheduler in [Python](https://example.org)"
    expect(bullet).to_have_value(linked)
    desk.becomes(ADA.replace("Wrote a scheduler in Python", linked))
    # A whole value begins with a mark: it has quotes in the file.
    title = desk.field("Title")
    title.click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+b")
    expect(title).to_have_value("**Engineer**")
    desk.has("title: '**Engineer**'\n")
    desk.shows("Engineer")
    # What is no prose has no bar.
    desk.part("")
    email = page.get_by_label("E-mail 1 of 1")
    email.click()
    expect(bar(email)).to_have_count(0)
    page.keyboard.press("ControlOrMeta+b")
    expect(email).to_have_value("ada@example.org")


def test_the_keys_leave_yaml_as_it_is(desk: Desk) -> None:
    desk.after("headline: Research engineer")
    for key in "bik":
        desk.page.keyboard.press(f"ControlOrMeta+{key}")
    desk.page.keyboard.type("s")
    desk.becomes(ADA.replace("Research engineer", "Research engineers"))
