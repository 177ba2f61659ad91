"""The page of ``cvbuild serve`` in Chromium: written, looked at, broken, saved and interrupted.

Longer than most: its tests share a browser, a server and a workspace, which are slow to start.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar
from urllib.parse import unquote, urlsplit

import judges
import pytest
from playwright.sync_api import Browser, Error, expect
from serve import desks
from serve.desks import ADA, Desk, Server
from waits import eventually

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of sixty people."""
    return desks.workspace(tmp_path_factory.mktemp("served"))


@pytest.fixture
def desk(browser: Browser, server: Server, folder: Path) -> Iterator[Desk]:
    """Ada's file, as it was at first, and its pages."""
    (folder / "people" / "ada.yaml").write_text(ADA, encoding="utf-8")
    with desks.opened(browser, server, folder) as found:
        found.shows("Research engineer")
        yield found


def test_what_is_typed_is_shown_and_saved(desk: Desk) -> None:
    desk.after("Research engineer")
    desk.page.keyboard.type(" of examples")
    desk.shows("Research engineer of examples")
    desk.saved()
    assert desk.file.read_text("utf-8") == ADA.replace("engineer ", "engineer of examples ", 1)
    picture = desk.page.locator(".sheet img").first
    assert picture.evaluate("img => img.complete && img.naturalWidth") > 500
    desk.page.keyboard.press("ControlOrMeta+z")
    desk.shows("Research engineer")
    desk.saved()
    assert desk.file.read_text("utf-8") == ADA


def test_completion_and_hovers_know_where_they_are(desk: Desk) -> None:
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
    desk.say("name: A\nphoto: a.png\n")
    page.locator("#editor .cm-line", has_text="photo:").get_by_text("photo").hover()
    expect(page.locator("#editor .cm-hover code")).to_have_text("options: {photo: true}")
    desk.say("sections:\n  - kind: talk\n    items:\n      - title: A talk\n")
    page.locator("#editor .cm-line", has_text="items:").get_by_text("items").hover()
    expect(page.locator("#editor .cm-hover")).to_contain_text("The items.")


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
        desk.page.locator("#editor .cm-content").evaluate(
            """(content, text) => {
              const clipboardData = new DataTransfer();
              clipboardData.setData("text/plain", text);
              content.dispatchEvent(
                new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
            }""",
            pasted,
        )
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


def test_a_change_elsewhere_is_taken_over_or_asked_about(desk: Desk) -> None:
    page, bar = desk.page, desk.page.locator("#conflict")
    desk.file.write_text(ADA.replace("Research engineer", "Elsewhere"), encoding="utf-8")
    desk.shows("Elsewhere")
    expect(bar).to_be_hidden()
    for button, kept in (("Keep my text", "mine"), ("Take the file’s", "theirs")):
        desk.after("name: Ada")
        page.keyboard.type(" mine")
        for number in range(100):
            # Until both change it within the pause before a save.
            page.keyboard.type(str(number))
            theirs = ADA.replace("Research engineer", f"theirs {button[:4]} {number}")
            desk.file.write_text(theirs, encoding="utf-8")
            page.wait_for_timeout(1000)
            if bar.is_visible():
                break
        expect(bar).to_contain_text("people/ada.yaml was changed elsewhere")
        expect(page.locator("#state")).to_contain_text("Not saved")
        page.get_by_role("button", name="Compare").click()
        expect(page.locator("#difference-view .cm-changedLine").first).to_be_visible()
        page.locator("#difference").get_by_role("button", name=button).click()
        desk.saved()
        expect(bar).to_be_hidden()
        assert (" mine" in desk.file.read_text("utf-8")) == (kept == "mine")
    assert "theirs Take" in desk.text()
    page.keyboard.press("ControlOrMeta+z")
    assert " mine" in desk.text()


def test_a_renamed_file_is_no_loss(desk: Desk) -> None:
    page, bar = desk.page, desk.page.locator("#conflict")
    renamed = desk.file.with_name("ada-2.yaml")
    desk.file.rename(renamed)
    expect(bar).to_contain_text("people/ada.yaml was renamed or deleted")
    page.get_by_role("button", name="Write the file again").click()
    desk.saved()
    assert desk.file.read_text("utf-8") == renamed.read_text("utf-8") == ADA
    renamed.unlink()


@pytest.mark.deep
def test_two_tabs_see_each_other(
    browser: Browser, desk: Desk, server: Server, folder: Path
) -> None:
    with desks.opened(browser, server, folder) as other:
        other.shows("Research engineer")
        desk.after("Research engineer")
        desk.page.keyboard.type(" twice")
        desk.saved()
        other.shows("Research engineer twice")
        other.saved()
        assert "Research engineer twice" in other.text()


@pytest.mark.deep
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
    desk.say(ADA)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Paper", exact=True).select_option("letter")
    expect(page.get_by_role("button", name="Paper: back to default")).to_be_visible()
    desk.saved()
    written = desk.file.read_text("utf-8")
    assert "paper: letter" in written
    assert "# since 2019" in written
    page.get_by_role("button", name="Paper: back to default").click()
    assert eventually(lambda: "letter" not in desk.file.read_text("utf-8"))
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="short").click()
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
    menu = {"pdf": ("PDF", b"%PDF"), "txt": ("Text", b"Ada Example"), "vcf": ("vCard", b"BEGIN")}
    for name, (words, begin) in menu.items():
        page.locator("#download").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=re.compile(f"^{words} ?")).first.click()
        assert download.value.suggested_filename.endswith(f".{name}")
        assert Path(download.value.path()).read_bytes().startswith(begin)


@pytest.mark.deep
def test_a_server_that_ends_and_comes_back_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    folder = desks.workspace(tmp_path / "killed")
    first = desks.start(folder)
    with desks.opened(browser, first, folder) as desk:
        page, state = desk.page, desk.page.locator("#state")
        desk.shows("Research engineer")
        first.process.kill()
        first.process.communicate()
        expect(state).to_contain_text("No connection")
        desk.after("Research engineer")
        page.keyboard.type(" offline")
        expect(state).to_contain_text("Not saved: cvbuild serve doesn't answer")
        second = desks.start(folder, first.port)
        try:
            expect(state).to_contain_text("open the address that it prints")
            assert "offline" not in desk.file.read_text("utf-8")
            other = page.context.new_page()
            other.goto(second.address)
            desk.saved()
            other.close()
            desk.shows("Research engineer offline")
            assert desk.file.read_text("utf-8") == ADA.replace("engineer", "engineer offline", 1)
        finally:
            assert second.end() == 0


class _Other(BaseHTTPRequestHandler):
    """Another server of this machine, which says yes to everything and keeps what it is told."""

    got = b""
    said: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.do_GET(b'{"key": "x", "proof": "x"}')

    def do_GET(self, answer: bytes = b"<!doctype html><title>other</title>") -> None:
        _Other.got += bytes(self.headers)
        socket_key = self.headers["Sec-WebSocket-Key"]
        self.send_response(101 if socket_key else 200)
        if socket_key:
            whole = f"{socket_key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()
            self.send_header("Sec-WebSocket-Accept", b64encode(sha1(whole).digest()).decode())
            for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
                self.send_header(name, value)
            self.send_header("Sec-WebSocket-Protocol", "cvbuild")
            answer = b'\x81\x25{"type": "welcome", "proof": "wrong"}'
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer)
        if socket_key:
            self.close_connection = True
            _Other.said.append(self.rfile.read1(65536))

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def other_server(port: int = 0) -> Iterator[int]:
    """Run the other server on a port; yield that."""
    _Other.got, _Other.said, _Other.protocol_version = b"", [], "HTTP/1.1"
    with ThreadingHTTPServer(("127.0.0.1", port), _Other) as running:
        running.daemon_threads = True
        Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_port
        running.shutdown()


def test_one_browser_is_let_in_and_others_are_told(
    browser: Browser, desk: Desk, server: Server
) -> None:
    base = server.address.partition("?")[0]
    # Another tab, the same address again, and the page loaded anew.
    for address in (base, server.address, None):
        desk.page.goto(address) if address else desk.page.reload()
        desk.saved()
        assert "token" not in desk.page.url
    other = browser.new_context()
    page = other.new_page()
    for address in (base, server.address):
        page.goto(address)
        expect(page.locator("#stranger")).to_contain_text("Open the address")
        expect(page.locator("#work")).to_be_hidden()
        expect(page.get_by_role("button")).to_have_count(0)
    other.close()


def test_other_servers_of_this_machine_get_nothing(desk: Desk, server: Server) -> None:
    base = server.address.partition("/?")[0]
    assert server.kept
    stored = {one["name"]: one["value"] for one in server.kept["origins"][0]["localStorage"]}
    with other_server() as port:
        page = desk.page.context.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        found = page.evaluate(
            """async base => {
                const tried = [document.cookie, ...Object.values(localStorage)];
                const get = (path, more) => fetch(base + path, {credentials: "include", ...more})
                    .then(one => one.text(), () => "");
                const more = {method: "POST", headers: {Authorization: "Bearer x"}};
                tried.push(await get("/"), await get("/schema.json"), await get("/enter", more));
                tried.push(await get("/enter", {method: "POST"}));
                tried.push(await new Promise(done => {
                    const socket = new WebSocket(base.replace("http", "ws") + "/socket", "cvbuild");
                    socket.onmessage = one => done(one.data);
                    socket.onclose = () => done("");
                }));
                return tried.join("");
            }""",
            base,
        )
        assert found == ""
        page.close()
    for secret in json.loads(stored["cvbuild-keys"]).values():
        assert secret.encode() not in _Other.got
    assert b"cookie" not in _Other.got.lower()


@pytest.mark.deep
def test_a_program_that_takes_the_port_gets_no_text(browser: Browser, tmp_path: Path) -> None:
    folder = desks.workspace(tmp_path / "taken")
    first = desks.start(folder)
    with desks.opened(browser, first, folder) as desk:
        first.process.kill()
        first.process.communicate()
        with other_server(first.port):
            assert eventually(lambda: b"key." in _Other.got)
            desk.after("Research engineer")
            desk.page.keyboard.type(" offline")
            tried = _Other.got.count(b"key.")
            assert eventually(lambda: _Other.got.count(b"key.") > tried + 1)
            expect(desk.page.locator("#state")).to_contain_text("Not saved")
        # Frames that end a socket (8), and nothing before them.
        assert _Other.said
        assert all(one[:1] in (b"\x88", b"") and len(one) < 20 for one in _Other.said)


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")
def test_a_browser_is_started_without_telling_others_the_address(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    """It stays in the foreground, too: the server answers all the same."""
    told, program = tmp_path / "told", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" >"{told}"\nwhile [ -e "{told}" ]; do sleep 1; done\n')
    program.chmod(0o700)
    with desks.shown(folder, str(program)) as server:
        assert eventually(lambda: told.exists() and told.read_text().endswith("\n"))
        address = told.read_text().strip()
        try:
            door = Path(unquote(urlsplit(address).path))
            assert (door.stat().st_mode & 0o777, door.parents[1].stat().st_mode & 0o777) == (
                0o600,
                0o700,
            )
            tokens = [
                one.rpartition("token=")[2]
                for one in (server.address, re.findall('href="([^"]+)"', door.read_text())[0])
            ]
            assert len({*tokens}) == 2
            for process in Path("/proc").iterdir():
                for name in ("cmdline", "environ"):
                    with contextlib.suppress(OSError):
                        content = (process / name).read_bytes()
                        assert not any(one.encode() in content for one in tokens), process
            if os.geteuid() == 0:
                command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "cat"]
                assert subprocess.run([*command, str(door)], check=False).returncode
            # Each address lets one browser in.
            for one in (address, server.address):
                context = browser.new_context()
                page = context.new_page()
                page.goto(one)
                expect(page.locator("#state")).to_have_text("Saved")
                context.close()
        finally:
            told.unlink()
    assert not door.exists()


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
    desk.saved()
    assert desk.file.read_text("utf-8") == ADA.replace("engineer ", "engineer again ", 1)


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


def test_axe_finds_nothing(browser: Browser, server: Server, folder: Path) -> None:
    axe = judges.module("axe-core/axe.min.js").read_text("utf-8")
    (folder / "people" / "ada.yaml").write_text(ADA, encoding="utf-8")
    with desks.opened(browser, server, folder, bypass_csp=True) as desk:
        page = desk.page
        desk.shows("Research engineer")
        page.evaluate(axe)

        def found() -> object:
            faults = page.evaluate("axe.run().then(run => run.violations)")
            page.emulate_media(color_scheme="dark")
            faults += page.evaluate(
                "axe.run({runOnly: ['color-contrast']}).then(run => run.violations)"
            )
            page.emulate_media(color_scheme="light")
            return [(fault["id"], fault["nodes"][0]["html"]) for fault in faults]

        assert found() == []
        page.locator("#person").click()
        assert found() == []
        page.keyboard.press("Escape")
        for panel in ("Options", "Match"):
            page.get_by_role("button", name=panel).click()
            assert found() == []
        page.locator("#download").click()
        assert found() == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Keys").click()
        assert found() == []
        page.keyboard.press("Escape")
        desk.after("headline")
        page.keyboard.type("s")
        expect(page.locator("#earlier")).to_be_visible()
        page.locator("#problems summary").click()
        page.locator("#editor .cm-content").focus()
        page.keyboard.press("ControlOrMeta+f")
        assert found() == []
        page.set_viewport_size({"width": 400, "height": 800})
        assert found() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
