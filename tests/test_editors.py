"""The schemas in the hands of others: a YAML language server, as in editors, and a linter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import judges

from cvbuild.cli.commands import init
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.schema.json_schema import FILES
from cvbuild.outputs import registry
from cvbuild.outputs.styles.templates import Library

ROOT = Path(__file__).parents[1]
NAMES = {*Library.at().names()}
#: A file of each kind: its place, and its text after the first line.
EXAMPLES = {
    "people/ada.yaml": "name: Ada\ntemplate: \noptions:\n  accent: navy\nformats: \n",
    "applications/lab.yaml": "person: ada\nemployer: Lab\nposition: Clerk\ntemplate: \n"
    "options:\n  paper: a4\nformats: \nletter: Dear all\n",
    "cvbuild.yaml": "defaults:\n  template: \n  options:\n    accent: navy\n  formats: \n"
    "groups:\n  phd:\n    people: ada\n    locale: de\n    out: cvs\n",
}
MODELINES = {
    "people/ada.yaml": "../docs/profile.schema.json",
    "applications/lab.yaml": "../docs/application.schema.json",
    "cvbuild.yaml": "docs/workspace.schema.json",
}
_KEY = re.compile(r" *([\w-]+):")


def test_an_editor_completes_names_and_shows_sentences(tmp_path: Path) -> None:
    for file, text in init.schemas(Library.at()).items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    with LanguageServer(tmp_path) as server:
        for name, text in EXAMPLES.items():
            whole = f"# yaml-language-server: $schema={MODELINES[name]}\n{text}"
            server.open(name, whole)
            assert server.faults(name) == []
            for number, row in enumerate(whole.splitlines()):
                key = _KEY.match(row)
                if key is None or key[1] == "phd":
                    continue
                words = server.hover(name, number, key.start(1) + 1).partition("Source:")[0]
                # Each alternative of a value has its words; there are no titles for headings.
                said = words.partition("Allowed Values:")[0].split("||")
                sentences = [one.strip() for one in said if one.strip("# \n")]
                assert sentences, row
                assert all(re.fullmatch(r"[A-Z].*\.", one, re.DOTALL) for one in sentences), said
                if key[1] in ("template", "formats"):
                    found = server.completions(name, number, len(row))
                    known = NAMES if key[1] == "template" else {*registry.MODULES}
                    assert known <= found.keys()
                if key[1] == "template":
                    assert all(found[one].endswith(".") for one in NAMES)
            server.open(f"{name}.bad.yaml", f"{whole}nonsense: 1\n")
            assert server.faults(f"{name}.bad.yaml") == ["Property nonsense is not allowed."]


def lint(schema_file: str, *files: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("check-jsonschema")
    if not program.exists():
        judges.absent(program.name, "make .venv/.installed-dev")
    return subprocess.run(
        [program, "--schemafile", ROOT / schema_file, *files],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_linter_takes_what_cvbuild_takes_and_refuses_what_it_refuses(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "workspace.md").read_text(encoding="utf-8")
    example = tmp_path / "example.yaml"
    example.write_text(re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0])
    comments = starter_files.workspace("ada-example")["cvbuild.yaml"].partition("\n\n")[2]
    (tmp_path / "commented.yaml").write_text(re.sub(r"^# ", "", comments, flags=re.MULTILINE))
    (tmp_path / "lab.yaml").write_text(*starter_files.application("ada-example").values())
    (tmp_path / "ada.yaml").write_text(starter_files.person("Ada Example"))
    good = {
        "person": [*ROOT.glob("people/*.yaml"), tmp_path / "ada.yaml"],
        "application": [*ROOT.glob("applications/*.yaml"), tmp_path / "lab.yaml"],
        "workspace": [example, tmp_path / "commented.yaml"],
    }
    bad = {
        "person": ["name: [a, b]", "name: A\ntempalte: x", "name: A\noptions: {paper: a7}"],
        "application": ["person: a", "person: a\nemployer: b\nposition: c\nattach: both"],
        "workspace": ["default: {}", "groups: {a: {}}", "defaults: {options: {paper: a7}}", "[]"],
    }
    for kind, file in FILES.items():
        assert len(good[kind]) >= 2
        paths = []
        for number, text in enumerate(bad[kind]):
            paths.append(tmp_path / f"{kind}-{number}.yaml")
            paths[-1].write_text(text)
        done = lint(file, *good[kind], *paths)
        assert done.returncode == 1
        refused = {path for path in (*good[kind], *paths) if f"{path.name}::" in done.stdout}
        assert refused == {*paths}, done.stdout


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
