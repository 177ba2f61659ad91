"""Completion in real shells, which run on a terminal."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.cli.command_table import COMMANDS, SHELLS

#: How each shell is started, and loads the script; cvbuild prints its arguments then.
STARTED = {
    "bash": (
        ("bash", "--norc", "--noprofile", "-i"),
        r"""bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; . ./script
        cvbuild() { printf '<%s>' "$@"; echo; }""",
    ),
    "zsh": (
        ("zsh", "-f", "-i"),
        r"""unset zle_bracketed_paste; unsetopt beep promptsp; autoload -U compinit; compinit -u -D
        eval "$(cat ./script)"; cvbuild() { printf '<%s>' "$@"; echo }""",
    ),
    "fish": (
        ("fish", "--no-config", "-i"),
        "source ./script; function cvbuild; printf '<%s>' $argv; echo; end",
    ),
}
#: What is typed, and what the command is given then.
TYPED = {
    "cvbuild tem\t": "<templates>",
    "cvbuild build people/zoe.y\t": "<build><people/zoe.yaml>",
    "cvbuild build --all-te\t": "<build><--all-templates>",
    "cvbuild build zoe -t indu\t": "<build><zoe><-t><industry>",
    "cvbuild build zoe --format doc\t": "<build><zoe><--format><docx>",
    "cvbuild build zoe --engine embed\t": "<build><zoe><--engine><embedded>",
    "cvbuild apply applications/exam\t": "<apply><applications/example-lab.yaml>",
    "cvbuild applications ver\t": "<applications><verify>",
    "cvbuild match example-lab --job adv\t": "<match><example-lab><--job><advert.txt>",
    "cvbuild completion powers\t": "<completion><powershell>",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for name in (
        "people/zoe.yaml",
        "applications/example-lab.yaml",
        "templates/mine/template.yaml",
        "advert.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    foreign = tmp_path / "cvbuild"
    foreign.write_text("#!/bin/sh\ntouch hacked\n")
    foreign.chmod(0o755)
    return tmp_path


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin
        assert process.stdout
        self._keys, self._screen = process.stdin, process.stdout

    def typed(self, text: str, end: str) -> str:
        """Type a text; return what the shell prints up to ``end``, without its colours."""
        self._keys.write(text.encode())
        self._keys.flush()
        seen, until = "", time.monotonic() + 60
        while end not in seen and time.monotonic() < until:
            if select.select([self._screen], [], [], 0.2)[0]:
                new = os.read(self._screen.fileno(), 65536).decode(errors="replace")
                assert new, f"the shell has ended: {seen}"
                seen += new
        assert end in seen, seen
        return re.sub(r"\x1b[^a-zA-Z]*[a-zA-Z]", "", seen)


@contextlib.contextmanager
def shell(command: tuple[str, ...], cwd: Path) -> Iterator[Terminal]:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    with subprocess.Popen(
        [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=cwd,
        env={"PATH": path, "TERM": "xterm", "HOME": str(cwd), "LANG": "C.UTF-8"},
    ) as process:
        try:
            yield Terminal(process)
        finally:
            process.kill()


@pytest.mark.parametrize("name", STARTED)
def test_a_shell_completes(name: str, workspace: Path, run: Run) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}: apt-get install {name}")
    (workspace / "script").write_text(run("completion", name).out)
    command, start = STARTED[name]
    with shell(command, workspace) as terminal:
        terminal.typed(f"{start}\necho be''gun\n", "begun")
        for typed, expected in TYPED.items():
            assert expected in terminal.typed(f"{typed}\necho do''ne\n", "done"), typed
    assert not (workspace / "hacked").exists()


def test_every_shell_gets_a_script_with_every_command(run: Run) -> None:
    for name in SHELLS:
        text = run("completion", name).out
        for command in COMMANDS:
            assert re.search(rf"\b{command}\b", text), (name, command)
            assert "all-templates" in text
    assert "choose from" in run("completion", "nu").err
