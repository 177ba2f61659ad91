"""Closed streams, full disks, odd environments and signals: one line, never a traceback.

Each attack is a process of its own: what is tested is how a process begins and ends.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from attacks.table import commands, named
from conftest import Run
from deep import sample

from cvbuild.building.watch import Watch
from cvbuild.common.interrupts import Terminated, exit_on_signals

pytestmark = pytest.mark.usefixtures("home")
PERSON = "name: Ada Example\nsections: [{kind: skill, items: [Python, Zürich]}]\n"
COMMANDS = commands("commands")
STREAMS = named("streams")
ENVIRONMENTS = named("environments")
BEFORE = named("shells")


class Case(NamedTuple):
    command: tuple[str, ...]
    before: str = ":"
    after: str = ""
    environment: Mapping[str, str | None] = {}


CASES = [
    *(Case(command, after=after) for command in COMMANDS for after in STREAMS.values()),
    *(
        Case(COMMANDS[(at + step) % len(COMMANDS)], environment=environment)
        for at, environment in enumerate(ENVIRONMENTS.values())
        for step in (0, 7, 13)
    ),
    *(Case(command, before=before) for command in COMMANDS[:8] for before in BEFORE.values()),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(PERSON, "utf-8")
    Path("job.txt").write_text("Engineer wanted, with Python.\n", "utf-8")
    Path("resume.json").write_text(json.dumps({"basics": {"name": "Eve"}}), "utf-8")
    return tmp_path


#: Each ended with an AttributeError, a traceback, or a wrong exit code.
FOUND = [
    Case(("show", "ada"), after=STREAMS["stdout closed"]),
    Case(("check",), after=STREAMS["stdout closed"]),
    Case(("templates",), after=STREAMS["stdout full"]),
    Case(("check", "--json"), after=STREAMS["stdout full"]),
    Case(("templates",), after=STREAMS["stdout without a reader"]),
    Case(("status", "nobody", "--json"), after=STREAMS["stdout without a reader"]),
    Case(("build",), before=BEFORE["no folder"]),
]
DRAWN = [pytest.param(one, marks=pytest.mark.deep) for one in sample(CASES, 16, "streams")]


@pytest.mark.parametrize("case", [*FOUND, *DRAWN])
def test_no_stream_and_no_environment_makes_a_traceback(case: Case) -> None:
    script = f'{case.before}\n"$@" {case.after}\nexit "${{PIPESTATUS[0]}}"'
    argv = ["/bin/bash", "-c", script, "bash", sys.executable, "-m", "cvbuild", *case.command]
    given = {**os.environ, **case.environment}
    env = {key: value for key, value in given.items() if value is not None}
    ran = subprocess.run(argv, capture_output=True, timeout=120, check=False, env=env)
    said = (ran.stdout + ran.stderr).decode("utf-8", "replace").replace("\0", "")
    assert not re.search("Traceback|Exception ignored|Fatal Python|Warning:", said), said
    assert ran.returncode in (0, 1, 2, 3), said
    is_full = case.after in (STREAMS["stdout closed"], STREAMS["stdout full"])
    if is_full and case.command[0] in ("templates", "show", "schema"):
        lines = ran.stderr.decode().splitlines()
        assert (ran.returncode, len(lines)) == (1, 1), said
        assert "standard output" in lines[0]
    if is_full and case.command == ("check",):
        assert ran.returncode == 0, "nothing of it goes there"
    if case.after == STREAMS["stdout without a reader"] and case in FOUND:
        assert not ran.stderr, "a reader that leaves is no error to tell"


def test_a_signal_that_a_library_makes_an_error_of_is_a_signal() -> None:
    """Rust's code, as pydantic's, raises an error of its own where it was interrupted."""

    def build() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt as stop:
            raise ValueError("can't build") from stop

    with pytest.raises(Terminated), exit_on_signals():
        build()
    with pytest.raises(ValueError, match="wrong"), exit_on_signals():
        raise ValueError("wrong")


class _Ends:
    """An object in whose finaliser a signal comes, whose error is swallowed there."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)


def test_watch_ends_after_a_signal_that_was_lost(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It went on for ever: the loop waits for events, and nothing else raised."""
    monkeypatch.setattr("cvbuild.building.watch.load_readers", lambda: _Ends() and None)
    turns = 0
    look = Watch._look_at_files

    def counted(self: Watch) -> object:
        nonlocal turns
        turns += 1
        assert turns < 20, "the signal is lost"
        return look(self)

    monkeypatch.setattr(Watch, "_look_at_files", counted)
    monkeypatch.setattr("cvbuild.building.watch._SELDOM", 0.05)
    ran = run("watch", "--format", "txt")
    assert ran.code == 0
    assert ran.err.endswith("stopped\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(number: int, tmp_path: Path) -> None:
    script = tmp_path / "slow.py"
    script.write_text(
        "import time\n"
        "from cvbuild.common.interrupts import exit_on_signals\n"
        "with exit_on_signals():\n"
        "    try:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(100)\n"
        "    finally:\n"
        "        print('cleaning', flush=True)\n"
        "        time.sleep(100)\n",
        encoding="utf-8",
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout
            for line in ("ready\n", "cleaning\n"):
                assert child.stdout.readline() == line
                child.send_signal(number)
            assert child.wait(60) == -number
        except BaseException:
            child.kill()
            raise
