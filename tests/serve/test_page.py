"""The page of ``cvbuild serve`` in Chromium: written, looked at, broken and saved."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import has_no_fault
from playwright.sync_api import Error, Locator, ViewportSize, expect
from serve import desks
from serve.desks import ADA, Desk, Opens
from serving import Server
from waits import eventually


def test_what_is_typed_is_shown_and_saved(desk: Desk) -> None:
    desk.after("Research engineer")
    # At once: letters that come slowly are undone in several steps.
    desk.page.keyboard.insert_text(" of examples")
    desk.shows("Research engineer of examples")
    assert desk.written() == ADA.replace("engineer ", "engineer of examples ", 1)
    picture = desk.page.locator(".sheet img").first
    assert picture.evaluate("img => img.complete && img.naturalWidth") > 500
    desk.page.keyboard.press("ControlOrMeta+z")
    desk.shows("Research engineer")
    assert desk.written() == ADA


def test_completion_knows_where_it_is(desk: Desk) -> None:
    page = desk.page
    listed = page.locator("#editor .cm-tooltip-autocomplete li .cm-completionLabel")
    for text, typed, first in [
        ("name: A\n", "temp", "template"),
        ("template: ", "on", "one-page"),
        ("contact:\n  profiles:\n    ", "git", "github"),
        ("sections:\n  - kind: ", "edu", "education"),
        ("sections:\n  - kind: education\n    items:\n      - ", "inst", "institution"),
        ("sections:\n  - items:\n      - {titl", "e", "title"),
        ("options: {paper: ", "le", "letter"),
        ("options:\n  one-page:\n    ", "acc", "accent"),
        ("variants:\n  short:\n    ", "hea", "headline"),
    ]:
        desk.say(text)
        page.keyboard.type(typed)
        with contextlib.suppress(Error):
            listed.first.wait_for(timeout=20_000)
        if not listed.count():
            page.keyboard.press("Control+Space")  # where keys come late, a list closes again
        expect(listed.first).to_have_text(first)
        page.keyboard.press("Escape")
    desk.say("sections:\n  - kind: talk\n    items:\n      - ")
    page.keyboard.type("titl")
    expect(listed.first).to_have_text("title")
    listed.first.click()
    page.keyboard.type("A talk")
    assert desk.text().rstrip().endswith("- title: A talk")
    # Names of variants are free.
    desk.say("variants:\n  ")
    page.keyboard.type("va")
    page.wait_for_timeout(500)
    expect(listed).to_have_count(0)


def test_lines_that_are_pasted_into_a_text_stay_in_it(desk: Desk) -> None:
    letter = "Dear all:\n\nI write.\n- One point: this"
    indented = "  Dear all:\n\n  I write.\n  - One point: this"
    cases = [
        ("name: A\nsummary: |\n", letter, f"name: A\nsummary: |\n{indented}"),
        ("name: A\nsummary: >-\n  ", letter, f"name: A\nsummary: >-\n{indented}"),
        ("summary: |\n  Here is more. ", "Two\nlines", "summary: |\n  Here is more. Two\n  lines"),
        ("summary: |\n  One\n", "two\n\n  three\n", "summary: |\n  One\n  two\n\n  three\n"),
        ("summary: |\n  One\n", "  two\n  three", "summary: |\n  One\n  two\n  three"),
        ("name: A\n", "headline: B\nsummary: C", "name: A\nheadline: B\nsummary: C"),
        ("sections:\n  - kind: text\n    text: |\n", "a\nb",
         "sections:\n  - kind: text\n    text: |\n      a\n      b"),
    ]  # fmt: skip
    for before, pasted, after in cases:
        desk.say(before)
        desk.page.wait_for_timeout(300)  # the editor reads what was typed a moment later
        desks.paste(desk.page, pasted)
        lines = desk.page.locator("#editor .cm-line")
        assert eventually(lambda: "\n".join(lines.all_text_contents()) == after), after  # noqa: B023


def test_jumps_lead_both_ways(desk: Desk) -> None:
    page = desk.page
    page.locator('.spot[aria-label="Wrote a scheduler in Python"]').click()
    line = page.locator("#editor .cm-activeLine")
    expect(line).to_contain_text("Wrote a scheduler")
    desk.after("ada@exam")
    now = page.locator(".spot.now")
    expect(now.first).to_have_attribute("aria-label", "ada@example.org")
    page.keyboard.press("Alt+Enter")
    expect(now.first).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(line).to_contain_text("Ada Example")
    expect(page.locator("#editor .cm-content")).to_be_focused()


def test_a_broken_text_keeps_its_pages_and_says_where(desk: Desk) -> None:
    page = desk.page
    desk.after("headline")
    page.keyboard.type("s")
    earlier = page.locator("#earlier")
    expect(earlier).to_contain_text('unknown key "headlines"; did you mean "headline"?')
    expect(page.locator(".sheet img").first).to_be_visible()
    expect(page.locator("#editor .cm-lintRange-error")).to_have_text("headlines")
    expect(page.locator("#problem-count")).to_have_text("1 error")
    desk.saved()
    page.keyboard.press("ControlOrMeta+Home")
    page.keyboard.press("Alt+p")
    page.keyboard.press("Enter")
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("headlines")
    page.keyboard.press("ControlOrMeta+z")
    expect(earlier).to_be_hidden()
    expect(page.locator("#problem-count")).not_to_contain_text("error")


@pytest.mark.deep
def test_a_row_that_is_pressed_leads_to_its_place_when_the_list_is_renewed(desk: Desk) -> None:
    page, count = desk.page, desk.page.locator("#problem-count")
    wrong = ADA.replace("headline", "headlin", 1)
    desk.say(wrong)
    desk.saved()
    expect(count).to_have_text("1 error")
    page.locator("#problems summary").click()
    page.locator("#problem-list .row", has_text="headlin").hover()
    page.mouse.down()
    desk.file.write_text(f"contct: {{}}\n{wrong}", encoding="utf-8")
    expect(count).to_have_text("2 errors")
    page.mouse.up()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("headlin")
    expect(page.locator("#problem-list .row")).to_have_count(2)


def test_one_of_sixty_people_is_found_by_typing(desk: Desk) -> None:
    page = desk.page
    desk.after("Research engineer")
    page.keyboard.type(" at once")
    page.locator("#person").click()
    expect(page.locator("#people-list [role=option]")).to_have_count(60)
    page.keyboard.type("zoe 57")
    expect(page.locator("#people-list [role=option]")).to_have_text(re.compile("Zoë Specimen 57"))
    page.keyboard.press("Enter")
    desk.shows("Zoë Specimen 57")
    assert "at once" in desk.file.read_text("utf-8")
    assert "Zoë Specimen 57" in desk.text()
    page.locator("#person").click()
    page.keyboard.type("آدا")
    page.keyboard.press("Enter")
    desk.shows("مهندسة برمجيات")


def test_documents_options_and_what_one_page_leaves_out(desk: Desk) -> None:
    page = desk.page
    bullets = "\n".join(f"          - Work of the kind {number}" for number in range(90))
    desk.say(ADA.replace("          - Wrote", f"{bullets}\n          - Wrote"))
    page.get_by_role("tab", name="One page").click()
    page.get_by_role("button", name=re.compile("Left out")).click()
    left_out = page.locator("#left-out-list button")
    expect(left_out.first).to_be_visible()
    left_out.first.click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Work of the kind")
    back = page.get_by_role("button", name=re.compile("^Bring back .*kind 8")).first
    kept = re.search(r"Work of the kind \d+", str(back.get_attribute("aria-label")))
    assert kept
    back.click()
    desk.has(f"text: {kept[0]}\n", "keep: true\n")
    expect(page.get_by_role("button", name=re.compile(f"^Bring back .*{kept[0]}"))).to_have_count(0)
    desk.say(ADA)
    page.get_by_role("button", name="Options").click()
    expect(page.get_by_label("Date form", exact=True)).to_be_hidden()
    page.locator("summary", has_text="Entries").click()
    expect(page.get_by_label("Date form", exact=True)).to_be_visible()
    page.get_by_label("Paper", exact=True).select_option("letter")
    expect(page.get_by_role("button", name="Paper: back to default")).to_be_visible()
    written = desk.written()
    assert "paper: letter" in written
    assert "# since 2019" in written
    page.get_by_role("button", name="Paper: back to default").click()
    assert eventually(lambda: "letter" not in desk.file.read_text("utf-8"))
    page.get_by_role("tab", name="short").click()
    desk.shows("Engineer of schedulers")


def test_an_advertisement_and_downloads(desk: Desk) -> None:
    page = desk.page
    page.get_by_role("button", name="Match").click()
    page.locator("#advert").fill("Needed: Python, Kubernetes.")
    page.get_by_role("button", name="Compare with the page").click()
    expect(page.locator(".terms.nowhere")).to_contain_text("Kubernetes")
    page.locator(".terms.has button").first.click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Python")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download PDF").click()
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")
    menu = {"pdf": ("PDF", b"%PDF"), "txt": ("Text", b"Ada Example"), "md": ("Markdown", b"# Ada")}
    for name, (words, begin) in menu.items():
        page.locator("#download").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=re.compile(f"^{words} ?")).first.click()
        assert download.value.suggested_filename == f"Ada-Example_CV.{name}"
        assert Path(download.value.path()).read_bytes().startswith(begin)


def test_a_text_that_is_too_large_is_told_and_not_sent(desk: Desk) -> None:
    page, state = desk.page, desk.page.locator("#state")
    desk.after("Research engineer")
    page.keyboard.insert_text("é" * 600_000)
    expect(state).to_contain_text("Not saved: the text has more than 1 MiB")
    page.keyboard.press("ControlOrMeta+s")
    expect(state).to_contain_text("more than 1 MiB")
    assert desk.file.read_text("utf-8") == ADA
    page.keyboard.press("ControlOrMeta+z")
    desk.saved()
    page.keyboard.type(" again")
    assert desk.written() == ADA.replace("engineer ", "engineer again ", 1)


def test_an_address_that_names_nobody_leads_to_the_start(desk: Desk, server: Server) -> None:
    page = desk.page
    page.goto(f"{server.address.partition('?')[0]}#%E0%A4%A")
    expect(page.locator("#start")).to_be_visible()
    page.reload()
    expect(page.locator("#start")).to_be_visible()
    page.locator("#here-list .person").first.click()
    desk.saved()
    page.go_back()
    expect(page.locator("#start")).to_be_visible()
    page.go_forward()
    expect(page.locator("#start")).to_be_hidden()


def test_axe_finds_nothing(opens: Opens) -> None:
    with opens(ADA, bypass_csp=True) as desk:
        page = desk.page
        desk.shows("Research engineer")
        has_no_fault(page)
        page.locator("#person").click()
        has_no_fault(page)
        page.keyboard.press("Escape")
        for panel in ("Options", "Match"):
            page.get_by_role("button", name=panel).click()
            has_no_fault(page)
        page.locator("#styles-button").click()
        expect(page.locator("#styles-list img").first).to_be_visible()
        has_no_fault(page)
        page.locator("#styles-button").click()
        page.locator("#download").click()
        has_no_fault(page)
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Keys").click()
        has_no_fault(page)
        page.keyboard.press("Escape")
        desk.after("headline")
        page.keyboard.type("s")
        expect(page.locator("#earlier")).to_be_visible()
        page.locator("#problems summary").click()
        page.locator("#editor .cm-content").focus()
        page.keyboard.press("ControlOrMeta+f")
        has_no_fault(page)
        page.set_viewport_size({"width": 400, "height": 800})
        has_no_fault(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_the_keys_leave_yaml_as_it_is(desk: Desk) -> None:
    desk.after("headline: Research engineer")
    for key in "bik":
        desk.page.keyboard.press(f"ControlOrMeta+{key}")
    desk.page.keyboard.type("s")
    desk.becomes(ADA.replace("Research engineer", "Research engineers"))


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
def forced(opens: Opens) -> Iterator[Desk]:
    """Ada's file in the colours of a system that allows no others."""
    with opens(desks.ADA, forced_colors="active") as desk:
        desk.shows("Research engineer")
        yield desk


def test_both_shows_the_lines_of_the_item(opens: Opens) -> None:
    item = "      - {title: Engineer %s, employer: Works, date: 2019}\n"
    items = "".join(item % number for number in range(60))
    text = (
        f"name: Ada Example\ntemplate: plain\nsections:\n  - kind: experience\n    items:\n{items}"
    )
    with opens(text) as desk:
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
    return eventually(lambda: bool(one.evaluate(_LOOK) != other.evaluate(_LOOK)))


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


def test_a_small_page_shows_the_side_that_was_chosen(opens: Opens) -> None:
    size: ViewportSize = {"width": 640, "height": 400}
    with opens(desks.ADA, viewport=size) as desk:
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
    opens: Opens, server: Server, folder: Path
) -> None:
    with opens(desks.ADA) as desk:
        desk.page.locator("#view-form").click()
        desk.page.locator("#outline").wait_for()
        with desks.begun(folder, "ada") as other:
            assert other.port != server.port
            page = desk.page.context.new_page()
            page.goto(other.address)
            expect(page.locator("#outline .part").first).to_be_visible()
            expect(page.locator("#editor")).to_be_hidden()


def test_nothing_scrolls_sideways_on_a_phone(opens: Opens) -> None:
    size: ViewportSize = {"width": 390, "height": 844}
    with opens(desks.ADA, viewport=size) as desk:
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
