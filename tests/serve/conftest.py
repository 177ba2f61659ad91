"""A server of the editor's page, for modules that have a folder for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from serve.desks import Server


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """One server for all tests of a module."""
    from serve import desks

    started = desks.start(folder)
    yield started
    assert started.end() == 0
