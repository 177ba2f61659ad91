"""A workspace for those who keep something private."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with nobody."""
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    return tmp_path
