"""What the page of ``cvbuild serve`` looks like where colours or room are few."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, expect
from serve import desks
from serve.desks import Desk
from serving import Server
from waits import eventually

#: What is wider than its window, or scrolls sideways.
_WIDE = """() => [...document.querySelectorAll("body *")].filter(one => {
    const {overflowX} = getComputedStyle(one), {right, width} = one.getBoundingClientRect();
    const scrolls = /auto|scroll/.test(overflowX) && one.scrollWidth > one.clientWidth;
    return width && (right > innerWidth || scrolls) && !one.closest(".unseen, .wide");
}).map(one => one.outerHTML.slice(0, 80))"""
_LOOK = """element => {
    const {backgroundColor, outlineStyle, outlineColor} = getComputedStyle(element);
    return [backgroundColor, outlineStyle, outlineStyle === "none" ? "" : outlineColor].join();
}"""


@pytest.fixture
def forced(browser: Browser, server: Server, folder: Path) -> Iterator[Desk]:
    """Ada's file in the colours of a system that allows no others."""
    with desks.opened(browser, server, folder, desks.ADA, forced_colors="active") as desk:
        desk.shows("Research engineer")
        yield desk


def test_both_shows_the_lines_of_the_item(browser: Browser, server: Server, folder: Path) -> None:
    item = "      - {title: Engineer %s, employer: Works, date: 2019}\n"
    items = "".join(item % number for number in range(60))
    text = (
        f"name: Ada Example\ntemplate: plain\nsections:\n  - kind: experience\n    items:\n{items}"
    )
    with desks.opened(browser, server, folder, text) as desk:
        page = desk.page
        page.locator("#view-form").click()
        page.locator('.part[data-path="sections.0"]').click()
        page.locator('.part[data-path="sections.0.items.50"]').click()
        page.locator("#view-both").click()
        expect(page.locator("#editor .cm-item")).to_contain_text("Engineer 50")
        expect(page.locator("#editor .cm-item")).to_be_in_viewport()
        page.locator("#crumb").click()
        page.get_by_role("menuitemradio").nth(5).click()
        expect(page.locator("#editor .cm-item")).to_contain_text("Engineer 3,")
        expect(page.locator("#editor .cm-item")).to_be_in_viewport()


def differ(one: Locator, other: Locator) -> bool:
    """Whether two elements have another background or outline."""
    return bool(one.evaluate(_LOOK) != other.evaluate(_LOOK))


def test_states_are_seen_in_forced_colours(forced: Desk) -> None:
    page = forced.page
    page.locator("#view-form").click()
    page.locator('.part[data-path="sections.0"]').click()
    parts = page.locator(".part")
    expect(page.locator('.part[aria-selected="true"]')).to_have_count(1)
    assert differ(page.locator('.part[aria-selected="true"]'), parts.first)
    assert differ(page.locator("#view-form"), page.locator("#view-text"))
    assert differ(page.locator("#tabs [aria-selected=true]"), page.locator("#tabs button").last)
    page.locator('.part[data-path="sections.0.items.0"]').click()
    page.locator(".list-row rich-text").first.click()
    page.keyboard.press("Enter")
    rows = page.locator(".list-row")
    assert differ(rows.nth(1), rows.first)
    page.locator("#fields").get_by_label("Employer").click()
    expect(page.locator(".spot.now").first).to_be_attached()
    assert differ(page.locator(".spot.now").first, page.locator(".spot:not(.now)").first)
    page.locator("#options-button").click()
    assert differ(page.locator("#options-button"), page.locator("#match-button"))
    switch = page.locator("#private")
    before = switch.evaluate(_LOOK)
    switch.check()
    assert switch.evaluate(_LOOK) != before


def test_a_small_page_shows_the_side_that_was_chosen(
    browser: Browser, server: Server, folder: Path
) -> None:
    size: ViewportSize = {"width": 640, "height": 400}
    with desks.opened(browser, server, folder, desks.ADA, viewport=size) as desk:
        page = desk.page
        page.set_viewport_size({"width": 1280, "height": 800})
        page.locator("#view-both").click()
        page.set_viewport_size(size)
        page.reload()
        expect(page.locator("#outline")).to_be_visible()
        expect(page.locator("#pane-form")).to_have_attribute("aria-pressed", "true")
        # A page that is made twice as large leaves more than half of its height to the outline.
        outline = page.locator("#outline-side").bounding_box()
        assert outline
        assert outline["height"] > size["height"] / 2
        page.set_viewport_size({"width": 1280, "height": 800})
        page.locator("#view-text").click()
        page.set_viewport_size(size)
        expect(page.locator("#pane-text")).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#editor")).to_be_visible()
        page.locator("#pane-pages").click()
        page.set_viewport_size({"width": 700, "height": 400})
        expect(page.locator("#pane-pages")).to_have_attribute("aria-pressed", "true")


def test_the_view_that_was_chosen_is_that_of_the_next_server(
    browser: Browser, server: Server, folder: Path
) -> None:
    with desks.opened(browser, server, folder, desks.ADA) as desk:
        desk.page.locator("#view-form").click()
        desk.page.locator("#outline").wait_for()
        with desks.begun(folder, "ada") as other:
            assert other.port != server.port
            page = desk.page.context.new_page()
            page.goto(other.address)
            expect(page.locator("#outline .part").first).to_be_visible()
            expect(page.locator("#editor")).to_be_hidden()


def test_nothing_scrolls_sideways_on_a_phone(
    browser: Browser, server: Server, folder: Path
) -> None:
    size: ViewportSize = {"width": 390, "height": 844}
    with desks.opened(browser, server, folder, desks.ADA, viewport=size) as desk:
        page = desk.page
        expect(page.get_by_role("button", name="Download PDF", exact=True)).to_be_visible()
        for button in ("pane-form", "pane-text", "pane-pages", "options-button", "match-button"):
            page.locator(f"#{button}").click()
            assert eventually(lambda: page.evaluate(_WIDE) == []), button
        page.locator("#drawer-close").click()
        page.locator("#styles-button").click()
        expect(page.locator("#styles-list")).to_be_visible()
        assert page.evaluate(_WIDE) == []
        page.locator("#styles-close").click()
        page.locator("#pane-form").click()
        page.locator('.part[data-path="sections.0"]').click()
        expect(page.locator("#part-title")).to_be_visible()
        assert page.evaluate(_WIDE) == []
        page.locator("#form-add").click()
        expect(page.locator("#add-find")).to_be_focused()
        assert page.evaluate(_WIDE) == []
        page.keyboard.press("Escape")
        page.locator("#person").click()
        page.locator("#people-start").click()
        expect(page.locator("#new-styles label")).to_have_count(9)
        assert page.evaluate(_WIDE) == []
