"""The start page in Chromium, of a folder with nothing in it: what its tests share."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from serve import desks
from serving import Server

EXAMPLES = Path(__file__).parents[1] / "importers" / "examples"
#: Drops files on the whole page, as a browser does: names and base64; a name with / is a folder.
_DROP = """async (files) => {
  const transfer = new DataTransfer();
  for (const [name, data] of files) {
    const bytes = typeof data === "number"
      ? new Uint8Array(data)
      : Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    transfer.items.add(new File([bytes], name));
  }
  for (const kind of ["dragover", "drop"]) {
    const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
    document.getElementById("start").dispatchEvent(new DragEvent(kind, options));
  }
}"""


@dataclass
class Start:
    """The start page, and the folder that it is of."""

    page: Page
    folder: Path

    def drop(self, **files: bytes | int) -> None:
        """Drop files, a number for so many zeros; ``__`` in a name is its dot."""
        given = [
            (name.replace("__", "."), data if isinstance(data, int) else b64encode(data).decode())
            for name, data in files.items()
        ]
        self.page.evaluate(_DROP, given)

    def says(self, *words: str) -> None:
        """Wait until the box below the zone says all of these."""
        for one in words:
            expect(self.page.locator("#import-said")).to_contain_text(one)

    def click(self, words: str) -> None:
        """Click a button of that box."""
        self.page.locator("#import-said").get_by_role("button", name=words).click()

    def edits(self, name: str) -> None:
        """Wait until a person's file is open and its pages are there."""
        expect(self.page.locator("#person-name")).to_have_text(name)
        expect(self.page.locator("#start")).to_be_hidden()
        expect(self.page.locator("#editor .cm-content")).to_contain_text(name)

    def again(self) -> None:
        """Go back to the start."""
        self.page.locator("#person").click()
        self.page.locator("#people-start").click()
        expect(self.page.locator("#start")).to_be_visible()


@contextmanager
def opened(browser: Browser, server: Server, folder: Path, **options: object) -> Iterator[Start]:
    """Yield the start page."""
    with desks.visited(browser, server, **options) as page:
        expect(page.locator("#new-styles label")).to_have_count(9)
        server.kept = server.kept or page.context.storage_state()
        yield Start(page, folder)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with nothing in it."""
    return tmp_path_factory.mktemp("begun")


@pytest.fixture(scope="module")
def server(empty: Path) -> Iterator[Server]:
    """One server for all tests."""
    with desks.begun(empty) as begun:
        yield begun


@pytest.fixture
def start(browser: Browser, server: Server, empty: Path) -> Iterator[Start]:
    """The start page of the folder, without people."""
    for path in (empty / "people").glob("*"):
        path.unlink()
    with opened(browser, server, empty) as found:
        yield found


def resume(name: str) -> bytes:
    """A JSON Resume of a person."""
    work = {"name": "Example Works", "position": "Engineer", "startDate": "2020-01"}
    return json.dumps({"basics": {"name": name}, "work": [work]}).encode()
