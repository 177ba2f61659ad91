"""Kills at any time: no file is lost or half, and the next run is right."""

from __future__ import annotations

import os
import random
import time

import pytest
import samples
from projects import COMMANDS, TARGETS, WORDS, Files, Project, is_whole
from waits import PATIENCE

from cvbuild.applications import history

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.name == "nt", reason="there are no such signals"),
]
ROUNDS = 50 if samples.ALL else 2


@pytest.mark.parametrize("name", ["build", "apply", "sent", "watch"])
def test_a_kill_leaves_whole_files(name: str, workspace: Project, right: dict[str, Files]) -> None:
    drawn = random.Random(f"{os.environ.get('CVBUILD_ATTACK_SEED')} {name}")
    began = time.monotonic()
    workspace.made(*COMMANDS["build" if name == "watch" else name])
    usual = time.monotonic() - began
    letter = workspace.root / "applications/letter.md"
    for number in range(ROUNDS):
        before = set(history.packets(workspace.root))
        if name == "sent":  # what was sent before isn't sent again
            letter.write_text(f"I would like to, {number} times.\n", encoding="utf-8")
        else:
            workspace.write(WORDS[(number + 1) % 2])
        wrote = workspace.written()
        with workspace.start(*COMMANDS[name]) as process:
            time.sleep(drawn.uniform(0.05, usual * 1.1))
            process.kill()
            process.communicate(timeout=PATIENCE)
        assert workspace.written() == wrote
        packets = history.packets(workspace.root)
        assert before <= set(packets)
        assert [history.check(packet) for packet in packets] == [()] * len(packets), number
        if name != "sent":
            found = workspace.published()
            assert all(is_whole(found, right, target) for target in TARGETS), list(found)
    letter.write_text("I would like to.\n", encoding="utf-8")
    for command in ("build", "apply"):
        workspace.made(*COMMANDS[command])
    assert workspace.published() == right[workspace.word]
    assert not [path for path in workspace.root.rglob("*") if path.suffix == ".new"]
    workspace.made("applications", "verify")


def test_edits_during_builds(workspace: Project, right: dict[str, Files]) -> None:
    drawn = random.Random(os.environ.get("CVBUILD_ATTACK_SEED"))
    edits = 0
    for _ in range(20 if samples.ALL else 1):
        # The first two write the same documents, at the same time.
        running = [workspace.start(*COMMANDS[name]) for name in ("build", "build", "apply")]
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
