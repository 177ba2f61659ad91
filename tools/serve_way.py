"""The pictures of the way from a Word file to an application: python -m tools.serve_way.

They are in docs/how-to/serve/; each line that is printed has a step and the seconds that it took.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tools import serve_pictures
from tools.serve_pictures import ARGUMENTS, FOLDER, ROOT

WORD = ROOT / "tests" / "importers" / "examples" / "docx" / "given.docx"
SIZE = {"width": 1280, "height": 800}
#: Pixels of a picture's width, and its colours.
WIDTH, COLOURS = 800, 96
LETTER = """\
Ihr Team gestaltet Geräte, die in Krankenhäusern täglich gebraucht werden. Seit neun Jahren \
entwerfe ich solche Geräte; zuletzt habe ich die Zahl der Fehlalarme einer Pumpe halbiert.

Über ein Gespräch würde ich mich freuen."""


def main() -> None:
    """Go the way in an empty folder, and write a picture of each step."""
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place, "my-cvs")
        folder.mkdir()
        command = [sys.executable, "-m", "cvbuild", "serve", "--no-open"]
        server = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        path = serve_pictures.chromium()
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
            page.set_default_timeout(60_000)
            page.goto(serve_pictures.address(server))
            for number, step in enumerate(STEPS, 1):
                began = time.monotonic()
                step(page, folder)
                name = step.__name__.strip("_")
                print(f"{number} {name}: {time.monotonic() - began:.1f} s")  # noqa: T201
                page.wait_for_timeout(1000)
                _write(page, FOLDER / f"way-{number}-{name}.png")
        finally:
            browser.close()
            server.terminate()
            server.wait()


def _write(page: Page, path: Path) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    small = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
    small.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _ready(page: Page) -> None:
    page.wait_for_selector(".sheet img")
    page.wait_for_selector("#making", state="hidden")


def _empty(page: Page, _: Path) -> None:
    page.locator("#new-styles img").first.wait_for()


def _imported(page: Page, _: Path) -> None:
    page.locator("#import-files").set_input_files(WORD)
    page.wait_for_selector("#review:not([hidden])")
    _ready(page)


def _looked_at(page: Page, _: Path) -> None:
    while page.locator("#review-list .now").count():
        page.locator("#review-list .now .doubt").press("Enter")
        page.wait_for_timeout(200)
    _ready(page)


def _styled(page: Page, _: Path) -> None:
    page.locator("#review-close").click()
    page.locator("#styles-button").click()
    page.locator("#styles-list li:last-child img").wait_for()
    page.locator('[data-style="industry"] button').click()
    page.locator("#styles-use").click()
    page.locator('[data-style="industry"] .in-use').wait_for()
    _ready(page)


def _application(page: Page, _: Path) -> None:
    page.locator("#styles-close").click()
    page.locator("#person").click()
    page.locator("#people-start").click()
    page.locator("#application-new").click()
    page.locator("#application-employer").fill("Beispiel GmbH")
    page.locator("#application-position").fill("Produktdesign")
    page.locator("#application-locale").select_option("de")


def _letter(page: Page, _: Path) -> None:
    page.get_by_role("button", name="Begin").click()
    page.locator("#packet-button").wait_for()
    _ready(page)
    page.locator('.part[data-path="letter"]').click()
    page.locator("#fields").get_by_label("Text", exact=True).fill(LETTER)
    page.locator('.spot[aria-label*="Krankenhäusern"]').first.wait_for(state="attached")
    _ready(page)


def _to_send(page: Page, _: Path) -> None:
    page.locator("#packet-button").click()
    page.locator("#packet-actions").wait_for()


def _sent(page: Page, _: Path) -> None:
    page.locator("#packet-sent").click()
    page.locator("#packet-yes").click()
    page.get_by_text("Kept as it was sent").wait_for()


STEPS: tuple[Callable[[Page, Path], None], ...] = (
    _empty,
    _imported,
    _looked_at,
    _styled,
    _application,
    _letter,
    _to_send,
    _sent,
)

if __name__ == "__main__":
    main()
