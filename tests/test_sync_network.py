"""``cvbuild sync`` and the network: what is asked, what fails, where nothing may lead."""

from __future__ import annotations

import http.server
import json
import re
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import Run
from services import (
    BIB,
    ORCID,
    Answer,
    Services,
    ask,
    listed,
    paper,
    publications,
    send,
    sent,
    write,
)

from cvbuild.importers import online

pytestmark = pytest.mark.usefixtures("here")


def test_each_service_gets_the_identifier_alone(services: Services) -> None:
    assert ask(services).failed == []
    asked = [urlsplit(one) for one in services.asked]
    assert [one.path for one in asked] == [
        "/api.crossref.org/works",
        "/dblp.org/pid/00/1.bib",
        "/api.openalex.org/works",
        f"/pub.orcid.org/v3.0/{ORCID}/record",
    ]
    filters = [parse_qs(one.query).get("filter") for one in asked]
    assert filters == [[f"orcid:{ORCID}"], None, [f"author.orcid:{ORCID}"], None]


def test_pages_are_followed_as_far_as_allowed(services: Services) -> None:
    def page(to: http.server.BaseHTTPRequestHandler) -> None:
        at = int(parse_qs(urlsplit(to.path).query)["cursor"][0].replace("*", "0"))
        message = {"items": [paper(f"Part {at}", f"10.5555/{at}")], "next-cursor": str(at + 1)}
        send(to, 200, json.dumps({"message": message}).encode())

    services.answers["/api.crossref.org/works"] = page
    answers = ask(services, pages=3)
    titles = [one.item["title"] for one in answers.works if one.services == ["Crossref"]]
    assert titles == ["Part 0", "Part 1", "Part 2"]
    (fault,) = answers.failed
    assert "more than 3 pages" in fault.message


def drip(to: http.server.BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.end_headers()
    for _ in range(40):
        to.wfile.write(b" ")
        to.wfile.flush()
        time.sleep(0.05)


def large(to: http.server.BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.end_headers()
    for _ in range(20):
        to.wfile.write(b" " * (1 << 20))


def nested(depth: int) -> bytes:
    return b'{"message": {"items": [' + b"[" * depth + b"]" * depth + b"]}}"


FAULTS: list[tuple[Answer | bytes, str]] = [
    (sent(404), "it answers 404"), (sent(500, b"oh"), "it answers 500"),
    (sent(204), "it answers 204"), (b"{", "the answer of Crossref:1:"),
    (b"", "the answer of Crossref"), (b"[1, 2]", "its answer has no list of works"),
    (b'{"message": {"items": "no"}}', "its answer has no list of works"),
    (nested(100), "nested more than"), (sent(200, b"\xff\xfe\x00"), "the answer of Crossref"),
    (sent(429, Retry_After="0"), "it answers 429"),
    (sent(302, Location="http://localhost:1/"), "it leads elsewhere, to http://localhost"),
    (sent(302, Location="https://127.0.0.1/"), "it leads elsewhere, to https://127.0.0.1"),
    (sent(302, Location="file:///etc/passwd"), "it leads elsewhere, to file://"),
    (sent(302, Location="http://[bad"), "it leads elsewhere"),
    (sent(307, Location="/api.crossref.org/works"), "it leads from one page to the next"),
    (sent(200, b"{}", Content_Encoding="gzip"), "its answer is packed"),
    (drip, "longer than 0.5 s"), (large, "its answer is larger than 16 MiB"),
    (lambda _: time.sleep(1.5), "no answer within 0.5 s"),
    (lambda to: to.connection.close(), "a damaged answer"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "reason"), FAULTS, ids=[reason for _, reason in FAULTS])
def test_a_service_that_fails_is_told_of_and_the_others_count(
    services: Services, answer: Answer | bytes, reason: str
) -> None:
    services.answers["/api.crossref.org/works"] = answer
    answers = ask(services, seconds=0.5)
    (fault,) = answers.failed
    assert fault.message.startswith("Crossref can't be read: ")
    assert reason in fault.message
    assert [one.services for one in answers.works] == [["DBLP"]]


def test_a_redirect_on_the_same_host_is_followed(services: Services) -> None:
    services.answers["/dblp.org/pid/00/2.bib"] = BIB.encode()
    services.answers["/dblp.org/pid/00/1.bib"] = sent(301, Location="/dblp.org/pid/00/2.bib")
    assert [one.services for one in ask(services).works] == [["DBLP"]]


def test_what_fails_gives_code_1_and_the_rest_is_written(run: Run, services: Services) -> None:
    services.answers["/api.crossref.org/works"] = sent(500)
    services.openalex(listed("Bells", "10.5555/bells"))
    write()
    ran = run("sync", "ada", "--server", services.address, "--yes", "--json")
    assert (ran.code, ran.json["written"]) == (1, True)
    assert [one["code"] for one in ran.json["diagnostics"]] == ["sync"]
    assert {one.get("doi") for one in publications()} >= {"10.5555/bells", "10.5555/clocks.1"}


@pytest.mark.parametrize(
    "server",
    [
        "http://example.org",
        "https://127.0.0.1:1",
        "http://127.0.0.1:1@example.org",
        "http://[::1]:1",
    ],
)
def test_no_other_machine_stands_for_the_services(run: Run, server: str) -> None:
    write()
    ran = run("sync", "ada", "--server", server, "--yes")
    assert (ran.code, "the server must be one of this machine" in ran.err) == (2, True)


ACCOUNTS = [
    "dblp: ../../x", "dblp: 00/1?x=1", "dblp: https://example.org/pid/00/1", "dblp: 00/1#x",
    "orcid: 0000-0002-1825-0097/x", "openalex: https://example.org/A5000000001", "dblp: '00/1\\n'",
    "google-scholar: x", "dblp: https://dblp.org@example.org/pid/00/1",
]  # fmt: skip


@pytest.mark.parametrize("account", ACCOUNTS)
def test_no_file_leads_a_request_elsewhere(run: Run, services: Services, account: str) -> None:
    write(f"name: Ada Example\ncontact:\n  profiles:\n    {account}\n")
    ran = run("sync", "ada", "--server", services.address, "--yes")
    assert (ran.code, services.asked) == (2, [])
    assert "write contact.profiles with one of orcid, dblp, openalex" in ran.err


def test_no_other_module_can_open_a_connection() -> None:
    """But serve, which listens, and the cluster."""
    clients = r"\b(?:httpx|urllib\.request|http\.client|requests|aiohttp|ftplib|smtplib)\b"
    root = Path(online.__file__).parents[1]
    imports = re.compile(rf"(?m)^\s*(?:import|from) (?:{clients}|socket\b)")
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if imports.search(path.read_text("utf-8"))
    }
    assert {one for one in found if not one.startswith("serve/")} == {"importers/online.py"}
    using = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"cvbuild\.importers.*\bonline\b", path.read_text("utf-8"))
    }
    assert using == {"importers/new_works.py", "cli/commands/sync.py"}


COMMANDS = (
    ("check", "ada"), ("status", "ada"), ("show", "ada"), ("diff", "ada", "ada"), ("schema",),
    ("import", "works.bib", "--as", "ada", "--merge", "--yes"), ("build", "ada", "-f", "txt"),
    ("doctor",),
)  # fmt: skip


def test_no_other_command_opens_a_connection(run: Run, services: Services) -> None:
    write()
    Path("works.bib").write_text(BIB, "utf-8")
    opened: list[str] = []
    is_over = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        hosts = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname")
        if not is_over and event in hosts and not isinstance(arguments[-1], str):
            opened.append(f"{event} {arguments}")

    sys.addaudithook(hook)
    try:
        for command in COMMANDS:
            run(*command)
        assert opened == []
        run("sync", "ada", "--server", services.address, "--dry-run")
        assert opened != []
    finally:
        is_over = True
