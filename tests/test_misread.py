"""What is valid YAML and not what it looks like: comments in values, lists in texts.

And texts that are not what they seem; what a language needs is not told of.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Run
from told import messages

from cvbuild.inputs.yaml import misread, source


def found(text: str) -> list[str]:
    """The diagnostics of a file, without its name."""
    return [str(one).removeprefix("a.yaml:") for one in misread.find(source.parse(text, "a.yaml"))]


@pytest.mark.parametrize(("text", "told"), messages("bad/misread.txt"))
def test_what_is_said(text: str, told: list[str]) -> None:
    assert found(text) == told


# -- texts that are not what they seem ------------------------------------------------------------


def alike() -> list[str]:
    """The files of bad/alike.txt, with the characters that it names."""
    text = (Path(__file__).parent / "bad/alike.txt").read_text(encoding="utf-8")
    return re.sub(r"\{U\+(\w+)\}", lambda one: chr(int(one[1], 16)), text).split("---\n")[1:]


@pytest.mark.usefixtures("here")
def test_each_is_told_of_at_its_character(run: Run) -> None:
    parts = [one.partition("\n! ") for one in re.split("\n(?!! )", alike()[0])]
    Path("ada.yaml").write_text("\n".join(line for line, _, _ in parts), encoding="utf-8")
    lines = [
        line.removeprefix("ada.yaml:").replace("warning: ", "")
        for line in run("check", "ada.yaml").err.splitlines()
        if "every CV" not in line
    ]
    told = [(at, said) for at, (_, _, said) in enumerate(parts, 1) if said]
    assert len(lines) == len(told) + 1, lines
    for line, (at, said) in zip(lines, told, strict=False):
        assert line.startswith(f"{at}:{said}"), line
    built = run("build", "ada.yaml", "--format", "txt").err
    assert built.count(" is invisible; delete it, or type the words anew\n") == 8
    report = json.loads(run("check", "ada.yaml", "--json").out)
    codes = {one["code"] for one in report["diagnostics"]}
    assert codes >= {"text-invisible", "text-alike", "text-direction", "yaml-null"}


def test_what_a_language_needs_is_not_told_of() -> None:
    assert found(alike()[1]) == []
