"""Bad input: each folder of tests/bad has a person's file and the exact words that it gets.

``profile.yaml`` is checked, or everybody in ``people/``; ``expected.txt`` is what ``cvbuild check``
writes to a pipe, run inside the folder. What each message says to do is done, and then its error is
gone: ``RULES`` follow the remedies that say themselves what to write. Other folders have a table in
``tests/bad/mended.toml``: what somebody who does what the messages say writes in the place of
what; then the file is accepted.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DIAGNOSTIC, Run
from PIL import Image
from pydantic_core._pydantic_core import list_all_errors
from told import messages, same
from workspaces import GOOD, write

import cvbuild
from cvbuild import model
from cvbuild.common import diagnostics
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span
from cvbuild.inputs.validation.errors import words
from cvbuild.inputs.validation.slots import Slot
from cvbuild.model.kinds import KINDS

BAD = Path(__file__).parent / "bad"
APPLICATIONS = BAD.parent / "applications" / "bad"
MODEL = Path(model.__file__).parent
CASES = sorted(path.name for path in BAD.iterdir() if path.is_dir())
PLACE = re.compile(r"^(?P<file>[\w/.-]+\.yaml)(?::(?P<line>\d+):(?P<column>\d+))?: (?P<rest>.+)$")
SUMMARY = re.compile(r"\d+ of \d+ files are fine")


def expected_of(folder: Path) -> str:
    text = (folder / "expected.txt").read_text("utf-8")
    return text.replace("{kinds}", ", ".join(KINDS))


def matches(case: str) -> list[re.Match[str]]:
    *lines, last = expected_of(BAD / case).splitlines()
    assert SUMMARY.fullmatch(last)
    found = [match for line in lines if (match := PLACE.match(line))]
    assert len(found) == len(lines) > 0
    return found


def copied(case: str, folder: Path) -> Path:
    return Path(shutil.copytree(BAD / case, folder / case, symlinks=True))


#: Words of pydantic, of Python and of the program's insides; none is a word of a CV's author.
JARGON = (
    "pydantic", "tuple", "dict", "NoneType", "None", "instance", "model", "validation", "input",
    "Input", "Field", "valid string", "frozen", "str ", "bool", "Traceback", "Error", "loc ",
    "union", "literal", "[type", "should be", "'{", "['",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In which words, at a place that is in the file, with what to do."""
    monkeypatch.chdir(copied(case, tmp_path))
    alone = Path("profile.yaml").exists()
    ran = run("check", *(["profile.yaml"] if alone else []))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == expected_of(Path())
    for found in matches(case):
        words = re.sub(r'"[^";]*"', '""', found["rest"])  # what the file itself says is not ours
        assert [word for word in JARGON if word in words] == []
        assert "; " in words, "no hint"
        assert len(found["rest"]) < 300
        if found["line"] is not None:
            text = Path(found["file"]).read_bytes().decode("utf-8", "replace")
            lines = ["", *text.split("\n")]
            assert 1 <= int(found["column"]) <= len(lines[int(found["line"])]) + 1


def hints_in(path: Path) -> list[str]:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    given = [call.args[2] for call in calls if getattr(call.func, "id", "") == "refused"]
    given += [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).lower().endswith("hint")
    ]
    return [str(hint.value) for hint in given if isinstance(hint, ast.Constant)]


def test_the_cases_meet_every_error_that_the_model_has_words_for() -> None:
    """Each hint of ``faults`` stands in some case: none is dead, none was never read by us."""
    # Applications are told of with the same words.
    expected = [path for root in (BAD, APPLICATIONS) for path in root.glob("*/expected.txt")]
    assert len(expected) > len(CASES)
    said = "\n".join(path.read_text("utf-8") for path in expected)
    # Those of a workspace's file are in test_workspace.
    paths = [path for path in MODEL.rglob("*.py") if path.name != "workspace.py"]
    hints = [hint for path in paths for hint in hints_in(path)]
    assert len(hints) > 30
    assert [hint for hint in hints if hint not in said] == []


def test_building_says_the_same_and_builds_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied("several-errors", tmp_path))
    ran = run("build", "profile.yaml", "-o", str(tmp_path / "out"))
    assert ran.code == 1
    assert ran.err.splitlines() == [found.group() for found in matches("several-errors")]
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("here")
def test_a_file_over_one_mebibyte(run: Run) -> None:
    Path("big.yaml").write_text("name: Ada Example\nheadline: " + "x" * (1 << 20) + "\n")
    ran = run("check", "big.yaml")
    assert ran.err.splitlines()[0] == (
        "big.yaml: the file is larger than 1 MiB; "
        "a CV of 20 pages takes about 0.1 MiB; is this the right file?"
    )


@pytest.mark.usefixtures("here")
def test_a_photo_over_ten_mebibytes(run: Run) -> None:
    Path("ada.yaml").write_text("name: Ada Example\nphoto: ada.jpg\n")
    with Path("ada.jpg").open("wb") as file:
        file.truncate((10 << 20) + 1)
    ran = run("check", "ada.yaml")
    assert ran.err.splitlines()[0] == (
        'ada.yaml:2:8: the photo "ada.jpg" is over 10 MiB; make it smaller'
    )


@pytest.mark.usefixtures("here")
def test_of_very_many_errors_the_first_hundred_are_told_at_once(run: Run) -> None:
    items = "".join(f"  - kind: x{number}\n" for number in range(4_000))
    Path("ada.yaml").write_text("name: Ada Example\nsections:\n" + items)
    ran = run("check", "ada.yaml")
    lines = ran.err.splitlines()
    assert (ran.code, len(lines)) == (1, 102)
    assert lines[99].startswith('ada.yaml:102:11: unknown kind "x99"; the kinds are: ')
    assert lines[100] == "ada.yaml: note: only the first 100 of 4000 problems are shown"


MENDED = tomllib.loads((BAD / "mended.toml").read_text("utf-8"))
PICTURE = "portrait.png"
#: What is written in the place of the wrong key or value, by the remedy: ``new`` of it, or this.
RULES = {
    r'did you mean "(?P<new>[^"]+)"\?': "",
    r".*\bsuch as (?P<new>[^,;]+?)(?:,? or .*|,.*)?": "",
    r"write one of (?P<new>[^,]+),.*": "",
    r"write (?P<new>\w+)(?:, [\w-]+)* or [\w-]+": "",
    r"write a (?:whole )?number from \d+ to (?P<new>\d+)": "",
    r"(?:the|known) [a-z]+(?: are)?: (?P<new>[^,]+)(?:, .*)?": "",
    r"(?:for two years, )?write (?P<new>\d{4}(?:-\d\d){0,2}(?: to (?:present|\d{4}(?:-\d\d)*))?)"
    r"(?: or .*)?": "",
    r"write (?P<new>[a-z-]+)(?:, which has taken its place)?": "",
    r"write 2020, .*": "2020",
    r"write (?P<new>[A-Z][\w. †]+?)(?:; cvbuild finds.*)?": "",
    r"write (?P<new>\{.*\})": "",
    r"write something.*|write one text|write a text": "Text",
    r"months go from 01 to (?P<new>12)": "2020-12",
    r"check the calendar": "2020-02-28",
    r"write the year with four digits": "2020",
    r"name a PNG or JPEG file in this file's folder|make it smaller: .*": PICTURE,
}
UNSEEN = re.compile(r"U\+(?P<code>[0-9A-F]{4,6})\b.*; (?:.*, or )?delete")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'')
_KEY = re.compile(r"[\w./+-]+(?=:(?:\s|$))")


def written(line: str, at: int) -> str:
    rest, before = line[at:], _QUOTED.sub("", line[:at])
    if found := _QUOTED.match(rest) or _KEY.match(rest):
        return found.group()
    if rest[:1] in ("[", "{"):
        depths = [rest[: end + 1] for end, sign in enumerate(rest) if sign in "]}"]
        ends = (
            one for one in depths if one.count("[") + one.count("{") == len(re.findall("[]}]", one))
        )
        return next(ends, rest)
    is_flow = sum(map(before.count, "[{")) > sum(map(before.count, "]}"))
    found = re.match(r"[^,\]}]+" if is_flow else r".*?(?=\s+#|$)", rest)
    return found.group() if found else ""


def remedy(rest: str) -> str | None:
    """What a message says to write; None if it has to be understood."""
    hints = [rest[match.end() :] for match in re.finditer("; ", rest)]
    for rule, usual in RULES.items():
        for hint in hints:
            if match := re.fullmatch(rule, hint):
                return usual or match["new"]
    return None


def followed(found: re.Match[str], text: str) -> str | None:
    """The text of a file after the remedy of a message; None if a machine can't follow it."""
    if not found["line"]:
        return None
    lines = text.split("\n")
    line, at = lines[int(found["line"]) - 1], int(found["column"]) - 1
    if unseen := UNSEEN.search(found["rest"]):
        sign = chr(int(unseen["code"], 16))
        escape = re.compile(rf"{re.escape(sign)}|\\u{unseen['code']}", re.IGNORECASE)
        line = escape.sub("", line)
    elif new := remedy(found["rest"]):
        old = written(line, at)
        space = " " if line[at - 1 : at] in (":", "-") else ""
        line = f"{line[:at]}{space}{new}{line[at + len(old) :]}"
    else:
        return None
    lines[int(found["line"]) - 1] = line
    return "\n".join(lines)


def told(run: Run, names: list[str]) -> tuple[int, Counter[str]]:
    ran = run("check", *names)
    return ran.code, Counter(m["rest"] for m in map(PLACE.match, ran.err.splitlines()) if m)


@pytest.mark.parametrize("case", CASES)
def test_a_remedy_helps(
    case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copied(case, tmp_path))
    names = ["profile.yaml"] if Path("profile.yaml").exists() else []
    for folder in {Path(found["file"]).parent for found in matches(case)}:
        Image.new("RGB", (300, 400), (120, 140, 160)).save(folder / PICTURE)
    before = Counter(found["rest"] for found in matches(case))
    if mended := {name: new for name, new in MENDED.items() if name.split("/")[0] == case}:
        for name, changes in mended.items():
            file = Path(name.partition("/")[2] or "profile.yaml")
            data = file.read_bytes()
            text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8", "replace")
            for old, new in changes.items():
                assert old in text, old
                text = text.replace(old, new) if old else new
            file.write_text(text, "utf-8")
        code, after = told(run, names)
        assert (code, after & before) == (0, Counter()), after
        return
    for found in matches(case):
        file = Path(found["file"])
        data = file.read_bytes()
        better = followed(found, data.decode("utf-8", "replace"))
        assert better is not None, f"not to be followed by a machine: {found.group()}"
        file.write_text(better, "utf-8")
        _, after = told(run, names)
        assert after[found["rest"]] < before[found["rest"]], (found.group(), better)
        more = [one for one in after - before if not one.startswith(("note: ", "warning: "))]
        assert more == [], (found.group(), better)
        file.write_bytes(data)


TREE = {"ProfileError": 1, "TemplateError": 1, "DocumentError": 1, "UsageError": 2, "NoTexError": 3}


def classes() -> dict[str, type[CvbuildError]]:
    return {
        name: value
        for name, value in vars(diagnostics).items()
        if isinstance(value, type) and issubclass(value, CvbuildError)
    }


def test_every_error_is_listed_with_its_exit_code() -> None:
    found = classes()
    assert found.pop("CvbuildError") is CvbuildError is cvbuild.CvbuildError
    assert {name: error.exit_code for name, error in found.items()} == TREE
    assert all(error.__base__ is CvbuildError for error in found.values())
    drawn = dict(re.findall(r"── (\w+) .*?\(exit code (\d)\)", diagnostics.__doc__ or ""))
    assert {name: int(code) for name, code in drawn.items()} == TREE


NAME = "name: Ada Example\n"
MANIFEST = """\
api: 1
title: Mine
description: Mine.
extends: academic
"""
#: And one that is no text.
JINJA = [
    pytest.param(body, told, marks=[pytest.mark.deep] * ("include" in body))
    for body, told in [*messages("bad/jinja.txt"), ("\udcff", ["the file is not in UTF-8"])]
]


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(("body", "told"), JINJA)
@pytest.mark.usefixtures("here")
def test_a_faulty_template_is_an_error_with_a_place_and_not_a_traceback(
    body: str, told: list[str], run: Run
) -> None:
    folder = Path("templates/mine")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(MANIFEST, "utf-8")
    (folder / "document.tex.j2").write_bytes(body.encode(errors="surrogateescape"))
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(NAME + "template: mine\n", "utf-8")
    ran = run("build", "--engine", "embedded")
    assert ran.code == 1, ran.err
    assert "Traceback" not in ran.err
    first, why, *_ = ran.err.splitlines()
    assert "ada mine: failed" in first
    why = re.sub(
        ".*/templates/mine(/document.tex.j2:1:1)?: |; cvbuild docs template-files.*", "", why
    )
    assert same([why], told), why
    assert not list(Path("out").glob("ada/*.pdf"))


NAMED = "people/x.yaml"


def problem(line: int, column: int, end: int, end_line: int | None = None) -> Diagnostic:
    return Diagnostic("error", "code", "fact", Span(NAMED, line, column, end_line or line, end))


def test_nobody_sees_the_words_of_pydantic() -> None:
    kinds = list_all_errors()
    assert len(kinds) > 90
    slot = Slot(("key",), "key", None, None, present=True)
    for one in kinds:
        context = one["example_context"] or {}
        error = {"type": one["type"], "msg": "ENGLISH", "input": "x", "loc": ("key",)}
        fact, hint = words({**error, "ctx": context}, slot)
        assert "ENGLISH" not in f"{fact} {hint}", one["type"]


ADA = """\
name: Ada Example
template: [academic, short]
sections:
  - {kind: text, id: about, items: Words about me.}
  - {kind: award, items: [{title: First prize, date: 2022, tags: systems}]}
variants:
  short: {template: industry, include: systems}
  german: {locale: de, private: true}
"""


def cases() -> Iterator[tuple[str, int, str]]:
    for text, (message,) in messages("bad/refusals.txt"):
        *lines, last = text.splitlines()
        code, lines = (1, lines) if last == "[1]" else (2, [*lines, last])
        yield from ((line, code, message) for line in lines)


REFUSED = [*cases()]


@pytest.fixture
def workspace(here: Path) -> None:
    write("ada", ADA)
    write("bob", GOOD.replace("Ada", "Bob"))
    for name in ("applications", "ada.private"):
        (here / f"{name}.yaml").write_text(GOOD, "utf-8")
    Path("job.md").write_text("- Build distributed systems\n", "utf-8")


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("line", "code", "message"), REFUSED)
def test_a_refusal(line: str, code: int, message: str, run: Run) -> None:
    ran = run(*shlex.split(line))
    assert (ran.code, ran.out) == (code, "")
    # A watch says when it begins.
    printed = ran.err.rpartition("Ctrl-C ends it\n")[2].rstrip()
    if message.startswith("…"):
        assert printed.startswith("usage: cvbuild")
        printed = f"…{printed.rpartition(': error: ')[2]}"
    assert same([printed], [message]), printed
    assert "Traceback" not in ran.err
    # Whether everybody's documents are up to date was asked, and is remembered.
    assert not Path("out").exists() or line == "build --variant shrt"
    assert not [*Path().glob("out/[!.]*")]


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(
    ("line", "code", "message"),
    [one for one in REFUSED if one[2][0] != "…" and not one[0].startswith(("new", "show"))][::5],
)
def test_it_is_an_object_for_scripts_too(line: str, code: int, message: str, run: Run) -> None:
    ran = run(*shlex.split(line), "--json")
    assert (ran.code, ran.err) == (code, "")
    if code == 2:
        assert ran.json.keys() == {"diagnostics"}
    (fault,) = ran.json["diagnostics"]
    assert fault.keys() == DIAGNOSTIC
    assert fault["message"] in message
