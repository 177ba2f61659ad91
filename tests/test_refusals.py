"""Command lines that are refused: the exit code, one message that says what to do, nothing made.

The cases are tests/bad/refusals.txt. No case needs TeX.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DIAGNOSTIC, Run
from told import messages, same
from workspaces import GOOD, write

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
    """Each command line with its exit code and its message."""
    for text, (message,) in messages("bad/refusals.txt"):
        *lines, last = text.splitlines()
        code, lines = (1, lines) if last == "[1]" else (2, [*lines, last])
        yield from ((line, code, message) for line in lines)


CASES = [*cases()]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with two people, of whom one has variants."""
    monkeypatch.chdir(tmp_path)
    write("ada", ADA)
    write("bob", GOOD.replace("Ada", "Bob"))
    for name in ("applications", "ada.private"):
        Path(f"{name}.yaml").write_text(GOOD, encoding="utf-8")
    Path("job.md").write_text("- Build distributed systems\n", encoding="utf-8")


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
