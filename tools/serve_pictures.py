"""The pictures of docs/how-to/serve.md: ``make docs-serve`` (needs Chromium).

``python -m tools.serve_pictures way`` draws those of the way from a Word file to an application;
each line that is printed has a step and the seconds that it took.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "how-to" / "serve"
PERSON = ROOT / "docs" / "gallery" / "nora-lindqvist.yaml"
WORD = ROOT / "tests" / "importers" / "examples" / "docx" / "given.docx"
SIZE = {"width": 1280, "height": 800}
#: Pixels of the width of a picture of the way.
WIDTH = 800
ADVERT = """\
Research engineer, ocean models

You know Fortran, C++, MPI and Kubernetes. Experience with GPUs and with
adaptive meshes is welcome.
"""
LETTER = """\
Ihr Team gestaltet Geräte, die in Krankenhäusern täglich gebraucht werden. Seit neun Jahren \
entwerfe ich solche Geräte; zuletzt habe ich die Zahl der Fehlalarme einer Pumpe halbiert.

Über ein Gespräch würde ich mich freuen."""

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

#: What is done, with the page and the file of the person or the folder; each gets a picture.
Step = Callable[[Page, Path], None]


def draw(steps: Sequence[Step], folder: Path, place: Path, *words: str, prefix: str = "") -> None:
    """Start a server in a folder, go through the steps with ``place``, write a picture of each."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("Chromium is not installed; apt-get install chromium")
    command = [sys.executable, "-m", "cvbuild", "serve", *words, "--no-open"]
    server = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
            page.set_default_timeout(180_000)
            page.goto(_address(server))
            for number, step in enumerate(steps, 1):
                began, name = time.monotonic(), step.__name__.strip("_")
                step(page, place)
                sys.stdout.write(f"{number} {name}: {time.monotonic() - began:.1f} s\n")
                page.wait_for_timeout(1500)
                _write(page, FOLDER / f"{prefix}{number}-{name}.png", small=bool(prefix))
        finally:
            browser.close()
            server.terminate()
            server.wait()


def _address(server: subprocess.Popen[str]) -> str:
    """Return the address that a server prints."""
    assert server.stdout
    for line in server.stdout:
        if found := re.search(r"http://\S+token=[-\w]+", line):
            return found[0]
    raise SystemExit("cvbuild serve didn't start")


def _write(page: Page, path: Path, *, small: bool) -> None:
    """Write what is seen with few colours: that takes less room, and looks the same."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    if small:
        size = WIDTH, round(picture.height * WIDTH / picture.width)
        picture = picture.resize(size, Image.Resampling.LANCZOS)
    colours = 96 if small else 160
    picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)


def _ready(page: Page) -> None:
    page.wait_for_selector(".sheet img")
    page.wait_for_selector("#making", state="hidden")


def _find(page: Page, words: str) -> None:
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("Control+f")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")


def _write_and_see(page: Page, _: Path) -> None:
    _ready(page)
    _find(page, "template: ")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Delete")
    page.keyboard.type("acad")
    page.keyboard.press("Escape")
    page.keyboard.type("emic")
    page.wait_for_timeout(2000)
    _ready(page)
    page.keyboard.press("Control+Space")


def _mistake(page: Page, _: Path) -> None:
    page.keyboard.press("Escape")
    _find(page, "headline")
    page.keyboard.type("s")
    page.wait_for_selector("#earlier:not([hidden])")
    page.locator("#problems summary").click()


def _options(page: Page, file: Path) -> None:
    page.locator("#problems summary").click()
    file.write_text(PERSON.read_text("utf-8"), encoding="utf-8")
    page.wait_for_selector("#earlier", state="hidden")
    page.locator("#options-button").click()
    page.locator("details:not([open]) summary", has_text="Colour").click()
    page.get_by_label("Accent", exact=True).fill("7A1F3D")
    page.keyboard.press("Enter")
    page.wait_for_timeout(1500)
    _ready(page)


def _one_page(page: Page, _: Path) -> None:
    page.locator("#styles-button").click()
    page.locator("[data-style=one-page] button").click()
    page.locator("#styles-close").click()
    _ready(page)
    page.locator("#left-out-button").click()
    page.locator("#left-out-list button").first.click()


def _match(page: Page, _: Path) -> None:
    page.get_by_role("tab").first.click()
    _ready(page)
    page.locator("#match-button").click()
    page.locator("#advert").fill(ADVERT)
    page.get_by_role("button", name="Compare with the page").click()
    page.locator("#match-result h3").first.wait_for()


def _conflict(page: Page, file: Path) -> None:
    page.locator("#drawer-close").click()
    page.emulate_media(color_scheme="dark")
    _find(page, "headline: ")
    page.keyboard.type("Dr. ")
    text = file.read_text("utf-8").replace("headline: ", "headline: Senior ", 1)
    file.write_text(text, encoding="utf-8")
    page.wait_for_selector("#conflict:not([hidden])")
    page.locator("#conflict-compare").click()


STATES = (_write_and_see, _mistake, _options, _one_page, _match, _conflict)


# -- the way from a Word file to an application --------------------------------------------------


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


WAY = (_empty, _imported, _looked_at, _styled, _application, _letter, _to_send, _sent)


def main(*words: str) -> None:
    """Draw the states of the editor, or the way, in a new workspace."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "my-cvs")
        folder.mkdir()
        if words == ("way",):
            draw(WAY, folder, folder, prefix="way-")
            return
        file = folder / "people" / PERSON.name
        file.parent.mkdir()
        shutil.copy(PERSON, file)
        draw(STATES, folder, file, file.stem)


if __name__ == "__main__":
    main(*sys.argv[1:])
