"""Crossref, DBLP, OpenAlex and ORCID on this machine, with invented works."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cvbuild.importers import online
from cvbuild.importers.online import new_works
from cvbuild.inputs.yaml import source

ORCID = "0000-0002-1825-0097"
FILE = Path("people/ada.yaml")
HEAD = f"""\
# Kept: comments.
name: Ada Example
contact:
  email: ada@example.org
  profiles: {{orcid: {ORCID}, dblp: 00/1}}   # and this one
"""
PERSON = f"""{HEAD}
sections:
  - kind: text
    title: About
    items:
      - I *build* "clocks".

  # Newest first.
  - kind: publication
    items:
      - title: 'Clocks that wait'
        authors: [A. Example, S. Specimen]
        date: 2022   # the year of print

      - {{title: Old bells, authors: [Ada Example], date: 2015, venue: Bell Letters}}
"""

Answer = Callable[[http.server.BaseHTTPRequestHandler], None]


class Services(http.server.ThreadingHTTPServer):
    """Answers by the path; what is asked is written down."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: dict[str, Answer | bytes] = {}
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def crossref(self, *works: dict[str, Any], cursor: str = "") -> None:
        message = {"items": works, "next-cursor": cursor}
        self.answers["/api.crossref.org/works"] = json.dumps({"message": message}).encode()

    def openalex(self, *works: dict[str, Any]) -> None:
        answer = {"meta": {"next_cursor": None}, "results": works}
        self.answers["/api.openalex.org/works"] = json.dumps(answer).encode()

    def orcid(self, *works: dict[str, Any], name: str = "Ada Example") -> None:
        given, _, family = name.partition(" ")
        names = {"given-names": {"value": given}, "family-name": {"value": family}}
        groups = [{"work-summary": [one]} for one in works]
        record = {
            "orcid-identifier": {"path": ORCID},
            "person": {"name": names},
            "activities-summary": {"works": {"group": groups}},
        }
        self.answers[f"/pub.orcid.org/v3.0/{ORCID}/record"] = json.dumps(record).encode()

    def dblp(self, text: str) -> None:
        self.answers["/dblp.org/pid/00/1.bib"] = text.encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Services)
        self.server.asked.append(self.path)
        answer = self.server.answers.get(urlsplit(self.path).path)
        if callable(answer):
            try:
                answer(self)
            except OSError:
                self.close_connection = True
            return
        send(self, 200 if answer is not None else 404, answer or b"")

    def log_message(self, *_: object) -> None:
        pass


def send(to: http.server.BaseHTTPRequestHandler, code: int, data: bytes, **headers: str) -> None:
    to.send_response(code)
    for name, value in headers.items():
        to.send_header(name.replace("_", "-"), value)
    to.send_header("Content-Length", str(len(data)))
    to.end_headers()
    to.wfile.write(data)


BIB = """\
@article{DBLP:journals/x/ExampleS22,
  author    = {Ada Example and Sam Specimen},
  title     = {Clocks That Wait},
  journal   = {Journal of Clocks},
  volume    = {7}, number = {2}, pages = {10--19}, year = {2022},
  doi       = {10.5555/clocks.1},
  timestamp = {Mon, 01 Jan 2024 00:00:00 +0100}, biburl = {https://example.org/x}
}
"""


def paper(title: str, doi: str = "", *authors: str, **more: Any) -> dict[str, Any]:
    names = [name.rpartition(" ") for name in authors or ("Ada Example",)]
    return {
        "DOI": doi,
        "type": "journal-article",
        "title": [title],
        "author": [{"given": given, "family": family} for given, _, family in names],
        "container-title": ["Journal of Examples"],
        "published": {"date-parts": [[2024, 5, 6]]},
        **more,
    }


def listed(title: str, doi: str = "", *authors: str, **more: Any) -> dict[str, Any]:
    people = [{"author": {"display_name": name}} for name in authors or ("Ada Example",)]
    return {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{doi}" if doi else None,
        "display_name": title,
        "type": "article",
        "authorships": people,
        "publication_date": "2024-05-06",
        "publication_year": 2024,
        "primary_location": {"source": {"display_name": "Journal of Examples"}},
        "biblio": {"volume": "3", "issue": None, "first_page": "7", "last_page": "9"},
        **more,
    }


def summary(title: str, doi: str = "", year: str = "2024") -> dict[str, Any]:
    ids = [{"external-id-type": "doi", "external-id-value": doi}] if doi else []
    return {
        "put-code": 1,
        "title": {"title": {"value": title}},
        "type": "journal-article",
        "publication-date": {"year": {"value": year}},
        "external-ids": {"external-id": ids},
    }


def write(text: str = PERSON) -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text, "utf-8")


def publications() -> list[dict[str, Any]]:
    data = source.load(FILE).data
    assert isinstance(data, dict)
    return [dict(item) for _, item in new_works.works_in(data)]


def ask(services: Services) -> online.Answers:
    return online.ask({"orcid": [ORCID], "dblp": ["00/1"]}, services.address)


def sent(code: int, data: bytes = b"", **headers: str) -> Answer:
    return lambda to: send(to, code, data, **headers)


@contextmanager
def started() -> Iterator[Services]:
    with Services() as server:
        server.crossref()
        server.openalex()
        server.orcid()
        server.dblp(BIB)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()
