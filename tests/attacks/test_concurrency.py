"""Edits, builds and packets side by side: each reader sees whole files, and the last edit wins."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

import attack_counts
import pytest
from projects import COMMANDS, TARGETS, WORDS, Files, Project, is_whole
from waits import PATIENCE

ATTACKS = "Edits and builds side by side"
ROUNDS = 20 if attack_counts.ALL else 1
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
    for _ in range(ROUNDS):
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
