"""A faulty private value is in no message, log or file, whatever the fault and the command.

Each case writes a random word as a private value, with a fault in it or around it, and searches
for that word in all that the commands print and write.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from attacks.table import commands, harmless, named
from conftest import Run
from deep import ALL, sample

from cvbuild.building.watch import Watch

#: No word of a language, of the schema or of a message has these letters.
LETTERS = "bcdfghjkmqvwxz"

FIELDS = named("private fields")
#: Fields that are personal data without a flag.
PERSONAL = (
    "address", "email", "phone", "several phones", "birth-date", "nationality", "other", "orcid",
)  # fmt: skip

FAULTS = named("faulty values")
COMMANDS = commands("commands of all")
ALONE = commands("commands of one person")


class Case(NamedTuple):
    """A field, a fault, and what makes the field private."""

    field: str
    fault: str
    way: str

    @property
    def name(self) -> str:
        return ", ".join(self)


def _cases() -> Iterator[Case]:
    for field, text in FIELDS.items():
        for fault in FAULTS:
            yield Case(field, fault, "by a flag")
            if field in PERSONAL:
                yield Case(field, fault, "by its kind")
            if "name: Ada" in text or field == "name.native":
                yield Case(field, fault, "in the overlay")
            if "items" in text and "}" in text:
                yield Case(field, fault, "by the item's flag")


CASES = list(_cases())


def _written(case: Case, word: str) -> tuple[str, str | None]:
    text, value = FIELDS[case.field], FAULTS[case.fault].replace("WORD", word)
    if case.way == "by a flag":
        return text.replace("@", f"{{value: {value}, private: true}}"), None
    if case.way == "by the item's flag":
        end = text.rindex("}")
        return f"{text[:end]}, private: true{text[end:]}".replace("@", value), None
    if case.way == "by its kind":
        return text.replace("@", value), None
    return "name: Ada Example\n", text.removeprefix("name: Ada Example\n").replace("@", value)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("applications").mkdir()
    Path("job.txt").write_text("Engineer wanted, with Python.\n", "utf-8")
    return tmp_path


class Canary(NamedTuple):
    case: Case
    name: str
    word: str


def _place(case: Case, number: int) -> Canary:
    word = "".join(secrets.choice(LETTERS) for _ in range(12))
    text, overlay = _written(case, word)
    name = f"p{number}"
    Path(f"people/{name}.yaml").write_text(text, "utf-8")
    if overlay is not None:
        Path(f"people/{name}.private.yaml").write_text(overlay, "utf-8")
    Path(f"applications/{name}.yaml").write_text(
        f"person: {name}\nprivate: {str(number % 2 == 0).lower()}\nletter: {{body: Hello.}}\n"
        "employer: Example Works\nposition: Engineer\n", encoding="utf-8"
    )  # fmt: skip
    return Canary(case, name, word)


def _drop_valid(canaries: list[Canary], run: Run) -> list[Canary]:
    """Return the faulty ones; delete those that some document may show: other tests build them."""
    ran = json.loads(run("check", "--json").out)
    errors = [one for one in ran["diagnostics"] if one["severity"] == "error"]
    wrong = [one for one in errors if one["code"] != "private-alone"]
    faulty = {Path(one["file"]).name.split(".")[0] for one in wrong}
    valid = {one["person"] for one in ran["people"]} - faulty
    for path in (*Path("people").iterdir(), *Path("applications").iterdir()):
        if path.name.split(".")[0] in valid:
            path.unlink()
    return [one for one in canaries if one.name not in valid]


def _told(canaries: list[Canary], text: str, by: str) -> list[str]:
    known = {one.word: one for one in canaries}
    words = re.compile("|".join(known))
    return [
        f"{known[found[0]].case}: {by}: {words.sub('WORD', line)}"
        for line in text.splitlines()
        if (found := words.search(line))
    ]


def _in_files(canaries: list[Canary]) -> list[str]:
    told: list[str] = []
    for path in Path().rglob("*"):
        told += _told(canaries, path.name, "a file's name")
        if path.is_file() and path.parts[0] not in ("people", "applications"):
            told += _told(canaries, path.read_bytes().decode("latin-1"), str(path))
    return told


def _interrupted(_: Watch) -> NoReturn:
    raise KeyboardInterrupt


DRAWN = sample(CASES, 30, "privacy canaries")
#: How many people are asked by themselves.
FEW = 8 if ALL else 1
#: How many people one workspace has.
MANY = 400


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("start", range(0, len(DRAWN), MANY))
def test_a_faulty_private_value_is_nowhere(
    start: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = DRAWN[start : start + MANY]
    canaries = [_place(case, number) for number, case in enumerate(drawn)]
    told = _told(canaries, run("check").err, "check of all")
    faulty = _drop_valid(canaries, run)
    assert len(faulty) > len(canaries) / 2
    commands = list(COMMANDS)
    for one in faulty[:: len(faulty) // FEW]:
        commands += [tuple(word.replace("NAME", one.name) for word in line) for line in ALONE]
    monkeypatch.setattr(Watch, "_wait", _interrupted)
    for command in commands:
        ran = run(*command)
        harmless(ran)
        told += _told(faulty, ran.out + "\n" + ran.err, " ".join(command))
    # On a terminal messages have the line with a caret.
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told += _told(faulty, run("check").err, "check on a terminal")
    told += _in_files(faulty)
    assert len(commands) > len(COMMANDS)
    assert not told, "\n".join(told)
