"""Who may talk to the server, by real requests of programs and pages; what it ships of the page."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx
import judges
import pytest
import serving
from serving import Server, Tab
from waits import PATIENCE
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from cvbuild.serve.messages import MOST, MOST_BODY

ADA = "name: Ada Example\nsummary: One sentence.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files: dict[str, str | bytes] = {"people/ada.yaml": ADA, "secret.png": b"secret"}
    with serving.serving(tmp_path_factory.mktemp("served"), files) as server:
        yield server


def test_a_token_lets_one_browser_in(server: Server) -> None:
    # It is spent as soon as the key is used; whoever has that may ask again, as a second tab does.
    server.get("/begin")
    assert server.enter(server.token).status_code == 403
    assert server.enter(server.key).json() == {"key": server.key, "proof": server.proof}
    page = server.get("/")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "no-referrer"
    rules = page.headers["content-security-policy"]
    assert "default-src 'none'" in rules
    assert "frame-ancestors 'none'" in rules
    assert "unsafe" not in rules
    assert "access-control-allow-origin" not in page.headers
    assert server.get("/begin").json()["styles"]


def test_the_page_itself_has_no_secret(server: Server) -> None:
    for path in ("/", f"/?token={server.token}", "/static/page.js"):
        answer = serving.get(server.base + path)
        assert answer.status_code == 200
        assert "set-cookie" not in answer.headers
        for secret in (server.key, server.proof, server.token, "Ada Example", str(server.folder)):
            assert secret not in answer.text + str(answer.headers)


def test_other_requests_are_refused_with_what_to_do(server: Server) -> None:
    evil, port = "http://evil.example", server.base.rpartition(":")[2]
    own, schema, enter = server.own, f"{server.base}/begin", f"{server.base}/enter"
    server.get("/begin")  # The token is spent.
    wrong = [f"Bearer {server.key}x", f"Bearer {server.token}", server.key, "Bearer", "Bearer é"]
    refused = [
        serving.get(schema),
        serving.get(f"{schema}?token={server.key}"),
        serving.get(schema, headers={"Cookie": f"key={server.key}"}),
        *(serving.get(schema, headers={b"Authorization": one.encode()}) for one in wrong),
        serving.get(schema, headers=[*own.items(), ("Authorization", "Bearer x")]),
        serving.get(f"{server.base}/pictures/{'a' * 64}.png"),
        *(server.enter(one) for one in ("x", server.proof, server.token)),
        serving.post(enter, headers={"Origin": server.base}),
        serving.post(enter, headers=own),
        serving.get(enter),
        serving.post(server.base, headers={"Origin": server.base}),
        # DNS rebinding: the browser takes this server for another one.
        serving.get(server.address, headers={"Host": f"evil.example:{port}"}),
        serving.get(schema, headers={**own, "Host": f"evil.example:{port}"}),
        serving.get(schema, headers={**own, "Host": "127.0.0.1"}),
        serving.get(schema, headers={**own, "Host": f"127.0.0.1.evil.example:{port}"}),
        # A page of somebody else.
        serving.get(schema, headers={**own, "Origin": evil}),
        serving.get(schema, headers={**own, "Origin": "null"}),
        serving.get(server.base, headers={"Origin": evil}),
        serving.post(enter, headers={**own, "Origin": evil}),
        serving.post(f"{server.base}/set", headers={**own, "Origin": evil}, json={}),
        serving.post(f"{server.base}/set", headers={**own, "Origin": "null"}, json={}),
        serving.post(f"{server.base}/set", headers={**own, "Origin": f"http://localhost:{port}"}),
        serving.post(f"{server.base}/set", headers=own, json={}),
        *(
            serving.post(f"{server.base}{path}", headers=headers, json={})
            for path in ("/new", "/import", "/card", "/file")
            for headers in (own, {**own, "Origin": evil}, {"Origin": server.base})
        ),
        serving.get(f"{server.base}/begin"),
        serving.post(f"{server.base}/set", headers={"Origin": server.base}, json={}),
        httpx.options(f"{server.base}/set", headers={"Origin": evil}, verify=False),
    ]
    for number, answer in enumerate(refused):
        assert answer.status_code == 403, (number, answer.request)
        assert "Open the address that cvbuild serve printed" in answer.text
        assert "access-control-allow-origin" not in answer.headers
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("origin", "key"),
    [(None, "{}"), ("http://evil.example", "{}"), ("null", "{}"), ("", None), ("", "x{}")],
)
def test_other_pages_get_no_socket(server: Server, origin: str | None, key: str | None) -> None:
    protocols = ["cvbuild", *([f"key.{key.format(server.key)}"] if key else [])]
    from_page = server.base if origin == "" else origin
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(server.socket_address, origin=from_page, subprotocols=protocols),  # type: ignore[arg-type]
    ):
        pass
    assert refused.value.response.status_code == 403


def test_two_hosts_are_none(server: Server) -> None:
    port = int(server.base.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n"
        plain.sendall(f"{request}Connection: close\r\n\r\n".encode())
        answer = http.client.HTTPResponse(plain)
        answer.begin()
        assert answer.status in (400, 403)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py", "/static/%2e%2e/guard.py", "/static/..%2fguard.py",
        "/static/..%5cguard.py", "/static//etc/passwd", "/static/page.html%00.js", "/static/.",
        "/pictures/../../secret.png", "/pictures/..%2f..%2fsecret.png", "/pictures/%00.png",
        f"/pictures/{'a' * 64}.png", "/people/ada.yaml", "/socket",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file(server: Server, path: str) -> None:
    port = int(server.base.rpartition(":")[2])
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    asked.putrequest("GET", path)
    asked.putheader("Authorization", f"Bearer {server.key}")
    asked.endheaders()
    answer = asked.getresponse()
    assert answer.status in (400, 404)
    body = answer.read()
    assert b"secret" not in body
    assert b"import" not in body
    asked.close()


def test_wrong_messages_are_told_and_change_nothing(server: Server) -> None:
    with server.tab("ada") as tab:
        good = {"type": "edit", "revision": 1, "text": "x"}
        wrong: list[object] = [
            [], {}, "x", 1, None, {"type": "x"}, {"type": "edit"}, {**good, "more": 1},
            {**good, "revision": "1"}, {**good, "revision": 0}, {**good, "revision": 1.5},
            {**good, "text": None}, {"type": "open", "person": "../ada"},
            {"type": "open", "person": "ada\0"}, {"type": "open", "person": "x" * 400},
            {"type": "save", "revision": 7, "version": tab.version},
            {"type": "save", "revision": 0},
            {"type": "show", "document": {"name": "academic", "kind": "x"}, "scale": 1},
            {"type": "show", "document": {"name": "academic", "kind": "template"}, "scale": 0},
        ]  # fmt: skip
        texts = [json.dumps(one) for one in wrong]
        texts += ["", "{", "[" * 100_000, '{"type": "edit", "revision": NaN, "text": ""}']
        for text in texts:
            tab.socket.send(text)
            assert tab.next("error")["message"], text[:50]
        tab.socket.send(b"\xff\xfe\x00")
        assert tab.next("error")["hint"]
        # No file can hold half of a character.
        tab.edit("name: \ud800")
        assert tab.next("error")["message"]
    assert (server.folder / "people/ada.yaml").read_text() == ADA


def test_a_document_is_one_that_exists(server: Server) -> None:
    with server.tab("ada") as tab:
        for name, kind in [
            ("../../x", "template"),
            ("nope", "template"),
            ("nope", "variant"),
            ("../ada", "letter"),
            ("nope", "letter"),
            ("a\0b", "template"),
        ]:
            made = tab.show({"name": name, "kind": kind})
            assert (made["type"], bool(made["diagnostics"])) == ("failed", True)
            assert str(server.folder) not in json.dumps(made)
        assert tab.show({"name": "academic", "kind": "template", "locale": "xx-nope"})[
            "diagnostics"
        ]


def _send_too_much(tab: Tab) -> None:
    tab.socket.send("x" * (MOST + 1))
    tab.next("never")


def test_too_much_is_refused(server: Server) -> None:
    with server.tab("ada") as tab, pytest.raises(ConnectionClosed):
        _send_too_much(tab)
    answer = server.post("/set", {"text": "x" * MOST_BODY})
    assert answer.status_code == 400
    assert "bytes" in answer.json()["diagnostics"][0]["message"]
    with server.tab("ada") as tab:
        revision = tab.edit("name: Ada\nsummary: " + "x" * (1 << 20))
        while (checked := tab.next("checked"))["revision"] != revision:
            pass
        assert checked["diagnostics"][0]["code"] == "yaml-too-large"


def test_what_takes_too_long_is_told(tmp_path: Path) -> None:
    """Each of 1000 changes reads thousands of values several times."""
    text = "name: Ada\nsections:\n" + "- kind: award\n  items: [{title: T}]\n" * 4_000
    change = {"path": ["name"], "value": "Bo"}
    with serving.serving(tmp_path, {"people/ada.yaml": ADA}, "--timeout", "1") as server:
        answer = server.post("/set", {"text": text, "changes": [change] * 1001})
        (fault,) = answer.json()["diagnostics"]
        assert (answer.status_code, fault["code"]) == (400, "time-limit")
        assert "a few thousand values" in fault["hint"]
        # The server goes on.
        assert server.post("/set", {"text": ADA, "changes": [change]}).json()["text"]


@pytest.mark.deep
def test_half_requests_keep_nobody_out(server: Server) -> None:
    port = int(server.base.rpartition(":")[2])
    halves = [
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1",
        b"",
        b"POST /set HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nx",
        b"GET /socket HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    ]
    with server.tab("ada") as before:
        many = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(200)]
        for number, one in enumerate(many):
            one.sendall(halves[number % len(halves)])
        assert server.get("/begin").status_code == 200
        with server.tab("ada") as tab:
            assert tab.text == ADA
        for one in many:
            one.close()
        assert before.open("ada")["text"] == ADA


@pytest.mark.deep
def test_a_tab_that_takes_no_messages_keeps_no_other_waiting(server: Server) -> None:
    people = server.folder / "people"
    (people / "big.yaml").write_text("\x01\n" + "x" * 1_000_000)
    with server.tab() as slow, server.tab("ada") as tab:
        for _ in range(60):
            slow.send("open", person="big")
        for number in range(3):
            (people / f"new-{number}.yaml").write_text("name: New Example\n")
            while f"new-{number}" not in str(tab.next("people")):
                pass


def test_only_files_that_are_listed_are_opened(server: Server) -> None:
    names = "/etc/passwd", "../secret", "people/ada.yaml", "applications/../people/ada"
    with server.tab() as tab:
        for name in (*names, "applications/x"):
            for each in (name, f"{name}/letter"):
                assert tab.open(each)["type"] == "error", each


ROOT = Path(__file__).resolve().parents[2]
SERVE = ROOT / "cvbuild" / "serve"


def test_the_bundle_is_made_of_its_sources(tmp_path: Path) -> None:
    browser = ROOT / "tools" / "serve_page"
    node = judges.program("node", package="nodejs npm")
    for package in ("esbuild", "typescript", "codemirror"):
        if not (browser / "node_modules" / package).exists():
            judges.absent(package, "npm ci --ignore-scripts --prefix tools/serve_page")
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=browser, check=True)
    subprocess.run([node, "node_modules/typescript/bin/tsc", "--noEmit"], cwd=browser, check=True)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == [
        "chunk.js",
        "page.js",
        "page.js.licences.txt",
        "text.js",
    ]
    for path in made:
        assert path.read_bytes() == (SERVE / "static" / path.name).read_bytes(), "make page"
