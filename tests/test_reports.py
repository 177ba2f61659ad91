"""What is printed commands no build server; the line on a terminal while documents are built."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest
from conftest import Run
from waits import eventually

from cvbuild.cli import console
from cvbuild.cli.report import Lines


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


CLEAR = "\r\x1b[K"


class Terminal(io.StringIO):
    """Standard error of a terminal, and what it shows in the end."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> list[str]:
        return [line.rpartition(CLEAR)[2] for line in self.getvalue().split("\n")]


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One in place of standard error; not a fixture, as pytest puts its own there after those."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    return made


def test_it_names_what_is_built_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = terminal_of(monkeypatch)
    with Lines({}, enabled=True) as lines:
        lines.begin("ada\x1b[2J academic")
        lines.begin("亜" * 40)
        assert eventually(lambda: "亜" in terminal.getvalue())
        lines.end("ada\x1b[2J academic")
        console.say("✓ out/ada/academic.pdf")
        console.say("note: something")
        assert eventually(lambda: f"  {'亜' * 16}" in terminal.shown[-1])
    assert terminal.shown == ["✓ out/ada/academic.pdf", "note: something", ""]
    drawn = [text for line in terminal.getvalue().split("\n") for text in line.split(CLEAR)]
    assert any("ada\N{REPLACEMENT CHARACTER}[2J academic, 亜" in text for text in drawn)
    assert max(len(text) + text.count("亜") for text in drawn if "亜" in text) == 39


@pytest.mark.parametrize("how", ["json", "dumb", "unset", "file"])
def test_elsewhere_there_is_none(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    terminal = terminal_of(monkeypatch)
    if how == "file":
        monkeypatch.setattr(terminal, "isatty", lambda: False)
    if how == "dumb":
        monkeypatch.setenv("TERM", "dumb")
    if how == "unset":
        monkeypatch.delenv("TERM")
    with Lines({}, enabled=how != "json") as lines:
        lines.begin("ada academic")
        lines.end("ada academic")
        console.say("done")
    assert terminal.getvalue() == "done\n"
