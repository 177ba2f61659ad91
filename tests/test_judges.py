"""The judges: which are there, and what a test does where one is absent."""

from __future__ import annotations

import json
from pathlib import Path

import judges
import pytest

from cvbuild.outputs.pdf.tex.find import HIDE_SYSTEM


def test_an_absent_judge_skips_a_test_or_fails_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(judges.NODE_MODULES, str(tmp_path))
    monkeypatch.delenv(HIDE_SYSTEM, raising=False)
    for value, outcome in (("0", pytest.skip.Exception), ("1", pytest.fail.Exception)):
        monkeypatch.setenv(judges.REQUIRE, value)
        with pytest.raises(outcome, match="chromium is not installed; apt-get install chromium"):
            judges.program("chromium", "google-chrome", package="chromium")
        with pytest.raises(outcome, match="axe-core is not installed; npm ci --prefix"):
            judges.module("axe-core/axe.min.js")
    (tmp_path / "axe.js").touch()
    assert judges.module("axe.js") == tmp_path / "axe.js"
    monkeypatch.delenv(judges.REQUIRE)
    monkeypatch.setenv(HIDE_SYSTEM, "1")
    with pytest.raises(pytest.skip.Exception, match=f"{HIDE_SYSTEM}=1 hides axe.js"):
        judges.module("axe.js")


def test_every_judge_has_one_version_and_is_not_shipped() -> None:
    folder = Path(judges.__file__).parent
    named = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    for name, version in named.items():
        found = locked[f"node_modules/{name}"]
        assert (found["version"], found["integrity"][:7]) == (version, "sha512-")
    ignored = (folder.parents[1] / ".gitignore").read_text("utf-8").splitlines()
    assert "node_modules" in ignored
