"""Chromium, for tests that look at pages; playwright is there after ``make test-all``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import judges
import pytest
from waits import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; the one that has no windows opens a page in a third of the time."""
    api = pytest.importorskip("playwright.sync_api")
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = judges.program(*names, package="chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with api.sync_playwright() as playwright:
        api.expect.set_options(timeout=PATIENCE * 1000)
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


def has_no_fault(page: Page) -> None:
    """Axe finds nothing in a page as it is now, nor a lack of contrast in its dark colours."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(judges.module("axe-core/axe.min.js").read_text("utf-8"))
    # Otherwise it copies the style sheets of shadow roots into the page, which its policy refuses.
    found = page.evaluate("axe.run({preload: false}).then(found => found.violations)")
    page.emulate_media(color_scheme="dark")
    dark = "axe.run({preload: false, runOnly: ['color-contrast']}).then(found => found.violations)"
    found += page.evaluate(dark)
    page.emulate_media(color_scheme="light")
    assert not found, [(one["id"], one["nodes"][0]["html"]) for one in found]


def find_no_fault(browser: Browser, pages: Iterable[str]) -> None:
    """Axe finds nothing in files, and nothing is wider than the window: a small one, a dark one."""
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    for scheme, width in (("light", 360), ("dark", 1280)):
        context = browser.new_context(
            color_scheme=scheme,  # type: ignore[arg-type]
            viewport={"width": width, "height": 900},
            bypass_csp=True,
        )
        page = context.new_page()
        for name in pages:
            page.goto(Path(name).resolve().as_uri())
            page.evaluate(axe)
            found = page.evaluate("axe.run().then(found => found.violations)")
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()
