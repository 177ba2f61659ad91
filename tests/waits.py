"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds that a slow machine may take for anything.
PATIENCE = 60.0


def eventually(true: Callable[[], bool]) -> bool:
    """Whether it comes true in that time."""
    end = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
