"""What is printed commands no build server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.cli import console


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \u00a0\u200b::error::x", "a\n \u00a0\u200b: :error::x"),
        (":\u200b:error::x", ":\u200b :error::x"),
        ("a ##[add-path]x", "a ## [add-path]x"),
        ("#\u200b#[x]", "#\u200b# [x]"),
        ("##vso[task.setvariable]", "##vso [task.setvariable]"),
        ("people/a.yaml:3:1: C::D and # [x]", "people/a.yaml:3:1: C::D and # [x]"),
        ("a\r::error::x", "a\ufffd::error::x"),
    ],
)
def test_no_printed_text_is_a_command(
    text: str, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    console.say(text)
    assert capsys.readouterr().err == printed + "\n"


def test_json_is_no_command_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    told = ["##[error]x", "###[a]", "##vso[a]", "## b", "\\##["]
    console.print_json(told)
    out = capsys.readouterr().out
    assert not re.search(r"##\w*\[", out)
    assert json.loads(out) == told


def test_drafts_are_not_written_through_a_link(run: Run, here: Path) -> None:
    for folder in ("people", "elsewhere", "out"):
        Path(folder).mkdir()
    Path("people/ada.yaml").write_text("name: Ada Example\ntittle: x\n", encoding="utf-8")
    Path("out/mail").symlink_to(here / "elsewhere")
    ran = run("check", "--mail")
    assert ran.code == 1
    assert "out/mail" in ran.err
    assert list(Path("elsewhere").iterdir()) == []
