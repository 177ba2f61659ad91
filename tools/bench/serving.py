"""``make bench-serve``: edits typed into ``cvbuild serve``, and the same edits saved elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pypdfium2
from PIL import Image
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from tools.bench.edits import Edits
from tools.bench.peers import rendercv_command, rendercv_input
from tools.bench.report import markdown, progress
from tools.bench.single import Bench
from tools.bench.times import Missing, NotMeasuredError
from tools.bench.watching import PAUSE, watching
from tools.bench.workspace import CVBUILD, Workspace, text_of

#: Pixels for each point: a screen of two pixels for each of the page's.
SCALE = 2.0
#: After how many edits memory is looked at.
LOOKS = (20, 100, 200)
#: Seconds between two keystrokes of a fast writer.
KEY = 0.08
#: Seconds for anything.
_PATIENCE = 60.0


class Typist:
    """A browser's tab on a running ``cvbuild serve``, and what it types."""

    def __init__(self, workspace: Workspace, edits: Edits, base: str, key: str) -> None:
        self._workspace, self._edits, self._base = workspace, edits, base
        self._revision = 0
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(headers=headers, timeout=_PATIENCE)
        self._socket: ClientConnection = connect(
            f"{base.replace('http', 'ws', 1)}/socket",
            origin=Origin(base),
            subprotocols=[Subprotocol("cvbuild"), Subprotocol(f"key.{key}")],
            max_size=None,
        )

    def show(self, person: str, template: str) -> str:
        """Open a person's file and show a document; return the file's version."""
        self._send("open", person=person)
        version = str(self._next("opened")["version"])
        self._send("show", document={"name": template, "kind": "template"}, scale=SCALE)
        self._picture(self._next("pages"))
        return version

    def typed(self) -> tuple[float, float]:
        """Make an edit; return the seconds up to its pages, and up to the first one's picture.

        Raises NotMeasuredError unless the document has the edit.
        """
        shown, content = self._edits.prepare()
        begun = time.perf_counter()
        self._edit(content)
        pages = self._pages()
        told = time.perf_counter() - begun
        for number in range(len(pages["pages"])):
            self._picture(pages, number)
        drawn = time.perf_counter() - begun
        self._demand(shown, pages)
        return told, drawn

    def burst(self, count: int, version: str) -> tuple[int, float]:
        """Type without waiting; return how many documents were made, and seconds after the end.

        Raises NotMeasuredError unless the last pages and the saved file have the last edit.
        """
        shown, content = "", b""
        for _ in range(count):
            shown, content = self._edits.prepare()
            self._edit(content)
            time.sleep(KEY)
        begun, made = time.perf_counter(), 0
        while True:
            pages = self._next("pages", "failed")
            made += 1
            if pages["revision"] == self._revision:
                break
        seconds = time.perf_counter() - begun
        self._demand(shown, pages)
        self._send("save", revision=self._revision, version=version)
        self._next("saved")
        if self._workspace.person(self._person).read_bytes() != content:
            raise NotMeasuredError("the saved file is not what was typed last")
        return made, seconds

    def close(self) -> None:
        """Close the tab."""
        self._socket.close()
        self._client.close()

    @property
    def _person(self) -> str:
        return self._edits.person

    def _edit(self, content: bytes) -> None:
        self._revision += 1
        self._send("edit", revision=self._revision, text=content.decode())

    def _pages(self) -> dict[str, Any]:
        while (found := self._next("pages", "failed"))["revision"] != self._revision:
            pass
        if found["type"] == "failed":
            raise NotMeasuredError(str(found["diagnostics"][0]["message"]))
        return found

    def _picture(self, pages: dict[str, Any], number: int = 0) -> bytes:
        address = f"{self._base}{pages['pages'][number]['picture']}"
        return self._client.get(address).raise_for_status().content

    def _demand(self, shown: str, pages: dict[str, Any]) -> None:
        """Raise NotMeasuredError unless PDF and pictures show this text, and are one document."""
        serve = self._workspace.cache / "serve"
        (pdf,) = serve.rglob(f"{self._person}/*.pdf")
        if shown not in text_of(pdf):
            raise NotMeasuredError(f'the pages do not show "{shown}"')
        with pypdfium2.PdfDocument(pdf) as document:
            for number, page in enumerate(document):
                drawn = page.render(scale=SCALE).to_pil().convert("RGB")
                seen = Image.open(BytesIO(self._picture(pages, number)))
                if seen.tobytes() != drawn.tobytes():
                    raise NotMeasuredError(f"the picture of page {number + 1} is an old one")

    def _send(self, kind: str, **keys: object) -> None:
        self._socket.send(json.dumps({"type": kind, **keys}))

    def _next(self, *kinds: str) -> dict[str, Any]:
        while True:
            found: dict[str, Any] = json.loads(self._socket.recv(timeout=_PATIENCE))
            if found["type"] in kinds:
                return found


@contextlib.contextmanager
def served(workspace: Workspace) -> Iterator[tuple[str, int]]:
    """Run ``cvbuild serve``; yield the address that it printed, and its process id."""
    child = subprocess.Popen(
        [*CVBUILD, "serve", "--no-open"],
        cwd=workspace.folder,
        env=workspace.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = child.stderr.readline() if child.stderr else ""
        found = re.search(r"http://\S+?(?=;)", line)
        if found is None:
            raise NotMeasuredError(f"cvbuild serve said: {line[:100]}")
        yield found[0], child.pid
    finally:
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=_PATIENCE)


def text(bench: Bench, count: int) -> str:
    """Return the tables: latency, memory, and what other programs take for the same edits."""
    workspace, subject = bench.workspace("serve"), bench.subject
    edits = Edits(workspace.person(subject.person), subject.text)
    told, drawn, memory = [], [], []
    progress(f"serve, {count} edits ...")
    with served(workspace) as (address, process):
        base, _, token = address.partition("/?token=")
        entering = {"Authorization": f"Bearer {token}", "Origin": base}
        key = httpx.post(f"{base}/enter", headers=entering).json()["key"]
        typist = Typist(workspace, edits, base, key)
        version = typist.show(subject.person, "academic")
        for number in range(1, count + 1):
            one, other = typist.typed()
            told.append(one)
            drawn.append(other)
            if number in LOOKS:
                memory.append([f"after {number} edits", *_resident(process)])
        progress("serve, a burst ...")
        made, after = typist.burst(count, version)
        memory.append([f"after {count} more, typed fast", *_resident(process)])
        typist.close()
    rows = [["", "median", "95 % within", "longest"], ["---"] * 4]
    rows.append(["`serve`: pages known", *_figures(told)])
    rows.append(["`serve`: all pages drawn", *_figures(drawn)])
    few = max(3, count // 10)
    progress(f"watch, {few} edits ...")
    rows.append([f"`watch`: PDF in place, {few} of them", *_watched(bench, few)])
    progress(f"RenderCV, {few} edits ...")
    rows.append([f"RenderCV `--watch`: PDF in place, {few} of them", *_rendercv(bench, few)])
    resident = [["resident memory", "server", "engines"], ["---"] * 3, *memory]
    burst = f"{count} edits typed {KEY * 1000:.0f} ms apart: {made} documents made, the last one "
    burst += f"{after:.2f} s after the last edit; it and the saved file have all of them."
    return f"{markdown(rows)}\n{markdown(resident)}\n{burst}\n"


def _figures(seconds: list[float]) -> list[str]:
    found = sorted(seconds)
    late = found[min(len(found) - 1, round(0.95 * len(found)))]
    return [f"{one:.2f} s" for one in (statistics.median(found), late, found[-1])]


def _watched(bench: Bench, count: int) -> list[str]:
    subject, workspace = bench.subject, bench.workspace("watch")
    edits = Edits(workspace.person(subject.person), subject.text)
    try:
        with watching(workspace, subject.person, "academic", edits) as watcher:
            watcher.once(0)
            return _figures([watcher.once(number) for number in range(1, count + 1)])
    except NotMeasuredError as error:
        return [str(error), "–", "–"]


def _rendercv(bench: Bench, count: int) -> list[str]:
    """Save the same edits for ``rendercv render --watch``."""
    folder = bench.folder / "rendercv-watch"
    child = None
    try:
        source = rendercv_input(folder)
        edits, pdf = Edits(source, bench.subject.text), folder / "cv.pdf"
        command = [*rendercv_command(bench.rendercv), "--watch"]
        child = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ),
        )  # fmt: skip
        _until_shown(pdf, bench.subject.text, time.perf_counter())
        found = []
        for _ in range(count):
            time.sleep(PAUSE)
            shown, content = edits.prepare()
            begun = time.perf_counter()
            source.write_bytes(content)
            found.append(_until_shown(pdf, shown, begun))
        return _figures(found)
    except NotMeasuredError as error:
        return [str(Missing(str(error)).why), "–", "–"]
    finally:
        if child is not None:
            child.kill()
            child.wait()


def _until_shown(pdf: Path, shown: str, begun: float) -> float:
    """Return the seconds until a PDF has a text; raise NotMeasuredError if it never has."""
    before = None
    while (now := time.perf_counter()) < begun + _PATIENCE:
        with contextlib.suppress(OSError, NotMeasuredError):
            state = pdf.stat()
            if (key := (state.st_mtime_ns, state.st_size)) != before:
                if shown in text_of(pdf):
                    return now - begun
                before = key
        time.sleep(0.002)
    raise NotMeasuredError("RenderCV built no PDF of an edit")


def _resident(process: int) -> list[str]:
    """Return the resident memory of a process, and that of all its children."""
    children, todo = 0.0, _children(process)
    while todo:
        one = todo.pop()
        children += _size(one)
        todo += _children(one)
    return [f"{_size(process):.0f} MB", f"{children:.0f} MB"]


def _children(process: int) -> list[int]:
    with contextlib.suppress(OSError):
        tasks = Path(f"/proc/{process}/task").iterdir()
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    return []


def _size(process: int) -> float:
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text()
        if found := re.search(r"^VmRSS:\s*(\d+) kB", status, re.MULTILINE):
            return int(found[1]) / 1024
    return 0.0
