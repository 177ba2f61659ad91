"""The line on a terminal with the documents that are being built."""

from __future__ import annotations

import io
import sys

import pytest
from waits import eventually

from cvbuild.cli import console
from cvbuild.cli.progress import Lines

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
    with Lines(enabled=True) as lines:
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
    with Lines(enabled=how != "json") as lines:
        lines.begin("ada academic")
        lines.end("ada academic")
        console.say("done")
    assert terminal.getvalue() == "done\n"
