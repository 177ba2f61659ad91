"""A workspace with an application, and the packet of it that was sent."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import packets
import pytest

from cvbuild.applications.sent import archive
from cvbuild.applications.sent.archive import Sent

DAY = dt.date(2026, 11, 21)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return packets.workspace(tmp_path / "work")


@pytest.fixture
def one(root: Path) -> Sent:
    """A packet that was frozen."""
    archive.freeze(packets.packet(root), root, DAY)
    [found] = archive.packets(root)
    return found
