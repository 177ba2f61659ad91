"""A server of the editor's page, as a process, and what a browser sends to it."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from waits import PATIENCE
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

if TYPE_CHECKING:
    from playwright.sync_api import StorageState

Json = dict[str, Any]
#: Without certificates, which take longer to load than a request.
get, post = partial(httpx.get, verify=False), partial(httpx.post, verify=False)
ACADEMIC = {"name": "academic", "kind": "template"}


class Server:
    """``cvbuild serve`` in a folder; the first browser that enters is let in, by default this."""

    def __init__(self, folder: Path, *arguments: str, enter: bool = True) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cvbuild", "serve", "--no-open", *arguments],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr
        self.told = self.process.stderr.readline()
        found = re.search(r"http://\S+?(?=;)", self.told)
        assert found, self.told
        self.address = found[0]
        self.base, _, self.token = self.address.partition("/?token=")
        self.port = int(self.base.rpartition(":")[2])
        #: What the browser that was let in keeps.
        self.kept: StorageState | None = None
        if enter:
            kept = self.enter(self.token).json()
            self.key, self.proof = kept["key"], kept["proof"]

    @property
    def socket_address(self) -> str:
        return f"{self.base.replace('http', 'ws', 1)}/socket"

    @property
    def own(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def enter(self, word: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {word}", "Origin": self.base}
        return post(f"{self.base}/enter", headers=headers, timeout=PATIENCE)

    def get(self, path: str, **headers: str) -> httpx.Response:
        own = {**self.own, **headers}
        return get(self.base + path, headers=own, timeout=PATIENCE)

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        own = {**self.own, "Origin": self.base, **headers}
        return post(self.base + path, json=body, headers=own, timeout=PATIENCE)

    @contextlib.contextmanager
    def tab(self, person: str | None = None) -> Iterator[Tab]:
        with connect(
            self.socket_address,
            origin=Origin(self.base),
            subprotocols=[Subprotocol("cvbuild"), Subprotocol(f"key.{self.key}")],
            max_size=None,
            close_timeout=5,
        ) as socket:
            tab = Tab(socket)
            assert tab.next("welcome")["proof"] == self.proof
            if person:
                tab.open(person)
            yield tab

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, told = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, told


@contextlib.contextmanager
def serving(folder: Path, files: Mapping[str, str | bytes], *arguments: str) -> Iterator[Server]:
    """A server of a folder with these files; whatever it is sent, it ends without a word of it."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    server = Server(folder, *arguments)
    yield server
    assert server.end() == (0, "stopped\n")


class Tab:
    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.seen, self.revision = socket, list[Json](), 0
        self.text = self.version = ""

    def send(self, kind: str, **keys: object) -> None:
        self.socket.send(json.dumps({"type": kind, **keys}))

    def next(self, *kinds: str) -> Json:
        while True:
            message: Json = json.loads(self.socket.recv(timeout=PATIENCE))
            self.seen.append(message)
            if message["type"] in kinds:
                return message

    def open(self, person: str) -> Json:
        self.send("open", person=person)
        opened = self.next("opened", "error")
        self.text, self.version = opened.get("text", ""), opened.get("version", "")
        self.revision = 0
        return opened

    def edit(self, text: str) -> int:
        self.revision += 1
        self.text = text
        self.send("edit", revision=self.revision, text=text)
        return self.revision

    def show(self, document: Json = ACADEMIC, scale: float = 1.0) -> Json:
        self.send("show", document=document, scale=scale)
        return self._with_places(self.next("pages", "failed"))

    def pages(self, text: str) -> Json:
        revision = self.edit(text)
        while (made := self.next("pages", "failed"))["revision"] != revision:
            pass
        return self._with_places(made)

    def _with_places(self, made: Json) -> Json:
        return {**self.next("places"), **made} if made["type"] == "pages" else made

    def save(self, **keys: object) -> Json:
        self.send("save", revision=self.revision, **{"version": self.version, **keys})
        answer = self.next("saved", "conflict", "error")
        if answer["type"] == "saved":
            self.version = answer["version"]
        return answer
