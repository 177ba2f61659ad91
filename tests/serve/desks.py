"""A workspace that is served, and its page in Chromium, for the tests of the page."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, Route, expect
from serving import Server
from waits import PATIENCE, eventually

from cvbuild.serve.live import kept

ADA = """\
# Everything about Ada.
name: Ada Example
headline: Research engineer  # since 2019
contact:
  email: ada@example.org
template: [plain, one-page]
variants:
  short: {template: one-page, headline: Engineer of schedulers}
sections:
  - kind: experience
    items:
      - employer: Example Works
        title: Engineer
        date: 2019 to present
        bullets:
          - Wrote a scheduler in Python
  - kind: skill
    items:
      - {name: Languages, keywords: [Python, Rust]}
"""
#: The same for the form, with more of it.
FORMED = """\
# Everything about Ada.
name: {given: Ada, family: Example}
headline:
  en: Research engineer
  de: Ingenieurin
contact:
  email: ada@example.org
  phone: +1 202 555 0147
  profiles: {github: ada-example}
template: [plain, one-page]
options:
  plain: {sections: [experience, skill]}
sections:
  - kind: experience
    items:
      # Promoted.
      - title: Engineer
        employer: Example Works
        date: 2019-03 to present
        bullets:
          - Wrote a scheduler in Python
          - >-
            Cut the daily forecast from 94 to 31 minutes by overlapping halo exchange with
            computation.
          - Mentored two
      - title: Assistant
        employer: Labs
        date: 2017
  - kind: skill
    items:
      - {name: Languages, keywords: [Python, Rust]}
"""
#: With a value that has no control.
MARKED = FORMED.replace("date: 2017\n", "date: 2017\n        marks-of-mine: {a: b}\n")
RTL = """\
name: {full: آدا مثال, native: Ada Example}
headline: مهندسة برمجيات
locale: ar
template: plain
summary: أعمل على البرمجيات منذ عشر سنوات.
"""
MANY = 58
EXAMPLES = Path(__file__).parents[1] / "importers" / "examples"


def workspace(folder: Path) -> Path:
    people = folder / "people"
    people.mkdir(parents=True)
    (people / "ada.yaml").write_text(ADA, encoding="utf-8")
    (people / "rtl.yaml").write_text(RTL, encoding="utf-8")
    for number in range(MANY):
        text = f"name: Zoë Specimen {number:02}\ntemplate: plain\n"
        (people / f"zoe-{number:02}.yaml").write_text(text, encoding="utf-8")
    return folder


@contextmanager
def begun(folder: Path, *words: str) -> Iterator[Server]:
    """Serve a workspace, by default its start page, for a browser; end it also after a failure."""
    server = Server(folder, *words, enter=False)
    try:
        yield server
    finally:
        code, _ = server.end(signal.SIGTERM)
    assert code == 0


@contextmanager
def shown(folder: Path, browser: str) -> Iterator[str]:
    above, below = os.openpty()
    environment = {**os.environ, "DISPLAY": ":9", "BROWSER": browser}
    command = [sys.executable, "-m", "cvbuild", "serve", "ada"]
    process = subprocess.Popen(command, cwd=folder, stderr=below, text=True, env=environment)
    os.close(below)
    with os.fdopen(above, encoding="utf-8", errors="replace") as terminal:
        yield _address(terminal)
        process.terminate()
        told: list[str] = []
        # When nobody has the terminal any more, reading from it fails.
        with contextlib.suppress(OSError):
            told.extend(terminal)
        ended = process.wait(timeout=PATIENCE), "".join(told)
        assert ended == (0, "stopped\n"), ended


def _address(told: Iterable[str]) -> str:
    lines = []
    for line in told:
        lines.append(line)
        if found := re.search(r"http://\S+token=[-\w]+", line):
            return found[0]
    raise AssertionError(lines)


@dataclass
class Desk:
    page: Page
    #: What is edited: Ada's file, or an application.
    file: Path

    @property
    def people(self) -> Path:
        return self.file.parent

    def text(self) -> str:
        return self.page.locator("#editor .cm-content").inner_text()

    def say(self, text: str) -> None:
        self.page.locator("#editor .cm-content").focus()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("Delete")
        self.page.keyboard.insert_text(text)

    def after(self, words: str) -> None:
        self.page.locator("#editor .cm-content").focus()
        self.page.keyboard.press("ControlOrMeta+f")
        self.page.keyboard.type(words)
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("ArrowRight")

    def shows(self, words: str) -> None:
        spot = self.page.locator(f'.spot[aria-label*="{words}"]').first
        expect(spot).to_be_attached()
        expect(self.page.locator("#making")).to_be_hidden()

    def undo(self, times: int = 1) -> None:
        for _ in range(times):
            self.page.locator("#editor .cm-content").focus()
            self.page.keyboard.press("ControlOrMeta+z")

    def saved(self) -> None:
        expect(self.page.locator("#state")).to_have_text("Saved")

    def written(self) -> str:
        self.saved()
        return self.file.read_text("utf-8")

    def becomes(self, expected: str) -> None:
        assert eventually(lambda: self.file.read_text("utf-8") == expected), self.file.read_text()

    def has(self, *words: str) -> None:
        order = re.compile(".*".join(map(re.escape, words)), re.DOTALL)
        assert eventually(lambda: bool(order.search(self.file.read_text("utf-8")))), (
            self.file.read_text()
        )

    def part(self, path: str) -> None:
        steps = path.split(".")
        if len(steps) > 2:
            section = self.page.locator(f'.part[data-path="{".".join(steps[:2])}"]')
            if section.get_attribute("aria-expanded") != "true":
                section.click()
        self.page.locator(f'.part[data-path="{path}"]').click()
        expect(self.page.locator("#fields")).to_have_attribute("data-path", path)

    def field(self, label: str) -> Locator:
        return self.page.locator("#fields").get_by_label(label, exact=True)

    def typed(self, words: str) -> None:
        """Write at the end of the box that has focus, and wait until that is sent."""
        self.page.keyboard.press("End")
        self.page.keyboard.type(words)
        self.page.wait_for_timeout(400)

    @contextmanager
    def held(self, answers: str = "set") -> Iterator[None]:
        """Keep the server's answers to edits back meanwhile, or others of its answers."""
        routes: list[Route] = []
        self.page.route(f"**/{answers}", lambda route: routes.append(route))  # noqa: PLW0108 - it is marked
        yield
        for route in routes:
            route.continue_()
        self.page.unroute(f"**/{answers}")


#: Pastes a text where the focus is, as another program has it.
_PASTE = """([plain, html]) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", plain);
    clipboardData.setData("text/html", html);
    const more = {clipboardData, bubbles: true, cancelable: true};
    let focus = document.activeElement;
    while (focus.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
    focus.dispatchEvent(new ClipboardEvent("paste", more));
}"""
#: Drops files, names and base64, as a browser does; a number is so many zeros.
_DROP = """(zone, files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, data] of files) {
        const bytes = typeof data === "number"
            ? new Uint8Array(data)
            : Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
        dataTransfer.items.add(new File([bytes], name));
    }
    for (const kind of ["dragover", "drop"]) {
        const more = {dataTransfer, bubbles: true, cancelable: true};
        zone.dispatchEvent(new DragEvent(kind, more));
    }
}"""


def paste(page: Page, plain: str, html: str = "") -> None:
    page.evaluate(_PASTE, [plain, html])


def drop(zone: Locator, files: Mapping[str, bytes | int]) -> None:
    coded = {
        n: one if isinstance(one, int) else b64encode(one).decode() for n, one in files.items()
    }
    zone.evaluate(_DROP, [*coded.items()])


@contextmanager
def visited(browser: Browser, server: Server, **options: object) -> Iterator[Page]:
    size = {"width": 1280, "height": 800}
    context = browser.new_context(
        **{"viewport": size, "storage_state": server.kept, **options}  # type: ignore[arg-type]
    )
    context.set_default_timeout(PATIENCE * 1000)
    kept("views", server.folder, None).unlink(missing_ok=True)
    page, faults = context.new_page(), list[str]()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if "Security" in said.text else None)
    page.goto(server.address)
    yield page
    context.close()
    assert faults == []


@contextmanager
def opened(
    browser: Browser, server: Server, folder: Path, text: str = "", **options: object
) -> Iterator[Desk]:
    if text:
        (folder / "people" / "ada.yaml").write_text(text, encoding="utf-8")
    with visited(browser, server, **options) as page:
        desk = Desk(page, folder / "people" / "ada.yaml")
        desk.saved()
        page.locator("#editor .cm-content").wait_for(state="attached")
        server.kept = server.kept or page.context.storage_state()
        yield desk
        # What is being saved now would come over the text that the next test writes.
        expect(page.locator("#state")).not_to_have_text("Saving…")


#: ``opens(text, viewport=…)``: the page in its browser, with this text of Ada's.
Opens = Callable[..., AbstractContextManager[Desk]]


@dataclass
class Start:
    page: Page
    folder: Path

    def drop(self, **files: bytes | int) -> None:
        named = {name.replace("__", "."): data for name, data in files.items()}
        drop(self.page.locator("#start"), named)

    def says(self, *words: str) -> None:
        for one in words:
            expect(self.page.locator("#import-said")).to_contain_text(one)

    def click(self, words: str) -> None:
        self.page.locator("#import-said").get_by_role("button", name=words).click()

    def edits(self, name: str) -> None:
        expect(self.page.locator("#person-name")).to_have_text(name)
        expect(self.page.locator("#start")).to_be_hidden()
        expect(self.page.locator("#editor .cm-content")).to_contain_text(name)

    def again(self) -> None:
        self.page.locator("#person").click()
        self.page.locator("#people-start").click()
        expect(self.page.locator("#start")).to_be_visible()


@contextmanager
def started(browser: Browser, server: Server, folder: Path, **options: object) -> Iterator[Start]:
    with visited(browser, server, **options) as page:
        expect(page.locator("#new-styles label")).to_have_count(9)
        server.kept = server.kept or page.context.storage_state()
        yield Start(page, folder)
