"""All that is raised on purpose; diagnostics as text and objects."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DIAGNOSTIC, Run
from pydantic_core._pydantic_core import list_all_errors
from told import messages, same
from workspaces import GOOD, write

import cvbuild
from cvbuild.common import errors
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.validation.errors import words
from cvbuild.inputs.validation.slots import Slot

TREE = {"ProfileError": 1, "TemplateError": 1, "DocumentError": 1, "UsageError": 2, "NoTexError": 3}


def classes() -> dict[str, type[CvbuildError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, CvbuildError)
    }


def test_every_error_is_listed_with_its_exit_code() -> None:
    found = classes()
    assert found.pop("CvbuildError") is CvbuildError is cvbuild.CvbuildError
    assert {name: error.exit_code for name, error in found.items()} == TREE
    assert all(error.__base__ is CvbuildError for error in found.values())
    drawn = dict(re.findall(r"── (\w+) .*?\(exit code (\d)\)", errors.__doc__ or ""))
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


CASES = [*cases()]


@pytest.fixture
def workspace(here: Path) -> None:
    write("ada", ADA)
    write("bob", GOOD.replace("Ada", "Bob"))
    for name in ("applications", "ada.private"):
        (here / f"{name}.yaml").write_text(GOOD, "utf-8")
    Path("job.md").write_text("- Build distributed systems\n", "utf-8")


@pytest.mark.usefixtures("workspace")
@pytest.mark.parametrize(("line", "code", "message"), CASES)
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
    [one for one in CASES if one[2][0] != "…" and not one[0].startswith(("new", "show"))][::5],
)
def test_it_is_an_object_for_scripts_too(line: str, code: int, message: str, run: Run) -> None:
    ran = run(*shlex.split(line), "--json")
    assert (ran.code, ran.err) == (code, "")
    if code == 2:
        assert ran.json.keys() == {"diagnostics"}
    (fault,) = ran.json["diagnostics"]
    assert fault.keys() == DIAGNOSTIC
    assert fault["message"] in message
