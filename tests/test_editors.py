"""The schemas in the hands of others: editors, a linter; and what other tools call our keys."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import judges
import pytest
from conftest import Run
from pydantic import BaseModel

from cvbuild.cli.command_table import COMMANDS, SHELLS
from cvbuild.cli.commands import manual
from cvbuild.inputs import saving
from cvbuild.inputs.json_schema import FILES
from cvbuild.inputs.validation import slots
from cvbuild.model.application import Application
from cvbuild.model.base import bare, fields_of
from cvbuild.model.contact import Contact, Name, Profiles
from cvbuild.model.kinds import KINDS, model_of
from cvbuild.model.kinds.work import Role
from cvbuild.model.letter import Letter
from cvbuild.model.profile import Profile, Workspace
from cvbuild.model.sections import Author, Bullet, Group, Item, Link, SectionOf
from cvbuild.outputs import registry
from cvbuild.outputs.styles.templates import Library

ROOT = Path(__file__).parents[1]
NAMES = {*Library.at().names()}
#: A file of each kind: its place, and its text after the first line.
EXAMPLES = {
    "people/ada.yaml": "name: Ada\ntemplate: \noptions:\n  accent: navy\nformats: \n",
    "applications/lab.yaml": "person: ada\nemployer: Lab\nposition: Clerk\ntemplate: \n"
    "formats: \nletter: Dear all\n",
    "cvbuild.yaml": "defaults:\n  template: \n  options:\n    accent: navy\n  formats: \n"
    "groups:\n  phd:\n    people: ada\n    locale: de\n",
}
MODELINES = {
    "people/ada.yaml": "../docs/profile.schema.json",
    "applications/lab.yaml": "../docs/application.schema.json",
    "cvbuild.yaml": "docs/workspace.schema.json",
}
_KEY = re.compile(r" *([\w-]+):")


def test_an_editor_completes_names_and_shows_sentences(tmp_path: Path) -> None:
    for file, text in manual.schemas(Library.at()).items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, "utf-8")
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
    page = (ROOT / "docs" / "how-to" / "workspace.md").read_text("utf-8")
    example = tmp_path / "example.yaml"
    example.write_text(re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0])
    comments = saving.workspace_files("ada-example")["cvbuild.yaml"].partition("\n\n")[2]
    (tmp_path / "commented.yaml").write_text(re.sub(r"^# ", "", comments, flags=re.MULTILINE))
    (tmp_path / "lab.yaml").write_text(*saving.application_files("ada-example").values())
    (tmp_path / "ada.yaml").write_text(saving.person_text("Ada Example"))
    good = {
        "person": [*ROOT.glob("people/*.yaml"), tmp_path / "ada.yaml"],
        "application": [*ROOT.glob("applications/*.yaml"), tmp_path / "lab.yaml"],
        "workspace": [example, tmp_path / "commented.yaml"],
    }
    bad = {
        "person": ["name: [a, b]", "name: A\ntempalte: x"],
        "application": ["person: a", "person: a\nemployer: b\nposition: c\nattach: both"],
        "workspace": ["default: {}", "groups: {a: {}}", "[]"],
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
        document = {"uri": self._uri(name), "languageId": "yaml", "version": 1, "text": text}
        self._tell("textDocument/didOpen", textDocument=document)

    def faults(self, name: str) -> list[str]:
        while self._uri(name) not in self._faults:
            self._read()
        return self._faults[self._uri(name)]

    def hover(self, name: str, line: int, character: int) -> str:
        found = self._at("textDocument/hover", name, line, character)
        return str(found["contents"]["value"]) if found else ""

    def completions(self, name: str, line: int, character: int) -> dict[str, str]:
        found = self._at("textDocument/completion", name, line, character)
        items = found["items"] if isinstance(found, dict) else found or []
        return {item["label"]: _text(item.get("documentation")) for item in items}

    def ask(self, method: str, **params: Any) -> Any:
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


FORMATS = tomllib.loads(Path(__file__).with_name("other_tools.toml").read_text("utf-8"))
#: Keys that are ours, with another meaning: what is written there is an error of its form.
OTHER_MEANING = {("yamlresume", "profile", "locale"), ("rendercv", "profile", "locale")}


def item_of(kind: str) -> type[BaseModel]:
    section = model_of(kind)
    assert section is not None
    (item, *_) = get_args(section.model_fields["items"].annotation)
    found = bare(item)
    assert isinstance(found, type)
    assert issubclass(found, Item)
    return found


def models() -> dict[str, type[BaseModel]]:
    others = (Profile, Contact, Profiles, Name, Role, Bullet, Link, Author, Letter, Application)
    found: dict[str, type[BaseModel]] = {one.__name__.lower(): one for one in others}
    found |= {kind: item_of(kind) for kind in KINDS}
    found |= {"section": SectionOf, "group": Group}
    # Where there is no kind for volunteers, their work is a service.
    return {"volunteer": found["service"], **found}


MODELS = models()


def properties() -> Iterator[tuple[str, str, str]]:
    for name, places in FORMATS.items():
        for place, listed in places.items():
            yield from ((name, place, key) for key in listed)


@pytest.mark.parametrize(("name", "place", "key"), list(properties()))
def test_each_property_is_ours_or_has_a_home(name: str, place: str, key: str) -> None:
    model = MODELS[place]
    if key in fields_of(model):
        assert slots.intended(key, model) == key
        return
    assert (name, place, key) not in OTHER_MEANING
    hint = slots.key_hint(key, model)
    assert hint is not None
    assert hint.startswith(("write ", "it belongs under "))


def test_every_home_exists() -> None:
    items: list[type[BaseModel]] = [*(item_of(kind) for kind in KINDS), Role]
    rows = [(name, *entry) for name, table in slots._tables().items() for entry in table.items()]
    found = [(table, key, home) for table, key, homes in rows for home in homes]
    assert len(found) > 300
    for table, key, home in found:
        where = f"{table}.{key} -> {home}"
        if " " in home:
            assert home.startswith("write "), where
        elif home.startswith("kind:"):
            assert home == "kind:volunteer" or home.removeprefix("kind:") in KINDS, where
        elif "." in home:
            owner: type[BaseModel] | None = Workspace if table == "workspace" else Profile
            for step in home.split("."):
                if owner is None:
                    break  # An option, which the template knows.
                assert step in fields_of(owner), where
                names = {field.alias or name: field for name, field in owner.model_fields.items()}
                inner = bare(names[step].annotation)
                is_model = isinstance(inner, type) and issubclass(inner, BaseModel)
                owner = inner if is_model else None
        elif table == "item":
            assert any(home in fields_of(item) for item in items), where
        else:
            assert home in fields_of(MODELS[table]), where


#: How each shell is started, and loads the script; cvbuild prints its arguments then.
STARTED = {
    "bash": (
        ("bash", "--norc", "--noprofile", "-i"),
        r"""bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; . ./script
        cvbuild() { printf '<%s>' "$@"; echo; }""",
    ),
    "zsh": (
        ("zsh", "-f", "-i"),
        r"""unset zle_bracketed_paste; unsetopt beep promptsp; autoload -U compinit; compinit -u -D
        eval "$(cat ./script)"; cvbuild() { printf '<%s>' "$@"; echo }""",
    ),
    "fish": (
        ("fish", "--no-config", "-i"),
        "source ./script; function cvbuild; printf '<%s>' $argv; echo; end",
    ),
}
#: What is typed, and what the command is given then.
TYPED = {
    "cvbuild tem\t": "<templates>",
    "cvbuild build people/zoe.y\t": "<build><people/zoe.yaml>",
    "cvbuild build --all-te\t": "<build><--all-templates>",
    "cvbuild build zoe -t indu\t": "<build><zoe><-t><industry>",
    "cvbuild build zoe --format doc\t": "<build><zoe><--format><docx>",
    "cvbuild build zoe --engine embed\t": "<build><zoe><--engine><embedded>",
    "cvbuild apply applications/exam\t": "<apply><applications/example-lab.yaml>",
    "cvbuild applications ver\t": "<applications><verify>",
    "cvbuild match example-lab --job adv\t": "<match><example-lab><--job><advert.txt>",
    "cvbuild completion powers\t": "<completion><powershell>",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in (
        "people/zoe.yaml",
        "applications/example-lab.yaml",
        "templates/mine/template.yaml",
        "advert.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    foreign = tmp_path / "cvbuild"
    foreign.write_text("#!/bin/sh\ntouch hacked\n")
    foreign.chmod(0o755)
    return tmp_path


class Terminal:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._keys, self._screen = process.stdin, process.stdout

    def typed(self, text: str, end: str) -> str:
        """Type a text; return what the shell prints up to ``end``, without its colours."""
        self._keys.write(text.encode())
        self._keys.flush()
        seen, until = "", time.monotonic() + 60
        while end not in seen and time.monotonic() < until:
            if select.select([self._screen], [], [], 0.2)[0]:
                new = os.read(self._screen.fileno(), 65536).decode(errors="replace")
                assert new, f"the shell has ended: {seen}"
                seen += new
        assert end in seen, seen
        return re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z]", "", seen)


@contextlib.contextmanager
def shell(command: tuple[str, ...], cwd: Path) -> Iterator[Terminal]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    with subprocess.Popen(
        [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env={"PATH": path, "TERM": "xterm", "HOME": str(cwd), "LANG": "C.UTF-8"},
    ) as process:
        try:
            yield Terminal(process)
        finally:
            process.kill()


@pytest.mark.parametrize("name", STARTED)
def test_a_shell_completes(name: str, workspace: Path, run: Run) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}: apt-get install {name}")
    (workspace / "script").write_text(run("completion", name).out)
    command, start = STARTED[name]
    with shell(command, workspace) as terminal:
        terminal.typed(f"{start}\necho be''gun\n", "begun")
        for typed, expected in TYPED.items():
            assert expected in terminal.typed(f"{typed}\necho do''ne\n", "done"), typed
    assert not (workspace / "hacked").exists()


def test_every_shell_gets_a_script_with_every_command(run: Run) -> None:
    for name in SHELLS:
        text = run("completion", name).out
        for command in COMMANDS:
            assert re.search(rf"\b{command}\b", text), (name, command)
            assert "all-templates" in text
    assert "choose from" in run("completion", "nu").err
