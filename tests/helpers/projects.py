"""Workspaces of attacks: with commands that are killed or collide, or cloned from a stranger."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from waits import PATIENCE, save

_PERSON = """\
name: Ada Example
contact: {{email: ada@example.org}}
template: [academic, one-page]
sections:
  - kind: bullets
    items: [One point, {} point]
"""
_APPLICATION = """\
person: ada
employer: Example Lab
position: Researcher
recipient: {name: Dr Specimen, email: lab@example.org}
letter: letter.md
"""
WORDS = ("Another", "Some other")
TARGETS = ("out/ada", "out/applications/lab")
COMMANDS = {
    "build": ("build", "--engine", "embedded"),
    "apply": ("apply", "lab", "--engine", "embedded"),
    "sent": ("apply", "lab", "--sent", "--engine", "embedded"),
    "watch": ("watch", "--engine", "embedded", "--json"),
}
Files = dict[str, bytes]
Launch = Callable[..., subprocess.CompletedProcess[str]]


class Project:
    """A workspace in which commands run and are killed; an empty variable is none."""

    def __init__(self, root: Path, *, launch: Launch | None = None, **environment: str) -> None:
        self.root, self.word, self.launch = root, WORDS[0], launch or self._launched
        self.environment = {"SOURCE_DATE_EPOCH": "1700000000", **environment}
        for folder in ("people", "applications"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "applications/lab.yaml").write_text(_APPLICATION, "utf-8")
        (root / "applications/letter.md").write_text("I would like to.\n", "utf-8")
        self.write(self.word)

    def write(self, word: str) -> None:
        """Save the person's file as editors do: at once, so that nobody reads half of it."""
        self.word = word
        save(self.root / "people/ada.yaml", _PERSON.format(word))

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "cvbuild", *arguments],
            cwd=self.root,
            env=self.whole(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def whole(self) -> dict[str, str]:
        whole = {**os.environ, **self.environment}
        return {name: value for name, value in whole.items() if value}

    def _launched(
        self, folder: Path, environment: Mapping[str, str], *arguments: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cvbuild", *arguments], cwd=folder, env=environment,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.launch(self.root, self.whole(), *(arguments or COMMANDS["build"]))
        assert "Traceback" not in done.stdout + done.stderr, done
        return done

    def made(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done
        return done.stderr

    def published(self) -> Files:
        return {
            f"{target}/{name}": content
            for target in TARGETS
            for name, content in _contents(self.root / target).items()
        }

    def written(self) -> Files:
        paths = [*self.root.glob("people/*"), *self.root.glob("applications/*.*")]
        return {str(path): path.read_bytes() for path in paths}


def _contents(folder: Path) -> Files:
    while folder.is_dir():
        with contextlib.suppress(FileNotFoundError):
            before = folder.stat()
            found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
            if os.path.samestat(before, folder.stat()):
                return found
    return {}


def is_whole(found: Files, right: dict[str, Files], target: str) -> bool:
    """Whether each document is an old one or a new one; a packet is so as a whole."""
    choices = [
        {name: content for name, content in right[word].items() if name.startswith(target)}
        for word in WORDS
    ]
    mine = {name: content for name, content in found.items() if name.startswith(target)}
    if "applications" in target:
        return not mine or mine in choices
    return all(content in [one.get(name) for one in choices] for name, content in mine.items())


PERSON = """\
name: Ada Example
template: [academic, industry]
contact: {email: ada@example.org}
sections:
  - kind: bullets
    items: [One point]
"""
APPLICATION = "person: ada\nemployer: Lab\nposition: Scientist\nrecipient: {email: l@example.org}\n"
OLD = (1_000_000_000, 1_000_000_000)
BUILD = ("build", "--engine", "embedded")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted((folder, *folder.rglob("*"))):
        there = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(there.st_mode) else b""
        found[str(path)] = (there.st_mode, there.st_mtime_ns, content)
    return found


def beside(project: Path) -> list[dict[str, tuple[int, int, bytes]]]:
    return [state(path) for path in sorted(project.parent.iterdir()) if path != project]


def put(how: str, place: Path, target: Path) -> None:
    """Put in a free place what no file there may be, by default a link to the target."""
    match how:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "huge":
            with place.open("wb") as file:
                file.truncate(1 << 40)
        case "link to zero":
            place.symlink_to("/dev/zero")
        case "link to itself":
            place.symlink_to(place.name)
        case "relative link":
            place.symlink_to(os.path.relpath(target, place.parent))
        case _:
            place.symlink_to(target)
