"""A faulty private value is in no message, log or file, whatever the fault and the command.

Each case writes a random word as a private value, with a fault in it or around it, and searches
for that word in all that the commands print and write.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest
from attack_counts import ALL, sample
from conftest import Run

from cvbuild.building.watch import Watch

#: The class of these attacks in docs/explanation/security.md.
ATTACKS = "Privacy canaries"
#: No word of a language, of the schema or of a message has these letters.
LETTERS = "bcdfghjkmqvwxz"

#: Where a value can be private: lines of a person's file, with @ for the value.
FIELDS = {
    "name.native": "name: {given: Ada, family: Example, native: @}\n",
    "name.author": "name: {full: Ada Example, author: @}\n",
    "headline": "name: Ada Example\nheadline: @\n",
    "address": "name: Ada Example\ncontact:\n  address: @\n",
    "email": "name: Ada Example\ncontact:\n  email: @\n",
    "phone": "name: Ada Example\ncontact:\n  phone: @\n",
    "several phones": "name: Ada Example\ncontact:\n  phone: [+1 202 555 0147, @]\n",
    "birth-date": "name: Ada Example\ncontact:\n  birth-date: @\n",
    "nationality": "name: Ada Example\ncontact:\n  nationality: @\n",
    "other": "name: Ada Example\ncontact:\n  other: {Car: @}\n",
    "orcid": "name: Ada Example\ncontact:\n  profiles:\n    orcid: @\n",
    "website": "name: Ada Example\ncontact:\n  website: @\n",
    "personal": "name: Ada Example\ncontact:\n  profiles: {personal: @}\n",
    "photo": "name: Ada Example\nphoto: @\n",
    "summary": "name: Ada Example\nsummary: @\n",
    "interests": "name: Ada Example\ninterests: [gears, @]\n",
    "footer": "name: Ada Example\noptions: {footer: @}\n",
    "grade": "name: Ada Example\nsections:\n- kind: education\n  items:\n"
    "  - institution: Example University\n    grade: @\n",
    "date": "name: Ada Example\nsections:\n- kind: education\n  items:\n"
    "  - {institution: Example University, date: @}\n",
    "end": "name: Ada Example\nsections:\n- kind: education\n  items:\n"
    "  - institution: Example University\n    date: {start: 2020, end: @}\n",
    "url": "name: Ada Example\nsections:\n- kind: award\n  items: [{title: Prize, url: @}]\n",
    "doi": "name: Ada Example\nsections:\n- kind: publication\n  items: [{title: T, doi: @}]\n",
    "bullet": "name: Ada Example\nsections:\n- kind: bullets\n  title: B\n  items:\n  - @\n",
    "referee": "name: Ada Example\nsections:\n- kind: reference\n  items:\n"
    "  - {name: A. Referee, email: @}\n",
    "title": "name: Ada Example\nsections:\n- kind: text\n  title: @\n  items: x\n",
    "link": "name: Ada Example\nsections:\n- kind: publication\n  items:\n"
    "  - {title: T, links: [PDF: @]}\n",
    "mark": 'name: Ada Example\nsections:\n- kind: publication\n  items:\n'
    '  - {title: T, marks: {"*": @}}\n',
}  # fmt: skip
#: Fields that are personal data without a flag.
PERSONAL = (
    "address", "email", "phone", "several phones", "birth-date", "nationality", "other", "orcid",
)  # fmt: skip

#: Values with a fault; WORD is the random word.
FAULTS = {
    "another form": "call WORD",
    "a list": "[[WORD]]",
    "a mapping": "{WORD: WORD}",
    "a mapping with a wrong key": "{label: y, WORD: x}",
    "a key with a value in it": "{phone WORD: x}",
    "a nested key": "{start: {WORD: x}}",
    "nothing below a key": "{WORD: }",
    "a control character": '"WORD\\x07"',
    "half a pair": '"WORD\\uD800 WORD"',
    "directions": '"WORD\\u202e"',
    "hollow": '"WORD\\u3164"',
    "an unclosed quote": '"WORD',
    "an unclosed apostrophe": "'WORD",
    "an unclosed bracket": "[WORD",
    "an unclosed brace": "{WORD",
    "the wrong bracket": "[WORD}",
    "a colon": "WORD: WORD",
    "colons": "WORD: WORD: WORD",
    "an anchor": "&WORD WORD",
    "an alias": "*WORD",
    "a tag": "!WORD x",
    "a language tag": "!!WORD x",
    "an at": "@WORD",
    "a percent sign": "%WORD",
    "a backtick": "`WORD`",
    "a question": "? WORD",
    "text after a quote": '"WORD" WORD',
    "text after a bracket": "[a] WORD",
    "no comma": "{a: WORD b: WORD}",
    "no comma in a list": "[a: WORD b: WORD]",
    "an escape": '"\\qWORD"',
    "an escape of digits": '"\\xWORD"',
    "a key twice": "{WORD: 1, WORD: 2}",
    "a merge key": "{<<: WORD, WORD: x}",
    "a null key": "{~: WORD}",
    "a key that is a list": "{[WORD]: WORD}",
    "a block": ">WORD\n",
    "a literal": "|WORD\n",
    "a tab": "\tWORD",
    "another line": "x\nWORD",
    "an indented line": "x\n    WORD",
    "an indented key": "x\n      WORD: x",
    "a dash on its line": "- WORD",
    "a dash below": "x\n- WORD",
    "no space after the key": "x\n  email:WORD",
    "no space after a dash": "\n  -WORD\n  -WORD: x",
    "a second document": "WORD\n--- WORD\n",
    "a directive": "WORD\n%WORD\n",
    "very long": "WORD " * 60,
    "a date": "2021-13-01 WORD",
    "a season": "WORD 2021",
    "a range": "2021-05 to 2020-04 WORD",
    "a date's key": "{start: 2020, WORD: x}",
    "a date's words": "{text: {WORD: WORD}}",
    "an address that runs": "javascript:WORD",
    "an address in a text": "[WORD](ftp://WORD)",
    "an address without a site": "/WORD",
    "an address with a bad port": "https://example.org:WORD/",
    "a link's title": "'[a](https://example.org \"WORD\")'",
    "languages": "{en: WORD, klingon: WORD}",
    "a language twice": "{de-at: WORD, de-AT: WORD}",
    "only another language": "{WORD: x, en: y}",
    "languages in a list": "{en: [WORD], de: {WORD: x}}",
    "paragraphs": '{en: "WORD\\n\\nWORD", de: "WORD"}',
    "a path": "../WORD",
    "an absolute path": "/WORD/WORD.png",
    "a file that is missing": "WORD.png",
    "a flag that is none": "{value: WORD, private: WORD}",
    "a flag with a slip": "{value: WORD, privat: true}",
    "a flag that is a mapping": "{value: WORD, private: {WORD: x}}",
    "a flag in a flag": "{value: {value: WORD, private: WORD}, private: true}",
    "a flag with another key": "{value: WORD, private: true, WORD: x}",
    "a flag without a value": "{private: WORD}",
}
#: What all are asked at once, and what only one person is.
COMMANDS = (
    ("check",), ("check", "--json"), ("build", "--format", "txt"),
    ("build", "--format", "json", "--json"), ("build", "--private", "--format", "txt"),
    ("build", "--private", "--format", "txt", "--json"), ("why", "--format", "txt"),
    ("why", "--json"), ("applications",), ("watch", "--format", "txt"),
    ("watch", "--format", "txt", "--json"),
)  # fmt: skip
ALONE = (
    ("show", "NAME"), ("show", "NAME", "--json"), ("show", "NAME", "--private"),
    ("match", "--person", "NAME", "--job", "job.txt"),
    ("build", "NAME", "--format", "txt", "--set", "headline=x"),
    ("build", "people/NAME.yaml", "--format", "txt", "--locale", "de"),
    ("build", "NAME", "--engine", "embedded"), ("build", "NAME", "--engine", "embedded", "--json"),
    ("apply", "NAME", "--engine", "embedded"),
    ("apply", "NAME", "--json", "--engine", "embedded"),
)  # fmt: skip


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
    """Return the person's file and the overlay of a case."""
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
    """A workspace with nobody, and an advertisement."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("applications").mkdir()
    Path("job.txt").write_text("Engineer wanted, with Python.\n", encoding="utf-8")
    return tmp_path


class Canary(NamedTuple):
    """A case in the workspace: its person and its word."""

    case: Case
    name: str
    word: str


def _place(case: Case, number: int) -> Canary:
    """Write the files of a case."""
    word = "".join(secrets.choice(LETTERS) for _ in range(12))
    text, overlay = _written(case, word)
    name = f"p{number}"
    Path(f"people/{name}.yaml").write_text(text, encoding="utf-8")
    if overlay is not None:
        Path(f"people/{name}.private.yaml").write_text(overlay, encoding="utf-8")
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
    """Return the lines with a word of a case."""
    known = {one.word: one for one in canaries}
    words = re.compile("|".join(known))
    return [
        f"{known[found[0]].case}: {by}: {words.sub('WORD', line)}"
        for line in text.splitlines()
        if (found := words.search(line))
    ]


def _in_files(canaries: list[Canary]) -> list[str]:
    """Return what is told by names and contents of files that commands wrote."""
    told: list[str] = []
    for path in Path().rglob("*"):
        told += _told(canaries, path.name, "a file's name")
        if path.is_file() and path.parts[0] not in ("people", "applications"):
            told += _told(canaries, path.read_bytes().decode("latin-1"), str(path))
    return told


def _interrupted(_: Watch) -> NoReturn:
    """Interrupt a watch as Ctrl-C does."""
    raise KeyboardInterrupt


DRAWN = sample(CASES, 80, "privacy canaries")
#: How many people are asked by themselves.
FEW = 8 if ALL else 1
#: How many people one workspace has.
MANY = 400


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("start", range(0, len(DRAWN), MANY))
def test_a_faulty_private_value_is_nowhere(
    start: int, run: Run, monkeypatch: pytest.MonkeyPatch, tried: Callable[[int], None]
) -> None:
    drawn = DRAWN[start : start + MANY]
    canaries = [_place(case, number) for number, case in enumerate(drawn)]
    told = _told(canaries, run("check").err, "check of all")
    faulty = _drop_valid(canaries, run)
    assert len(faulty) > len(canaries) / 2
    tried(len(faulty))
    commands = list(COMMANDS)
    for one in faulty[:: len(faulty) // FEW]:
        commands += [tuple(word.replace("NAME", one.name) for word in line) for line in ALONE]
    monkeypatch.setattr(Watch, "_wait", _interrupted)
    monkeypatch.setattr(Watch, "_is_being_saved", lambda *_: False)
    for command in commands:
        ran = run(*command)
        assert "Traceback" not in ran.err, command
        told += _told(faulty, ran.out + "\n" + ran.err, " ".join(command))
    # On a terminal messages have the line with a caret.
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told += _told(faulty, run("check").err, "check on a terminal")
    told += _in_files(faulty)
    assert len(commands) > len(COMMANDS)
    assert not told, "\n".join(told)
