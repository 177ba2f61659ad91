"""Chromium, for the tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import judges
import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from waits import PATIENCE


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium."""
    path = judges.program("chromium", "chromium-browser", "google-chrome", package="chromium")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE * 1000)
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()
