"""The judges: which are there, and what a test does where one is absent."""

from __future__ import annotations

import json
from pathlib import Path

import judges


def test_every_judge_has_one_version_and_is_not_shipped() -> None:
    folder = Path(judges.__file__).parent
    named = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    for name, version in named.items():
        found = locked[f"node_modules/{name}"]
        assert (found["version"], found["integrity"][:7]) == (version, "sha512-")
    ignored = (folder.parents[1] / ".gitignore").read_text("utf-8").splitlines()
    assert "node_modules" in ignored
