"""A client of the YAML language server that editors use, over its standard streams."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import judges


class LanguageServer:
    """The server on the files of one folder; a context manager."""

    def __init__(self, folder: Path) -> None:
        program = judges.program("node", package="nodejs")
        script = judges.module("yaml-language-server/bin/yaml-language-server")
        self._folder, self._last = folder, 0
        self._process = subprocess.Popen(
            [program, str(script), "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._faults: dict[str, list[str]] = {}

    def __enter__(self) -> LanguageServer:
        root = self._folder.as_uri()
        self.ask("initialize", processId=None, rootUri=root, capabilities={})
        settings = {"yaml": {"completion": True, "hover": True, "schemaStore": {"enable": False}}}
        self._tell("initialized")
        self._tell("workspace/didChangeConfiguration", settings=settings)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def open(self, name: str, text: str) -> None:
        """Show a file with this text in the editor."""
        document = {"uri": self._uri(name), "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", textDocument=document)

    def faults(self, name: str) -> list[str]:
        """Return what the editor underlines in an open file."""
        while self._uri(name) not in self._faults:
            self._read()
        return self._faults[self._uri(name)]

    def hover(self, name: str, line: int, character: int) -> str:
        """Return what the editor shows at a place, which is counted from 0."""
        found = self._at("textDocument/hover", name, line, character)
        return str(found["contents"]["value"]) if found else ""

    def completions(self, name: str, line: int, character: int) -> dict[str, str]:
        """Return what the editor offers at a place, with the words on each."""
        found = self._at("textDocument/completion", name, line, character)
        items = found["items"] if isinstance(found, dict) else found or []
        return {item["label"]: _text(item.get("documentation")) for item in items}

    def ask(self, method: str, **params: Any) -> Any:
        """Return the answer to a request."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        while (message := self._read()).get("id") != self._last or "method" in message:
            pass
        assert "error" not in message, message
        return message["result"]

    def _at(self, method: str, name: str, line: int, character: int) -> Any:
        place = {"line": line, "character": character}
        return self.ask(method, textDocument={"uri": self._uri(name)}, position=place)

    def _uri(self, name: str) -> str:
        return (self._folder / name).as_uri()

    def _tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        """Return the next message; answers what the server asks, and notes its diagnostics."""
        assert self._process.stdout is not None
        size = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the language server has ended"
        message: dict[str, Any] = json.loads(self._process.stdout.read(size))
        if message.get("method") == "textDocument/publishDiagnostics":
            found = message["params"]
            self._faults[found["uri"]] = [one["message"] for one in found["diagnostics"]]
        elif "method" in message and "id" in message:
            items = message.get("params", {}).get("items", ())
            self._send({"id": message["id"], "result": [None for _ in items]})
        return message


def _text(documentation: Any) -> str:
    return str(documentation["value"] if isinstance(documentation, dict) else documentation or "")
