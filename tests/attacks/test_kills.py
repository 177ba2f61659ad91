"""Kills at any time, edits side by side: no file is lost or half, and the next run is right."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Callable, Iterator

import attack_counts
import pytest
from projects import COMMANDS, TARGETS, WORDS, Files, Project, is_whole
from waits import PATIENCE

from cvbuild.applications import sent

ATTACKS = "Kills, edits side by side"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")

#: All of them are in two parts, so that two workers can share them.
ROUNDS, PARTS = (50, 2) if attack_counts.ALL else (2, 1)


def seconds(workspace: Project, *arguments: str) -> float:
    began = time.monotonic()
    workspace.run(*arguments)
    return time.monotonic() - began


def kills(workspace: Project, name: str, part: int) -> Iterator[Callable[[], None]]:
    """Edit, start the command and kill it at a random moment; yield to look at what is left."""
    drawn = random.Random(f"{os.environ.get('CVBUILD_ATTACK_SEED')} {name} {part}")
    command = COMMANDS[name]
    usual = seconds(workspace, *command)
    for number in range(ROUNDS):
        workspace.write(WORDS[(number + 1) % 2])
        process = workspace.start(*command)
        time.sleep(drawn.uniform(0.05, usual * 1.1))

        def kill(process: subprocess.Popen[bytes] = process) -> None:
            process.kill()
            process.communicate(timeout=PATIENCE)

        yield kill


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", ["build", "apply"])
def test_builds_and_packets(
    name: str, part: int, workspace: Project, right: dict[str, Files], tried: Callable[[int], None]
) -> None:
    for kill in kills(workspace, name, part):
        wrote = workspace.written()
        kill()
        found = workspace.published()
        assert workspace.written() == wrote
        for target in TARGETS:
            assert is_whole(found, right, target), (target, list(found))
    for command in ("build", "apply"):
        workspace.run(*COMMANDS[command])
    assert workspace.published() == right[workspace.word]
    assert not [path for path in workspace.root.rglob("*") if path.suffix == ".new"]
    tried(ROUNDS)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_sent(part: int, workspace: Project, tried: Callable[[int], None]) -> None:
    for number, kill in enumerate(kills(workspace, "sent", part)):
        before = set(sent.packets(workspace.root))
        kill()
        after = sent.packets(workspace.root)
        assert before <= set(after)
        assert [sent.check(packet) for packet in after] == [()] * len(after), number
        # Another text each time, so that it isn't what was sent before.
        letter = workspace.root / "applications/letter.md"
        letter.write_text(f"I would like to, {number} times.\n", encoding="utf-8")
    workspace.run(*COMMANDS["sent"])
    workspace.run("applications", "verify")
    assert not list((workspace.root / sent.FOLDER).glob(".*/"))
    tried(ROUNDS)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(PARTS))
def test_watch(
    part: int, workspace: Project, right: dict[str, Files], tried: Callable[[int], None]
) -> None:
    """Killed while it builds an edit, or waits."""
    drawn = random.Random(f"{os.environ.get('CVBUILD_ATTACK_SEED')} {part}")
    for number in range(ROUNDS):
        with workspace.start(*COMMANDS["watch"]) as process:
            try:
                assert process.stdout
                # What is up to date by now is not reported.
                assert process.stdout.readline().startswith(b"{")
                time.sleep(drawn.uniform(0, 0.8))
                workspace.write(WORDS[(number + 1) % 2])
                time.sleep(drawn.uniform(0, 1.2))
            finally:
                process.kill()
        assert is_whole(workspace.published(), right, "out/ada")
    for command in ("build", "apply"):
        workspace.run(*COMMANDS[command])
    assert workspace.published() == right[workspace.word]
    tried(ROUNDS)


EDITING = 20 if attack_counts.ALL else 1
#: The first two write the same documents, at the same time.
SIDE_BY_SIDE = ("build", "build", "apply")


@pytest.mark.deep
def test_edits_during_builds(
    workspace: Project, right: dict[str, Files], tried: Callable[[int], None]
) -> None:
    drawn = random.Random(os.environ.get("CVBUILD_ATTACK_SEED"))
    for command in COMMANDS["build"], COMMANDS["apply"]:
        workspace.run(*command)
    edits = 0
    for _ in range(EDITING):
        running = [workspace.start(*COMMANDS[name]) for name in SIDE_BY_SIDE]
        end = time.monotonic() + PATIENCE
        while any(process.poll() is None for process in running):
            assert time.monotonic() < end, "it hangs"
            time.sleep(drawn.uniform(0.05, 0.4))
            edits += 1
            workspace.write(WORDS[edits % 2])
            # A packet may be missing for a moment, between two renames.
            assert is_whole(workspace.published(), right, TARGETS[0])
        for process in running:
            said = process.communicate()[0]
            assert (process.returncode, b"Traceback" in said) == (0, False), said
        assert is_whole(workspace.published(), right, TARGETS[1])
    for name in ("build", "apply"):
        workspace.run(*COMMANDS[name])
    assert workspace.published() == right[workspace.word]
    tried(edits)
