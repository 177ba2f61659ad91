"""Styles by picture, and languages, in Chromium."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import expect
from serve import desks
from serve.desks import ADA, Desk, Opens
from serving import Server

ONE = ADA.replace("template: [plain, one-page]", "template: plain")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("styled")
    (folder / "people").mkdir()
    (folder / "people" / "ada.yaml").write_text(ONE, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "cvbuild", "build"], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with desks.begun(folder, "ada") as begun:
        yield begun


@pytest.fixture
def desk(opens: Opens) -> Iterator[Desk]:
    with opens(ONE) as found:
        found.shows("Research engineer")
        yield found


@pytest.mark.deep
def test_a_style_is_looked_at_and_used(desk: Desk) -> None:
    page = desk.page
    page.locator("#styles-button").click()
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator("#styles-list img")).to_have_count(9)
    plain = page.locator('[data-style="plain"]')
    expect(plain.locator(".in-use")).to_be_visible()
    expect(plain).to_contain_text("1 page")
    page.locator('[data-style="industry"] button').click()
    expect(page.locator("#tabs [aria-selected=true]")).to_contain_text("Industry")
    expect(page.locator("#tabs [aria-selected=true]")).to_contain_text("only looked at")
    expect(page.locator("#drawer")).to_be_hidden()
    page.locator("#styles-options").click()
    expect(page.locator("#option-of")).to_be_visible()
    expect(page.locator("#option-of")).to_contain_text("Industry")
    assert desk.written() == ONE
    page.locator("#styles-add").click()
    expect(page.locator('[data-style="industry"] .in-use')).to_be_visible()
    expect(page.locator("#tabs")).not_to_contain_text("only looked at")
    assert yaml.safe_load(desk.written())["template"] == ["plain", "industry"]
    page.locator('[data-style="grid"] button').click()
    page.locator("#styles-use").click()
    expect(page.locator('[data-style="grid"] .in-use')).to_be_visible()
    assert yaml.safe_load(desk.written())["template"] == ["grid", "industry"]
    page.locator('[data-style="grid"] button').focus()
    page.keyboard.press("Escape")
    expect(page.locator("#text")).to_be_visible()
    desk.undo(2)
    assert desk.written() == ONE


def test_a_slider_changes_the_page(desk: Desk) -> None:
    page = desk.page
    page.locator("#options-button").click()
    slide = page.get_by_role("slider", name="Pages: slide")
    slide.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#editor .cm-content")).to_contain_text("pages: 2")
    desk.saved()


BULLETS = """\
        bullets:
          - Wrote a scheduler in Python  # mine
          - text: Led
            bullets: [Two engineers]
"""
GERMAN = """\
        bullets:
          - en: Wrote a scheduler in Python  # mine
            de: 'Schrieb, in "C": {schnell} # und gut'
          - text:
              en: Led
              de: Led
            bullets: [{en: Two engineers, de: 'Zwei, auch: drei'}]
"""


def test_what_is_not_translated_is_written_in_the_list(desk: Desk) -> None:
    page = desk.page
    text = ONE.replace("headline: Research", "headline: {en: Research engineer, de: X}\n#", 1)
    text = text.replace("headline: Engineer of", "headline: {en: Y, de: Z}}  #", 1)
    text = text.replace("title: Engineer", "title: {en: Engineer, de: Ingenieurin}")
    text = text.replace(ONE[ONE.index("        bullets:") : ONE.index("  - kind: skill")], BULLETS)
    desk.say(text)
    language = page.locator("#language")
    language.focus()
    expect(language.locator("option")).not_to_have_count(1)
    language.select_option("de")
    desk.shows("Ingenieurin")
    expect(page.locator("#language-count")).to_have_text("4")
    page.locator("#language-button").click()
    page.locator("#language-list .row", has_text="Wrote a scheduler in Python").click()
    box = page.locator("#language-list textarea:visible")
    expect(box).to_be_focused()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Wrote a scheduler")
    # The list is not made again before it is used again: its lines are those of the text before.
    page.route("**/untranslated", lambda _: None)
    page.keyboard.type('Schrieb, in "C": {schnell} # und gut')
    page.keyboard.press("Enter")
    expect(page.locator("#language-list .row")).to_have_count(3)
    expect(page.locator("#language-list .open")).to_contain_text("Led")
    expect(box).to_be_focused()
    page.locator("#language-list .row", has_text="Two engineers").click()
    page.locator("#language-list .open").get_by_text("Go there").click()
    expect(page.locator("#editor .cm-activeLine")).to_contain_text("Two engineers")
    page.unroute("**/untranslated")
    page.locator("#language-list .row", has_text="Led").click()
    page.locator("#language-list .open").get_by_text("Stays as it is").click()
    expect(page.locator("#language-list .open")).to_contain_text("Two engineers")
    # What is typed is also written when it is left.
    page.keyboard.type("Zwei, auch: drei")
    page.locator("#language-list .open .row").focus()
    expect(page.locator("#language-list .row")).to_have_count(1)
    # What skills have in common is said in words; Python is a name.
    page.locator("#language-list .row", has_text="Languages").click()
    page.keyboard.type("Sprachen")
    page.keyboard.press("Enter")
    expect(page.locator("#language-about")).to_have_text("All texts are in German.")
    skills = "{name: {en: Languages, de: Sprachen},"
    desk.becomes(text.replace(BULLETS, GERMAN).replace("{name: Languages,", skills))
    desk.shows("Led")
    language.select_option("")
    expect(page.locator("#language-button")).to_be_hidden()
