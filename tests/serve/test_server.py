"""What the server makes of a text that isn't saved, of a file of several tabs, and of faults."""

from __future__ import annotations

import io
import json
import shutil
import signal
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import deep
import pikepdf
import pytest
from conftest import Run
from pikepdf import Pdf
from PIL import Image
from serving import ACADEMIC, Json, Server, Tab, serving
from starlette.applications import Starlette
from starlette.testclient import TestClient
from waits import eventually

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.common.files import safe_folders
from cvbuild.inputs.yaml.edit import EditError
from cvbuild.outputs.request import Request
from cvbuild.serve import adverts, begin, live, pictures, tab
from cvbuild.serve.requests import Requests

ADA = """\
name: Ada Example   # who
contact: {email: ada@example.org}
summary: One sentence about the work.
options:
  academic: {accent: plum}  # dark
variants:
  bank:
    template: industry
    private: true
    options: {paper: letter}
sections:
  - kind: experience
    items:
      - title: Engineer
        employer: Example Works
        date: 2019 -- 2021
        bullets: [Built a compiler, Mended a parser]
"""
APPLICATION = """\
person: ada
employer: Example Lab
position: Researcher
letter: |
  I would like to work with you on compilers.
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files = {
        "people/ada.yaml": ADA,
        "people/ada.private.yaml": "contact: {phone: +44 1632 960123}\n",
        'people/zo "ë.yaml': "name: Zoë Example\n",
        "applications/lab.yaml": APPLICATION,
    }
    with serving(tmp_path_factory.mktemp("live"), files, "ada", "--engine", "embedded") as server:
        yield server


def shown(made: Json) -> set[tuple[str | int, ...]]:
    assert made["type"] == "pages", made
    return {tuple(place["path"]) for place in made["places"]}


def picture(server: Server, made: Json, page: int = 0) -> Image.Image:
    answer = server.get(made["pages"][page]["picture"])
    assert answer.headers["content-type"] == "image/png"
    assert "immutable" in answer.headers["cache-control"]
    return Image.open(io.BytesIO(answer.content))


@pytest.mark.usefixtures("requires_embedded")
def test_a_keystroke_becomes_a_page_and_places(server: Server) -> None:
    with server.tab() as tab:
        assert tab.next("people")["first"] == "ada"
        kinds = [(one["document"]["kind"], one["title"]) for one in tab.open("ada")["documents"]]
        assert kinds[:2] == [("template", "Academic"), ("variant", "bank")]
        first = tab.show(scale=2.0)
        assert {("name",), ("summary", 0)} <= shown(first)
        text = ADA.replace("Built a compiler", "Built two compilers")
        made = tab.pages(text)
        (place,) = [one for one in made["places"] if one["path"][4:6] == ["bullets", 0]]
        line = text.splitlines()[place["line"] - 1]
        assert line[place["column"] - 1 : place["end_column"] - 1] == "Built two compilers"
        # What is in the box differs from what was there before, and it is on the page.
        x0, y0, x1, y1 = (2 * side for side in place["box"])
        before, after = picture(server, first), picture(server, made)
        assert after.size == tuple(
            round(2 * made["pages"][0][side]) for side in ("width", "height")
        )
        part = (int(x0), int(y0), int(x1) + 1, int(y1) + 1)
        assert before.crop(part).tobytes() != after.crop(part).tobytes()
        assert min(after.crop(part).convert("L").tobytes()) < 128
        assert made["pages"][0]["picture"] != first["pages"][0]["picture"]
        # A comment changes nothing that is seen.
        assert tab.pages(text + "# a comment\n")["pages"] == made["pages"]
        assert server.get(first["pages"][0]["picture"]).status_code == 200
        # A word of the template stands nowhere in the text.
        study = "  - {kind: education, items: [{institution: School, thesis: Compilers}]}\n"
        found = tab.pages(text + study)["places"]
        assert {one["end_line"] for one in found if one["line"] == 1} == {1}


@pytest.mark.usefixtures("requires_embedded")
def test_of_a_burst_the_newest_is_made_and_none_comes_late(server: Server) -> None:
    with server.tab("ada") as tab:
        tab.show()
        for number in range(1, 40):
            tab.edit(ADA.replace("One sentence", f"Sentence number {number}"))
            time.sleep(0.005)
        while tab.next("pages")["revision"] < tab.revision:
            pass
        for kind in ("checked", "pages"):
            revisions = [one["revision"] for one in tab.seen if one["type"] == kind]
            assert revisions == sorted(revisions)
            assert revisions[-1] == tab.revision
        assert len([one for one in tab.seen if one["type"] == "pages"]) < tab.revision


@pytest.mark.usefixtures("requires_embedded")
def test_a_file_is_opened_while_texts_of_another_are_counted(server: Server) -> None:
    bullets = "".join(f"          - Built compiler {number}\n" for number in range(400))
    text = ADA.replace("bullets: [Built a compiler, Mended a parser]\n", f"bullets:\n{bullets}")
    text = text.replace("private: true", "limits: {words: {experience: 9000}}")
    with server.tab() as tab:
        for number in range(4):
            tab.open("ada")
            tab.edit(text)
            tab.next("checked")
            time.sleep(number / 8)
            tab.send("show", document={"name": "bank", "kind": "variant"}, scale=1.0)
            time.sleep(number / 200)
            tab.open('zo "ë')
            assert tab.show()["pages"]


def test_broken_text_is_told_and_mended(server: Server) -> None:
    with server.tab("ada") as tab:
        before = tab.show()
        for broken in ("name: [", "", "name: Ada\nsumary: x\n", "\x00", "- a\n"):
            made = tab.pages(broken)
            assert made["type"] == "failed"
            assert all(one["severity"] == "error" for one in made["diagnostics"])
            faults = [one for one in tab.seen if one["type"] == "checked"][-1]
            assert faults["diagnostics"]
            # What there is to show is as it was.
            assert faults["documents"] is None
        assert tab.pages(ADA)["pages"] == before["pages"]


@pytest.mark.usefixtures("requires_embedded")
def test_nothing_private_is_in_a_public_preview(server: Server) -> None:
    """Not in pictures, which are named by what they show, places, or what is told."""
    secret = ADA.replace(
        "contact: {email: ada@example.org}",
        "contact:\n  email: ada@example.org\n  phone: {number: +44 1632 960777, private: true}",
    )
    with server.tab("ada") as tab:
        public = tab.show()
        made = tab.pages(secret)
        assert made["pages"] == public["pages"]
        tab.seen.clear()
        assert "960" not in json.dumps(tab.pages(secret + "# again\n"))
        assert not any("960" in json.dumps(one) for one in tab.seen)
        # Private by itself, or on request: with the overlay, whose texts have no place here.
        for document in ({"name": "bank", "kind": "variant"}, {**ACADEMIC, "private": True}):
            private = tab.show(document)
            assert ("contact", "phone", 0) in shown(private) or ("contact", "email", 0) in shown(
                private
            )
            assert private["pages"] != public["pages"]
        assert tab.show()["pages"] == public["pages"]
    names: dict[bool, str] = {}
    for whole in (False, True):
        body = {"person": "ada", "text": secret, "document": {**ACADEMIC, "private": whole}}
        answer = server.post("/download", {**body, "format": "txt"})
        names[whole] = answer.headers["content-disposition"]
        assert ("960777" in answer.text.replace(" ", "")) == whole
    assert ".private." in names[True]
    assert ".private." not in names[False]


@pytest.mark.usefixtures("requires_embedded")
def test_downloads_in_every_format(server: Server) -> None:
    def download(text: str = ADA, **keys: object) -> tuple[str, bytes]:
        answer = server.post(
            "/download", {"person": "ada", "text": text, "document": ACADEMIC, **keys}
        )
        assert answer.status_code == 200, answer.text
        return answer.headers["content-disposition"], answer.content

    name, data = download(format="pdf", text=ADA.replace("One sentence", "Not saved"))
    assert name == "attachment; filename*=UTF-8''Ada-Example_CV.pdf"
    with pikepdf.open(io.BytesIO(data)) as document:
        assert len(document.pages) == 1
    for kind in ("txt", "html", "json", "md", "docx"):
        name, data = download(format=kind)
        assert f"UTF-8''Ada-Example_CV.{kind}" in name
        assert b"Example" in data or kind in ("docx", "md")
    name, data = download(format="png")
    assert name.endswith("Ada-Example_CV.pages.zip")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["page-1.png"]
    # A name that could be another header.
    name, _ = download(format="txt", person='zo "ë', text="name: 'Zoë\"; x=\"y'\nsummary: x\n")
    assert name == "attachment; filename*=UTF-8''Zoe-x-y_CV.txt"
    for wrong in (
        {"format": "nope"}, {"format": "../x"}, {"text": "name: ["}, {"person": "nobody"},
        {"document": {"name": "nope", "kind": "template"}}, {"more": 1}, {"text": 5},
    ):  # fmt: skip
        body = {"person": "ada", "text": ADA, "document": ACADEMIC, "format": "pdf", **wrong}
        answer = server.post("/download", body)
        assert answer.status_code == 400, wrong
        assert answer.json()["diagnostics"][0]["message"]


def test_options_are_listed_with_their_origin_and_set(server: Server) -> None:
    def option(tab: Tab, document: str, name: str) -> Json:
        documents: list[Json] = [one for one in tab.seen if one.get("documents")][-1]["documents"]
        (found,) = [one for one in documents if one["document"]["name"] == document]
        (of_name,) = [one for one in found["options"] if one["name"] == name]
        return dict(of_name)

    def put(path: object, value: object, text: str = ADA) -> str:
        wanted = {"text": text, "changes": [{"path": path, "value": value}]}
        return str(server.post("/set", wanted).json()["text"])

    with server.tab("ada") as tab:
        accent = option(tab, "academic", "accent")
        assert (accent["value"], accent["default"], accent["kind"]) == (
            "5B2A6E",
            "1F3A5F",
            "colour",
        )
        assert (accent["from"]["line"], accent["from"]["path"]) == (5, accent["path"])
        paper = option(tab, "bank", "paper")
        assert (paper["value"], paper["choices"]) == ("letter", ["a4", "letter"])
        assert paper["from"]["path"] == ["variants", "bank", "options", "paper"]
        assert option(tab, "academic", "paper")["from"] is None
        text = put(accent["path"], "navy")
        assert text == ADA.replace("plum", "navy")
        text = put(option(tab, "academic", "paper")["path"], "letter", text)
        assert text == ADA.replace(
            "{accent: plum}  # dark", "{accent: navy, paper: letter}  # dark"
        )
        revision = tab.edit(text)
        while tab.next("checked")["revision"] != revision:
            pass
        assert option(tab, "academic", "paper")["value"] == "letter"
        assert put(paper["from"]["path"], None) == ADA.replace("    options: {paper: letter}\n", "")
        # 😀 is two units of UTF-16.
        assert (
            put(["name"], "Ada", "summary: 😀\nname: x # 😀\n") == "summary: 😀\nname: Ada # 😀\n"
        )
    for path, source in (([], ADA), (["name"], "name: ["), (["name", "x", "y"], ADA), ([1.5], ADA)):
        body = {"text": source, "changes": [{"path": path, "value": "x"}]}
        assert server.post("/set", body).status_code == 400, path


def _children(pid: int) -> set[str]:
    """Those of all threads."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes in /proc")
@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(
    "number", deep.but([signal.SIGINT], [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
)
def test_it_ends_with_all_that_it_started(tmp_path: Path, number: int) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "people/ada.yaml").write_text(ADA)
    server = Server(tmp_path, "--engine", "embedded")
    with server.tab("ada") as tab:
        tab.show()
        # TeX runs, or waits for the next edit.
        tab.edit(ADA.replace("One", "Another"))
        assert eventually(lambda: bool(_children(server.process.pid)))
        children = [Path(f"/proc/{one}/stat") for one in _children(server.process.pid)]
        places = [Path(f"/proc/{one}/cwd").resolve() for one in _children(server.process.pid)]
        above = Path(tempfile.gettempdir()).resolve()
        (left,) = {top for place in places for top in place.parents if top.parent == above}
        code, told = server.end(number)
    assert code == (-number if number == signal.SIGKILL else 0)
    assert "Traceback" not in told
    assert eventually(lambda: not any(_runs(one) for one in children))
    assert [one.name for one in tmp_path.iterdir()] == ["people"]
    assert left.exists() == (number == signal.SIGKILL)
    shutil.rmtree(left, ignore_errors=True)


@pytest.mark.parametrize("before", deep.but([3], [3, 6]))
def test_it_ends_while_tabs_are_closed(tmp_path: Path, before: int) -> None:
    """The signal comes after some tabs have said goodbye, while others do."""
    files = {"people/ada.yaml": ADA}
    with serving(tmp_path, files) as server, ThreadPoolExecutor(12) as pool:
        tabs = [server.tab() for _ in range(12)]
        for tab in tabs:
            tab.__enter__()
        closing = [pool.submit(tab.__exit__, None, None, None) for tab in tabs[:before]]
        server.process.terminate()
        closing += [pool.submit(tab.__exit__, None, None, None) for tab in tabs[before:]]


def _runs(stat: Path) -> bool:
    try:
        return stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_port_that_is_taken_and_a_person_that_is_unknown(
    server: Server, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = server.base.rpartition(":")[2]
    monkeypatch.chdir(server.folder)
    taken = run("serve", "--no-open", "--port", port)
    unknown = run("serve", "nobody")
    assert (taken.code, f"port {port} can't be used" in taken.err) == (2, True)
    assert (unknown.code, 'unknown person "nobody"' in unknown.err) == (2, True)


@pytest.mark.usefixtures("requires_embedded")
def test_pages_of_the_first_run_are_shown_early(server: Server) -> None:
    bullets = ", ".join(f"Example {number} of what was done" for number in range(50))
    text = ADA.replace("Built a compiler, Mended a parser", bullets)
    wish = text.replace("accent: plum", "pages: 1")
    with server.tab("ada") as tab:
        tab.show()
        assert "early" not in [message["type"] for message in tab.seen]
        assert len(tab.pages(text)["pages"]) == 2
        for turn in range(2):
            del tab.seen[:]
            made = tab.pages(wish.replace("Example 1 ", f"Sample {turn} "))
            assert len(made["pages"]) == 1
            kinds = [message["type"] for message in tab.seen]
            assert kinds.index("early") < kinds.index("pages")
            (early,) = (message for message in tab.seen if message["type"] == "early")
            assert early["revision"] == made["revision"]
            # The step that won is tried first.
            assert len(early["pages"]) == 2 - turn
            assert picture(server, early).size == picture(server, made).size
            assert (early["pages"] == made["pages"]) == (turn == 1)


@pytest.mark.parametrize(("kind", "key"), [("person", "headline"), ("application", "employer")])
def test_what_may_be_written_is_known_of_each_kind_of_file(
    server: Server, kind: str, key: str
) -> None:
    place = {"kind": kind, "before": "", "after": ""}
    offers = server.post("/place", place).json()
    assert key in [one["label"] for one in offers]


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
    known = tab._changed(served, None)
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


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    files = {f"people/{name.lower()}.yaml": f"name: {name} Example\n" for name in ("Ada", "Bob")}
    with serving(tmp_path_factory.mktemp("edited"), files) as edited:
        yield edited


def test_two_tabs_and_another_program(edited: Server) -> None:
    path = edited.folder / "people/ada.yaml"
    with edited.tab("ada") as one, edited.tab("ada") as other:
        one.edit("name: Ada One\n")
        assert one.save()["type"] == "saved"
        assert path.read_text() == "name: Ada One\n"
        # The other tab had nothing unsaved: it goes on with the new text.
        changed = other.next("changed", "conflict")
        assert (changed["type"], changed["text"]) == ("changed", "name: Ada One\n")
        assert other.next("checked")["diagnostics"] is not None
        other.version = changed["version"]
        # Now it has, and so is asked.
        other.edit("name: Ada Other\n")
        path.write_text("name: Ada Vim\n")
        conflict = other.next("conflict")
        assert conflict["text"] == "name: Ada Vim\n"
        assert one.next("changed")["text"] == "name: Ada Vim\n"
        assert other.save()["type"] == "conflict"
        assert other.save(force=True, version="0" * 64)["type"] == "conflict"
        assert path.read_text() == "name: Ada Vim\n"
        assert other.save(force=True, version=conflict["version"])["type"] == "saved"
        assert path.read_text() == "name: Ada Other\n"
        assert one.next("changed")["text"] == "name: Ada Other\n"


def test_a_file_that_is_emptied_before_it_is_written_is_never_seen_empty(edited: Server) -> None:
    path = edited.folder / "people/ada.yaml"
    with edited.tab("ada") as tab:
        for number in range(5):
            with path.open("w") as file:
                # Longer than the 40 ms after which a burst of events is over.
                time.sleep(0.06)
                file.write(f"name: Ada {number}\n")
            assert tab.next("changed", "conflict")["text"] == f"name: Ada {number}\n"


@pytest.mark.parametrize("servers", [1, 2])
def test_of_two_saves_at_the_same_moment_one_is_told(edited: Server, servers: int) -> None:
    path = edited.folder / "people/twice.yaml"
    path.write_text("name: Twice\n")
    other = edited if servers == 1 else Server(edited.folder)
    with edited.tab() as one, other.tab() as two, ThreadPoolExecutor() as pool:
        for number in range(20):
            told = {}
            for tab in (one, two):
                tab.open("twice")
                tab.edit(f"name: Twice {number} {tab is one}\n")
            for tab, answer in zip((one, two), pool.map(Tab.save, (one, two)), strict=True):
                told[tab.text] = answer["type"]
            assert sorted(told.values()) == ["conflict", "saved"]
            assert told[path.read_text()] == "saved"
    if other is not edited:
        assert other.end() == (0, "stopped\n")


def test_a_late_edit_does_not_overwrite_what_came_meanwhile(edited: Server) -> None:
    """A keystroke is on its way when the file changes: it is of the text before."""
    path = edited.folder / "people/bob.yaml"
    with edited.tab("bob") as tab:
        path.write_text("name: Bob Vim\n")
        assert tab.next("changed")["text"] == "name: Bob Vim\n"
        tab.edit("name: Bob Example!\n")
        # ``version`` is that of the text that was edited.
        assert tab.save()["type"] == "conflict"
        assert path.read_text() == "name: Bob Vim\n"


def test_files_go_come_and_break(edited: Server) -> None:
    path = edited.folder / "people/carl.yaml"
    # A link that leads to itself is nobody's file, and keeps nothing from being noticed.
    loop = edited.folder / "people/loop.yaml"
    loop.symlink_to(loop.name)
    with edited.tab() as tab:
        names = [one["name"] for one in tab.next("people")["people"]]
        assert "carl" not in names
        path.write_text("name: {given: Carl, family: Example}\n")
        # The list comes for the link, too, and for the file while it is still empty.
        carl = {"name": "carl", "title": "Carl Example", "path": "people/carl.yaml"}
        while carl not in tab.next("people")["people"]:
            pass
        tab.open("carl")
        path.rename(path.with_name("dora.yaml"))
        assert tab.next("changed") == {
            "type": "changed", "version": None, "text": None, "fault": None
        }  # fmt: skip
        tab.edit("name: Carl Again\n")
        assert tab.save()["type"] == "conflict"
        assert not path.exists()
        assert tab.save(force=True, version=None)["type"] == "saved"
        path.write_bytes(b"name: Carl \xff\n")
        broken = tab.next("changed")
        assert (broken["text"], broken["fault"]["code"]) == (None, "yaml-encoding")
        assert "encoding" in str(tab.save()) or path.read_bytes() == b"name: Carl \xff\n"
        assert tab.open("carl")["type"] == "error"
        assert tab.open("dora")["text"] == "name: {given: Carl, family: Example}\n"
    assert path.read_bytes() == b"name: Carl \xff\n"
    loop.unlink()
    assert not list(edited.folder.glob("people/*.new"))
    assert sorted(one.name for one in edited.folder.iterdir()) == ["people"]


def test_what_a_document_shows_beside_the_file_counts(edited: Server) -> None:
    with edited.tab("ada") as tab:
        tab.edit("name: Ada\nphoto: ada.png\n")
        tab.next("checked")
        while not (found := tab.next("checked"))["diagnostics"]:
            pass
        assert "ada.png" in found["diagnostics"][0]["message"]
        from PIL import Image

        Image.new("RGB", (60, 80), "navy").save(edited.folder / "people/ada.png")
        while tab.next("checked")["diagnostics"]:
            pass
