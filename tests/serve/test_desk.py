"""What the server does when something fails or takes long, in this process."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from pikepdf import Pdf
from starlette.applications import Starlette
from starlette.testclient import TestClient

from cvbuild.common import safe_folders
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import adverts
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.outputs.request import Request
from cvbuild.serve import begin, live, pictures, tab
from cvbuild.serve.requests import Requests

ADVERT = "The Sample Institute is looking for a senior scientist.\nReference: 2027-14\n"
BEGUN = {"person": "ada", "advert": ADVERT}
FILE = Path("applications/sample-institute.yaml")


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> live.Desk:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text("name: Ada Example\nsummary: One sentence.\n", "utf-8")
    return live.Desk(Request(Path("out"), 0), tmp_path / "own")


def client_of(served: live.Desk) -> TestClient:
    routes = [*begin.Begin(served).routes(), *Requests(served).routes()]
    return TestClient(Starlette(routes=routes))


@pytest.fixture
def client(served: live.Desk) -> TestClient:
    return client_of(served)


def test_files_are_looked_at_without_events(
    served: live.Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safe_folders, "events_of", lambda _: nullcontext(lambda _: None))
    known = tab._stamps(tab._folders(served))
    assert Path("people/ada.yaml").resolve() in known
    assert tab._changed(served, known) == known
    Path("templates/mine").mkdir(parents=True)
    own = Path("templates/mine/mine.tex")
    own.touch()
    assert own.resolve() in tab._changed(served, known)


def test_pictures_are_of_the_last_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "_KEPT", 1)
    kept, keys = pictures.Pictures(), list[str]()
    for width in (40, 50):
        pdf = Pdf.new()
        pdf.add_blank_page(page_size=(width, 40))
        pdf.save(tmp_path / "a.pdf")
        (page,) = kept.add(tmp_path / "a.pdf", 1.0)
        keys.append(Path(page["picture"]).stem)
    assert [kept.draw(key) is None for key in keys] == [True, False]


def test_what_can_be_filled_in_is(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    put = adverts.put

    def picky(text: str, path: Any, *rest: Any) -> str:
        if path == ("reference",):
            raise EditError
        return put(text, path, *rest)

    monkeypatch.setattr(adverts, "put", picky)
    assert client.post("/new-application", json=BEGUN).json()["path"] == FILE.as_posix()
    assert "employer: Sample Institute  # ? read" in FILE.read_text("utf-8")


def test_what_is_refused_is_not_there(
    client: TestClient, served: live.Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = client.post("/new-application", json={**BEGUN, "deadline": "next week"}).json()
    assert '"next week" is not a full date' in told["diagnostics"][0]["message"]
    assert "2026-01-31" in told["diagnostics"][0]["hint"]

    def endless(*_: str) -> None:
        while True:
            pass

    monkeypatch.setattr(adverts, "read", endless)
    served.request = served.request._replace(timeout=0.1)
    (fault,) = client_of(served).post("/new-application", json=BEGUN).json()["diagnostics"]
    assert fault["code"] == "time-limit"
    assert not FILE.exists()


def test_notes_wait_for_no_import(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, answered = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        begun.set()
        raise CvbuildError.because("import", "answered" if answered.wait(20) else "too late")

    monkeypatch.setattr(begin, "read_files", slow)
    text = Path("people/ada.yaml").read_text("utf-8")
    given = {"person": "ada", "text": text, "files": [{"name": "a.pdf", "data": "eA=="}]}
    with client, ThreadPoolExecutor() as pool:
        adding = pool.submit(client.post, "/additions", json=given)
        assert begun.wait(20)
        asked = {"person": "ada", "text": text, "locale": "de"}
        assert client.post("/untranslated", json=asked).json()["notes"]
        answered.set()
        assert adding.result().json()["diagnostics"][0]["message"] == "answered"
