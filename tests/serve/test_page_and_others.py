"""The page of ``cvbuild serve`` beside others: programs, tabs, servers and browsers."""

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

import pytest
from playwright.sync_api import Browser, expect
from serve import desks
from serve.desks import ADA, Desk
from serving import Server
from waits import eventually


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
    _Other.got, _Other.said, _Other.protocol_version = b"", [], "HTTP/1.1"
    with ThreadingHTTPServer(("127.0.0.1", port), _Other) as running:
        running.daemon_threads = True
        Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_port
        running.shutdown()


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
    assert desk.written() == renamed.read_text("utf-8") == ADA
    renamed.unlink()


@pytest.mark.deep
def test_a_server_that_ends_and_comes_back_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    folder = desks.workspace(tmp_path / "killed")
    first = Server(folder, "ada", enter=False)
    with desks.opened(browser, first, folder) as desk:
        page, state = desk.page, desk.page.locator("#state")
        desk.shows("Research engineer")
        first.process.kill()
        first.process.communicate()
        expect(state).to_contain_text("No connection")
        desk.after("Research engineer")
        page.keyboard.type(" offline")
        expect(state).to_contain_text("Not saved: cvbuild serve doesn't answer")
        second = Server(folder, "ada", "--port", str(first.port), enter=False)
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
            assert second.end()[0] == 0


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
                tried.push(await get("/"), await get("/begin"), await get("/enter", more));
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
    first = Server(folder, "ada", enter=False)
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


def test_what_shows_the_text_comes_with_it_and_from_cvbuild_alone(form: Desk) -> None:
    page = form.page
    page.route("**/static/text.js", lambda route: route.fulfill(body="window.taken = true"))
    page.reload()
    form.shows("Research engineer")
    assert not page.evaluate(
        "performance.getEntriesByName(new URL('/static/text.js', document.baseURI)).length"
    )
    page.locator("#view-both").click()
    expect(page.locator("#told-words")).to_contain_text("can’t be shown")
    assert page.evaluate("window.taken") is None
    page.unroute("**/static/text.js")
    page.locator("#view-text").click()
    expect(page.locator("#editor .cm-content")).to_contain_text("Research engineer")


@pytest.mark.deep
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks at processes in /proc")
def test_a_browser_is_started_without_telling_others_the_address(
    browser: Browser, folder: Path, tmp_path: Path
) -> None:
    """It stays in the foreground, too: the server answers all the same."""
    told, program = tmp_path / "told", tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" >"{told}"\nwhile [ -e "{told}" ]; do sleep 1; done\n')
    program.chmod(0o700)
    with desks.shown(folder, str(program)) as own:
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
                for one in (own, re.findall('href="([^"]+)"', door.read_text())[0])
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
            for one in (address, own):
                context = browser.new_context()
                page = context.new_page()
                page.goto(one)
                expect(page.locator("#state")).to_have_text("Saved")
                context.close()
        finally:
            told.unlink()
    assert not door.exists()
