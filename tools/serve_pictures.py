"""The pictures of docs/how-to/serve.md: python -m tools.serve_pictures (needs Chromium)."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "how-to" / "serve"
PERSON = ROOT / "docs" / "gallery" / "nora-lindqvist.yaml"
SIZE = {"width": 1280, "height": 800}
ADVERT = """\
Research engineer, ocean models

You know Fortran, C++, MPI and Kubernetes. Experience with GPUs and with
adaptive meshes is welcome.
"""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main() -> None:
    """Start a server in a new workspace, go through its states, and write a picture of each."""
    path = chromium()
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        file = Path(place, "people", PERSON.name)
        file.parent.mkdir()
        shutil.copy(PERSON, file)
        command = [sys.executable, "-m", "cvbuild", "serve", file.stem, "--no-open"]
        server = subprocess.Popen(
            command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
            page.set_default_timeout(180_000)
            page.goto(address(server))
            for number, state in enumerate(STATES, 1):
                state(page, file)
                page.wait_for_timeout(1500)
                _write(page, FOLDER / f"{number}-{state.__name__.strip('_')}.png")
        finally:
            browser.close()
            server.terminate()
            server.wait()


def chromium() -> str:
    """Return the path of the browser; raise SystemExit if there is none."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("Chromium is not installed; apt-get install chromium")
    return path


def address(server: subprocess.Popen[str]) -> str:
    """Return the address that a server prints."""
    assert server.stdout
    for line in server.stdout:
        if found := re.search(r"http://\S+token=[-\w]+", line):
            return found[0]
    raise SystemExit("cvbuild serve didn't start")


def _write(page: Page, path: Path) -> None:
    """Write what is seen with few colours: that is smaller, and looks the same."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(160, dither=Image.Dither.NONE).save(path, optimize=True)


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
    page.get_by_label("Accent", exact=True).fill("7A1F3D")
    page.keyboard.press("Enter")
    page.wait_for_timeout(1500)
    _ready(page)


def _one_page(page: Page, _: Path) -> None:
    page.locator("#more").click()
    page.get_by_role("menuitem", name="One page").click()
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


STATES: tuple[Callable[[Page, Path], None], ...] = (
    _write_and_see,
    _mistake,
    _options,
    _one_page,
    _match,
    _conflict,
)

if __name__ == "__main__":
    main()
